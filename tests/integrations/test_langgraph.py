"""LangGraph threads: from the checkpoint database and from the state history, each message once, in order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from traces_made import (
    Saved,
    attributes,
    database,
    imported_document,
    imported_file,
    message,
    model,
    said,
    state,
    write,
)

from heedful.observations.record import RecordType, SourceGrade

ASKS = message("human", "When does the café open?", "m1")
CALLS = message("ai", "", "m2", tool_calls=[{"name": "lookup", "args": {"q": "café"}, "id": "call_1"}])
ANSWERS = message("tool", "opens 08:00", "m3", name="lookup", tool_call_id="call_1", status="success")
SAYS = message("ai", "The café opens at 08:00.", "m4", usage_metadata={"input_tokens": 9, "output_tokens": 3})
RUN = (ASKS, CALLS, ANSWERS, SAYS)


def saved_run(messages: Sequence[dict[str, Any]] = RUN) -> list[Saved]:
    """An input and one checkpoint for each message, each repeating those before."""
    first = Saved("c0", None, [], {"__start__": {"messages": [model({**messages[0], "id": None})]}}, "input", -1)
    return [
        first,
        *(Saved(f"c{step + 1}", f"c{step}", messages[: step + 1], step=step) for step in range(len(messages))),
    ]


def history_of_run() -> list[dict[str, Any]]:
    """The same, newest first."""
    states = [state("c0", None, [], -1, "input")]
    states += [state(f"c{step + 1}", f"c{step}", RUN[: step + 1], step) for step in range(len(RUN))]
    return states[::-1]


def test_every_checkpoint_repeats_all_messages_and_each_becomes_one_item(tmp_path: Path) -> None:
    """Type, grade, who speaks, the call's link and tokens; the input that had no id yet is the same message."""
    found = imported_file(database(tmp_path / "c.sqlite", saved_run()))
    assert [(item.kind, item.type, item.grade, item.speaker) for item in found.items] == [
        ("user.text", RecordType.MESSAGE, SourceGrade.USER, "user"),
        ("assistant.tool_call", RecordType.TOOL_CALL, SourceGrade.AGENT, None),
        ("tool.result", RecordType.TOOL_RESULT, SourceGrade.TOOL, None),
        ("assistant.text", RecordType.MESSAGE, SourceGrade.AGENT, None),
    ]
    assert found.problems == []
    _, call, result, last = found.items
    assert call.content == '{"input":{"q":"café"},"name":"lookup"}'.encode()
    assert result.derived_from_refs == (call.source_ref,)
    assert attributes(result) == {"step": 2, "call_id": "call_1", "tool": "lookup", "is_error": False}
    assert (attributes(last)["input_tokens"], attributes(last)["output_tokens"]) == (9, 3)
    assert {item.run_id for item in found.items} == {"t1"}
    assert [item.sequence for item in found.items] == [0, 1, 2, 3]


def test_a_history_gives_the_same_items_as_the_database_in_whatever_order_it_comes(tmp_path: Path) -> None:
    """Newest first as the library gives it, oldest first, or shuffled: references and places are the same."""
    expected = imported_file(database(tmp_path / "c.sqlite", saved_run())).items
    states = history_of_run()
    shuffled = random.Random(7).sample(states, len(states))
    for each in (states, states[::-1], shuffled):
        assert imported_document(each).items == expected


def test_one_state_by_itself_and_the_platforms_own_form_are_histories(tmp_path: Path) -> None:
    """The platform's interface names the place of a state without `config`."""
    newest = history_of_run()[0]
    alone = imported_document(newest)
    platform = {**newest, "checkpoint": newest["config"]["configurable"]}
    del platform["config"], platform["parent_config"]
    assert len(alone.items) == 4
    assert [item.source_ref for item in imported_document([platform]).items] == [
        item.source_ref for item in alone.items
    ]


def test_a_branch_that_was_left_is_dead_and_what_it_sprang_from_is_not(tmp_path: Path) -> None:
    """Time travel: the run goes on from an earlier checkpoint."""
    other = message("ai", "No idea.", "m9")
    saved = [
        Saved("c1", None, [ASKS]),
        Saved("c2", "c1", [ASKS, other], step=1),
        Saved("c3", "c1", [ASKS, SAYS], step=1, source="fork"),
    ]
    found = imported_file(database(tmp_path / "c.sqlite", saved))
    assert [(item.content, item.flags) for item in found.items] == [
        (b"When does the caf\xc3\xa9 open?", ()),
        (b"No idea.", ("dead-branch",)),
        (b"The caf\xc3\xa9 opens at 08:00.", ()),
    ]


