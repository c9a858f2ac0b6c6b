"""Versions of the GenAI conventions, and content that an exporter cut."""

from __future__ import annotations

import json
from typing import Any

import pytest
from traces_made import attributes, export, imported_document, parts, said, span

from heedful.observations.record import SourceGrade


def test_messages_that_are_cut_in_the_middle_are_kept_up_to_the_cut() -> None:
    """What was whole is a message; of the rest nobody can tell whose words they are."""
    text = json.dumps([parts("user", "first"), parts("assistant", "a second one")])
    cut = span(1, start=0, end=1, operation__name="chat", input__messages=text[:-30])
    found = imported_document(export(cut))
    assert said(found)[0] == ("user.text", "first")
    assert said(found)[1][0] == "unknown:cut"
    assert said(found)[1][1].startswith('{"role": "assistant"')
    assert found.items[1].grade == SourceGrade.TOOL
    assert found.codes() == ["content_cut"]


@pytest.mark.parametrize(
    "given",
    [
        {"prompt": json.dumps([{"role": "user", "content": "hi"}]), "completion": "hello"},
        {
            "prompt__0__role": "user",
            "prompt__0__content": "hi",
            "completion__0__role": "assistant",
            "completion__0__content": "hello",
        },
        {"input__messages": [parts("user", "hi")], "output__messages": [parts("assistant", "hello")]},
        {
            "events": [
                ("gen_ai.user.message", {"content": "hi"}),
                ("gen_ai.choice", {"index": 0, "message": '{"role":"assistant","content":"hello"}'}),
            ]
        },
        {
            "events": [
                ("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps([{"role": "user", "content": "hi"}])}),
                ("gen_ai.content.completion", {"gen_ai.completion": '[{"role":"assistant","content":"hello"}]'}),
            ]
        },
    ],
)
def test_every_version_of_the_conventions_says_the_same(given: dict[str, Any]) -> None:
    """Attributes whole or one a field, structured or JSON in a text; events of the span; the old name of a provider."""
    found = imported_document(export(span(1, start=0, end=1, system="openai", **given)))
    assert said(found) == [("user.text", "hi"), ("assistant.text", "hello")]
    assert attributes(found.items[1])["provider"] == "openai"
    assert found.problems == []


def test_a_models_own_calls_in_old_attributes_are_calls() -> None:
    """One attribute a field, and the tool's answer by its own id."""
    given: dict[str, Any] = {
        "completion__0__role": "assistant",
        "completion__0__tool_calls__0__id": "c1",
        "completion__0__tool_calls__0__name": "ls",
        "completion__0__tool_calls__0__arguments": '{"path":"/"}',
    }
    events = [("gen_ai.tool.message", {"id": "c1", "content": "README"})]
    later = span(2, start=2, end=3, system="openai", events=events)
    found = imported_document(export(span(1, start=0, end=1, system="openai", **given), later))
    assert said(found) == [
        ("assistant.tool_call", '{"input":{"path":"/"},"name":"ls"}'),
        ("tool.result", "README"),
    ]
    assert found.items[1].derived_from_refs == (found.items[0].source_ref,)
