"""Bridge: a reviewed rule that carries an action class to the kinds of state that must be seen before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from heedful.kernel.ids import ActionClassId, BridgeId, KindId
from heedful.kernel.ladder import Decision, Mode


@dataclass(frozen=True, slots=True)
class Predicate:
    """What must hold of an entity in the request.

    Attributes:
        entity: the entity type or metadata field (`environment`, `tool`, `args.branch`).
        operator: equals: one value is it. contains: a value has it within. in: one value is one of them.
    """

    entity: str
    operator: Literal["equals", "contains", "in"]
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A request that must, or must not, make the bridge fire: text, or a tool call, or both.

    `text` may hold several languages' examples in the list of a bridge; each is its own Example.
    """

    text: str
    tool: str | None
    args: dict[str, object]


@dataclass(frozen=True, slots=True)
class Bridge:
    """A rule that brings claims to mind. It narrows; it never grants.

    Attributes:
        from_classes: the action classes that it starts from; each covers its descendants.
        predicate: None: the class alone is enough.
        activates: the kinds of claim that it brings; each covers its descendants.
        effect: `notice`, `ask`, `review` or `deny`.
        authority: `domain-policy`, `maintainer-approved` or `public-reference`.
        evidence: where that authority can be read.
        reason: why the class needs the kinds, one sentence for people.
        source_opened: False: nobody has opened the evidence; then the effect is at most ask.
        certainty: `established` or `probable`; contested or merely probable never exceeds ask.
        expires_us: UTC microseconds; None: until taken out.
        digest: the SHA-256 of its entry, which approvals name; None: it is as it came with a release.
    """

    id: BridgeId
    from_classes: tuple[ActionClassId, ...]
    predicate: Predicate | None
    activates: tuple[KindId, ...]
    effect: Decision
    risk: str
    authority: str
    evidence: str
    source_opened: bool
    reason: str
    owner: str
    expires_us: int | None
    jurisdiction: str | None
    certainty: str
    contested: bool
    mode: Mode
    must_fire: tuple[Example, ...]
    must_not_fire: tuple[Example, ...]
    pack: str
    digest: str | None
