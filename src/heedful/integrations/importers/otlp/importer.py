"""The format of OTLP JSON: an export of spans that follow OpenTelemetry's GenAI conventions, old and new."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from heedful.integrations.importers.conversation.message import Piece, call_piece, decoded, digest_of, result_piece
from heedful.integrations.importers.conversation.spans import Span, SpanSort, ToolRun
from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.otlp.messages import messages_in
from heedful.integrations.importers.otlp.values import (
    SPAN_ID_BYTES,
    TRACE_ID_BYTES,
    attributes_of,
    field_of,
    id_of,
    is_error,
    list_of,
    time_of_nanoseconds,
    whole_number,
)
from heedful.integrations.importers.values import Attributes, named, plain_name, short_name
from heedful.kernel.canonical import canonical_bytes
from heedful.ports.importer import ImportProblem

SOURCE = "otlp"

_SORTS: dict[str, SpanSort] = {
    "chat": "model",
    "completion": "model",
    "text_completion": "model",
    "generate_content": "model",
    "invoke_agent": "agent",
    "execute_tool": "tool",
    "create_agent": "other",
    "embeddings": "other",
    "invoke_workflow": "other",
    "retrieval": "other",
}
_USAGE = (
    ("input_tokens", ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens")),
    ("output_tokens", ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens")),
)
_MODEL = ("gen_ai.response.model", "gen_ai.request.model")
_PROVIDER = ("gen_ai.provider.name", "gen_ai.system")
_ARGUMENTS = ("gen_ai.tool.call.arguments", "gen_ai.tool.arguments", "tool_arguments")
_RESULT = ("gen_ai.tool.call.result", "gen_ai.tool.result", "gen_ai.tool.message", "tool_response")


class OtlpFormat:
    """OTLP JSON. See PayloadFormat."""

    @property
    def name(self) -> str:
        """See PayloadFormat.name."""
        return SOURCE

    def is_payload(self, value: object) -> bool:
        """See PayloadFormat.is_payload: an export of spans, whether or not any of them follows GenAI conventions."""
        return isinstance(value, dict) and isinstance(field_of(value, "resourceSpans"), list)

    def spans(self, payload: Any, line_number: int) -> Iterator[Span | ImportProblem]:
        """See PayloadFormat.spans."""
        for resource_spans in list_of(payload, "resourceSpans"):
            if not isinstance(resource_spans, dict):
                yield _no_span(line_number)
                continue
            resource = resource_spans.get("resource")
            service = attributes_of(resource).get("service.name") if isinstance(resource, dict) else None
            scopes = list_of(resource_spans, "scopeSpans") + list_of(resource_spans, "instrumentationLibrarySpans")
            for scope_spans in scopes:
                for span in list_of(scope_spans, "spans") if isinstance(scope_spans, dict) else [None]:
                    yield _span(span, service, line_number) if isinstance(span, dict) else _no_span(line_number)


def _no_span(line_number: int) -> ImportProblem:
    return ImportProblem(line_number, "span_malformed", "what stands where a span should be is no object; left out")


@dataclass(frozen=True, slots=True)
class _Read:
    """The fields of one span that the rest is made from."""

    span: JsonObject
    attributes: JsonObject
    service: object

    def first(self, names: tuple[str, ...]) -> Any:
        """The first of these attributes that the span has."""
        return next((self.attributes[name] for name in names if self.attributes.get(name) is not None), None)


def _span(span: JsonObject, service: object, line_number: int) -> Span:
    read = _Read(span, attributes_of(span), service)
    sort, kind = _sort_of(read)
    found = messages_in(read.attributes, _events(span))
    run = _run(read) if sort == "tool" else None
    trace_id = id_of(field_of(span, "traceId"), TRACE_ID_BYTES)
    span_id = id_of(field_of(span, "spanId"), SPAN_ID_BYTES)
    dropped = whole_number(field_of(span, "droppedAttributesCount"))
    return Span(
        line_number=line_number,
        trace_id=trace_id or "no-trace",
        span_id=span_id or digest_of(canonical_bytes(span)),
        parent_id=id_of(field_of(span, "parentSpanId"), SPAN_ID_BYTES),
        sort=sort,
        kind=kind,
        whole=span,
        start=time_of_nanoseconds(field_of(span, "startTimeUnixNano")),
        end=time_of_nanoseconds(field_of(span, "endTimeUnixNano")),
        inputs=tuple(found.inputs),
        outputs=tuple(found.outputs),
        run=run,
        error=None if run is not None else _error_of(read),
        conversation=_conversation(read),
        attributes=_attributes(read) + (named("attributes_dropped", dropped) if dropped else ()),
        usage=_usage(read),
        problems=tuple(found.problems),
    )


def _sort_of(read: _Read) -> tuple[SpanSort, str]:
    operation = read.attributes.get("gen_ai.operation.name")
    if isinstance(operation, str) and operation in _SORTS:
        return _SORTS[operation], f"span.{operation}"
    if "gen_ai.tool.name" in read.attributes:
        return "tool", "span.execute_tool"
    if isinstance(operation, str):
        return "other", f"unknown:{short_name(operation)}"
    if any(name in read.attributes for name in (*_MODEL, *_PROVIDER)):
        return "model", "span.chat"
    return "other", "unknown:span"


def _events(span: JsonObject) -> list[tuple[str, JsonObject]]:
    events = [event for event in list_of(span, "events") if isinstance(event, dict)]
    return [(str(event.get("name")), attributes_of(event)) for event in events]


def _run(read: _Read) -> ToolRun:
    call_id = read.attributes.get("gen_ai.tool.call.id")
    tool = read.attributes.get("gen_ai.tool.name")
    call = call_piece(tool, read.first(_ARGUMENTS), call_id)
    result = read.first(_RESULT)
    error = _error_of(read)
    results: tuple[Piece, ...] = ()
    if result is not None or error is not None:
        value = error if result is None else _unquoted(result)
        results = (result_piece(value, call_id, name=tool, is_error=error is not None),)
    return ToolRun(call=call, results=results)


def _unquoted(result: Any) -> Any:
    """A text that is a text in JSON again is what it says; other JSON in a text stays the text that it is."""
    inner = decoded(result)
    return inner if isinstance(inner, str) else result


def _error_of(read: _Read) -> str | None:
    status = read.span.get("status")
    sort = read.attributes.get("error.type")
    if not is_error(status) and sort is None:
        return None
    message = status.get("message") if isinstance(status, dict) else None
    return str(message or sort or "error")


def _conversation(read: _Read) -> str | None:
    name = plain_name(read.attributes.get("gen_ai.conversation.id"))
    service = plain_name(read.service)
    return f"{service}/{name}" if name is not None and service is not None else name


def _attributes(read: _Read) -> Attributes:
    found = named("model", read.first(_MODEL)) + named("provider", read.first(_PROVIDER))
    found += named("agent", read.attributes.get("gen_ai.agent.name"))
    return found + named("error_type", read.attributes.get("error.type"))


def _usage(read: _Read) -> Attributes:
    found: Attributes = ()
    for name, keys in _USAGE:
        found += named(name, whole_number(read.first(keys)))
    return found
