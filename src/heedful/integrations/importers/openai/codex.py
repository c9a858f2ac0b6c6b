"""The importer of Codex rollouts: items of the Responses API, one row a line, and the events shown beside them.

Old rollouts hold the items bare, without an envelope. There is no published schema; a row of an unknown type is kept
raw and counted under `unknown:<type>`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from heedful.integrations.importers.claude_code.words import Voice
from heedful.integrations.importers.items import RunItems
from heedful.integrations.importers.json_rows import JsonObject, ParsedRow, parse_row
from heedful.integrations.importers.openai.pieces import Piece, digest_of, object_of, raw_piece, text_of, unknown_piece
from heedful.integrations.importers.openai.responses import response_pieces
from heedful.integrations.importers.openai.rollout_plan import (
    RolloutPlan,
    event_message,
    plan_rollout,
    said_key,
    said_keys,
)
from heedful.integrations.importers.openai.runs import Run
from heedful.integrations.importers.openai.said import AGENT_VOICE, CONTEXT_VOICE, UserVoice, thinking_piece, typed
from heedful.integrations.importers.row_lines import NumberedRow, numbered_rows
from heedful.integrations.importers.values import Attributes, named, plain_name, short_name, time_of
from heedful.kernel.times import SourceTime
from heedful.observations.record import RecordType, SourceGrade
from heedful.ports.importer import ImportedItem, ImportProblem, TraceSource

SOURCE = "codex"
FORK_COPY_US_MAX = 1_000_000
"""A fork writes the rows that it copies at once: what comes this much after the first of them is its own."""

_ENVELOPES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
_BARE_ITEMS = frozenset({"message", "reasoning", "function_call", "function_call_output", "custom_tool_call"})
_PROMPT = Voice("prompt", RecordType.MESSAGE, SourceGrade.AGENT, None, ())


class CodexImporter:
    """Codex rollouts. See TraceImporter. A file is read twice: first for what stands in it twice."""

    @property
    def name(self) -> str:
        """See TraceImporter.name."""
        return SOURCE

    def recognises(self, first_lines: tuple[bytes, ...]) -> bool:
        """See TraceImporter.recognises: one row with this format's own fields is enough."""
        return any(_is_of_this_format(line) for line in first_lines if line.strip())

    def read(self, source: TraceSource) -> Iterator[ImportedItem | ImportProblem]:
        """See TraceImporter.read."""
        plan = plan_rollout(source.lines())
        stem = plain_name(source.name.removesuffix(".jsonl"), characters_max=128)
        rollout = _Rollout(plan, plan.session or stem or "session")
        for numbered in numbered_rows(source):
            if isinstance(numbered, ImportProblem):
                yield numbered
            else:
                yield from rollout.row(numbered)


def _is_of_this_format(line: bytes) -> bool:
    parsed = parse_row(line)
    if not isinstance(parsed, ParsedRow):
        return False
    row = parsed.row
    sort = row.get("type")
    if not isinstance(sort, str):
        return False
    if sort in _ENVELOPES:
        return isinstance(row.get("payload"), dict) and "timestamp" in row
    content = row.get("content")
    blocks = content if isinstance(content, list) else []
    own = any(object_of(block).get("type") in ("input_text", "output_text") for block in blocks)
    return (sort == "message" and "role" in row and own) or (
        sort in _BARE_ITEMS and isinstance(row.get("call_id"), str)
    )


