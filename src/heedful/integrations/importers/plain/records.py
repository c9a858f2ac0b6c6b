"""Records of a plain file: the fields of `remember`, one object each."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.plain.entry import (
    BYTES_MEDIA,
    Entry,
    Held,
    Problem,
    attributes_in,
    in_base64,
    in_json,
    in_text,
    sequence_in,
    subjects_in,
    texts_in,
    unknown_fields,
)
from heedful.integrations.importers.values import Attributes, named, time_of
from heedful.observations.record import RecordType, SourceGrade
from heedful.service.keeping.statements import RememberTexts

CONTENT, BASE64 = "content", "content_base64"
_OF_CLAIM = frozenset({"kind", "subject", "property_name", "value", "form", "applies_to", "not_for", "since", "until"})
_KNOWN = frozenset(each.name for each in fields(RememberTexts)) | {CONTENT, BASE64, "scope", "id"}
_GRADES = {
    RecordType.HUMAN_NOTE: SourceGrade.USER,
    RecordType.MESSAGE: SourceGrade.AGENT,
    RecordType.TOOL_CALL: SourceGrade.AGENT,
    RecordType.ACTION: SourceGrade.AGENT,
    RecordType.DOCUMENT: SourceGrade.DOCUMENT,
}
"""On whose word a record stands that does not say so: the least that its type allows; every other type: a tool's."""


def is_record(row: JsonObject) -> bool:
    """True where the row has a content."""
    return isinstance(row.get(CONTENT), str) or isinstance(row.get(BASE64), str)


def is_surely_record(row: JsonObject) -> bool:
    """True where it has no field besides that a record has not."""
    return is_record(row) and row.keys() <= _KNOWN


def record_entry(row: JsonObject) -> Entry | Problem:
    """The entry of this record; or why it was not taken."""
    if (kept_out := _kept_out(row)) is not None:
        return kept_out
    subjects, subject_problems = subjects_in(row.get("subjects"))
    attributes, attribute_problems = attributes_in(row.get("attributes"))
    record_type, type_problems = _type_of(row)
    grade, grade_problems = _grade_of(row, record_type)
    found = [*subject_problems, *attribute_problems, *type_problems, *grade_problems]
    if _OF_CLAIM & row.keys():
        message = "no claim was proposed of this record: an import proposes none; `heedful remember --batch` does"
        found.append(("claim_not_proposed", message))
    occurred = time_of(row.get("occurred_at"))
    if occurred is None and row.get("occurred_at") is not None:
        found.append(("time_malformed", "occurred_at is no time; taken as not known"))
    own = row.get("source_ref") or row.get("id")
    return Entry(
        kind=f"record.{record_type.value}",
        type=record_type,
        grade=grade,
        held=_held(row),
        own=own if isinstance(own, str) else None,
        run_id=row["run_id"] if isinstance(row.get("run_id"), str) else None,
        sequence=sequence_in(row),
        occurred=occurred,
        speaker=row["speaker"] if isinstance(row.get("speaker"), str) else None,
        subjects=subjects,
        attributes=attributes + scope_stated(row),
        derived_from=texts_in(row.get("derived_from")),
        problems=(*found, *unknown_fields(row, _KNOWN)),
    )


def scope_stated(row: JsonObject) -> Attributes:
    """The scope that the row names, as an attribute: where it is kept is for whoever imports it to say."""
    return named("stated_scope", " ".join(texts_in(row.get("scope"))))


def _kept_out(row: JsonObject) -> Problem | None:
    """What would be kept with less care than the record asks for is not taken."""
    asks: list[tuple[str, Any]] = [("classification", "normal"), ("retain_days", None)]
    name = next((name for name, usual in asks if row.get(name, usual) not in (usual, None)), None)
    if row.get("consent") == "denied":
        name = "consent"
    if name is None:
        return None
    return (
        "record_not_imported",
        f"an import can't honour {name} of a single record; `heedful remember --batch` takes this line and does",
    )


def _type_of(row: JsonObject) -> tuple[RecordType, list[Problem]]:
    given = row.get("record_type")
    if given is None:
        return RecordType.HUMAN_NOTE, []
    try:
        return RecordType(given), []
    except ValueError:
        return RecordType.OBSERVATION, [("type_unknown", "record_type is none that is known; taken as an observation")]


def _grade_of(row: JsonObject, record_type: RecordType) -> tuple[SourceGrade, list[Problem]]:
    given = row.get("grade")
    if given is None:
        return _GRADES.get(record_type, SourceGrade.TOOL), []
    try:
        return SourceGrade(given), []
    except ValueError:
        return SourceGrade.DOCUMENT, [("grade_unknown", "grade is none that is known; taken as a document's word")]


def _held(row: JsonObject) -> Held:
    if isinstance(row.get(CONTENT), str):
        return in_text(row[CONTENT], row.get("media_type"))
    found = in_base64(row.get(BASE64), row.get("media_type", BYTES_MEDIA))
    problem = ("base64_invalid", "content_base64 is no valid base64; the record was kept as it stands")
    return found or in_json(row, problem)
