"""LangGraph databases, OTLP payloads and Langfuse exports made by hand, and what the importers make of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from transcripts import Imported, LinesSource

from heedful.integrations.importers.detect import FileTraceSource, detect
from heedful.integrations.importers.known import DOCUMENT_FORMATS, LINE_FORMATS
from heedful.ports.importer import ImportedItem, ImportProblem, TraceSource

TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736"
SCHEMA = """
CREATE TABLE checkpoints (
  thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,
  parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB,
  PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));
CREATE TABLE writes (
  thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,
  task_id TEXT NOT NULL, idx INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT, value BLOB,
  PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));
"""


def imported_from(source: TraceSource) -> Imported:
    """What the importer that recognises this source makes of it."""
    found = list(detect(source, LINE_FORMATS, DOCUMENT_FORMATS).read(source))
    items = [item for item in found if isinstance(item, ImportedItem)]
    return Imported(items, [each for each in found if isinstance(each, ImportProblem)])


def imported_file(path: Path) -> Imported:
    return imported_from(FileTraceSource(path))


def imported_document(document: object, *, indent: int | None = 1) -> Imported:
    return imported_from(LinesSource(tuple(json.dumps(document, indent=indent).encode().splitlines())))


def imported_lines(*payloads: object) -> Imported:
    return imported_from(LinesSource(tuple(json.dumps(each).encode() for each in payloads)))


def said(imported: Imported) -> list[tuple[str, str]]:
    """Kind and text of each item, in the order of their places."""
    return [(item.kind, item.content.decode()) for item in sorted(imported.items, key=lambda each: each.sequence)]


def attributes(item: ImportedItem) -> dict[str, Any]:
    return dict(item.attributes)


def pack(value: object) -> bytes:
    return msgspec.msgpack.encode(value)


def extension(code: int, *data: object) -> msgspec.msgpack.Ext:
    """What LangGraph writes for an object: its module, its class, and what to call it with."""
    return msgspec.msgpack.Ext(code, pack(list(data)))


def message(sort: str, content: object, message_id: str | None = None, **more: Any) -> dict[str, Any]:
    return {"type": sort, "content": content, "id": message_id, **more}


def model(fields: dict[str, Any]) -> msgspec.msgpack.Ext:
    """A LangChain message as LangGraph writes it into a checkpoint."""
    name = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}.get(fields["type"], "SystemMessage")
    return extension(5, f"langchain_core.messages.{fields['type']}", name, fields, "model_validate_json")


@dataclass
class Saved:
    """A checkpoint for `database`; `messages` become the channel of that name."""

    checkpoint_id: str
    parent: str | None = None
    messages: Sequence[dict[str, Any]] = ()
    values: dict[str, Any] = field(default_factory=dict)
    source: str = "loop"
    step: int = 0
    thread_id: str = "t1"
    namespace: str = ""
    blob: tuple[str | None, bytes] | None = None

    def row(self) -> tuple[Any, ...]:
        values = {"messages": [model(each) for each in self.messages], **self.values}
        state = {"v": 4, "ts": f"2026-11-29T18:04:{self.step + 1:02d}+00:00", "channel_values": values}
        sort, blob = self.blob or ("msgpack", pack(state))
        metadata = json.dumps({"source": self.source, "step": self.step, "parents": {}}).encode()
        return (self.thread_id, self.namespace, self.checkpoint_id, self.parent, sort, blob, metadata)


def write(
    checkpoint_id: str, channel: str, value: object, *, task: str = "task", index: int = 0, sort: str = "msgpack"
) -> tuple[Any, ...]:
    """A row of the table of writes."""
    blob = value if isinstance(value, bytes) else pack(value)
    return ("t1", "", checkpoint_id, task, index, channel, sort, blob)


def database(path: Path, saved: Iterable[Saved], writes: Iterable[tuple[Any, ...]] = ()) -> Path:
    """A checkpoint database at this path."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA)
        connection.executemany("INSERT INTO checkpoints VALUES (?,?,?,?,?,?,?)", [each.row() for each in saved])
        connection.executemany("INSERT INTO writes VALUES (?,?,?,?,?,?,?,?)", list(writes))
        connection.commit()
    return path


