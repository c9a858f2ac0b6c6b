"""What background work reads; see ports.upkeep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from heedful.adapters.storage.codec import RANKS, decode_claim, is_storable, scope_of
from heedful.adapters.storage.queries import fill, marks
from heedful.adapters.storage.sqlite.statements import Q, denied_clause
from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.ids import ClaimId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.observations.record import RecordStatus
from heedful.ports.upkeep import ClaimSource

_ADMITTED = RecordStatus.ADMITTED.value


class UpkeepReading:
    """The part of a reader that is about background work."""

    _run: Any

    def scopes_holding(self, clearance: Classification, denied_kinds: Sequence[str]) -> tuple[Scope, ...]:
        """See UpkeepReader.scopes_holding."""
        denied, values = denied_clause("record_not_denied", denied_kinds)
        rows = self._run(fill(Q["scopes_holding"], denied=denied), (_ADMITTED, RANKS[clearance], *values)).fetchall()
        return tuple(scope_of(key) for (key,) in rows)

    def claims_after(
        self, claim_id: ClaimId | None, *, statuses: Sequence[ClaimStatus], limit: int
    ) -> tuple[Claim, ...]:
        """See UpkeepReader.claims_after."""
        after = claim_id or ""
        if not statuses or not is_storable(after):
            return ()
        statement = fill(Q["claims_after"], statuses=marks(len(statuses)))
        rows = self._run(statement, (after, *map(str, statuses), limit)).fetchall()
        return tuple(decode_claim(body) for (body,) in rows)

    def claim_sources(self, claim_ids: Sequence[ClaimId]) -> tuple[ClaimSource, ...]:
        """See UpkeepReader.claim_sources."""
        asked = list(filter(is_storable, dict.fromkeys(claim_ids)))
        rows = self._run(Q["claim_sources"], (msgspec.json.encode(asked).decode(),)).fetchall()
        return tuple(sorted(ClaimSource(*row) for row in rows))
