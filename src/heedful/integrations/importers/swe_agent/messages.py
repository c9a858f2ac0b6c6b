"""Rows of a chat history, as SWE-agent and mini-SWE-agent keep it: prompts, what the agent said and called, answers.

The program writes every row of role `user`: its prompts, with the task's text filled in, and the output of commands.
Nobody's own words can be told apart in them, so none counts as a person's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from heedful.integrations.importers.json_rows import JsonObject, ParsedValue, parse_value
from heedful.integrations.importers.run_rows import (
    AGENT,
    PROGRAM,
    PROMPT,
    THINKING,
    Call,
    Found,
    Row,
    list_of,
    object_of,
)
from heedful.integrations.importers.values import Attributes, named, plain_name, short_name

SHELL = "bash"
"""The tool of an action that is written as a command."""
_COMMAND = re.compile(r"```(?:bash|sh|mswea_bash_command)[ \t]*\n(.*?)\n?```", re.DOTALL)
_COMMAND_LOOKED_AT = 200_000
_RETURN_CODE = re.compile(r"\s*<returncode>(-?\d{1,9})</returncode>")
_USAGE = ("prompt_tokens", "completion_tokens", "total_tokens")
_ROLES = frozenset({"system", "user", "assistant", "tool", "exit"})


@dataclass(slots=True)
class History:
    """The calls of the agent's last row: what the next rows answer, unless they name their call."""

    open_calls: list[Call] = field(default_factory=list)
    spoke: bool = False

    def take(self, row: Row, message: JsonObject) -> Found:
        """Everything in the row; never empty."""
        role = message.get("role")
        if message.get("is_demo"):
            row.content("demo", "demonstration", PROMPT, message.get("content"))
            if calls := list_of(message.get("tool_calls")):
                row.raw("calls", "demonstration.calls", PROMPT, calls)
        elif message.get("type") == "function_call_output":
            self._answer(row, message, message.get("output"), message.get("call_id"))
        elif not isinstance(role, str) or role not in _ROLES:
            row.unknown("raw", role if role is not None else message.get("object", message.get("type")), message)
        elif role == "assistant":
            self._agent(row, message)
        elif role == "system":
            row.content("text", "system_prompt", PROMPT, message.get("content"))
        elif role == "exit":
            row.content("text", "exit", PROGRAM, message.get("content"), attributes=_exit(message))
        elif self.open_calls or role == "tool":
            self._answer(row, message, message.get("content"), _answered(message))
        else:
            kind, voice = ("program.message", PROGRAM) if self.spoke else ("task", PROMPT)
            row.content("text", kind, voice, message.get("content"))
        return row.whole(f"{short_name(role)}.empty", message)

    def _agent(self, row: Row, message: JsonObject) -> None:
        response = object_of(object_of(message.get("extra")).get("response"))
        row.shared += named("message_id", response.get("id")) + named("model", response.get("model"))
        usage = object_of(response.get("usage"))
        row.attributes = tuple(each for name in _USAGE for each in named(name, usage.get(name)))
        thinking(row, message)
        thought = message.get("thought")
        content = message.get("content")
        said = thought if isinstance(thought, str) and thought.strip() else content
        row.content("text", "agent.text", AGENT, said)
        self.spoke = True
        self.open_calls = _calls(row, message, content)

    def _answer(self, row: Row, message: JsonObject, content: Any, call_id: Any) -> None:
        call = row.run.calls.get(call_id) if isinstance(call_id, str) else None
        if call is None and call_id is None and self.open_calls:
            call = self.open_calls[0]
        extra = object_of(message.get("extra"))
        code = extra.get("returncode")
        if code is None and isinstance(text := _first_text(content), str) and (match := _RETURN_CODE.match(text)):
            code = int(match[1])
        is_error = code != 0 if isinstance(code, int) and not isinstance(code, bool) else None
        attributes = named("exit_code", code)
        row.answer(
            "result", "observation", content, call=call, call_id=call_id, is_error=is_error, attributes=attributes
        )
        self.open_calls = [each for each in self.open_calls if each is not call]


def thinking(row: Row, holder: JsonObject) -> None:
    """What the model thought, where it is kept apart from what it said."""
    for place, block in enumerate(list_of(holder.get("thinking_blocks"))):
        text = object_of(block).get("thinking")
        row.text(f"thinking{place}", "agent.thinking", AGENT, text, flags=(THINKING,))
    row.text("reasoning", "agent.thinking", AGENT, holder.get("reasoning_content"), flags=(THINKING,))


def tool_calls(row: Row, calls: Any) -> list[Call]:
    """The calls in the form of OpenAI's chat completions, each as an item; what is no such call is kept raw."""
    made: list[Call] = []
    for place, call in enumerate(list_of(calls)):
        function = object_of(object_of(call).get("function"))
        if not function:
            row.unknown(f"call{place}", "tool_call", call)
            continue
        given = function.get("arguments")
        parsed = parse_value(given.encode("utf-8", "backslashreplace")) if isinstance(given, str) else None
        value = parsed.value if isinstance(parsed, ParsedValue) else given
        own = row.call(f"call{place}", "agent.call", function.get("name"), value, call.get("id"))
        made.append(Call(own, plain_name(function.get("name"))))
    return made


def _calls(row: Row, message: JsonObject, content: Any) -> list[Call]:
    if made := tool_calls(row, message.get("tool_calls")):
        return made
    action = message.get("action")
    if isinstance(action, str) and action.strip():
        return [Call(row.call("call", "agent.call", SHELL, {"command": action}), SHELL)]
    actions = list_of(object_of(message.get("extra")).get("actions"))
    commands: list[tuple[Any, Any]] = [
        (object_of(each).get("command"), object_of(each).get("tool_call_id"))
        if isinstance(each, dict)
        else (each, None)
        for each in actions
    ]
    if not actions and (found := _written_command(content)) is not None:
        commands = [(found, None)]
    return [
        Call(row.call(f"call{place}", "agent.call", SHELL, {"command": command}, call_id), SHELL)
        for place, (command, call_id) in enumerate(commands)
        if isinstance(command, str) and command.strip()
    ]


def _written_command(content: Any) -> str | None:
    """The command in the one fence of the text; None where there is none, or several: the program refuses those."""
    text = _first_text(content)
    if not isinstance(text, str):
        return None
    found = _COMMAND.findall(text[:_COMMAND_LOOKED_AT])
    return found[0] if len(found) == 1 else None


def _first_text(content: Any) -> Any:
    block = content[0] if isinstance(content, list) and content else content
    return block.get("text") if isinstance(block, dict) else block


def _answered(message: JsonObject) -> Any:
    """The id of the call that the row answers; None where it names none."""
    named_calls = list_of(message.get("tool_call_ids"))
    return named_calls[0] if named_calls else message.get("tool_call_id")


def _exit(message: JsonObject) -> Attributes:
    return named("exit_status", object_of(message.get("extra")).get("exit_status"))