def test_what_a_node_says_in_a_users_name_is_not_the_users(tmp_path: Path) -> None:
    """Nor a sub-graph's prompt; the answer to an interruption is the person's, though a node hands it on."""
    by_node = message("human", "Reflect on your answer.", "m5", name="critic")
    approved = message("human", "yes, book it", "m6")
    saved = [
        *saved_run(),
        Saved("c5", "c4", [*RUN, by_node], step=4),
        Saved("c6", "c5", [*RUN, by_node, approved], step=5),
        Saved("d1", None, [message("human", "Find the hours.", "m7")], namespace="agent:1", step=6),
    ]
    writes = [write("c5", "__resume__", "yes, book it"), write("c5", "__interrupt__", [{"value": "Book?"}], index=1)]
    found = imported_file(database(tmp_path / "c.sqlite", saved, writes))
    grades = {item.content.decode(): (item.kind, item.grade) for item in found.items}
    assert grades["Reflect on your answer."] == ("user.prompt", SourceGrade.AGENT)
    assert grades["Find the hours."] == ("user.prompt", SourceGrade.AGENT)
    assert grades["yes, book it"] in (("user.text", SourceGrade.USER), ("resume", SourceGrade.TOOL))
    (answer,) = found.of_kind("user.text")[1:]
    assert (answer.content, answer.grade) == (b"yes, book it", SourceGrade.USER)
    assert [item.kind for item in found.items if item.kind in ("interrupt", "resume")] == ["resume", "interrupt"]


def test_writes_that_no_checkpoint_holds_yet_are_not_lost(tmp_path: Path) -> None:
    """The run was stopped after a task wrote; and an error of a task is kept."""
    writes = [
        write("c4", "messages", [model(message("ai", "One more thing.", "m8"))]),
        write("c4", "branch:to:agent", None, index=1),
        write("c4", "__error__", "TimeoutError()", index=2),
        write("c3", "messages", [model(ANSWERS)]),
    ]
    found = imported_file(database(tmp_path / "c.sqlite", saved_run(), writes))
    assert said(found)[4:] == [("error", "TimeoutError()"), ("assistant.text", "One more thing.")]


def test_a_message_that_was_edited_is_kept_in_both_wordings(tmp_path: Path) -> None:
    """Also a call whose arguments a person changed before it ran."""
    changed = {**CALLS, "tool_calls": [{"name": "lookup", "args": {"q": "bar"}, "id": "call_1"}]}
    saved = [
        Saved("c1", None, [ASKS, CALLS]),
        Saved("c2", "c1", [{**ASKS, "content": "When?"}, changed], step=1, source="update"),
    ]
    found = imported_file(database(tmp_path / "c.sqlite", saved))
    assert [kind for kind, _ in said(found)] == ["user.text", "assistant.tool_call"] * 2
    assert len({item.source_ref for item in found.items}) == 4


def test_a_picture_becomes_its_bytes_and_a_channel_its_changes(tmp_path: Path) -> None:
    """Base64 is decoded with its media type; a state that stays as it was is told once."""
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    broken = {"type": "image_url", "image_url": {"url": "data:image/png;base64,@@@"}}
    asks = message("human", [{"type": "text", "text": "What is it?"}, picture, broken], "m1")
    saved = [
        Saved("c1", None, [asks], {"plan": ["look"], "raw": b"\x00\xff"}),
        Saved("c2", "c1", [asks], {"plan": ["look"]}, step=1),
        Saved("c3", "c2", [asks], {"plan": ["tell"]}, step=2),
    ]
    found = imported_file(database(tmp_path / "c.sqlite", saved))
    assert [(item.kind, item.media_type) for item in found.items] == [
        ("user.text", "text/plain"),
        ("user.media", "image/png"),
        ("unknown:image_url", "application/json"),
        ("state.plan", "application/json"),
        ("state.raw", "application/octet-stream"),
        ("state.plan", "application/json"),
    ]
    assert found.items[1].content == b"\x89PNG\r\n\x1a\n"
    assert found.items[1].grade == SourceGrade.DOCUMENT
    assert found.codes() == ["base64_invalid"]


def test_threads_keep_to_runs_of_their_own(tmp_path: Path) -> None:
    """The same words in two threads are two messages."""
    saved = [Saved("c1", None, [ASKS]), Saved("c2", None, [ASKS], thread_id="t2")]
    found = imported_file(database(tmp_path / "c.sqlite", saved))
    assert [(item.run_id, item.sequence) for item in found.items] == [("t1", 0), ("t2", 0)]
    assert len({item.source_ref for item in found.items}) == 2
