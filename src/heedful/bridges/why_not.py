"""Why a claim does not come to mind for a request: the conditions of activate.py, walked one by one and named."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from heedful.bridges.activate import URGENCY_MIN, Eligible, activate, eligible_bridges, mode_of, urgency_of
from heedful.bridges.bridge import Bridge
from heedful.bridges.registry import Registry
from heedful.bridges.request import Classified, ClassMatch, Modes
from heedful.bridges.vocabulary import covers
from heedful.claims.claim import UNREVIEWED, Claim, ClaimStatus, Visibility
from heedful.kernel.ids import ActionClassId, BridgeId
from heedful.kernel.ladder import Consent, Mode
from heedful.kernel.scope import Scope
from heedful.kernel.times import format_time

WAYS_MAX = 20
"""Ways that are told, those that came nearest."""
NAMES_MAX = 3
"""Classes or kinds that a sentence lists."""


class Obstacle(StrEnum):
    """What keeps a claim from mind. First those of the claim and the switch, then those of the way, nearest last."""

    PRE_ROUTER_OFF = "pre-router-off"
    STATUS = "status"
    UNREVIEWED = "unreviewed"
    QUERY_ONLY = "query-only"
    CONSENT = "consent"
    EXPIRED = "expired"
    NOT_YET = "not-yet-valid"
    OTHER_SCOPE = "other-scope"
    NO_CLASS = "class-not-recognised"
    APPLIES_TO = "applies-to"
    NO_BRIDGE = "no-bridge"
    NOT_FOR = "not-for"
    BRIDGE_EXPIRED = "bridge-expired"
    OFF = "mode-off"
    PREDICATE = "predicate"
    BELOW_URGENCY = "below-urgency"
    SHADOW = "shadow"


_NEARNESS = {obstacle: place for place, obstacle in enumerate(Obstacle)}


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that keeps the claim from mind, and the sentence that tells it with its numbers."""

    obstacle: Obstacle
    text: str


@dataclass(frozen=True, slots=True)
class Way:
    """One class of the request and one bridge from there to the claim's kind.

    Attributes:
        bridge_id: None: no bridge leads from this class to the kind.
        urgency: of this way alone, 0 to 1.
        obstacle: what stops the claim on this way; None: it comes.
    """

    action_class: ActionClassId
    bridge_id: BridgeId | None
    urgency: float
    obstacle: Obstacle | None
    text: str


@dataclass(frozen=True, slots=True)
class Explained:
    """Whether the claim comes to mind for the request, and why not.

    Attributes:
        outcome: `shadow`: it would, if what is in shadow counted.
        reasons: what stands in the way, that of the claim itself first; empty where it comes to mind.
        ways: at most WAYS_MAX, the nearest first.
        urgency: what its words come to, over all ways that are open; `urgency_min` is what is needed.
    """

    outcome: Literal["in-mind", "shadow", "silent"]
    reasons: tuple[Reason, ...]
    ways: tuple[Way, ...]
    urgency: float
    urgency_min: float


@dataclass(frozen=True, slots=True)
class _Asked:
    classified: Classified
    registry: Registry
    modes: Modes
    at_us: int
    scope: Scope
    urgency_min: float
    claims: tuple[Claim, ...]
    eligible: tuple[Eligible, ...]
    unapproved: Collection[BridgeId]


