"""Items: claims and records as packet items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heedful.bridges.request import Activation
from heedful.claims.claim import Claim
from heedful.claims.lifecycle import is_changing
from heedful.evidence.escape import told_name
from heedful.evidence.excerpt import EXCERPT_CHARACTERS_MAX, excerpt
from heedful.evidence.packet import BridgeNote, ConflictNote, Currency, PacketItem
from heedful.evidence.render import BRIEF, CUT_AFTER, CUT_BEFORE
from heedful.kernel.canonical import shortest
from heedful.kernel.ids import RecordId
from heedful.kernel.times import format_time
from heedful.ledger.events import JsonScalar
from heedful.observations.record import Record
from heedful.recall.candidate import RecordCandidate, Scored, is_rule

# A claim is one sentence; longer ones are cut, never dropped for their length alone.
STATEMENT_CHARACTERS_MAX = 1_000
# What a decision state is cut to where the whole of it does not fit the budget.
SHORT_CHARACTERS_MAX = 160

CONTRADICTED = "contradicted"
OVERRIDES_WIDER = "overrides-wider-scope"
NARROWER_HOLDS = "narrower-scope-holds-otherwise"
GROUNDS, CONTEXT = "grounds", "context"
"""What a record is to a question of experience; see PacketItem.supports."""
PROVISIONAL = "provisional"
NO_LONGER_HOLDS = "no-longer-holds"
HISTORICAL = "historical"
"""What held at the instant asked for, and has ended since."""


def claim_item(
    claim: Claim,
    *,
    cite: str,
    activations: Sequence[Activation],
    score: float | None,
    flags: Sequence[str],
    grounds: Mapping[RecordId, Record],
    terms: Sequence[str],
    characters_max: int,
    conflicts: tuple[ConflictNote, ...] = (),
    brief: bool = False,
) -> PacketItem:
    """The item of a claim, with every bridge that brought it; its form is the first flag.

    `brief`: without reasons, which `registry show` tells; a flag says so.
    Role: `rule` where it binds (recall.candidate.is_rule), `fact` where it is active, else `data`.
    """
    part = excerpt(claim.statement, terms, characters_max=characters_max)
    currency = currency_of(claim)
    flags = (*flags, *((currency,) if currency != "current" else ()))
    cuts = [flag for flag, cut in ((CUT_BEFORE, part.cut_before), (CUT_AFTER, part.cut_after)) if cut]
    return PacketItem(
        cite=cite,
        item="claim",
        item_id=claim.claim_id,
        role="rule" if is_rule(claim) else "fact" if claim.is_reviewed else "data",
        kind=claim.kind,
        text=part.text,
        source=_claim_source(claim, grounds),
        evidence=tuple(claim.evidence),
        scope=claim.scope.elements,
        classification=claim.classification,
        tier=int(claim.tier),
        confidence=shortest(claim.confidence),
        valid_from=_time(claim.valid_from_us),
        valid_to=_time(claim.valid_to_us),
        occurred_at=None,
        unreviewed=not claim.is_reviewed,
        flags=(str(claim.form), *flags, *cuts, *((BRIEF,) if brief else ())),
        bridges=tuple([_note(activation, brief=brief) for activation in activations]),
        score=None if score is None else shortest(score),
        conflicts=conflicts,
        currency=currency,
        value=None if claim.value is True else value_text(claim.value),
    )


def value_text(value: JsonScalar) -> str:
    """The value as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def currency_of(claim: Claim) -> Currency:
    """Whether it holds now, has ended, or is known to be out of date."""
    if is_changing(claim):
        return "changing"
    return "historical" if claim.ended_us is not None else "current"


def record_item(
    scored: Scored,
    candidate: RecordCandidate,
    texts: Mapping[RecordId, str],
    *,
    cite: str,
    supports: bool | None = None,
    reason: str = "",
) -> PacketItem:
    """The item of a record: an excerpt around the terms that found it. Always `data`.

    `texts` has the text of records whose content lies in the blob store; without one the text is empty, and a flag
    says so.
    """
    record = candidate.record
    source_text = texts.get(record.record_id, "") if record.content is None else record.content
    part = excerpt(source_text, candidate.terms, characters_max=EXCERPT_CHARACTERS_MAX)
    flags = [] if supports is None else [GROUNDS if supports else CONTEXT]
    flags += record.flags
    flags += [CUT_BEFORE] if part.cut_before else []
    flags += [CUT_AFTER] if part.cut_after else []
    flags += ["no-text"] if not source_text and record.content is None else []
    flags += ["redacted"] if record.redactions else []
    return PacketItem(
        cite=cite,
        item="record",
        item_id=record.record_id,
        role="data",
        kind=str(record.type),
        text=part.text,
        source=record_source_text(record),
        evidence=(),
        scope=record.scope.elements,
        classification=record.classification,
        tier=None,
        confidence=shortest(record.confidence),
        valid_from=None,
        valid_to=None,
        occurred_at=_time(record.occurred.at_us),
        unreviewed=False,
        flags=tuple(flags),
        bridges=(),
        score=shortest(scored.score),
        supports=supports,
        reason=reason,
    )


def record_source_text(record: Record) -> str:
    """Who said it, as what, and where: `user ana, message, run r1 #4`. Names of more than one word are quoted."""
    said = f"{record.grade} {told_name(record.speaker or record.principal)}, {record.type}"
    if record.run_id is not None:
        return f"{said}, run {told_name(record.run_id)}" + ("" if record.sequence is None else f" #{record.sequence}")
    told = record.told_source_ref
    return said if told is None else f"{said}, {told_name(told)}"


def proposer_text(claim: Claim) -> str:
    """Who proposed a claim that has no record at hand."""
    return f"proposed by {told_name(claim.proposed_by)}"


def _claim_source(claim: Claim, grounds: Mapping[RecordId, Record]) -> str:
    at_hand = [grounds[record_id] for record_id in claim.evidence if record_id in grounds]
    if not at_hand:
        return proposer_text(claim)
    more = len(claim.evidence) - 1
    return record_source_text(at_hand[0]) + (f", and {more} more" if more else "")


def _note(activation: Activation, *, brief: bool) -> BridgeNote:
    return BridgeNote(
        claim_id=activation.claim.claim_id,
        bridge_id=activation.bridge_id,
        action_class=activation.action_class,
        effect=activation.effect,
        mode=activation.mode,
        reason="" if brief else activation.reason,
        via="" if brief else activation.via,
    )


def _time(at_us: int | None) -> str | None:
    return None if at_us is None else format_time(at_us)
