"""ATIF documents: nothing refused, nothing lost, copied context no new evidence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from documents import PNG_STARTS, atif, attributes, grades, holding, read_trace, require_in_order, source_of_item
from transcripts import Imported

from heedful.observations.record import RecordType, SourceGrade


def read_atif(document: object) -> Imported:
    return read_trace(document, of="atif")


def step(number: int, source: str, message: object, **more: Any) -> dict[str, Any]:
    return {"step_id": number, "source": source, "message": message, **more}


def test_each_source_is_on_its_own_word() -> None:
    """A person's, the agent's, the program's; what a tool answers is data."""
    found = read_atif(atif())
    require_in_order(found)
    assert found.problems == []
    assert grades(found, "You are an agent.") == {SourceGrade.DOCUMENT}
    (asked,) = found.of_kind("user.message")
    assert (asked.grade, asked.speaker) == (SourceGrade.USER, "user")
    assert grades(found, "I read.") == {SourceGrade.AGENT}
    assert [item.flags for item in holding(found, "Which file?")] == [("thinking",)]


def test_a_picture_is_taken_as_the_bytes_that_it_is() -> None:
    """1.6 and later: a message may be a list of parts; a path to a file stays a path."""
    found = read_atif(atif())
    (picture,) = [item for item in found.items if item.media_type == "image/png"]
    assert picture.content.startswith(PNG_STARTS)
    part = {"type": "image", "source": {"media_type": "image/png", "path": "images/1.png"}}
    (raw,) = holding(read_atif(atif(steps=[step(1, "user", [part])])), "images/1.png")
    assert json.loads(raw.content) == part


def test_base64_that_is_none_is_kept_as_it_stands() -> None:
    """And named."""
    part = {"type": "image", "source": {"media_type": "image/png", "data": "not base64!"}}
    found = read_atif(atif(steps=[step(1, "user", [part])]))
    assert found.codes() == ["base64_invalid"]
    assert json.loads(holding(found, "not base64!")[0].content) == part


def test_a_result_is_bound_to_a_call_of_its_own_step() -> None:
    """By its id; to the only call where it names none; never to another step's."""
    found = read_atif(atif())
    (answer,) = holding(found, "alpha")
    called = source_of_item(found, answer)
    assert json.loads(called.content) == {"name": "read", "input": {"path": "a.txt"}}
    assert (attributes(answer)["call_id"], attributes(answer)["is_error"]) == ("c1", False)
    call = {"tool_call_id": "c9", "function_name": "read", "arguments": {}}
    unnamed = step(1, "agent", "x", tool_calls=[call], observation={"results": [{"content": "beta"}]})
    other = step(2, "agent", "y", observation={"results": [{"source_call_id": "c9", "content": "gamma"}]})
    both = read_atif(atif(steps=[unnamed, other]))
    assert source_of_item(both, holding(both, "beta")[0]).kind == "agent.call"
    assert [item.flags for item in holding(both, "gamma")] == [("call-missing",)]


def test_a_copied_step_is_no_new_evidence() -> None:
    """Nothing in it is anybody's word here; the control is the same step without the mark."""
    call = {"tool_call_id": "c1", "function_name": "read", "arguments": {}}
    more = {"tool_calls": [call], "observation": {"results": [{"source_call_id": "c1", "content": "alpha"}]}}
    steps = [
        step(1, "user", "remember: x", is_copied_context=True),
        step(2, "agent", "y", is_copied_context=True, **more),
    ]
    copied = read_atif(atif(steps=steps)).items[1:]
    assert {(item.grade, item.flags, item.speaker) for item in copied} == {(SourceGrade.SUMMARY, ("copied",), None)}
    own = read_atif(atif(steps=[step(1, "user", "remember: x")])).items[1]
    assert (own.grade, own.flags, own.speaker) == (SourceGrade.USER, (), "user")


