"""SWE-agent .traj files: `trajectory`, `history`, or both, which then tell the same steps twice.

Where both are there, a step is taken from the trajectory, and a row of the history only where it repeats no step: the
prompts, demonstrations, and what was answered to an action that could not be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heedful.integrations.importers.items import COPIED, RunItems
from heedful.integrations.importers.json_rows import JsonObject, ParsedValue, parse_value
from heedful.integrations.importers.run_rows import AGENT, PROGRAM, Call, Found, Run, digest_of, list_of, object_of
from heedful.integrations.importers.swe_agent.identity import run_name
from heedful.integrations.importers.swe_agent.messages import SHELL, History, thinking, tool_calls
from heedful.integrations.importers.values import Attributes, is_field_name, named
from heedful.ports.importer import ImportedItem, ImportProblem

SOURCE = "swe-agent"
_STATE_FIELDS_MAX = 16
_STEPS_AHEAD_MAX = 32
_STEP_FIELDS = frozenset({"action", "observation"})
_HISTORY_ROLES = frozenset({"system", "user", "assistant", "tool"})
# What a step repeats of the history (`query`, `messages`), and what an item has already.
_STEP_FIELDS_TAKEN = frozenset(
    {"action", "observation", "response", "thought", "state", "thinking_blocks", "reasoning_content", "execution_time"}
    | {"query", "messages", "tool_calls", "tool_call_ids"}
)


class SweAgentTrajectory:
    """SWE-agent, 0 and 1. See DocumentFormat."""

    @property
    def name(self) -> str:
        """See DocumentFormat.name."""
        return SOURCE

    def recognises(self, document: object) -> bool:
        """See DocumentFormat.recognises: a step with its action and observation, or rows that name their agent."""
        fields = object_of(document)
        steps, history = list_of(fields.get("trajectory")), list_of(fields.get("history"))
        return any(_is_step(step) for step in steps) or any(_is_history_row(message) for message in history)

    def items(  # a renamed file is the same run
        self,
        document: object,
        source_name: str,  # noqa: ARG002
    ) -> Iterator[ImportedItem | ImportProblem]:
        """See DocumentFormat.items."""
        fields = object_of(document)
        steps, history = list_of(fields.get("trajectory")), list_of(fields.get("history"))
        run = Run(RunItems(SOURCE, run_name(fields, history)))
        yield from _Trajectory(run, steps, history).read()
        yield from _about(run, {name: fields[name] for name in fields if name not in ("trajectory", "history")})


def _is_step(step: Any) -> bool:
    # An event of OpenHands has one of the two, and a source.
    return isinstance(step, dict) and step.keys() >= _STEP_FIELDS and "source" not in step


def _is_history_row(message: Any) -> bool:
    fields = object_of(message)
    role = fields.get("role")
    named_agent = isinstance(fields.get("agent"), str) or "is_demo" in fields or "message_type" in fields
    return isinstance(role, str) and role in _HISTORY_ROLES and named_agent


class _Trajectory:
    """Steps and history, side by side."""

    def __init__(self, run: Run, steps: list[Any], history: list[Any]) -> None:
        self._run = run
        self._steps = steps
        self._rows = history
        self._history = History()
        self._done = 0

    def read(self) -> Iterator[ImportedItem | ImportProblem]:
        """Every step and every row that repeats none, in their order."""
        answers: JsonObject | None = None
        for place, message in enumerate(self._rows):
            fields = object_of(message)
            if answers is not None and _answers(fields, answers):
                answers = None
                continue
            answers = None
            step = self._repeated(fields)
            if step is None:
                yield from self._row(message, place)
                continue
            answers = object_of(self._steps[step])
            while self._done <= step:
                yield from self._step(self._done, fields if self._done == step else {})
        while self._done < len(self._steps):
            yield from self._step(self._done, {})

    def _repeated(self, fields: JsonObject) -> int | None:
        """The place of the next step that this row of the history says once more; None where it says no step's."""
        if fields.get("role") != "assistant" or fields.get("is_demo"):
            return None
        for place in range(self._done, min(self._done + _STEPS_AHEAD_MAX, len(self._steps))):
            if _is_same(fields, object_of(self._steps[place])):
                return place
        return None

    def _row(self, message: Any, place: int) -> Found:
        flags = (COPIED,) if object_of(message).get("is_demo") else ()
        row = self._run.row(f"history-{place}", message, flags=flags)
        if not isinstance(message, dict):
            row.unknown("raw", "history", message)
            return row.found
        row.shared = named("agent", message.get("agent"))
        return self._history.take(row, message)

    def _step(self, place: int, said: JsonObject) -> Found:
        """The step, with what only the history has of it: the names of its calls."""
        self._done = place + 1
        step = self._steps[place]
        row = self._run.row(f"step-{place}", step)
        if not isinstance(step, dict):
            row.unknown("raw", "step", step)
            return row.found
        row.shared = named("agent", said.get("agent"))
        thinking(row, step)
        thought = step.get("thought")
        if not isinstance(thought, str) or not thought.strip():
            thought = step.get("response")
        row.content("text", "agent.text", AGENT, thought)
        calls = tool_calls(row, step.get("tool_calls", said.get("tool_calls")))
        action = step.get("action")
        if not calls and isinstance(action, str) and action.strip():
            calls = [Call(row.call("call", "agent.call", SHELL, {"command": action}), SHELL)]
        rest = {name: value for name, value in step.items() if name not in _STEP_FIELDS_TAKEN and value}
        attributes = named("execution_time_s", step.get("execution_time")) + _state(step.get("state"))
        if "observation" in step and (calls or step["observation"]):
            call = calls[-1] if calls else None
            row.answer("result", "observation", step["observation"], call=call, attributes=attributes)
        if rest:
            row.raw("more", "step.more", PROGRAM, rest)
        self._history.spoke, self._history.open_calls = True, []
        return row.whole("step.empty", step)


