"""The clause that keeps out what denied kinds touch, the same for every engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heedful.adapters.storage.codec import descendant_range, is_storable
from heedful.adapters.storage.queries import fill


def fill_denied(queries: Mapping[str, str], name: str, denied_kinds: Sequence[str]) -> tuple[str, list[str]]:
    """The named clause, which holds where no claim of these kinds is in the way, and its values; empty for none."""
    kinds = [kind for kind in denied_kinds if is_storable(kind)]
    if not kinds:
        return "", []
    clause = fill(queries[name], kinds=" OR ".join([queries["of_denied_kind"]] * len(kinds)))
    values = [part for kind in kinds for part in descendant_range(kind)]
    return clause, values * queries[name].count("{kinds}")
