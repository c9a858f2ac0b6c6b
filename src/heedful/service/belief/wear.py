"""Wear: one principal wears a standing claim down once, however often they say otherwise."""

from __future__ import annotations

from collections.abc import Iterable

from heedful.claims.claim import Claim
from heedful.claims.decide import WEARING, Ruling, Side
from heedful.kernel.ids import ClaimId
from heedful.ports.store import Reading


class Wear:
    """Which of what stands a newcomer wears down; who did before is read when it matters first, for all of them."""

    def __init__(self, reading: Reading, standing: Iterable[Side], new: Claim) -> None:
        self._reading = reading
        self._lost = {each.claim.claim_id for each in standing if each.claim.conflicts_lost}
        self._new = new
        self._before: frozenset[ClaimId] | None = None

    def wears(self, a: Side, ruling: Ruling) -> bool:
        """True where the standing claim loses confidence by this ruling."""
        if not ruling.wears_standing or a.claim.claim_id not in self._lost:
            return ruling.wears_standing
        if self._before is None:
            self._before = self._worn_before()
        return a.claim.claim_id not in self._before

    def _worn_before(self) -> frozenset[ClaimId]:
        """Those that another claim of the same principal stood against.

        What they said in a record that was withdrawn does not count: what that took was given back.
        """
        rows = self._reading.conflicts_of(sorted(self._lost), only_open=False)
        met = [each for each in rows if each.standing_id in self._lost and each.because in WEARING]
        others = list(dict.fromkeys(each.newcomer_id for each in met if each.newcomer_id != self._new.claim_id))
        found = self._reading.claims_by_ids(others) if others else ()
        theirs = [each for each in found if each.proposed_by == self._new.proposed_by]
        wanted = list(dict.fromkeys(record for each in theirs for record in each.evidence))
        stored = self._reading.records_by_ids(wanted) if wanted else ()
        live = {each.record.record_id for each in stored if each.is_evidence}
        told = {each.claim_id for each in theirs if not live.isdisjoint(each.evidence)}
        return frozenset(each.standing_id for each in met if each.newcomer_id in told)
