"""Source calls: which tool gave an output, as far as somebody sees the call that tells, and knew of it then."""

from __future__ import annotations

from dataclasses import replace

from heedful.observations.record import Record, RecordType
from heedful.ports.store import Reading
from heedful.ports.upkeep import ClaimSource
from heedful.service.keeping.calls import CALL_IDS, TOOL, Calls
from heedful.service.session import Session

UNKNOWN = "tool:unknown"


def told_tool(
    session: Session, reading: Reading, source: ClaimSource, record: Record, known_us: int | None
) -> ClaimSource:
    """The source; what a call alone told of it is told anew by a call that the session sees and that was known then.

    `record`: the source's own, which the session sees. `known_us`: UTC microseconds, None: now.
    """
    if not source.source_type.startswith("tool:") or (known_us is None and not session.denied_kinds):
        return source
    calls = Calls(session)
    own_tool, own_id = _own_tool(calls, record), _call_id(record)
    if own_tool is not None and own_id is not None:
        return source
    call = calls.source(record, reading)
    stored = None if call is None else reading.record(call.record_id)
    if call is None or stored is None or (known_us is not None and stored.recorded_at_us > known_us):
        source_type = UNKNOWN if own_tool is None else source.source_type
        return replace(source, source_type=source_type, source_id=own_id or record.record_id)
    made = calls.made(call)
    told = UNKNOWN if made is None or made.tool is None else f"tool:{made.tool}"
    is_made_from = call.record_id in record.derived_from
    return replace(
        source,
        source_type=told if own_tool is None else source.source_type,
        source_id=own_id or ((_call_id(call) or call.record_id) if is_made_from else record.record_id),
    )


def _own_tool(calls: Calls, record: Record) -> str | None:
    tool = dict(record.attributes).get(TOOL)
    if isinstance(tool, str):
        return tool
    made = calls.made(record) if record.type is RecordType.TOOL_CALL else None
    return None if made is None else made.tool


def _call_id(record: Record) -> str | None:
    return min(
        (value for name, value in record.attributes if name in CALL_IDS and isinstance(value, str)), default=None
    )
