"""Why a claim does not come to mind for a request: the conditions of activate.py, walked one by one and named."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

from heedful.bridges.activate import Eligible, activate, eligible_bridges, mode_of
from heedful.bridges.bridge import Bridge
from heedful.bridges.links import Links
from heedful.bridges.registry import Registry
from heedful.bridges.request import Activation, Classified, ClassMatch, Modes
from heedful.bridges.urgency import URGENCY_MIN, readings, urgencies, urgency_of, words_of
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
_ADVISORY = "advisory"


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
    links: Links = MappingProxyType({}),
) -> Explained:
    """Whether `activate` brings this claim, and each condition that does not hold.

    `beside`: the other claims of the same words and evidence, which count together with it. `unapproved`:
    bridges that are in shadow because they wait for an approval. `links`: see activate.
    """
    # A switch that is off hides the rest of the reasons; they are told as if it were on.
    open_modes = modes if modes.pre_router is not Mode.OFF else replace(modes, pre_router=Mode.ENFORCE)
    claims = sorted((claim, *beside), key=lambda each: each.position)
    eligible = eligible_bridges(classified, registry, open_modes, at_us=at_us)
    asked = _Asked(classified, registry, open_modes, at_us, request_scope, urgency_min, eligible, unapproved)
    brought = activate(
        classified,
        claims,
        registry,
        modes,
        at_us=at_us,
        request_scope=request_scope,
        urgency_min=urgency_min,
        links=links,
    )
    outcome: Literal["in-mind", "shadow", "silent"] = "silent"
    if any(one.claim.claim_id == claim.claim_id for one in brought.in_mind):
        outcome = "in-mind"
    elif any(one.claim.claim_id == claim.claim_id for one in brought.shadow):
        outcome = "shadow"
    others = [each for each in beside if next(_of_the_claim(each, registry, at_us, request_scope), None) is None]
    totals = _totals(asked, claim, others, links)
    ways = _ways(claim, asked, totals)
    reasons = [*_of_the_switch(modes), *_of_the_claim(claim, registry, at_us, request_scope)]
    if outcome != "in-mind":
        reasons += _of_the_ways(claim, classified, ways)
    return Explained(outcome, tuple(reasons), ways[:WAYS_MAX], round(totals[False], 4), urgency_min)


def _of_the_switch(modes: Modes) -> Iterator[Reason]:
    if modes.pre_router is Mode.OFF:
        yield Reason(Obstacle.PRE_ROUTER_OFF, "the pre-router is switched off: nothing comes to mind")


def _of_the_claim(claim: Claim, registry: Registry, at_us: int, scope: Scope) -> Iterator[Reason]:
    if claim.status in UNREVIEWED:
        if registry.policy.unreviewed != _ADVISORY:
            yield Reason(Obstacle.UNREVIEWED, f"it is {claim.status}, and policy keeps hidden what nobody has approved")
    elif claim.status is not ClaimStatus.ACTIVE:
        yield Reason(Obstacle.STATUS, f"it is {claim.status}: {claim.status_reason}")
    if claim.visibility is not Visibility.PRE_QUERY:
        yield Reason(Obstacle.QUERY_ONLY, "it is no decision state: it is found only when it is looked for")
    if claim.consent is Consent.DENIED:
        yield Reason(Obstacle.CONSENT, "consent to its use is denied")
    if claim.valid_to_us is not None and claim.valid_to_us <= at_us:
        yield Reason(Obstacle.EXPIRED, f"it held until {format_time(claim.valid_to_us)}")
    elif claim.valid_from_us is not None and not claim.in_mind.contains(at_us):
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


def _ways(claim: Claim, asked: _Asked, totals: Mapping[bool, float]) -> tuple[Way, ...]:
    found = [way for match in _matches(claim, asked) for way in _ways_from(claim, match, asked, totals)]
    return tuple(sorted(found, key=lambda way: (-_place(way), -way.urgency, way.action_class, way.bridge_id or "")))


def _matches(claim: Claim, asked: _Asked) -> Iterator[ClassMatch]:
    for match in readings(asked.classified):
        if any(covers(wanted, match.action_class) for wanted in claim.applies_to):
            yield match


def _place(way: Way) -> int:
    return len(_NEARNESS) if way.obstacle is None else _NEARNESS[way.obstacle]


def _ways_from(claim: Claim, match: ClassMatch, asked: _Asked, totals: Mapping[bool, float]) -> Iterator[Way]:
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
        elif (reached := totals[one.mode is Mode.SHADOW]) < asked.urgency_min:
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


def _totals(asked: _Asked, claim: Claim, beside: Sequence[Claim], links: Links) -> dict[bool, float]:
    """What the words come to over the ways that are not in shadow (False), and over those that are (True).

    The claim itself counts whatever keeps it from mind, so that what is told of its ways is true once that is mended.
    """
    claims = sorted((_unhindered(claim, asked), *beside), key=lambda each: each.position)
    brought = [activation for each in claims for one in asked.eligible for activation in _by(one, each, asked)]
    found: dict[bool, float] = {}
    for shadow in (False, True):
        ways = [each for each in brought if (each.mode is Mode.SHADOW) is shadow]
        found[shadow] = urgencies(ways, claims, asked.classified, links).get(words_of(claim), 0.0)
    return found


def _unhindered(claim: Claim, asked: _Asked) -> Claim:
    """The claim as if nothing of its own kept it from mind; one that has ended, or that is hidden, as if active."""
    advisory = asked.registry.policy.unreviewed == _ADVISORY
    return replace(
        claim,
        status=claim.status if claim.status in UNREVIEWED and advisory else ClaimStatus.ACTIVE,
        visibility=Visibility.PRE_QUERY,
        consent=Consent.EXPLICIT,
        valid_from_us=None,
        valid_to_us=None,
        scope=asked.scope,
    )


def _by(one: Eligible, claim: Claim, asked: _Asked) -> tuple[Activation, ...]:
    """What this bridge alone makes of the claim, however urgent."""
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
    return (*brought.in_mind, *brought.shadow)


def _few(names: Sequence[str]) -> str:
    shown = list(dict.fromkeys(names))
    rest = f" and {len(shown) - NAMES_MAX} more" if len(shown) > NAMES_MAX else ""
    return ", ".join(shown[:NAMES_MAX]) + rest or "nothing"
