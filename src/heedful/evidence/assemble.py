"""Assemble: what must be in mind, the rules, and what was found, as one packet within its budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from heedful.bridges.request import Activation
from heedful.claims.claim import Claim
from heedful.evidence.advice import advice_of
from heedful.evidence.contested import contested
from heedful.evidence.currency import as_taken_back, with_change
from heedful.evidence.excerpt import EXCERPT_CHARACTERS_MAX
from heedful.evidence.fit import BLOCK_BYTES_MIN, Draft, fitted
from heedful.evidence.items import (
    CONTRADICTED,
    NARROWER_HOLDS,
    NO_LONGER_HOLDS,
    OVERRIDES_WIDER,
    PROVISIONAL,
    SHORT_CHARACTERS_MAX,
    STATEMENT_CHARACTERS_MAX,
    claim_item,
    record_item,
)
from heedful.evidence.material import Material
from heedful.evidence.packet import Packet, PacketItem, SufficiencyLabel
from heedful.evidence.sufficiency import OPEN_CONFLICT
from heedful.kernel.ids import ClaimId, PacketId, RecordId
from heedful.kernel.ladder import Decision, Impact, highest
from heedful.kernel.times import format_time
from heedful.recall.candidate import ClaimCandidate, travels_by_channel
from heedful.recall.request import MemoryRequest


def assemble(request: MemoryRequest, packet_id: PacketId, material: Material) -> Packet:
    """The packet: decision states first, then rules, then what was found; keys `1` to `n` in that order.

    Each claim is there once with all its bridges; a record that a claim here rests on is left to the claim, and a
    record with the same words as an earlier one to that one. The estimated tokens of the prompt rendering never exceed
    the budget: what does not fit is in `left_out`, and the rest goes on. A decision state is shortened before it is
    left out, counts in `decision` either way, and advice tells how many are missing. `decision` is the highest effect
    in mind, `would_be` counts shadow ones too; where the request proposes or executes, what its classes say to do
    without a bridge counts as well, and a review where the evidence asks for one.

    Raises:
        InvalidInputError: `budget_too_small` where not even an empty packet fits.
    """
    in_mind, shadow = material.activations.in_mind, material.activations.shadow
    empty = Packet(
        packet_id=packet_id,
        question=request.features.text.encode("utf-8", "backslashreplace").decode(),
        scope=request.scope.elements,
        action_classes=material.action_classes,
        registry_revision=material.registry_revision,
        ledger_position=material.ledger_position,
        as_of=format_time(request.as_of_us),
        known_at=None if request.known_at_us is None else format_time(request.known_at_us),
        sufficiency=material.sufficiency.label,
        sufficiency_reasons=material.sufficiency.reasons,
        decision=highest([*_demands(request, material), *(activation.effect for activation in in_mind)]),
        would_be=highest([*_demands(request, material), *(activation.effect for activation in (*in_mind, *shadow))]),
        items=(),
        left_out=(),
        budget_tokens=request.budget_tokens,
        tokens=0,
        degraded=material.degraded,
        advice=(),
        router=material.router,
        task_class="general" if material.experience is None else material.experience.task_class,
    )
    drafts = _drafts(material)
    if material.changes or material.old:
        drafts = [with_change(each, material.changes, material.old) for each in drafts]
    if material.taken_back:
        drafts = [as_taken_back(each) if each.item_id in material.taken_back else each for each in drafts]
    return fitted(empty, drafts, advice_of(material))


def _demands(request: MemoryRequest, material: Material) -> list[Decision]:
    """What is asked for besides the effects of bridges, before something is done or where grounds are missing."""
    demands = [] if material.experience is None else [material.experience.decision]
    held = (activation.claim for activation in material.activations.in_mind)
    if contested(held, material.conflicts):
        demands.append(Decision.ASK)  # what must be known is not known: whoever reads it asks which is so
    if request.impact is Impact.READ:
        return demands
    words = (each.on_no_bridge for each in material.activations.no_bridge)
    demands += [Decision(word) for word in words if word != "retrieve"]
    if OPEN_CONFLICT in material.sufficiency.reasons:
        demands.append(Decision.ASK)
    if material.sufficiency.label is SufficiencyLabel.HUMAN_REVIEW_REQUIRED:
        demands.append(Decision.REVIEW)
    return demands


def _drafts(material: Material) -> list[Draft]:
    """Items in packet order, without doubles."""
    # One sentence may tell two kinds; it is one thing to know, with all that brought it.
    by_words: dict[tuple[str, tuple[RecordId, ...]], list[Activation]] = {}
    for activation in material.activations.in_mind:
        if activation.claim.claim_id in material.held_back:
            continue
        by_words.setdefault((activation.claim.statement, activation.claim.evidence), []).append(activation)
    gone = {pair.general.claim_id for pair in material.selection.overridden}
    winners = {pair.specific.claim_id for pair in material.selection.overridden}
    drafts: dict[str, Draft] = {}
    for brought in by_words.values():
        # What a person approved of these words goes before what nobody has, and marks them.
        activations = sorted(brought, key=lambda each: not each.claim.is_reviewed)
        claim = activations[0].claim
        asks = any(activation.effect.at_least(Decision.ASK) for activation in activations)
        if asks or claim.claim_id not in gone:
            flags = _flags(claim, gone, winners)
            drafts[claim.claim_id] = _claim_draft(drafts, material, claim, activations=activations, flags=flags)
    for claim in sorted(material.rules, key=lambda rule: (-rule.tier, -len(rule.scope.elements))):
        if claim.claim_id not in drafts and claim.claim_id not in gone:
            drafts[claim.claim_id] = _claim_draft(drafts, material, claim, flags=_flags(claim, gone, winners))
    for claim in material.retired:
        retired = _claim_draft(drafts, material, claim, flags=(NO_LONGER_HOLDS,))
        drafts.setdefault(claim.claim_id, retired._replace(is_found=True))
    for item in material.told.items:
        drafts[item.item_id] = _told_draft(drafts.get(item.item_id), item, cite=str(len(drafts) + 1))
    _add_found(drafts, material, winners)
    for claim in material.changing:
        drafts.setdefault(claim.claim_id, _claim_draft(drafts, material, claim)._replace(is_found=True))
    return list(drafts.values())


def _told_draft(brought: Draft | None, item: PacketItem, *, cite: str) -> Draft:
    """The draft of a state or workflow; one that a bridge brought keeps its own, with what it is to the question."""
    if brought is not None:
        whole, short = brought.whole, brought.short
        return brought._replace(
            whole=lambda: replace(whole(), supports=item.supports, reason=item.reason),
            short=None if short is None else lambda: replace(short(), supports=item.supports),
        )
    return Draft(
        item.item_id,
        bytes_min=_bytes_min(item.text, len(item.text)),
        whole=lambda: replace(item, cite=cite),
        short=None,
        is_reviewed=not item.unreviewed,
        is_found=True,
    )


def _add_found(drafts: dict[str, Draft], material: Material, winners: set[ClaimId]) -> None:
    kept = material.selection.kept
    brought = (*(activation.claim for activation in material.activations.in_mind), *material.rules)
    resting: set[str] = {record_id for claim in brought if claim.claim_id in drafts for record_id in claim.evidence}
    resting.update(record_id for claim in material.changing for record_id in claim.evidence)
    for one in kept:
        if isinstance(one.candidate, ClaimCandidate):
            resting.update(one.candidate.claim.evidence)
    resting.update(each for item in material.told.items if item.item == "claim" for each in item.evidence)
    seen: set[tuple[str, str]] = set()
    told = {(claim.statement, claim.evidence) for claim in brought if claim.claim_id in drafts}
    for one in kept:
        candidate = one.candidate
        if isinstance(candidate, ClaimCandidate):
            claim = candidate.claim
            is_told = claim.claim_id not in drafts and (claim.statement, claim.evidence) in told
            if is_told or claim.claim_id in material.held_back:
                continue
            told.add((claim.statement, claim.evidence))
            flags = (*_flags(claim, set(), winners), *((CONTRADICTED,) if one.contradicted else ()))
            score = None if travels_by_channel(claim) else one.score
            if claim.claim_id not in drafts:
                draft = _claim_draft(drafts, material, claim, score=score, flags=flags, terms=candidate.terms)
                drafts[claim.claim_id] = draft._replace(is_found=True)
            continue
        record = candidate.record
        words = (record.grade.value, record.content or material.texts.get(record.record_id, ""))
        proves = material.experience is not None and record.record_id in material.experience.support
        if not proves and (record.record_id in resting or (words[1] and words in seen)):
            continue
        seen.add(words)
        supports = None if material.experience is None else proves
        reason = "" if material.experience is None else material.experience.reasons.get(record.record_id, "")
        cite = str(len(drafts) + 1)
        whole = partial(record_item, one, candidate, material.texts, cite=cite, supports=supports, reason=reason)
        bytes_min = _bytes_min(words[1], EXCERPT_CHARACTERS_MAX)
        drafts[record.record_id] = Draft(record.record_id, bytes_min=bytes_min, whole=whole, short=None, is_found=True)


def _flags(claim: Claim, gone: set[ClaimId], winners: set[ClaimId]) -> tuple[str, ...]:
    narrower = (NARROWER_HOLDS,) if claim.claim_id in gone else ()
    return (*narrower, OVERRIDES_WIDER) if claim.claim_id in winners else narrower


def _claim_draft(
    drafts: Mapping[str, Draft],
    material: Material,
    claim: Claim,
    *,
    activations: Sequence[Activation] = (),
    score: float | None = None,
    flags: Sequence[str] = (),
    terms: Sequence[str] = (),
) -> Draft:
    flags = (*flags, PROVISIONAL) if claim.claim_id in material.provisional else flags
    conflicts = material.conflicts.get(claim.claim_id, ())
    flags = (*flags, CONTRADICTED) if conflicts and CONTRADICTED not in flags else flags
    of = partial(
        claim_item,
        claim,
        cite=str(len(drafts) + 1),
        activations=activations,
        score=score,
        flags=flags,
        grounds=material.grounds,
        terms=terms,
        conflicts=conflicts,
    )
    characters_max = EXCERPT_CHARACTERS_MAX if terms else STATEMENT_CHARACTERS_MAX
    return Draft(
        claim.claim_id,
        bytes_min=_bytes_min(claim.statement, characters_max),
        whole=partial(of, characters_max=characters_max),
        short=partial(of, characters_max=SHORT_CHARACTERS_MAX, brief=True) if activations else None,
        is_reviewed=claim.is_reviewed,
    )


def _bytes_min(text: str, characters_max: int) -> int:
    """Fewer bytes its whole block does not take: an excerpt of a longer text may have any length, a shorter text is
    there to the letter, if not longer.
    """
    return BLOCK_BYTES_MIN + (len(text) if len(text) <= characters_max else 0)