def state(
    checkpoint_id: str, parent: str | None, messages: Sequence[dict[str, Any]], step: int, source: str = "loop"
) -> dict[str, Any]:
    """One state of a history."""
    place = {"thread_id": "t1", "checkpoint_ns": ""}
    return {
        "values": {"messages": list(messages)},
        "next": [],
        "config": {"configurable": {**place, "checkpoint_id": checkpoint_id}},
        "metadata": {"source": source, "step": step, "parents": {}},
        "created_at": f"2026-11-29T18:04:{step + 1:02d}+00:00",
        "parent_config": {"configurable": {**place, "checkpoint_id": parent}} if parent else None,
        "tasks": [],
    }


def value(given: Any) -> dict[str, Any]:
    """An AnyValue."""
    if isinstance(given, bool):
        return {"boolValue": given}
    if isinstance(given, int):
        return {"intValue": str(given)}
    if isinstance(given, dict):
        return {"kvlistValue": {"values": [{"key": name, "value": value(each)} for name, each in given.items()]}}
    if isinstance(given, list):
        return {"arrayValue": {"values": [value(each) for each in given]}}
    return {"stringValue": given}


def pairs(given: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": value(each)} for name, each in given.items()]


def span(
    number: int,
    parent: int | None = None,
    *,
    start: int,
    end: int,
    events: Sequence[tuple[str, dict[str, Any]]] = (),
    trace_id: str = TRACE_ID,
    **given: Any,
) -> dict[str, Any]:
    """A span; `__` in a name stands for a dot, and every attribute is one of gen_ai."""
    found = {
        "traceId": trace_id,
        "spanId": f"{number:016x}",
        "name": f"span {number}",
        "kind": 1,
        "startTimeUnixNano": str(1_755_500_000_000_000_000 + start * 1_000_000),
        "endTimeUnixNano": str(1_755_500_000_000_000_000 + end * 1_000_000),
        "attributes": pairs({f"gen_ai.{name.replace('__', '.')}": each for name, each in given.items()}),
        "events": [{"name": name, "attributes": pairs(fields)} for name, fields in events],
        "status": {"code": 1},
    }
    return found if parent is None else {**found, "parentSpanId": f"{parent:016x}"}


def export(*spans: dict[str, Any], service: str | None = None) -> dict[str, Any]:
    resource = {"attributes": pairs({"service.name": service} if service else {})}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {}, "spans": list(spans)}]}]}


def parts(role: str, *texts: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text} for text in texts]}


def observation(
    own: str, parent: str | None, second: int, sort: str = "SPAN", given: Any = None, gave: Any = None, **more: Any
) -> dict[str, Any]:
    """A Langfuse observation; input and output are JSON in a text, as its exports have them."""
    return {
        "id": own,
        "traceId": "trace-1",
        "parentObservationId": parent,
        "type": sort,
        "name": own,
        "startTime": f"2026-11-22T09:38:{second:02d}.000Z",
        "endTime": f"2026-11-22T09:38:{second:02d}.500Z",
        "level": "DEFAULT",
        "statusMessage": None,
        "input": given if given is None else json.dumps(given),
        "output": gave if gave is None else json.dumps(gave),
        "model": None,
        "usageDetails": {},
        "metadata": "{}",
        **more,
    }


def langfuse(*observations: dict[str, Any], given: Any = None, gave: Any = None, **more: Any) -> dict[str, Any]:
    """An export of one trace, whose own input and output are encoded twice."""
    trace = {
        "id": "trace-1",
        "timestamp": "2026-11-22T09:38:00.000Z",
        "sessionId": None,
        "input": given if given is None else json.dumps(json.dumps(given)),
        "output": gave if gave is None else json.dumps(json.dumps(gave)),
        "metadata": "{}",
        "scores": [],
        "observations": [{**each, "input": None, "output": None} for each in observations],
        **more,
    }
    return {"trace": trace, "observations": list(observations)}
