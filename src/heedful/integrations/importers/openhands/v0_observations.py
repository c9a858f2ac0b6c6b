"""Observations of OpenHands V0: what tools answered, and what the program around the agent notes."""

from __future__ import annotations

from typing import Any

from heedful.integrations.importers.claude_code.results import structured_fields
from heedful.integrations.importers.inline_bytes import is_inline
from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.openhands.v0_actions import call_of_event
from heedful.integrations.importers.run_rows import ANSWER, CALL_MISSING, PROGRAM, Found, Row, object_of
from heedful.integrations.importers.values import named, short_name

_BOOKKEEPING = frozenset({"agent_state_changed", "condense", "null", "status", "success"})
_CONTEXT = frozenset({"chat", "microagent", "recall", "system", "workspace_context"})
_PICTURES = ("screenshot", "set_of_marks")


def observation_row(row: Row, event: JsonObject) -> Found:
    """Everything in the observation; never empty."""
    observation = str(event["observation"])
    kind = f"observation.{short_name(observation)}"
    extras = object_of(event.get("extras"))
    if observation in _BOOKKEEPING:
        row.raw("raw", kind, PROGRAM, event)
    elif observation in _CONTEXT:
        row.text("text", kind, PROGRAM, event.get("content"))
        if extras:
            row.raw("more", f"{kind}.more", PROGRAM, extras)
    else:
        _answer(row, kind, event, extras)
    return row.whole(kind, event)


def _answer(row: Row, kind: str, event: JsonObject, extras: JsonObject) -> None:
    cause = event.get("cause")
    call = call_of_event(row, cause)
    call_id = object_of(event.get("tool_call_metadata")).get("tool_call_id")
    if call is None and isinstance(call_id, str):
        call = row.run.calls.get(call_id)
    if call is None and (isinstance(cause, int) or call_id is not None):
        row.flags += (CALL_MISSING,)
    fields = {name: value for name, value in extras.items() if name not in _PICTURES}
    attributes = named("cause", cause) + named("exit_code", _exit_code(extras)) + structured_fields(fields)
    is_error = _is_error(str(event["observation"]), event, extras)
    row.answer(
        "result", kind, event.get("content"), call=call, call_id=call_id, is_error=is_error, attributes=attributes
    )
    for name in _PICTURES:
        picture = extras.get(name)
        if not isinstance(picture, str) or not picture:
            continue
        # Old versions wrote the base64 alone, of a PNG.
        block = {"url": picture} if is_inline(picture) else {"data": picture, "media_type": "image/png"}
        sources = () if call is None else (call.own,)
        row.content(name, f"{kind}.{name}", ANSWER, block, derived_from=sources)


def _exit_code(extras: JsonObject) -> Any:
    found = extras.get("exit_code", object_of(extras.get("metadata")).get("exit_code"))
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _is_error(observation: str, event: JsonObject, extras: JsonObject) -> bool | None:
    """Whether the call failed; None where nothing says so. An exit code of -1 is a command that still runs."""
    if observation in ("error", "user_rejected"):
        return True
    if isinstance(extras.get("error"), bool):
        return bool(extras["error"])
    exit_code = _exit_code(extras)
    if exit_code is not None and exit_code != -1:
        return bool(exit_code != 0)
    return not event["success"] if isinstance(event.get("success"), bool) and exit_code is None else None
