"""Actions of OpenHands V0: what somebody said, what the agent called, and the program's own bookkeeping."""

from __future__ import annotations

from typing import Any

from heedful.integrations.importers.json_rows import JsonObject
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
    Voice,
    list_of,
    object_of,
)
from heedful.integrations.importers.values import Attributes, named, plain_name, short_name

_BOOKKEEPING = frozenset(
    {
        "change_agent_state",
        "condensation_request",
        "null",
        "pause",
        "recall",
        "resume",
        "start",
        "status",
        "stop",
    }
)
_CALLS = frozenset(
    {
        "add_task",
        "browse",
        "browse_interactive",
        "call_tool_mcp",
        "delegate",
        "edit",
        "finish",
        "kill",
        "loop_recovery",
        "mcp",
        "modify_task",
        "push",
        "read",
        "reject",
        "run",
        "run_ipython",
        "search",
        "send_pr",
        "summarize",
        "task_tracking",
        "write",
    }
)
# What these hold is in items of its own.
_SPOKEN_ARGS = frozenset({"thought", "final_thought"})
_USAGE = ("prompt_tokens", "completion_tokens")


def action_row(row: Row, event: JsonObject) -> Found:
    """Everything in the action; never empty."""
    action = str(event["action"])
    args = object_of(event.get("args"))
    metadata = object_of(event.get("tool_call_metadata"))
    response = object_of(metadata.get("model_response"))
    row.shared += named("message_id", response.get("id")) + named("model", response.get("model"))
    if event.get("source") == "agent":
        row.attributes = _usage(row, response)
        row.text("reasoning", "agent.thinking", AGENT, _reasoning(response), flags=(THINKING,))
    if action == "message":
        _message(row, event, args)
    elif action == "system":
        _system(row, args)
    elif action == "condensation":
        _condensation(row, args)
    elif action == "think" and isinstance(args.get("thought"), str):
        row.text("thought", "agent.thinking", _voice(event), args["thought"], flags=(THINKING,))
    elif action in _BOOKKEEPING:
        row.raw("raw", f"action.{action}", PROGRAM, event)
    elif action in _CALLS or metadata:
        _call(row, event, args, metadata)
    else:
        row.unknown("raw", action, event)
    return row.whole(f"action.{short_name(action)}", event)


def _voice(event: JsonObject) -> Voice:
    """On whose word: a person's only where they wrote a message."""
    return AGENT if event.get("source") == "agent" else PROGRAM


def _message(row: Row, event: JsonObject, args: JsonObject) -> None:
    voice = _voice(event)
    content = args.get("content", event.get("message"))
    kind = f"{short_name(event.get('source'))}.message"
    if event.get("source") == "user":
        voice = PERSON
        if _task_name(content) in row.run.calls:
            # The agent's own words to another agent, which the program writes into the log as a user's.
            voice, kind = AGENT, "agent.task"
    own = row.text("text", kind, voice, content)
    if own is None and not isinstance(content, str):
        own = row.content("text", kind, voice, content)
    for place, url in enumerate(list_of(args.get("image_urls"))):
        row.content(f"image{place}", f"{kind}.image", voice, {"type": "image_url", "image_url": url})
    if files := list_of(args.get("file_urls")):
        row.raw("files", f"{kind}.files", PROGRAM, files)


def _task_name(content: Any) -> tuple[str, object]:
    """What a delegated task is known by among the run's calls."""
    return "task", content.removeprefix("TASK: ").strip() if isinstance(content, str) else None


def _system(row: Row, args: JsonObject) -> None:
    row.text("text", "system_prompt", PROMPT, args.get("content"))
    rest = {name: value for name, value in args.items() if name != "content" and value not in (None, "", [], {})}
    if rest:
        row.raw("more", "system_prompt.more", PROMPT, rest)


def _condensation(row: Row, args: JsonObject) -> None:
    """What the condenser wrote in place of what it took out of the agent's sight."""
    forgotten = [each for each in list_of(args.get("forgotten_event_ids")) if isinstance(each, int)]
    first, last = args.get("forgotten_events_start_id"), args.get("forgotten_events_end_id")
    attributes = named("forgotten_first", first) + named("forgotten_last", last) + named("forgotten", len(forgotten))
    sources = [own for each in forgotten if (own := row.run.first_items.get(str(each)))]
    row.text(
        "summary",
        "condensation",
        SUMMED_UP,
        args.get("summary"),
        attributes=attributes,
        derived_from=sources,
        flags=("compaction-summary",),
    )


def call_of_event(row: Row, event_id: object) -> Call | None:
    """The call that this event was, where the trace has it."""
    return row.run.calls.get(("event", event_id)) if isinstance(event_id, int) else None


def _call(row: Row, event: JsonObject, args: JsonObject, metadata: JsonObject) -> None:
    agent = event.get("source") == "agent"
    action = str(event["action"])
    row.text("thought", "agent.text", _voice(event), args.get("thought"))
    row.text("final", "agent.text", _voice(event), args.get("final_thought"))
    if action in ("finish", "reject") and agent and not row.found:
        row.text("said", "agent.text", AGENT, event.get("message"))
    given = {name: value for name, value in args.items() if name not in _SPOKEN_ARGS}
    tool = plain_name(metadata.get("function_name")) or action
    kind = f"action.{short_name(action)}"
    if not agent:
        kind = f"{short_name(event.get('source'))}.{kind}"
        own = row.raw("call", kind, PROGRAM, {"name": tool, "input": given}, attributes=named("tool", tool))
    else:
        own = row.call("call", kind, tool, given, metadata.get("tool_call_id"))
    event_id = event.get("id")
    if isinstance(event_id, int):
        row.run.calls["event", event_id] = Call(own, tool)
    task = object_of(args.get("inputs")).get("task")
    if action == "delegate" and isinstance(task, str):
        row.run.calls[_task_name(task)] = Call(own, tool)


def _usage(row: Row, response: JsonObject) -> Attributes:
    """Tokens of the response; several actions of one response repeat them, and only the first gets them."""
    response_id = plain_name(response.get("id")) or row.own
    if not response or response_id in row.run.counted:
        return ()
    row.run.counted.add(response_id)
    usage = object_of(response.get("usage"))
    return tuple(each for name in _USAGE for each in named(name, usage.get(name)))


def _reasoning(response: JsonObject) -> Any:
    choices = list_of(response.get("choices"))
    message = object_of(object_of(choices[0]).get("message")) if choices else {}
    return message.get("reasoning_content")
