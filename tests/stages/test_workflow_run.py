"""Runs and steps: which calls are a step, and what makes a step done in a run."""

from __future__ import annotations

from typing import Any

import pytest
from registry_builders import built
from workflow_builders import DOCUMENTS

from heedful.claims.projections.workflow_run import Run, RunEntry, in_order, progress_of, steps_of_call
from heedful.claims.projections.workflow_templates import (
    ARGUMENT_CHARACTERS_MAX,
    INPUT_DEPTH_MAX,
    is_step,
    misspelt_variables,
    sample_of,
    variables_of,
)
from heedful.kernel.ids import ActionClassId, RecordId, RunId, WorkflowId
from heedful.kernel.scope import parse_scope
from heedful.observations.record import Subject

WORKFLOW = built(*DOCUMENTS).workflows[WorkflowId("web.staging")]
SHELL = {"Bash": "command"}
RUN = RunId("run-1")
STAGING = parse_scope(["environment:staging", "project:garden"])
PUSH = "docker push web:1.2"
APPLY = "kubectl --context staging apply -f web.yaml"
NOW_US = 1_000


def entry(position: int, sort: Any = "call", **more: Any) -> RunEntry:
    """A record of the run, in staging, in its place."""
    fields: dict[str, Any] = {"sequence": position, "position": position, "occurred_at_us": 1, "scope": STAGING}
    return RunEntry(RecordId(f"r{position}"), sort, **{**fields, **more})


def call(position: int, command: str, **more: Any) -> RunEntry:
    """A shell call."""
    return entry(position, tool="Bash", args={"command": command}, call_id=f"c{position}", **more)


def check(position: int, *, passed: bool = True, verifies: str = "deploy.web", **more: Any) -> RunEntry:
    """A verification that counts."""
    fields: dict[str, Any] = {"verifies": ActionClassId(verifies), "passed": passed, "counts": True, **more}
    return entry(position, "check", **fields)


def standings(*entries: RunEntry) -> list[str]:
    """Where each step stands."""
    return [each.standing for each in progress_of(WORKFLOW, Run(RUN, entries), SHELL, at_us=NOW_US).steps]


def test_a_step_is_done_where_it_was_called_and_verified_then() -> None:
    """Both in their order; the control of every test below."""
    progress = progress_of(
        WORKFLOW,
        Run(RUN, (call(1, PUSH), check(2), call(3, APPLY), check(4, verifies="deploy"))),
        SHELL,
        at_us=NOW_US,
    )

    assert [each.standing for each in progress.steps] == ["done", "done"]
    assert [(each.called, each.verified) for each in progress.steps] == [("r1", "r2"), ("r3", "r4")]
    assert (progress.done, progress.current, progress.early) == (2, None, ())


@pytest.mark.parametrize(
    ("entries", "wanted"),
    [
        ([], ["to-do", "to-do"]),
        ([call(1, PUSH)], ["to-verify", "to-do"]),
        ([check(1), call(2, PUSH)], ["to-verify", "to-do"]),
        ([call(1, PUSH), check(2)], ["done", "to-do"]),
        ([call(1, PUSH), check(2, passed=False)], ["failed", "to-do"]),
        ([call(1, PUSH), check(2), check(3, passed=False)], ["failed", "to-do"]),
        ([call(1, PUSH), check(2, passed=False), check(3)], ["done", "to-do"]),
        ([call(1, PUSH), check(2), call(3, PUSH)], ["to-verify", "to-do"]),
        ([call(1, PUSH), check(2, verifies="deploy")], ["done", "to-do"]),
        ([call(1, PUSH), check(2, verifies="deploy.web.blue")], ["to-verify", "to-do"]),
        ([call(1, PUSH), check(2, verifies="test.run")], ["to-verify", "to-do"]),
        ([call(1, PUSH), check(2, counts=False)], ["to-verify", "to-do"]),
        ([call(1, PUSH), check(2, occurred_at_us=NOW_US + 1)], ["to-verify", "to-do"]),
        ([call(1, PUSH), check(2, scope=parse_scope(["environment:production"]))], ["to-verify", "to-do"]),
        ([call(1, PUSH), check(2, scope=parse_scope(["project:garden"]))], ["to-verify", "to-do"]),
        ([call(1, PUSH, scope=parse_scope(["project:garden"])), check(2)], ["to-do", "to-do"]),
        ([call(1, PUSH), entry(2, "error", call_id="c1"), check(3)], ["failed", "to-do"]),
        ([call(1, PUSH), entry(2, "error", call_id="c9"), check(3)], ["done", "to-do"]),
        ([call(1, PUSH), entry(2, "error", derived_from=("r1",)), check(3)], ["failed", "to-do"]),
        ([call(1, PUSH), entry(2, "error"), check(3)], ["done", "to-do"]),
        ([call(1, PUSH), entry(2, "error", call_id="c1"), call(3, PUSH), check(4)], ["done", "to-do"]),
        ([call(1, PUSH), call(2, APPLY), check(3, verifies="deploy")], ["done", "to-do"]),
        ([call(1, APPLY), check(2)], ["to-do", "to-do"]),
        ([call(1, PUSH), check(2), call(3, APPLY), check(4)], ["done", "to-verify"]),
    ],
)
def test_each_way_in_which_a_step_is_not_done(entries: list[RunEntry], wanted: list[str]) -> None:
    """Not called, not verified since, failed, verified by an agent, of another class or environment, out of turn."""
    assert standings(*entries) == wanted


