"""In mind: the decision states that the bridges bring for a request, before anything is looked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from heedful.bridges.activate import activate, eligible_bridges, kinds_of
from heedful.bridges.links import links_of
from heedful.bridges.order import MATTERS_WEIGHT, NEARNESS_WEIGHT
from heedful.bridges.request import Activations, Classified
from heedful.claims.claim import UNREVIEWED, Claim, ClaimStatus, Form, Visibility
from heedful.claims.lifecycle import REJECTED
from heedful.kernel.ids import ClaimId, KindId
from heedful.kernel.ladder import Impact, Mode, Tier
from heedful.ports.rows import NearHit
from heedful.ports.store import Reading, SearchFilter, Visible
from heedful.recall.fuse import leg_of
from heedful.recall.request import MemoryRequest
from heedful.service.governing.modes import modes_now
from heedful.service.learning.provisional import established_among
from heedful.service.recalling.candidates import as_it_stood, reviewed_for
from heedful.service.recalling.vectors import AskedVector
from heedful.service.session import Session

DECISION_STATES_MAX = 2_000
UNREVIEWED_MAX = 200
ENDED_MAX = 2_000
NEAR_CLAIMS_MAX = 200
"""Claims whose likeness to the request is looked at, to order those in mind."""
DECIDED_MIN = 0.05
"""Where less than this is decided, what matters for it is not asked."""

CUT = "decision states: more bear on this than are looked at"
OFF = "decision states: the pre-router is off"
"""What a packet says was not searched."""

_EVIDENTIAL = frozenset({Form.FACT, Form.STATE, Form.PREMISE, Form.WORKFLOW})
_UNREVIEWED = tuple(sorted(UNREVIEWED - {ClaimStatus.PROPOSED}))
_ENDED = (
    ClaimStatus.EXPIRED,
    ClaimStatus.SUPERSEDED,
    ClaimStatus.ARCHIVED,
    ClaimStatus.REVOKED,
    ClaimStatus.QUARANTINED,
)


@dataclass(frozen=True, slots=True)
class InMind:
    """What the pre-router brought, before anything was looked for.

    Attributes:
        ended: how many visible claims of the same kinds have each status that ends one.
        ended_claims: those.
        degraded: what was not looked at, each in words.
        established: gotchas and premises that two independent observations tell.
    """

    classified: Classified
    activations: Activations
    ended: Mapping[ClaimStatus, int]
    ended_claims: tuple[Claim, ...]
    degraded: tuple[str, ...]
    established: frozenset[ClaimId] = frozenset()

    @property
    def is_cut(self) -> bool:
        """True where more claims bear on the request than were looked at."""
        return CUT in self.degraded

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims in mind, each once, in order."""
        return tuple({each.claim.claim_id: each.claim for each in self.activations.in_mind}.values())


def bring_to_mind(
    session: Session,
    reading: Reading,
    visible: Visible,
    request: MemoryRequest,
    classified: Classified,
    *,
    asked: AskedVector | None = None,
) -> InMind:
    """Activations and ended claims for this request and its classes; the gate recomputes them from current claims.

    `asked`: the request's vector, by which those in mind are ordered too.
    """
    registry = session.registry
    modes = modes_now(reading, registry)
    eligible = eligible_bridges(classified, registry, modes, at_us=request.as_of_us)
    kinds = kinds_of(eligible)

    established: frozenset[ClaimId] = frozenset()
    near = _nearness(session, reading, visible, request, asked)

    def activated(claims: Sequence[Claim]) -> Activations:
        return activate(
            classified,
            claims,
            registry,
            modes,
            at_us=request.as_of_us,
            request_scope=request.scope,
            eligible=eligible,
            urgency_min=session.urgency_min,
            nearness=lambda: near(classified.inert),
            links=links_of(request.features, claims, registry, named=classified.named),
            is_answered=request.impact is Impact.READ and request.features.tool is None,
            established=established,
        )

    if not kinds:
        nothing = activated(())
        return InMind(classified, nothing, {}, (), (OFF,) if modes.pre_router is Mode.OFF else ())
    claims, is_cut = _decision_states(session, reading, visible, kinds, request)
    established = established_among(session, reading, claims)
    activations = activated(claims)
    ended = _Ended({}, (), is_cut=False)
    if not any(each.claim.is_reviewed for each in activations.in_mind):
        ended = _ended(reading, visible, kinds, request.as_of_us)
    degraded = (CUT,) if is_cut or ended.is_cut else ()
    return InMind(classified, activations, ended.counts, ended.claims, degraded, established)


