"""The sample that ships with the package: a whole session, with every trap of its format in it."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

from transcripts import Imported, read_lines, unaccounted

import heedful
from heedful.observations.record import SourceGrade

PATH = Path(heedful.__file__).parent / "samples" / "release_run.jsonl"
LINES = tuple(PATH.read_bytes().splitlines())


def sample() -> Imported:
    return read_lines(LINES)


def test_the_sample_is_read_without_a_problem() -> None:
    """One item a line: each of its rows holds one block."""
    result = sample()
    assert result.problems == []
    assert unaccounted(LINES, result) == []
    assert Counter(result.kinds()) == {
        "assistant.text": 8,
        "assistant.thinking": 1,
        "assistant.tool_use": 10,
        "user.tool_result": 10,
        "user.text": 5,
        "user.prompt": 1,
        "user.compact_summary": 1,
        "system.compact_boundary": 1,
        "file-history-snapshot": 1,
        "ai-title": 1,
        "unknown:permission-mode": 1,
    }


def test_the_persons_two_rules_are_the_persons_and_alive() -> None:
    """One message, two lines: English and Chinese."""
    (rules,) = [item for item in sample().items if item.content.startswith(b"remember:")]
    assert (rules.grade, rules.flags) == (SourceGrade.USER, ())
    english, chinese = rules.content.decode().splitlines()
    assert re.fullmatch(r"remember: release\.freeze: .+ until=2026-12-07 applies_to=deploy\.production", english)
    assert re.fullmatch(r"记住: access\.production: .+ applies_to=diagnose\.production", chinese)


def test_what_must_not_be_believed_stands_as_data() -> None:
    """The injected instruction, the colleague's page, the key and the summary are nobody's rule."""
    items = sample().items
    for words in ("ignore previous instructions", "change freeze on production", "AKIA"):
        holders = [item for item in items if words in item.content.decode()]
        assert holders
        assert {item.grade for item in holders} == {SourceGrade.TOOL}


def test_the_sample_has_a_dead_branch_a_sub_agent_and_a_compaction() -> None:
    """Each where the story puts it."""
    result = sample()
    dead = [item.content.decode()[:14] for item in result.items if "dead-branch" in item.flags]
    assert dead == ["Simplest thing", "That would tru"]
    assert Counter(item.run_id.partition("/")[2] for item in result.items) == {"": 36, "agent-7b2e41c9": 4}
    (summary,) = result.of_kind("user.compact_summary")
    assert len(summary.derived_from_refs) == 27


def test_the_sample_names_no_person_and_no_address() -> None:
    """It ships; it is written for this purpose only."""
    whole = PATH.read_text(encoding="utf-8")
    assert "@" not in whole
    assert len(re.findall(r"AKIA[A-Z0-9]{16}\b", whole)) == len(re.findall("AKIA", whole)) == 2
    assert all(json.loads(line) for line in LINES)
