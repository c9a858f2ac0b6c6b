"""Heedful behind the interfaces of AMA-Bench and LongMemEval-V2: what was told is handed to their reader."""

from __future__ import annotations

from typing import Any

import pytest

from heedful.evaluation.benchmarks import STEP_CHARACTERS_MAX, AmaBench, LongMemEval
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.tokens import estimate_tokens
from heedful.settings import Settings

QUESTION = "How many workers does the pool have now?"
STEPS: list[Any] = [
    {"thought": "I resize it.", "action": "poolctl set workers=9", "observation": "ok, pool workers=9"},
    {"role": "tool", "content": {"pool": "main", "workers": 9}},
]
OFF = Settings(router="none")


@pytest.mark.parametrize(
    "trajectory",
    [
        STEPS,
        {"steps": STEPS},
        {"trajectory": {"ignored": 1}, "turns": STEPS},
        {"sessions": [{"messages": STEPS}]},
        "The pool was small.\n\nok, pool workers=9",
        [["ok, pool", "workers=9"]],
    ],
)
def test_a_trajectory_of_any_shape_is_told_and_asked(trajectory: object) -> None:
    """A list, an object with one, nested ones, a plain text."""
    with AmaBench(OFF) as bench:
        memory = bench.memory_construction(trajectory, "resize the pool")
        assert "workers" in bench.memory_retrieve(memory, QUESTION)
        assert memory.task == "resize the pool"


def test_memories_of_one_bench_know_nothing_of_each_other() -> None:
    """Each has a tenant of its own."""
    with AmaBench(OFF) as bench:
        first = bench.memory_construction(STEPS)
        second = bench.memory_construction(["the kettle boils"])
        assert "workers=9" in bench.memory_retrieve(first, QUESTION)
        assert "workers=9" not in bench.memory_retrieve(second, QUESTION)


def test_what_is_inserted_later_is_known_besides() -> None:
    """And a picture changes nothing."""
    with LongMemEval(OFF) as memory:
        memory.insert(["the pool has a blue door"])
        memory.insert({"steps": STEPS})
        told = memory.query(QUESTION, image=b"\x89PNG")
        assert "workers=9" in told
        assert "blue door" in memory.query("Which colour is the door of the pool?")


def test_long_steps_are_told_in_parts_within_the_budget() -> None:
    """What stands far behind in a page is found, and the text never exceeds the budget."""
    page = "filler words of a page. " * (STEP_CHARACTERS_MAX // 8) + "The pool workers=9 at last."
    with AmaBench(OFF, budget_tokens=600) as bench:
        memory = bench.memory_construction([{"observation": page}])
        told = bench.memory_retrieve(memory, QUESTION)
        assert "workers=9" in told
        assert estimate_tokens(told) <= 600


@pytest.mark.parametrize("trajectory", [7, None, {}, {"steps": 3}, [], "", b"bytes"])
def test_what_is_no_trajectory_is_refused(trajectory: object) -> None:
    """By name, never as a memory of nothing."""
    with AmaBench(OFF) as bench, pytest.raises(InvalidInputError) as caught:
        bench.memory_construction(trajectory)
    assert caught.value.code == "trajectory_malformed"


def test_outside_of_its_block_there_is_no_store() -> None:
    """Neither before it nor after it."""
    for used in (AmaBench(OFF).memory_construction, lambda told: LongMemEval(OFF).query(str(told))):
        with pytest.raises(InvalidInputError) as caught:
            used(STEPS)
        assert caught.value.code == "bench_closed"
