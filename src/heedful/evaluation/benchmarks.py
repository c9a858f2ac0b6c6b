"""Benchmarks of others: Heedful behind the two functions of AMA-Bench, and behind LongMemEval-V2's memory.

Both hand over a trajectory and later ask; what comes back is the prompt rendering of a packet, for their own reader.
A trajectory may be a text, a list, or an object that holds a list under one of LISTS; a step a text, or an object
whose fields have the names that agents' traces use (STEP_FIELDS).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from heedful.bootstrap import App
from heedful.evaluation.plan import AS_OF, Plan
from heedful.evaluation.stores import evaluation_store, new_memory
from heedful.evaluation.telling import settle
from heedful.evidence.render import render_prompt
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.times import format_time, parse_time
from heedful.observations.record import RecordType, SourceGrade
from heedful.service.keeping.remember_many import remember_many
from heedful.service.recalling.experience import AUTO
from heedful.service.recalling.recall import recall
from heedful.service.requests import memory_request
from heedful.service.session import Session
from heedful.settings import Settings

BUDGET_TOKENS = 3_200
"""Of what is handed to a reader (seed 003)."""
STEPS_MAX = 100_000
STEP_CHARACTERS_MAX = 4_000
"""A longer text is told in parts, so that each can be found and quoted by itself."""
SCOPE = ("task:benchmark",)
LISTS = ("trajectory", "steps", "turns", "messages", "events", "sessions")
STEP_FIELDS: tuple[tuple[str, RecordType, SourceGrade], ...] = (
    ("thought", RecordType.MESSAGE, SourceGrade.AGENT),
    ("action", RecordType.TOOL_CALL, SourceGrade.AGENT),
    ("tool_call", RecordType.TOOL_CALL, SourceGrade.AGENT),
    ("observation", RecordType.OBSERVATION, SourceGrade.TOOL),
    ("tool_result", RecordType.TOOL_RESULT, SourceGrade.TOOL),
    ("result", RecordType.TOOL_RESULT, SourceGrade.TOOL),
    ("state", RecordType.OBSERVATION, SourceGrade.TOOL),
)
"""Field of a step -> what it is, in the order in which they happen within one."""
_ROLES = {
    "user": (RecordType.MESSAGE, SourceGrade.USER),
    "assistant": (RecordType.MESSAGE, SourceGrade.AGENT),
    "agent": (RecordType.MESSAGE, SourceGrade.AGENT),
    "tool": (RecordType.TOOL_RESULT, SourceGrade.TOOL),
    "environment": (RecordType.OBSERVATION, SourceGrade.TOOL),
}
_SEEN = (RecordType.OBSERVATION, SourceGrade.TOOL)


@dataclass(frozen=True, slots=True)
class BuiltMemory:
    """What `memory_construction` gives back: a memory of its own, which only the bench that made it can ask.

    Attributes:
        task: what the agent was to do, as it was handed over.
    """

    session: Session
    task: str


class AmaBench:
    """The two functions of AMA-Bench. A context manager: its store is gone after the block."""

    def __init__(self, settings: Settings | None = None, *, budget_tokens: int = BUDGET_TOKENS) -> None:
        """A bench over a store that is thrown away, with the models of the settings."""
        self._settings = settings or Settings()
        self._plan = Plan(
            arms=(),
            packs=("delivery",),
            budget_tokens=budget_tokens,
            as_of_us=parse_time(AS_OF, field="as_of").at_us,
        )
        self._open = ExitStack()
        self._app: App | None = None
        self._numbers = itertools.count(1)

    def __enter__(self) -> Self:
        """The bench, with its store."""
        self._app = self._open.enter_context(evaluation_store(self._settings, self._plan))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The store is gone."""
        self._app = None
        self._open.__exit__(kind, error, trace)

    def memory_construction(self, trajectory: object, task: str = "") -> BuiltMemory:
        """A memory of this trajectory alone.

        Raises:
            InvalidInputError: `trajectory_malformed`, `bench_closed`.
        """
        memory = BuiltMemory(self._new_session(), task)
        self.tell(memory, trajectory)
        return memory

    def memory_retrieve(self, memory: BuiltMemory, question: str) -> str:
        """What is known for the question, as the text that goes into a prompt; at most the budget's tokens."""
        request = memory_request(
            memory.session,
            question,
            scope=SCOPE,
            task_class=AUTO,
            as_of=format_time(self._plan.as_of_us),
            budget_tokens=self._plan.budget_tokens,
        )
        return render_prompt(recall(memory.session, request))

    def tell(self, memory: BuiltMemory, trajectory: object) -> int:
        """How many records were kept of it, as one more run of this memory.

        Raises:
            InvalidInputError: `trajectory_malformed`.
        """
        run_id = f"run-{next(self._numbers)}"
        items = [
            {
                "content": text,
                "record_type": record_type.value,
                "grade": grade.value,
                "run_id": run_id,
                "sequence": sequence,
            }
            for sequence, (record_type, grade, text) in enumerate(itertools.islice(_told(trajectory), STEPS_MAX))
        ]
        if not items:
            raise _malformed("it has no step with any text")
        remember_many(memory.session, items, scope=SCOPE, progress=lambda _done: None)
        settle(memory.session, self._plan)
        return len(items)

    def _new_session(self) -> Session:
        if self._app is None:
            raise InvalidInputError(
                "bench_closed",
                "this bench has no store",
                next_step="use it in a with block: `with AmaBench() as bench:`",
                details={"field": "bench"},
            )
        return new_memory(self._app, f"bench-{next(self._numbers)}", self._plan)


