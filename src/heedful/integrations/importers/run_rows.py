"""Rows of one run -> items: each row under its own name once, texts as text, pictures as bytes, answers with calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from heedful.integrations.importers.inline_bytes import blocks_of
from heedful.integrations.importers.items import COPIED, RunItems
from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.values import TEXT_MEDIA, Attributes, named, plain_name
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.digest import sha256_hex
from heedful.kernel.times import SourceTime
from heedful.observations.record import RecordType, SourceGrade, Subject
from heedful.ports.importer import ImportedItem, ImportProblem

CALL_MISSING = "call-missing"
"""The flag of an answer whose call is not in the trace."""
THINKING = "thinking"
DERIVED_FROM_MAX = 1_000
"""Names of sources kept of one item; a summary of more names the last of them."""
_PATH_FIELDS = ("path", "file_path", "notebook_path")
_DIGEST_CHARACTERS = 16

Found = list[ImportedItem | ImportProblem]


class Voice(NamedTuple):
    """What something counts as, and on whose word."""

    type: RecordType
    grade: SourceGrade
    speaker: str | None = None


PERSON = Voice(RecordType.MESSAGE, SourceGrade.USER, "user")
AGENT = Voice(RecordType.MESSAGE, SourceGrade.AGENT)
CALL = Voice(RecordType.TOOL_CALL, SourceGrade.AGENT)
ANSWER = Voice(RecordType.TOOL_RESULT, SourceGrade.TOOL)
PROGRAM = Voice(RecordType.OBSERVATION, SourceGrade.TOOL)
"""What the program around the agent wrote: always data, never a rule."""
PROMPT = Voice(RecordType.DOCUMENT, SourceGrade.DOCUMENT)
"""What the agent was set up with, a task that the program filled into a template too: a trace is no operator's door."""
ATTACHED = Voice(RecordType.DOCUMENT, SourceGrade.DOCUMENT)
SUMMED_UP = Voice(RecordType.MESSAGE, SourceGrade.SUMMARY)


class Call(NamedTuple):
    """A tool call that was made: the item's own name, and the tool."""

    own: str
    tool: str | None


