"""Faults of a store: filters that are dropped, come too late, or do not hold for the statistics."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from planted import Breakage, Engine, Fault, everything, everywhere, labelled_within, seen_as, uncleared, undenied

from heedful.adapters.storage import denied
from heedful.kernel.ladder import Classification
from heedful.ports.rows import Chain, SearchResult, Visible
from heedful.recall import score
from heedful.service import sight

MANY = 10_000


def _method(name: str, broken: Callable[[Any], object]) -> Callable[[Engine], Sequence[Breakage]]:
    return lambda engine: [(engine.reading, name, broken)]


def _late(label: Callable[[Any], tuple[Any, Any]]) -> Callable[[Any], object]:
    """Of a listing, one that cuts first and filters what is left."""

    def broken(sound: Any) -> object:
        def method(self: Any, visible: Visible, **more: Any) -> Any:
            rows = sound(self, everything(self, visible), **more)
            return tuple(row for row in rows if labelled_within(visible, *label(row)))

        return method

    return broken


def _search_late(sound: Any) -> object:
    def search(self: Any, visible: Visible, terms: Any, search_filter: Any, *, limit: int) -> Any:
        whole = sound(self, everything(self, visible), terms, search_filter, limit=limit)
        seen = sound(self, visible, terms, search_filter, limit=MANY)
        positions = {hit.position for hit in seen.hits}
        return replace(seen, hits=tuple(hit for hit in whole.hits if hit.position in positions))

    return search


def _nearest_late(sound: Any) -> object:
    def nearest(self: Any, visible: Visible, *args: Any, limit: int) -> Any:
        whole = sound(self, everything(self, visible), *args, limit=limit)
        positions = {hit.position for hit in sound(self, visible, *args, limit=MANY)}
        return tuple(hit for hit in whole if hit.position in positions)

    return nearest


def _nearest_relative(sound: Any) -> object:
    """Similarities as shares of the best in the whole tenant."""

    def nearest(self: Any, visible: Visible, *args: Any, limit: int) -> Any:
        best = max((hit.similarity for hit in sound(self, everything(self, visible), *args, limit=1)), default=0.0)
        near = sound(self, visible, *args, limit=limit)
        return tuple(hit._replace(similarity=hit.similarity / best if best > 0 else 0.0) for hit in near)

    return nearest


def _statistics(field: str) -> Callable[[Any], object]:
    def broken(sound: Any) -> object:
        def search(self: Any, visible: Visible, *args: Any, **more: Any) -> Any:
            whole = sound(self, everything(self, visible), *args, **more)
            return replace(sound(self, visible, *args, **more), **{field: getattr(whole, field)})

        return search

    return broken


def _lengths(sound: Any) -> object:
    """Length is measured against the average of all rows, as a shared full-text index has it."""

    def search(self: Any, visible: Visible, *args: Any, **more: Any) -> SearchResult:
        whole = sound(self, everything(self, visible), *args, **more)
        if whole.hits:
            score.AVERAGE_TOKENS = sum(hit.token_count for hit in whole.hits) / len(whole.hits)
        result: SearchResult = sound(self, visible, *args, **more)
        return result

    return search


def _by_source_anywhere(sound: Any) -> object:
    def record_by_source(self: Any, source_ref: str, scope: Any, classification: Any) -> Any:
        found = sound(self, source_ref, scope, classification)
        places = ((each, rank) for each in self.scopes() for rank in Classification)
        others = (sound(self, source_ref, each, rank) for each, rank in places if found is None)
        return found or next((each for each in others if each is not None), None)

    return record_by_source


def _first_tenants(sound: Any) -> object:
    def tenant_store(self: Any, tenant_id: Any) -> Any:
        mine = next(each for each in self.tenants() if each.tenant_id == tenant_id)
        family = mine.name.rpartition("-")[0]
        first = next(each for each in self.tenants() if each.name.rpartition("-")[0] == family)
        return sound(self, first.tenant_id)

    return tenant_store


def _of_records(sound: Any) -> object:
    """Denied kinds hide claims, and the records under them are shown."""

    def search(self: Any, visible: Visible, *args: Any, **more: Any) -> Any:
        whole = sound(self, undenied(self, visible), *args, **more)
        kept = {hit.position for hit in sound(self, visible, *args, **more).hits}
        return replace(whole, hits=tuple(hit for hit in whole.hits if hit.item == "record" or hit.position in kept))

    return search


def _family_shown(_engine: Engine) -> Sequence[Breakage]:
    """A denied kind covers itself alone; in each place where descendants are found."""
    return [
        (denied, "descendant_range", lambda _sound: lambda name: (name, name, name)),
        (sight, "covers", lambda _sound: operator.eq),
    ]


def _put_back(sound: Any) -> object:
    """Unchanged by itself: what the fault makes of it is undone at the end of the block."""
    return sound


STORAGE_FAULTS = (
    Fault("search-without-scopes", "rows of scopes not granted", _method("search", seen_as(everywhere)), True),
    Fault("search-without-clearance", "rows above the clearance", _method("search", seen_as(uncleared)), True),
    Fault("search-cut-before-filter", "rows that starve others", _method("search", _search_late)),
    Fault("search-counts-all-rows", "how many rows there are", _method("search", _statistics("visible_count"))),
    Fault("search-weighs-terms-by-all-rows", "how usual a word is", _method("search", _statistics("term_counts"))),
    Fault(
        "search-averages-all-lengths",
        "how long hidden rows are",
        lambda engine: [(engine.reading, "search", _lengths), (score, "AVERAGE_TOKENS", _put_back)],
    ),
    Fault("claims-without-scopes", "claims of scopes not granted", _method("claims", seen_as(everywhere))),
    Fault("claims-without-clearance", "claims above the clearance", _method("claims", seen_as(uncleared))),
    Fault(
        "claims-cut-before-filter",
        "claims that push others out",
        _method("claims", _late(lambda claim: (claim.scope, claim.classification))),
    ),
    Fault("records-without-scopes", "records of scopes not granted", _method("records", seen_as(everywhere))),
    Fault("records-without-clearance", "records above the clearance", _method("records", seen_as(uncleared))),
    Fault(
        "records-cut-before-filter",
        "records that shorten a page",
        _method("records", _late(lambda stored: (stored.record.scope, stored.record.classification))),
    ),
    Fault("position-counts-all-rows", "how much is hidden", _method("visible_position", seen_as(everything))),
    Fault(
        "position-is-the-ledgers",
        "how much goes on",
        _method("visible_position", lambda _sound: lambda self, _visible: self.head(Chain.LEDGER).position),
    ),
    Fault(
        "source-reference-of-the-tenant",
        "that somebody used a reference elsewhere",
        _method("record_by_source", _by_source_anywhere),
    ),
    Fault(
        "one-handle-for-all-tenants",
        "another tenant's rows",
        lambda engine: [(engine.store, "tenant_store", _first_tenants)],
    ),
    Fault("nearest-without-scopes", "near rows of scopes not granted", _method("nearest", seen_as(everywhere)), True),
    Fault("nearest-without-clearance", "near rows above the clearance", _method("nearest", seen_as(uncleared)), True),
    Fault("search-without-denied-kinds", "rows of denied kinds", _method("search", seen_as(undenied)), True),
    Fault("search-shows-records-under-denied", "what a denied claim rests on", _method("search", _of_records), True),
    Fault("nearest-without-denied-kinds", "near rows of denied kinds", _method("nearest", seen_as(undenied)), True),
    Fault("claims-without-denied-kinds", "claims of denied kinds", _method("claims", seen_as(undenied))),
    Fault("records-without-denied-kinds", "records under denied claims", _method("records", seen_as(undenied))),
    Fault("position-counts-denied-kinds", "how much is denied", _method("visible_position", seen_as(undenied))),
    Fault("denied-kinds-without-descendants", "rows of kinds below a denied one", _family_shown, True),
    Fault("nearest-cut-before-filter", "near rows that starve others", _method("nearest", _nearest_late)),
    Fault("nearest-relative-to-all", "how near the nearest hidden row is", _method("nearest", _nearest_relative)),
)
