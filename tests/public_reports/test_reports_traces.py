"""Public Claude Code transcripts, imported into a store end to end and counted against their files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from report_store import ReportStore

from heedful.kernel.errors import UnsupportedError
from heedful.observations.record import SourceGrade

TRACES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "traces"
pytestmark = pytest.mark.skipif(not TRACES.is_dir(), reason="needs ../shared/cases")
FILES = sorted(TRACES.glob("claude_code_*.jsonl"))
SCOPE = ["project:imported"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReportStore]:
    with ReportStore(tmp_path) as store:
        yield store


def rows_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def counted(file: Path) -> Counter[str]:
    """What the file holds, with a JSON reader alone: each block, and each row that has none."""
    found: Counter[str] = Counter()
    for row in rows_of(file):
        if row["type"] == "system":
            found[f"system.{row['subtype']}"] += 1
            continue
        if row["type"] == "summary":
            found["summary"] += 1
            continue
        content = row["message"]["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            machine = row.get("isCompactSummary") and block["type"] == "text"
            found[f"{row['type']}.{'compact_summary' if machine else block['type']}"] += 1
    return found


def test_the_three_public_transcripts_are_there() -> None:
    """A file that went missing would go unnoticed otherwise."""
    assert [file.stem for file in FILES] == [
        "claude_code_representative", "claude_code_rewind_then_compact", "claude_code_sidechain",
    ]  # fmt: skip


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_public_transcript_is_imported_without_loss(store: ReportStore, file: Path) -> None:
    """Counts per kind equal the file's; every block is a record, with its text; nothing is refused or a problem."""
    report = store.memory().import_trace(file, scope=SCOPE)
    expected = counted(file)
    assert Counter(report.counts) == expected
    assert (report.admitted, report.pending, report.refused, report.duplicates) == (sum(expected.values()), 0, 0, 0)
    assert report.problems == ()
    stored = store.records_of(*SCOPE)
    assert len(stored) == sum(expected.values())
    contents = Counter(each.record.content for each in stored)
    for row in rows_of(file):
        content = row.get("message", {}).get("content", [])
        for block in content if isinstance(content, list) else [{"type": "text", "text": content}]:
            assert block["type"] != "text" or contents[block["text"]] > 0 or _was_redacted(stored, block["text"])


def _was_redacted(stored: Any, text: str) -> bool:
    return any(each.record.redactions and (each.record.content or "")[:20] == text[:20] for each in stored)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_importing_a_public_transcript_twice_adds_nothing(store: ReportStore, file: Path) -> None:
    """The ledger's head does not move; all are named as known."""
    memory = store.memory()
    first = memory.import_trace(file, scope=SCOPE)
    head = memory.verify().ledger
    again = memory.import_trace(file, scope=SCOPE)
    assert memory.verify().ledger == head
    assert (again.admitted, again.duplicates, again.position) == (0, first.admitted, 0)
    assert again.counts == first.counts
    assert len(store.records_of(*SCOPE)) == first.admitted


def test_all_public_transcripts_lie_side_by_side(store: ReportStore) -> None:
    """In one store, in one scope: the chain holds, a refold gives the live views byte for byte, also after reopening."""
    reports = [store.memory().import_trace(file, scope=SCOPE) for file in FILES]
    assert store.memory().verify(views=True).views == "equal"
    store.reopen()
    audit = store.memory().verify(views=True)
    assert (audit.holds, audit.views) == (True, "equal")
    assert len(store.records_of(*SCOPE)) == sum(report.admitted for report in reports)
    assert store.memory("t2").status().counts["records"] == 0


def test_words_of_a_public_transcript_are_recalled_and_are_never_rules(store: ReportStore) -> None:
    """A question finds the message that answers it, as data; the machine's summary is not the user's word."""
    for file in FILES:
        store.memory().import_trace(file, scope=SCOPE)
    packet = store.memory().recall("How do Python decorators work?", scope=SCOPE)
    assert any("decorator" in item.text for item in packet.items)
    assert {item.role for item in packet.items} == {"data"}
    summaries = [each.record for each in store.records_of(*SCOPE) if "compaction-summary" in each.record.flags]
    assert {each.grade for each in summaries} == {SourceGrade.SUMMARY}


def test_a_trace_of_no_known_format_is_refused_and_adds_nothing(store: ReportStore, tmp_path: Path) -> None:
    """An unknown format is an error that names the known ones; it never looks like an empty transcript."""
    before = store.memory().status().ledger_position
    path = tmp_path / "odd.json"
    path.write_text('{"chapters": ["one"]}')
    with pytest.raises(UnsupportedError) as refused:
        store.memory().import_trace(path, scope=SCOPE)
    assert refused.value.code == "trace_format_unknown"
    assert store.memory().status().ledger_position == before
