"""What background work reads; see ports.upkeep."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.adapters.storage.codec import RANKS, decode_claim, is_storable, scope_of
from heedful.adapters.storage.postgres.connection import Session
from heedful.adapters.storage.postgres.statements import Q, denied_clause
from heedful.adapters.storage.queries import fill
from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.observations.record import RecordStatus
from heedful.ports.upkeep import ClaimSource

_ADMITTED = RecordStatus.ADMITTED.value


class UpkeepReading:
    """The part of a reader that is about background work."""

    _session: Session

    def scopes_holding(self, clearance: Classification, denied_kinds: Sequence[str]) -> tuple[Scope, ...]:
        """See UpkeepReader.scopes_holding."""
        denied, values = denied_clause("record_not_denied", denied_kinds)
        statement = fill(Q["scopes_holding"], denied=denied)
        rows = self._session.rows(statement, (_ADMITTED, RANKS[clearance], *values))
        return tuple(scope_of(key.decode()) for (key,) in rows)

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
