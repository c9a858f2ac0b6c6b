"""Order: which of the activations comes first."""

from __future__ import annotations

import math

from heedful.bridges.request import Activation
from heedful.kernel.ladder import Decision

NEARNESS_WEIGHT = 4.3
"""How far full likeness to the request moves a claim in the order, beside its urgency in logarithmic odds and how
surely its words tell anything. Of statements that might matter the one that does is told by likeness as much as by
kind: measured on statements of the training data that were kept apart, by a sketch of what scripts/fit_weights.py
does."""

MATTERS_WEIGHT = 1.0
"""The same of the odds that the claim matters for the request, where a router tells them (Router.mattering); they are
logarithmic already."""
_LEAST = 1e-3


def place_of(urgency: float, told: float, ahead: float) -> float:
    """How far ahead words come in the order, in logarithmic odds; `ahead`: what their meaning adds."""
    likely = min(1.0 - _LEAST, max(_LEAST, urgency))
    surely = math.log(likely / (1.0 - likely)) + math.log(max(_LEAST, min(1.0, told)))
    return round(surely + ahead, 4)


def order_of(found: Activation, place: float) -> tuple[object, ...]:
    """What an activation is sorted by."""
    claim = found.claim
    return (
        -found.effect.rank if claim.is_reviewed and found.effect.at_least(Decision.REVIEW) else 0,
        -place,
        -found.effect.rank,
        -len(claim.scope.elements),
        -claim.tier,
        -claim.confidence,
        -claim.known_from_us,
        -found.urgency,
        claim.claim_id,
        found.bridge_id,
    )
