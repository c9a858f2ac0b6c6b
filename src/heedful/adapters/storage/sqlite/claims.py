"""What is read of claims; see ViewReader."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache

from heedful.adapters.storage.codec import KIND_RANGE_VALUES, RANKS, decode_claim, is_storable, kind_ranges, short_key
from heedful.adapters.storage.queries import FILLED_MAX, fill, marks
from heedful.adapters.storage.sqlite.statements import Q, denied_clause, find_rows, scope_list
from heedful.adapters.storage.sqlite.vectors import VectorReading
from heedful.claims.claim import Claim, ClaimStatus, Visibility
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.ladder import Tier
from heedful.ports.store import Over, Visible


class ClaimReading(VectorReading):
    """The part of a reader that is about claims."""

    def claim(self, claim_id: ClaimId) -> Claim | None:
        """See ViewReader.claim."""
        found = self._claims(Q["claim"], (claim_id,)) if is_storable(claim_id) else ()
        return found[0] if found else None

    def claims_by_ids(self, claim_ids: Sequence[ClaimId]) -> tuple[Claim, ...]:
        """See ViewReader.claims_by_ids."""
        return tuple(decode_claim(body) for (body,) in find_rows(self._run, "claims_by_ids", claim_ids))

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
        ranges = None if kinds is None else kind_ranges(tuple(kinds))
        if not scope_ids or not statuses or ranges == ():
            return ()
        scopes, bound = scope_list(scope_ids)
        values: list[object] = [
            *bound,
            RANKS[visible.clearance],
            *map(str, statuses),
            int(tier_min),
        ]
        values += ranges or ()
        if visibility is not None:
            values.append(str(visibility))
        if valid_at_us is not None:
            values += (valid_at_us, valid_at_us)
        over_kinds = tuple(filter(is_storable, unless_over.kinds)) if unless_over is not None else ()
        if unless_over is not None:
            values += (unless_over.at_us, *over_kinds)
        of_visibility = Q["of_visibility"] if visibility is not None else ""
        valid_at = Q["valid_at"] if valid_at_us is not None else ""
        denied, denied_values = denied_clause("claim_not_denied", visible.denied_kinds)
        statement = _claims_statement(
            scopes,
            len(statuses),
            len(ranges or ()) // KIND_RANGE_VALUES,
            of_visibility=of_visibility,
            valid_at=valid_at,
            over="" if unless_over is None else fill(Q["not_over"], marks=marks(len(over_kinds))),
            order=Q["newest_first" if newest_first else "oldest_first"],
            denied=denied,
        )
        return self._claims(statement, (*values, *denied_values, limit))

    def claims_about(
        self, visible: Visible, subject: str, *, limit: int, before: int | None = None
    ) -> tuple[Claim, ...]:
        """See ViewReader.claims_about."""
        scope_ids = self._scope_ids(visible)
        if not scope_ids or not is_storable(subject):
            return ()
        scopes, bound = scope_list(scope_ids)
        denied, denied_values = denied_clause("claim_not_denied", visible.denied_kinds)
        earlier = "" if before is None else Q["claim_before"]
        statement = fill(Q["claims_about"], scopes=scopes, before=earlier, denied=denied)
        first = () if before is None else (before,)
        values = (short_key(subject), *bound, RANKS[visible.clearance], *first, *denied_values, limit)
        return tuple(claim for claim in self._claims(statement, values) if claim.subject == subject)

    def claims_beside(self, visible: Visible, claim_ids: Sequence[ClaimId], *, limit: int) -> tuple[Claim, ...]:
        """See ViewReader.claims_beside."""
        asked = [each for each in dict.fromkeys(claim_ids) if is_storable(each)]
        scope_ids = self._scope_ids(visible)
        if not asked or not scope_ids:
            return ()
        scopes, bound = scope_list(scope_ids)
        denied, denied_values = denied_clause("claim_not_denied", visible.denied_kinds)
        # A list of any length as one value: there are no more of them than a statement takes only by chance.
        ids = "SELECT value FROM json_each(?)"
        statement = fill(Q["claims_beside"], marks=ids, scopes=scopes, denied=denied)
        values = (json.dumps(asked), *bound, RANKS[visible.clearance], *denied_values, limit)
        return self._claims(statement, values)

    def claims_on(self, record_id: RecordId) -> tuple[Claim, ...]:
        """See ViewReader.claims_on."""
        return self._claims(Q["claims_on"], (record_id,)) if is_storable(record_id) else ()

    def claims_due(self, at_us: int, *, limit: int) -> tuple[Claim, ...]:
        """See ViewReader.claims_due."""
        return self._claims(Q["claims_due"], (at_us, limit))

    def _claims(self, statement: str, values: tuple[object, ...]) -> tuple[Claim, ...]:
        return tuple(decode_claim(body) for (body,) in self._run(statement, values).fetchall())


@lru_cache(maxsize=FILLED_MAX)
def _claims_statement(
    scopes: str,
    statuses: int,
    kinds: int,
    *,
    of_visibility: str,
    valid_at: str,
    over: str,
    order: str,
    denied: str,
) -> str:
    return fill(
        Q["claims"],
        scopes=scopes,
        statuses=marks(statuses),
        kinds="AND (" + " OR ".join([Q["of_kind"]] * kinds) + ")" if kinds else "",
        visibility=of_visibility,
        valid=valid_at,
        over=over,
        order=order,
        denied=denied,
    )
