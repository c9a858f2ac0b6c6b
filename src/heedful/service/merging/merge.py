"""Merge: a person says that two subjects are one, or that they are two; and takes a merge back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.merge import Merge, MergeStanding, joins_of
from heedful.kernel.errors import ConflictError, InvalidInputError
from heedful.kernel.ids import ClaimId, ConflictId, MergeId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.ledger.merge_events import SubjectsKeptApart, SubjectsMerged, SubjectsUnmerged
from heedful.observations.names import distinct_name
from heedful.ports.store import Reading, Visible, Writing
from heedful.service.as_known import reading_at
from heedful.service.belief.weigh import ALIKE_MAX
from heedful.service.keeping.propose import require_name
from heedful.service.merging.across import ASKED_MAX, pairs_of, questions_of
from heedful.service.merging.joined import ALL_MAX, MERGES_MAX
from heedful.service.merging.undo import two_again
from heedful.service.requests import clean_scope, reason_text
from heedful.service.session import Session
from heedful.service.sight import not_found, scope_granted, seen_claims_of, visible_everywhere, visible_in

ONE_MAX = 32
"""Subjects that are one."""
_BOTH = ("subject", "other")


@dataclass(frozen=True, slots=True)
class Merged:
    """What was said of two subjects, and what came of it.

    Attributes:
        merge: as it stands now.
        changed: False: it was said already, and nothing was written.
        asks: questions that wait now, as the two had claims that cannot both be so.
        closed: questions that wait no more, as the two are two again; of those whose claims this person sees.
        given_back: claims that stand again, which an answer to such a question had ended or worn down; likewise.
    """

    merge: Merge
    changed: bool
    asks: tuple[ConflictId, ...] = ()
    closed: tuple[ConflictId, ...] = ()
    given_back: tuple[ClaimId, ...] = ()


def merge(
    session: Session, subject: str, other: str, *, scope: Sequence[str], reason: str, apart: bool = False
) -> Merged:
    """What it did: the two subjects are one, for whoever sees this scope. `apart`: they are two; nobody is asked again.

    No claim changes: what is known of one is found for the other, and where claims of both cannot be so, a person is
    asked. The merge is as restricted as what is known of the more restricted one of the two.

    Raises:
        ForbiddenError: `principal_may_not`, `scope_not_granted`.
        InvalidInputError: `merge_of_one`, those of a name and of a scope; see `reason_text`.
        ConflictError: `merges_too_many`; `merge_stands` where they are said to be two, and are one.
    """
    session.require("approve")
    noted, place = reason_text(reason), clean_scope(scope)
    session.require_writable(place)
    for text, field in zip((subject, other), _BOTH, strict=True):
        require_name(text, field)
        distinct_name(text, field=field)
    if subject == other:
        raise InvalidInputError(
            "merge_of_one",
            "subject and other are the same text: they are one already",
            next_step="name two subjects, as `heedful review show CLAIM` spells them",
            details={"field": "other"},
        )
    return session.store.write(lambda writing: _merge(session, writing, (subject, other), place, noted, apart=apart))


def unmerge(session: Session, merge_id: str, *, reason: str) -> Merged:
    """What it did: the two are two again, as if they never had been one.

    Claims told meanwhile stay as they were told; questions that the merge raised are closed, and what an answer to one
    had ended or worn down is given back.

    Raises:
        ForbiddenError: `principal_may_not`, `scope_not_granted`.
        NotFoundError: `item_not_found`.
        ConflictError: `merge_over`.
        InvalidInputError: see `reason_text`.
    """
    session.require("approve")
    noted = reason_text(reason)

    def work(writing: Writing) -> Merged:
        found = seen_merge(session, writing, merge_id)
        if found is None:
            raise not_found(merge_id)
        session.require_writable(found.scope)
        if found.standing is not MergeStanding.JOINED:
            raise ConflictError(
                "merge_over",
                f"merge {found.merge_id} is {found.standing}; it can't be undone",
                next_step="`heedful merges` lists those that stand",
                details={"merge_id": found.merge_id, "standing": found.standing.value},
            )
        session.append(writing, [SubjectsUnmerged(found.merge_id, session.principal, noted)])
        closed, back = two_again(session, writing, found)
        sides = {claim_id for each in closed for claim_id in (each.standing_id, each.newcomer_id)}
        seen = {each.claim_id for each in seen_claims_of(session, writing, sorted(sides | {*back}))}
        return Merged(
            _there(writing, found.merge_id),
            changed=True,
            closed=tuple(each.conflict_id for each in closed if {each.standing_id, each.newcomer_id} <= seen),
            given_back=tuple(each for each in back if each in seen),
        )

    return session.store.write(work)


def merges(session: Session, *, only_joined: bool = False, known_at: str | None = None) -> tuple[Merge, ...]:
    """What was said of subjects, as far as this principal may see it: the newest first, at most MERGES_MAX.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: see `instant`.
    """
    session.require("recall")
    with reading_at(session, known_at) as (then, reading):
        return reading.merges(visible_everywhere(then, reading), only_joined=only_joined, limit=MERGES_MAX)


def seen_merge(session: Session, reading: Reading, merge_id: str) -> Merge | None:
    """The merge, or None where there is none or the session may not see it."""
    found = reading.merge(MergeId(merge_id))
    is_seen = found is not None and scope_granted(session, found.scope)
    return found if found is not None and is_seen and session.clearance.at_least(found.classification) else None


def _merge(
    session: Session, writing: Writing, pair: tuple[str, str], scope: Scope, reason: str, *, apart: bool
) -> Merged:
    everywhere = visible_everywhere(session, writing)
    about = {each: writing.claims_about(everywhere, each, limit=ALIKE_MAX) for each in pair}
    known = [min((claim.classification.rank for claim in found), default=0) for found in about.values()]
    classification = next(each for each in Classification if each.rank == max(known))
    before = writing.merges(everywhere, only_joined=True, limit=ALL_MAX)
    if apart:
        _require_two(pair, [each for each in before if each.scope.applies_to(scope)])
    here = writing.merges(visible_in(session, (scope,)), only_joined=False, limit=ALL_MAX)
    here = tuple(each for each in here if each.standing is not MergeStanding.UNDONE)
    wanted = MergeStanding.APART if apart else MergeStanding.JOINED
    same = [each for each in here if each.pair == {*pair} and each.standing is wanted]
    if same and same[0].classification is classification:
        return Merged(same[0], changed=False)
    kind = SubjectsKeptApart if apart else SubjectsMerged
    event = kind(MergeId(session.new_id()), *pair, scope, classification, session.principal, reason)
    joined = joins_of(before)
    whole = {*joined.all_of(pair[0]), *joined.all_of(pair[1])}
    if len(here) >= MERGES_MAX or (not apart and len(whole) > ONE_MAX):
        raise ConflictError(
            "merges_too_many",
            f"at most {MERGES_MAX} merges in one scope, and {ONE_MAX} subjects that are one",
            next_step="undo some first: `heedful merges` lists them",
            details={"merges_max": MERGES_MAX, "subjects_max": ONE_MAX},
        )
    session.append(writing, [event])
    made = _there(writing, event.merge_id)
    if apart:
        return Merged(made, changed=True)
    where = visible_in(session, tuple(each for each in everywhere.scopes if scope.applies_to(each)))
    found = [claim for each in sorted(whole, key=str.encode) for claim in _active_about(writing, where, each)]
    known_before = {(a.claim_id, b.claim_id) for a, b in pairs_of(session, found, before)}
    pairs = (
        (a, b) for a, b in pairs_of(session, found, (*before, made)) if (a.claim_id, b.claim_id) not in known_before
    )
    asks = questions_of(session, writing, pairs, limit=ASKED_MAX)
    session.append(writing, asks)
    return Merged(made, changed=True, asks=tuple(each.conflict_id for each in asks))


def _require_two(pair: tuple[str, str], merges: Sequence[Merge]) -> None:
    """Nothing, where the two are not one by these: what is found of them would not be what was said.

    Raises:
        ConflictError: `merge_stands`.
    """
    whole = joins_of(merges).all_of(pair[0])
    if pair[1] not in whole:
        return
    standing = [each.merge_id for each in merges if each.pair <= {*whole}]
    raise ConflictError(
        "merge_stands",
        f"{pair[0]} and {pair[1]} are one by a merge that stands",
        next_step=f"take it back first: `heedful unmerge {standing[0]} --reason ...`",
        details={"merge_ids": [str(each) for each in standing]},
    )


def _active_about(reading: Reading, visible: Visible, subject: str) -> Iterable[Claim]:
    found = reading.claims_about(visible, subject, limit=ALIKE_MAX)
    return [each for each in found if each.status is ClaimStatus.ACTIVE]


def _there(writing: Writing, merge_id: MergeId) -> Merge:
    found = writing.merge(merge_id)
    assert found is not None
    return found