def object_of(value: Any) -> JsonObject:
    """The value where it is an object; else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """The value where it is a list; else an empty one."""
    return value if isinstance(value, list) else []


def digest_of(value: Any) -> str:
    """16 hexadecimal digits that name this JSON value."""
    return sha256_hex(canonical_bytes(value))[:_DIGEST_CHARACTERS]


@dataclass(slots=True)
class Run:
    """One run.

    Attributes:
        calls: the calls that were made so far: by their id in the trace, or by a tuple where a format has other names.
        counted: the model's responses whose tokens an item has.
        first_items: by a row's own name, that of its first item.
    """

    items: RunItems
    calls: dict[object, Call] = field(default_factory=dict)
    counted: set[object] = field(default_factory=set)
    first_items: dict[str, str] = field(default_factory=dict)
    _seen: dict[str, set[str]] = field(default_factory=dict)

    def row(
        self,
        own: object,
        value: Any,
        *,
        line_number: int = 1,
        occurred: SourceTime | None = None,
        attributes: Attributes = (),
        flags: tuple[str, ...] = (),
    ) -> Row:
        """The row that the trace itself calls so. A second one of that name is told apart by its content."""
        name = str(own)
        seen = self._seen.setdefault(name, set())
        digest = digest_of(value)
        row = Row(self, name if not seen else f"{name}~{digest}", line_number, occurred, attributes, flags)
        if digest in seen:
            row.repeated = True
            row.problem("row_repeated", "the row is the same as an earlier one; taken once")
        seen.add(digest)
        return row


@dataclass(slots=True)
class Row:
    """One row and what it has become so far; the first part has the row's attributes for itself.

    Attributes:
        attributes: for the first item only, so that tokens and the like count once.
        shared: for every item.
        repeated: the run has had it before; it becomes nothing more.
    """

    run: Run
    own: str
    line_number: int
    occurred: SourceTime | None
    attributes: Attributes
    flags: tuple[str, ...]
    shared: Attributes = ()
    repeated: bool = False
    found: Found = field(default_factory=list)

    def problem(self, code: str, message: str) -> None:
        """Tells what could not be taken as it stood, and in which row: a document has no line for it."""
        self.found.append(ImportProblem(self.line_number, code, f"{message} (row {self.own[:60]})"))

    def text(self, part: str, kind: str, voice: Voice, text: object, **more: Any) -> str | None:
        """The item's own name; None where it is no text, or says nothing: then there is no item."""
        if not isinstance(text, str) or not text.strip():
            return None
        content = text.encode("utf-8", "backslashreplace")
        return self.held(part, kind, voice, content, TEXT_MEDIA, **more)

    def raw(self, part: str, kind: str, voice: Voice, value: Any, **more: Any) -> str:
        """The item's own name; its content is canonical JSON."""
        return self.held(part, kind, voice, canonical_bytes(value), "application/json", **more)

    def unknown(self, part: str, sort: object, value: Any) -> str:
        """The item's own name; it is kept raw and counted under `unknown:<type>`."""
        own = self._named(part)
        item = self.run.items.unknown(
            own, sort, value, line_number=self.line_number, occurred=self.occurred, flags=self.flags
        )
        self.found.append(item)
        return own

    def content(self, part: str, kind: str, voice: Voice, content: Any, **more: Any) -> str | None:
        """The own name of the item that holds its texts; None where there is none. Everything else in it besides."""
        blocks = blocks_of(content)
        own = self.text(part, kind, voice, blocks.text, **more)
        beside = ATTACHED if voice in (PERSON, AGENT) else voice
        for place, each in enumerate(blocks.inline):
            held = self.held(f"{part}.bytes{place}", f"{kind}.inline", beside, each.content, each.media_type, **more)
            own = own or held
        if blocks.broken:
            self.problem("base64_invalid", f"{blocks.broken} blocks hold no valid base64; they were kept as they stand")
        for place, other in enumerate(blocks.others):
            held = self.raw(f"{part}.block{place}", f"{kind}.block", beside, other, **more)
            own = own or held
        return own

    def call(self, part: str, kind: str, name: object, given: Any, call_id: object = None, **more: Any) -> str:
        """The item's own name; the call is known by `call_id` from now on, where that is a text."""
        fields = given if isinstance(given, dict) else {}
        paths = (plain_name(fields.get(each)) for each in _PATH_FIELDS)
        subjects = tuple({Subject("file", path): None for path in paths if path is not None})
        attributes = named("tool", name) + named("call_id", call_id) + more.pop("attributes", ())
        value = {"name": name, "input": given}
        own = self.raw(part, kind, CALL, value, attributes=attributes, subjects=subjects, **more)
        if isinstance(call_id, str):
            self.run.calls[call_id] = Call(own, plain_name(name))
        return own

    def answer(
        self,
        part: str,
        kind: str,
        content: Any,
        *,
        call: Call | None,
        call_id: object = None,
        is_error: bool | None = None,
        attributes: Attributes = (),
    ) -> str:
        """The own name of the answer's first item, bound to its call. An empty answer is one too."""
        link = named("call_id", call_id)
        if call is not None:
            link += named("tool", call.tool)
        if is_error is not None:
            link += (("is_error", is_error),)
        more: dict[str, Any] = {"attributes": link + attributes}
        if call is not None:
            more["derived_from"] = (call.own,)
        elif call_id is not None:
            more["flags"] = (CALL_MISSING,)
        own = self.content(part, kind, ANSWER, content, **more)
        return own or self.raw(part, f"{kind}.empty", ANSWER, {"content": content}, **more)

    def held(self, part: str, kind: str, voice: Voice, content: bytes, media_type: str, **more: Any) -> str:
        """The own name of the item of these bytes."""
        own = self._named(part)
        flags = self.flags + tuple(more.pop("flags", ()))
        first = not any(isinstance(each, ImportedItem) for each in self.found)
        attributes = more.pop("attributes", ()) + self.shared + (self.attributes if first else ())
        item = self.run.items.held(
            own,
            kind,
            voice.type,
            voice.grade,
            content,
            media_type=media_type,
            line_number=self.line_number,
            occurred=self.occurred,
            speaker=None if COPIED in flags else voice.speaker,
            attributes=_once(attributes),
            flags=flags,
            derived_from=tuple(more.pop("derived_from", ()))[-DERIVED_FROM_MAX:],
            **more,
        )
        self.found.append(item)
        self.run.first_items.setdefault(self.own, own)
        return own

    def whole(self, kind: str, value: Any) -> Found:
        """What the row became; the row itself, raw, where it became nothing else."""
        if not any(isinstance(each, ImportedItem) for each in self.found):
            self.raw("empty", kind, PROGRAM, value)
        return self.found

    def _named(self, part: str) -> str:
        return f"{self.own}.{part}"


def _once(attributes: Attributes) -> Attributes:
    """Each name once, with its first value."""
    return tuple(reversed({name: (name, value) for name, value in reversed(attributes)}.values()))
