"""A story: the spans of a file told as items, in the order in which things happened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from heedful.integrations.importers.conversation.message import Message, Piece
from heedful.integrations.importers.conversation.spans import Span, ToolRun, Tree, conversation_of, traces_of, tree_of
from heedful.integrations.importers.conversation.thread import Thread, Where
from heedful.integrations.importers.items import RunItems
from heedful.integrations.importers.values import named
from heedful.observations.record import RecordType, SourceGrade
from heedful.ports.importer import ImportedItem, ImportProblem

REPEATED = "row_repeated"


@dataclass(slots=True)
class _ConversationItems(RunItems):
    """Items of one trace whose references are the conversation's: its other traces repeat what was said."""

    conversation: str = ""
    _refs: RunItems = field(init=False)

    def __post_init__(self) -> None:
        RunItems.__post_init__(self)
        self._refs = RunItems(self.source, self.conversation)

    def ref(self, own: object) -> str:
        return self._refs.ref(own)


@dataclass(slots=True)
class _Conversation:
    """What the traces of one conversation share.

    Attributes:
        given: digests of what users say outside of the calls of models: a model is told more in a user's name than
            any user said.
    """

    thread: Thread = field(default_factory=Thread)
    given: set[str] = field(default_factory=set)
    traces: int = 0


def told(spans: Sequence[Span], source: str) -> Iterator[ImportedItem | ImportProblem]:
    """The items of all spans: one run for each trace, every message of a conversation once."""
    seen: set[tuple[str, str]] = set()
    for span in spans:
        if (span.trace_id, span.span_id) in seen:
            yield ImportProblem(span.line_number, REPEATED, "a span stands here a second time; taken once")
        seen.add((span.trace_id, span.span_id))
    traces = [(trace, tree_of(trace)) for trace in traces_of(spans)]
    conversations: dict[str, _Conversation] = {}
    for trace, tree in traces:
        shared = conversations.setdefault(_name(trace), _Conversation())
        shared.given |= _given(trace, tree)
    for trace, tree in traces:
        name = _name(trace)
        items = _ConversationItems(source, trace[0].trace_id, conversation=name)
        yield from _Telling(items, tree, conversations[name]).items()


def _name(trace: Sequence[Span]) -> str:
    return conversation_of(trace) or trace[0].trace_id


def _given(trace: Sequence[Span], tree: Tree) -> set[str]:
    return {
        piece.same
        for span in trace
        if span.sort != "model" and span.span_id not in tree.inner
        for message in (*span.inputs, *span.outputs)
        if message.role == "user"
        for piece in message.pieces
    }


class _Telling:
    """One trace, span by span."""

    def __init__(self, items: _ConversationItems, tree: Tree, shared: _Conversation) -> None:
        self._items = items
        self._tree = tree
        self._shared = shared
        # A later trace that begins without what was said before begins with words of its own.
        self._opens = shared.traces > 0
        shared.traces += 1
        self._call_ids: dict[str, str] = {}

    def items(self) -> Iterator[ImportedItem | ImportProblem]:
        for span, begins in self._tree.order:
            yield from self._begin(span) if begins else self._end(span)

    def _begin(self, span: Span) -> Iterator[ImportedItem | ImportProblem]:
        for code, text in span.problems:
            yield ImportProblem(span.line_number, code, text)
        if span.inputs:
            yield from self._take(span, span.inputs, begins=True, fresh=self._opening(span.inputs))
        if span.run is not None:
            call = self._called(span, span.run)
            yield from self._take(span, [Message("agent", None, (call,))], begins=True)

    def _end(self, span: Span) -> Iterator[ImportedItem | ImportProblem]:
        if span.outputs:
            innermost = span.sort in ("model", "agent") and span.span_id not in self._tree.outer_speakers
            messages = [*span.inputs, *span.outputs] if not innermost else span.outputs
            yield from self._take(span, messages, begins=False, fresh={"agent"} if innermost else frozenset())
        if span.run is not None:
            yield from self._answered(span, span.run)
        elif span.error is not None:
            yield self._raw(span, "error", f"{span.sort}.error", span.error)
        for number, (kind, value) in enumerate(span.rest):
            yield self._raw(span, f"rest{number}", kind, value)
        says = span.inputs or span.outputs or span.run or span.rest or span.error is not None
        if not says and span.whole is not None:
            yield self._raw(span, "whole", span.kind, span.whole)
        elif span.usage and not span.outputs:
            yield self._raw(span, "usage", span.kind, dict(span.usage))

    def _called(self, span: Span, run: ToolRun) -> Piece:
        """The call with an id: its own, that of the call that asked for it, or one after its span."""
        call = run.call
        call_id = call.call_id or self._shared.thread.call_id_of(call) or f"span:{span.span_id}"
        self._call_ids[span.span_id] = call_id
        return _with_id(call, call_id)

    def _answered(self, span: Span, run: ToolRun) -> Iterator[ImportedItem | ImportProblem]:
        call_id = self._call_ids[span.span_id]
        results = tuple(_with_id(piece, piece.call_id or call_id) for piece in run.results)
        yield from self._take(span, [Message("tool", None, results)], begins=False)

    def _opening(self, messages: Sequence[Message]) -> AbstractSet[str]:
        opens, self._opens = self._opens, False
        has_history = any(message.role in ("agent", "tool") for message in messages)
        return {"user"} if opens and not has_history else frozenset()

    def _take(
        self, span: Span, messages: Sequence[Message], *, begins: bool, fresh: AbstractSet[str] = frozenset()
    ) -> Iterator[ImportedItem | ImportProblem]:
        given = self._shared.given
        inner = span.span_id in self._tree.inner
        where = Where(
            line_number=span.line_number,
            occurred=(span.start if begins else span.end) or span.start or span.end,
            attributes=span.attributes + named("span_id", span.span_id),
            usage=() if begins else span.usage,
            flags=(*span.flags, "sidechain") if inner else span.flags,
            prompt=inner or (span.sort == "model" and bool(given)),
            given=given,
            fresh=fresh,
        )
        yield from self._shared.thread.take(self._items, messages, where)

    def _raw(self, span: Span, part: str, kind: str, value: object) -> ImportedItem:
        own = f"span:{self._items.run_id}:{span.span_id}:{part}"
        return self._items.raw(
            own,
            kind,
            RecordType.OBSERVATION,
            SourceGrade.TOOL,
            value,
            line_number=span.line_number,
            occurred=span.start or span.end,
            attributes=span.attributes + span.usage + named("span_id", span.span_id),
            flags=span.flags,
        )


def _with_id(piece: Piece, call_id: str) -> Piece:
    return Piece(
        sort=piece.sort,
        content=piece.content,
        media_type=piece.media_type,
        same=piece.same,
        call_id=call_id,
        name=piece.name,
        is_error=piece.is_error,
        is_hollow=piece.is_hollow,
    )
