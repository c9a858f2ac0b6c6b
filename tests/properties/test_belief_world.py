"""A generated world of beliefs: what is current, was, was known, and how conflicts ended are as the model says."""

from __future__ import annotations

from contextlib import closing

import pytest

from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.ports.store import Store
from heedful.testing.belief_play import BeliefPlayer, Compared, broken_rule, compare
from heedful.testing.belief_reference import Reference
from heedful.testing.belief_table import TABLE
from heedful.testing.belief_world import make_world
from heedful.testing.stores import EmptyPostgresDatabase

COMPARED = {
    "claims",
    "conflicts",
    "current values",
    "values as of",
    "values known at",
    "refusals",
    "refold",
}


def played(store: Store, seed: int, acts: int) -> Compared:
    """What was compared in the world of this seed."""
    world, player = make_world(seed, acts), BeliefPlayer(store, "world")
    with player.app:
        player.play(world)
        return compare(player, world)


def test_a_world_meets_every_row_of_the_decision_table_and_comes_of_its_seed_alone() -> None:
    world = make_world(1, 2_000)
    assert make_world(1, 2_000) == world
    met = {each.because for cell in world.cells for each in Reference.of(world.of_cell(cell)).conflicts}
    assert met == {because for because, *_ in TABLE} | {"pinned"}


@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_believed_of_a_world_is_what_the_model_says(seed: int) -> None:
    with closing(SqliteStore.in_memory()) as store:
        found = played(store, seed, 100)
    assert not found.differences
    assert {what for what, count in found.checks.items() if count} == COMPARED


def test_what_is_believed_on_postgresql_is_what_the_model_says(emptied_database: EmptyPostgresDatabase) -> None:
    with closing(emptied_database.open_store()) as store:
        found = played(store, 3, 60)
    assert not found.differences
    assert {what for what, count in found.checks.items() if count} == COMPARED


def test_a_rule_that_is_broken_is_found() -> None:
    """The control: the world of a test above, with late arrivals taken for later words."""
    with closing(SqliteStore.in_memory()) as store, broken_rule():
        assert played(store, 1, 100).differences
