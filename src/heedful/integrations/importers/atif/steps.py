"""One step of an ATIF trajectory: what was said, what was called, what came of it, and all else that stands in it."""

from __future__ import annotations

from typing import Any

from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.run_rows import (
    AGENT,
    CALL_MISSING,
    PERSON,
    PROGRAM,
    PROMPT,
    THINKING,
    Call,
    Found,
    Row,
    list_of,
    object_of,
)
from heedful.integrations.importers.values import Attributes, is_field_name, named, plain_name

_VOICES = {"system": PROMPT, "user": PERSON, "agent": AGENT}
_STEP_FIELDS = frozenset(
    {"step_id", "timestamp", "source", "message", "model_name", "reasoning_content", "tool_calls", "metrics"}
    | {"observation", "is_copied_context"}
)
_CALL_FIELDS = frozenset({"tool_call_id", "function_name", "arguments"})
_RESULT_FIELDS = frozenset({"source_call_id", "content"})
_ATTRIBUTES_MAX = 16


def step_row(row: Row, step: JsonObject) -> Found:
    """Everything in the step; never empty."""
    source = step.get("source")
    voice = _VOICES.get(source) if isinstance(source, str) else None
    if voice is None:
        row.unknown("raw", source, step)
        return row.found
    row.shared += named("model", step.get("model_name"))
    metrics, more_metrics = _split(step.get("metrics"), "")
    rest, more = _split({name: step[name] for name in step if name not in _STEP_FIELDS}, "step.")
    row.attributes = metrics + rest
    row.text("reasoning", "agent.thinking", AGENT, step.get("reasoning_content"), flags=(THINKING,))
    message = row.content("message", f"{source}.message", voice, step.get("message"))
    read = [_call(row, call, place) for place, call in enumerate(list_of(step.get("tool_calls")))]
    calls = [call for call in read if call is not None]
    named_twice = {
        str(given)[:40] for place, (given, _) in enumerate(calls) if given in [each for each, _ in calls[:place]]
    }
    for call_id in sorted(named_twice):
        row.problem("call_id_repeated", f"two calls of the step have the id {call_id!r}; results go to the first")
    _observation(row, step.get("observation"), calls, message)
    if more_metrics:
        more["metrics"] = more_metrics
    if "tool_calls" in step and not isinstance(step["tool_calls"], list | None):
        more["tool_calls"] = step["tool_calls"]
    if more:
        # Unknown fields, and what is too large for an attribute, such as the tokens one by one.
        row.raw("more", "step.more", PROGRAM, more)
    return row.whole(f"{source}.empty", step)


def _split(value: Any, prefix: str) -> tuple[Attributes, dict[str, Any]]:
    """Short values as attributes, and the rest."""
    fields = value if isinstance(value, dict) or value is None else {"value": value}
    attributes: Attributes = ()
    rest: dict[str, Any] = {}
    for name, each in sorted((fields or {}).items()):
        fits = is_field_name(name) and len(name) <= 50 and len(attributes) < _ATTRIBUTES_MAX
        found = named(f"{prefix}{name}", each) if fits else ()
        attributes += found
        if not found and each not in (None, "", [], {}):
            rest[name] = each
    return attributes, rest


def _call(row: Row, call: Any, place: int) -> tuple[Any, Call] | None:
    """The call, with the id that results name it by; None where it is no call at all."""
    fields = object_of(call)
    if "function_name" not in fields:
        row.unknown(f"call{place}", "tool_call", call)
        return None
    attributes, rest = _split({name: fields[name] for name in fields if name not in _CALL_FIELDS}, "call.")
    call_id, tool = fields.get("tool_call_id"), fields["function_name"]
    own = row.call(f"call{place}", "agent.call", tool, fields.get("arguments"), call_id, attributes=attributes)
    if rest:
        row.raw(f"call{place}.more", "agent.call.more", PROGRAM, rest, derived_from=(own,))
    return call_id, Call(own, plain_name(tool))


def _observation(row: Row, observation: Any, calls: list[tuple[Any, Call]], message: str | None) -> None:
    if observation is None:
        return
    results = object_of(observation).get("results")
    for place, result in enumerate(list_of(results)):
        _result(row, result, place, calls, message)
    rest = {name: value for name, value in object_of(observation).items() if name != "results" and value is not None}
    if not isinstance(observation, dict) or not isinstance(results, list):
        row.unknown("observation", "observation", observation)
    elif rest:
        row.raw("observation", "observation.more", PROGRAM, rest)


def _result(row: Row, result: Any, place: int, calls: list[tuple[Any, Call]], message: str | None) -> None:
    """A result, bound to a call of its own step: to the one that it names, or to the only one."""
    fields = object_of(result)
    if not isinstance(result, dict):
        row.unknown(f"result{place}", "result", result)
        return
    call_id = fields.get("source_call_id")
    call: Call | None = None
    if call_id is not None:
        call = next((each for given, each in calls if given == call_id), None)
        if call is None:
            row.problem("call_missing", f"a result names the call {str(call_id)[:40]!r}, which is none of its step")
    elif len(calls) == 1:
        call = calls[0][1]
    attributes, rest = _split({name: fields[name] for name in fields if name not in _RESULT_FIELDS}, "result.")
    extra = object_of(fields.get("extra"))
    is_error = next((each for each in (extra.get("is_error"), fields.get("is_error")) if isinstance(each, bool)), None)
    if "content" in fields or not rest:
        row.answer(
            f"result{place}",
            "observation",
            fields.get("content"),
            call=call,
            call_id=call_id,
            is_error=is_error,
            attributes=attributes,
        )
    if rest:
        # Among them the trajectories of sub-agents that it came from.
        sources = [call.own] if call is not None else [message] if message is not None else []
        flags = (CALL_MISSING,) if call is None and call_id is not None else ()
        shown = () if "content" in fields else attributes
        part = f"result{place}.more"
        row.raw(part, "observation.more", PROGRAM, rest, derived_from=sources, flags=flags, attributes=shown)
