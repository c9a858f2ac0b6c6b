"""Weigh: what a claim that becomes active meets: the claims that say something of the same thing, and who said them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.compare import are_comparable, lane_of, says_only_that
from heedful.claims.decide import Side
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.times import CLOCK_SKEW_US
from heedful.observations.record import Channel, Record, SourceGrade
from heedful.observations.speaking import is_own_word
from heedful.ports.store import Reading
from heedful.service.session import Session
from heedful.service.sight import denied_to_each, seen_of

ALIKE_MAX = 1_000
"""Claims of one subject, property, scope and classification, the newest, that a new one is weighed against."""
_ONE = "one"
_UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A claim that is about to become active.

    Attributes:
        records: its evidence, where that is at hand and not in the store yet.
        unseen: the principals to whom policy denies what it rests on.
        skip: claims that it replaces anyway.
        beside: claims that come with it and are not in the store yet.
        over: claims that end before it comes, in the same transaction: nothing is asked about them any more.
        for_all: it is weighed by rule, against what stands for whoever sees it: not by what the session sees.
    """

    claim: Claim
    records: Mapping[RecordId, Record] = field(default_factory=dict)
    unseen: frozenset[str] = frozenset()
    skip: Collection[ClaimId] = ()
    beside: Sequence[Claim] = ()
    over: Collection[ClaimId] = ()
    for_all: bool = False


_MET = (ClaimStatus.ACTIVE, ClaimStatus.POLICY_REVIEWED)
_OVER = (ClaimStatus.SUPERSEDED, ClaimStatus.EXPIRED)


@dataclass(frozen=True, slots=True)
class Met:
    """What a newcomer meets.

    Attributes:
        standing: active ones, the oldest first.
        waiting: those that wait for a person's answer, the oldest first.
        history: what held once, of what it would have met then: where it tells of the past, or of a time before others.
        records: evidence of all of them.
        newcomer_said: the newcomer as it came.
    """

    newcomer: Side
    standing: tuple[Side, ...]
    waiting: tuple[Side, ...]
    history: tuple[Side, ...]
    records: dict[RecordId, Record]
    comparator: str
    newcomer_said: Newcomer


def comparator_of(session: Session, claim: Claim) -> str | None:
    """How values of the claim's kind are compared; None where it can contradict nothing."""
    kind = session.registry.vocabulary.kinds.get(claim.kind)
    if kind is None or kind.cardinality != _ONE or lane_of(claim.form) is None:
        return None
    return None if says_only_that(claim.value, kind.comparator) else kind.comparator


def meet(session: Session, reading: Reading, new: Newcomer) -> Met | None:
    """What the newcomer meets, of what everybody sees who sees it; None: nothing, which is told by one statement."""
    comparator = comparator_of(session, new.claim)
    if comparator is None:
        return None
    now_us = session.clock.now_us()
    rivals = [each for each in _rivals(session, reading, new, comparator) if not has_stopped(each, now_us)]
    if not rivals and not tells_of_the_past(new.claim, now_us):
        return None
    records = _evidence(reading, (new.claim, *rivals), new.records)
    newcomer = side_of(session, new.claim, records)
    sides = [side_of(session, claim, records) for claim in rivals]
    history: tuple[Side, ...] = ()
    is_early = any(each.claim.status is ClaimStatus.ACTIVE and each.start_us >= newcomer.start_us for each in sides)
    if is_early or tells_of_the_past(new.claim, now_us):
        history = _history_of(session, reading, new, comparator)
        if not rivals and not history:
            return None
        sides, history = _as_words(sides, history)
    return Met(
        newcomer=newcomer,
        standing=tuple(side for side in sides if side.claim.status is ClaimStatus.ACTIVE),
        waiting=tuple(side for side in sides if side.claim.status is not ClaimStatus.ACTIVE),
        history=history,
        records=records,
        comparator=comparator,
        newcomer_said=new,
    )


def _history_of(session: Session, reading: Reading, new: Newcomer, comparator: str) -> tuple[Side, ...]:
    """What held once, of what the newcomer would have met then; one statement where there is none."""
    now_us = session.clock.now_us()
    claims = _rivals(session, reading, new, comparator, (*_OVER, ClaimStatus.ACTIVE))
    held = [
        each for each in claims if not each.in_mind.is_empty and (each.status in _OVER or has_stopped(each, now_us))
    ]
    return sides_of(session, reading, held) if held else ()


