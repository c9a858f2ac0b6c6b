"""Nearest: exact, over what is visible and passes the filter alone."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import pytest

from heedful.kernel.ladder import Classification
from heedful.kernel.vectors import DIMENSIONS_MAX, cosine, levels, quantise, squared
from heedful.observations.record import AttributeValue
from heedful.ports.store import (
    AttributeFilter,
    SearchFilter,
)
from heedful.testing.builders import ANYTHING, build_search_row, visible_to
from heedful.testing.factory import StoreFactory, one_tenant
from heedful.testing.store_contract.vector_steps import (
    ANA,
    BEN,
    EAST,
    MANY_ROWS,
    NORTH,
    NORTH_EAST,
    NOWHERE,
    WEST,
    any_vector,
    nearest,
    pairs,
    put_rows,
    put_vectors,
    walk,
    with_vectors,
)

MANY_CLAIMS = 300


class TestNearest:
    """ViewReader.nearest."""

    def test_the_nearest_come_first_with_their_cosine(self, stores: StoreFactory) -> None:
        """To the last bit that of kernel.vectors; the opposite is -1, and what has no direction 0."""
        vectors = {1: WEST, 2: EAST, 3: NOWHERE, 4: NORTH_EAST, 5: NORTH}
        with with_vectors(stores, vectors) as reading:
            hits = nearest(reading, EAST)
            assert [(hit.position, hit.similarity) for hit in hits] == [
                (2, 1.0),
                (4, cosine(127 * 127, squared(EAST), squared(NORTH_EAST))),
                (5, 0.0),
                (3, 0.0),
                (1, -1.0),
            ]
            assert str(hits[2].similarity) == str(hits[3].similarity) == "0.0"
            first = hits[0]
            assert (first.item, first.item_id, first.token_count) == ("record", build_search_row(2).item_id, 1)
            assert [hit.position for hit in nearest(reading, EAST, limit=2)] == [2, 4]
            assert nearest(reading, EAST, limit=0) == ()

    @pytest.mark.parametrize("dimensions", [1, 3, 48, 1_536])
    def test_it_is_what_a_walk_over_all_rows_gives(self, stores: StoreFactory, dimensions: int) -> None:
        """Every position and every similarity, bit for bit, with many ties, for each of several queries and limits."""
        chance = random.Random(dimensions)
        shapes = [any_vector(chance, dimensions) for _ in range(40)]
        vectors = {position: chance.choice(shapes) for position in range(1, 201)}
        with with_vectors(stores, vectors) as reading:
            for asked in (*shapes[:3], any_vector(chance, dimensions), bytes(dimensions)):
                expected = walk(vectors, asked)
                for limit in (1, 7, 500):
                    found = [(hit.position, hit.similarity) for hit in nearest(reading, asked, limit=limit)]
                    assert found == expected[:limit]

    def test_of_equally_near_rows_the_newest_come_first(self, stores: StoreFactory) -> None:
        """Also where `limit` cuts among them, and over several scopes."""
        scopes = {position: BEN if position % 3 else ANA for position in range(1, 301)}
        with with_vectors(stores, dict.fromkeys(scopes, EAST), scopes=scopes) as reading:
            found = nearest(reading, NORTH_EAST, visible=visible_to(ANA, BEN), limit=70)
            assert [hit.position for hit in found] == list(range(300, 230, -1))

    def test_one_visible_row_is_found_behind_thousands_of_nearer_ones(self, stores: StoreFactory) -> None:
        """Filters come before the limit: by scope, by clearance, and by every field that a search may ask for."""
        hidden = range(2, MANY_ROWS + 2)
        narrow = replace(ANYTHING, attributes=(AttributeFilter("team", ("sre",)),))
        scopes = {position: (ANA, BEN)[position % 2] for position in hidden}
        levels = dict.fromkeys((position for position in hidden if scopes[position] == ANA), Classification.RESTRICTED)
        vectors = {1: WEST, **dict.fromkeys(hidden, EAST)}
        marked: Mapping[int, list[tuple[str, AttributeValue]]] = {1: [("team", "sre")]}
        with with_vectors(stores, vectors, scopes=scopes, levels=levels, attributes=marked) as reading:
            cleared = visible_to(ANA, clearance=Classification.NORMAL)
            assert [hit.position for hit in nearest(reading, EAST, visible=cleared, limit=3)] == [1]
            everything = visible_to(ANA, BEN)
            found = nearest(reading, EAST, visible=everything, wanted=narrow, limit=3)
            assert [hit.position for hit in found] == [1]
            assert 1 not in [hit.position for hit in nearest(reading, EAST, visible=everything, limit=3)]

    @pytest.mark.parametrize(
        ("changes", "expected"),
        [
            ({}, [6, 4, 3, 2, 1]),
            ({"item": "record"}, [6, 2, 1]),
            ({"item": "claim"}, [4, 3]),
            ({"record_types": ("document",)}, [2]),
            ({"unreviewed": False}, [6, 3, 2, 1]),
            ({"valid_at_us": 10}, [6, 5, 4, 3, 2, 1]),
            ({"attributes": (AttributeFilter("size", (2,)),)}, [2]),
        ],
    )
    def test_it_filters_as_a_search_does(
        self, stores: StoreFactory, changes: dict[str, object], expected: list[int]
    ) -> None:
        """By item, type, review, validity and attributes."""
        rows = [
            build_search_row(1),
            build_search_row(2, record_type="document"),
            build_search_row(3, item="claim", record_type=""),
            build_search_row(4, item="claim", record_type="", unreviewed=True),
            build_search_row(5, item="claim", record_type="", valid_from_us=10, valid_to_us=20),
            build_search_row(6),
        ]
        wanted: SearchFilter = replace(ANYTHING, **changes)  # type: ignore[arg-type]
        with one_tenant(stores) as tenant_store:
            tenant_store.write(partial(put_rows, rows=rows, attributes={2: [("size", 2.0)]}))
            tenant_store.write(partial(put_vectors, vectors=dict.fromkeys(range(1, 7), EAST)))
            with tenant_store.read() as reading:
                assert [hit.position for hit in nearest(reading, EAST, wanted=wanted)] == expected

    def test_many_claims_are_ranked_as_few_are(self, stores: StoreFactory) -> None:
        """The nearest first, then of equal ones the newest, and records are not among them."""
        with one_tenant(stores) as tenant_store:
            for count in (3, MANY_CLAIMS):
                rows = [build_search_row(each, item="claim", record_type="") for each in range(1, count + 1)]
                tenant_store.write(partial(put_rows, rows=[*rows, build_search_row(count + 1)]))
                vectors = dict.fromkeys(range(2, count + 1), NORTH) | {1: EAST, count + 1: EAST}
                tenant_store.write(partial(put_vectors, vectors=vectors))
                with tenant_store.read() as reading:
                    hits = nearest(reading, EAST, wanted=replace(ANYTHING, item="claim"), limit=3)
                assert [(hit.position, hit.similarity) for hit in hits] == [(1, 1.0), (count, 0.0), (count - 1, 0.0)]

    def test_what_is_not_visible_changes_nothing(self, stores: StoreFactory) -> None:
        """A result is equal, bit for bit, with and without vectors of other scopes and higher classifications."""
        chance = random.Random(7)
        mine = {3 * n: any_vector(chance, 4) for n in range(1, 60)}
        others = {3 * n + 1: any_vector(chance, 4) for n in range(60)}
        secret = {3 * n + 2: any_vector(chance, 4) for n in range(60)}
        visible = visible_to(ANA, clearance=Classification.NORMAL)
        with with_vectors(stores, mine) as reading:
            alone = nearest(reading, NORTH_EAST, visible=visible, limit=20)
        levels = dict.fromkeys(secret, Classification.SENSITIVE)
        with with_vectors(
            stores, {**mine, **others, **secret}, scopes=dict.fromkeys(others, BEN), levels=levels
        ) as reading:
            assert nearest(reading, NORTH_EAST, visible=visible, limit=20) == alone
            assert len(nearest(reading, NORTH_EAST, visible=visible_to(ANA, BEN), limit=500)) == 179

    def test_a_vector_of_other_dimensions_is_not_compared(self, stores: StoreFactory) -> None:
        """Nor does it fail the search; asked in its own dimensions it is found."""
        long = quantise([1.0] * 8)
        with with_vectors(stores, {1: EAST, 2: long, 3: NORTH}) as reading:
            assert [hit.position for hit in nearest(reading, EAST)] == [1, 3]
            assert [hit.position for hit in nearest(reading, long)] == [2]
            assert nearest(reading, b"\x01") == ()
            assert nearest(reading, b"") == ()

    def test_the_longest_vectors_are_added_up_exactly(self, stores: StoreFactory) -> None:
        """Whole numbers up to 2^24, the most that kernel.vectors lets a sum reach."""
        top = levels(DIMENSIONS_MAX)
        ones = bytes([top]) * DIMENSIONS_MAX
        almost = bytes([top]) * (DIMENSIONS_MAX - 1) + bytes([top - 1])
        opposite = bytes([256 - top]) * DIMENSIONS_MAX
        vectors = {1: almost, 2: ones, 3: opposite}
        with with_vectors(stores, vectors) as reading:
            for asked in (ones, almost):
                assert pairs(nearest(reading, asked)) == walk(vectors, asked)
