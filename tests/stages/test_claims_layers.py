"""Layers: what a session, a task, an event, a lasting fact and a rule are kept as."""

from __future__ import annotations

import pytest

from heedful.claims.claim import Form
from heedful.claims.layers import Layer, is_of_task, layer_of_claim, layer_of_form, layer_of_record
from heedful.kernel.ids import RunId
from heedful.testing.builders import build_claim, build_record, scope_of

PROJECT = scope_of("project:payments")
TASK = scope_of("project:payments", "task:42")
OUTSIDE = {
    Form.FACT: Layer.SEMANTIC,
    Form.STATE: Layer.SEMANTIC,
    Form.PREFERENCE: Layer.SEMANTIC,
    Form.INFERENCE: Layer.SEMANTIC,
    Form.PLAN: Layer.WORKING,
    Form.EVENT: Layer.EPISODIC,
    Form.CONSTRAINT: Layer.PROCEDURAL,
    Form.WORKFLOW: Layer.PROCEDURAL,
    Form.GOTCHA: Layer.PROCEDURAL,
    Form.PREMISE: Layer.PROCEDURAL,
}


@pytest.mark.parametrize("form", Form)
def test_every_form_has_its_layer(form: Form) -> None:
    """In a task all of them are what the task works with, but for what happened."""
    assert layer_of_form(form, PROJECT) is OUTSIDE[form]
    assert layer_of_form(form, TASK) is (Layer.EPISODIC if form is Form.EVENT else Layer.WORKING)
    assert layer_of_claim(build_claim(form=form, scope=PROJECT)) is OUTSIDE[form]


def test_a_task_is_a_dimension_and_no_word() -> None:
    """A project that is called so is none."""
    assert is_of_task(TASK)
    assert not is_of_task(scope_of("project:task:42"))
    assert not is_of_task(scope_of())


def test_a_record_is_context_in_its_own_session_alone() -> None:
    """Afterwards, in another one, and where none goes on, it is an episode."""
    said = build_record(run_id=RunId("now"))

    assert layer_of_record(said, RunId("now")) is Layer.CONTEXT
    assert layer_of_record(said, RunId("later")) is Layer.EPISODIC
    assert layer_of_record(said, None) is Layer.EPISODIC
    assert layer_of_record(build_record(run_id=None), None) is Layer.EPISODIC