def _as_words(sides: list[Side], history: tuple[Side, ...]) -> tuple[list[Side], tuple[Side, ...]]:
    """The same, each with the start of the word that it is a part of."""
    began: dict[object, int] = {}
    for side in (*sides, *history):
        word = _word(side.claim)
        began[word] = min(side.start_us, began.get(word, side.start_us))
    first, second = ([replace(side, began_us=began[_word(side.claim)]) for side in some] for some in (sides, history))
    return first, tuple(second)


def _word(claim: Claim) -> tuple[object, ...]:
    return claim.evidence[:1], claim.form, claim.value


def tells_of_the_past(claim: Claim, now_us: int) -> bool:
    """True where it gave a start that is over: what its speaker said of that time may be history by now."""
    return claim.valid_from_us is not None and claim.valid_from_us < now_us


def has_stopped(claim: Claim, now_us: int) -> bool:
    """True where an active claim's time has passed, whether that was noted already (then it has expired) or not."""
    return claim.status is ClaimStatus.ACTIVE and claim.valid_to_us is not None and claim.valid_to_us <= now_us


def sides_of(session: Session, reading: Reading, claims: Sequence[Claim]) -> tuple[Side, ...]:
    """The claims as sides, with their evidence read at once."""
    records = _evidence(reading, claims, {})
    return tuple(side_of(session, claim, records) for claim in claims)


def side_of(session: Session, claim: Claim, records: Mapping[RecordId, Record]) -> Side:
    """The claim with who speaks there, and since when it holds."""
    known = [records[each] for each in claim.evidence if each in records]
    first = next(iter(known), None)
    own = any(is_own_word(session.registry.policy, record, claim.subject) for record in known)
    return Side(
        claim=claim,
        is_self_told=own or claim.confirmed_by != (),
        speaker=claim.proposed_by if first is None else _speaker(claim, first),
        start_us=start_of(claim, first),
    )


def start_of(claim: Claim, record: Record | None) -> int:
    """Since when the claim holds: its own start, else when it was said, else when it was recorded.

    Nothing is said after it was recorded: such a time is a wrong clock's.
    """
    if claim.valid_from_us is not None:
        return claim.valid_from_us
    said = None if record is None or record.occurred.precision == _UNKNOWN else record.occurred.at_us
    is_ahead = said is not None and said > claim.known_from_us + CLOCK_SKEW_US  # a clock ahead wins nothing by that
    return claim.known_from_us if said is None or is_ahead else said


def with_side(side: Side, claim: Claim) -> Side:
    """The same side with its claim as it is now."""
    start_us = side.start_us if claim.valid_from_us is None else claim.valid_from_us
    return replace(side, claim=claim, start_us=start_us)


def _rivals(
    session: Session, reading: Reading, new: Newcomer, comparator: str, statuses: Sequence[ClaimStatus] = _MET
) -> list[Claim]:
    claim = new.claim
    stored = reading.claims_alike(
        claim.scope,
        claim.classification,
        claim.subject,
        claim.property,
        statuses=statuses,
        limit=ALIKE_MAX,
    )
    found = [
        each
        for each in (*reversed(stored), *new.beside)
        if each.claim_id != claim.claim_id
        and each.claim_id not in new.skip
        and (each.status is not ClaimStatus.POLICY_REVIEWED or each.conflicts_open)
        and are_comparable(each, claim, comparator)
        and comparator_of(session, each) is not None
    ]
    seen = found if new.for_all else seen_of(session, reading, found)
    unseen = denied_to_each(session, reading, seen)
    return [each for each in seen if unseen[each.claim_id] == new.unseen]


def _evidence(reading: Reading, claims: Iterable[Claim], at_hand: Mapping[RecordId, Record]) -> dict[RecordId, Record]:
    wanted = [each for claim in claims for each in claim.evidence if each not in at_hand]
    stored = reading.records_by_ids(list(dict.fromkeys(wanted))) if wanted else ()
    return {**at_hand, **{each.record.record_id: each.record for each in stored if each.is_evidence}}


def _speaker(claim: Claim, record: Record) -> str:
    """Whose word it is: of what was captured, of whoever spoke there."""
    own = (None, record.principal, record.principal.partition(":")[2])
    is_captured = record.channel is Channel.CAPTURE and record.grade is SourceGrade.USER
    return str(record.speaker) if is_captured and record.speaker not in own else claim.proposed_by