@dataclass(slots=True)
class _Rollout:
    """The second pass: what has been met so far."""

    plan: RolloutPlan
    session: str
    runs: dict[str, Run] = field(default_factory=dict)
    met: Counter[tuple[str, str]] = field(default_factory=Counter)
    model: Attributes = ()
    copied_from: str | None = None
    copied_until_us: int = 0
    is_agents: bool = False

    def row(self, numbered: NumberedRow) -> Iterator[ImportedItem | ImportProblem]:
        """What this row holds."""
        line, row = numbered.line, numbered.row
        sort, stamp = row.get("type"), row.get("timestamp")
        occurred = time_of(stamp)
        if occurred is None and stamp is not None:
            yield ImportProblem(line, "time_malformed", "the timestamp is no time; taken as not known")
        payload = row.get("payload")
        if not isinstance(payload, dict):
            is_bare = isinstance(sort, str) and sort in _BARE_ITEMS
            sort, payload = "response_item" if is_bare else None, row
        self._leave_copy(occurred)
        if sort == "session_meta":
            self._meet_session(payload, occurred)
        if sort == "turn_context":
            self.model = named("model", payload.get("model"))
        for own, pieces, attributes in self._read(sort, payload, row):
            yield from self._run().emit(
                own, pieces, line_number=line, occurred=occurred, attributes=attributes, flags=numbered.flags
            )

    def _meet_session(self, payload: JsonObject, occurred: SourceTime | None) -> None:
        """The session's own row; a second one, of another session, begins what was copied from that."""
        session = plain_name(payload.get("id"), characters_max=128)
        if session == self.session:
            self.is_agents = "subagent" in str(payload.get("source"))
        elif session is not None:
            self.copied_from = session
            self.copied_until_us = (occurred.at_us if occurred else 0) + FORK_COPY_US_MAX

    def _leave_copy(self, occurred: SourceTime | None) -> None:
        if occurred is not None and occurred.at_us > self.copied_until_us:
            self.copied_from = None

    def _run(self) -> Run:
        name = self.copied_from or self.session
        if name not in self.runs:
            self.runs[name] = Run(RunItems(SOURCE, name))
        return self.runs[name]

    def _read(
        self, sort: object, payload: JsonObject, row: JsonObject
    ) -> Iterator[tuple[str, Sequence[Piece], Attributes]]:
        """By own name, the pieces of the row, with the attributes of all of them."""
        if sort == "response_item":
            pieces = response_pieces(payload, self._voices_of(payload))
            if payload.get("type", "message") == "message":
                yield from self._said(pieces, payload)
            else:
                yield self._nth(str(payload.get("type")), payload), pieces, self._model_of(pieces)
        elif sort == "event_msg":
            yield from self._event(payload)
        elif sort == "compacted":
            yield self._nth("compacted", payload), [_compacted(payload)], ()
        elif sort in ("session_meta", "turn_context"):
            piece = raw_piece(str(sort), payload, attributes=_session_attributes(payload))
            yield self._nth(str(sort), payload), [piece], ()
        else:
            yield self._nth("row", row), [unknown_piece(row, row.get("type"))], ()

    def _said(self, pieces: Sequence[Piece], payload: JsonObject) -> Iterator[tuple[str, Sequence[Piece], Attributes]]:
        """A message goes by its words, so that the event which says the same is the same item, in any import."""
        role = str(payload.get("role"))
        whole = "".join(
            piece.content.decode("utf-8", "replace") for piece in pieces if piece.media_type == "text/plain"
        )
        own = self._nth_said(role, whole) if whole else self._nth(role, payload)
        yield own, pieces, self._model_of(pieces)

    def _event(self, payload: JsonObject) -> Iterator[tuple[str, Sequence[Piece], Attributes]]:
        message = event_message(payload)
        if message is None:
            yield from self._other_event(payload)
            return
        role, text = message
        key = said_key(role, text)
        self.met[("event", key)] += 1
        if self.met[("event", key)] <= self.plan.items[key]:
            return
        if role == "reasoning":
            yield self._nth_said(role, text), [thinking_piece(text)], self.model
            return
        images = payload.get("images")
        blocks: list[Any] = [{"type": "input_text", "text": text}]
        blocks += [{"type": "input_image", "image_url": url} for url in images] if isinstance(images, list) else []
        pieces = response_pieces({"type": "message", "role": role, "content": blocks}, self._user_voice)
        yield self._nth_said(role, text), pieces, self._model_of(pieces)

    def _other_event(self, payload: JsonObject) -> Iterator[tuple[str, Sequence[Piece], Attributes]]:
        """Progress and bookkeeping, raw; what tells of a call that stands in the file as an item is a copy of it."""
        call_id = payload.get("call_id")
        is_copy = isinstance(call_id, str) and call_id in self.plan.call_ids
        kind = f"event.{short_name(payload.get('type'))}"
        piece = raw_piece(
            kind,
            payload,
            grade=SourceGrade.SUMMARY if is_copy else SourceGrade.TOOL,
            flags=("copied",) if is_copy else (),
            attributes=named("call_id", call_id),
        )
        yield self._nth(kind, payload), [piece], ()

    def _voices_of(self, payload: JsonObject) -> UserVoice:
        """Of a message of several blocks an event may show all of them as one."""
        if said_keys("user", payload.get("content"), together=True) & self.plan.typed:
            return typed if not self.is_agents else self._user_voice
        return self._user_voice

    def _user_voice(self, text: str) -> Voice:
        """The person's own only where an event shows that it was typed, or where the file has no such events."""
        if self.is_agents:
            return _PROMPT
        if self.plan.has_typed and said_key("user", text) not in self.plan.typed:
            return CONTEXT_VOICE
        return typed(text)

    def _model_of(self, pieces: Sequence[Piece]) -> Attributes:
        return self.model if any(piece.grade is AGENT_VOICE.grade for piece in pieces) else ()

    def _nth(self, sort: str, payload: JsonObject) -> str:
        """The name of a row: by what is in it, so that a copy of it in another file has the same."""
        return self._numbered(sort, digest_of(payload))

    def _nth_said(self, role: str, text: str) -> str:
        return self._numbered("said", said_key(role, text))

    def _numbered(self, sort: str, digest: str) -> str:
        key = (f"{self.copied_from or ''}{sort}", digest)
        self.met[key] += 1
        name = f"{sort}:{digest}"
        return name if self.met[key] == 1 else f"{name}~{self.met[key]}"


def _compacted(payload: JsonObject) -> Piece:
    """What a machine made of all that was before; the history that it keeps stands in the file already."""
    text = text_of(payload.get("message"))
    flags = ("compaction-summary",)
    if text is None:
        return raw_piece("compacted", payload, grade=SourceGrade.SUMMARY, flags=flags)
    content = text.encode("utf-8", "backslashreplace")
    return Piece(kind="compacted", type=RecordType.MESSAGE, grade=SourceGrade.SUMMARY, content=content, flags=flags)


def _session_attributes(payload: JsonObject) -> Attributes:
    git = object_of(payload.get("git"))
    found = named("cwd", payload.get("cwd")) + named("cli_version", payload.get("cli_version"))
    found += named("model", payload.get("model")) + named("model_provider", payload.get("model_provider"))
    return found + named("git_branch", git.get("branch")) + named("forked_from", payload.get("forked_from_id"))
