"""Retain: claims held longer than their kind or policy says are archived, or revoked where the kind says so.

Records whose own days have ended go before: see retain_records.
"""

from __future__ import annotations

from heedful.claims.claim import UNREVIEWED, Claim, ClaimStatus
from heedful.claims.lifecycle import REJECTED, REVOKED
from heedful.kernel.ids import ClaimId
from heedful.kernel.ladder import Tier
from heedful.kernel.times import US_A_DAY
from heedful.ports.store import Reading
from heedful.service.jobs.job import PIECE_CLAIMS, Ending, Job, Keep, Rule
from heedful.service.jobs.retain_records import erase_due
from heedful.service.session import Session

_REASON = "retention: "
_HELD = (ClaimStatus.ACTIVE, ClaimStatus.EXPIRED, ClaimStatus.SUPERSEDED)
_LOOKED_AT = (*_HELD, *sorted(UNREVIEWED), ClaimStatus.QUARANTINED)


def _page(reading: Reading, after: str, _at_us: int) -> tuple[Claim, ...]:
    return reading.claims_after(ClaimId(after) if after else None, statuses=_LOOKED_AT, limit=PIECE_CLAIMS)


def _rule(session: Session, _keep: Keep) -> Rule:
    """A claim is kept for the days of its kind, else of policy, from when it was learned of; a pin makes no difference.

    Policy's days say nothing of what has an operator's or the system's authority. What never was believed is revoked:
    nothing is archived that nobody approved.
    """
    kinds, default_days = session.registry.vocabulary.kinds, session.registry.policy.default_retain_days

    def rule(claim: Claim, at_us: int) -> Ending | None:
        kind = kinds.get(claim.kind)
        days = None if kind is None else kind.retain_days
        if days is None and claim.tier.value < Tier.OPERATOR.value:
            days = default_days
        is_kept = days is None or at_us < claim.known_from_us + days * US_A_DAY
        if is_kept or claim.status not in _LOOKED_AT:
            return None
        reason = f"{_REASON}claims of kind {claim.kind} are kept for {days} days"
        if claim.status in UNREVIEWED:
            return Ending(ClaimStatus.REVOKED, REJECTED + reason)
        revokes = kind is not None and kind.after_retention == "revoke"
        is_live = claim.status in (ClaimStatus.ACTIVE, ClaimStatus.QUARANTINED)
        if is_live and (revokes or claim.status is ClaimStatus.QUARANTINED):
            return Ending(ClaimStatus.REVOKED, REVOKED + reason)
        return Ending(ClaimStatus.ARCHIVED, reason)

    return rule


RETAIN = Job(
    "retain",
    "Records are erased when their days have ended; claims older than their kind is kept for are archived or revoked.",
    US_A_DAY,
    _page,
    _rule,
    reasons=(_REASON, REJECTED + _REASON, REVOKED + _REASON),
    before=erase_due,
)
