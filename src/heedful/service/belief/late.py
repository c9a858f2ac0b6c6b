"""Late: what is said of times of which its speaker said other things: at each instant the word that began last counts.

So the same words are held alike in whatever order they arrive, with ends inside one another or without.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from heedful.claims.bitemporal import without
from heedful.claims.claim import ClaimStatus
from heedful.claims.compare import are_equal
from heedful.claims.decide import Because, Side, decide
from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.kernel.ids import ClaimId
from heedful.kernel.intervals import Interval
from heedful.ledger.events import ClaimTransitioned, Event
from heedful.service.belief.split import Cut, copied, split
from heedful.service.belief.weigh import Met, with_side
from heedful.service.session import Session


@dataclass(frozen=True, slots=True)
class Place:
    """The time that a word has among the others of its speaker.

    Attributes:
        own: what the claim itself keeps: the first stretch that is not over, else the first.
        rests: the other stretches, in order: claims of their own.
        after: the id of the first of the words that began after it and take time from it; None: it keeps all.
        events: by which what its speaker said of the time before it, and is history, gives up its time.
    """

    own: Interval
    rests: tuple[Interval, ...]
    after: ClaimId | None
    events: tuple[Event, ...]


def place_of(session: Session, met: Met, new: Side, later: Sequence[Side], *, now_us: int) -> Place | None:
    """Where the newcomer belongs; None: no other word of its speaker says anything of its time.

    `later`: those that stand, began after it and keep their time.
    """
    start_us = new.claim.valid_from_us
    rivals = [
        (decide(side, new, equal=False).because, side)
        for side in met.history
        if not are_equal(side.claim.value, new.claim.value, met.comparator) and _held(side).overlaps(new.valid)
    ]
    after = [*later, *(side for because, side in rivals if because is Because.LATE_ARRIVAL)]
    before = [side for because, side in rivals if because in (Because.LATER_WORD, Because.SAME_START)]
    if not after and not before:
        return None
    pieces = _left([new.valid], after)
    events: list[Event] = []
    for side in before:
        reason = f"{Because.LATER_WORD}: claim {new.claim.claim_id} says otherwise"
        # What held was no time of the words after it, so it lies in one stretch.
        stretch = next((each for each in pieces if each.overlaps(_held(side))), None)
        if stretch is not None:
            cut = Cut(stretch, side.start_us, now_us, SERVICE_ACTOR, reason, new.claim.claim_id)
            events += split(side.claim, cut, ClaimId(session.new_id()))
    own = next((each for each in pieces if each.end_us is None or each.end_us > now_us), pieces[0])
    told = [Interval(start_us, each.end_us) if each.start_us == new.start_us else each for each in pieces]
    kept = told[pieces.index(own)]
    first = min(after, key=lambda side: side.start_us, default=None)
    return Place(
        own=kept,
        rests=tuple(each for each in told if each is not kept),
        after=None if first is None else first.claim.claim_id,
        events=tuple(events),
    )


def _held(side: Side) -> Interval:
    return Interval(side.start_us, side.claim.in_mind.end_us)


def _left(pieces: list[Interval], after: Iterable[Side]) -> list[Interval]:
    for side in after:
        pieces = [left for piece in pieces for left in without(piece, _held(side)) if left is not None]
    return pieces


def rest_of(new: Side, cut: Cut, rest_id: ClaimId) -> tuple[list[Event], Side | None]:
    """The events by which a stretch of the newcomer's time is a claim of its own; and that, None where it is over."""
    claim, valid = replace(new.claim, status=ClaimStatus.ACTIVE), cut.stretch
    events = copied(claim, cut, rest_id, valid)
    if valid.end_us is not None and valid.end_us <= cut.now_us:
        return events, None
    rest = replace(claim, claim_id=rest_id, valid_from_us=valid.start_us, valid_to_us=valid.end_us, conflicts_open=0)
    return events, with_side(new, rest)


def taken_back(waiting: Iterable[Side], new: Side) -> list[Event]:
    """The ends of what its speaker said before, and still waits: it waits no more, as that is not what they say now."""
    reason = f"{Because.LATER_WORD}: claim {new.claim.claim_id} is what they say now"
    return [
        ClaimTransitioned(side.claim.claim_id, side.claim.status, ClaimStatus.SUPERSEDED, SERVICE_ACTOR, reason)
        for side in waiting
        if (side.speaker, side.claim.tier) == (new.speaker, new.claim.tier)
        and side.start_us <= new.start_us
        and new.valid.overlaps(side.valid)
    ]
