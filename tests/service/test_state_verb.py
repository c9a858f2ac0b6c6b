"""The state verb: what is known of something, as of when, as known when, and why it changed."""

from __future__ import annotations

import pytest
from test_states import CRASHING, NOT_READY, POD, READY, seen, the_state
from worlds import World, code_of, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.kernel.times import format_time


def test_what_nobody_observed_is_not_known_and_the_answer_says_what_to_observe(house: World) -> None:
    """By the tools that would tell it; of what no projector tells, to observe it."""
    found = house.ana.state(POD)
    assert found.states == ()
    assert "kubectl get pod" in found.next_step
    assert house.ana.state("moon:full").next_step == "observe it, and remember what was seen"


def test_no_answer_says_to_change_anything(house: World) -> None:
    """Of all that projectors read, only looks are named; roll-backs and applies are read as well (the control)."""
    registry = house.app.registry
    read = {tool for projector in registry.projectors.values() for tool in projector.tools}
    assert {"terraform destroy *", "kubectl rollout undo *", "git push *"} <= read
    for projector in registry.projectors.values():
        told = house.ana.state(projector.subject.partition(":")[0] + ":x").next_step
        assert not any(word in told for word in ("apply", "destroy", "undo", "push", "merge", "install", "rollback"))


def test_a_state_that_is_too_old_is_not_known_any_more(house: World) -> None:
    """What it was last is told, and when it was seen."""
    kept = seen(house.ana, READY, "52")
    assert the_state(house.ana).known
    house.clock.go(seconds=600)
    found = the_state(house.ana)
    assert (found.known, found.value, found.evidence) == (False, None, ())
    assert "last seen at 2026-11-28T08:52:00Z" in found.reason
    assert found.last is not None
    assert (found.last.value, found.last.evidence) == ("ready", (kept.record_id,))
    assert "kubectl get pod" in found.next_step


def test_a_state_says_its_layer_of_memory(house: World) -> None:
    """What a task alone knows is what it works with."""
    seen(house.ana, READY, "52")
    assert the_state(house.ana).layer == "semantic"
    seen(house.ana, READY, "53", scope=["project:payments", "task:42"])
    layers = {state.scope.elements[-1]: state.layer for state in house.ana.state(POD).states}
    assert layers == {"project:payments": "semantic", "task:42": "working"}


def test_before_the_first_observation_nothing_is_known(house: World) -> None:
    """And never what came later."""
    seen(house.ana, READY, "52")
    found = the_state(house.ana, as_of="2026-11-28T08:00:00Z")
    assert (found.known, found.last) == (False, None)
    assert found.reason == "nothing is known of it before 2026-11-28T08:52:00Z"


def test_since_goes_back_over_the_same_value_without_a_gap(house: World) -> None:
    """A gap in which nobody looked is not filled in."""
    seen(house.ana, READY, "10")
    seen(house.ana, READY, "51")
    seen(house.ana, READY, "55")
    found = the_state(house.ana)
    assert (found.since, found.until) == ("2026-11-28T08:51:00Z", "2026-11-28T09:05:00Z")


def test_as_known_then_shows_what_was_believed_then(house: World) -> None:
    """Though its record was withdrawn since; now it shows what stands now."""
    kept = seen(house.ana, READY, "51")
    believed = format_time(house.clock.now_us())
    house.bob.reject(kept.record_id)
    later = seen(house.ana, CRASHING, "53")
    found = the_state(house.ana, known_at=believed)
    assert (found.value, found.evidence) == ("ready", (kept.record_id,))
    assert the_state(house.ana).evidence == (later.record_id,)
    assert house.ana.state(POD, known_at="2026-11-28T08:00:00Z").states == ()


def test_a_late_arrival_was_not_known_before_it_came(house: World) -> None:
    """Two axes: when it held, and when we learned of it."""
    seen(house.ana, CRASHING, "55")
    before = format_time(house.clock.now_us())
    seen(house.ana, READY, "51")
    at = "2026-11-28T08:52:00Z"
    assert the_state(house.ana, as_of=at).value == "ready"
    assert not the_state(house.ana, as_of=at, known_at=before).known


def test_a_change_that_nothing_explains_is_flagged(house: World) -> None:
    """And one of the first state is no change."""
    seen(house.ana, READY, "51")
    first = the_state(house.ana).changed
    assert first is not None
    assert (first.changed_from, first.unexplained) == (None, False)
    seen(house.ana, CRASHING, "55")
    changed = the_state(house.ana).changed
    assert changed is not None
    assert (changed.changed_from, changed.changed_by, changed.unexplained) == ("ready", None, True)


