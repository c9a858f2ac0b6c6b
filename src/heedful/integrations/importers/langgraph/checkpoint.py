"""Checkpoint: one saved state of a LangGraph thread, from wherever it was read, and the order of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heedful.kernel.times import SourceTime

SOURCE = "langgraph"

Place = tuple[str, str]
"""A namespace of checkpoints (empty: the thread's own; else a subgraph's) and the id of one in it."""


@dataclass(frozen=True, slots=True)
class Head:
    """What is known of a checkpoint before its content is read.

    Attributes:
        row: where its reader finds it again.
        order: sorts it among those of its thread that are no ancestors of each other.
    """

    thread_id: str
    namespace: str
    checkpoint_id: str
    parent_id: str | None
    row: int
    order: tuple[int, str]

    @property
    def place(self) -> Place:
        """Its own name in its thread."""
        return (self.namespace, self.checkpoint_id)

    @property
    def parent(self) -> Place | None:
        """That of the checkpoint that it came after."""
        return None if self.parent_id is None else (self.namespace, self.parent_id)


@dataclass(frozen=True, slots=True)
class PendingWrite:
    """What a task wrote on top of a checkpoint."""

    task_id: str
    index: int
    channel: str
    value: Any


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The content of a checkpoint.

    Attributes:
        source: `input`, `loop`, `update` or `fork`, where it is told.
        values: of each channel.
        problems: what could not be read, as (code, message).
    """

    source: str | None
    step: int | None
    occurred: SourceTime | None
    values: Mapping[str, Any]
    writes: Sequence[PendingWrite]
    problems: Sequence[tuple[str, str]]


def in_order(heads: Sequence[Head]) -> list[Head]:
    """Each checkpoint once, after its parent; those that are not of one line by their order. Rings are cut."""
    by_place: dict[Place, Head] = {}
    for head in sorted(heads, key=lambda each: (each.order, each.namespace)):
        by_place.setdefault(head.place, head)
    found: dict[Place, Head] = {}
    for head in by_place.values():
        line: list[Head] = []
        at: Head | None = head
        on_line: set[Place] = set()
        while at is not None and at.place not in found and at.place not in on_line:
            line.append(at)
            on_line.add(at.place)
            at = by_place.get(at.parent) if at.parent is not None else None
        found |= {each.place: each for each in reversed(line)}
    return list(found.values())


def dead_places(heads: Sequence[Head]) -> set[Place]:
    """Checkpoints on a branch that was left: off the line to the newest of their namespace, but sprung from it."""
    by_place = {head.place: head for head in heads}
    newest: dict[str, Head] = {}
    for head in heads:
        if head.namespace not in newest or head.order >= newest[head.namespace].order:
            newest[head.namespace] = head
    alive: set[Place] = set()
    for head in newest.values():
        at: Head | None = head
        while at is not None and at.place not in alive:
            alive.add(at.place)
            at = by_place.get(at.parent) if at.parent is not None else None
    dead: set[Place] = set()
    # Parents come first, so that one look is enough for each.
    for head in in_order(heads):
        if head.place not in alive and (head.parent in alive or head.parent in dead):
            dead.add(head.place)
    return dead
