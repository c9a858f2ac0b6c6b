"""State then: what was believed of states at an earlier instant, though some of it has been taken back since.

Only what was known then counts: no claim, move or record that was learned later changes the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.projections.timeline import Sighting
from heedful.kernel.ids import ClaimId
from heedful.ledger.events import ClaimTransitioned
from heedful.observations.record import RecordStatus
from heedful.ports.store import Reading, Visible
from heedful.service.place_states import DEAD
from heedful.service.project import event_of
from heedful.service.states import sightings_of

STATES_MAX = 1_000
"""Claims about one subject, the newest that were kept by then; `is_cut` says that there are more."""
LATER_MAX = 20_000
"""Claims about the subject, the newest, among which are those that were kept by then; older ones are told as cut."""
_MOVED = "claim.transitioned"


@dataclass(frozen=True, slots=True)
class Then:
    """What counts at an instant of knowing.

    Attributes:
        known_us: the instant; None: now.
        stood: what was moved after that instant, by where it stood then.
    """

    known_us: int | None
    stood: dict[ClaimId, ClaimStatus]

    @property
    def is_past(self) -> bool:
        """True where it is about an earlier instant."""
        return self.known_us is not None

    def is_believed(self, claim: Claim) -> bool:
        """True where the claim had not been taken back then."""
        return self.stood.get(claim.claim_id, claim.status) not in DEAD

    def sightings(self, reading: Reading, claims: Sequence[Claim]) -> tuple[Sighting, ...]:
        """The claims with their records, as they counted then."""
        gone = [claim for claim in claims if claim.status in DEAD]
        kept = [claim for claim in claims if claim.status not in DEAD]
        # What was taken back since may rest on a record that was withdrawn since.
        any_status = frozenset(RecordStatus)
        found = (*sightings_of(reading, kept), *sightings_of(reading, gone, statuses=any_status))
        return tuple(replace(each, claim=self._as_it_stood(each.claim)) for each in found)

    def _as_it_stood(self, claim: Claim) -> Claim:
        status = self.stood.get(claim.claim_id)
        return claim if status is None else replace(claim, status=status)


def claims_then(
    reading: Reading, visible: Visible, subject: str, known_us: int | None
) -> tuple[tuple[Claim, ...], bool]:
    """The newest STATES_MAX claims about the subject that were known then, and whether there are more."""
    if known_us is None:
        found = reading.claims_about(visible, subject, limit=STATES_MAX + 1)
        return found[:STATES_MAX], len(found) > STATES_MAX
    known: list[Claim] = []
    before: int | None = None
    looked_at = 0
    while looked_at < LATER_MAX:
        page = reading.claims_about(visible, subject, limit=STATES_MAX, before=before)
        looked_at += len(page)
        known += [claim for claim in page if claim.known_from_us <= known_us]
        if len(known) > STATES_MAX or len(page) < STATES_MAX:
            return tuple(known[:STATES_MAX]), len(known) > STATES_MAX
        before = page[-1].position
    return tuple(known), True


def believed_then(reading: Reading, claims: Sequence[Claim], known_us: int | None) -> Then:
    """What counted at that instant, of these claims.

    Moves are read to the end of the ledger, whatever else is there: a limit on them would tell how much that is.
    """
    if known_us is None or not claims:
        return Then(known_us, {})
    asked = {claim.claim_id for claim in claims}
    stood: dict[ClaimId, ClaimStatus] = {}
    for sealed in reading.events_of(_MOVED, after=min(claim.position for claim in claims)):
        if sealed.envelope.recorded_at_us <= known_us or sealed.payload is None:
            continue
        event = event_of(sealed)
        if isinstance(event, ClaimTransitioned) and event.claim_id in asked:
            stood.setdefault(event.claim_id, ClaimStatus(event.from_status))
    return Then(known_us, stood)
