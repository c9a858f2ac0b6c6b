"""Span: a step of a traced run, and the order in which steps of all spans happened, whatever order they arrived in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from heedful.integrations.importers.conversation.message import Message, Piece
from heedful.integrations.importers.values import Attributes
from heedful.kernel.times import SourceTime

SpanSort = Literal["model", "agent", "tool", "other"]

_NEVER_US = 2**63


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """A tool at work: its call, and its output where the trace has one."""

    call: Piece
    results: tuple[Piece, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One step, read on its own.

    Attributes:
        inputs, outputs: the messages that it was given and that it gave, in order.
        rest: what else is in it, as (kind, value), kept raw; where there is nothing but `whole`, that is.
        whole: the step as the trace has it; None where it need not be kept, even where there is nothing else.
        error: what went wrong, where the trace tells.
        conversation: the trace's own name of the conversation, where it has one.
    """

    line_number: int
    trace_id: str
    span_id: str
    parent_id: str | None
    sort: SpanSort
    kind: str
    whole: Any
    start: SourceTime | None = None
    end: SourceTime | None = None
    inputs: tuple[Message, ...] = ()
    outputs: tuple[Message, ...] = ()
    run: ToolRun | None = None
    rest: tuple[tuple[str, Any], ...] = ()
    error: str | None = None
    conversation: str | None = None
    attributes: Attributes = ()
    usage: Attributes = ()
    flags: tuple[str, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Tree:
    """The spans of one trace.

    Attributes:
        order: each span where it begins (True) and where it ends (False), its inner spans between the two.
        inner: ids of spans that are another agent's: below a tool, or an agent below an agent.
        outer_speakers: ids of calls of models and of agents with another one below them, which is who speaks.
    """

    order: list[tuple[Span, bool]] = field(default_factory=list)
    inner: set[str] = field(default_factory=set)
    outer_speakers: set[str] = field(default_factory=set)


def traces_of(spans: Sequence[Span]) -> list[list[Span]]:
    """The spans of each trace, each span once; traces by when they began."""
    found: dict[str, dict[str, Span]] = {}
    for span in spans:
        found.setdefault(span.trace_id, {}).setdefault(span.span_id, span)
    traces = [sorted(each.values(), key=_time_key) for each in found.values()]
    return sorted(traces, key=lambda each: (_begin_us(each[0]), each[0].trace_id))


def tree_of(spans: Sequence[Span]) -> Tree:
    """The spans of a trace by their parents, and by time where they have the same one. Rings of parents are cut."""
    by_id = {span.span_id: span for span in spans}
    children: dict[str | None, list[Span]] = {}
    for span in spans:
        parent = span.parent_id if span.parent_id in by_id and span.parent_id != span.span_id else None
        children.setdefault(parent, []).append(span)
    tree = Tree()
    seen: set[str] = set()
    for root in [*children.get(None, ()), *spans]:
        if root.span_id not in seen:
            _walk(root, children, seen, tree)
    _mark_outer_speakers(spans, by_id, tree)
    return tree


def conversation_of(spans: Sequence[Span]) -> str | None:
    """The conversation that a trace is part of: what its first span that names one says."""
    return next((span.conversation for span in spans if span.conversation is not None), None)


def _begin_us(span: Span) -> int:
    first = span.start or span.end
    return first.at_us if first is not None else _NEVER_US


def _time_key(span: Span) -> tuple[int, int, str]:
    return (_begin_us(span), span.end.at_us if span.end is not None else _NEVER_US, span.span_id)


def _walk(root: Span, children: Mapping[str | None, Sequence[Span]], seen: set[str], tree: Tree) -> None:
    """Without recursion: traces may nest as deep as their writer likes."""
    waiting: list[tuple[Span, bool, int, int]] = [(root, True, 0, 0)]
    while waiting:
        span, begins, agents, tools = waiting.pop()
        if not begins:
            tree.order.append((span, False))
            continue
        if span.span_id in seen:
            continue
        seen.add(span.span_id)
        agents += span.sort == "agent"
        if tools or agents > 1:
            tree.inner.add(span.span_id)
        tools += span.sort == "tool"
        tree.order.append((span, True))
        waiting.append((span, False, agents, tools))
        waiting.extend((child, True, agents, tools) for child in reversed(children.get(span.span_id, ())))


def _mark_outer_speakers(spans: Sequence[Span], by_id: Mapping[str, Span], tree: Tree) -> None:
    for span in spans:
        if span.sort not in ("model", "agent"):
            continue
        above: set[str] = {span.span_id}
        parent = by_id.get(span.parent_id or "")
        while parent is not None and parent.span_id not in above:
            above.add(parent.span_id)
            tree.outer_speakers.add(parent.span_id)
            parent = by_id.get(parent.parent_id or "")
