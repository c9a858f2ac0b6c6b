"""A LangGraph thread as items: every checkpoint repeats all messages, so each is taken where it first stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from heedful.integrations.importers.conversation.message import Message, digest_of, text_piece
from heedful.integrations.importers.conversation.parse import beside_messages, message_of, messages_of
from heedful.integrations.importers.conversation.thread import Thread, Where
from heedful.integrations.importers.items import Fields, RunItems
from heedful.integrations.importers.langgraph.blobs import bytes_of
from heedful.integrations.importers.langgraph.checkpoint import (
    SOURCE,
    Head,
    PendingWrite,
    Place,
    Snapshot,
    dead_places,
    in_order,
)
from heedful.integrations.importers.values import named, short_name
from heedful.kernel.canonical import canonical_bytes
from heedful.observations.record import RecordType, SourceGrade
from heedful.ports.importer import ImportedItem, ImportProblem

_START = "__start__"
_RESUME = "__resume__"
_KEPT_WRITES = {"__interrupt__": "interrupt", "__error__": "error", _RESUME: "resume"}
# What steers the graph itself: which node runs next, and marks of the library's own.
_SCHEDULING = ("branch:", "start:", "join:", "__")
_OUTSIDE_TASK = "00000000-0000-0000-0000-000000000000"
_BYTES_MEDIA = "application/octet-stream"

Load = Callable[[Head], Snapshot]


def told_threads(heads: Sequence[Head], load: Load) -> Iterator[ImportedItem | ImportProblem]:
    """The items of every thread, one run each. `load` gives a checkpoint's content; it is asked twice at most."""
    threads: dict[str, list[Head]] = {}
    for head in sorted(heads, key=lambda each: each.order):
        threads.setdefault(head.thread_id, []).append(head)
    for thread_id, of_thread in threads.items():
        yield from _Telling(thread_id, of_thread, load).items()


