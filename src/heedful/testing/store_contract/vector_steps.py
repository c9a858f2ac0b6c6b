"""Vectors by position, put and searched for: what the tests of vectors share."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.kernel.vectors import cosine, quantise, squared
from heedful.observations.record import AttributeValue
from heedful.ports.store import (
    NearHit,
    Reading,
    SearchFilter,
    SearchRow,
    TenantStore,
    VectorRow,
    Visible,
    Writing,
)
from heedful.testing.builders import ANYTHING, build_search_row, scope_of, visible_to
from heedful.testing.factory import StoreFactory, one_tenant

ANA = scope_of("user:ana")
BEN = scope_of("user:ben")
ANA_SEES = visible_to(ANA)
MODEL = "ngrams-1/4"
OTHER_MODEL = "other-2/4"
EAST = quantise([1.0, 0.0, 0.0, 0.0])
NORTH = quantise([0.0, 1.0, 0.0, 0.0])
NORTH_EAST = quantise([1.0, 1.0, 0.0, 0.0])
WEST = quantise([-1.0, 0.0, 0.0, 0.0])
NOWHERE = bytes(4)
MANY_ROWS = 2_000


def any_vector(chance: random.Random, dimensions: int) -> bytes:
    """A vector of so many dimensions, by chance."""
    return quantise([chance.uniform(-1, 1) for _ in range(dimensions)])


def walk(vectors: Mapping[int, bytes], asked: bytes) -> list[tuple[int, float]]:
    """Position and similarity of all, by whole numbers alone."""
    left = memoryview(asked).cast("b")
    found = []
    for position, components in vectors.items():
        product = sum(one * other for one, other in zip(left, memoryview(components).cast("b"), strict=True))
        found.append((position, cosine(product, squared(asked), squared(components))))
    return sorted(found, key=lambda each: (-each[1], -each[0]))


@contextmanager
def with_vectors(
    stores: StoreFactory,
    vectors: Mapping[int, bytes],
    *,
    scopes: Mapping[int, Scope] | None = None,
    levels: Mapping[int, Classification] | None = None,
    attributes: Mapping[int, list[tuple[str, AttributeValue]]] | None = None,
) -> Iterator[Reading]:
    """Rows of ana, unless they are named in `scopes`, each with its vector of MODEL."""
    rows = [
        build_search_row(
            position,
            scope=(scopes or {}).get(position, ANA),
            classification=(levels or {}).get(position, Classification.NORMAL),
        )
        for position in vectors
    ]
    with one_tenant(stores) as tenant_store:
        tenant_store.write(partial(put_rows, rows=rows, attributes=attributes or {}))
        tenant_store.write(partial(put_vectors, vectors=vectors))
        with tenant_store.read() as reading:
            yield reading


def put_rows(
    writing: Writing,
    rows: Sequence[SearchRow],
    attributes: Mapping[int, list[tuple[str, AttributeValue]]] | None = None,
) -> None:
    """The search rows are put, with the attributes that their positions have."""
    for row in rows:
        writing.put_search_row(row, (attributes or {}).get(row.position, ()))


def put_vectors(writing: Writing, vectors: Mapping[int, bytes], model: str = MODEL) -> None:
    """The vectors by position are put, of one model."""
    writing.put_vectors(model, [VectorRow(position, components) for position, components in vectors.items()])


def nearest(
    reading: Reading,
    asked: bytes,
    *,
    model: str = MODEL,
    visible: Visible = ANA_SEES,
    wanted: SearchFilter = ANYTHING,
    limit: int = 1_000,
) -> tuple[NearHit, ...]:
    """ViewReader.nearest, with everyday values."""
    return reading.nearest(visible, model, asked, wanted, limit=limit)


def nearest_now(
    tenant_store: TenantStore, asked: bytes, *, model: str = MODEL, visible: Visible = ANA_SEES
) -> tuple[NearHit, ...]:
    """The same, of this very moment."""
    with tenant_store.read() as reading:
        return nearest(reading, asked, model=model, visible=visible)


def pairs(hits: Sequence[NearHit]) -> list[tuple[int, float]]:
    """Position and similarity of each."""
    return [(hit.position, hit.similarity) for hit in hits]


def models(tenant_store: TenantStore) -> list[tuple[str, bool]]:
    """Each model, and whether it is active."""
    with tenant_store.read() as reading:
        return [(each.model, each.is_active) for each in reading.vector_models()]
