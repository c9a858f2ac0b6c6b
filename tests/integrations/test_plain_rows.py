"""Plain records and events: taken as they say, never with more authority or less care than they may have."""

from __future__ import annotations

from typing import Any

import pytest
from read_traces import attributes, format_of, read_document, read_rows
from transcripts import LinesSource, as_lines

from heedful.integrations.importers.plain.format import PlainDocument, PlainLinesImporter
from heedful.integrations.importers.plain.order import RUNS_HELD_MAX
from heedful.observations.record import RecordType, SourceGrade


def event(kind: str, payload: Any, **more: Any) -> dict[str, Any]:
    return {"id": f"e-{kind}", "run_id": "r1", "sequence": 0, "kind": kind, "payload": payload, **more}


@pytest.mark.parametrize(
    ("kind", "record_type", "grade"),
    [
        ("observation", RecordType.OBSERVATION, SourceGrade.TOOL),
        ("tool-call", RecordType.TOOL_CALL, SourceGrade.AGENT),
        ("tool-result", RecordType.TOOL_RESULT, SourceGrade.TOOL),
        ("action", RecordType.ACTION, SourceGrade.AGENT),
        ("verification", RecordType.VERIFICATION, SourceGrade.TOOL),
        ("human-note", RecordType.HUMAN_NOTE, SourceGrade.USER),
        ("human_note", RecordType.HUMAN_NOTE, SourceGrade.USER),
    ],
)
def test_the_kind_of_an_event_tells_its_type_and_its_word(
    kind: str, record_type: RecordType, grade: SourceGrade
) -> None:
    """Hyphens and underscores are alike."""
    result = read_rows(event(kind, "it rained"))
    (item,) = result.items
    assert (item.type, item.grade, item.content) == (record_type, grade, b"it rained")
    assert (item.kind, item.run_id, item.sequence) == (f"event.{kind.replace('_', '-')}", "r1", 0)
    assert result.problems == []


def test_an_event_has_its_own_place_time_and_subjects_whatever_the_order_of_the_file() -> None:
    """What arrives late is put right by its sequence."""
    late = event("observation", {"text": "up"}, id="b", sequence=7, occurred_at="2026-11-01T00:00:00Z")
    late["subject"] = [{"type": "deployment", "id": "checkout"}]
    early = event("observation", "down", id="a", sequence=2, subject={"type": "host", "id": "h1"})
    first, second = read_rows(late, early).items
    assert (first.sequence, second.sequence) == (7, 2)
    assert (first.content, first.occurred and first.occurred.at_us) == (b"up", 1_793_491_200_000_000)
    assert [(each.type, each.id) for each in first.subjects + second.subjects] == [
        ("deployment", "checkout"),
        ("host", "h1"),
    ]


def test_a_result_is_bound_to_its_call() -> None:
    """By the id in their payloads, which stay as they are."""
    call, result, lost = read_rows(
        event("tool-call", {"tool": "read", "call_id": "c1", "input": {"path": "a"}}),
        event("tool-result", {"call_id": "c1", "is_error": True, "output": "no"}),
        event("tool-result", {"call_id": "c2", "output": "x"}, id="z"),
    ).items
    assert call.content == b'{"call_id":"c1","input":{"path":"a"},"tool":"read"}'
    assert result.derived_from_refs == (call.source_ref,)
    assert attributes(result) == {"call_id": "c1", "is_error": True, "tool": "read"}
    assert lost.flags == ("call-missing",)


def test_a_record_is_taken_with_its_fields() -> None:
    """Those of `remember`; where its scope is another one, it says so."""
    record = {
        "content": "All green.",
        "record_type": "tool_result",
        "run_id": "r2",
        "sequence": 4,
        "source_ref": "ci:7",
        "speaker": "ci",
        "occurred_at": "2026-11-01",
        "subjects": [["host", "h1"], ["deployment", "d"]],
        "attributes": {"branch": "main", "passed": True},
        "scope": ["project:other"],
        "derived_from": ["ci:6"],
    }
    (item,) = read_rows(record).items
    assert (item.kind, item.grade, item.speaker) == ("record.tool_result", SourceGrade.TOOL, "ci")
    assert (item.run_id, item.sequence, item.source_ref) == ("r2", 4, "heedful:r2:ci:7")
    assert item.derived_from_refs == ("heedful:r2:ci:6",)
    assert attributes(item) == {"branch": "main", "passed": True, "stated_scope": "project:other"}
    assert [each.id for each in item.subjects] == ["h1", "d"]


@pytest.mark.parametrize(
    ("record_type", "grade"),
    [
        (None, SourceGrade.USER),
        ("human_note", SourceGrade.USER),
        ("message", SourceGrade.AGENT),
        ("tool_call", SourceGrade.AGENT),
        ("document", SourceGrade.DOCUMENT),
        ("verification", SourceGrade.TOOL),
        ("nonsense", SourceGrade.TOOL),
    ],
)
def test_a_record_that_names_no_grade_has_the_least_that_its_type_allows(record_type: str, grade: SourceGrade) -> None:
    """A message is a person's only where it says so."""
    (item,) = read_rows({"content": "x", "record_type": record_type}).items
    assert item.grade is grade


def test_a_message_that_says_it_is_a_users_is_one() -> None:
    """The control of the above."""
    (item,) = read_rows({"content": "x", "record_type": "message", "grade": "user"}).items
    assert item.grade is SourceGrade.USER


