"""What is read of claims; see ViewReader."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from heedful.adapters.storage.codec import RANKS, decode_claim, is_storable, kind_ranges, short_key
from heedful.adapters.storage.postgres.statements import Q, denied_clause, find_rows
from heedful.adapters.storage.postgres.vectors import VectorReading
from heedful.adapters.storage.queries import fill
from heedful.claims.claim import Claim, ClaimStatus, Visibility
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.ladder import Tier
from heedful.ports.store import Over, Visible


class ClaimReading(VectorReading):
    """The part of a reader that is about claims."""

    def claim(self, claim_id: ClaimId) -> Claim | None:
        """See ViewReader.claim."""
        found = self._claims(Q["claim"], (claim_id.encode(),)) if is_storable(claim_id) else ()
        return found[0] if found else None

    def claims_by_ids(self, claim_ids: Sequence[ClaimId]) -> tuple[Claim, ...]:
        """See ViewReader.claims_by_ids."""
        return tuple(decode_claim(body) for (body,) in find_rows(self._session, "claims_by_ids", claim_ids))

    def claims(
        self,
        visible: Visible,
        *,
        statuses: Sequence[ClaimStatus],
        kinds: Sequence[str] | None,
        visibility: Visibility | None,
        tier_min: Tier,
        valid_at_us: int | None,
        limit: int,
        newest_first: bool = False,
        unless_over: Over | None = None,
    ) -> tuple[Claim, ...]:
        """See ViewReader.claims."""
        scope_ids = self._scope_ids(visible)
        if kinds is not None:
            kinds = [kind for kind in kinds if is_storable(kind)]
        if not scope_ids or not statuses or kinds == []:
            return ()
        values: list[object] = [scope_ids, sorted({status.value for status in statuses})]
        values += (RANKS[visible.clearance], tier_min.value)
        if kinds is not None:
            # As lists, so that the statement is the same however many there are: a new one is parsed and planned anew.
            ranges = [part.encode() for part in kind_ranges(tuple(kinds))]
            values += [ranges[0::3], ranges[1::3], ranges[2::3]]
        if visibility is not None:
            values.append(visibility.value)
        if valid_at_us is not None:
            values += (valid_at_us, valid_at_us)
        if unless_over is not None:
            values += (unless_over.at_us, [kind.encode() for kind in unless_over.kinds if is_storable(kind)])
        denied, denied_values = denied_clause("claim_not_denied", visible.denied_kinds)
        statement = fill(
            Q["claims"],
            denied=denied,
            kinds=Q["of_kinds"] if kinds is not None else "",
            visibility=Q["of_visibility"] if visibility is not None else "",
            valid=Q["valid_at"] if valid_at_us is not None else "",
            over=Q["not_over"] if unless_over is not None else "",
            order=Q["newest_first" if newest_first else "oldest_first"],
        )
        return self._claims(statement, (*values, *denied_values, limit, limit))

    def claims_about(
        self, visible: Visible, subject: str, *, limit: int, before: int | None = None
    ) -> tuple[Claim, ...]:
        """See ViewReader.claims_about."""
        scope_ids = self._scope_ids(visible)
        if not scope_ids or not is_storable(subject):
            return ()
        denied, denied_values = denied_clause("claim_not_denied", visible.denied_kinds)
        first = () if before is None else (before,)
        key = UUID(bytes=short_key(subject))
        values = (key, scope_ids, RANKS[visible.clearance], *first, *denied_values, limit)
        earlier = "" if before is None else Q["claim_before"]
        found = self._claims(fill(Q["claims_about"], before=earlier, denied=denied), values)
        return tuple(claim for claim in found if claim.subject == subject)

    def claims_beside(self, visible: Visible, claim_ids: Sequence[ClaimId], *, limit: int) -> tuple[Claim, ...]:
        """See ViewReader.claims_beside."""
        asked = [each.encode() for each in dict.fromkeys(claim_ids) if is_storable(each)]
        scope_ids = self._scope_ids(visible)
        if not asked or not scope_ids:
            return ()
        denied, denied_values = denied_clause("claim_not_denied", visible.denied_kinds)
        values = (asked, scope_ids, RANKS[visible.clearance], *denied_values, limit)
        return self._claims(fill(Q["claims_beside"], denied=denied), values)

    def claims_on(self, record_id: RecordId) -> tuple[Claim, ...]:
        """See ViewReader.claims_on."""
        return self._claims(Q["claims_on"], (record_id.encode(),)) if is_storable(record_id) else ()

    def claims_due(self, at_us: int, *, limit: int) -> tuple[Claim, ...]:
        """See ViewReader.claims_due."""
        return self._claims(Q["claims_due"], (at_us, limit))

    def _claims(self, statement: str, values: tuple[object, ...]) -> tuple[Claim, ...]:
        return tuple(decode_claim(body) for (body,) in self._session.rows(statement, values))
