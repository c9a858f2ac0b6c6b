"""Layers of memory (seed 002): a tool's result of now, a task's plan and a lasting preference are kept apart. Pure.

| layer      | what is in it                                                                   |
| ---------- | ------------------------------------------------------------------------------- |
| context    | the records of the session that goes on                                         |
| working    | what a task works with: any claim of a scope with `task:<id>` but events; plans |
| episodic   | every other record, and claims of form event                                    |
| semantic   | facts, states, preferences, inferences                                          |
| procedural | constraints, workflows, gotchas, premises                                       |

A layer tells how something is kept; nothing is believed more, or may do more, for the layer that it is in.
"""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from heedful.claims.claim import Claim, Form
from heedful.kernel.ids import RunId
from heedful.kernel.scope import Scope
from heedful.observations.record import Record

TASK_DIMENSION = "task"


class Layer(StrEnum):
    """One of the five, from the most fleeting on."""

    CONTEXT = "context"
    WORKING = "working"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"


def is_of_task(scope: Scope) -> bool:
    """True where the scope names a task."""
    return any(element.startswith(f"{TASK_DIMENSION}:") for element in scope.elements)


def layer_of_form(form: Form, scope: Scope) -> Layer:
    """The layer of a claim of this form in this scope."""
    match form:
        case Form.EVENT:
            return Layer.EPISODIC
        case Form.PLAN:
            return Layer.WORKING
        case Form.FACT | Form.STATE | Form.PREFERENCE | Form.INFERENCE:
            return Layer.WORKING if is_of_task(scope) else Layer.SEMANTIC
        case Form.CONSTRAINT | Form.WORKFLOW | Form.GOTCHA | Form.PREMISE:
            return Layer.WORKING if is_of_task(scope) else Layer.PROCEDURAL
        case _:
            assert_never(form)


def layer_of_claim(claim: Claim) -> Layer:
    """The layer that the claim is in."""
    return layer_of_form(claim.form, claim.scope)


def layer_of_record(record: Record, session_run: RunId | None) -> Layer:
    """Context where the record is of the session that goes on, else episodic; None: no session goes on."""
    is_of_session = session_run is not None and record.run_id == session_run
    return Layer.CONTEXT if is_of_session else Layer.EPISODIC
