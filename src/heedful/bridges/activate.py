"""Classified request + claims -> what must be in mind, each with the bridge that brought it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, cast

from heedful.bridges.bridge import Bridge
from heedful.bridges.entities import predicate_holds
from heedful.bridges.links import Links
from heedful.bridges.order import order_of, place_of
from heedful.bridges.registry import Registry
from heedful.bridges.request import Activation, Activations, Classified, ClassMatch, EntityMatch, Modes, NoBridge
from heedful.bridges.urgency import URGENCY_MIN, readings, told_by, urgencies, urgency_of, words_of
from heedful.bridges.vocabulary import covers
from heedful.claims.claim import UNREVIEWED, Claim, ClaimStatus, Visibility
from heedful.claims.projections.experience import is_provisional
from heedful.kernel.ids import ActionClassId, BridgeId, ClaimId, KindId
from heedful.kernel.ladder import Consent, Decision, Mode, Severity
from heedful.kernel.scope import Scope

UNREVIEWED_EFFECT_MAX = Decision.REVIEW
"""An unreviewed claim never denies: a poisoned document could freeze a team (design, section 5)."""
ANSWERED_EFFECT_MAX = Decision.NOTICE
"""Of an unreviewed claim where an answer is all that follows: the answer states it, and what an agent then does is
judged by itself."""
PROVISIONAL_EFFECT_MAX = Decision.ASK
"""Of a gotcha or premise that one observation alone tells: it steers, and blocks nothing (seed 003)."""
UNSURE_EFFECT_MAX = Decision.ASK
"""Of a bridge that is contested, merely probable, or whose source nobody has opened (design, section 6)."""

_ADVISORY = "advisory"
_NO_LINKS: Links = {}

# The ladders' places, looked up many times for one request.
_EFFECT_RANK = {decision: decision.rank for decision in Decision}
_MODE_RANK = {mode: mode.rank for mode in Mode}


class Eligible(NamedTuple):
    """A bridge that this request may cross, from one of its classes; `entity` makes its predicate hold."""

    match: ClassMatch
    bridge: Bridge
    mode: Mode
    entity: EntityMatch | None


def eligible_bridges(classified: Classified, registry: Registry, modes: Modes, *, at_us: int) -> tuple[Eligible, ...]:
    """The bridges that this request may cross, surest class first, then by id; none with the pre-router off."""
    if modes.pre_router is Mode.OFF:
        return ()
    found: list[Eligible] = []
    for match in readings(classified):
        class_mode = mode_of_class(match.action_class, registry, modes)
        class_rank = _MODE_RANK[class_mode]
        for bridge in registry.index.bridges_from.get(match.action_class, ()):
            if bridge.expires_us is not None and bridge.expires_us <= at_us:
                continue
            mode = modes.bridges.get(bridge.id, bridge.mode) if modes.bridges else bridge.mode
            if _MODE_RANK[mode] > class_rank:
                mode = class_mode
            if mode is Mode.OFF:
                continue
            holds, entity = (True, None) if bridge.predicate is None else predicate_holds(bridge, classified.entities)
            if holds:
                found.append(Eligible(match, bridge, mode, entity))
    return tuple(found)


def kinds_of(eligible: Sequence[Eligible]) -> tuple[KindId, ...]:
    """The kinds that these bridges could bring, sorted: what to ask the store for."""
    return tuple(sorted({kind for one in eligible for kind in one.bridge.activates}))


def activate(
    classified: Classified,
    claims: Iterable[Claim],
    registry: Registry,
    modes: Modes,
    *,
    at_us: int,
    request_scope: Scope,
    eligible: Sequence[Eligible] | None = None,
    urgency_min: float = URGENCY_MIN,
    nearness: Callable[[], Mapping[ClaimId, float]] = dict,
    links: Links = _NO_LINKS,
    is_answered: bool = False,
    established: Collection[ClaimId] = (),
) -> Activations:
    """The claims that must be in mind, each with every bridge that brings it.

    A claim is brought where, for one and the same class of the request: a bridge starts from the class or from one
    above it, its predicate holds, it is not expired or off, and it brings the claim's kind; `applies_to` covers the
    class and `not_for` does not; the urgency is `urgency_min` or more. The claim is a decision state, active (or
    unreviewed, where policy says advisory), valid at `at_us`, in a scope that applies, and not denied consent. A pair
    of claim and bridge comes once: by the class of the highest mode, then the most urgent. `no_bridge` lists recognised
    classes for which nothing is in mind. With the pre-router off, all three are empty.

    Order: what is approved and asks for a review or denies, then the most urgent of what surely tells anything, then
    the stricter effect, the narrower scope, the higher tier, confidence, the later known. `nearness` (claim -> how far
    it moves ahead in that order, in logarithmic odds, by what it means; asked where there is something to order)
    decides nothing; a claim that it does not have stands with its last. `links` make a claim surer, and stand in `via`.
    `eligible`: the request's bridges where they are known. `is_answered`: an answer is all that follows, so what is
    unreviewed is a notice at most. What is provisional (no approval, and not `established`) asks at most, and is no
    answer to what its class says to do without a bridge.
    """
    if modes.pre_router is Mode.OFF:
        return Activations((), (), ())
    if eligible is None:
        eligible = eligible_bridges(classified, registry, modes, at_us=at_us)
    held = [claim for claim in claims if _may_come_to_mind(claim, registry, at_us, request_scope)]
    brought = [_in_bounds(one, established, is_answered=is_answered) for one in brought_by(held, eligible, registry)]
    urgent = urgencies(brought, held, classified, links)
    urgently = [one for one in brought if urgent.get(words_of(one.claim), 0.0) >= urgency_min]
    told = told_by(held)
    ahead = nearness() if len({one.claim.claim_id for one in urgently}) > 1 else {}
    least = min(ahead.values(), default=0.0)

    def order(one: Activation) -> tuple[object, ...]:
        words = words_of(one.claim)
        return order_of(one, place_of(urgent.get(words, 0.0), told[words], ahead.get(one.claim.claim_id, least)))

    ordered = [_linked(one, links) for one in sorted(_best(urgently), key=order)]
    firm = [one for one in urgently if not is_provisional(one.claim, established)]
    carried = {one.action_class for one in firm if one.mode is not Mode.SHADOW}
    return Activations(
        in_mind=tuple(one for one in ordered if one.mode is not Mode.SHADOW),
        shadow=tuple(one for one in ordered if one.mode is Mode.SHADOW),
        no_bridge=tuple(
            _no_bridge(match.action_class, registry)
            for match in classified.classes
            if match.action_class not in carried
        ),
    )


def brought_by(claims: Iterable[Claim], eligible: Sequence[Eligible], registry: Registry) -> list[Activation]:
    """Every way by which a claim is brought, whatever its urgency."""
    activating = _by_activated(eligible)
    bringing: dict[KindId, tuple[Eligible, ...]] = {}
    found: list[Activation] = []
    for claim in claims:
        if claim.kind not in bringing:
            bringing[claim.kind] = _bringing(claim.kind, eligible, activating)
        found += [
            _activation(one, claim, *urgency_of(claim, one.match, registry))
            for one in bringing[claim.kind]
            if _is_for(claim, one.match.action_class)
        ]
    return found


def _in_bounds(one: Activation, established: Collection[ClaimId], *, is_answered: bool) -> Activation:
    if is_answered and not one.claim.is_reviewed:
        return _capped(one, ANSWERED_EFFECT_MAX)
    return _capped(one, PROVISIONAL_EFFECT_MAX) if is_provisional(one.claim, established) else one


def _capped(one: Activation, effect_max: Decision) -> Activation:
    return one if _EFFECT_RANK[one.effect] <= _EFFECT_RANK[effect_max] else replace(one, effect=effect_max)


def _linked(one: Activation, links: Links) -> Activation:
    path = links.get(one.claim.statement)
    return one if path is None else replace(one, via=f"{one.via}; {path.chain} ({', '.join(path.sources)})")


def _best(found: Iterable[Activation]) -> Iterable[Activation]:
    """Of each pair of claim and bridge the one of the highest mode, then the most urgent, then the first."""
    best: dict[tuple[ClaimId, BridgeId], Activation] = {}
    for one in found:
        before = best.get((one.claim.claim_id, one.bridge_id))
        if before is None or (_MODE_RANK[one.mode], one.urgency) > (_MODE_RANK[before.mode], before.urgency):
            best[one.claim.claim_id, one.bridge_id] = one
    return best.values()


def effect_cap(bridge: Bridge) -> Decision:
    """The most that this bridge may ask for, whatever its `effect` says."""
    unsure = bridge.contested or bridge.certainty != "established" or not bridge.source_opened
    return UNSURE_EFFECT_MAX if unsure else Decision.DENY


def mode_of(bridge: Bridge, action_class: ActionClassId, registry: Registry, modes: Modes) -> Mode:
    """The lower of the bridge's mode and the class's; a mode set on a class holds for its descendants too.

    Modes set at run time hold before those that the registry ships. A pre-router in `shadow` keeps everything there.
    """
    return _lower(modes.bridges.get(bridge.id, bridge.mode), mode_of_class(action_class, registry, modes))


def mode_of_class(action_class: ActionClassId, registry: Registry, modes: Modes) -> Mode:
    """The highest mode that a bridge from this class may have."""
    mode = registry.vocabulary.action_classes[action_class].mode
    name: str = action_class if modes.action_classes else ""
    while name:
        found = modes.action_classes.get(ActionClassId(name))
        if found is not None:
            mode = found
            break
        name = name.rpartition(".")[0]
    return _lower(mode, Mode.SHADOW) if modes.pre_router is Mode.SHADOW else mode


def _lower(left: Mode, right: Mode) -> Mode:
    return left if _MODE_RANK[left] <= _MODE_RANK[right] else right


def _may_come_to_mind(claim: Claim, registry: Registry, at_us: int, request_scope: Scope) -> bool:
    if claim.status in UNREVIEWED:
        if registry.policy.unreviewed != _ADVISORY:
            return False
    elif claim.status is not ClaimStatus.ACTIVE:
        return False
    return (
        claim.visibility is Visibility.PRE_QUERY
        and claim.consent is not Consent.DENIED
        and claim.in_mind.contains(at_us)
        and claim.scope.applies_to(request_scope)
    )


def _by_activated(eligible: Sequence[Eligible]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, one in enumerate(eligible):
        for kind in one.bridge.activates:
            places.setdefault(kind, []).append(place)
    return places


def _bringing(kind: str, eligible: Sequence[Eligible], activating: dict[str, list[int]]) -> tuple[Eligible, ...]:
    """Those of the eligible that bring this kind, itself or by a kind above it, in their order."""
    places: set[int] = set()
    while kind:
        places.update(activating.get(kind, ()))
        kind = kind.rpartition(".")[0]
    return tuple(eligible[place] for place in sorted(places))


def _is_for(claim: Claim, action_class: ActionClassId) -> bool:
    return any(covers(wanted, action_class) for wanted in claim.applies_to) and not any(
        covers(silenced, action_class) for silenced in claim.not_for
    )


def _activation(one: Eligible, claim: Claim, severity: Severity, urgency: float) -> Activation:
    caps = [one.bridge.effect, effect_cap(one.bridge)]
    if not claim.is_reviewed:
        caps.append(UNREVIEWED_EFFECT_MAX)
    via = f"{one.match.action_class} ({one.match.method}: {one.match.because})"
    if one.entity is not None:
        via += f"; {one.entity.entity_id} ({one.entity.matched!r}, {one.entity.source})"
    return Activation(
        claim=claim,
        bridge_id=one.bridge.id,
        action_class=one.match.action_class,
        effect=min(caps, key=_EFFECT_RANK.__getitem__),
        mode=one.mode,
        reason=one.bridge.reason,
        via=via,
        severity=severity,
        urgency=urgency,
    )


def _no_bridge(action_class: ActionClassId, registry: Registry) -> NoBridge:
    word = registry.vocabulary.action_classes[action_class].on_no_bridge
    return NoBridge(action_class, cast("Literal['retrieve', 'ask', 'review', 'deny']", word))
