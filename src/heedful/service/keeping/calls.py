"""Calls: which call gave an output: named on its record, or the record of the call itself."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from heedful.claims.projections.calls import Call
from heedful.claims.projections.printed import typed_command
from heedful.kernel.ids import RecordId
from heedful.observations.record import Record, RecordStatus, RecordType
from heedful.policy.globs import glob
from heedful.ports.store import AttributeFilter, Reading, StoredRecord
from heedful.service.session import Session
from heedful.service.sight import seen_record, visible_in

TOOL, COMMAND = "tool", "command"
CALL_IDS = ("tool_use_id", "call_id", "tool_call_id")
"""Attributes of a call and of what it gave: the tool's name, its shell command, and the name of the call."""
NOTED_MAX = 4_000
"""Calls of one import that are kept at hand; older ones are looked for in the store."""
_SOURCES_MAX = 4
_CODEX_COMMAND = "cmd"  # of `exec_command`
KEYSTROKES = "keystrokes"
"""The argument of Terminus's `bash_command`, which types into a terminal."""
_ARGS = ("input", "args", "arguments", "parameters")


class Calls:
    """Finds the call of an output. One import keeps one, so that calls of the same batch are found."""

    def __init__(self, session: Session) -> None:
        """Nothing is noted yet."""
        self._session = session
        # Ordered by itself: the first of a plain dictionary is far to seek once many before it are gone.
        self._noted: OrderedDict[object, Record] = OrderedDict()

    def note(self, record: Record) -> None:
        """The record of a call may be asked for before it is in the store."""
        for key in (record.record_id, *_call_ids(record)):
            self._noted[key] = record
        while len(self._noted) > NOTED_MAX:
            self._noted.popitem(last=False)

    def of(self, record: Record, reading: Reading | None = None) -> Call | None:
        """The call that gave this output; None where nothing tells. `reading`: the moment to look in; None: now."""
        attributes = dict(record.attributes)
        tool, command = attributes.get(TOOL), attributes.get(COMMAND)
        named = tool if isinstance(tool, str) else None
        if isinstance(command, str):
            return Call(named, command)
        source = self.source(record, reading)
        if source is not None:
            found = self.made(source)
            if found is not None:
                return found
        return None if named is None else Call(named)

    def made(self, record: Record) -> Call | None:
        """The call that this record of one holds."""
        return call_in(record, self._session.registry.policy.shell_tools)

    def source(self, record: Record, reading: Reading | None = None) -> Record | None:
        """The record of the call that gave this output; None where there is none that the session sees."""
        keys = (*record.derived_from[:_SOURCES_MAX], *_call_ids(record))
        noted = next((self._noted[key] for key in keys if key in self._noted), None)
        if noted is not None or not keys:
            return noted
        if reading is not None:
            return next(self._stored(reading, record), None)
        with self._session.store.read() as now:
            return next(self._stored(now, record), None)

    def _stored(self, reading: Reading, record: Record) -> Iterator[Record]:
        for record_id in record.derived_from[:_SOURCES_MAX]:
            stored = seen_record(self._session, reading, RecordId(record_id))
            if stored is not None and self._is_call(stored):
                yield stored.record
        for run_id, name, value in _call_ids(record):
            stored_calls = reading.records(
                visible_in(self._session, (record.scope,)),
                status=RecordStatus.ADMITTED,
                run_id=run_id,
                attributes=[AttributeFilter(name, (value,))],
                before=None,
                limit=_SOURCES_MAX,
            )
            yield from (each.record for each in stored_calls if self._is_call(each))

    @staticmethod
    def _is_call(stored: StoredRecord) -> bool:
        return stored.record.type is RecordType.TOOL_CALL


def _call_ids(record: Record) -> tuple[tuple[Any, str, str], ...]:
    return tuple(
        (record.run_id, name, value) for name, value in record.attributes if name in CALL_IDS and isinstance(value, str)
    )


def call_in(record: Record, shell_tools: Mapping[str, str]) -> Call | None:
    """The call that a record of one holds: `{"name": ..., "input": {...}}`, or its arguments alone.

    `shell_tools`: tool glob -> the argument that holds its shell command.
    """
    attributes = dict(record.attributes)
    try:
        content: Any = msgspec.json.decode(record.content or "")
    except (msgspec.DecodeError, RecursionError):
        content = record.content
    tool: object = attributes.get(TOOL)
    args: object = content
    if isinstance(content, dict):
        tool = content.get("name", content.get(TOOL, tool))
        args = next((content[name] for name in _ARGS if name in content), content)
    named = tool if isinstance(tool, str) else None
    if isinstance(args, str):
        return Call(named, args if named is None or _shell_argument(named, shell_tools) else None)
    if not isinstance(args, dict):
        return None if named is None else Call(named)
    given = args.get(_shell_argument(named, shell_tools) or COMMAND, args.get(_CODEX_COMMAND))
    keys = args.get(KEYSTROKES)
    if given is None and isinstance(keys, str):
        return Call(named, typed_command(keys), args)
    command = given if isinstance(given, str) else None
    if isinstance(given, list) and given and all(isinstance(word, str) for word in given):
        return Call(named, tuple(given), args)
    return Call(named, command, args)


def _shell_argument(tool: str | None, shell_tools: Mapping[str, str]) -> str | None:
    return next(
        (name for written, name in shell_tools.items() if tool is not None and glob(written).matches(tool)), None
    )


def called(call: Record) -> tuple[str | None, dict[str, object] | None]:
    """The tool and the arguments of a recorded call; None for what it does not tell."""
    try:
        parsed = msgspec.json.decode(call.content or "")
    except (msgspec.DecodeError, RecursionError):  # what is no JSON, or nests without end, names nothing
        parsed = None
    whole = parsed if isinstance(parsed, dict) else {}
    tool = dict(call.attributes).get("tool") or whole.get("name")
    args = whole.get("input", whole)
    return tool if isinstance(tool, str) else None, args if isinstance(args, dict) else None