def explain_silence(
    claim: Claim,
    classified: Classified,
    registry: Registry,
    modes: Modes,
    *,
    at_us: int,
    request_scope: Scope,
    urgency_min: float = URGENCY_MIN,
    beside: Sequence[Claim] = (),
    unapproved: Collection[BridgeId] = (),
) -> Explained:
    """Whether `activate` brings this claim, and each condition that does not hold.

    `beside`: the other claims of the same words and evidence, which count together with it. `unapproved`:
    bridges that are in shadow because they wait for an approval.
    """
    # A switch that is off hides the rest of the reasons; they are told as if it were on.
    open_modes = modes if modes.pre_router is not Mode.OFF else replace(modes, pre_router=Mode.ENFORCE)
    claims = tuple(sorted((claim, *beside), key=lambda each: each.position))
    eligible = eligible_bridges(classified, registry, open_modes, at_us=at_us)
    asked = _Asked(classified, registry, open_modes, at_us, request_scope, urgency_min, claims, eligible, unapproved)
    brought = activate(
        classified, claims, registry, modes, at_us=at_us, request_scope=request_scope, urgency_min=urgency_min
    )
    outcome: Literal["in-mind", "shadow", "silent"] = "silent"
    if any(one.claim.claim_id == claim.claim_id for one in brought.in_mind):
        outcome = "in-mind"
    elif any(one.claim.claim_id == claim.claim_id for one in brought.shadow):
        outcome = "shadow"
    total = _total(claim, asked, shadow=False)
    ways = _ways(claim, asked, total)
    reasons = [*_of_the_switch(modes), *_of_the_claim(claim, registry, at_us, request_scope)]
    if outcome != "in-mind":
        reasons += _of_the_ways(claim, classified, ways)
    return Explained(outcome, tuple(reasons), ways[:WAYS_MAX], round(total, 4), urgency_min)


def _of_the_switch(modes: Modes) -> Iterator[Reason]:
    if modes.pre_router is Mode.OFF:
        yield Reason(Obstacle.PRE_ROUTER_OFF, "the pre-router is switched off: nothing comes to mind")


def _of_the_claim(claim: Claim, registry: Registry, at_us: int, scope: Scope) -> Iterator[Reason]:
    if claim.status in UNREVIEWED:
        if registry.policy.unreviewed != "advisory":
            yield Reason(Obstacle.UNREVIEWED, f"it is {claim.status}, and policy keeps hidden what nobody has approved")
    elif claim.status is not ClaimStatus.ACTIVE:
        yield Reason(Obstacle.STATUS, f"it is {claim.status}: {claim.status_reason}")
    if claim.visibility is not Visibility.PRE_QUERY:
        yield Reason(Obstacle.QUERY_ONLY, "it is no decision state: it is found only when it is looked for")
    if claim.consent is Consent.DENIED:
        yield Reason(Obstacle.CONSENT, "consent to its use is denied")
    if claim.valid_to_us is not None and claim.valid_to_us <= at_us:
        yield Reason(Obstacle.EXPIRED, f"it held until {format_time(claim.valid_to_us)}")
    elif claim.valid_from_us is not None and claim.valid_from_us > at_us:
        yield Reason(Obstacle.NOT_YET, f"it holds from {format_time(claim.valid_from_us)} on")
    if not claim.scope.applies_to(scope):
        yield Reason(Obstacle.OTHER_SCOPE, f"it is of {claim.scope}, and the request is of {scope}")


def _of_the_ways(claim: Claim, classified: Classified, ways: tuple[Way, ...]) -> Iterator[Reason]:
    """What stops it on the way that came nearest; nothing where one is open, and the claim itself is the reason."""
    if not (classified.classes or classified.hints):
        yield Reason(Obstacle.NO_CLASS, "no action class was recognised in the request")
    elif not ways:
        names = _few([match.action_class for match in (*classified.classes, *classified.hints)])
        text = f"the request was taken for {names}; it applies to {_few(claim.applies_to)}"
        yield Reason(Obstacle.APPLIES_TO, text)
    elif ways[0].obstacle is not None:
        yield Reason(ways[0].obstacle, ways[0].text)


def _ways(claim: Claim, asked: _Asked, total: float) -> tuple[Way, ...]:
    found = [way for match in _matches(claim, asked) for way in _ways_from(claim, match, asked, total)]
    return tuple(sorted(found, key=lambda way: (-_place(way), -way.urgency, way.action_class, way.bridge_id or "")))


def _matches(claim: Claim, asked: _Asked) -> Iterator[ClassMatch]:
    for match in (*asked.classified.classes, *asked.classified.hints):
        if any(covers(wanted, match.action_class) for wanted in claim.applies_to):
            yield match


def _place(way: Way) -> int:
    return len(_NEARNESS) if way.obstacle is None else _NEARNESS[way.obstacle]


