"""Follow: what becomes of the claims that rest on one that changed, in the transaction in which it did.

What rests on a claim is so only as long as that is. When the claim beneath ends, what rests on it leaves the current
answers, over any number of steps, and waits to be looked at again; when the ground returns, it stands again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from heedful.claims.claim import LIVE, Claim, ClaimStatus
from heedful.claims.lifecycle import GROUND_CHANGED, GROUND_RETURNED, SERVICE_ACTOR, is_changing
from heedful.kernel.errors import ConflictError
from heedful.kernel.ids import ClaimId
from heedful.ledger.events import ClaimProposed, ClaimTransitioned, Event
from heedful.ports.store import Reading, Writing
from heedful.service.belief.questions import closed_once, moot

FOLLOWED_MAX = 5_000
"""Claims that are looked at again because of one transaction; where more rest on what it ends, it is refused."""
TOO_MANY = "dependants_too_many"
STEPS_MAX = 64
"""How far a chain of grounds is followed for an answer."""

_ENDED = frozenset(
    {
        ClaimStatus.EXPIRED,
        ClaimStatus.SUPERSEDED,
        ClaimStatus.REVOKED,
        ClaimStatus.QUARANTINED,
        ClaimStatus.ARCHIVED,
    }
)
_BEFORE_APPROVAL = "its ground changed before it was approved: "


Returning = Callable[[Claim, ClaimTransitioned], Sequence[Event]]
"""What comes of it that a claim is to stand again by this move: others may have said otherwise meanwhile."""


def following(writing: Writing, events: Sequence[Event], returning: Returning) -> tuple[Event, ...]:
    """The moves that follow from these events, which the views have taken in; to be appended, and asked again of them.

    What comes back as its ground does is weighed by `returning`.
    Nothing is read where no claim ended, came back, or was proposed on grounds.

    Raises:
        ConflictError: `dependants_too_many`.
    """
    last = {event.claim_id: event for event in events if isinstance(event, ClaimTransitioned)}
    lost = [each for each, event in last.items() if event.to_status in _ENDED and event.from_status not in _ENDED]
    lost += [each for each, event in last.items() if _went_and_ended(event, events)]
    back = [each for each, event in last.items() if event.to_status == ClaimStatus.ACTIVE and _comes_back(event)]
    grounded = [each.claim_id for each in events if isinstance(each, ClaimProposed) and each.rests_on]
    if not (lost or back or grounded):
        return ()
    resting = writing.claims_resting_on_any([*lost, *back]) if lost or back else ()
    if len(resting) > FOLLOWED_MAX:
        raise ConflictError(
            "dependants_too_many",
            f"more than {FOLLOWED_MAX} claims rest on what would end, and would have to be looked at again at once",
            next_step="end some of those first: `heedful why` names what rests on what",
            details={"limit": FOLLOWED_MAX},
        )
    proposed = writing.claims_by_ids(grounded) if grounded else ()
    standing = _statuses(writing, [each for claim in (*resting, *proposed) for each in claim.rests_on])
    gone = set(lost)
    moves = [
        _left(claim, standing) for claim in resting if claim.status in LIVE and not gone.isdisjoint(claim.rests_on)
    ]
    returned = [claim for claim in resting if is_changing(claim) and _all_stand(claim, standing)]
    moves += [_left(claim, standing) for claim in proposed if claim.status in LIVE and not _all_stand(claim, standing)]
    asked = [claim for claim in resting if claim.conflicts_open and claim.status in LIVE]
    ended = {move.claim_id for move in moves}
    closed = moot(writing, (claim for claim in asked if claim.claim_id in ended))
    weighed = [event for claim in returned for event in returning(claim, _returned(claim))]
    return closed_once((*{move.claim_id: move for move in moves}.values(), *closed, *weighed))


def dependants(reading: Reading, claim_ids: Iterable[ClaimId]) -> tuple[Claim, ...]:
    """The claims that rest on these, over at most STEPS_MAX steps, and wait to be looked at again."""
    found: dict[ClaimId, Claim] = {}
    asked = list(claim_ids)
    for _ in range(STEPS_MAX):
        resting = reading.claims_resting_on_any(asked) if asked else ()
        fresh = [each for each in resting if is_reexamined(each) and each.claim_id not in found]
        found |= {each.claim_id: each for each in fresh}
        asked = [each.claim_id for each in fresh]
    return tuple(found.values())


def is_reexamined(claim: Claim) -> bool:
    """True where it waits for a person because what it rests on changed, whether or not it was believed before."""
    reason = claim.status_reason
    return claim.status is ClaimStatus.QUARANTINED and reason.startswith((GROUND_CHANGED, _BEFORE_APPROVAL))


_Statuses = Mapping[ClaimId, ClaimStatus]
"""Where claims stand now, by id; those that are not there are left out."""


def _statuses(reading: Reading, claim_ids: Iterable[ClaimId]) -> _Statuses:
    asked = list(dict.fromkeys(claim_ids))
    return {claim.claim_id: claim.status for claim in reading.claims_by_ids(asked)} if asked else {}


def _all_stand(claim: Claim, statuses: _Statuses) -> bool:
    """True where all that it rests on is active."""
    return all(statuses.get(each) is ClaimStatus.ACTIVE for each in claim.rests_on)


def _went_and_ended(event: ClaimTransitioned, events: Sequence[Event]) -> bool:
    """True where it left the active state in these events, and moved on among the ended ones."""
    return event.from_status in _ENDED and any(
        isinstance(each, ClaimTransitioned)
        and each.claim_id == event.claim_id
        and each.from_status == ClaimStatus.ACTIVE
        and event.to_status in _ENDED
        for each in events
    )


def _comes_back(event: ClaimTransitioned) -> bool:
    return event.from_status in _ENDED


def _left(claim: Claim, standing: _Statuses) -> ClaimTransitioned:
    # What it rests on may be hidden from whoever sees this one: how it ended is told, and never which it is.
    words = {status: f"is {status}" for status in _ENDED}
    ended = next((s for s in map(standing.get, claim.rests_on) if s is not ClaimStatus.ACTIVE), None)
    how = "is not there" if ended is None else words.get(ended, "is not believed")
    begins = GROUND_CHANGED if claim.status is ClaimStatus.ACTIVE else _BEFORE_APPROVAL
    reason = f"{begins}what it rests on {how}"
    return ClaimTransitioned(claim.claim_id, claim.status, ClaimStatus.QUARANTINED, SERVICE_ACTOR, reason)


def _returned(claim: Claim) -> ClaimTransitioned:
    return ClaimTransitioned(claim.claim_id, claim.status, ClaimStatus.ACTIVE, SERVICE_ACTOR, GROUND_RETURNED)
