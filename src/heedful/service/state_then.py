"""State then: what was believed of states at an earlier instant, though some of it has been taken back since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.projections.timeline import Sighting
from heedful.kernel.ids import ClaimId
from heedful.ledger.events import ClaimTransitioned
from heedful.observations.record import RecordStatus
from heedful.ports.store import Chain, Reading
from heedful.service.place_states import DEAD
from heedful.service.project import event_of
from heedful.service.states import sightings_of

WALKED_MAX = 100_000
"""Ledger events among which is looked for when states were taken back."""


@dataclass(frozen=True, slots=True)
class Then:
    """What counts at an instant of knowing.

    Attributes:
        known_us: the instant; None: now.
        still: what was taken back after that instant, and counted then, by where it stood.
        is_cut: True: when some states were taken back was not found, and they are taken not to have counted.
    """

    known_us: int | None
    still: dict[ClaimId, ClaimStatus]
    is_cut: bool

    @property
    def is_past(self) -> bool:
        """True where it is about an earlier instant."""
        return self.known_us is not None

    def is_believed(self, claim: Claim) -> bool:
        """True where the claim was known then and had not been taken back."""
        is_known = self.known_us is None or claim.known_from_us <= self.known_us
        return is_known and (claim.status not in DEAD or claim.claim_id in self.still)

    def sightings(self, reading: Reading, claims: Sequence[Claim]) -> tuple[Sighting, ...]:
        """The claims with their records, as they counted then."""
        past = [claim for claim in claims if claim.claim_id in self.still]
        now = [claim for claim in claims if claim.claim_id not in self.still]
        standing = [replace(claim, status=self.still[claim.claim_id]) for claim in past]
        any_status = frozenset(RecordStatus)
        return (*sightings_of(reading, now), *sightings_of(reading, standing, statuses=any_status))


def believed_then(reading: Reading, claims: Sequence[Claim], known_us: int | None) -> Then:
    """What counted at that instant, of these claims; the ledger is walked only where some are dead now."""
    dead = {claim.claim_id for claim in claims if claim.status in DEAD}
    if known_us is None or not dead:
        return Then(known_us, {}, is_cut=False)
    still: dict[ClaimId, ClaimStatus] = {}
    first = min(claim.position for claim in claims if claim.claim_id in dead)
    walked = 0
    for sealed in reading.events(Chain.LEDGER, after=first, limit=WALKED_MAX):
        walked += 1
        if sealed.envelope.type != "claim.transitioned" or sealed.payload is None:
            continue
        event = event_of(sealed)
        if not isinstance(event, ClaimTransitioned) or event.claim_id not in dead:
            continue
        if sealed.envelope.recorded_at_us > known_us:
            status = ClaimStatus(event.from_status)
            if status not in DEAD:
                still.setdefault(event.claim_id, status)
            dead.discard(event.claim_id)
        if not dead:
            break
    return Then(known_us, still, is_cut=bool(dead) and walked == WALKED_MAX)
