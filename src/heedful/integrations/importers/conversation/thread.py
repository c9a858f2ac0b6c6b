"""Thread: one conversation whose messages a trace repeats; each becomes items once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from heedful.integrations.importers.conversation.message import Message, Piece, Role
from heedful.integrations.importers.items import Fields, RunItems
from heedful.integrations.importers.values import Attributes, named
from heedful.kernel.times import SourceTime
from heedful.observations.record import RecordType, SourceGrade
from heedful.ports.importer import ImportedItem, ImportProblem

_NAMES: dict[Role, str] = {
    "user": "user",
    "agent": "assistant",
    "system": "system",
    "tool": "tool",
    "other": "other",
}
_Key = tuple[Role, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Where in the trace a list of messages stands.

    Attributes:
        attributes: of every item that is new here; `usage` of the first thing that the agent says.
        prompt: True where what comes as a user's message is another program's or agent's, not a person's.
        given: digests of texts that are a person's all the same.
        fresh: roles whose words are new here, even where the same words were said before.
    """

    line_number: int = 1
    occurred: SourceTime | None = None
    attributes: Attributes = ()
    usage: Attributes = ()
    flags: tuple[str, ...] = ()
    prompt: bool = False
    given: AbstractSet[str] = frozenset()
    fresh: AbstractSet[str] = frozenset()


class Thread:
    """What is known of a conversation so far: whatever a trace repeats of it is no new evidence.

    A message is known by its own id; without one by who said what, and the how many-th time within one list: a list
    that has the same words twice has two messages, two lists that have them once each have one. A call and its output
    are known by the call's id and what is in them.
    """

    def __init__(self) -> None:
        """Nothing was said yet."""
        self._by_id: dict[tuple[str, int], set[_Key]] = {}
        self._by_key: dict[_Key, list[str | None]] = {}
        self._by_call: dict[tuple[str, str], set[str]] = {}
        self._call_owns: dict[str, str] = {}
        self._tools: dict[str, str] = {}
        self._unanswered: dict[str, str] = {}
        self._owns: set[str] = set()

    def take(
        self, items: RunItems, messages: Iterable[Message], where: Where
    ) -> Iterator[ImportedItem | ImportProblem]:
        """The items of what is new in these messages, in order, and what could not be taken as it stood."""
        told: Counter[_Key] = Counter()
        usage = where.usage
        for message in messages:
            is_new = False
            for index, piece in enumerate(message.pieces):
                own = self._own(message, index, piece, told, fresh=message.role in where.fresh)
                if own is None:
                    continue
                while own in self._owns:
                    own = f"{own}:{piece.same}"
                self._owns.add(own)
                first = message.role == "agent" and not is_new
                counted = (usage or message.attributes) if first else ()
                usage = () if first else usage
                is_new = True
                yield self._item(items, message.role, piece, own, where=where, usage=counted)
            if is_new:
                for code, text in message.problems:
                    yield ImportProblem(where.line_number, code, text)

    def call_id_of(self, piece: Piece) -> str | None:
        """The id of the call that this one, which names none, may be: the oldest of its tool that has no output."""
        for call_id, same in self._unanswered.items():
            if same == piece.same or (piece.is_hollow and self._tools.get(call_id) == piece.name):
                return call_id
        return None

    def _own(self, message: Message, index: int, piece: Piece, told: Counter[_Key], *, fresh: bool) -> str | None:
        """The piece's own name, unique in the conversation; None where it is known already."""
        of_message = f"message:{message.message_id}:{index}" if message.message_id else None
        if piece.call_id is not None:
            return self._own_of_call(piece, piece.call_id, of_message)
        key = (message.role, piece.sort, piece.same)
        holders = self._by_key.setdefault(key, [])
        if fresh and message.message_id is None:
            told[key] = len(holders)
        told[key] += 1
        nth = told[key]
        if message.message_id is None:
            if nth <= len(holders):
                return None
            holders.append(None)
            return f"{message.role}:{piece.sort}:{piece.same}:{len(holders)}"
        versions = self._by_id.setdefault((message.message_id, index), set())
        if key in versions:
            return None
        edited = bool(versions)
        versions.add(key)
        if not edited and nth <= len(holders) and holders[nth - 1] is None:
            holders[nth - 1] = message.message_id
            return None
        holders.append(message.message_id)
        return f"{of_message}:{piece.same}" if edited else of_message

    def _own_of_call(self, piece: Piece, call_id: str, of_message: str | None) -> str | None:
        known = self._by_call.setdefault((piece.sort, call_id), set())
        if piece.same in known or (known and piece.is_hollow):
            return None
        own = of_message or f"{piece.sort}:{call_id}"
        known.add(piece.same)
        if piece.sort == "call":
            self._call_owns.setdefault(call_id, own)
            self._unanswered[call_id] = piece.same
            if piece.name is not None:
                self._tools.setdefault(call_id, piece.name)
        elif piece.sort == "result":
            self._unanswered.pop(call_id, None)
        return own

    def _item(
        self, items: RunItems, role: Role, piece: Piece, own: str, *, where: Where, usage: Attributes
    ) -> ImportedItem:
        call = self._call_owns.get(piece.call_id) if piece.call_id is not None else None
        attributes = _merged(where.attributes, named("call_id", piece.call_id), self._of_tool(piece), usage)
        fields: Fields = {
            "line_number": where.line_number,
            "occurred": where.occurred,
            "attributes": attributes,
            "derived_from": (call,) if call is not None and call != own else (),
        }
        flags = where.flags
        if piece.call_id is not None and piece.sort != "call" and call is None:
            flags += ("call-missing",)
        kind, record_type, grade = _standing(role, piece, where)
        if piece.sort == "thinking":
            flags += ("thinking",)
        if grade is SourceGrade.USER:
            fields["speaker"] = "user"
        fields["flags"] = flags
        return items.held(own, kind, record_type, grade, piece.content, media_type=piece.media_type, **fields)

    def _of_tool(self, piece: Piece) -> Attributes:
        if piece.sort == "call":
            return named("tool", piece.name)
        if piece.sort not in ("result", "media") or piece.call_id is None:
            return ()
        found = named("tool", piece.name or self._tools.get(piece.call_id))
        return found if piece.is_error is None else (*found, ("is_error", piece.is_error))


