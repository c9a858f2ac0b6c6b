"""Real and hand-made Claude Code transcripts from public repositories, counted against the files themselves."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from transcripts import Imported, read_lines, unaccounted

from heedful.integrations.importers.claude_code.importer import ClaudeCodeImporter
from heedful.integrations.importers.detect import FileTraceSource, detect
from heedful.ports.importer import ImportedItem

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "traces"
NAMES = ("claude_code_representative", "claude_code_sidechain", "claude_code_rewind_then_compact")
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="needs ../shared/cases")


def lines_of(name: str) -> tuple[bytes, ...]:
    return tuple((CASES / f"{name}.jsonl").read_bytes().splitlines())


def imported(name: str) -> Imported:
    return read_lines(lines_of(name))


def kinds_by_hand(rows: list[dict[str, Any]]) -> Counter[str]:
    """One for each block; these files hold no block twice."""
    found: Counter[str] = Counter()
    for row in rows:
        if row["type"] in ("summary", "system"):
            found[row["type"] if row["type"] == "summary" else f"system.{row['subtype']}"] += 1
            continue
        for block in row["message"]["content"]:
            summary = row.get("isCompactSummary") and block["type"] == "text"
            found[f"{row['type']}.{'compact_summary' if summary else block['type']}"] += 1
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_block_of_a_public_transcript_becomes_one_item(name: str) -> None:
    """Counts per kind equal those taken from the file with nothing but a JSON reader."""
    lines = lines_of(name)
    result = imported(name)
    assert Counter(result.kinds()) == kinds_by_hand([json.loads(line) for line in lines])
    assert result.problems == []
    assert unaccounted(lines, result) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_public_transcript_is_recognised_and_read_alike_from_disk(name: str) -> None:
    """The file source gives the same items as its lines held in memory."""
    source = FileTraceSource(CASES / f"{name}.jsonl")
    importer = detect(source, [ClaudeCodeImporter()])
    items = [item for item in importer.read(source) if isinstance(item, ImportedItem)]
    assert items == imported(name).items


@pytest.mark.parametrize("name", NAMES)
def test_the_texts_of_a_public_transcript_arrive_byte_for_byte(name: str) -> None:
    """Each text block of the file is the content of an item."""
    contents = {item.content.decode() for item in imported(name).items}
    for line in lines_of(name):
        message = json.loads(line).get("message", {"content": []})
        for block in message["content"]:
            assert block["type"] != "text" or block["text"] in contents


def test_a_transcript_without_any_parents_has_no_dead_branch() -> None:
    """Version 1.0 links no rows; all of them are the conversation."""
    result = imported("claude_code_representative")
    assert [item.flags for item in result.items[:-1]] == [()] * 11
    assert [item.sequence for item in result.items] == list(range(12))
    assert result.items[-1].derived_from_refs == (result.items[-2].source_ref,)


def test_a_rewind_leaves_exactly_its_branch_dead() -> None:
    """The first attempt is dead; what came before, after, and over the compaction is not."""
    result = imported("claude_code_rewind_then_compact")
    dead = [item.content for item in result.items if "dead-branch" in item.flags]
    assert dead == [b"First attempt", b"First answer"]
    (summary,) = result.of_kind("user.compact_summary")
    assert summary.grade == "summary"
    assert len(summary.derived_from_refs) == 6


def test_sidechain_rows_keep_to_runs_of_their_own() -> None:
    """Two sub-agent stretches and the main run; a result whose call is absent says so."""
    result = imported("claude_code_sidechain")
    runs = Counter(item.run_id.partition("/")[2] for item in result.items)
    assert runs == {"": 3, "sidechain-b674eedd-0d9d-49e7-8116-1f092cd750ed": 2, "agent-e1c84ba5": 1}
    assert [item.line_number for item in result.items if "sidechain" in item.flags] == [3, 4, 5]
    assert [item.line_number for item in result.items if "call-missing" in item.flags] == [5]
    assert not any("dead-branch" in item.flags for item in result.items)


def test_the_usage_of_a_message_over_two_rows_counts_once() -> None:
    """Output tokens over items add up to those over distinct message ids."""
    rows = [json.loads(line) for line in lines_of("claude_code_sidechain")]
    by_message = {r["message"]["id"]: r["message"]["usage"]["output_tokens"] for r in rows if r["type"] == "assistant"}
    items = imported("claude_code_sidechain").items
    assert sum(int(dict(item.attributes).get("output_tokens", 0)) for item in items) == sum(by_message.values())
