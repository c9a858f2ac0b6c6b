"""Hostile and odd records: none stops causes, mining or recall, and none lends itself authority."""

from __future__ import annotations

from typing import Any

from experience_steps import mined, step
from worlds import World, house_fixture, world  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful import Memory


def keep(memory: Memory, record_type: str, content: str, **more: Any) -> str:
    """The id of a record of what was done or seen."""
    return memory.remember(content, record_type=record_type, **{"grade": "tool", **more}).record_id


def test_a_call_that_nests_without_end_stops_no_causes(house: World) -> None:
    """It names nothing; the chain beside it is as it would be."""
    keep(house.ana, "tool_call", "[" * 3_000 + " deploy broke", media_type="text/plain")
    done = keep(house.ana, "action", "pushed 1f9ebeb")
    check = keep(house.ana, "verification", "smoke test of 1f9ebeb failed")
    assert [(edge.cause_id, edge.effect_id) for edge in house.ana.causes(check).before] == [(done, check)]
    assert house.ana.recall("Why did the deploy break?", task_class="causal").packet_id


def test_odd_digits_are_no_numbers(house: World) -> None:
    """A superscript is a digit to Unicode, and no number."""
    record = keep(house.ana, "tool_result", "job ² failed", attributes={"job": "²"})
    assert house.ana.causes(record).start is not None


def test_a_failure_with_a_name_too_long_for_a_claim_stops_no_other(house: World) -> None:
    """The other failure is proposed all the same."""
    for run in ("r1", "r2"):
        keep(
            house.ana,
            "tool_result",
            "ERROR upload refused",
            run_id=run,
            scope=["environment:staging"],
            subjects=[("x" * 200, "y" * 100)],
            attributes={"is_error": True},
        )
    assert mined(house).proposed == ()
    for run, day in (("r1", 20), ("r2", 21)):
        step(house.ana, run, day=day)
    assert len(mined(house).proposed) == 1


def test_what_an_agent_tells_of_a_cause_is_a_hypothesis(house: World) -> None:
    """A captured observation with the same words is a link."""
    keep(house.ana, "action", "pushed 1f9ebeb")
    told = house.agent.remember("errors due to 1f9ebeb", record_type="observation").record_id
    seen = keep(house.ana, "observation", "errors since 1f9ebeb")
    assert house.ana.causes(told).before == ()
    assert len(house.ana.causes(seen).before) == 1
