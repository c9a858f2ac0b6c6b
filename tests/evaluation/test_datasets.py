"""Cases are read liberally, and what cannot be read is named by line and field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from paired_cases import freeze, written

from heedful.evaluation.datasets import Case, load_cases, load_distractors
from heedful.kernel.errors import HeedfulError, InvalidInputError, UnavailableError
from heedful.kernel.ladder import Decision
from heedful.observations.record import RecordType


def case_of(folder: Path, **fields: object) -> Case:
    """The case of a file with one line."""
    (case,) = load_cases(written(folder, freeze(**fields))).cases
    return case


def error_of(folder: Path, text: str) -> HeedfulError:
    """The error of a file with this text."""
    path = folder / "bad.jsonl"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(HeedfulError) as raised:
        load_cases(path)
    return raised.value


def test_a_personal_case_has_its_questions(tmp_path: Path) -> None:
    """Each field lands where it is asked from; one that is missing is None; one that nobody knows does no harm."""
    case = case_of(tmp_path, update=None, severity="high", unheard_of=[1, 2])

    assert case.case_id == "freeze"
    assert case.indirect.text.startswith("Please deploy")
    assert case.direct is not None
    assert case.update is None
    assert case.other_scope is None
    assert case.expected == ()
    assert (case.language, case.domain, case.record_type) == ("en", "release", RecordType.MESSAGE)


def test_a_case_of_work_has_a_scope_a_source_and_a_tool_call(tmp_path: Path) -> None:
    """A request is a text, a tool call, or both; a bare word is a project; the source says what the record is."""
    case = case_of(
        tmp_path,
        indirect_query=None,
        about=None,
        request={"text": "ship it", "tool": "Bash", "args": {"command": "make deploy"}},
        scope="payments, environment:staging",
        source_kind="tickets",
        expected_decision="answer",
        other_scope_negative={"text": "ship it", "scope": {"project": "search"}},
    )

    assert (case.indirect.tool, case.indirect.args) == ("Bash", {"command": "make deploy"})
    assert case.scope == ("environment:staging", "project:payments")
    assert case.record_type is RecordType.DOCUMENT
    assert case.expected == (Decision.ALLOW, Decision.NOTICE)
    assert case.other_scope is not None
    assert case.other_scope.scope == ("project:search",)
    assert case.domain == "tickets"


@pytest.mark.parametrize(
    ("source", "record_type"),
    [
        ("ticket", RecordType.DOCUMENT),
        ("design doc", RecordType.DOCUMENT),
        ("tool output", RecordType.TOOL_RESULT),
        ("CI log", RecordType.TOOL_RESULT),
        ("chat", RecordType.MESSAGE),
        ("meeting_notes", RecordType.MESSAGE),
        ("note", RecordType.HUMAN_NOTE),
        ("a dream", RecordType.MESSAGE),
    ],
)
def test_a_source_says_what_the_record_is(tmp_path: Path, source: str, record_type: RecordType) -> None:
    """By its words, whatever their number and case; a message where they say nothing."""
    assert case_of(tmp_path, source_kind=source).record_type is record_type


def test_a_task_of_inmind_is_a_case(tmp_path: Path) -> None:
    """`user_message`, `naive_query`, `query` and `task_id` are memory, direct and indirect question, and id."""
    task = {"task_id": 7, "user_message": "我对花生过敏。", "naive_query": "我对什么过敏?", "query": "沙爹怎么做?"}

    (case,) = load_cases(written(tmp_path, task)).cases

    assert (case.case_id, case.memory, case.language) == ("7", "我对花生过敏。", "zh")
    assert case.direct is not None
    assert case.direct.text == "我对什么过敏?"
    assert case.indirect.text == "沙爹怎么做?"


def test_a_case_without_an_id_has_its_number_and_blank_lines_are_nothing(tmp_path: Path) -> None:
    """Numbers count cases, and `limit` takes the first of them; the digest is of the whole file."""
    path = tmp_path / "some.jsonl"
    line = json.dumps(freeze(id=None))
    path.write_text(f"\n{line}\n  \n{line}\n", encoding="utf-8")

    whole, first = load_cases(path), load_cases(path, limit=1)

    assert [case.case_id for case in whole.cases] == ["1", "2"]
    assert len(first.cases) == 1
    assert whole.sha256 == first.sha256


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"memory": None}, "memory"),
        ({"memory": "  "}, "memory"),
        ({"memory": "x" * 20_001}, "memory"),
        ({"indirect_query": None}, "indirect_query"),
        ({"indirect_query": 3}, "indirect_query"),
        ({"topic_negative": {"args": {}}}, "topic_negative"),
        ({"topic_negative": {"text": "a", "tool": 3}}, "topic_negative.tool"),
        ({"topic_negative": {"text": "a", "args": []}}, "topic_negative.args"),
        ({"scope": 3}, "scope"),
        ({"scope": ["user:*"]}, "scope"),
        ({"expected_decision": "perhaps"}, "expected_decision"),
        ({"id": {}}, "id"),
    ],
)
def test_a_malformed_field_is_named_with_its_line(tmp_path: Path, fields: dict[str, Any], field: str) -> None:
    """So that a long file can be mended."""
    error = error_of(tmp_path, json.dumps(freeze(id="good")) + "\n" + json.dumps(freeze(**fields)))

    assert error.code == "case_malformed"
    assert error.details == {"file": "bad.jsonl", "line_number": 2, "field": field}
    assert f"line 2: field {field}" in error.message


@pytest.mark.parametrize("line", ["{", "[]", "3", '"text"', "[" * 100_000, "\udcff"])
def test_a_line_that_is_no_object_is_named(tmp_path: Path, line: str) -> None:
    """Whatever it is instead."""
    error = error_of(tmp_path, line)

    assert (error.code, error.details["line_number"]) == ("case_malformed", 1)


def test_two_cases_of_one_id_are_refused(tmp_path: Path) -> None:
    """Their rows could not be told apart."""
    assert error_of(tmp_path, 2 * (json.dumps(freeze()) + "\n")).details["field"] == "id"


def test_a_file_without_a_case_or_without_a_file_is_an_error(tmp_path: Path) -> None:
    """It is never a run in which nothing failed."""
    assert error_of(tmp_path, "\n\n").code == "cases_none"
    with pytest.raises(UnavailableError, match="can't be read"):
        load_cases(tmp_path / "gone.jsonl")
    with pytest.raises(UnavailableError, match="can't be read"):
        load_distractors([tmp_path])


def test_too_many_distractors_are_refused(tmp_path: Path) -> None:
    """At the limit they are taken."""
    path = tmp_path / "chatter.txt"
    path.write_text("x\n" * 50_000, encoding="utf-8")
    assert len(load_distractors([path]).utterances) == 50_000

    with pytest.raises(InvalidInputError, match="more than 50000 distractors"):
        load_distractors([path, path])