class LongMemEval:
    """The memory of LongMemEval-V2: `insert` trajectories, then `query`. A context manager, as AmaBench is."""

    def __init__(self, settings: Settings | None = None, *, budget_tokens: int = BUDGET_TOKENS) -> None:
        """An empty memory."""
        self._bench = AmaBench(settings, budget_tokens=budget_tokens)
        self._memory: BuiltMemory | None = None

    def __enter__(self) -> Self:
        """The memory, with its store."""
        self._bench.__enter__()
        self._memory = BuiltMemory(self._bench._new_session(), "")  # noqa: SLF001  (of this module)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The store is gone."""
        self._memory = None
        self._bench.__exit__(kind, error, trace)

    def insert(self, trajectory: object) -> None:
        """One more trajectory is known.

        Raises:
            InvalidInputError: `trajectory_malformed`, `bench_closed`.
        """
        self._bench.tell(self._memory or BuiltMemory(self._bench._new_session(), ""), trajectory)  # noqa: SLF001

    def query(self, query: str, image: object = None) -> str:
        """What is known for the query, as `memory_retrieve` gives it. A picture is not read: words alone are asked.

        Raises:
            InvalidInputError: `bench_closed`.
        """
        del image
        return self._bench.memory_retrieve(self._memory or BuiltMemory(self._bench._new_session(), ""), query)  # noqa: SLF001


def _told(trajectory: object) -> Iterator[tuple[RecordType, SourceGrade, str]]:
    """What happened, in order: each part as a record of its own."""
    if isinstance(trajectory, str):
        steps: Sequence[object] = [each for each in trajectory.split("\n\n") if each.strip()]
    elif isinstance(trajectory, Mapping):
        held = next((trajectory[name] for name in LISTS if isinstance(trajectory.get(name), list | str)), None)
        if held is None:
            raise _malformed(f"it is an object without any of {', '.join(LISTS)}")
        yield from _told(held)
        return
    elif isinstance(trajectory, Sequence) and not isinstance(trajectory, bytes):
        steps = trajectory
    else:
        raise _malformed("it is no text, list or object")
    for step in steps:
        for record_type, grade, text in _of_step(step):
            for start in range(0, len(text), STEP_CHARACTERS_MAX):
                yield record_type, grade, text[start : start + STEP_CHARACTERS_MAX]


def _of_step(step: object) -> Iterator[tuple[RecordType, SourceGrade, str]]:
    if isinstance(step, str):
        yield (*_SEEN, step)
        return
    if not isinstance(step, Mapping):
        yield (*_SEEN, canonical_bytes(step).decode())
        return
    if any(isinstance(step.get(name), list) for name in LISTS):
        yield from _told(step)
        return
    found = [(sort, grade, _text(step[name])) for name, sort, grade in STEP_FIELDS if step.get(name)]
    content = step.get("content") or step.get("text")
    if content:
        found.append((*_ROLES.get(str(step.get("role") or step.get("source")), _SEEN), _text(content)))
    yield from found or [(*_SEEN, _text(step))]


def _text(value: object) -> str:
    return value if isinstance(value, str) else canonical_bytes(value).decode()


def _malformed(what: str) -> InvalidInputError:
    return InvalidInputError(
        "trajectory_malformed",
        f"the trajectory can't be read: {what}",
        next_step="give a text, a list of steps, or an object with one; docs/evaluation.md has the fields",
        details={"field": "trajectory"},
    )
