"""Write-time hypotheses: before which decisions forgetting a claim would hurt, worked out from the registry."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.bridges.activate import effect_cap
from heedful.bridges.registry import Registry
from heedful.bridges.vocabulary import covers
from heedful.kernel.ids import ActionClassId, BridgeId, KindId
from heedful.kernel.ladder import Decision, Mode

_RISK_ORDER = {"high": 0, "medium": 1, "low": 2}


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A class before which a claim of this kind must be seen, by the strictest bridge that says so."""

    action_class: ActionClassId
    effect: Decision
    risk: str
    bridge_id: BridgeId


def hurting_classes(kind: KindId, registry: Registry, *, at_us: int) -> tuple[Hypothesis, ...]:
    """The classes where forgetting such a claim would hurt, each once.

    Most severe first: by effect (deny, review, ask, notice), then risk (high first), then class and bridge id.
    Bridges that are expired at `at_us` or ship in mode `off` say nothing.
    """
    found: dict[ActionClassId, Hypothesis] = {}
    hypotheses = [
        Hypothesis(action_class, min(bridge.effect, effect_cap(bridge), key=_rank), bridge.risk, bridge.id)
        for bridge in registry.bridges.values()
        if bridge.mode is not Mode.OFF
        and (bridge.expires_us is None or at_us < bridge.expires_us)
        and any(covers(activated, kind) for activated in bridge.activates)
        for action_class in bridge.from_classes
    ]
    for hypothesis in sorted(hypotheses, key=_severity):
        found.setdefault(hypothesis.action_class, hypothesis)
    return tuple(found.values())


def _rank(decision: Decision) -> int:
    return decision.rank


def _severity(one: Hypothesis) -> tuple[int, int, str, str]:
    return -one.effect.rank, _RISK_ORDER[one.risk], one.action_class, one.bridge_id