@pytest.mark.parametrize("name", ["verifies", "approves"])
def test_no_file_lets_a_call_through(name: str) -> None:
    """What the gate reads as a proof or a yes is left out of records and events, and told."""
    for row in ({"content": "x", "attributes": {name: "deploy"}}, event("verification", "x", attributes={name: "d"})):
        result = read_rows(row)
        assert name not in attributes(result.items[0])
        assert result.codes() == ["attribute_reserved"]


@pytest.mark.parametrize(
    "more", [{"classification": "restricted"}, {"consent": "denied"}, {"retain_days": 3}, {"classification": 5}]
)
def test_what_an_import_would_keep_with_less_care_is_not_taken(more: dict[str, Any]) -> None:
    """It is named, and the way that honours it; the control asks for nothing special."""
    result = read_rows({"content": "x", **more})
    assert (result.items, result.codes()) == ([], ["record_not_imported"])
    assert "remember --batch" in result.problems[0].message
    usual = {"classification": "normal", "consent": "explicit", "retain_days": None}
    assert read_rows({"content": "x", **usual}).problems == []


def test_what_is_left_out_of_a_row_is_named() -> None:
    """Claims, unknown fields, malformed subjects, attributes, times, types and grades: the rest of the row is kept."""
    row = {
        "content": "x",
        "kind": "release.freeze",
        "record_type": "odd",
        "grade": "boss",
        "occurred_at": "soon",
        "subjects": ["x", ["host"]],
        "attributes": {"a": [1], "b": 1},
    }
    result = read_rows({"content": "y"}, {**row, "colour": "red"})
    assert sorted(result.codes()) == [
        "attribute_malformed",
        "claim_not_proposed",
        "field_unknown",
        "grade_unknown",
        "subject_malformed",
        "subject_malformed",
        "time_malformed",
        "type_unknown",
    ]
    assert attributes(result.items[1]) == {"b": 1}
    assert "colour" in next(each.message for each in result.problems if each.code == "field_unknown")


def test_base64_is_bytes_of_its_media_type() -> None:
    """In records and in payloads; what is no base64 is kept as it stands."""
    picture = {"content_base64": "iVBORw0KGgo=", "media_type": "image/png"}
    result = read_rows(picture, event("observation", picture), {**picture, "content_base64": "%%"})
    assert [each.media_type for each in result.items] == ["image/png", "image/png", "application/json"]
    assert {each.content for each in result.items[:2]} == {b"\x89PNG\r\n\x1a\n"}
    assert result.codes() == ["base64_invalid"]


def test_rows_of_unknown_kinds_are_kept_raw() -> None:
    """Events of other kinds, and rows that are neither."""
    result = read_rows(event("dream", "x"), {"type": "weather"}, {"z": 1}, event("observation", ""))
    assert result.kinds() == ["unknown:dream", "unknown:weather", "unknown:none", "event.observation"]
    assert result.items[3].media_type == "application/json"


def test_a_name_that_two_different_entries_have_keeps_both() -> None:
    """The same entry twice is taken once."""
    same, other = event("observation", "a", id="x"), event("observation", "b", id="x")
    result = read_rows(same, same, other)
    assert [(each.content, each.flags) for each in result.items] == [(b"a", ()), (b"b", ("id-reused",))]
    assert result.codes() == ["row_repeated"]


def test_entries_without_a_name_go_by_what_is_in_them() -> None:
    """Said twice is twice, in the file's own run."""
    result = read_rows({"content": "ok"}, {"content": "ok"}, name="notes.jsonl")
    assert len({each.source_ref for each in result.items}) == 2
    assert [(each.run_id, each.sequence) for each in result.items] == [("notes", 0), ("notes", 1)]
    other = read_rows({"content": "ok"}, name="copy.jsonl")
    assert other.items[0].source_ref == result.items[0].source_ref


def test_a_batch_is_the_same_as_its_lines() -> None:
    """`{"records": [...]}`, and a plain list."""
    rows = [{"content": "a"}, event("observation", {"x": 1}), {"z": 1}]
    lines = read_rows(*rows, name="t.json")
    for document in ({"records": rows}, rows):
        assert [each.source_ref for each in read_document(document, "t.json").items] == [
            each.source_ref for each in lines.items
        ]
    assert read_document({"records": [{"content": "a"}, 5]}).codes() == ["row_not_object"]


@pytest.mark.parametrize(
    "row", [{}, {"role": "user", "content": "x"}, {"kind": "MessageEvent", "id": "1"}, {"x": "content"}]
)
def test_rows_of_other_formats_are_not_taken_for_plain_ones(row: dict[str, Any]) -> None:
    """The control: a record in its place is recognised."""
    assert not PlainLinesImporter().recognises(as_lines([row]))
    assert not PlainDocument().recognises({"records": [row]})
    assert format_of(LinesSource(as_lines([{"content": "x"}]))) == "heedful"


def test_of_many_runs_only_those_whose_calls_are_all_known_are_bound_by_order() -> None:
    """A run whose open call was let go binds nothing more: what looks like the only call may be the second."""
    call, gave = {"tool": "t", "input": {}}, {"output": "x"}
    first = event("tool-call", call, run_id="r0", id="a")
    others = [event("tool-call", call, run_id=f"r{at}", id="b") for at in range(1, RUNS_HELD_MAX + 1)]
    later = [event("tool-call", call, run_id="r0", id="c", sequence=1)]
    later += [event("tool-result", gave, run_id="r0", id="d", sequence=2)]
    assert read_rows(first, *others, *later).items[-1].derived_from_refs == ()
    alone = read_rows(first, event("tool-result", gave, run_id="r0", id="d", sequence=1)).items
    assert alone[-1].derived_from_refs == (alone[0].source_ref,), "the control: the only one is bound"
    assert attributes(alone[-1]) == {"tool": "t"}
