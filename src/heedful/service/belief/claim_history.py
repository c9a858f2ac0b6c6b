"""Claim history: what the ledger says was done to claims, and by which others: read by its index, never by a walk."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from heedful.claims.claim import Claim
from heedful.claims.decide import Because
from heedful.claims.lifecycle import ANSWERED, CORRECTED, MERGED
from heedful.claims.tasks import PROMOTED
from heedful.kernel.ids import ClaimId, PrincipalId
from heedful.ledger.belief_events import ClaimBounded, ClaimConfirmed, ClaimUnconfirmed, ClaimWeighed
from heedful.ledger.events import ClaimProposed
from heedful.ports.store import Reading
from heedful.service.project import event_of

# The ends that Heedful notes begin so; what a person says comes behind the id.
_BEGINNINGS = (MERGED, f"{ANSWERED}claim ", CORRECTED, *(f"{why}: claim " for why in (PROMOTED, *Because)))
_ENDED_BY = re.compile(rf"(?:{'|'.join(map(re.escape, _BEGINNINGS))})([^\s,:]+)")

Change = ClaimBounded | ClaimWeighed | ClaimConfirmed


@dataclass(slots=True)
class History:
    """What was done to a claim, in order.

    Attributes:
        confirmations: those that count still.
    """

    proposed: ClaimProposed
    bounds: list[ClaimBounded] = field(default_factory=list)
    weighings: list[ClaimWeighed] = field(default_factory=list)
    confirmations: list[ClaimConfirmed] = field(default_factory=list)

    def note(self, event: object) -> None:
        """One more event of the claim."""
        match event:
            case ClaimBounded():
                self.bounds.append(event)
            case ClaimWeighed():
                self.weighings.append(event)
            case ClaimConfirmed():
                self.confirmations.append(event)
            case ClaimUnconfirmed(confirmed_by=who):
                self.confirmations = [each for each in self.confirmations if each.actor != who]
            case _:
                pass


def histories(reading: Reading, claims: Sequence[Claim]) -> dict[ClaimId, History]:
    """Claim -> its history; two statements."""
    found = {claim_id: History(each) for claim_id, each in proposals(reading, claims).items()}
    for sealed in reading.claim_changes(list(found)):
        if sealed.payload is not None:
            note(found, [event_of(sealed)])
    return found


def note(found: dict[ClaimId, History], events: Iterable[object]) -> None:
    """The histories know these events too."""
    for event in events:
        history = found.get(getattr(event, "claim_id", ClaimId("")))
        if history is not None:
            history.note(event)


def proposals(reading: Reading, claims: Sequence[Claim]) -> dict[ClaimId, ClaimProposed]:
    """Claim -> the event that brought it; one statement."""
    events = (event_of(each) for each in reading.claims_proposed([claim.claim_id for claim in claims]))
    return {each.claim_id: each for each in events if isinstance(each, ClaimProposed)}


def changed_by(reading: Reading, claim_ids: Sequence[ClaimId]) -> list[Change]:
    """The events by which these claims put others right, in ledger order; one statement."""
    events = (event_of(each) for each in reading.changes_by(claim_ids) if each.payload is not None)
    return [each for each in events if isinstance(each, ClaimBounded | ClaimWeighed | ClaimConfirmed)]


def confirmers(history: History) -> dict[PrincipalId, set[ClaimId | None]]:
    """Who confirmed the claim, and by which claims of theirs; None: in so many words."""
    found: dict[PrincipalId, set[ClaimId | None]] = {}
    for each in history.confirmations:
        found.setdefault(each.actor, set()).add(each.by)
    return found


def ended_by(claim: Claim) -> ClaimId | None:
    """The claim for the sake of which this one ended, by its status's reason; None: it was no other claim."""
    match = _ENDED_BY.match(claim.status_reason)
    return None if match is None else ClaimId(match.group(1))
