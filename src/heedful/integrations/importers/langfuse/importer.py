"""The format of Langfuse's exports of a trace: the trace, and its observations in no order of time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heedful.integrations.importers.conversation.message import (
    Message,
    Piece,
    call_piece,
    digest_of,
    raw_piece,
    result_piece,
)
from heedful.integrations.importers.conversation.parse import beside_messages
from heedful.integrations.importers.conversation.spans import Span, SpanSort, ToolRun
from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.langfuse.fields import content_of, messages_in, usage_of
from heedful.integrations.importers.values import named, plain_name, short_name, time_of
from heedful.kernel.canonical import canonical_bytes
from heedful.ports.importer import ImportProblem

SOURCE = "langfuse"

_SORTS: dict[str, SpanSort] = {
    "GENERATION": "model",
    "AGENT": "agent",
    "TOOL": "tool",
    "SPAN": "other",
    "EVENT": "other",
    "CHAIN": "other",
    "RETRIEVER": "other",
    "EVALUATOR": "other",
    "EMBEDDING": "other",
    "GUARDRAIL": "other",
}
_MARKS = ("scores", "corrections", "comments")
_ROOT = "trace"


class LangfuseFormat:
    """Exports of Langfuse. See PayloadFormat."""

    @property
    def name(self) -> str:
        """See PayloadFormat.name."""
        return SOURCE

    def is_payload(self, value: object) -> bool:
        """See PayloadFormat.is_payload: a trace with its observations, beside it or in it."""
        if not isinstance(value, dict):
            return False
        trace, observations = _parts(value)
        if not isinstance(trace, dict) or not isinstance(observations, list):
            return False
        first = observations[0] if observations else {"traceId": None}
        return isinstance(trace.get("id"), str) and isinstance(first, dict) and "traceId" in first

    def spans(self, payload: Any, line_number: int) -> Iterator[Span | ImportProblem]:
        """See PayloadFormat.spans: the trace itself is the span around all others."""
        trace, observations = _parts(payload)
        known = {_own_id(each) for each in observations if isinstance(each, dict)}
        # The trace repeats its observations without what is in them.
        inner = trace.get("observations")
        for each in inner if isinstance(inner, list) and inner is not observations else ():
            if not isinstance(each, dict) or _own_id(each) not in known:
                observations = [*observations, each]
        yield _root(trace, line_number, alone=not observations)
        for number, observation in enumerate(observations):
            if isinstance(observation, dict):
                yield _span(observation, trace, line_number)
            else:
                message = f"observation {number} is no object; left out"
                yield ImportProblem(line_number, "span_malformed", message)


def _parts(payload: JsonObject) -> tuple[Any, Any]:
    trace = payload.get("trace", payload)
    found = payload.get("observations")
    return trace, found if found is not None or not isinstance(trace, dict) else trace.get("observations")


def _root(trace: JsonObject, line_number: int, *, alone: bool) -> Span:
    given, gave = content_of(trace, "input"), content_of(trace, "output")
    inputs, outputs = messages_in(given, "user"), messages_in(gave, "agent")
    sides = (("trace.input", _rest(given, inputs)), ("trace.output", _rest(gave, outputs)))
    rest = [(kind, value) for kind, value in sides if value is not None]
    for name in _MARKS:
        marks = trace.get(name)
        rest += [(f"trace.{name}", mark) for mark in (marks if isinstance(marks, list) else ())]
    return Span(
        line_number=line_number,
        trace_id=_trace_id(trace),
        span_id=_ROOT,
        parent_id=None,
        sort="other",
        kind="trace",
        whole=trace if alone else None,
        start=time_of(trace.get("timestamp")),
        inputs=tuple(inputs or ()),
        outputs=tuple(outputs or ()),
        rest=tuple(rest),
        conversation=plain_name(trace.get("sessionId")),
    )


def _rest(value: Any, messages: list[Message] | None) -> Any:
    return beside_messages(value) if messages is None or isinstance(value, dict) else None


def _trace_id(trace: JsonObject) -> str:
    return plain_name(trace.get("id")) or digest_of(canonical_bytes(trace.get("id")))


def _own_id(observation: JsonObject) -> str:
    span_id = observation.get("id")
    return span_id if isinstance(span_id, str) and span_id else digest_of(canonical_bytes(observation))


def _span(observation: JsonObject, trace: JsonObject, line_number: int) -> Span:
    sort_name = observation.get("type")
    sort = _SORTS.get(sort_name, "other") if isinstance(sort_name, str) else "other"
    known = isinstance(sort_name, str) and sort_name in _SORTS
    given, gave = content_of(observation, "input"), content_of(observation, "output")
    inputs = messages_in(given, "user" if sort == "model" else None)
    outputs = messages_in(gave, "agent" if sort == "model" else None)
    run = _run(observation, sort, given, gave, outputs)
    if run is not None:
        inputs, outputs, given, gave = None, None, None, None
    rest = {"input": _rest(given, inputs), "output": _rest(gave, outputs)}
    kind = f"observation.{str(sort_name).lower()}" if known else f"unknown:{short_name(sort_name)}"
    parent = observation.get("parentObservationId")
    return Span(
        line_number=line_number,
        trace_id=_trace_id(trace),
        span_id=_own_id(observation),
        parent_id=parent if isinstance(parent, str) and parent else _ROOT,
        sort="tool" if run is not None else sort,
        kind=kind,
        whole=observation,
        start=time_of(observation.get("startTime")),
        end=time_of(observation.get("endTime")),
        inputs=tuple(inputs or ()),
        outputs=tuple(outputs or ()),
        run=run,
        rest=((kind, {"name": observation.get("name"), **rest}),)
        if any(each is not None for each in rest.values())
        else (),
        error=_error_of(observation) if run is None else None,
        conversation=plain_name(trace.get("sessionId")),
        attributes=named("model", observation.get("model")) + named("step", observation.get("name")),
        usage=usage_of(observation),
    )


def _run(
    observation: JsonObject, sort: SpanSort, given: Any, gave: Any, outputs: list[Message] | None
) -> ToolRun | None:
    """What ran a tool: it says so, or what it gave is one tool's message."""
    answer = outputs[0] if outputs is not None and len(outputs) == 1 and outputs[0].role == "tool" else None
    results = tuple(piece for piece in answer.pieces if piece.sort in ("result", "media")) if answer else ()
    if sort != "tool" and (not results or messages_in(given, None) is not None):
        return None
    call_id = next((piece.call_id for piece in results if piece.call_id is not None), None)
    tool = observation.get("name")
    error = _error_of(observation)
    if not results and (gave is not None or error is not None):
        value = error if gave is None else gave
        results = (_result(value, tool, is_error=error is not None),)
    return ToolRun(call=call_piece(tool, given, call_id), results=results)


def _result(value: Any, tool: object, *, is_error: bool) -> Piece:
    messages = messages_in(value, None)
    if messages is None:
        return result_piece(value, None, name=tool, is_error=is_error)
    return raw_piece(value, tool, "result")


def _error_of(observation: JsonObject) -> str | None:
    if observation.get("level") != "ERROR":
        return None
    return str(observation.get("statusMessage") or "error")