def _merged(*groups: Attributes) -> Attributes:
    """Every name once, the last one that was given."""
    return tuple({name: value for group in groups for name, value in group}.items())


def _standing(role: Role, piece: Piece, where: Where) -> tuple[str, RecordType, SourceGrade]:
    """What the piece is, and on whose word it stands; the person's only where nothing says otherwise."""
    sort = piece.sort
    if sort == "call":
        return "assistant.tool_call", RecordType.TOOL_CALL, SourceGrade.AGENT
    if sort == "result" or (sort == "media" and piece.call_id is not None):
        kind = "tool.result" if sort == "result" else "tool.media"
        return kind, RecordType.TOOL_RESULT, SourceGrade.TOOL
    if sort == "unknown":
        return f"unknown:{piece.name}", RecordType.OBSERVATION, SourceGrade.TOOL
    kind = f"{_NAMES[role]}.{sort}"
    # What a program tells a model is a document: a transcript is no operator's door.
    if (sort == "media" and role == "user") or (sort == "text" and role == "system"):
        return kind, RecordType.DOCUMENT, SourceGrade.DOCUMENT
    if sort == "text" and role == "user":
        if where.prompt and piece.same not in where.given:
            return "user.prompt", RecordType.MESSAGE, SourceGrade.AGENT
        return kind, RecordType.MESSAGE, SourceGrade.USER
    if role == "agent" and sort in ("text", "thinking"):
        return kind, RecordType.MESSAGE, SourceGrade.AGENT
    return kind, RecordType.OBSERVATION, SourceGrade.TOOL