@pytest.mark.parametrize(
    ("text", "record_type", "at", "explains"),
    [
        ("restarted the deployment web", "action", "52", True),
        ('{"name": "Bash", "input": {"command": "kubectl delete pod web -n shop"}}', "tool_call", "52", True),
        ('{"name": "Bash", "input": {"command": "kubectl get pod web -n shop"}}', "tool_call", "52", False),
        ("restarted deployment/web", "action", "52", True),
        ("deleted pod web-7f9c6d5b4-x2k9p", "action", "52", True),
        ("restarted the deployment ledger", "action", "52", False),
        ("restarted the deployment web-api", "action", "52", False),
        ("restarted the deployment web", "action", "57", False),
        ("restarted the deployment web", "observation", "52", False),
    ],
)
def test_an_action_between_the_two_that_names_it_explains_a_change(
    house: World, text: str, record_type: str, at: str, *, explains: bool
) -> None:
    """Not a look, not what names something else, not what came after, not what merely is told."""
    seen(house.ana, READY, "51")
    act = house.ana.remember(text, record_type=record_type, grade="tool", occurred_at=f"2026-11-28T08:{at}:00Z")
    seen(house.ana, NOT_READY, "55")
    changed = the_state(house.ana).changed
    assert changed is not None
    assert (changed.changed_by, changed.unexplained) == ((act.record_id, False) if explains else (None, True))


def test_an_action_that_one_may_not_see_explains_nothing(house: World) -> None:
    """Who may see it is told (the control)."""
    seen(house.ana, READY, "51")
    house.ana.remember(
        "restarted web", record_type="action", classification="restricted", occurred_at="2026-11-28T08:52:00Z"
    )
    seen(house.ana, NOT_READY, "55")
    unseen, told = the_state(house.cyd).changed, the_state(house.ana).changed
    assert unseen is not None
    assert told is not None
    assert (unseen.unexplained, told.unexplained) == (True, False)


def test_the_output_of_a_changing_call_explains_itself(house: World) -> None:
    """A roll-back is told by what rolled back."""
    name = "deployment:shop/web"
    for command, text, at in (
        ("kubectl rollout status deployment/web -n shop", 'deployment "web" successfully rolled out', "51"),
        ("kubectl rollout undo deployment/web -n shop", "deployment.apps/web rolled back", "55"),
    ):
        kept = house.ana.remember(
            text,
            record_type="tool_result",
            grade="tool",
            attributes={"tool": "Bash", "command": command},
            occurred_at=f"2026-11-28T08:{at}:00Z",
        )
    (found,) = house.ana.state(name, "rollout").states
    assert found.value == "rolled-back"
    assert found.changed is not None
    assert (found.changed.changed_by, found.changed.unexplained) == (kept.record_id, False)


def test_a_look_by_a_command_that_nobody_knows_explains_nothing(house: World) -> None:
    """That it told the change does not make it the cause; the control is the roll-back above."""
    for text, at in (("No changes. All is well.", "51"), ("Plan: 1 to add, 0 to change, 0 to destroy.", "55")):
        house.ana.remember(
            text,
            record_type="tool_result",
            grade="tool",
            attributes={"tool": "Bash", "command": "terraform plan -some-new-option"},
            occurred_at=f"2026-11-28T08:{at}:00Z",
        )
    (found,) = house.ana.state("terraform:.").states
    assert found.changed is not None
    assert found.changed.unexplained is True


def test_a_scope_narrows_the_answer(house: World) -> None:
    """To what applies there; a scope that is not granted shows nothing."""
    seen(house.ana, READY, "51")
    seen(house.ana, CRASHING, "51", scope=["project:ledger"])
    assert [each.value for each in house.ana.state(POD, scope=["project:ledger"]).states] == ["crash-looping"]
    assert house.cyd.state(POD, scope=["project:ledger"]).states == ()
    assert [each.value for each in house.cyd.state(POD).states] == ["ready"]


def test_a_stranger_is_refused_and_malformed_questions_are(house: World) -> None:
    """Each by its code."""
    assert code_of(lambda: house.stranger.state(POD)) == "principal_may_not"
    assert code_of(lambda: house.ana.state(POD, as_of="soon")) == "time_malformed"
    assert code_of(lambda: house.ana.state(POD, known_at="soon")) == "time_malformed"
    assert code_of(lambda: house.ana.state("")) == "name_malformed"
    assert code_of(lambda: house.ana.state("x" * 300)) == "name_too_long"
