"""Vectors are gone with the row that they are of; models lie side by side, and one at most is active."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from heedful.ports.store import (
    VectorModel,
    Writing,
)
from heedful.testing.builders import build_search_row, build_tenant, scope_of, visible_to
from heedful.testing.factory import StoreFactory, add_tenant, one_tenant, opened
from heedful.testing.store_contract.vector_steps import (
    ANA,
    BEN,
    EAST,
    MODEL,
    NORTH,
    OTHER_MODEL,
    WEST,
    models,
    nearest,
    nearest_now,
    pairs,
    put_rows,
    put_vectors,
    with_vectors,
)


class TestVectors:
    """Writing.put_vectors, ViewReader.without_vector, and what takes vectors away."""

    def test_a_vector_goes_with_its_row(self, stores: StoreFactory) -> None:
        """Deleted or replaced, a row has none, in no model, until one is put; a vector put again replaces the other."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(partial(put_rows, rows=[build_search_row(n) for n in range(1, 5)]))
            for model in (MODEL, OTHER_MODEL):
                tenant_store.write(partial(put_vectors, vectors=dict.fromkeys(range(1, 5), EAST), model=model))
            tenant_store.write(lambda writing: writing.delete_search_row(1))
            tenant_store.write(lambda writing: writing.put_search_row(build_search_row(2, scope=BEN), ()))
            tenant_store.write(partial(put_vectors, vectors={4: WEST}))
            everything = visible_to(ANA, BEN)
            for model, expected in ((MODEL, [(3, 1.0), (4, -1.0)]), (OTHER_MODEL, [(4, 1.0), (3, 1.0)])):
                found = nearest_now(tenant_store, EAST, model=model, visible=everything)
                assert [(hit.position, hit.similarity) for hit in found] == expected
                with tenant_store.read() as reading:
                    assert [row.position for row in reading.without_vector(model, after=0, limit=9)] == [2]
            tenant_store.write(partial(put_rows, rows=[build_search_row(1)]))
            tenant_store.write(partial(put_vectors, vectors={2: EAST}))
            assert [hit.position for hit in nearest_now(tenant_store, EAST, visible=everything)] == [
                3,
                2,
                4,
            ]
            assert [hit.position for hit in nearest_now(tenant_store, EAST)] == [3, 4]

    def test_where_no_row_is_nothing_is_put(self, stores: StoreFactory) -> None:
        """A row that comes later to that position has no vector."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(partial(put_vectors, vectors={1: EAST, 9: EAST}))
            tenant_store.write(partial(put_rows, rows=[build_search_row(1)]))
            assert nearest_now(tenant_store, EAST) == ()
            tenant_store.write(partial(put_vectors, vectors={1: EAST}))
            assert [hit.position for hit in nearest_now(tenant_store, EAST)] == [1]

    def test_cleared_views_have_no_vectors_and_no_models(self, stores: StoreFactory) -> None:
        """Also for rows that come back: the old vector of a position is never that of a new row."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(partial(put_rows, rows=[build_search_row(1)]))
            tenant_store.write(partial(put_vectors, vectors={1: EAST}))
            tenant_store.write(lambda writing: writing.set_vector_model(MODEL))
            assert len(nearest_now(tenant_store, EAST)) == 1
            tenant_store.write(lambda writing: writing.clear_views())
            tenant_store.write(partial(put_rows, rows=[build_search_row(1)]))
            assert nearest_now(tenant_store, EAST) == ()
            with tenant_store.read() as reading:
                assert reading.vector_models() == ()
            tenant_store.write(partial(put_vectors, vectors={1: WEST}))
            assert [hit.similarity for hit in nearest_now(tenant_store, EAST)] == [-1.0]

    def test_rows_without_a_vector_come_in_pages(self, stores: StoreFactory) -> None:
        """Ascending, above `after`, whole but for their tokens; of a model that nobody knows, all of them."""
        rows = [
            build_search_row(n, scope=(ANA, BEN)[n % 2], item="claim", record_type="", valid_to_us=n, unreviewed=True)
            for n in range(1, 21)
        ]
        with one_tenant(stores) as tenant_store:
            tenant_store.write(partial(put_rows, rows=rows))
            tenant_store.write(partial(put_vectors, vectors=dict.fromkeys(range(3, 15), EAST)))
            with tenant_store.read() as reading:
                lacking = [replace(rows[n - 1], tokens=()) for n in (1, 2, *range(15, 21))]
                assert reading.without_vector(MODEL, after=0, limit=99) == tuple(lacking)
                assert reading.without_vector(MODEL, after=0, limit=3) == tuple(lacking[:3])
                assert reading.without_vector(MODEL, after=15, limit=3) == tuple(lacking[3:6])
                assert reading.without_vector(MODEL, after=20, limit=3) == ()
                assert reading.without_vector(MODEL, after=0, limit=0) == ()
                for unknown in (OTHER_MODEL, MODEL.upper(), "\ud800"):
                    assert len(reading.without_vector(unknown, after=0, limit=99)) == 20

    def test_a_moment_sees_the_vectors_of_its_moment(self, stores: StoreFactory) -> None:
        """What is put, replaced or deleted later changes nothing for it, whoever searched in between."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(partial(put_rows, rows=[build_search_row(n) for n in (1, 2, 3)]))
            tenant_store.write(partial(put_vectors, vectors={1: EAST, 2: NORTH}))
            with tenant_store.read() as before:
                tenant_store.write(partial(put_vectors, vectors={1: WEST, 3: EAST}))
                tenant_store.write(lambda writing: writing.delete_search_row(2))
                with tenant_store.read() as after:
                    for _ in range(2):
                        assert pairs(nearest(after, EAST)) == [(3, 1.0), (1, -1.0)]
                        assert pairs(nearest(before, EAST)) == [(1, 1.0), (2, 0.0)]

    def test_a_work_sees_what_it_put_and_leaves_nothing_where_it_fails(self, stores: StoreFactory) -> None:
        """Before anything is committed; and afterwards nobody sees what never was."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(partial(put_rows, rows=[build_search_row(1), build_search_row(2)]))
            tenant_store.write(partial(put_vectors, vectors={1: NORTH}))

            def fails(writing: Writing) -> None:
                put_vectors(writing, {1: WEST, 2: WEST})
                assert pairs(nearest(writing, WEST)) == [(2, 1.0), (1, 1.0)]
                writing.delete_search_row(2)
                assert pairs(nearest(writing, WEST)) == [(1, 1.0)]
                raise LookupError("mine")

            with pytest.raises(LookupError, match="mine"):
                tenant_store.write(fails)
            assert pairs(nearest_now(tenant_store, NORTH)) == [(1, 1.0)]
            tenant_store.write(partial(put_vectors, vectors={2: NORTH}))
            assert pairs(nearest_now(tenant_store, NORTH)) == [(2, 1.0), (1, 1.0)]

    def test_tenants_are_apart(self, stores: StoreFactory) -> None:
        """The same positions, scopes and models in two tenants are two, and models are a tenant's own."""
        with opened(stores) as store:
            first, second = (add_tenant(store, build_tenant(number)) for number in (1, 2))
            for tenant_store, vector in ((first, EAST), (second, WEST)):
                tenant_store.write(partial(put_rows, rows=[build_search_row(1)]))
                tenant_store.write(partial(put_vectors, vectors={1: vector}))
            first.write(lambda writing: writing.set_vector_model(MODEL))
            for _ in range(2):
                assert pairs(nearest_now(first, EAST)) == [(1, 1.0)]
                assert pairs(nearest_now(second, EAST)) == [(1, -1.0)]
            assert first.write(lambda writing: writing.drop_vectors(MODEL, limit=9)) == 1
            with second.read() as reading:
                assert reading.vector_models() == (VectorModel(MODEL, is_active=False),)
            assert pairs(nearest_now(second, EAST)) == [(1, -1.0)]


