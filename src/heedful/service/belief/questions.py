"""Questions: what a person is asked where two claims contradict, and which questions nobody has to answer any more."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.conflict import Outcome, Resolution
from heedful.claims.decide import Because, Ruling
from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.kernel.ids import ClaimId, ConflictId
from heedful.ledger.belief_events import ConflictDetected, ConflictResolved
from heedful.ledger.events import ClaimTransitioned, Event
from heedful.ports.store import Reading

MOOT = "one of the two claims has ended"
"""The reason of a conflict's end that nobody decided."""
_ENDED = frozenset({ClaimStatus.SUPERSEDED, ClaimStatus.REVOKED, ClaimStatus.EXPIRED})


def asked(because: Because, standing: ClaimId, newcomer: ClaimId) -> str:
    """The question, with both claims' ids. What they say is not in it: that is shown beside it, and can be erased."""
    if because is Because.CONFIRMATION_NEEDED:
        return f"claim {standing} was stated with authority: is claim {newcomer} to take its place (b), or not (a)?"
    if because is Because.PINNED:
        return f"claim {standing} is pinned: is claim {newcomer} to take its place (b), or not (a)?"
    if because is Because.MERGED_SUBJECTS:
        return (
            f"claims {standing} (a) and {newcomer} (b) are about subjects that were merged, and cannot both be so: "
            "which one is, or neither?"
        )
    return (
        f"two that count alike contradict each other: is claim {standing} so (a), or claim {newcomer} (b), or neither?"
    )


def detected(conflict_id: ConflictId, standing: ClaimId, newcomer: ClaimId, ruling: Ruling) -> ConflictDetected:
    """The event of a conflict, with its question where a person is asked."""
    question = None if ruling.resolution is not None else asked(ruling.because, standing, newcomer)
    return ConflictDetected(conflict_id, standing, newcomer, Outcome(ruling.outcome), ruling.because, question)


def moot(reading: Reading, claims: Iterable[Claim]) -> list[ConflictResolved]:
    """The ends of the open conflicts of claims that end, claim by claim: the other one is what is left of each.

    A conflict of which both claims end is there twice; see closed_once. One statement, none where nothing is open.
    """
    asked = [claim.claim_id for claim in claims if claim.conflicts_open]
    ends: dict[ClaimId, list[ConflictResolved]] = {claim_id: [] for claim_id in asked}
    for each in reading.conflicts_of(asked, only_open=True) if asked else ():
        sides = ((each.standing_id, Resolution.B_WINS), (each.newcomer_id, Resolution.A_WINS))
        for claim_id, resolution in sides:
            if claim_id in ends:
                ends[claim_id].append(ConflictResolved(each.conflict_id, resolution, SERVICE_ACTOR, MOOT))
    return [end for of_claim in ends.values() for end in of_claim]


def asked_beside(reading: Reading, claim: Claim, over: Collection[ClaimId]) -> int:
    """How many questions about the claim are open when those claims have ended; one statement, none where none is."""
    if not (claim.conflicts_open and over):
        return claim.conflicts_open
    rows = reading.conflicts_of([claim.claim_id], only_open=True)
    return sum({each.standing_id, each.newcomer_id}.isdisjoint(over) for each in rows)


def closing(reading: Reading, events: Iterable[Event]) -> list[ConflictResolved]:
    """The ends of the questions that nobody has to answer since these events, which the views have taken in.

    One statement where claims ended by them, and one more where one of those has a question.
    """
    ended = [each.claim_id for each in events if isinstance(each, ClaimTransitioned) and each.to_status in _ENDED]
    claims = reading.claims_by_ids(list(dict.fromkeys(ended))) if ended else ()
    return moot(reading, (claim for claim in claims if claim.status in _ENDED))


def closed_once(events: Iterable[Event]) -> tuple[Event, ...]:
    """The events, without the second end of a conflict both of whose claims end."""
    closed: set[str] = set()
    kept: list[Event] = []
    for event in events:
        if isinstance(event, ConflictResolved):
            if event.conflict_id in closed:
                continue
            closed.add(event.conflict_id)
        kept.append(event)
    return tuple(kept)
