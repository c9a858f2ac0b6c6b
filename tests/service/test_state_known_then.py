"""State as known then: nothing that was learned later changes what is told of an earlier instant of knowing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from test_states import CRASHING, NOT_READY, POD, READY, seen, the_state
from worlds import World, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.kernel.times import format_time
from heedful.service.recalling import explain_state, state


def now(house: World) -> str:
    return format_time(house.clock.now_us())


def changed_by(house: World, **asked: Any) -> str | None:
    """The record that explains the newest change."""
    changed = the_state(house.ana, **asked).changed
    assert changed is not None
    return changed.changed_by


def test_an_explanation_that_came_later_was_not_known_then(house: World) -> None:
    """The action happened between the two, and was recorded after the instant of knowing."""
    seen(house.ana, READY, "51")
    seen(house.ana, NOT_READY, "55")
    then = now(house)
    act = house.ana.remember("restarted the deployment web", record_type="action", grade="tool",
                             occurred_at="2026-11-28T08:52:00Z")  # fmt: skip
    assert changed_by(house, known_at=then) is None
    assert changed_by(house) == changed_by(house, known_at=now(house)) == act.record_id


def test_a_call_that_was_recorded_later_explains_nothing_then(house: World) -> None:
    """The output told the change, and is what is known of it until the call is learned."""
    undo = "kubectl rollout undo deployment/web -n shop"
    fields: dict[str, Any] = {"grade": "tool", "run_id": "r1"}
    house.ana.remember(
        'deployment "web" successfully rolled out', record_type="tool_result", occurred_at="2026-11-28T08:50:00Z",
        attributes={"tool": "Bash", "command": "kubectl rollout status deployment/web -n shop"}, **fields,
    )  # fmt: skip
    output = house.ana.remember(
        "deployment.apps/web rolled back", record_type="tool_result", occurred_at="2026-11-28T08:55:00Z",
        attributes={"tool": "Bash", "tool_use_id": "t1", "command": undo}, **fields,
    )  # fmt: skip
    then = now(house)
    call = house.ana.remember(
        json.dumps({"name": "Bash", "input": {"command": undo}}), record_type="tool_call",
        attributes={"tool_use_id": "t1"}, occurred_at="2026-11-28T08:54:00Z", **fields,
    )  # fmt: skip

    def explained(**asked: Any) -> str | None:
        (found,) = house.ana.state("deployment:shop/web", "rollout", **asked).states
        assert found.changed is not None
        return found.changed.changed_by

    assert explained(known_at=then) == output.record_id
    assert explained(known_at=now(house)) == explained() == call.record_id


def test_what_was_learned_later_takes_no_place_of_what_was_known(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of states nor of explanations, and `is_cut` counts what was known then alone."""
    monkeypatch.setattr(state, "STATES_MAX", 2)
    monkeypatch.setattr(explain_state, "LOOKED_AT_MAX", 2)
    first = seen(house.ana, READY, "51")
    act = house.ana.remember("restarted the deployment web", record_type="action", occurred_at="2026-11-28T08:52:00Z")
    second = seen(house.ana, NOT_READY, "55")
    then = now(house)
    asked: dict[str, Any] = {"known_at": then, "as_of": then, "history": True}
    before = house.ana.state(POD, **asked)
    for minute in range(56, 60):
        seen(house.ana, CRASHING, str(minute))
        house.ana.remember("web web web", record_type="action", occurred_at="2026-11-28T08:53:00Z")
    assert house.ana.state(POD, **asked) == before
    assert not before.is_cut
    (found,) = before.states
    assert [step.evidence for step in found.history] == [(first.record_id,), (second.record_id,)]
    assert found.history[-1].changed_by == act.record_id
    # The control: now there is more than is looked at.
    assert house.ana.state(POD).is_cut


def test_how_much_goes_on_elsewhere_changes_nothing(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """When something was taken back is found, however many other claims moved since."""
    kept = seen(house.ana, READY, "51")
    then = now(house)
    for number in range(4):
        house.bob.reject(house.ana.remember(f"slow {number}", kind="environment.gotcha").claims[0].claim_id)
    house.bob.reject(kept.record_id)
    found = house.ana.state(POD, known_at=then)
    assert ([each.value for each in found.states], found.is_cut) == (["ready"], False)


def test_a_review_that_came_later_was_not_made_then(house: World) -> None:
    """What a person has approved since was a tool's word then; and what was taken back before stays so."""
    kept = seen(house.ana, READY, "51")
    then = now(house)
    house.bob.approve(kept.claims[0].claim_id)
    assert (the_state(house.ana, known_at=then).reviewed, the_state(house.ana).reviewed) == (False, True)
    house.bob.reject(kept.record_id)
    gone = now(house)
    assert house.ana.state(POD, known_at=gone).states == ()
    assert the_state(house.ana, known_at=then).value == "ready"
