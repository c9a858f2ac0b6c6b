"""Given back: what claims had lost to one whose evidence is withdrawn: time, confidence, and their place.

What they lost to others stays lost, and it is the same whoever withdraws. What stands again is weighed against what
became active meanwhile.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise

from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.decide import NEWCOMER_MAX, Because
from heedful.claims.lifecycle import ANSWERED, APART_AGAIN, CORRECTED, SERVICE_ACTOR, STANDS_AGAIN, WORN_OUT
from heedful.kernel.canonical import shortest
from heedful.kernel.ids import ClaimId
from heedful.kernel.intervals import Interval
from heedful.ledger.belief_events import ClaimBounded, ClaimWeighed
from heedful.ledger.events import ClaimTransitioned, Event
from heedful.ports.store import Chain, Writing
from heedful.service.belief.activation import activation
from heedful.service.belief.approve_claim import has_live_evidence
from heedful.service.belief.believe import HALF, weigh
from heedful.service.belief.claim_history import History, changed_by, ended_by, histories, note, proposals
from heedful.service.belief.questions import closed_once, moot
from heedful.service.belief.unconfirm import unconfirmed_with
from heedful.service.belief.weigh import ALIKE_MAX, Newcomer
from heedful.service.project import event_of
from heedful.service.session import Session
from heedful.service.sight import denied_to

GIVEN_BACK_MAX = 200
"""Claims that get back what one claim had taken from others, the newest of them; what a flood lost stays lost."""
_CORRECTION_EVENTS_MAX = 64
"""Ledger events behind a correction among which is the end of what it corrected: they are of one transaction."""
_S = ClaimStatus
_PLACES = 9
_GONE = frozenset({_S.QUARANTINED, _S.REVOKED})
_OVER = frozenset({_S.SUPERSEDED, _S.EXPIRED, _S.ARCHIVED})
_BOUNDING = frozenset({Because.SYSTEM, Because.OPERATOR, Because.LOWER_AUTHORITY, Because.PEERS})


def give_back(session: Session, writing: Writing, gone: Sequence[Claim]) -> tuple[Claim, ...]:
    """The claims that stand again now, as they were; appended. `gone`: those whose evidence was withdrawn.

    Questions about what is gone are closed, and what it had confirmed is confirmed by it no more. Nothing is read where
    it has met no other claim.
    """
    ids = frozenset(each.claim_id for each in gone)
    if not ids:
        return ()
    session.append(writing, closed_once(moot(writing, writing.claims_by_ids(sorted(ids)))))
    losers = _losers(writing, gone, ids)
    known = histories(writing, losers) if losers else {}
    session.append(writing, unconfirmed_with(writing, known, ids))
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
    known = histories(writing, losers) if losers else {}
    back = []
    for each in losers:
        claim = writing.claim(each.claim_id)  # as what came back before it has left it
        if claim is None:
            continue
        lost_to = gone[claim.claim_id]
        events = _Back(session, writing, claim, known[claim.claim_id], lost_to, reason=reason).events()
        session.append(writing, events)
        note(known, events)
        if any(isinstance(each, ClaimTransitioned) and each.to_status == _S.ACTIVE for each in events):
            back.append(claim)
    still = {each.claim_id for each in writing.claims_by_ids([claim.claim_id for claim in back]) if each.is_reviewed}
    return tuple(each for each in back if each.claim_id in still)


def _losers(writing: Writing, gone: Sequence[Claim], ids: frozenset[ClaimId]) -> list[Claim]:
    """The other claims of every conflict of what is gone, what that corrected and put right, in ledger order.

    Of each that is gone the newest, whoever sees them. An end that people approved stays.
    """
    met: dict[ClaimId, set[ClaimId]] = defaultdict(set)
    corrected = {each: claim_id for claim_id, made in proposals(writing, gone).items() for each in made.replaces}
    for claim in writing.claims_by_ids(list(corrected)) if corrected else ():
        if ended_by(claim) in ids:
            met[corrected[claim.claim_id]].add(claim.claim_id)
    for each in writing.conflicts_of(sorted(ids), only_open=False):
        for own, other in ((each.standing_id, each.newcomer_id), (each.newcomer_id, each.standing_id)):
            if own in ids:
                met[own].add(other)
    for change in changed_by(writing, sorted(ids)):
        if change.by is not None:
            met[change.by].add(change.claim_id)
    found = {each.claim_id: each for each in writing.claims_by_ids(sorted({*chain.from_iterable(met.values())} - ids))}
    kept: set[ClaimId] = set()
    for others in met.values():
        kept |= set(sorted(others & found.keys(), key=lambda each: _place(found[each]))[-GIVEN_BACK_MAX:])
    return sorted((found[each] for each in kept), key=_place)


def _place(claim: Claim) -> tuple[int, ClaimId]:
    return claim.position, claim.claim_id


class _Back:
    """One claim that lost something to what is gone."""

    def __init__(
        self,
        session: Session,
        writing: Writing,
        claim: Claim,
        history: History,
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
        kept = [each for each in self._history.bounds if each.by not in self._gone]
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
        if not any(each.by in self._gone for each in self._history.weighings):
            return claim.confidence, claim.conflicts_lost
        first = ClaimWeighed(claim.claim_id, self._history.proposed.confidence, 0, SERVICE_ACTOR, "", None)
        less, lost = 0.0, 0
        for before, after in pairwise((first, *self._history.weighings)):
            counted = after.conflicts_lost - before.conflicts_lost
            if after.by in self._gone:
                less += after.confidence - before.confidence
                lost += counted
        confidence = shortest(round(min(1.0, max(0.0, claim.confidence - less)), _PLACES))
        return confidence, max(0, claim.conflicts_lost - lost)

    def _bounded_by(self) -> ClaimId | None:
        """Another claim that it contradicted as it came, as the one that is gone: it is believed by half still."""
        claim_id = self._claim.claim_id
        met = self._writing.conflicts_of([claim_id], only_open=False)
        mine = [each.standing_id for each in met if each.newcomer_id == claim_id and each.because in _BOUNDING]
        found = self._writing.claims_by_ids(mine) if mine else ()
        live = (each.claim_id for each in found if each.status not in _GONE and each.claim_id not in self._gone)
        return next(live, None)

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

    def _own_events(self) -> list[Event]:
        claim, before = self._claim, self._before
        events: list[Event] = []
        if claim.valid != before.valid:
            start_us, end_us = claim.valid_from_us, claim.valid_to_us
            events.append(ClaimBounded(claim.claim_id, start_us, end_us, SERVICE_ACTOR, self._reason, None))
        if (claim.confidence, claim.conflicts_lost) != (before.confidence, before.conflicts_lost):
            events += self._weighings()
        return events

    def _weighings(self) -> list[ClaimWeighed]:
        claim, lost = self._claim, self._claim.conflicts_lost
        events = [ClaimWeighed(claim.claim_id, claim.confidence, lost, SERVICE_ACTOR, self._reason, None)]
        is_raised = self._before.confidence <= NEWCOMER_MAX < claim.confidence
        if is_raised and (by := self._bounded_by()) is not None:
            events.append(ClaimWeighed(claim.claim_id, NEWCOMER_MAX, lost, SERVICE_ACTOR, HALF, by))
            self._claim = replace(claim, confidence=NEWCOMER_MAX)
        return events

    def _weighed(self, own: list[Event]) -> list[Event]:
        """It stands, and holds for longer again: there it meets what it has not met yet."""
        claim = replace(self._claim, status=_S.QUARANTINED)
        alike = self._writing.claims_alike(
            claim.scope, claim.classification, claim.subject, claim.property, statuses=(_S.ACTIVE,), limit=ALIKE_MAX
        )
        skip = [each.claim_id for each in alike if each.valid.overlaps(self._before.valid)]
        unseen = denied_to(self._session, self._writing, claim.evidence)
        found = weigh(self._session, self._writing, Newcomer(claim, unseen=unseen, skip=skip, for_all=True))
        if found is None:
            return own
        return [*own, *found.events] if found.activates else []

    def _is_theirs(self) -> bool:
        """True where the gone ended it; what they wore out, or what ended in the time that they left it, too."""
        claim = self._claim
        if claim.status is _S.SUPERSEDED:
            return ended_by(claim) in self._gone
        is_given = claim.valid != self._before.valid
        is_lifted = claim.conflicts_lost < self._before.conflicts_lost and claim.status_reason.startswith(WORN_OUT)
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

        What a person's answer had ended waits for a person; what was corrected before anybody approved it, as then.
        """
        claim = self._claim
        held = claim.status is not _S.SUPERSEDED or claim.ended_us is not None
        if not held and claim.status_reason.startswith(CORRECTED):
            return [ClaimTransitioned(claim.claim_id, claim.status, self._stood(), SERVICE_ACTOR, STANDS_AGAIN)]
        aside = _S.QUARANTINED if held else _S.POLICY_REVIEWED
        waits = ClaimTransitioned(claim.claim_id, claim.status, aside, SERVICE_ACTOR, self._reason)
        if claim.status_reason.startswith(ANSWERED) and self._reason == STANDS_AGAIN:
            return [waits]
        stands = ClaimTransitioned(claim.claim_id, aside, _S.ACTIVE, SERVICE_ACTOR, self._reason)
        events, _ = activation(self._session, self._writing, replace(claim, status=aside), [stands], for_all=True)
        return [waits, *events]

    def _stood(self) -> ClaimStatus:
        """Where it stood in the review when it was corrected, as the events right behind the correction tell."""
        claim_id, by = self._claim.claim_id, ended_by(self._claim)
        correction = None if by is None else self._writing.claim(by)
        after = 0 if correction is None else correction.position
        for sealed in self._writing.events(Chain.LEDGER, after=after, limit=_CORRECTION_EVENTS_MAX):
            event = None if sealed.payload is None else event_of(sealed)
            if isinstance(event, ClaimTransitioned) and event.claim_id == claim_id:
                return ClaimStatus(event.from_status)
        return _S.EVIDENCE_VERIFIED