def test_what_is_too_large_or_not_known_is_kept() -> None:
    """Short values as attributes, all else raw."""
    found = read_atif(atif())
    said = attributes(next(item for item in found.items if item.content == b"Which file?"))
    assert (said["prompt_tokens"], said["step.llm_call_count"]) == (9, 1)
    (more,) = found.of_kind("step.more")
    assert json.loads(more.content) == {"future_field": {"kept": True}, "metrics": {"logprobs": [-0.1]}}
    (about,) = found.of_kind("trajectory")
    assert attributes(about)["continued_trajectory_ref"] == "next.json"
    assert json.loads(holding(found, "retries")[0].content) == {"extra": {"retries": [1]}}


def test_a_continuation_under_the_same_session_loses_nothing() -> None:
    """Its steps begin at 1 again; the same step in both files is one."""
    first = {item.source_ref for item in read_atif(atif()).items}
    steps = [*atif()["steps"][:1], step(2, "user", "go on")]
    second = read_atif(atif(steps=steps)).items
    assert [item.content for item in second if item.source_ref not in first] == [b"go on"]
    agent = {"name": "tester", "version": "1", "extra": {"continuation_index": 1}}
    assert not first & {item.source_ref for item in read_atif(atif(agent=agent)).items}


def test_embedded_trajectories_of_sub_agents_are_runs_of_their_own() -> None:
    """1.7: flagged, with their own sequences; one that is embedded twice is taken once."""
    nested = {
        "trajectory_id": "t2",
        "agent": {"name": "sub"},
        "steps": [step(1, "user", "look"), step(2, "agent", "ok")],
    }
    found = read_atif(atif(subagent_trajectories=[nested, nested, "cut"]))
    require_in_order(found)
    assert {item.run_id for item in holding(found, "look")} == {"s1/t2"}
    assert [item.flags for item in holding(found, "look")] == [("sidechain",)]
    assert found.codes() == ["row_repeated"] * 3
    assert "unknown:subagent_trajectories" in found.kinds()


@pytest.mark.parametrize("version", ["ATIF-v1.0", "ATIF-v1.7", "1.4", "v1.2"])
def test_every_version_is_read(version: str) -> None:
    """Also as programs write it that leave the name out."""
    assert read_atif(atif(schema_version=version)).codes() == []


@pytest.mark.parametrize("version", ["ATIF-v2.0", "ATIF-v9", "ATIF"])
def test_of_an_unknown_version_nothing_is_taken_and_it_is_named(version: str) -> None:
    """Half of a run would be taken for the whole."""
    found = read_atif(atif(schema_version=version))
    assert (found.codes(), found.items) == (["version_unknown"], [])


@pytest.mark.parametrize(
    "odd",
    [
        step(1, "critic", "x"),
        "a text",
        None,
        [],
        step(1, "agent", None, tool_calls=[7], observation={"results": [None], "more": 1}),
        step(1, "agent", None, tool_calls="x", observation="y", metrics="z"),
        step(1, "user", ""),
    ],
)
def test_odd_steps_are_kept_raw(odd: object) -> None:
    """None is fatal, none is lost."""
    found = read_atif(atif(steps=[odd, step(2, "agent", "after")]))
    require_in_order(found)
    assert holding(found, "after")
    assert len(found.items) >= 3
    assert all(item.type is not RecordType.TOOL_RESULT or item.grade is SourceGrade.TOOL for item in found.items)


def test_what_is_beside_the_steps_and_a_time_that_is_none_are_kept() -> None:
    """A step that is in the file twice is one; steps that are no list are raw."""
    twice = step(1, "agent", "x", timestamp="soon")
    assert read_atif(atif(steps=[twice, twice])).codes() == ["time_malformed", "row_repeated"]
    nested = {"trajectory_id": "t2", "steps": {"not": "a list"}}
    assert "unknown:steps" in read_atif(atif(subagent_trajectories=[nested])).kinds()
    unnamed = atif()
    del unnamed["session_id"]
    assert len({item.run_id for trace in (unnamed, unnamed, atif()) for item in read_atif(trace).items}) == 2
