"""Expire: claims whose time has passed are moved to `expired`; plans too. Reading does not wait for it."""

from __future__ import annotations

from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.times import US_A_DAY, format_time
from heedful.ports.store import Reading
from heedful.service.jobs.job import PIECE_CLAIMS, Ending, Job, Keep, Rule
from heedful.service.session import Session


def _page(reading: Reading, _after: str, at_us: int) -> tuple[Claim, ...]:
    # Those that were moved are not due any more, so the next page begins at the first again.
    return reading.claims_due(at_us, limit=PIECE_CLAIMS)


def _rule(_session: Session, _keep: Keep) -> Rule:
    return over


def over(claim: Claim, at_us: int) -> Ending | None:
    """That the claim is over, where its time has passed."""
    until_us = claim.valid_to_us
    if claim.status is not ClaimStatus.ACTIVE or until_us is None or until_us > at_us:
        return None
    return Ending(ClaimStatus.EXPIRED, f"it held until {format_time(until_us)}")


EXPIRE = Job(
    "expire", "Claims whose time has passed expire.", US_A_DAY // 24, _page, _rule, reasons=("it held until ",)
)
