"""Late: what arrives late finds its place in the history too: each word of one speaker holds until their next one.

So the same words are held alike in whatever order they arrive.
"""

from __future__ import annotations

from heedful.claims.compare import are_equal
from heedful.claims.decide import Because, Side, decide
from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.kernel.ids import ClaimId
from heedful.kernel.intervals import Interval
from heedful.ledger.belief_events import ClaimBounded
from heedful.ledger.events import Event
from heedful.ports.store import Writing
from heedful.service.belief.split import Cut, split
from heedful.service.belief.weigh import Met, history_of
from heedful.service.session import Session


def history_put_right(session: Session, writing: Writing, met: Met, new: Side, *, now_us: int) -> list[Event]:
    """The events by which a late newcomer, which has ended, and the history of its speaker share the time.

    What began before it gives up its time; it gives up the time of what began after it. `new` is as it stands after
    what it met. Nothing of it where there is no such history, which is told by one statement.
    """
    events: list[Event] = []
    end_us = new.claim.valid_to_us
    rivals = [
        (decide(side, new, equal=False).because, side)
        for side in history_of(session, writing, met)
        if not are_equal(side.claim.value, new.claim.value, met.comparator) and side.valid.overlaps(new.valid)
    ]
    later = [side for because, side in rivals if because is Because.LATE_ARRIVAL]
    if later:
        # The first that began after it ends it there, as what stood did.
        first = min(later, key=lambda side: side.start_us)
        end_us = first.start_us
        reason = f"{Because.LATE_ARRIVAL}: claim {first.claim.claim_id} came next, and was known before"
        events.append(
            ClaimBounded(
                new.claim.claim_id, new.claim.valid_from_us, end_us, SERVICE_ACTOR, reason, first.claim.claim_id
            )
        )
    for because, side in rivals:
        if because is Because.LATER_WORD:
            reason = f"{because}: claim {new.claim.claim_id} says otherwise"
            cut = Cut(Interval(new.start_us, end_us), side.start_us, now_us, SERVICE_ACTOR, reason, new.claim.claim_id)
            events += split(side.claim, cut, ClaimId(session.new_id()))
    return events
