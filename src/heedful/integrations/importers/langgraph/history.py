"""The format of LangGraph state histories: what `get_state_history` gives, newest first, as a JSON array."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.langgraph.checkpoint import SOURCE, Head, PendingWrite, Snapshot
from heedful.integrations.importers.langgraph.thread import told_threads
from heedful.integrations.importers.values import time_of
from heedful.ports.importer import ImportedItem, ImportProblem

_NEVER_US = -1


class LangGraphHistory:
    """A LangGraph state history. See DocumentFormat."""

    @property
    def name(self) -> str:
        """See DocumentFormat.name."""
        return SOURCE

    def recognises(self, document: object) -> bool:
        """See DocumentFormat.recognises: one state, or a list that begins with one."""
        first = document[0] if isinstance(document, list) and document else document
        return _head(first, 0) is not None

    def items(self, document: object, source_name: str) -> Iterator[ImportedItem | ImportProblem]:
        """See DocumentFormat.items; the source's name is not used."""
        del source_name
        states: list[Any] = document if isinstance(document, list) else [document]
        heads: list[Head] = []
        for number, state in enumerate(states):
            head = _head(state, number)
            if head is None:
                yield ImportProblem(1, "state_malformed", f"state {number} of the history is none; it was left out")
            else:
                heads.append(head)
        yield from told_threads(heads, lambda head: _snapshot(states[head.row]))


def _configurable(state: JsonObject, name: str, older: str) -> JsonObject:
    """The place of a state: under its `config`, or, as the platform's interface writes it, by itself."""
    config = state.get(name)
    found = config.get("configurable") if isinstance(config, dict) else state.get(older)
    return found if isinstance(found, dict) else {}


def _head(state: Any, number: int) -> Head | None:
    if not isinstance(state, dict) or "values" not in state or "next" not in state:
        return None
    own = _configurable(state, "config", "checkpoint")
    checkpoint_id = own.get("checkpoint_id")
    if not isinstance(checkpoint_id, str) or not isinstance(own.get("thread_id"), str):
        return None
    parent = _configurable(state, "parent_config", "parent_checkpoint").get("checkpoint_id")
    namespace = own.get("checkpoint_ns")
    occurred = time_of(state.get("created_at"))
    return Head(
        thread_id=own["thread_id"],
        namespace=namespace if isinstance(namespace, str) else "",
        checkpoint_id=checkpoint_id,
        parent_id=parent if isinstance(parent, str) else None,
        row=number,
        order=(occurred.at_us if occurred is not None else _NEVER_US, checkpoint_id),
    )


def _snapshot(state: JsonObject) -> Snapshot:
    metadata, values = state.get("metadata"), state.get("values")
    metadata = metadata if isinstance(metadata, dict) else {}
    source, step = metadata.get("source"), metadata.get("step")
    return Snapshot(
        source=source if isinstance(source, str) else None,
        step=step if isinstance(step, int) else None,
        occurred=time_of(state.get("created_at")),
        # A graph whose state has no fields of its own has one value, without a name.
        values=values if isinstance(values, dict) else {"root": values},
        writes=list(_writes(state.get("tasks"))),
        problems=(),
    )


def _writes(tasks: Any) -> Iterator[PendingWrite]:
    for task in tasks if isinstance(tasks, list) else ():
        if not isinstance(task, dict):
            continue
        task_id = str(task.get("id"))
        interrupts = task.get("interrupts")
        for number, value in enumerate(interrupts if isinstance(interrupts, list) else ()):
            yield PendingWrite(task_id, number, "__interrupt__", value)
        if task.get("error") is not None:
            yield PendingWrite(task_id, -1, "__error__", task["error"])
