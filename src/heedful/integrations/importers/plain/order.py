"""Order: which call a result without a call's id is of, where the order of the run leaves only one."""

from __future__ import annotations

from dataclasses import dataclass, field

from heedful.integrations.importers.plain.entry import Entry
from heedful.observations.record import RecordType

RUNS_HELD_MAX = 1_000
"""Runs whose open calls are known; of one that was let go, no result is bound by order."""
_OPEN_HELD_MAX = 64
"""Open calls of a run; where there are more, none is ever the only one."""

Made = tuple[str, str | None]
"""A call's own name, and its tool."""


@dataclass(frozen=True, slots=True)
class _Open:
    made: Made
    call_id: str | None
    sequence: int | None


@dataclass(slots=True)
class CallOrder:
    """The calls of each run that nothing has answered yet, as far as the file was read."""

    _open: dict[str, list[_Open]] = field(default_factory=dict)
    _given_up: bool = False

    def made(self, run: str, entry: Entry, made: Made) -> None:
        """Notes the entry where it is a call."""
        if entry.type is not RecordType.TOOL_CALL:
            return
        if run not in self._open and len(self._open) == RUNS_HELD_MAX:
            self._open.pop(next(iter(self._open)))
            self._given_up = True
        waiting = self._open.setdefault(run, [])
        if self._given_up and not waiting:
            # Another call of this run may have been let go.
            waiting += [_Open(made, None, None)] * 2
        if len(waiting) < _OPEN_HELD_MAX:
            waiting.append(_Open(made, entry.calls, entry.sequence))

    def closed(self, run: str, call_id: str) -> None:
        """The call of that id is answered."""
        waiting = self._open.get(run, [])
        if len(waiting) < _OPEN_HELD_MAX:
            waiting[:] = [each for each in waiting if each.call_id != call_id]

    def answered(self, run: str, entry: Entry) -> Made | None:
        """The one call that is open and has no id, where the result stands right behind it; None: it may be another's.

        By their places, where both have one: the next. Without places the file is the order.
        """
        waiting = self._open.get(run, [])
        if len(waiting) != 1 or waiting[0].call_id is not None:
            return None
        before, after = waiting[0].sequence, entry.sequence
        is_next = after == before + 1 if before is not None and after is not None else before is after
        if not is_next:
            return None
        return waiting.pop().made
