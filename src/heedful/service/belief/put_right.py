"""Put right: the events of a correction: what is right becomes active, and the old claim gives up its time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from heedful.claims import fold
from heedful.claims.bitemporal import from_start, overlap
from heedful.claims.claim import TO_ACTIVE, UNREVIEWED, Claim, ClaimStatus
from heedful.claims.lifecycle import CORRECTED, REVOKED, is_changing
from heedful.kernel.errors import ConflictError
from heedful.kernel.ids import ClaimId
from heedful.kernel.intervals import Interval
from heedful.ledger.events import ClaimApproved, ClaimProposed, ClaimTransitioned, Event
from heedful.ports.store import Chain, Writing
from heedful.service.belief.believe import weigh
from heedful.service.belief.override import Overridden, reexamined
from heedful.service.belief.overriding import speaks_for_it
from heedful.service.belief.split import Cut, split
from heedful.service.belief.weigh import Newcomer, start_of
from heedful.service.keeping.keep import Prepared
from heedful.service.session import Session
from heedful.service.sight import denied_to


class Correcting:
    """One correction, in the transaction that writes it."""

    def __init__(self, session: Session, writing: Writing, claim: Claim, prepared: Prepared, reason: str) -> None:
        self._session = session
        self._writing = writing
        self._claim = claim
        self._prepared = prepared
        self._reason = reason
        self._now_us = session.clock.now_us()

    def done(self, stretch: Interval) -> Overridden:
        """What it did.

        Raises:
            ConflictError: `stretch_outside`.
        """
        claim = self._claim
        if stretch.start_us is None and is_changing(claim):
            # It was right while what it rested on stood; from now on it is what is said here.
            stretch = replace(stretch, start_us=self._now_us)
        whole = from_start(claim.valid, self._start_us())
        valid = overlap(whole, stretch)
        if valid is None:
            raise ConflictError(
                "stretch_outside",
                f"claim {claim.claim_id} does not hold between since and until, so there is nothing to put right",
                next_step="give a stretch in which it holds, or remember what held then",
                details={"claim_id": claim.claim_id},
            )
        first, proposed = self._proposal(valid)
        at_once = speaks_for_it(self._session, claim) or self._session.registry.policy.solo
        events: list[Event] = [first, proposed, *self._moves(proposed, at_once=at_once)]
        if at_once:
            ends = self._ends(stretch, proposed.claim_id)
            events += ends
            events += self._weighed(proposed, events, is_over=_is_over(self._claim, ends))
        self._session.append(self._writing, events)
        now = self._writing.claim(claim.claim_id)
        assert now is not None
        return Overridden(
            claim_id=claim.claim_id,
            status=now.status,
            changed=True,
            record_id=self._prepared.record_id,
            correction_id=proposed.claim_id,
            waits=not at_once,
            needs_review=reexamined(self._session, self._writing, claim.claim_id),
        )

    def _proposal(self, valid: Interval) -> tuple[Event, ClaimProposed]:
        first = self._prepared.events[0]
        proposed = next(each for each in self._prepared.events if isinstance(each, ClaimProposed))
        return first, replace(proposed, valid_from_us=valid.start_us, valid_to_us=valid.end_us)

    def _moves(self, proposed: ClaimProposed, *, at_once: bool) -> list[Event]:
        """The new claim becomes active by the person's own word; what is over already is history at once."""
        claim_id, actor = proposed.claim_id, self._session.principal
        steps = list(pairwise(TO_ACTIVE if at_once else TO_ACTIVE[:2]))
        moves: list[Event] = [ClaimTransitioned(claim_id, *pair, actor, self._reason) for pair in steps]
        if not at_once:
            return moves
        moves.insert(2, ClaimApproved(claim_id, actor, self._reason))
        if proposed.valid_to_us is not None and proposed.valid_to_us <= self._now_us:
            over = "it is over: what was put right is history"
            moves.append(ClaimTransitioned(claim_id, ClaimStatus.ACTIVE, ClaimStatus.SUPERSEDED, actor, over))
        return moves

    def _weighed(self, proposed: ClaimProposed, events: list[Event], *, is_over: bool) -> tuple[Event, ...]:
        """What comes of it besides, as others may speak of the same thing; a step that waits leaves `events`."""
        record = self._prepared.record
        assert record is not None
        claim = fold.propose(
            proposed, position=self._writing.head(Chain.LEDGER).position + 1, recorded_at_us=self._now_us
        )
        new = Newcomer(
            replace(claim, status=ClaimStatus.POLICY_REVIEWED, approvals=(self._session.principal,)),
            records={record.record_id: record},
            unseen=denied_to(self._session, self._writing, (), (claim.kind,)),
            skip={self._claim.claim_id},
            over={self._claim.claim_id} if is_over else (),
        )
        found = weigh(self._session, self._writing, new)
        if found is None:
            return ()
        if not found.activates or found.claim.status is ClaimStatus.SUPERSEDED:
            events[:] = [each for each in events if not _moves_on(each, claim.claim_id, activates=found.activates)]
        return found.events

    def _ends(self, stretch: Interval, correction_id: ClaimId) -> list[Event]:
        """The old claim gives up the stretch; what nobody had believed yet is merely superseded."""
        claim, actor = self._claim, self._session.principal
        # What the person wrote stands in the events of the correction, and goes with that.
        why = f"{CORRECTED}{correction_id}"
        if claim.status in UNREVIEWED:
            return [ClaimTransitioned(claim.claim_id, claim.status, ClaimStatus.SUPERSEDED, actor, why)]
        events: list[Event] = []
        if claim.status is ClaimStatus.QUARANTINED and not is_changing(claim):
            return [ClaimTransitioned(claim.claim_id, claim.status, ClaimStatus.REVOKED, actor, REVOKED + why)]
        if claim.status is ClaimStatus.QUARANTINED:
            # It was so while its ground stood, and is history from now on.
            events.append(ClaimTransitioned(claim.claim_id, claim.status, ClaimStatus.ACTIVE, actor, why))
            claim = replace(claim, status=ClaimStatus.ACTIVE)
        cut = Cut(stretch, self._start_us(), self._now_us, actor, why, correction_id)
        return [*events, *split(claim, cut, ClaimId(self._session.new_id()))]

    def _start_us(self) -> int:
        """When the old claim began, where it does not say: when what it rests on was said."""
        stored = self._writing.records_by_ids(self._claim.evidence[:1])
        return start_of(self._claim, stored[0].record if stored else None)


def _is_over(claim: Claim, events: Iterable[Event]) -> bool:
    """True where the claim has ended by the events."""
    moves = [each for each in events if isinstance(each, ClaimTransitioned) and each.claim_id == claim.claim_id]
    return bool(moves) and moves[-1].to_status != ClaimStatus.ACTIVE


def _moves_on(event: Event, claim_id: ClaimId, *, activates: bool) -> bool:
    """True for a move of the claim that its weighing makes otherwise: to active, unless it does, and from there."""
    if not isinstance(event, ClaimTransitioned) or event.claim_id != claim_id:
        return False
    return event.from_status == ClaimStatus.ACTIVE or (event.to_status == ClaimStatus.ACTIVE and not activates)
