"""What is wrong with workflows: dates, templates, steps that the gate would not know, phrases, blanks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from heedful.bridges.merge import WORKFLOWS, Merged, Place
from heedful.bridges.registry import Registry
from heedful.bridges.vocabulary import covers
from heedful.bridges.words import phrase
from heedful.claims.projections.workflow import Workflow
from heedful.claims.projections.workflow_templates import is_open, misspelt_variables, sample_of
from heedful.kernel.errors import HeedfulError
from heedful.kernel.ids import WorkflowId
from heedful.kernel.times import format_time, parse_time
from heedful.policy.parse import Problem
from heedful.policy.tools import match_tool_call


def check_workflows(merged: Merged, registry: Registry | None, *, at_us: int) -> Iterator[Problem]:
    """Every problem of every workflow; what their calls are is asked only where there is a registry to ask."""
    shell_tools = merged.body["shell_tools"]
    for workflow_id, entry in merged.body.get(WORKFLOWS, {}).items():
        place = merged.places[WORKFLOWS, workflow_id]
        yield from _dates(workflow_id, entry, place, at_us)
        yield from _said(workflow_id, entry, place)
        yield from _phrases(workflow_id, entry, place)
        yield from _templates(workflow_id, entry, place, shell_tools)
        if registry is not None:
            yield from _calls(registry.workflows[WorkflowId(workflow_id)], registry, place)


def _dates(workflow_id: str, entry: Mapping[str, Any], place: Place, at_us: int) -> Iterator[Problem]:
    try:
        reviewed_us, expires_us = (parse_time(entry[name], field=name).at_us for name in ("reviewed_at", "expires_at"))
    except HeedfulError:
        return  # malformed_workflows has told of it
    if reviewed_us > at_us:
        message = f"{workflow_id} is reviewed in the future, at {format_time(reviewed_us)}"
        yield place.problem(("reviewed_at",), "workflow_dates", message, "set the date of the review")
    if expires_us <= reviewed_us:
        message = f"{workflow_id} expires before it is reviewed"
        yield place.problem(("expires_at",), "workflow_dates", message, "set a date after the review")
    elif expires_us <= at_us:
        message = f"{workflow_id} expired at {format_time(expires_us)} and is not offered as current"
        yield place.problem(
            ("expires_at",), "workflow_expired", message, "review it and set a later date, or remove it"
        )


def _said(workflow_id: str, entry: Mapping[str, Any], place: Place) -> Iterator[Problem]:
    for name in ("owner", "description"):
        if not entry[name].strip():
            yield place.problem((name,), "workflow_unsaid", f"{workflow_id} has a blank {name}", f"write the {name}")
    for number, step in enumerate(entry["steps"]):
        check = step["verification"]
        if "query" not in check and "tool" not in check:
            message = f"step {number + 1} of {workflow_id} does not say how it is verified"
            path = ("steps", number, "verification")
            yield place.problem(path, "workflow_verification_unsaid", message, "add query:, tool: or both")


def _phrases(workflow_id: str, entry: Mapping[str, Any], place: Place) -> Iterator[Problem]:
    for language, listed in entry["intent"].get("phrases", {}).items():
        for number, written in enumerate(listed):
            if phrase(workflow_id, written) is None:
                message = f"the phrase {written!r} of {workflow_id} has no word"
                path = ("intent", "phrases", language, number)
                yield place.problem(path, "phrase_too_short", message, "write the words that people use")


def _templates(
    workflow_id: str, entry: Mapping[str, Any], place: Place, shell_tools: Mapping[str, str]
) -> Iterator[Problem]:
    for number, step in enumerate(entry["steps"]):
        for name, value in step["input"].items():
            path = ("steps", number, "input", name)
            for written in misspelt_variables(value):
                message = f"{written} in step {number + 1} of {workflow_id} is no variable"
                yield place.problem(path, "workflow_variable_malformed", message, "write it like {{image_tag}}")
            if shell_tools.get(step["tool"]) == name and is_open(value):
                message = f"step {number + 1} of {workflow_id} would be any command of {step['tool']}"
                yield place.problem(path, "workflow_step_open", message, "write the command, with variables in it")


def _calls(workflow: Workflow, registry: Registry, place: Place) -> Iterator[Problem]:
    decided = set[str]()
    for number, step in enumerate(workflow.steps):
        matched = match_tool_call(step.tool, sample_of(step.input), registry.policy)
        decided |= {name for name, _ in matched.action_classes}
        if not matched.known:
            message = f"step {number + 1} of {workflow.id} is a call that no tool pattern knows"
            next_step = "add a pattern under tools:, or write the call as it is made"
            yield place.problem(("steps", number), "workflow_step_unknown", message, next_step)
    if not any(covers(workflow.intent, name) for name in decided):
        message = f"no step of {workflow.id} decides {workflow.intent}, so it is no way to do that"
        next_step = f"its calls decide: {', '.join(sorted(decided)) or 'nothing'}"
        yield place.problem(("intent", "class"), "workflow_intent_unmet", message, next_step)
