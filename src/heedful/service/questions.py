"""Questions: what a person is asked where two claims contradict, and which questions nobody has to answer any more."""

from __future__ import annotations

from collections.abc import Iterable

from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.conflict import Resolution
from heedful.claims.decide import Because
from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.kernel.ids import ClaimId
from heedful.ledger.belief_events import ConflictResolved
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
    return (
        f"two that count alike contradict each other: is claim {standing} so (a), or claim {newcomer} (b), or neither?"
    )


def moot(reading: Reading, claim: Claim) -> list[ConflictResolved]:
    """The ends of the open conflicts of a claim that ends: the other one is what is left of each."""
    if not claim.conflicts_open:
        return []
    return [
        ConflictResolved(
            each.conflict_id,
            Resolution.B_WINS if each.standing_id == claim.claim_id else Resolution.A_WINS,
            SERVICE_ACTOR,
            MOOT,
        )
        for each in reading.conflicts_of([claim.claim_id], only_open=True)
    ]


def closing(reading: Reading, events: Iterable[Event]) -> list[Event]:
    """The ends of the questions that nobody has to answer since these events, which the views have taken in.

    One statement for each claim that ended by them, and one more where it has a question.
    """
    ended = (each for each in events if isinstance(each, ClaimTransitioned) and each.to_status in _ENDED)
    claims = (reading.claim(claim_id) for claim_id in dict.fromkeys(each.claim_id for each in ended))
    return [end for claim in claims if claim is not None and claim.status in _ENDED for end in moot(reading, claim)]


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
