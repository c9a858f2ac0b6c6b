"""Events of OpenHands V1: messages, actions, what came of them, condensations, and the program's own bookkeeping."""

from __future__ import annotations

import re
from typing import Any

from heedful.integrations.importers.claude_code.results import structured_fields
from heedful.integrations.importers.json_rows import JsonObject, ParsedValue, parse_value
from heedful.integrations.importers.run_rows import (
    AGENT,
    PERSON,
    PROGRAM,
    PROMPT,
    SUMMED_UP,
    THINKING,
    Call,
    Found,
    Row,
    list_of,
    object_of,
)
from heedful.integrations.importers.values import named, plain_name, short_name

_ANSWERS = frozenset({"ObservationEvent", "UserRejectObservation", "AgentErrorEvent"})
_BOOKKEEPING = frozenset(
    {
        "CondensationRequest",
        "ConversationErrorEvent",
        "ConversationStateUpdateEvent",
        "InterruptEvent",
        "LLMCompletionLogEvent",
        "PauseEvent",
        "StreamingDeltaEvent",
        "TokenEvent",
    }
)
_THINK = re.compile(r"\s*<think>(.*?)</think>(.*)", re.DOTALL)
_ANSWER_OWN_FIELDS = frozenset({"content", "command", "kind", "is_error", "metadata", "exit_code"})


def event_row(row: Row, event: JsonObject) -> Found:
    """Everything in the event; never empty."""
    kind = event.get("kind")
    if kind == "MessageEvent":
        _message(row, event)
    elif kind == "ActionEvent":
        _action(row, event)
    elif isinstance(kind, str) and kind in _ANSWERS:
        _answer(row, event, kind)
    elif kind == "SystemPromptEvent":
        _system_prompt(row, event)
    elif kind in ("Condensation", "CondensationSummaryEvent"):
        _condensation(row, event)
    elif isinstance(kind, str) and kind in _BOOKKEEPING:
        row.raw("raw", f"event.{kind}", PROGRAM, event)
    else:
        row.unknown("raw", kind, event)
    return row.whole(f"event.{short_name(kind)}", event)


def _message(row: Row, event: JsonObject) -> None:
    message = object_of(event.get("llm_message"))
    source = event.get("source")
    voice = AGENT if source == "agent" else PROGRAM
    if source == "user" and message.get("role", "user") == "user":
        # Where agents talk to each other, a message names its sender: then nothing says that a person wrote it.
        voice = PERSON if event.get("sender") is None else AGENT
    kind = f"{short_name(source)}.message"
    row.shared = named("message_id", event.get("llm_response_id")) + named("sender", event.get("sender"))
    if source == "agent":
        _thinking(row, message)
    row.content("text", kind, voice, message.get("content"))
    # Skills and the like, which the program adds to what was said.
    row.content("added", f"{kind}.added", PROGRAM, event.get("extended_content"))


def _action(row: Row, event: JsonObject) -> None:
    row.shared = named("message_id", event.get("llm_response_id"))
    row.shared += named("security_risk", event.get("security_risk"))
    reasoning = _thinking(row, event)
    row.content("thought", "agent.text", AGENT, _unrepeated(event.get("thought"), reasoning))
    action = object_of(event.get("action"))
    tool_call = object_of(event.get("tool_call"))
    given: Any = {name: value for name, value in action.items() if name != "kind"}
    if not action:
        given = _arguments(tool_call.get("arguments"))
    tool = plain_name(event.get("tool_name")) or plain_name(tool_call.get("name"))
    call_id = plain_name(event.get("tool_call_id")) or plain_name(tool_call.get("id"))
    kind = f"action.{short_name(action.get('kind'))}"
    own = row.call("call", kind, tool, given, call_id, attributes=named("summary", event.get("summary")))
    event_id = event.get("id")
    if isinstance(event_id, str):
        row.run.calls["event", event_id] = Call(own, tool)
    if action.get("kind") == "FinishAction":
        row.text("said", "agent.message", AGENT, action.get("message"), derived_from=(own,))


def _thinking(row: Row, holder: JsonObject) -> list[str]:
    """What the model thought, kept once: the reasoning and the blocks of thinking repeat each other."""
    reasoning = holder.get("reasoning_content")
    if row.text("reasoning", "agent.thinking", AGENT, reasoning, flags=(THINKING,)):
        return [str(reasoning).strip()]
    kept = []
    for place, block in enumerate(list_of(holder.get("thinking_blocks"))):
        text = object_of(block).get("thinking")
        if row.text(f"thinking{place}", "agent.thinking", AGENT, text, flags=(THINKING,)):
            kept.append(str(text).strip())
    return kept


def _unrepeated(thought: Any, reasoning: list[str]) -> Any:
    """The thought without the reasoning, which many models write into it once more, between tags."""
    found = []
    for block in thought if isinstance(thought, list) else [thought]:
        text = block if isinstance(block, str) else object_of(block).get("text")
        match = _THINK.match(text) if isinstance(text, str) else None
        if match is not None and match[1].strip() in reasoning:
            found.append(match[2])
        elif not isinstance(text, str) or text.strip() not in reasoning:
            found.append(block)
    return found


def _answer(row: Row, event: JsonObject, kind: str) -> None:
    observation = event.get("observation")
    fields = object_of(observation)
    call_id = event.get("tool_call_id")
    action_id = event.get("action_id")
    call = row.run.calls.get(("event", action_id)) if isinstance(action_id, str) else None
    if call is None and isinstance(call_id, str):
        call = row.run.calls.get(call_id)
    content = fields.get("content", fields.get("output")) if fields else observation
    is_error: bool | None = fields["is_error"] if isinstance(fields.get("is_error"), bool) else None
    if kind == "AgentErrorEvent":
        content, is_error = event.get("error"), True
    elif kind == "UserRejectObservation":
        content, is_error = event.get("rejection_reason"), True
    attributes = named("exit_code", fields.get("exit_code")) + named("rejected_by", event.get("rejection_source"))
    if call is None:
        attributes += named("tool", event.get("tool_name"))
    attributes += structured_fields({name: fields[name] for name in fields if name not in _ANSWER_OWN_FIELDS})
    known_by = call_id if call_id is not None else action_id
    name = short_name(fields.get("kind")) if fields else kind
    row.answer(
        "result",
        f"observation.{name}",
        content,
        call=call,
        call_id=known_by,
        is_error=is_error,
        attributes=attributes,
    )
    row.content("added", "observation.added", PROGRAM, event.get("extended_content"))


def _system_prompt(row: Row, event: JsonObject) -> None:
    for part in ("system_prompt", "dynamic_context"):
        row.content(part, part, PROMPT, event.get(part))
    if tools := list_of(event.get("tools")):
        row.raw("tools", "system_prompt.tools", PROMPT, tools)


def _condensation(row: Row, event: JsonObject) -> None:
    """What the condenser wrote in place of what it took out of the agent's sight."""
    forgotten = [each for each in list_of(event.get("forgotten_event_ids")) if isinstance(each, str)]
    sources = [own for each in forgotten if (own := row.run.first_items.get(each))]
    row.text(
        "summary",
        "condensation",
        SUMMED_UP,
        event.get("summary"),
        attributes=named("forgotten", len(forgotten)),
        derived_from=sources,
        flags=("compaction-summary",),
    )


def _arguments(written: Any) -> Any:
    parsed = parse_value(written.encode("utf-8", "backslashreplace")) if isinstance(written, str) else None
    return parsed.value if isinstance(parsed, ParsedValue) else written
