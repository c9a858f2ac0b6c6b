"""Recall: what must be in mind for this request, and what ordinary retrieval finds, as one labelled packet."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from heedful.claims.claim import Claim, Visibility
from heedful.claims.projections.experience import is_provisional
from heedful.evidence.assemble import assemble
from heedful.evidence.contested import contested_among
from heedful.evidence.grounds.choose import Grounds
from heedful.evidence.grounds.enough import enough
from heedful.evidence.grounds.told import Told
from heedful.evidence.material import ExperienceFound, Material
from heedful.evidence.packet import Packet, SufficiencyLabel, packet_bytes
from heedful.evidence.sufficiency import OPEN_CONFLICT, Sufficiency
from heedful.kernel.ids import ClaimId, PacketId, RecordId
from heedful.kernel.ladder import Impact, Tier
from heedful.ledger.events import PacketAssembled
from heedful.observations.record import Record
from heedful.ports.store import Chain, Reading, Visible
from heedful.recall.candidate import ClaimCandidate, RecordCandidate, Scored, travels_by_channel
from heedful.recall.request import MemoryRequest
from heedful.recall.score import score_candidates
from heedful.recall.select import Selection, crowding, select
from heedful.service.as_known import as_known
from heedful.service.belief.disputes import disputes_of
from heedful.service.learning.provisional import established_among, retired_for
from heedful.service.recalling.asked import asked_json
from heedful.service.recalling.candidates import Retrieved, as_it_stood, retrieve, reviewed_for
from heedful.service.recalling.changes import changes_among
from heedful.service.recalling.experience import Experience, class_of, experience_of, told_beside
from heedful.service.recalling.grounds_first import grounds_first
from heedful.service.recalling.in_mind import InMind, bring_to_mind
from heedful.service.recalling.out_of_date import answers_stale, out_of_date
from heedful.service.recalling.sufficient import sufficiency_of
from heedful.service.recalling.taken_back import without_words_taken_back
from heedful.service.recalling.vectors import AskedVector, checked, vector_of_question, waits_for_model
from heedful.service.requests import classify_for
from heedful.service.session import Session
from heedful.service.sight import visible_for_request

RULES_MAX = 50

RULES_CUT = "standing rules: there are more than are shown"
"""What a packet says was not searched."""


def recall(session: Session, request: MemoryRequest) -> Packet:
    """The packet for this request; it is in the access chain, at once where the request proposes or executes.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: `scope_empty`, `action_class_unknown`, `budget_too_small`.
    """
    session.require("recall")
    visible = visible_to_request(session, request)
    packet_id = PacketId(session.new_id())
    if request.known_at_us is None:
        made = packet_for(session, request, visible, packet_id)
    else:
        with session.store.read() as reading:
            head = reading.head(Chain.LEDGER).position
        with as_known(session, request.known_at_us, visible, until=head) as then:
            made = packet_for(then, request, visible, packet_id)._replace(position=head)
    packet_json = packet_bytes(made.packet).decode()
    asked = asked_json(session, request, made.position, made.model)
    event = PacketAssembled(packet_id, session.principal, request.scope, packet_json, asked)
    session.access.add(event, durable=request.impact is not Impact.READ)
    return made.packet


class Made(NamedTuple):
    """A packet, the position of the ledger's last event that was there, and the model that it searched by, if any."""

    packet: Packet
    position: int
    model: str | None


def visible_to_request(session: Session, request: MemoryRequest) -> Visible:
    """What the request may reach: what applies to it and is granted, as high as it asks and the principal is cleared.

    Raises:
        InvalidInputError: `scope_empty`.
    """
    visible = visible_for_request(session, request.scope)
    return replace(visible, clearance=min(visible.clearance, request.clearance, key=lambda each: each.rank))


def packet_for(session: Session, request: MemoryRequest, visible: Visible, packet_id: PacketId) -> Made:
    """The packet for this request, from what is visible; nothing is recorded.

    Raises:
        InvalidInputError: `action_class_unknown`, `budget_too_small`.
    """
    text = request.features.text
    # What a request decides is told by its words alone; no private record is read for it.
    classified = classify_for(session, request.features, request.scope)

    def made_at(reading: Reading, asked: AskedVector) -> Made:
        mind = bring_to_mind(session, reading, visible, request, classified, asked=asked)
        rules, rules_cut = _rules(reading, visible, request)
        retrieved = retrieve(session, reading, visible, request, asked, beside=(*mind.claims, *rules))
        told = told_beside(session, reading, visible, request, classified, retrieved)
        experience = experience_of(session, reading, visible, request, retrieved, asked, unfit=told.unfit)
        if experience is None and told.answers:
            experience = Experience(class_of(request), Grounds((), 0.0), {})
        told = told if experience is not None else told.as_general()
        retired = retired_for(session, reading, visible, request)
        known = _Known(mind, rules, retrieved, (RULES_CUT,) if rules_cut else (), experience, told, retired)
        packet = assemble(request, packet_id, _material(session, reading, visible, request, known))
        return Made(packet, reading.head(Chain.LEDGER).position, None if asked.components is None else asked.model)

    with session.store.read() as reading:
        models = reading.vector_models()
        waits = waits_for_model(session, models)
        made = None if waits else made_at(reading, vector_of_question(session, models, text))
    if made is None:
        # A model that takes its time keeps no moment open.
        asked = vector_of_question(session, models, text)
        with session.store.read() as reading:
            made = made_at(reading, checked(asked, reading.vector_models()))
    return made


