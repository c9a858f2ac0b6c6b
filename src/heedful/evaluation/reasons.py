"""Reasons: why nothing that rests on a memory came to mind for a request, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heedful.bridges.activate import Eligible, eligible_bridges
from heedful.bridges.links import links_of
from heedful.bridges.request import Classified, Modes
from heedful.bridges.vocabulary import covers
from heedful.bridges.why_not import Obstacle, explain_silence
from heedful.claims.claim import Claim
from heedful.evidence.packet import Packet
from heedful.kernel.ladder import Mode
from heedful.ports.store import Reading
from heedful.recall.request import MemoryRequest
from heedful.service.governing.modes import modes_now
from heedful.service.requests import classify_for
from heedful.service.session import Session

CLASSES_TOLD_MAX = 8

NO_RECORD = "not kept"
NO_CLAIM = "no claim: nothing was told of any kind"
ROUTER_OFF = "the pre-router is off"
LEFT_OUT = "left out for budget"
OTHER_SCOPE = "other scope"
NO_CLASS = "class not recognised"
NO_BRIDGE = "no bridge"
NOT_FOR = "not_for"
BELOW = "below urgency"
SHADOW = "in shadow"
UNEXPLAINED = "unexplained"
"""How a reason begins; a claim's own status is one too."""

_BEGINS = {
    Obstacle.PRE_ROUTER_OFF: ROUTER_OFF,
    Obstacle.OTHER_SCOPE: OTHER_SCOPE,
    Obstacle.NO_CLASS: NO_CLASS,
    Obstacle.APPLIES_TO: NO_CLASS,
    Obstacle.NO_BRIDGE: NO_BRIDGE,
    Obstacle.NOT_FOR: NOT_FOR,
    Obstacle.BELOW_URGENCY: BELOW,
    Obstacle.SHADOW: SHADOW,
}

# Of several claims, the one that came nearest tells why.
_NEARNESS = (
    UNEXPLAINED,
    LEFT_OUT,
    SHADOW,
    BELOW,
    NOT_FOR,
    NO_BRIDGE,
    NO_CLASS,
    OTHER_SCOPE,
)


@dataclass(frozen=True, slots=True)
class Linked:
    """What a request is taken for, and the bridges that start from there.

    Attributes:
        classes: each with its confidence and what told it, surest first; hints are called that.
    """

    request: MemoryRequest
    classified: Classified
    modes: Modes
    eligible: tuple[Eligible, ...]
    classes: tuple[str, ...]

    def bringing(self, claim: Claim) -> tuple[Eligible, ...]:
        """The bridges that bring the kind of this claim."""
        return tuple(one for one in self.eligible if any(covers(kind, claim.kind) for kind in one.bridge.activates))

    def reaches(self, claims: Sequence[Claim]) -> bool:
        """True where a bridge links a class of the request with the kind of one of the claims."""
        return any(self.bringing(claim) for claim in claims)


def link_of(session: Session, reading: Reading, request: MemoryRequest) -> Linked:
    """What the request is taken for, as recall sees it."""
    classified = classify_for(session, request.features, request.scope)
    modes = modes_now(reading, session.registry)
    matches = [(match, "") for match in classified.classes] + [(match, "hint ") for match in classified.hints]
    return Linked(
        request,
        classified,
        modes,
        eligible_bridges(classified, session.registry, modes, at_us=request.as_of_us),
        tuple(
            f"{hint}{match.action_class} {match.confidence:g} {match.method}"
            for match, hint in matches[:CLASSES_TOLD_MAX]
        ),
    )


def why_not(session: Session, linked: Linked, claims: Sequence[Claim], packet: Packet) -> str:
    """Why none of these claims came to mind: of the one that came nearest to it."""
    if linked.modes.pre_router is Mode.OFF:
        return ROUTER_OFF
    if not claims:
        return NO_CLAIM
    reasons = [_why_not(session, linked, claims, claim, packet) for claim in claims]
    return min(reasons, key=_place)


def _place(reason: str) -> int:
    return next((place for place, each in enumerate(_NEARNESS) if reason.startswith(each)), len(_NEARNESS))


def _why_not(session: Session, linked: Linked, claims: Sequence[Claim], claim: Claim, packet: Packet) -> str:
    if claim.claim_id in packet.left_out:
        return f"{LEFT_OUT}: {claim.kind}"
    explained = explain_silence(
        claim,
        linked.classified,
        session.registry,
        linked.modes,
        at_us=linked.request.as_of_us,
        request_scope=linked.request.scope,
        urgency_min=session.urgency_min,
        links=links_of(linked.request.features, [claim], session.registry),
        beside=[
            each
            for each in claims
            if each is not claim and (each.statement, each.evidence) == (claim.statement, claim.evidence)
        ],
    )
    if not explained.reasons:
        return f"{UNEXPLAINED}: {claim.kind} at {explained.urgency:g}"
    first = explained.reasons[0]
    if first.obstacle in (Obstacle.PRE_ROUTER_OFF, Obstacle.OTHER_SCOPE):
        return _BEGINS[first.obstacle]
    if first.obstacle is Obstacle.BELOW_URGENCY:
        return f"{BELOW}: {claim.kind} at {explained.urgency:g}, and {explained.urgency_min:g} is needed"
    begins = claim.status if first.obstacle is Obstacle.STATUS else _BEGINS.get(first.obstacle, first.obstacle)
    return f"{begins}: {claim.kind}: {first.text}"