def test_a_later_step_before_its_turn_counts_for_nothing() -> None:
    """It is told, and has to be made again once the step before it is verified."""
    early = [call(1, PUSH), call(2, APPLY), check(3, verifies="deploy")]
    progress = progress_of(WORKFLOW, Run(RUN, tuple(early)), SHELL, at_us=NOW_US)
    assert (progress.done, progress.early) == (1, ("r2",))

    again = progress_of(WORKFLOW, Run(RUN, (*early, call(4, APPLY), check(5, verifies="deploy"))), SHELL, at_us=NOW_US)
    assert again.done == 2


def test_an_agent_does_not_put_its_call_before_a_verification_that_was_there() -> None:
    """Whatever place in the run it gives it; what a hook copied has the place that it had."""
    verified = check(5, sequence=7)
    assert standings(call(9, PUSH, sequence=1, by_agent=True), verified) == ["to-verify", "to-do"]
    assert standings(call(9, PUSH, sequence=1), verified) == ["done", "to-do"]
    assert standings(call(4, PUSH, sequence=1, by_agent=True), verified) == ["done", "to-do"]


@pytest.mark.parametrize(
    ("entries", "wanted"),
    [
        ([call(1, PUSH, sequence=None), check(2, sequence=None)], ["r1", "r2"]),
        ([check(1, sequence=None), call(2, PUSH, sequence=None)], ["r1", "r2"]),
        ([call(5, PUSH, sequence=0), check(6, sequence=None), call(7, APPLY, sequence=1)], ["r5", "r6", "r7"]),
        ([call(5, PUSH, sequence=1), check(4, sequence=None)], ["r4", "r5"]),
        ([call(7, PUSH, sequence=0), call(5, APPLY, sequence=1), check(6, sequence=None)], ["r6", "r7", "r5"]),
        ([check(5, sequence=0), call(4, PUSH, sequence=None)], ["r4", "r5"]),
        ([check(3, sequence=0), call(4, PUSH, sequence=None)], ["r3", "r4"]),
        ([call(2, PUSH, sequence=4), call(3, APPLY, sequence=3)], ["r3", "r2"]),
    ],
)
def test_the_order_is_the_runs_and_never_verifies_too_much(entries: list[RunEntry], wanted: list[str]) -> None:
    """By sequence; without one by the ledger, a check early and a call late where it is not sure."""
    assert [each.record_id for each in in_order(entries)] == wanted
    assert [each.record_id for each in in_order(reversed(entries))] == wanted


@pytest.mark.parametrize(
    ("command", "steps"),
    [
        (PUSH, (0,)),
        ("docker   push 'web:1.2'", (0,)),
        ("cd x && docker push web:1.2 && kubectl --context staging apply -f web.yaml", (0, 1)),
        ("docker push web:", ()),
        ("docker push shop:1.2", ()),
        ("docker push web:1.2 --quiet", ()),
        ("echo 'docker push web:1.2'", ()),
        (APPLY.replace("staging", "production"), ()),
        ("docker push web:" + "1" * ARGUMENT_CHARACTERS_MAX, ()),
    ],
)
def test_a_call_is_a_step_word_for_word(command: str, steps: tuple[int, ...]) -> None:
    """Spaces, quotes and what runs beside it do not matter; another word, or a command in a text, does."""
    assert steps_of_call(WORKFLOW, "Bash", {"command": command, "timeout": 9}, SHELL) == steps
    assert steps_of_call(WORKFLOW, "Shell", {"command": command}, SHELL) == ()


