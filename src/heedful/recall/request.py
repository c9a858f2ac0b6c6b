"""MemoryRequest: what an agent asks of its memory before it answers (seed 003)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from heedful.bridges.request import RequestFeatures
from heedful.kernel.ids import PrincipalId
from heedful.kernel.ladder import Classification, Impact
from heedful.kernel.scope import Scope
from heedful.observations.record import AttributeValue

TaskClass = Literal["state", "causal", "workflow", "gotcha", "premise", "general"]
TaskClassAsked = Literal[TaskClass, "auto"]
"""`auto`: by the form of the question, where something was done or seen that bears on it; else general."""
Scorer = Literal["linear", "tiered"]
"""How what was found is ordered; see recall.score."""


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """A request for what must be known.

    Attributes:
        scope: never empty.
        clearance: the highest classification asked for; the principal's own bounds it.
        as_of_us: validity is judged at this instant, UTC microseconds.
        attributes: records must have one of the values of each name.
        budget_tokens: of the prompt rendering, estimated.
        asked_at_us: when it was asked; None: at `as_of_us`.
        known_at_us: what was recorded later is not there; None: all is.
    """

    features: RequestFeatures
    principal: PrincipalId
    scope: Scope
    clearance: Classification
    task_class: TaskClassAsked
    impact: Impact
    as_of_us: int
    record_types: tuple[str, ...]
    attributes: tuple[tuple[str, tuple[AttributeValue, ...]], ...]
    budget_tokens: int
    scorer: Scorer = "linear"
    known_at_us: int | None = None
    asked_at_us: int | None = None

    @property
    def looks_back(self) -> bool:
        """True where it is about an instant before it was asked: what held then counts, though it has ended since."""
        return self.asked_at_us is not None and self.as_of_us < self.asked_at_us