def _nearness(
    session: Session, reading: Reading, visible: Visible, request: MemoryRequest, asked: AskedVector | None
) -> Callable[[float | None], dict[ClaimId, float]]:
    """How likely it is that nothing is decided -> visible claim -> how far it moves ahead in the order, by its meaning.

    By its likeness to the request (Leg.worth), and by how far it matters for it, where the router knows and as far as
    something is decided; each of the NEAR_CLAIMS_MAX nearest.
    """
    if asked is None or asked.model is None or asked.components is None:
        return lambda _inert: {}
    model, components = asked.model, asked.components

    def near(towards: bytes) -> tuple[NearHit, ...]:
        search_filter = SearchFilter("claim", (), (), request.as_of_us, unreviewed=True)
        return reading.nearest(visible, model, towards, search_filter, limit=NEAR_CLAIMS_MAX)

    def ahead(inert: float | None) -> dict[ClaimId, float]:
        leg = leg_of(model)
        found = {ClaimId(hit.item_id): NEARNESS_WEIGHT * leg.worth(hit.similarity) for hit in near(components)}
        mattering = None if session.router is None else session.router.mattering(model, components)
        decided = 1.0 - (inert or 0.0)
        if mattering is not None and decided >= DECIDED_MIN:
            for hit in near(mattering.components):
                odds = decided * MATTERS_WEIGHT * mattering.odds(hit.similarity)
                found[ClaimId(hit.item_id)] = found.get(ClaimId(hit.item_id), 0.0) + odds
        return found

    return ahead


def _decision_states(
    session: Session, reading: Reading, visible: Visible, kinds: Sequence[KindId], request: MemoryRequest
) -> tuple[tuple[Claim, ...], bool]:
    """The claims of these kinds that hold, and whether there are more. Proposals never take the place of reviewed ones.

    Each sort has its own limit: else whoever may propose could push an approved claim out of sight.
    """

    def holding(statuses: tuple[ClaimStatus, ...], limit: int) -> tuple[Claim, ...]:
        return reading.claims(
            visible,
            statuses=statuses,
            kinds=kinds,
            visibility=Visibility.PRE_QUERY,
            tier_min=Tier.UNVERIFIED,
            valid_at_us=request.as_of_us,
            limit=limit + 1,
        )

    held = reviewed_for(request)
    proposed: tuple[Claim, ...] = ()
    if session.registry.policy.unreviewed != "advisory":
        reviewed = holding(held, DECISION_STATES_MAX)
    else:
        # Nearly always there are few, and one look finds all of both sorts.
        few = min(UNREVIEWED_MAX, DECISION_STATES_MAX)
        both = holding((*held, *_UNREVIEWED), few)
        if len(both) <= few:
            reviewed = tuple(claim for claim in both if claim.status in held)
            proposed = tuple(claim for claim in both if claim.status not in held)
        else:
            reviewed, proposed = holding(held, DECISION_STATES_MAX), holding(_UNREVIEWED, UNREVIEWED_MAX)
    is_cut = len(reviewed) > DECISION_STATES_MAX or len(proposed) > UNREVIEWED_MAX
    kept = (*reviewed[:DECISION_STATES_MAX], *proposed[:UNREVIEWED_MAX])
    return tuple(as_it_stood(claim, request.as_of_us) for claim in kept), is_cut


@dataclass(frozen=True, slots=True)
class _Ended:
    counts: Mapping[ClaimStatus, int]
    claims: tuple[Claim, ...]
    is_cut: bool


def _ended(reading: Reading, visible: Visible, kinds: Sequence[KindId], as_of_us: int) -> _Ended:
    """How the claims of these kinds ended, of the forms that say how the world is; and whether there are more.

    A constraint that ended no longer binds, and that is all; a state that ended leaves a question open. One that was
    only ever a rejected proposal never held at all.
    """
    statuses = (*_ENDED, ClaimStatus.ACTIVE)
    claims = reading.claims(
        visible,
        statuses=statuses,
        kinds=kinds,
        visibility=Visibility.PRE_QUERY,
        tier_min=Tier.UNVERIFIED,
        valid_at_us=None,
        limit=ENDED_MAX + 1,
    )
    counted: list[tuple[ClaimStatus, Claim]] = []
    for claim in claims[:ENDED_MAX]:
        if claim.form not in _EVIDENTIAL:
            continue
        if claim.status in (ClaimStatus.ACTIVE, ClaimStatus.EXPIRED):
            if claim.valid_to_us is not None and claim.valid_to_us <= as_of_us:
                counted.append((ClaimStatus.EXPIRED, claim))
        elif not claim.status_reason.startswith(REJECTED):
            counted.append((claim.status, claim))
    ended = tuple(claim for _, claim in counted)
    return _Ended(Counter(status for status, _ in counted), ended, is_cut=len(claims) > ENDED_MAX)