def _ways_from(claim: Claim, match: ClassMatch, asked: _Asked, total: float) -> Iterator[Way]:
    name = match.action_class
    bridges = asked.registry.index.bridges_from.get(name, ())
    bringing = [each for each in bridges if any(covers(kind, claim.kind) for kind in each.activates)]
    severity, urgency = urgency_of(claim, match, asked.registry)
    if not bringing:
        yield Way(name, None, urgency, Obstacle.NO_BRIDGE, f"no bridge leads from {name} to {claim.kind}")
    for bridge in bringing:
        told = f"{bridge.id} from {name} ({match.method}, {match.confidence:g})"
        silenced = [each for each in claim.not_for if covers(each, name)]
        if silenced:
            yield Way(name, bridge.id, urgency, Obstacle.NOT_FOR, f"{told}: it stays silent for {_few(silenced)}")
            continue
        one = next((each for each in asked.eligible if each.match == match and each.bridge.id == bridge.id), None)
        if one is None:
            obstacle, text = _closed(bridge, name, asked)
            yield Way(name, bridge.id, urgency, obstacle, f"{told}: {text}")
        elif (
            reached := total if one.mode is not Mode.SHADOW else _total(claim, asked, shadow=True)
        ) < asked.urgency_min:
            text = f"urgency {reached:g} (severity {severity}), and {asked.urgency_min:g} is needed"
            yield Way(name, bridge.id, urgency, Obstacle.BELOW_URGENCY, f"{told}: {text}")
        elif one.mode is Mode.SHADOW:
            text = "until people approve it" if bridge.id in asked.unapproved else "and changes nothing"
            yield Way(name, bridge.id, urgency, Obstacle.SHADOW, f"{told}: it is in shadow, {text}")
        else:
            yield Way(name, bridge.id, urgency, None, f"{told}: open, at urgency {reached:g}")


def _closed(bridge: Bridge, action_class: ActionClassId, asked: _Asked) -> tuple[Obstacle, str]:
    """Why this request may not cross a bridge that starts from its class."""
    if bridge.expires_us is not None and bridge.expires_us <= asked.at_us:
        return Obstacle.BRIDGE_EXPIRED, f"the bridge expired at {format_time(bridge.expires_us)}"
    if mode_of(bridge, action_class, asked.registry, asked.modes) is Mode.OFF:
        return Obstacle.OFF, "the bridge or its class is switched off"
    assert bridge.predicate is not None, "nothing else closes a bridge"
    wanted = f"{bridge.predicate.entity} {bridge.predicate.operator} {_few(bridge.predicate.values)}"
    return Obstacle.PREDICATE, f"nothing in the request has {wanted}"


def _total(claim: Claim, asked: _Asked, *, shadow: bool) -> float:
    """What the words come to over the open ways, as `activate` weighs them: each kind and class once, at most 1.

    The claim itself counts whatever keeps it from mind, so that what is told of its ways is true once that is mended.
    """
    pairs: dict[tuple[str, str], float] = {}
    for each in asked.claims:
        for one in asked.eligible:
            if (one.mode is Mode.SHADOW) is shadow:
                urgency = _urgency(each, one, asked, counts=each is claim)
                if urgency is not None:
                    pairs[each.kind, one.match.action_class] = urgency
    return min(1.0, sum(pairs.values()))


def _urgency(claim: Claim, one: Eligible, asked: _Asked, *, counts: bool) -> float | None:
    """What the claim adds by this bridge; None: nothing comes of it."""
    if counts:
        name = one.match.action_class
        brings = any(covers(kind, claim.kind) for kind in one.bridge.activates)
        applies = any(covers(each, name) for each in claim.applies_to)
        silenced = any(covers(each, name) for each in claim.not_for)
        return urgency_of(claim, one.match, asked.registry)[1] if brings and applies and not silenced else None
    brought = activate(
        asked.classified,
        (claim,),
        asked.registry,
        asked.modes,
        at_us=asked.at_us,
        request_scope=asked.scope,
        eligible=(one,),
        urgency_min=0.0,
    )
    found = (*brought.in_mind, *brought.shadow)
    return found[0].urgency if found else None


def _few(names: Sequence[str]) -> str:
    shown = list(dict.fromkeys(names))
    rest = f" and {len(shown) - NAMES_MAX} more" if len(shown) > NAMES_MAX else ""
    return ", ".join(shown[:NAMES_MAX]) + rest or "nothing"
