"""Steps: what somebody did in a world, and the world that they make."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from heedful.testing.isolation.people import Person
from heedful.testing.isolation.texts import LINE_KIND

STEPS = (20, 40, 60, 90)
"""How many steps worlds have."""
STEPS_MAX = max(STEPS)
HOME, OTHERS = "home", ("other", "third")
OF_CLAIM = frozenset({"kind", "subject", "value", "form", "since", "until", "not_for", "applies_to", "rests_on"})
"""Fields of a `remember` that say something of its claim."""
Made = Literal["record", "claim", "verdict", "packet", "gotcha", "proposal", "conflict"]
LINKS: dict[str, Made] = {"derived_from": "record", "rests_on": "claim"}
"""Fields of a `remember` that name what an earlier step made, and what of that."""
Verb = Literal[
    "remember", "import", "approve", "reject", "judge", "recall", "outcome", "mode", "queue", "show", "why", "status",
    "page", "verify", "idle", "state", "causes", "mine", "gotchas", "flow", "redeem",
    "correct", "retract", "confirm", "pin", "unpin", "answer", "task_add", "task_done", "task_end", "task_show",
    "conflicts", "provenance", "scorecard", "diagnose", "forget", "hold", "release", "erase",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Target:
    """What a step is done to: the item of that sort that an earlier step made; step 0 made nothing."""

    made: Made
    step: int


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that one principal did. `idle` is to come and do nothing.

    Attributes:
        scope, rank: the label of what a `remember`, `import` or `judge` makes; of the record, where it is a claim too.
        claim_rank: the classification of the claim that it makes; None: no claim.
        fields: the verb's further arguments.
        is_asked: it is of the requester's own log, not of what went on around.
        deaf: kinds that the router does not tell of its words.
    """

    number: int
    tenant: str
    person: Person
    verb: Verb
    scope: tuple[str, ...] = ()
    rank: str = "normal"
    claim_rank: str | None = None
    target: Target | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    is_asked: bool = False
    deaf: tuple[str, ...] = ()


def kind_of(step: Step) -> str | None:
    """The kind of the claim that the step makes, or None."""
    return None if step.claim_rank is None else step.fields.get("kind", LINE_KIND)


@dataclass(frozen=True, slots=True)
class World:
    """A seed's history, and who asks in it.

    Attributes:
        unreviewed, auto_approve: of the policy.
        embedder, scorer: of the settings.
        has_router: words tell claims there, and end them.
        bounds: None; or the scope and classification that every request of the requester names. What is outside of
            those is left out of the second world as well, so a request is shown to be blind to it.
        is_of_runs: its registry has a workflow and projectors of its own; see `runs`.
        is_of_disputes: people contradict and override each other in it; see `disputes`.
    """

    seed: int
    requester: Person
    unreviewed: str
    auto_approve: bool
    embedder: Literal["ngrams", "none"]
    scorer: Literal["linear", "tiered"]
    bounds: tuple[tuple[str, ...], str] | None
    has_router: bool
    steps: tuple[Step, ...]
    is_of_runs: bool = False
    is_of_disputes: bool = False


KNOWN_EVERY = 7
"""Of the steps that are compared, each that this divides asks for what was known at an earlier step."""


def known_then(step: Step) -> str | None:
    """The earlier instant as far as this step asks, ISO 8601; None: it asks for all that is known."""
    if not step.is_asked or step.number % KNOWN_EVERY:
        return None
    minutes = step.number * 2 // 3
    return f"2026-11-28T{9 + minutes // 60:02d}:{minutes % 60:02d}:00Z"
