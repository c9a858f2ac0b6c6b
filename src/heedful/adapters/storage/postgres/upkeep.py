"""What background work reads; see ports.upkeep."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.adapters.storage.codec import decode_claim, is_storable
from heedful.adapters.storage.postgres.connection import Session
from heedful.adapters.storage.postgres.statements import Q
from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.ids import ClaimId, RecordId
from heedful.ports.upkeep import ClaimSource


class UpkeepReading:
    """The part of a reader that is about background work."""

    _session: Session

    def claims_after(
        self, claim_id: ClaimId | None, *, statuses: Sequence[ClaimStatus], limit: int
    ) -> tuple[Claim, ...]:
        """See UpkeepReader.claims_after."""
        after = claim_id or ""
        if not statuses or not is_storable(after):
            return ()
        rows = self._session.rows(Q["claims_after"], (after.encode(), [each.value for each in statuses], limit))
        return tuple(decode_claim(body) for (body,) in rows)

    def claim_sources(self, claim_ids: Sequence[ClaimId]) -> tuple[ClaimSource, ...]:
        """See UpkeepReader.claim_sources."""
        asked = [each.encode() for each in dict.fromkeys(claim_ids) if is_storable(each)]
        rows = self._session.rows(Q["claim_sources"], (asked,))
        return tuple(
            sorted(
                ClaimSource(ClaimId(claim_id.decode()), at_us, source, name, tier, RecordId(record_id.decode()))
                for claim_id, at_us, source, name, tier, record_id in rows
            )
        )
