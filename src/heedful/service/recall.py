"""Recall: what must be in mind for this request, and what ordinary retrieval finds, as one labelled packet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from heedful.bridges.activate import activate, eligible_kinds
from heedful.bridges.classify import classify
from heedful.bridges.request import Activations, Classified
from heedful.claims.claim import UNREVIEWED, Claim, ClaimStatus, Form, Visibility
from heedful.claims.lifecycle import REJECTED
from heedful.evidence.assemble import Material, assemble
from heedful.evidence.packet import Packet, packet_bytes
from heedful.evidence.sufficiency import Found, Sufficiency, judge_sufficiency
from heedful.kernel.ids import ClaimId, KindId, PacketId, RecordId
from heedful.kernel.ladder import Impact, Mode, Tier
from heedful.ledger.events import PacketAssembled
from heedful.observations.record import Record, RecordStatus
from heedful.observations.text import query_terms
from heedful.ports.store import AttributeFilter, Reading, SearchFilter, SearchHit, Visible
from heedful.recall.candidate import Candidate, ClaimCandidate, RecordCandidate, Scored, travels_by_channel
from heedful.recall.request import MemoryRequest
from heedful.recall.score import RankedHit, Scoring, rank_hits, score_candidates
from heedful.recall.select import Selection, select
from heedful.recall.visible import require_visible
from heedful.service.modes import modes_now
from heedful.service.session import Session
from heedful.service.sight import visible_for_request

TERMS_MAX = 32
MATCHES_MAX = 2_000
"""Matching rows that are ranked, the newest; more are counted but not ranked."""
CANDIDATES_MAX = 24
"""Ranked rows that are loaded and scored."""
PLACES_MAX = 12
"""Retrieved items in a packet (seed 003: 12 events)."""
DECISION_STATES_MAX = 2_000
UNREVIEWED_MAX = 200
RULES_MAX = 50
ENDED_MAX = 2_000
SCORING = Scoring()

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
        degraded: what was not looked at, each in words.
    """

    classified: Classified
    activations: Activations
    ended: Mapping[ClaimStatus, int]
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
    visible = Visible(visible.scopes, min(visible.clearance, request.clearance, key=lambda each: each.rank))
    packet_id = PacketId(session.new_id())
    classified = classify(request.features, session.registry)
    with session.store.read() as reading:
        mind = bring_to_mind(session, reading, visible, request, classified)
        packet = assemble(request, packet_id, _material(session, reading, visible, request, mind))
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
    kinds = eligible_kinds(classified, registry, modes, at_us=request.as_of_us)
    if not kinds:
        nothing = activate(classified, (), registry, modes, at_us=request.as_of_us, request_scope=request.scope)
        return InMind(classified, nothing, {}, (OFF,) if modes.pre_router is Mode.OFF else ())
    claims, is_cut = _decision_states(session, reading, visible, kinds, request.as_of_us)
    activations = activate(classified, claims, registry, modes, at_us=request.as_of_us, request_scope=request.scope)
    ended: Mapping[ClaimStatus, int] = {}
    if not any(each.claim.is_reviewed for each in activations.in_mind):
        ended, ended_cut = _ended(reading, visible, kinds, request.as_of_us)
        is_cut = is_cut or ended_cut
    return InMind(classified, activations, ended, (CUT,) if is_cut else ())