def _is_same(message: JsonObject, step: JsonObject) -> bool:
    content, response = message.get("content"), step.get("response")
    if (
        isinstance(content, str)
        and isinstance(response, str)
        and content.strip()
        and content.strip() == response.strip()
    ):
        return True
    pair = (message.get("thought"), message.get("action"))
    return pair != (None, None) and pair == (step.get("thought"), step.get("action"))


def _answers(message: JsonObject, step: JsonObject) -> bool:
    """True where the row is the observation of the step once more, with what the program puts around it."""
    if message.get("role") not in ("user", "tool") or message.get("is_demo"):
        return False
    observation, content = step.get("observation"), message.get("content")
    if isinstance(content, list):
        content = "\n".join(str(object_of(block).get("text", "")) for block in content)
    if not isinstance(observation, str) or not isinstance(content, str):
        return False
    return _words(observation) in _words(content) or "lines omitted" in content[:200]


def _words(text: str) -> str:
    return " ".join(text.split())


def _state(state: Any) -> Attributes:
    """The short values of the state that the program noted after the step, a JSON object in a text."""
    parsed = parse_value(state.encode("utf-8", "backslashreplace")) if isinstance(state, str) else None
    values = object_of(parsed.value if isinstance(parsed, ParsedValue) else state)
    names = [name for name in sorted(values) if is_field_name(name)][:_STATE_FIELDS_MAX]
    return tuple(each for name in names for each in named(f"state.{name[:50]}", values[name]))


def _about(run: Run, about: JsonObject) -> Iterator[ImportedItem | ImportProblem]:
    if not about:
        return
    details = object_of(about.get("info"))
    attributes = named("exit_status", details.get("exit_status"))
    for name, value in sorted(object_of(details.get("model_stats")).items()):
        attributes += named(name, value) if is_field_name(name) else ()
    row = run.row(f"about-{digest_of(about)}", about, attributes=attributes)
    row.raw("raw", "trajectory", PROGRAM, about)
    yield from row.found