def grounds_of(reading: Reading, claims: Sequence[Claim]) -> dict[RecordId, Record]:
    """The records that these claims rest on, of those that are evidence now."""
    stored = reading.records_by_ids(list(dict.fromkeys(each for claim in claims for each in claim.evidence)))
    return {each.record.record_id: each.record for each in stored if each.is_evidence}


class _Known(NamedTuple):
    mind: InMind
    rules: tuple[Claim, ...]
    retrieved: Retrieved
    rules_cut: tuple[str, ...]
    experience: Experience | None
    told: Told
    retired: tuple[Claim, ...]


def _material(session: Session, reading: Reading, visible: Visible, request: MemoryRequest, known: _Known) -> Material:
    mind, rules, retrieved, rules_cut, _, told, retired = known
    degraded = (*mind.degraded, *rules_cut, *retrieved.degraded)
    candidates, grounds = retrieved.candidates, retrieved.grounds
    changing = out_of_date(mind, retrieved)
    found_claims = [one.claim for one in candidates if isinstance(one, ClaimCandidate)]
    conflicts = disputes_of(session, reading, (*mind.claims, *rules, *found_claims))
    scored = _scored(session, request, retrieved, conflicts)
    held = {claim.claim_id for claim in mind.claims}
    beside = [claim for claim in found_claims if claim.claim_id not in held]
    established = mind.established | established_among(session, reading, beside)
    standing = [*mind.claims, *rules]
    selected = _selected(session, scored, standing, retrieved)
    selection, taken_back = without_words_taken_back(session, reading, selected)
    sufficiency = sufficiency_of(
        session,
        request,
        mind,
        selection,
        grounds=grounds,
        degraded=degraded,
        established=established,
        retired=retired,
        stale=answers_stale(mind, retrieved),
        contested=contested_among(mind.claims, selection.kept, conflicts),
        taken_back=taken_back,
        # What was seen to happen may prove what somebody took back.
        is_of_experience=known.experience is not None,
    )
    sufficiency, selection, found = _with_experience(
        request, known, sufficiency, selection, is_outdated=bool(retired or changing), share=session.source_share_max
    )
    kept = [one.candidate.claim for one in selection.kept if isinstance(one.candidate, ClaimCandidate)]
    hit = (*mind.claims, *rules, *kept, *changing, *(one.claim for one in retrieved.changing))
    changes = changes_among(session, reading, visible, hit)
    return Material(
        action_classes=tuple(match.action_class for match in mind.classified.classes),
        activations=mind.activations,
        rules=rules,
        selection=selection,
        grounds=grounds,
        texts=_blob_texts(session, selection),
        sufficiency=sufficiency,
        registry_revision=session.registry.revision,
        ledger_position=reading.visible_position(visible),
        degraded=degraded,
        provisional=frozenset(each.claim_id for each in (*mind.claims, *beside) if is_provisional(each, established)),
        retired=retired,
        router="" if session.router is None or mind.classified.inert is None else session.router.model,
        experience=found,
        told=told,
        conflicts=conflicts,
        changing=changing,
        changes=changes.of,
        old=changes.old_records,
        taken_back=taken_back,
        held_back=crowding(mind.claims, grounds, session.source_share_max),
    )


def _selected(session: Session, scored: Sequence[Scored], standing: Sequence[Claim], retrieved: Retrieved) -> Selection:
    return select(
        scored,
        beside=standing,
        vocabulary=session.registry.vocabulary,
        grounds=retrieved.grounds,
        joins=retrieved.joins,
        share=session.source_share_max,
    )


def _scored(
    session: Session, request: MemoryRequest, retrieved: Retrieved, disputed: Collection[ClaimId]
) -> tuple[Scored, ...]:
    return score_candidates(
        retrieved.candidates,
        replace(session.scoring, scorer=request.scorer),
        as_of_us=request.as_of_us,
        vocabulary=session.registry.vocabulary,
        grounds=retrieved.grounds,
        disputed=disputed,
    )


def _with_experience(
    request: MemoryRequest,
    known: _Known,
    sufficiency: Sufficiency,
    selection: Selection,
    *,
    is_outdated: bool,
    share: float,
) -> tuple[Sufficiency, Selection, ExperienceFound | None]:
    """The same where the question is of no experience; else as the events around it have it."""
    experience = known.experience
    if experience is None:
        return sufficiency, selection, None
    judged = enough(experience.task_class, request.impact, experience.grounds, known.told)
    # Events that tell of what a person took back, or what is out of date since, do not bring it back.
    standing = {
        SufficiencyLabel.SUFFICIENT,
        SufficiencyLabel.REVOKED,
        *((SufficiencyLabel.STALE,) if is_outdated else ()),
    }
    if sufficiency.label not in standing and OPEN_CONFLICT not in sufficiency.reasons:
        sufficiency = judged.sufficiency
    found = ExperienceFound(experience.task_class, judged.decision, experience.support, experience.reasons)
    return sufficiency, grounds_first(selection, experience, share), found


def _rules(reading: Reading, visible: Visible, request: MemoryRequest) -> tuple[tuple[Claim, ...], bool]:
    """Standing SYSTEM and OPERATOR rules, which bind whatever was asked, and whether there are more."""
    standing = reading.claims(
        visible,
        statuses=reviewed_for(request),
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