class TestVectorModels:
    """ViewReader.vector_models; Writing.set_vector_model and drop_vectors."""

    def test_models_lie_side_by_side(self, stores: StoreFactory) -> None:
        """Each answers by its own vectors; they are listed by bytes of identity."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(partial(put_rows, rows=[build_search_row(1), build_search_row(2)]))
            tenant_store.write(partial(put_vectors, vectors={1: EAST, 2: WEST}, model=OTHER_MODEL))
            tenant_store.write(partial(put_vectors, vectors={1: WEST}, model=MODEL))
            tenant_store.write(partial(put_vectors, vectors={2: WEST}, model=MODEL.upper()))
            assert pairs(nearest_now(tenant_store, EAST, model=MODEL)) == [(1, -1.0)]
            assert pairs(nearest_now(tenant_store, EAST, model=OTHER_MODEL)) == [(1, 1.0), (2, -1.0)]
            assert models(tenant_store) == [(MODEL.upper(), False), (MODEL, False), (OTHER_MODEL, False)]

    def test_one_model_at_most_is_active(self, stores: StoreFactory) -> None:
        """Setting one takes the other's place in one step; None leaves none; one without vectors is known by it."""
        with one_tenant(stores) as tenant_store:
            assert models(tenant_store) == []
            tenant_store.write(lambda writing: writing.set_vector_model(MODEL))
            assert models(tenant_store) == [(MODEL, True)]
            with tenant_store.read() as before:
                tenant_store.write(lambda writing: writing.set_vector_model(OTHER_MODEL))
                assert before.vector_models() == (VectorModel(MODEL, is_active=True),)
            assert models(tenant_store) == [(MODEL, False), (OTHER_MODEL, True)]
            with pytest.raises(LookupError):
                tenant_store.write(_set_and_fail)
            assert models(tenant_store) == [(MODEL, False), (OTHER_MODEL, True)]
            tenant_store.write(lambda writing: writing.set_vector_model(None))
            assert models(tenant_store) == [(MODEL, False), (OTHER_MODEL, False)]

    def test_vectors_are_dropped_in_batches(self, stores: StoreFactory) -> None:
        """At most `limit` at a time, none of another model; the model is unknown with the last of them."""
        with one_tenant(stores) as tenant_store:
            scopes = {n: scope_of(f"user:u{n % 3}") for n in range(1, 26)}
            rows = [build_search_row(n, scope=scope) for n, scope in scopes.items()]
            tenant_store.write(partial(put_rows, rows=rows))
            for model in (MODEL, OTHER_MODEL):
                tenant_store.write(partial(put_vectors, vectors=dict.fromkeys(scopes, EAST), model=model))
            tenant_store.write(lambda writing: writing.set_vector_model(MODEL))
            visible = visible_to(*scopes.values())
            left: list[int] = []
            for _ in range(3):
                assert len(nearest_now(tenant_store, EAST, visible=visible)) == 25 - 10 * len(left)
                left.append(tenant_store.write(lambda writing: writing.drop_vectors(MODEL, limit=10)))
            assert left == [10, 10, 5]
            assert models(tenant_store) == [(OTHER_MODEL, False)]
            assert nearest_now(tenant_store, EAST, visible=visible) == ()
            assert len(nearest_now(tenant_store, EAST, model=OTHER_MODEL, visible=visible)) == 25
            assert tenant_store.write(lambda writing: writing.drop_vectors(MODEL, limit=10)) == 0
            tenant_store.write(partial(put_vectors, vectors={1: WEST}))
            assert pairs(nearest_now(tenant_store, EAST, visible=visible)) == [(1, -1.0)]

    def test_a_known_model_without_vectors_is_unknown_once_it_is_dropped(self, stores: StoreFactory) -> None:
        """Nothing went, and it is gone; where it still has vectors, it stays."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(partial(put_rows, rows=[build_search_row(1)]))
            tenant_store.write(partial(put_vectors, vectors={1: EAST}))
            tenant_store.write(lambda writing: writing.set_vector_model(OTHER_MODEL))
            for model in (MODEL, OTHER_MODEL):
                assert tenant_store.write(lambda writing, model=model: writing.drop_vectors(model, limit=0)) == 0  # type: ignore[misc]
            assert models(tenant_store) == [(MODEL, False)]

    def test_a_model_that_nobody_knows_answers_nothing(self, stores: StoreFactory) -> None:
        """Nor one whose name no store could keep, and nothing of it can be dropped."""
        with with_vectors(stores, {1: EAST}) as reading:
            for unknown in (OTHER_MODEL, MODEL.upper(), "", "\ud800"):
                assert nearest(reading, EAST, model=unknown) == ()
        with one_tenant(stores) as tenant_store:
            assert tenant_store.write(lambda writing: writing.drop_vectors("\ud800", limit=9)) == 0


def _set_and_fail(writing: Writing) -> None:
    writing.set_vector_model(MODEL)
    raise LookupError