@pytest.mark.parametrize(
    ("template", "args", "same"),
    [
        ({}, {"a": 1}, True),
        ({"a": 1}, {}, False),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": "{{x}}"}, {"a": [1, {"b": None}]}, True),
        ({"a": "v{{x}}-{{y}}"}, {"a": "v1-2"}, True),
        ({"a": "v{{x}}-{{y}}"}, {"a": "v-2"}, False),
        ({"a": "v{{x}}-{{y}}"}, {"a": "v1-"}, False),
        ({"a": "v{{x}}"}, {"a": 1}, False),
        ({"a": {"b": ["{{x}}", 2]}}, {"a": {"b": ["q", 2]}}, True),
        ({"a": {"b": ["{{x}}", 2]}}, {"a": {"b": ["q", 2, 3]}}, False),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 1}}, False),
        ({"a": "{{.State}}"}, {"a": "{{.State}}"}, True),
        ({"a": float("inf")}, {"a": float("inf")}, False),
    ],
)
def test_other_inputs_are_compared_as_values(template: dict[str, Any], args: dict[str, Any], same: bool) -> None:
    """A variable alone is any value; in a text it is one character or more."""
    assert is_step(template, args, []) is same


def test_a_value_that_is_too_deep_is_no_step() -> None:
    """And ends without an error."""
    value: object = "x"
    for _ in range(INPUT_DEPTH_MAX - 1):
        value = [value]
    assert is_step({"a": value}, {"a": value}, [])
    assert not is_step({"a": [value]}, {"a": [value]}, [])


def test_a_template_names_its_variables() -> None:
    """What is spelt otherwise is told; braces of another language are text."""
    template = {
        "a": ["{{image_tag}}", {"b": "x-{{y}}"}],
        "c": "{{.Names}} {{ Tag }} {{X}}",
        "d": "{{json .}} {{range .I}}{{.x}} {y} {{a-b}",
    }

    assert variables_of(template) == {"image_tag", "y"}
    assert misspelt_variables(template) == ("{{ Tag }}", "{{X}}", "{{a-b}")
    assert sample_of(template)["a"] == ["value", {"b": "x-value"}]


@pytest.mark.parametrize(
    ("selector", "of_call", "of_check", "wanted"),
    [
        ('scope: ["environment:staging"], subjects: ["cluster:eu-1"]', (), ("eu-1",), "done"),
        ('scope: ["environment:staging"], subjects: ["cluster:eu-1"]', (), (), "done"),
        ('scope: ["environment:staging"], subjects: ["cluster:eu-1"]', (), ("us-1",), "to-verify"),
        ('scope: ["environment:staging"], subjects: ["cluster:eu-1"]', ("us-1",), (), "to-do"),
        ('subjects: ["cluster:eu-1"]', ("eu-1",), ("eu-1",), "done"),
        ('subjects: ["cluster:eu-1"]', ("eu-1",), (), "to-verify"),
        ('subjects: ["cluster:eu-1"]', (), ("eu-1",), "to-do"),
        ('subjects: ["cluster:1"]', (), ("1",), "to-do"),
        ('subjects: ["cluster:web:1.2"]', (), ("web:1.2",), "done"),
    ],
)
def test_a_subject_of_the_environment_keeps_other_runs_out(
    selector: str, of_call: tuple[str, ...], of_check: tuple[str, ...], wanted: str
) -> None:
    """A record of another cluster; and where there is no scope to tell, one that names none. A call's words do."""
    text = DOCUMENTS[2].replace('scope: ["environment:staging"]', selector)
    workflow = built(*DOCUMENTS[:2], text).workflows[WorkflowId("web.staging")]
    entries = (
        call(1, PUSH, subjects=tuple(Subject("cluster", each) for each in of_call)),
        check(2, subjects=tuple(Subject("cluster", each) for each in of_check)),
    )

    assert progress_of(workflow, Run(RUN, entries), SHELL, at_us=NOW_US).steps[0].standing == wanted
