"""Given back: what claims had lost to one whose evidence is withdrawn: time, confidence, and their place.

What they lost to others stays lost. What stands again is weighed against what became active meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.lifecycle import APART_AGAIN, CORRECTED, SERVICE_ACTOR, STANDS_AGAIN
from heedful.kernel.canonical import shortest
from heedful.kernel.ids import ClaimId
from heedful.kernel.intervals import Interval
from heedful.ledger.belief_events import ClaimBounded, ClaimWeighed
from heedful.ledger.events import ClaimProposed, ClaimTransitioned, Event
from heedful.ports.store import Chain, Writing
from heedful.service.belief.activation import activation
from heedful.service.belief.approve_claim import has_live_evidence
from heedful.service.belief.believe import weigh
from heedful.service.belief.questions import ANSWERED, closed_once, moot
from heedful.service.belief.weigh import ALIKE_MAX, Newcomer
from heedful.service.project import event_of
from heedful.service.session import Session
from heedful.service.sight import denied_to, seen_of

GIVEN_BACK_MAX = 200
"""Claims that get back what one withdrawal takes from others, the newest of them; what a flood lost stays lost."""
_S = ClaimStatus
_PLACES = 9
_OVER = frozenset({_S.SUPERSEDED, _S.EXPIRED, _S.ARCHIVED})


@dataclass(slots=True)
class _History:
    """What the ledger says was done to a claim, in order."""

    proposed: ClaimProposed
    bounds: list[ClaimBounded] = field(default_factory=list)
    weighings: list[ClaimWeighed] = field(default_factory=list)


def give_back(session: Session, writing: Writing, gone: Sequence[Claim]) -> tuple[Claim, ...]:
    """The claims that stand again now, as they were; appended. `gone`: those whose evidence was withdrawn.

    Questions about what is gone are closed. Nothing is read where it has met no other claim.
    """
    ids = frozenset(each.claim_id for each in gone)
    session.append(writing, closed_once(moot(writing, writing.claims_by_ids(sorted(ids)) if ids else ())))
    losers = _losers(session, writing, ids, [each for claim in gone for each in _proposal(writing, claim).replaces])
    return _given(session, writing, losers, {each.claim_id: ids for each in losers}, STANDS_AGAIN)


def give_back_lost(session: Session, writing: Writing, lost: Sequence[tuple[ClaimId, ClaimId]]) -> tuple[ClaimId, ...]:
    """The claims that get back what a person's answer had taken from them; appended. `lost`: the loser, and to whom.

    What such an answer had ended stands again at once: it was about another subject.
    """
    winners: dict[ClaimId, frozenset[ClaimId]] = {}
    for loser, winner in lost:
        winners[loser] = winners.get(loser, frozenset()) | {winner}
    losers = writing.claims_by_ids(list(winners)) if winners else ()
    _given(session, writing, losers, winners, APART_AGAIN)
    return tuple(each.claim_id for each in losers if writing.claim(each.claim_id) != each)


def _given(
    session: Session,
    writing: Writing,
    losers: Sequence[Claim],
    gone: Mapping[ClaimId, frozenset[ClaimId]],
    reason: str,
) -> tuple[Claim, ...]:
    """The claims that stand again; all of `losers` get back what they had lost to the `gone` of each."""
    histories = _histories(writing, losers)
    back = []
    for each in losers:
        claim = writing.claim(each.claim_id)  # as what came back before it has left it
        if claim is None:
            continue
        lost_to = gone[claim.claim_id]
        events = _Back(session, writing, claim, histories[claim.claim_id], lost_to, reason=reason).events()
        session.append(writing, events)
        _note(histories, events)
        if any(isinstance(each, ClaimTransitioned) and each.to_status == _S.ACTIVE for each in events):
            back.append(claim)
    still = {each.claim_id for each in writing.claims_by_ids([claim.claim_id for claim in back]) if each.is_reviewed}
    return tuple(each for each in back if each.claim_id in still)


def _losers(session: Session, writing: Writing, gone: frozenset[ClaimId], replaced: Iterable[ClaimId]) -> list[Claim]:
    """The other claims of every conflict of what is gone, and what that corrected, in ledger order.

    An end that people approved stays.
    """
    found = writing.claims_by_ids([each for each in dict.fromkeys(replaced) if each not in gone])
    met = dict.fromkeys(each.claim_id for each in found if _is_corrected(each))
    for each in writing.conflicts_of(sorted(gone), only_open=False):
        met |= dict.fromkeys({each.standing_id, each.newcomer_id} - gone)
    found = writing.claims_by_ids(list(met))
    seen = {each.claim_id for each in seen_of(session, writing, found)}
    # What the session does not see must not take the places of what it sees.
    parts = ([each for each in found if (each.claim_id in seen) is is_seen] for is_seen in (True, False))
    return sorted(
        (each for part in parts for each in part[-GIVEN_BACK_MAX:]), key=lambda claim: (claim.position, claim.claim_id)
    )


def _is_corrected(claim: Claim) -> bool:
    return claim.status is not _S.SUPERSEDED or claim.status_reason.startswith(CORRECTED)


def _histories(writing: Writing, claims: Sequence[Claim]) -> dict[ClaimId, _History]:
    found: dict[ClaimId, _History] = {}
    for claim in claims:
        found[claim.claim_id] = _History(_proposal(writing, claim))
    if not found:
        return found
    first = min(claim.position for claim in claims)
    for kind in ("claim.bounded", "claim.weighed"):
        for sealed in writing.events_of(kind, after=first):
            _note(found, () if sealed.payload is None else (event_of(sealed),))
    return found


def _note(histories: dict[ClaimId, _History], events: Iterable[object]) -> None:
    for event in events:
        if isinstance(event, ClaimBounded) and event.claim_id in histories:
            histories[event.claim_id].bounds.append(event)
        elif isinstance(event, ClaimWeighed) and event.claim_id in histories:
            histories[event.claim_id].weighings.append(event)


def _proposal(writing: Writing, claim: Claim) -> ClaimProposed:
    (sealed,) = writing.events(Chain.LEDGER, after=claim.position - 1, limit=1)
    proposed = event_of(sealed)
    assert isinstance(proposed, ClaimProposed)
    return proposed


class _Back:
    """One claim that lost something to what is gone."""

    def __init__(
        self,
        session: Session,
        writing: Writing,
        claim: Claim,
        history: _History,
        gone: frozenset[ClaimId],
        *,
        reason: str,
    ) -> None:
        self._reason = reason
        self._session = session
        self._writing = writing
        self._history = history
        self._gone = gone
        self._before = claim
        valid = self._time(claim)
        confidence, lost = self._worth(claim)
        self._claim = replace(
            claim,
            valid_from_us=valid.start_us,
            valid_to_us=valid.end_us,
            confidence=confidence,
            conflicts_lost=lost,
        )

    def events(self) -> list[Event]:
        """What it gets back, and what comes of that; nothing where it lost nothing."""
        claim = self._claim
        own = self._own_events()
        if claim.status is _S.ACTIVE:
            return own if claim.valid == self._before.valid else self._weighed(own)
        stands = claim.status in _OVER and self._is_theirs() and self._is_current() and self._is_carried()
        return own + self._back() if stands else own

    def _time(self, claim: Claim) -> Interval:
        """Its validity without what the gone made of it, up to where what was split off it begins."""
        kept = [each for each in self._history.bounds if not self._names(each.reason)]
        if len(kept) == len(self._history.bounds):
            return claim.valid
        last = kept[-1] if kept else self._history.proposed
        valid = Interval(last.valid_from_us, last.valid_to_us)
        starts = [each.valid_from_us for each in self._rests(claim) if each.valid_from_us is not None]
        after = [each for each in starts if claim.valid_to_us is not None and each >= claim.valid_to_us]
        ends = [each for each in (valid.end_us, *after) if each is not None]
        return Interval(valid.start_us, min(ends, default=None))

    def _worth(self, claim: Claim) -> tuple[float, int]:
        """Its confidence and lost conflicts without what it lost to the gone."""
        lost = [each for each in self._history.weighings if self._names(each.reason)]
        if not lost:
            return claim.confidence, claim.conflicts_lost
        first = ClaimWeighed(claim.claim_id, self._history.proposed.confidence, 0, SERVICE_ACTOR, "")
        steps = [(b, b.confidence - a.confidence) for a, b in pairwise((first, *self._history.weighings))]
        less = sum(step for each, step in steps if self._names(each.reason))
        confidence = shortest(round(min(1.0, max(0.0, claim.confidence - less)), _PLACES))
        return confidence, max(0, claim.conflicts_lost - len(lost))

    def _rests(self, claim: Claim) -> list[Claim]:
        """What was split off it: claims of its own evidence that say the same."""
        alike = self._writing.claims_alike(
            claim.scope,
            claim.classification,
            claim.subject,
            claim.property,
            statuses=(_S.ACTIVE, _S.SUPERSEDED),
            limit=ALIKE_MAX,
        )
        same = (claim.evidence, claim.value, claim.form)
        return [e for e in alike if e.claim_id != claim.claim_id and (e.evidence, e.value, e.form) == same]

    def _names(self, reason: str) -> bool:
        return any(each in reason for each in self._gone)

    def _own_events(self) -> list[Event]:
        claim, before = self._claim, self._before
        events: list[Event] = []
        if claim.valid != before.valid:
            start_us, end_us = claim.valid_from_us, claim.valid_to_us
            events.append(ClaimBounded(claim.claim_id, start_us, end_us, SERVICE_ACTOR, self._reason))
        if (claim.confidence, claim.conflicts_lost) != (before.confidence, before.conflicts_lost):
            lost = claim.conflicts_lost
            events.append(ClaimWeighed(claim.claim_id, claim.confidence, lost, SERVICE_ACTOR, self._reason))
        return events

    def _weighed(self, own: list[Event]) -> list[Event]:
        """It stands, and holds for longer again: there it meets what it has not met yet."""
        claim = replace(self._claim, status=_S.QUARANTINED)
        alike = self._writing.claims_alike(
            claim.scope, claim.classification, claim.subject, claim.property, statuses=(_S.ACTIVE,), limit=ALIKE_MAX
        )
        skip = [each.claim_id for each in alike if each.valid.overlaps(self._before.valid)]
        unseen = denied_to(self._session, self._writing, claim.evidence)
        found = weigh(self._session, self._writing, Newcomer(claim, unseen=unseen, skip=skip))
        if found is None:
            return own
        return [*own, *found.events] if found.activates else []

    def _is_theirs(self) -> bool:
        """True where the gone ended it; what they wore out, or what ended in the time that they left it, too."""
        claim = self._claim
        if claim.status is _S.SUPERSEDED:
            return self._names(claim.status_reason)
        is_given = claim.valid != self._before.valid
        is_lifted = claim.conflicts_lost < self._before.conflicts_lost and claim.status_reason.startswith("it lost ")
        return is_lifted if claim.status is _S.ARCHIVED else is_given

    def _is_current(self) -> bool:
        end_us = self._claim.valid_to_us
        return not self._claim.valid.is_empty and (end_us is None or end_us > self._session.clock.now_us())

    def _is_carried(self) -> bool:
        grounds = [self._writing.claim(each) for each in self._claim.rests_on]
        stands = all(each is not None and each.status is _S.ACTIVE for each in grounds)
        return stands and has_live_evidence(self._writing, self._claim)

    def _back(self) -> list[Event]:
        """What held comes back out of quarantine, what never did as what policy or a person had approved.

        What a person's answer had ended waits for a person.
        """
        claim = self._claim
        held = claim.status is not _S.SUPERSEDED or claim.ended_us is not None
        aside = _S.QUARANTINED if held else _S.POLICY_REVIEWED
        waits = ClaimTransitioned(claim.claim_id, claim.status, aside, SERVICE_ACTOR, self._reason)
        if claim.status_reason.startswith(ANSWERED) and self._reason == STANDS_AGAIN:
            return [waits]
        stands = ClaimTransitioned(claim.claim_id, aside, _S.ACTIVE, SERVICE_ACTOR, self._reason)
        events, _ = activation(self._session, self._writing, replace(claim, status=aside), [stands])
        return [waits, *events]
