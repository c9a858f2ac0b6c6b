"""Both engines answer alike: the same rows give the same dump, byte for byte, and the same figures to the last bit."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

import pytest

from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.kernel.ids import Revision
from heedful.kernel.ladder import Classification, Mode
from heedful.kernel.vectors import quantise
from heedful.observations.record import AttributeValue
from heedful.ports.store import Reading, SearchResult, TenantStore, VectorRow, Writing
from heedful.testing.builders import (
    ANYTHING,
    build_claim,
    build_record,
    build_search_row,
    build_stored,
    build_tenant,
    remember,
    scope_of,
    visible_to,
)
from heedful.testing.factory import add_tenant

MODEL = "test-1/48"
DIMENSIONS = 48
ROWS = 120
SCOPES = [scope_of(f"user:u{number}") for number in range(3)]
WORDS = ["bees", "wasps", "\u8fc7\u654f", "C++", "\U0001f95c", "a\x00b", "e\u0301", "\u00e9", "the"]
VALUES: list[AttributeValue] = ["sre", "a\x00b", True, False, 0, 1, 10, 9, 2.5, -1, 2**70, 10**3, ""]


@pytest.fixture
def engines(database: str) -> Iterator[tuple[TenantStore, TenantStore]]:
    """The store of one tenant on SQLite, and on PostgreSQL."""
    sqlite, postgres = SqliteStore.in_memory(), PostgresStore.open(database)
    yield add_tenant(sqlite, build_tenant()), add_tenant(postgres, build_tenant())
    sqlite.close()
    postgres.close()


def _on_both(engines: Sequence[TenantStore], work: Callable[[Writing], object]) -> None:
    for engine in engines:
        engine.write(work)


def _asked(engines: Sequence[TenantStore], ask: Callable[[Reading], object]) -> list[object]:
    answers: list[object] = []
    for engine in engines:
        with engine.read() as reading:
            answers.append(ask(reading))
    return answers


def _fill(writing: Writing) -> None:
    chosen = random.Random(7)
    for number in range(1, ROWS + 1):
        attributes = tuple({f"n{chosen.randrange(4)}": chosen.choice(VALUES) for _ in range(3)}.items())
        record = build_record(number, scope=chosen.choice(SCOPES), attributes=attributes, source_ref=f"\x00{number}")
        remember(writing, build_tenant(), record, tokens=chosen.choices(WORDS, k=chosen.randrange(6)))
        if number % 5 == 0:
            writing.put_claim(
                build_claim(number, scope=chosen.choice(SCOPES), evidence=(record.record_id, record.record_id))
            )
            writing.put_search_row(
                build_search_row(
                    number + ROWS,
                    chosen.choices(WORDS, k=3),
                    item="claim",
                    record_type="",
                    scope=chosen.choice(SCOPES),
                    unreviewed=number % 2 == 0,
                    valid_from_us=1,
                ),
                (),
            )
    writing.delete_search_row(3)
    writing.put_record(build_stored(4, attributes=(("again", 1.0),)))
    writing.put_mode("bridge", "b\x00", Mode.SHADOW)
    writing.put_registry_body(Revision("r2"), "{}")
    writing.put_registry_body(Revision("r1"), '{"a":1}')


def test_equal_views_have_equal_dumps(engines: tuple[TenantStore, TenantStore]) -> None:
    """Line for line. The control: one token less on one of them shows."""
    _on_both(engines, _fill)
    left, right = _asked(engines, lambda reading: list(reading.dump_views()))
    assert left == right
    engines[1].write(lambda writing: writing.put_search_row(build_search_row(5, ()), ()))
    left, right = _asked(engines, lambda reading: list(reading.dump_views()))
    assert left != right


@pytest.mark.parametrize("limit", [0, 1, 7, 1_000])
def test_a_search_finds_the_same(engines: tuple[TenantStore, TenantStore], limit: int) -> None:
    """The same hits in the same order with the same counts, also where a limit cuts."""
    _on_both(engines, _fill)
    for count in range(1, len(WORDS)):
        visible = visible_to(*SCOPES[: count % 4], clearance=Classification.SENSITIVE)

        def ask(reading: Reading, count: int = count, visible: object = visible) -> SearchResult:
            return reading.search(visible, WORDS[:count], ANYTHING, limit=limit)  # type: ignore[arg-type]

        left, right = _asked(engines, ask)
        assert left == right


def test_the_nearest_are_the_same_to_the_last_bit(engines: tuple[TenantStore, TenantStore]) -> None:
    """Order and similarity of random vectors, with ties, opposite ones and ones without direction."""
    chosen = random.Random(11)

    def vector(number: int) -> bytes:
        if number % 17 == 0:
            return bytes(DIMENSIONS)
        values = [chosen.uniform(-1, 1) for _ in range(DIMENSIONS)]
        return quantise(values) if number % 5 else quantise([1.0] * DIMENSIONS)

    rows = [VectorRow(number, vector(number)) for number in range(1, ROWS + 1)]

    def work(writing: Writing) -> None:
        _fill(writing)
        writing.put_vectors(MODEL, rows)
        writing.set_vector_model(MODEL)

    _on_both(engines, work)
    queries = [vector(number) for number in range(1, 8)] + [bytes(DIMENSIONS), quantise([-1.0] * DIMENSIONS)]
    for query in queries:
        for limit in (1, 10, 1_000):
            left, right = _asked(
                engines,
                lambda reading, query=query, limit=limit: [  # type: ignore[misc]
                    (hit, hit.similarity.hex())
                    for hit in reading.nearest(visible_to(*SCOPES[:2]), MODEL, query, ANYTHING, limit=limit)
                ],
            )
            assert left == right
            assert left


def test_products_beyond_a_32_bit_float_are_the_same_too(engines: tuple[TenantStore, TenantStore]) -> None:
    """Vectors of many dimensions at full scale, which kernel.vectors would not make, but a caller may."""
    chosen = random.Random(13)
    dimensions = 3_000
    rows = [VectorRow(n, bytes(chosen.choice((129, 127, 128, 126)) for _ in range(dimensions))) for n in range(1, 30)]
    near = [VectorRow(n, bytes([127] * (dimensions - n) + [126] * n)) for n in range(30, 60)]

    def work(writing: Writing) -> None:
        _fill(writing)
        writing.put_vectors(MODEL, [*rows, *near])

    _on_both(engines, work)
    for query in (near[0].components, rows[0].components):
        left, right = _asked(
            engines,
            lambda reading, query=query: [  # type: ignore[misc]
                (hit.position, hit.similarity.hex())
                for hit in reading.nearest(visible_to(*SCOPES), MODEL, query, ANYTHING, limit=25)
            ],
        )
        assert left == right
        assert len(left) == 25  # type: ignore[arg-type]