def sufficiency_of(
    request: MemoryRequest, mind: InMind, selection: Selection, grounds: dict[RecordId, Record], degraded: Sequence[str]
) -> Sufficiency:
    """The label for what is in mind and was found."""
    kept = selection.kept
    found = Found(
        in_mind=mind.claims,
        retrieved=[one.candidate.claim for one in kept if isinstance(one.candidate, ClaimCandidate)],
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
    return {each.record.record_id: each.record for each in stored if each.status is RecordStatus.ADMITTED}


def _material(session: Session, reading: Reading, visible: Visible, request: MemoryRequest, mind: InMind) -> Material:
    rules, rules_cut = _rules(reading, visible, request)
    degraded = (*mind.degraded, *((RULES_CUT,) if rules_cut else ()))
    candidates = _candidates(session, reading, visible, request)
    claims = [*mind.claims, *rules, *(one.claim for one in candidates if isinstance(one, ClaimCandidate))]
    grounds = grounds_of(reading, claims)
    vocabulary = session.registry.vocabulary
    scored: tuple[Scored, ...] = score_candidates(
        candidates, SCORING, as_of_us=request.as_of_us, vocabulary=vocabulary, grounds=grounds
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
    held = (_as_it_stood(claim, request.as_of_us) for claim in standing[:RULES_MAX])
    return tuple(claim for claim in held if travels_by_channel(claim)), len(standing) > RULES_MAX


def _candidates(session: Session, reading: Reading, visible: Visible, request: MemoryRequest) -> tuple[Candidate, ...]:
    terms = query_terms(request.features.text, limit=TERMS_MAX)
    if not terms:
        return ()
    result = reading.search(
        visible,
        terms,
        SearchFilter(
            item="record" if request.record_types or request.attributes else None,
            record_types=request.record_types,
            attributes=tuple(AttributeFilter(name, values) for name, values in request.attributes),
            valid_at_us=request.as_of_us,
            unreviewed=session.registry.policy.unreviewed == "advisory",
        ),
        limit=MATCHES_MAX,
    )
    ranked = rank_hits(result, terms, limit=CANDIDATES_MAX)
    record_ids = [RecordId(one.hit.item_id) for one in ranked if one.hit.item == "record"]
    records = {each.record.record_id: each.record for each in reading.records_by_ids(record_ids)}
    found = (_candidate(reading, records, one, request.as_of_us) for one in ranked)
    candidates = tuple(one for one in found if one is not None)
    require_visible(candidates, visible.scopes, visible.clearance)
    return candidates


def _candidate(
    reading: Reading, records: Mapping[RecordId, Record], ranked: RankedHit[SearchHit], as_of_us: int
) -> Candidate | None:
    hit = ranked.hit
    if hit.item == "claim":
        claim = reading.claim(ClaimId(hit.item_id))
        if claim is None:
            return None
        claim = _as_it_stood(claim, as_of_us)
        return ClaimCandidate(claim, hit.position, ranked.relevance, ranked.coverage, hit.terms, claim.known_from_us)
    record = records.get(RecordId(hit.item_id))
    if record is None:
        return None
    return RecordCandidate(record, hit.position, ranked.relevance, ranked.coverage, hit.terms, record.occurred.at_us)


def _blob_texts(session: Session, selection: Selection) -> dict[RecordId, str]:
    """The texts of the chosen records whose content lies in the blob store."""
    records = (one.candidate.record for one in selection.kept if isinstance(one.candidate, RecordCandidate))
    texts = {record.record_id: session.text_of(record) for record in records if record.blob is not None}
    return {record_id: text for record_id, text in texts.items() if text is not None}


def _as_it_stood(claim: Claim, at_us: int) -> Claim:
    """The claim with the status that it had at that instant: before its end, one that expired since was active."""
    held = claim.status is ClaimStatus.EXPIRED and claim.valid.contains(at_us)
    return replace(claim, status=ClaimStatus.ACTIVE) if held else claim


def _decision_states(
    session: Session, reading: Reading, visible: Visible, kinds: Sequence[KindId], as_of_us: int
) -> tuple[tuple[Claim, ...], bool]:
    """The claims of these kinds that hold, and whether there are more. Proposals never take the place of reviewed ones.

    Each sort has its own limit: else whoever may propose could push an approved claim out of sight.
    """
    sorts: list[tuple[tuple[ClaimStatus, ...], int]] = [(_REVIEWED, DECISION_STATES_MAX)]
    if session.registry.policy.unreviewed == "advisory":
        sorts.append((_UNREVIEWED, UNREVIEWED_MAX))
    claims: tuple[Claim, ...] = ()
    is_cut = False
    for statuses, limit in sorts:
        found = reading.claims(
            visible,
            statuses=statuses,
            kinds=kinds,
            visibility=Visibility.PRE_QUERY,
            tier_min=Tier.UNVERIFIED,
            valid_at_us=as_of_us,
            limit=limit + 1,
        )
        claims += tuple(_as_it_stood(claim, as_of_us) for claim in found[:limit])
        is_cut = is_cut or len(found) > limit
    return claims, is_cut


def _ended(
    reading: Reading, visible: Visible, kinds: Sequence[KindId], as_of_us: int
) -> tuple[Mapping[ClaimStatus, int], bool]:
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
    counted: Counter[ClaimStatus] = Counter()
    for claim in claims[:ENDED_MAX]:
        if claim.form not in _EVIDENTIAL:
            continue
        if claim.status in _REVIEWED:
            if claim.valid_to_us is not None and claim.valid_to_us <= as_of_us:
                counted[ClaimStatus.EXPIRED] += 1
        elif not claim.status_reason.startswith(REJECTED):
            counted[claim.status] += 1
    return counted, len(claims) > ENDED_MAX
