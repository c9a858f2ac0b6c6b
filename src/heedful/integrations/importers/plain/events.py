"""Events of a trajectory: id, run_id, scope, sequence, occurred_at, kind, subject, payload."""

from __future__ import annotations

from typing import Any

from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.plain.entry import (
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
from heedful.integrations.importers.plain.records import BASE64, scope_stated
from heedful.integrations.importers.values import Attributes, named, short_name, time_of
from heedful.observations.record import RecordType, SourceGrade

_KINDS = {
    "observation": (RecordType.OBSERVATION, SourceGrade.TOOL),
    "tool-call": (RecordType.TOOL_CALL, SourceGrade.AGENT),
    "tool-result": (RecordType.TOOL_RESULT, SourceGrade.TOOL),
    "action": (RecordType.ACTION, SourceGrade.AGENT),
    "verification": (RecordType.VERIFICATION, SourceGrade.TOOL),
    "human-note": (RecordType.HUMAN_NOTE, SourceGrade.USER),
}
_KNOWN = frozenset(
    {"id", "run_id", "scope", "sequence", "occurred_at", "kind", "subject", "payload"}
    | {"speaker", "attributes", "derived_from"}
)
_ITS_WORDS = ("text", "content")


def is_event(row: JsonObject) -> bool:
    """True where the row is an event of a trajectory, of whatever kind."""
    names_itself = isinstance(row.get("id"), str | int) or isinstance(row.get("run_id"), str)
    return isinstance(row.get("kind"), str) and "payload" in row and names_itself


def event_entry(row: JsonObject) -> Entry:
    """The entry of this event; one of an unknown kind is kept raw."""
    sort = str(row.get("kind")).replace("_", "-")
    payload = row.get("payload")
    inner = payload if isinstance(payload, dict) else {}
    subjects, problems = subjects_in(row.get("subject"))
    attributes, attribute_problems = attributes_in(row.get("attributes"))
    record_type, grade = _KINDS.get(sort, (RecordType.OBSERVATION, SourceGrade.TOOL))
    occurred = time_of(row.get("occurred_at"))
    if occurred is None and row.get("occurred_at") is not None:
        problems.append(("time_malformed", "occurred_at is no time; taken as not known"))
    call_id = inner.get("call_id")
    linked = call_id if isinstance(call_id, str) else None
    own = row.get("id")
    return Entry(
        kind=f"event.{sort}" if sort in _KINDS else f"unknown:{short_name(sort)}",
        type=record_type,
        grade=grade,
        held=_held(row, payload, inner) if sort in _KINDS else in_json(row),
        own=str(own) if isinstance(own, str | int) else None,
        run_id=row["run_id"] if isinstance(row.get("run_id"), str) else None,
        sequence=sequence_in(row),
        occurred=occurred,
        speaker=row["speaker"] if isinstance(row.get("speaker"), str) else None,
        subjects=subjects,
        attributes=_of_payload(record_type, inner) + attributes + scope_stated(row),
        derived_from=texts_in(row.get("derived_from")),
        calls=linked if record_type is RecordType.TOOL_CALL else None,
        answers=linked if record_type is RecordType.TOOL_RESULT else None,
        problems=tuple(_problems(row, problems + attribute_problems)),
    )


def _problems(row: JsonObject, found: list[Problem]) -> list[Problem]:
    if str(row.get("kind")).replace("_", "-") not in _KINDS:
        return found
    return [*found, *unknown_fields(row, _KNOWN)]


def _of_payload(record_type: RecordType, inner: JsonObject) -> Attributes:
    """What a call and its output say of themselves."""
    if record_type not in (RecordType.TOOL_CALL, RecordType.TOOL_RESULT, RecordType.ACTION):
        return ()
    found = named("tool", inner.get("tool", inner.get("name"))) + named("call_id", inner.get("call_id"))
    is_error = inner.get("is_error")
    return found + ((("is_error", is_error),) if isinstance(is_error, bool) else ())


def _held(row: JsonObject, payload: Any, inner: JsonObject) -> Held:
    if isinstance(payload, str) and payload.strip():
        return in_text(payload)
    if BASE64 in inner:
        problem = ("base64_invalid", "content_base64 is no valid base64; the payload was kept as it stands")
        return in_base64(inner[BASE64], inner.get("media_type")) or in_json(payload, problem)
    if len(inner) == 1 and "output" in inner and str(row.get("kind")).replace("_", "-") == "tool-result":
        # Nothing beside it: what the tool gave, and no frame of ours around it.
        return in_text(inner["output"]) if isinstance(inner["output"], str) else in_json(inner["output"])
    words = [inner[name] for name in _ITS_WORDS if isinstance(inner.get(name), str) and inner[name].strip()]
    if len(inner) == 1 and words:
        return in_text(words[0])
    return in_json(row if payload in (None, "") or isinstance(payload, str) else payload)
