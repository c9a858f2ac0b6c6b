"""Undo: what comes back as two subjects are two again: no question about both is left, and no answer to one counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heedful.claims.claim import Claim
from heedful.claims.conflict import Conflict, Resolution
from heedful.claims.decide import Because
from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.claims.merge import Merge, joins_of
from heedful.kernel.ids import ClaimId
from heedful.kernel.ladder import Classification
from heedful.ledger.belief_events import ConflictResolved
from heedful.ports.store import Visible, Writing
from heedful.service.belief.given_back import give_back_lost
from heedful.service.belief.weigh import ALIKE_MAX
from heedful.service.merging.joined import ALL_MAX, joins_for_all_of
from heedful.service.session import Session

TWO_AGAIN = "the two subjects are two again: both claims stand"
"""The reason of the end of a question that nobody has to answer, as the merge that raised it was undone."""


def two_again(session: Session, writing: Writing, gone: Merge) -> tuple[list[Conflict], tuple[ClaimId, ...]]:
    """The questions that are closed, and the claims that stand again or are believed as before; appended.

    `gone` as it stood before. Whoever undoes it: a question about claims that they do not see has lost its ground, too.
    """
    everywhere = Visible(writing.scopes(), Classification.RESTRICTED)
    left = writing.merges(everywhere, only_joined=True, limit=ALL_MAX)
    subjects = joins_of((*left, gone)).all_of(gone.subject)
    where = Visible(tuple(each for each in everywhere.scopes if gone.scope.applies_to(each)), Classification.RESTRICTED)
    claims = {
        claim.claim_id: claim for each in subjects for claim in writing.claims_about(where, each, limit=ALIKE_MAX)
    }
    found = _asked_of(session, writing, claims, left)
    is_open = [each for each in found if each.is_open]
    session.append(
        writing,
        [ConflictResolved(each.conflict_id, Resolution.A_WINS, SERVICE_ACTOR, TWO_AGAIN) for each in is_open],
    )
    lost = [pair for each in found if not each.is_open for pair in _lost(each)]
    return is_open, give_back_lost(session, writing, lost)


def _asked_of(
    session: Session, writing: Writing, claims: Mapping[ClaimId, Claim], left: Sequence[Merge]
) -> list[Conflict]:
    """The questions about two of these claims, answered or not, that only the merge had raised, in ledger order."""
    found = writing.conflicts_of(list(claims), only_open=False) if claims else ()
    return [
        each
        for each in found
        if each.because == Because.MERGED_SUBJECTS
        and each.standing_id in claims
        and each.newcomer_id in claims
        and not _are_one(session, left, claims[each.standing_id], claims[each.newcomer_id])
    ]


def _are_one(session: Session, left: Sequence[Merge], a: Claim, b: Claim) -> bool:
    return joins_for_all_of(session, left, a).are_one(a.subject, b.subject)


def _lost(conflict: Conflict) -> list[tuple[ClaimId, ClaimId]]:
    """Who lost by a person's answer, and to whom; nobody where the question was closed without one."""
    if conflict.resolved_by == SERVICE_ACTOR:
        return []
    a, b = conflict.standing_id, conflict.newcomer_id
    match conflict.resolution:
        case Resolution.A_WINS:
            return [(b, a)]
        case Resolution.B_WINS:
            return [(a, b)]
        case _:
            return [(a, b), (b, a)]
