"""Recall: what must be in mind for this request, and what ordinary retrieval finds, as one labelled packet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from heedful.bridges.activate import activate, eligible_bridges, kinds_of
from heedful.bridges.classify import classify
from heedful.bridges.request import Activations, Classified
from heedful.claims.claim import UNREVIEWED, Claim, ClaimStatus, Form, Visibility
from heedful.claims.lifecycle import REJECTED
from heedful.evidence.assemble import Material, assemble
from heedful.evidence.packet import Packet, packet_bytes
from heedful.evidence.sufficiency import Found, Sufficiency, judge_sufficiency
from heedful.kernel.ids import KindId, PacketId, RecordId
from heedful.kernel.ladder import Impact, Mode, Tier
from heedful.ledger.events import PacketAssembled
from heedful.observations.record import Record
from heedful.ports.store import Reading, Visible
from heedful.recall.candidate import ClaimCandidate, RecordCandidate, Scored, travels_by_channel
from heedful.recall.request import MemoryRequest, Scorer
from heedful.recall.score import Scoring, score_candidates
from heedful.recall.select import Selection, select
from heedful.service.candidates import Retrieved, as_it_stood, is_evidence, retrieve
from heedful.service.modes import modes_now
from heedful.service.session import Session
from heedful.service.sight import visible_for_request
from heedful.service.vectors import AskedVector, checked, vector_of_question, waits_for_model

PLACES_MAX = 12
"""Retrieved items in a packet (seed 003: 12 events)."""
DECISION_STATES_MAX = 2_000
UNREVIEWED_MAX = 200
RULES_MAX = 50
ENDED_MAX = 2_000
SCORING: Mapping[Scorer, Scoring] = {"linear": Scoring("linear"), "tiered": Scoring("tiered")}

CUT = "decision states: more bear on this than are looked at"
OFF = "decision states: the pre-router is off"
RULES_CUT = "standing rules: there are more than are shown"
"""What a packet says was not searched."""

_EVIDENTIAL = frozenset({Form.FACT, Form.STATE, Form.PREMISE, Form.WORKFLOW})
# A claim that has expired since held at the instant asked for, if its validity says so.
_REVIEWED = (ClaimStatus.ACTIVE, ClaimStatus.EXPIRED)
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
    """

    classified: Classified
    activations: Activations
    ended: Mapping[ClaimStatus, int]
    ended_claims: tuple[Claim, ...]
    degraded: tuple[str, ...]

    @property
    def is_cut(self) -> bool:
        """True where more claims bear on the request than were looked at."""
        return CUT in self.degraded

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims in mind, each once, in order."""
        return tuple({each.claim.claim_id: each.claim for each in self.activations.in_mind}.values())


def recall(session: Session, request: MemoryRequest) -> Packet:
    """The packet for this request; it is in the access chain, at once where the request proposes or executes.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: `scope_empty`, `action_class_unknown`, `budget_too_small`.
    """
    session.require("recall")
    visible = visible_for_request(session, request.scope)
    visible = replace(visible, clearance=min(visible.clearance, request.clearance, key=lambda each: each.rank))
    packet_id = PacketId(session.new_id())
    classified = classify(request.features, session.registry)
    text = request.features.text

    def packet_at(reading: Reading, asked: AskedVector) -> Packet:
        mind = bring_to_mind(session, reading, visible, request, classified)
        rules, rules_cut = _rules(reading, visible, request)
        retrieved = retrieve(session, reading, visible, request, asked, beside=(*mind.claims, *rules))
        known = _Known(mind, rules, retrieved, (RULES_CUT,) if rules_cut else ())
        return assemble(request, packet_id, _material(session, reading, visible, request, known))

    with session.store.read() as reading:
        models = reading.vector_models()
        waits = waits_for_model(session, models)
        packet = None if waits else packet_at(reading, vector_of_question(session, models, text))
    if packet is None:
        # A model that takes its time keeps no moment open.
        asked = vector_of_question(session, models, text)
        with session.store.read() as reading:
            packet = packet_at(reading, checked(asked, reading.vector_models()))
    packet_json = packet_bytes(packet).decode()
    event = PacketAssembled(packet_id, session.principal, request.scope, packet_json)
    session.access.add(event, durable=request.impact is not Impact.READ)
    return packet


def bring_to_mind(
    session: Session, reading: Reading, visible: Visible, request: MemoryRequest, classified: Classified
) -> InMind:
    """Activations and ended claims for this request and its classes; the gate recomputes them from current claims."""
    registry = session.registry
    modes = modes_now(reading)
    eligible = eligible_bridges(classified, registry, modes, at_us=request.as_of_us)
    kinds = kinds_of(eligible)

    def activated(claims: Sequence[Claim]) -> Activations:
        at_us, scope = request.as_of_us, request.scope
        return activate(classified, claims, registry, modes, at_us=at_us, request_scope=scope, eligible=eligible)

    if not kinds:
        nothing = activated(())
        return InMind(classified, nothing, {}, (), (OFF,) if modes.pre_router is Mode.OFF else ())
    claims, is_cut = _decision_states(session, reading, visible, kinds, request.as_of_us)
    activations = activated(claims)
    ended = _Ended({}, (), is_cut=False)
    if not any(each.claim.is_reviewed for each in activations.in_mind):
        ended = _ended(reading, visible, kinds, request.as_of_us)
    degraded = (CUT,) if is_cut or ended.is_cut else ()
    return InMind(classified, activations, ended.counts, ended.claims, degraded)


def sufficiency_of(
    request: MemoryRequest,
    mind: InMind,
    selection: Selection,
    grounds: Mapping[RecordId, Record],
    degraded: Sequence[str],
) -> Sufficiency:
    """The label for what is in mind and was found."""
    kept = selection.kept
    found = Found(
        in_mind=mind.claims,
        # A claim without a word of the question may be worth reading, but it answers nothing.
        retrieved=[
            one.candidate.claim for one in kept if isinstance(one.candidate, ClaimCandidate) and one.candidate.terms
        ],
        records=[one.candidate.record for one in kept if isinstance(one.candidate, RecordCandidate)],
        grounds=grounds,
        coverage=max((one.candidate.coverage for one in kept), default=0.0),
        ended=mind.ended,
        degraded=degraded,
    )
    return judge_sufficiency(request.task_class, request.impact, found, subjects=(), as_of_us=request.as_of_us)


def grounds_of(reading: Reading, claims: Sequence[Claim]) -> dict[RecordId, Record]:
    """The records that these claims rest on, of those that are evidence now."""
    stored = reading.records_by_ids(list(dict.fromkeys(each for claim in claims for each in claim.evidence)))
    return {each.record.record_id: each.record for each in stored if is_evidence(each)}


class _Known(NamedTuple):
    mind: InMind
    rules: tuple[Claim, ...]
    retrieved: Retrieved
    rules_cut: tuple[str, ...]


def _material(session: Session, reading: Reading, visible: Visible, request: MemoryRequest, known: _Known) -> Material:
    mind, rules, retrieved, rules_cut = known
    degraded = (*mind.degraded, *rules_cut, *retrieved.degraded)
    candidates, grounds = retrieved.candidates, retrieved.grounds
    vocabulary = session.registry.vocabulary
    scored: tuple[Scored, ...] = score_candidates(
        candidates, SCORING[request.scorer], as_of_us=request.as_of_us, vocabulary=vocabulary, grounds=grounds
    )
    selection = select(scored, beside=[*mind.claims, *rules], vocabulary=vocabulary, grounds=grounds, places=PLACES_MAX)
    return Material(
        action_classes=tuple(match.action_class for match in mind.classified.classes),
        activations=mind.activations,
        rules=rules,
        selection=selection,
        grounds=grounds,
        texts=_blob_texts(session, selection),
        sufficiency=sufficiency_of(request, mind, selection, grounds, degraded),
        registry_revision=session.registry.revision,
        ledger_position=reading.visible_position(visible),
        degraded=degraded,
    )


def _rules(reading: Reading, visible: Visible, request: MemoryRequest) -> tuple[tuple[Claim, ...], bool]:
    """Standing SYSTEM and OPERATOR rules, which bind whatever was asked, and whether there are more."""
    standing = reading.claims(
        visible,
        statuses=_REVIEWED,
        kinds=None,
        visibility=Visibility.QUERY,
        tier_min=Tier.OPERATOR,
        valid_at_us=request.as_of_us,
        limit=RULES_MAX + 1,
    )
    held = (as_it_stood(claim, request.as_of_us) for claim in standing[:RULES_MAX])
    return tuple(claim for claim in held if travels_by_channel(claim)), len(standing) > RULES_MAX


def _blob_texts(session: Session, selection: Selection) -> dict[RecordId, str]:
    """The texts of the chosen records whose content lies in the blob store."""
    records = (one.candidate.record for one in selection.kept if isinstance(one.candidate, RecordCandidate))
    texts = {record.record_id: session.text_of(record) for record in records if record.blob is not None}
    return {record_id: text for record_id, text in texts.items() if text is not None}


def _decision_states(
    session: Session, reading: Reading, visible: Visible, kinds: Sequence[KindId], as_of_us: int
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
            valid_at_us=as_of_us,
            limit=limit + 1,
        )

    proposed: tuple[Claim, ...] = ()
    if session.registry.policy.unreviewed != "advisory":
        reviewed = holding(_REVIEWED, DECISION_STATES_MAX)
    else:
        # Nearly always there are few, and one look finds all of both sorts.
        few = min(UNREVIEWED_MAX, DECISION_STATES_MAX)
        both = holding((*_REVIEWED, *_UNREVIEWED), few)
        if len(both) <= few:
            reviewed = tuple(claim for claim in both if claim.status in _REVIEWED)
            proposed = tuple(claim for claim in both if claim.status not in _REVIEWED)
        else:
            reviewed, proposed = holding(_REVIEWED, DECISION_STATES_MAX), holding(_UNREVIEWED, UNREVIEWED_MAX)
    is_cut = len(reviewed) > DECISION_STATES_MAX or len(proposed) > UNREVIEWED_MAX
    kept = (*reviewed[:DECISION_STATES_MAX], *proposed[:UNREVIEWED_MAX])
    return tuple(as_it_stood(claim, as_of_us) for claim in kept), is_cut


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
        if claim.status in _REVIEWED:
            if claim.valid_to_us is not None and claim.valid_to_us <= as_of_us:
                counted.append((ClaimStatus.EXPIRED, claim))
        elif not claim.status_reason.startswith(REJECTED):
            counted.append((claim.status, claim))
    ended = tuple(claim for _, claim in counted)
    return _Ended(Counter(status for status, _ in counted), ended, is_cut=len(claims) > ENDED_MAX)
