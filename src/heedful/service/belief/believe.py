"""Believe: a claim that becomes active is weighed against what stands; what comes of it, as events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from heedful.claims import fold
from heedful.claims.bitemporal import union
from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.compare import are_equal
from heedful.claims.conflict import Resolution
from heedful.claims.decide import (
    NEWCOMER_MAX,
    Because,
    Ruling,
    Side,
    decide,
    is_contested,
    is_worn_out,
    stand_side_by_side,
    worn,
)
from heedful.claims.lifecycle import MERGED, SERVICE_ACTOR, WORN_OUT
from heedful.kernel.ids import ClaimId, ConflictId
from heedful.kernel.intervals import Interval
from heedful.ledger.belief_events import (
    BeliefEvent,
    ClaimBounded,
    ClaimWeighed,
    ConflictResolved,
)
from heedful.ledger.events import ClaimTransitioned, Event
from heedful.ports.store import Writing
from heedful.service.belief.agree import words_gained
from heedful.service.belief.late import place_of, rest_of, taken_back
from heedful.service.belief.questions import MOOT, asked_beside, detected
from heedful.service.belief.split import Cut, split
from heedful.service.belief.wear import Wear
from heedful.service.belief.weigh import Met, Newcomer, meet, side_of, with_side
from heedful.service.belief.weighed import ASIDE, Weighed
from heedful.service.session import Session

_S = ClaimStatus
HALF = "what contradicts a standing claim is believed by half at most"
_OF_OTHERS = frozenset({Because.EQUAL_VALUES, Because.PEERS})
"""What is met last, at the times that a newcomer has then."""


def weigh(session: Session, writing: Writing, new: Newcomer) -> Weighed | None:
    """What comes of it that the claim becomes active; None: it meets nothing, and simply does.

    The claim is as it stands before that: reviewed by policy, or quarantined.
    """
    met = meet(session, writing, new)
    return None if met is None else _Weighing(session, writing, met).done()


class _Weighing:
    """One newcomer against what stands, in turn and the oldest first, until it ends."""

    def __init__(self, session: Session, writing: Writing, met: Met) -> None:
        self._session = session
        self._writing = writing
        self._met = met
        self._new = met.newcomer
        self._now_us = session.clock.now_us()
        self._activates = True
        self._waits = False
        self._is_merged = False
        self._events: list[Event] = []
        self._asks: dict[ConflictId, None] = {}
        self._ended: list[ClaimId] = []
        self._later: list[Side] = []
        self._after: ClaimId | None = None  # what came after it and was known before it, where it is late
        self._wear = Wear(writing, met.standing, met.newcomer.claim)
        before = writing.conflicts_of([self._id], only_open=True) if self._claim.conflicts_open else ()
        self._asked = {each.newcomer_id if each.standing_id == self._id else each.standing_id: each for each in before}

    def done(self) -> Weighed:
        """What came of it."""
        in_turn = sorted(self._met.standing, key=lambda a: self._ruling(a).turn)
        others = [each for each in in_turn if self._ruling(each).because in _OF_OTHERS]
        self._meet_all(in_turn[: len(in_turn) - len(others)])
        rests = [] if self._is_over or self._waits else self._placed()
        met = self._meet_all(others)
        if not self._is_over:
            self._events += taken_back(self._met.waiting, self._new)
        for rest in rests:
            self._rest_meets(rest, [each for each in others if each not in met])
        activates = self._activates and not self._waits
        return Weighed(
            activates=activates,
            events=tuple(self._events),
            claim=self._claim,
            is_believed=activates or self._is_merged,
            asks=tuple(self._asks),
            ended=tuple(self._ended),
        )

    def _meet_all(self, standing: Sequence[Side]) -> list[Side]:
        """Those that it met, until it ended."""
        met: list[Side] = []
        peers = [each for each in standing if self._ruling(each).because is Because.PEERS]
        for a in standing:
            if self._is_over:
                break
            if not self._new.valid.overlaps(a.valid):
                continue
            met.append(a)
            if not (self._equal(a) and (stand_side_by_side(a, self._new) or is_contested(a, self._new, peers))):
                self._meet(a)
        return met

    @property
    def _is_over(self) -> bool:
        return self._claim.status is _S.SUPERSEDED

    @property
    def _claim(self) -> Claim:
        return self._new.claim

    @property
    def _id(self) -> ClaimId:
        return self._new.claim.claim_id

    def _equal(self, a: Side) -> bool:
        return are_equal(a.claim.value, self._claim.value, self._met.comparator)

    def _ruling(self, a: Side) -> Ruling:
        return decide(a, self._new, equal=self._equal(a))

    def _meet(self, a: Side) -> None:
        ruling = self._ruling(a)
        if self._waits and ruling.because not in (Because.LATER_WORD, Because.SAME_START):
            return  # while it waits, only its own speaker's earlier word gives way to it
        if ruling.resolution is None and a.claim.claim_id in self._asked:
            self._waits = self._waits or ruling.newcomer_waits
            self._asks[self._asked[a.claim.claim_id].conflict_id] = None
            return  # that has been asked already
        conflict_id = self._detect(a, ruling)
        match ruling.because:
            case Because.EQUAL_VALUES if ruling.newcomer_keeps:
                self._take_in(a, ruling)
            case Because.EQUAL_VALUES:
                self._merge(a)
            case Because.CONFIRMATION_NEEDED | Because.PINNED:
                self._waits = True
            case Because.PEERS:
                self._wear_down(a, ruling)
                self._bound_confidence(a)
            case Because.LATE_ARRIVAL:
                self._arrive_late(a)
            case _ if ruling.resolution is Resolution.B_WINS:
                self._displace(a, ruling)
            case _:
                self._lose(a, ruling)
        if ruling.resolution is not None:
            reason = f"{ruling.because}, by rule"
            self._events.append(ConflictResolved(conflict_id, ruling.resolution, SERVICE_ACTOR, reason))

    def _detect(self, a: Side, ruling: Ruling) -> ConflictId:
        conflict_id = ConflictId(self._session.new_id())
        self._events.append(detected(conflict_id, a.claim.claim_id, self._id, ruling))
        if ruling.resolution is None:
            self._asks[conflict_id] = None
        return conflict_id

    def _merge(self, a: Side) -> None:
        """The standing claim has the newcomer's record and time as well; the newcomer ends."""
        whole = union(a.valid, self._new.valid)
        if whole is not None and whole != a.valid:
            start_us = a.claim.valid_from_us if whole.start_us == a.start_us else whole.start_us
            self._bound(a.claim, Interval(start_us, whole.end_us), f"claim {self._id} says the same")
        self._events += words_gained(self._session, self._writing, a.claim, self._claim, self._met.records)
        self._is_merged = True
        self._end(f"{MERGED}{a.claim.claim_id}")

    def _take_in(self, a: Side, ruling: Ruling) -> None:
        """The newcomer counts for more: it has the standing claim's record as well, and holds from its own start."""
        for event in words_gained(self._session, self._writing, self._claim, a.claim, self._met.records):
            self._believe(event)
        self._new = side_of(self._session, self._claim, self._met.records)
        self._displace(a, ruling)

    def _lose(self, a: Side, ruling: Ruling) -> None:
        self._wear_down(a, ruling)
        if ruling.bounds_newcomer:
            self._bound_confidence(a)
        self._end(f"{ruling.because}: claim {a.claim.claim_id} stands")

    def _displace(self, a: Side, ruling: Ruling) -> None:
        """The newcomer holds; the standing claim keeps what is before it, and after it."""
        if ruling.because is Because.SAME_START:
            self._take_whole(a)
        elif self._claim.valid_from_us is None and self._new.start_us > a.start_us:
            # What it ends there must not be told with it of the time before.
            self._bound_new(
                Interval(self._new.start_us, self._claim.valid_to_us), "it begins where another ends", a.claim.claim_id
            )
        standing = self._worn(a) if self._wear.wears(a, ruling) else a
        merged = f"{MERGED}{self._id}"
        self._cut(standing, merged if ruling.newcomer_keeps else f"{ruling.because}: claim {self._id} says otherwise")

    def _take_whole(self, a: Side) -> None:
        own, of_a = self._claim.valid, a.claim.valid
        whole = Interval(of_a.start_us if own.start_us is None else own.start_us, of_a.end_us)
        if whole != own:
            self._bound_new(whole, f"it corrects claim {a.claim.claim_id}", a.claim.claim_id)

    def _arrive_late(self, a: Side) -> None:
        """It tells of the time before the standing claim; where it ends inside one that gave no start, it cuts that."""
        self._after = a.claim.claim_id
        end_us = self._claim.valid_to_us
        if a.claim.valid_from_us is None and end_us is not None and a.valid.contains(end_us):
            self._cut(a, f"{Because.LATE_ARRIVAL}: claim {self._id} tells of a stretch of it")
            return
        self._later.append(a)
        if a.claim.valid_from_us is None:
            self._bound(a.claim, Interval(a.start_us, a.claim.valid_to_us), "what was before it is known")

    def _placed(self) -> list[Side]:
        """It has the time that its speaker's later words leave it; the stretches ahead that it does not keep itself."""
        place = place_of(self._session, self._met, self._new, self._later, now_us=self._now_us)
        rests: list[Side] = []
        if place is not None:
            self._events += place.events
            self._after = place.after or self._after
        reason = f"{Because.LATE_ARRIVAL}: claim {self._after} came after it, and was known before"
        for stretch in () if place is None else place.rests:
            cut = Cut(stretch, self._new.start_us, self._now_us, SERVICE_ACTOR, reason, self._after)
            events, rest = rest_of(self._new, cut, ClaimId(self._session.new_id()))
            self._events += events
            rests += [] if rest is None else [rest]
        if place is not None and place.own != self._claim.valid:
            self._bound_new(place.own, reason, self._after)
        end_us = self._claim.valid_to_us
        if self._after is not None and end_us is not None and end_us <= self._now_us:
            self._end(reason, held=True)
        return rests

    def _rest_meets(self, rest: Side, others: Sequence[Side]) -> None:
        """What others say of the time of such a stretch, and the newcomer has not met."""
        met = replace(self._met, newcomer=rest, standing=tuple(others))
        weighing = _Weighing(self._session, self._writing, met)
        weighing._meet_all(others)
        self._events, self._ended = [*self._events, *weighing._events], [*self._ended, *weighing._ended]
        self._asks |= weighing._asks

    def _cut(self, a: Side, reason: str) -> None:
        cut = Cut(self._new.valid, a.start_us, self._now_us, SERVICE_ACTOR, reason, self._id)
        over = [*self._met.newcomer_said.over, *self._ended]
        claim = replace(a.claim, conflicts_open=asked_beside(self._writing, a.claim, over))
        events = split(claim, cut, ClaimId(self._session.new_id()))
        self._events += events
        if any(isinstance(each, ClaimTransitioned) and each.claim_id == a.claim.claim_id for each in events):
            self._ended.append(a.claim.claim_id)

    def _worn(self, a: Side) -> Side:
        lost = a.claim.conflicts_lost + 1
        reason = f"claim {self._id} says otherwise"
        event = ClaimWeighed(a.claim.claim_id, worn(a.claim.confidence), lost, SERVICE_ACTOR, reason, self._id)
        self._events.append(event)
        return with_side(a, fold.believe(a.claim, event))

    def _wear_down(self, a: Side, ruling: Ruling) -> None:
        if not self._wear.wears(a, ruling):
            return
        left = self._worn(a)
        if is_worn_out(left):
            claim = left.claim
            reason = f"{WORN_OUT}{claim.conflicts_lost} conflicts"
            self._events.append(ClaimTransitioned(claim.claim_id, claim.status, _S.ARCHIVED, SERVICE_ACTOR, reason))

    def _bound_confidence(self, a: Side) -> None:
        if self._claim.confidence > NEWCOMER_MAX:
            lost = self._claim.conflicts_lost
            self._believe(ClaimWeighed(self._id, NEWCOMER_MAX, lost, SERVICE_ACTOR, HALF, a.claim.claim_id))

    def _bound(self, claim: Claim, valid: Interval, reason: str) -> None:
        self._events.append(ClaimBounded(claim.claim_id, valid.start_us, valid.end_us, SERVICE_ACTOR, reason, self._id))

    def _bound_new(self, valid: Interval, reason: str, by: ClaimId | None) -> None:
        self._believe(ClaimBounded(self._id, valid.start_us, valid.end_us, SERVICE_ACTOR, reason, by))

    def _believe(self, event: BeliefEvent) -> None:
        self._events.append(event)
        self._new = with_side(self._new, fold.believe(self._claim, event))

    def _end(self, reason: str, *, held: bool = False) -> None:
        """The newcomer ends. One that never held does not become active first, unless it was put aside before."""
        self._activates = held or self._claim.status in ASIDE
        status = _S.ACTIVE if self._activates else self._claim.status
        self._events.append(ClaimTransitioned(self._id, status, _S.SUPERSEDED, SERVICE_ACTOR, reason))
        self._new = with_side(self._new, replace(self._claim, status=_S.SUPERSEDED, status_reason=reason))
        # Those of before are closed with every other question of a claim that ends.
        before = {each.conflict_id for each in self._asked.values()}
        asked_now = [each for each in self._asks if each not in before]
        self._events += [ConflictResolved(each, Resolution.A_WINS, SERVICE_ACTOR, MOOT) for each in asked_now]
        self._asks.clear()