class _Telling:
    """One thread, checkpoint by checkpoint."""

    def __init__(self, thread_id: str, heads: Sequence[Head], load: Load) -> None:
        self._heads = in_order(heads)
        self._dead = dead_places(heads)
        self._load = load
        self._items = RunItems(SOURCE, thread_id)
        self._thread = Thread()
        self._sources: dict[Place, str | None] = {}
        self._given: set[str] = set()
        self._read: dict[str, tuple[Any, Message]] = {}
        self._states: dict[tuple[str, str], str] = {}

    def items(self) -> Iterator[ImportedItem | ImportProblem]:
        parents = {head.parent for head in self._heads}
        later: list[Head] = []
        for head in self._heads:
            snapshot = self._load(head)
            self._sources[head.place] = None if snapshot.problems else snapshot.source
            for code, message in snapshot.problems:
                yield ImportProblem(1, code, message)
            yield from self._values(head, snapshot)
            yield from self._marks(head, snapshot)
            if head.place not in parents:
                yield from self._written_states(head, snapshot)
                yield from self._written_messages(head, snapshot)
            if _START in snapshot.values or (head.place in parents and snapshot.writes):
                later.append(head)
        # What was given or written and is in no state after it; the rest is known by now.
        for head in later:
            snapshot = self._load(head)
            yield from self._start(head, snapshot)
            yield from self._written_messages(head, snapshot)

    def _values(self, head: Head, snapshot: Snapshot) -> Iterator[ImportedItem | ImportProblem]:
        where = self._where(head, snapshot)
        for channel, value in snapshot.values.items():
            if channel.startswith(_SCHEDULING):
                continue
            messages = self._messages(value)
            if messages is not None:
                yield from self._thread.take(self._items, messages, where)
            rest = None if messages is not None and isinstance(value, list) else beside_messages(value)
            if rest is not None:
                yield from self._state(head, snapshot, channel, rest)

    def _messages(self, value: Any) -> list[Message] | None:
        """The messages of a channel. One that is what it was in the checkpoint before is not read again."""
        if not isinstance(value, list):
            return messages_of(value)
        found: list[Message] = []
        for each in value:
            known = self._read.get(each["id"]) if isinstance(each, dict) and isinstance(each.get("id"), str) else None
            one = known[1] if known is not None and known[0] == each else message_of(each)
            if one is None:
                return messages_of(value)
            if one.message_id is not None:
                self._read[one.message_id] = (each, one)
            found.append(one)
        return found or None

    def _state(self, head: Head, snapshot: Snapshot, channel: str, value: Any) -> Iterator[ImportedItem]:
        """A channel that holds no messages, where its value is another than before."""
        same = digest_of(value if isinstance(value, bytes) else canonical_bytes(value))
        place = (head.namespace, channel)
        if self._states.get(place) != same:
            self._states[place] = same
            own = f"state:{head.namespace}:{head.checkpoint_id}:{channel}"
            yield self._raw(own, f"state.{short_name(channel)}", value, head, snapshot)

    def _marks(self, head: Head, snapshot: Snapshot) -> Iterator[ImportedItem]:
        """Interruptions, what they were answered with, and errors."""
        for write in snapshot.writes:
            if write.channel == _RESUME:
                answers = write.value if isinstance(write.value, list) else [write.value]
                self._given |= {text_piece(each).same for each in answers if isinstance(each, str)}
            elif write.task_id == _OUTSIDE_TASK:
                self._given |= _texts(messages_of(write.value) or ())
            if write.channel in _KEPT_WRITES:
                yield self._raw(_own(head, write), _KEPT_WRITES[write.channel], write.value, head, snapshot)

    def _written_messages(self, head: Head, snapshot: Snapshot) -> Iterator[ImportedItem | ImportProblem]:
        where = self._where(head, snapshot)
        for write in snapshot.writes:
            messages = messages_of(write.value)
            if messages is not None and not write.channel.startswith("__"):
                yield from self._thread.take(self._items, messages, where)

    def _written_states(self, head: Head, snapshot: Snapshot) -> Iterator[ImportedItem]:
        for write in snapshot.writes:
            rest = beside_messages(write.value)
            if rest is not None and not write.channel.startswith(_SCHEDULING):
                yield from self._state(head, snapshot, write.channel, rest)

    def _start(self, head: Head, snapshot: Snapshot) -> Iterator[ImportedItem | ImportProblem]:
        given = snapshot.values.get(_START)
        channels = given if isinstance(given, dict) else {}
        messages = messages_of(given)
        if messages is not None:
            yield from self._thread.take(self._items, messages, self._where(head, snapshot))
            return
        for channel, value in channels.items():
            if (head.namespace, channel) not in self._states:
                yield from self._state(head, snapshot, channel, value)

    def _where(self, head: Head, snapshot: Snapshot) -> Where:
        flags = ("dead-branch",) if head.place in self._dead else ()
        before = self._sources.get(head.parent) if head.parent is not None else None
        # What a node writes in a user's name is not what a user wrote.
        by_node = snapshot.source == "loop" and before not in (None, "input")
        return Where(
            occurred=snapshot.occurred,
            attributes=named("step", snapshot.step),
            flags=(*flags, "sidechain") if head.namespace else flags,
            prompt=by_node or bool(head.namespace),
            given=self._given,
        )

    def _raw(self, own: str, kind: str, value: Any, head: Head, snapshot: Snapshot) -> ImportedItem:
        where = self._where(head, snapshot)
        fields: Fields = {"occurred": where.occurred, "attributes": where.attributes, "flags": where.flags}
        record_type, grade = RecordType.OBSERVATION, SourceGrade.TOOL
        value = bytes_of(value)
        if isinstance(value, bytes):
            return self._items.held(own, kind, record_type, grade, value, media_type=_BYTES_MEDIA, **fields)
        if isinstance(value, str):
            return self._items.text(own, kind, record_type, grade, value, **fields)
        return self._items.raw(own, kind, record_type, grade, value, **fields)


def _own(head: Head, write: PendingWrite) -> str:
    return f"write:{head.namespace}:{head.checkpoint_id}:{write.task_id}:{write.index}"


def _texts(messages: Sequence[Message]) -> set[str]:
    return {piece.same for message in messages if message.role == "user" for piece in message.pieces}
