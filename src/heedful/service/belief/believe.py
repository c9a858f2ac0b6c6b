"""Believe: a claim that becomes active is weighed against what stands; what comes of it, as events."""

from __future__ import annotations

from dataclasses import replace

from heedful.claims import fold
from heedful.claims.bitemporal import union
from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.compare import are_equal
from heedful.claims.conflict import Conflict, Outcome, Resolution
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
from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.kernel.ids import ClaimId, ConflictId
from heedful.kernel.intervals import Interval
from heedful.ledger.belief_events import (
    BeliefEvent,
    ClaimBounded,
    ClaimWeighed,
    ConflictDetected,
    ConflictResolved,
)
from heedful.ledger.events import ClaimTransitioned, Event
from heedful.ports.store import Writing
from heedful.service.belief.agree import words_gained
from heedful.service.belief.late import history_put_right
from heedful.service.belief.questions import MOOT, asked
from heedful.service.belief.split import Cut, split
from heedful.service.belief.wear import Wear
from heedful.service.belief.weigh import Met, Newcomer, meet, side_of, with_side
from heedful.service.belief.weighed import ASIDE, Weighed
from heedful.service.session import Session

_S = ClaimStatus
HALF = "what contradicts a standing claim is believed by half at most"


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
        self._wear = Wear(writing, met.standing, met.newcomer.claim)
        open_before = writing.conflicts_of([self._id], only_open=True) if self._claim.conflicts_open else ()
        self._asked = {
            each.newcomer_id if each.standing_id == self._id else each.standing_id: each for each in open_before
        }

    def done(self) -> Weighed:
        """What came of it."""
        in_turn = sorted(self._met.standing, key=lambda a: self._ruling(a).turn)
        peers = [each for each in in_turn if self._ruling(each).because is Because.PEERS]
        for standing in in_turn:
            if self._claim.status is _S.SUPERSEDED:
                break
            if not self._new.valid.overlaps(standing.valid):
                continue
            if self._equal(standing) and (
                stand_side_by_side(standing, self._new) or is_contested(standing, self._new, peers)
            ):
                continue
            self._meet(standing)
        if self._claim.status is not _S.SUPERSEDED:
            self._take_back()
        activates = self._activates and not self._waits
        return Weighed(
            activates=activates,
            events=tuple(self._events),
            claim=self._claim,
            is_believed=activates or self._is_merged,
            asks=tuple(self._asks),
            ended=tuple(self._ended),
        )

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
        question = None if ruling.resolution is not None else asked(ruling.because, a.claim.claim_id, self._id)
        outcome = Outcome(ruling.outcome)
        self._events.append(
            ConflictDetected(conflict_id, a.claim.claim_id, self._id, outcome, ruling.because, question)
        )
        if question is not None:
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
        self._end(f"merged into claim {a.claim.claim_id}")

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
            self._bound_new(Interval(self._new.start_us, self._claim.valid_to_us), "it begins where another ends", a)
        standing = self._worn(a) if self._wear.wears(a, ruling) else a
        merged = f"merged into claim {self._id}"
        self._cut(standing, merged if ruling.newcomer_keeps else f"{ruling.because}: claim {self._id} says otherwise")

    def _take_whole(self, a: Side) -> None:
        own = self._claim.valid
        start_us = a.claim.valid_from_us if own.start_us is None else own.start_us
        whole = Interval(start_us, a.claim.valid_to_us)
        if whole != own:
            self._bound_new(whole, f"it corrects claim {a.claim.claim_id}", a)

    def _arrive_late(self, a: Side) -> None:
        """It tells of the time before the standing claim; where it ends inside one that gave no start, it cuts that."""
        end_us = self._claim.valid_to_us
        is_inner = a.claim.valid_from_us is None and end_us is not None
        if is_inner and Interval(a.start_us, a.claim.valid_to_us).contains(end_us or 0):
            self._cut(a, f"{Because.LATE_ARRIVAL}: claim {self._id} tells of a stretch of it")
        else:
            end_us = a.start_us
            self._bound_new(
                Interval(self._claim.valid_from_us, end_us),
                f"claim {a.claim.claim_id} came later, and was known before",
                a,
            )
            if a.claim.valid_from_us is None:
                self._bound(a.claim, Interval(a.start_us, a.claim.valid_to_us), "what was before it is known")
        if end_us is not None and end_us <= self._now_us:
            self._end(f"{Because.LATE_ARRIVAL}: claim {a.claim.claim_id} came after it", held=True)
            late = history_put_right(self._session, self._writing, self._met, self._new, now_us=self._now_us)
            self._events += late

    def _cut(self, a: Side, reason: str) -> None:
        cut = Cut(self._new.valid, a.start_us, self._now_us, SERVICE_ACTOR, reason, self._id)
        claim = a.claim
        if claim.conflicts_open and self._over():
            # A question that an end of just now closes is none any more.
            claim = replace(claim, conflicts_open=len(self._open_conflicts_of(claim)))
        events = split(claim, cut, ClaimId(self._session.new_id()))
        self._events += events
        if any(isinstance(each, ClaimTransitioned) and each.claim_id == a.claim.claim_id for each in events):
            self._ended.append(a.claim.claim_id)

    def _open_conflicts_of(self, claim: Claim) -> list[Conflict]:
        """Those with what still stands."""
        rows = self._writing.conflicts_of([claim.claim_id], only_open=True)
        return [each for each in rows if {each.standing_id, each.newcomer_id}.isdisjoint(self._over())]

    def _over(self) -> list[ClaimId]:
        return [*self._met.newcomer_said.over, *self._ended]

    def _take_back(self) -> None:
        """What its speaker said before, and still waits, waits no more: that is not what they say now."""
        for side in self._met.waiting:
            same = side.speaker == self._new.speaker and side.claim.tier == self._claim.tier
            if same and side.start_us <= self._new.start_us and self._new.valid.overlaps(side.valid):
                reason = f"{Because.LATER_WORD}: claim {self._id} is what they say now"
                self._events.append(
                    ClaimTransitioned(side.claim.claim_id, side.claim.status, _S.SUPERSEDED, SERVICE_ACTOR, reason)
                )

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
            reason = f"it lost {claim.conflicts_lost} conflicts"
            self._events.append(ClaimTransitioned(claim.claim_id, claim.status, _S.ARCHIVED, SERVICE_ACTOR, reason))

    def _bound_confidence(self, a: Side) -> None:
        if self._claim.confidence > NEWCOMER_MAX:
            lost = self._claim.conflicts_lost
            self._believe(ClaimWeighed(self._id, NEWCOMER_MAX, lost, SERVICE_ACTOR, HALF, a.claim.claim_id))

    def _bound(self, claim: Claim, valid: Interval, reason: str) -> None:
        self._events.append(ClaimBounded(claim.claim_id, valid.start_us, valid.end_us, SERVICE_ACTOR, reason, self._id))

    def _bound_new(self, valid: Interval, reason: str, a: Side) -> None:
        by = a.claim.claim_id
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
