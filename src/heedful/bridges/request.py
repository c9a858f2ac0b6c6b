"""What the pre-router sees of a request, and what it makes of it. No private record is read for any of this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from heedful.claims.claim import Claim
from heedful.kernel.frozen import quickly_made
from heedful.kernel.ids import ActionClassId, BridgeId
from heedful.kernel.ladder import Decision, Impact, Mode, Severity


@dataclass(frozen=True, slots=True)
class RequestFeatures:
    """A question, a proposed tool call, or both.

    Attributes:
        text: what was asked; may be empty where there is a tool call.
        tool: the tool's name, or None.
        args: the tool's arguments, JSON values.
        action_class: named by the caller, who may add a class but never take one away.
        metadata: route, form fields, task metadata.
    """

    text: str
    tool: str | None
    args: Mapping[str, object]
    action_class: ActionClassId | None
    metadata: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ClassMatch:
    """One class that the request decides.

    Attributes:
        confidence: 0 to 1; 1 for a tool pattern or a class that the caller named.
        because: the pattern, phrase or classifier that told it.
    """

    action_class: ActionClassId
    confidence: float
    method: Literal["named", "tool", "metadata", "phrase", "router"]
    because: str


@dataclass(frozen=True, slots=True)
class EntityMatch:
    """Something that the request names, with what the vocabulary says of it and on whose word."""

    entity_id: str
    matched: str
    properties: Mapping[str, tuple[str, ...]]
    source: str


@dataclass(frozen=True, slots=True)
class Classified:
    """What a request decides.

    Attributes:
        classes: surest first, then by id; empty: nothing was recognised.
        hints: classes that the router thinks possible and nothing more.
        inert: how likely it is that nothing is decided, 0 to 1; None: no router read the text.
        impact: of the tool call; None where there is none.
        tool_known: False: some part of the tool call matches no pattern, so the call as a whole is unclassified.
        named: ids of what the knowledge table knows by a name in the request's words; None: not all were looked at.
    """

    classes: tuple[ClassMatch, ...]
    entities: tuple[EntityMatch, ...]
    impact: Impact | None
    tool_known: bool
    hints: tuple[ClassMatch, ...] = ()
    inert: float | None = None
    named: tuple[str, ...] | None = None


@quickly_made
@dataclass(frozen=True, slots=True)
class Activation:
    """A claim that must be in mind, and what brought it.

    Attributes:
        effect: what it asks for after every cap (unreviewed, contested, probable, source not opened: at most ask).
        mode: the lower of the bridge's and the class's. In `shadow` it changes nothing and is only reported.
        via: the class's and the entities' part in it, for people.
        severity: what forgetting the claim before this class does.
        urgency: 0 to 1: how sure the class and the claim are, by the weight of the severity. It decides whether a claim
            comes to mind at all, and orders; it is no probability.
    """

    claim: Claim
    bridge_id: BridgeId
    action_class: ActionClassId
    effect: Decision
    mode: Mode
    reason: str
    via: str
    severity: Severity = Severity.HIGH
    urgency: float = 1.0


@dataclass(frozen=True, slots=True)
class NoBridge:
    """A class that no bridge carried anything to, and what it says to do then."""

    action_class: ActionClassId
    on_no_bridge: Literal["retrieve", "ask", "review", "deny"]


@dataclass(frozen=True, slots=True)
class Activations:
    """Everything that the bridges did for one request.

    Attributes:
        in_mind: `advise` and `enforce` ones, in the order of activate.py.
        shadow: what would have been, in the same order.
        no_bridge: classes that nothing was carried to.
    """

    in_mind: tuple[Activation, ...]
    shadow: tuple[Activation, ...]
    no_bridge: tuple[NoBridge, ...]


PRE_ROUTER = "pre-router"


@dataclass(frozen=True, slots=True)
class Modes:
    """The modes that hold now: set at run time, else as the registry ships them.

    Attributes:
        bridges, action_classes: id -> mode, only those that were set.
        pre_router: `off` is the kill switch.
    """

    bridges: Mapping[BridgeId, Mode]
    action_classes: Mapping[ActionClassId, Mode]
    pre_router: Mode
