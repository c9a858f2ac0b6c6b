"""A generated world of beliefs: what is current, was, was known, and how conflicts ended are as the model says."""

from __future__ import annotations

from heedful.testing.belief_reference import TABLE, Reference
from heedful.testing.belief_world import make_world


def test_a_world_meets_every_row_of_the_decision_table_and_comes_of_its_seed_alone() -> None:
    world = make_world(1, 2_000)
    assert make_world(1, 2_000) == world
    met = {each.because for cell in world.cells for each in Reference.of(world.of_cell(cell)).conflicts}
    assert met == {because for because, *_ in TABLE} | {"pinned"}
