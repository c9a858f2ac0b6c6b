"""Maintain: claims whose time has passed are moved to `expired`. Reading does not wait for it: it judges validity."""

from __future__ import annotations

from heedful.claims.claim import ClaimStatus
from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.kernel.times import format_time
from heedful.ledger.events import ClaimTransitioned
from heedful.ports.store import Writing
from heedful.service.session import Session

DUE_MAX = 200
"""Claims that are expired in one transaction; the next call takes the rest."""


def expire_due(session: Session) -> int:
    """How many claims expired by it; 0 costs one look at an index and writes nothing."""
    with session.store.read() as reading:
        if not reading.claims_due(session.clock.now_us(), limit=1):
            return 0

    def work(writing: Writing) -> int:
        now_us = session.clock.now_us()
        events = [
            ClaimTransitioned(
                claim.claim_id,
                claim.status,
                ClaimStatus.EXPIRED,
                SERVICE_ACTOR,
                f"it held until {format_time(claim.valid_to_us or now_us)}",
            )
            for claim in writing.claims_due(now_us, limit=DUE_MAX)
        ]
        session.append(writing, events)
        return len(events)

    return session.store.write(work)
