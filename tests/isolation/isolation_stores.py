"""Where worlds are played: on each engine, two stores at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from planted import Engine

from heedful.adapters.storage.postgres.reading import PostgresReading
from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.adapters.storage.sqlite.reading import SqliteReading
from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.testing.isolation.differential import Compared, compare_worlds
from heedful.testing.isolation.history import make_world
from heedful.testing.isolation.limits import small_limits
from heedful.testing.isolation.steps import STEPS_MAX, World
from heedful.testing.postgres import PostgresServer

SQLITE = Engine(SqliteReading, SqliteStore)
POSTGRES = Engine(PostgresReading, PostgresStore)
POSTGRES_STEPS_MAX = 20
"""Steps of a world on PostgreSQL: each costs a dozen round trips."""


def say(text: str) -> None:
    """A line that pytest shows with -s, or where the test fails."""
    sys.stdout.write(f"{text}\n")


@dataclass(slots=True)
class Places:
    """Two stores of one engine, in which every world has tenants of its own; or two new ones for each world."""

    engine: Engine
    steps_max: int
    kept: tuple[Any, Any] | None = None
    dsns: tuple[str, ...] = ()
    worlds: Iterator[int] = field(default_factory=count)

    def compare(self, seed: int, *, make: Callable[..., World] = make_world) -> Compared:
        """The seed's comparison, under the small limits."""
        with small_limits(), ExitStack() as stack:
            whole, other = self.kept or [stack.enter_context(closing(SqliteStore.in_memory())) for _ in range(2)]
            named = f"w{next(self.worlds)}"
            return compare_worlds(seed, whole, other, named=named, steps_max=self.steps_max, make=make)


@contextmanager
def sqlite_places() -> Iterator[Places]:
    """SQLite in memory, new for each world."""
    yield Places(SQLITE, STEPS_MAX)


@contextmanager
def postgres_places(server: PostgresServer) -> Iterator[Places]:
    """Two databases of the server, kept for all worlds."""
    dsns = server.create_database(), server.create_database()
    with ExitStack() as stack:
        for dsn in dsns:
            stack.callback(server.drop_database, dsn)
        whole, other = (stack.enter_context(closing(PostgresStore.open(dsn))) for dsn in dsns)
        yield Places(POSTGRES, POSTGRES_STEPS_MAX, (whole, other), dsns)
