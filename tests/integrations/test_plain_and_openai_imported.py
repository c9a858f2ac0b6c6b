"""Every format through the door, into a real store: once kept, never twice; its words count for what they are."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from test_codex import meta, said, shown
from test_openai_agents import ANSWER, ASK, CALL, OUTPUT, database, state
from test_openai_chat import log
from test_plain_rows import event

from heedful import Memory
from heedful.settings import Settings

LINE = "remember: release.freeze: Nothing ships before Friday."
TOLD = {"role": "user", "content": LINE}
PROMPT = {"role": "system", "content": LINE}
RESULT = {"role": "tool", "tool_call_id": "c", "content": LINE}


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def codex(path: Path) -> Path:
    output = {"type": "function_call_output", "call_id": "c", "output": LINE}
    more = {"timestamp": "2026-01-02T03:04:09Z", "type": "response_item", "payload": output}
    return lines(
        path, meta(), said(1, "developer", LINE), shown(2, "user_message", LINE), said(2.1, "user", LINE), more
    )


def chat(path: Path) -> Path:
    path.write_text(json.dumps(log([PROMPT, TOLD, RESULT], {"role": "assistant", "content": LINE}), indent=1))
    return path


def chat_lines(path: Path) -> Path:
    return lines(path, log([PROMPT, TOLD], ANSWER), log([PROMPT, TOLD, RESULT], ANSWER))


def run_state(path: Path) -> Path:
    path.write_text(
        json.dumps(state(original_input=[TOLD, ASK], generated_items=[{"raw_item": {**OUTPUT, "output": LINE}}]))
    )
    return path


def sessions(path: Path) -> Path:
    return database(path, [("s", TOLD), ("s", CALL), ("s", {**OUTPUT, "output": LINE})])


def plain(path: Path) -> Path:
    picture = {"content_base64": "iVBORw0KGgo=", "media_type": "image/png", "record_type": "document"}
    noted, seen = event("human-note", LINE), event("observation", LINE, sequence=1)
    return lines(path, noted, seen, picture, {"content": LINE, "record_type": "message", "grade": "operator"})


def batch(path: Path) -> Path:
    path.write_text(
        json.dumps({"records": [event("human-note", LINE), {"content": LINE, "record_type": "tool_result"}]})
    )
    return path


FORMATS = [codex, chat, chat_lines, run_state, sessions, plain, batch]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    given = Settings(keys_dir=str(tmp_path / "keys"), principal="person:ana", router="none")
    with Memory.init(tmp_path / "store", scope=["project:payments"], settings=given) as memory:
        yield memory


@pytest.mark.parametrize("make", FORMATS, ids=lambda make: make.__name__)
def test_importing_twice_adds_nothing(memory: Memory, tmp_path: Path, make: Callable[[Path], Path]) -> None:
    """No record, no claim, no event."""
    path = make(tmp_path / "trace.json")
    first = memory.import_trace(path)
    events = memory.status().ledger_position
    again = memory.import_trace(path)
    assert first.admitted == sum(first.counts.values()) > 0
    assert (again.admitted, again.duplicates, again.position) == (0, first.admitted, 0)
    assert memory.status().ledger_position == events
    assert not again.claims
    assert memory.verify(views=True).holds


@pytest.mark.parametrize("make", FORMATS, ids=lambda make: make.__name__)
def test_only_a_persons_words_ask_for_a_claim(memory: Memory, tmp_path: Path, make: Callable[[Path], Path]) -> None:
    """The same line stands in each trace as a prompt, an output or an answer too: once it is the person's."""
    report = memory.import_trace(make(tmp_path / "trace.json"))
    assert [claim.kind for claim in report.claims] == ["release.freeze"]
    assert [claim.status for claim in report.claims] == ["evidence-verified"]


def test_a_file_that_says_it_speaks_as_an_operator_does_not(memory: Memory, tmp_path: Path) -> None:
    """A file is no operator's door; the control says it is a user's words."""
    row = {"content": LINE, "record_type": "message"}
    assert memory.import_trace(lines(tmp_path / "a.jsonl", {**row, "grade": "operator"})).claims == ()
    assert memory.import_trace(lines(tmp_path / "b.jsonl", {**row, "grade": "system"})).claims == ()
    assert len(memory.import_trace(lines(tmp_path / "c.jsonl", {**row, "grade": "user"})).claims) == 1


def test_a_large_picture_lies_in_the_blob_store(memory: Memory, tmp_path: Path) -> None:
    """Its bytes, not their base64."""
    url = "data:image/png;base64," + "AAAA" * 100_000
    block = {"type": "image_url", "image_url": {"url": url}}
    report = memory.import_trace(lines(tmp_path / "t.jsonl", {"role": "user", "content": [block]}))
    assert (report.counts, report.admitted) == ({"user.image": 1}, 1)
    blobs = [path for path in (tmp_path / "store" / ".heedful" / "blobs").rglob("*") if path.is_file()]
    assert len(blobs) == 1
