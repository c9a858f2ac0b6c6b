"""Activation: a claim becomes active by somebody's decision, and meets what stands then."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.ids import ClaimId
from heedful.ledger.events import ClaimTransitioned, Event
from heedful.ports.store import Writing
from heedful.service.belief.believe import weigh
from heedful.service.belief.weigh import Newcomer, comparator_of
from heedful.service.belief.weighed import ASIDE, Weighed
from heedful.service.session import Session
from heedful.service.sight import denied_to, seen_of


def activation(
    session: Session,
    writing: Writing,
    claim: Claim,
    moves: Sequence[ClaimTransitioned],
    *,
    ended: Sequence[Event] = (),
    for_all: bool = False,
) -> tuple[list[Event], Weighed | None]:
    """The events by which the claim becomes active, if it does, and what came of meeting others (None: it met nothing).

    `moves` lead to ACTIVE; `ended` are the ends of what it replaces anyway, which follow where it is believed. Also out
    of quarantine or the archive it is weighed again, since others may have come meanwhile. `for_all`: see Newcomer.
    """
    assert moves[-1].to_status == ClaimStatus.ACTIVE
    before = claim.status if claim.status in ASIDE else ClaimStatus.POLICY_REVIEWED
    skip: Collection[ClaimId] = {each.claim_id for each in ended if isinstance(each, ClaimTransitioned)}
    unseen = denied_to(session, writing, claim.evidence)
    found = weigh(session, writing, Newcomer(replace(claim, status=before), unseen=unseen, skip=skip, for_all=for_all))
    if found is None:
        return [*moves, *ended], None
    steps = moves if found.activates else moves[:-1]
    return [*steps, *(ended if found.is_believed else ()), *found.events], found


def returned(session: Session, writing: Writing, claim: Claim, move: ClaimTransitioned) -> Sequence[Event]:
    """The events by which a claim stands again as its ground does, which this session brought back.

    It is weighed against what became active meanwhile. Where the session does not see it, nothing is weighed for
    others by what they do not see: with something else of the same thing there it waits for a person.
    """
    if seen_of(session, writing, [claim]):
        return activation(session, writing, claim, [move])[0]
    is_alone = comparator_of(session, claim) is None or not writing.claims_alike(
        claim.scope, claim.classification, claim.subject, claim.property, statuses=(ClaimStatus.ACTIVE,), limit=1
    )
    return (move,) if is_alone else ()
