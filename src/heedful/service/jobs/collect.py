"""Collect: claims that nobody used for long and of which one is not sure are archived; none is deleted."""

from __future__ import annotations

from heedful.bridges.vocabulary import covers
from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.collection import is_faint, is_spared
from heedful.kernel.ids import ClaimId, KindId
from heedful.kernel.ladder import Decision
from heedful.kernel.times import US_A_DAY, format_time
from heedful.ports.store import Reading
from heedful.service.jobs.job import PIECE_CLAIMS, Ending, Job, Keep, Rule
from heedful.service.jobs.used import used_since
from heedful.service.session import Session

_REASON = "collected: "


def _page(reading: Reading, after: str, _at_us: int) -> tuple[Claim, ...]:
    return reading.claims_after(ClaimId(after) if after else None, statuses=(ClaimStatus.ACTIVE,), limit=PIECE_CLAIMS)


def _rule(session: Session, keep: Keep) -> Rule:
    """Archived is what is faint, not spared, was known before the window began, and was not used since.

    Who used what is read once in a run, and not at all where no claim might go.
    """
    since_us = session.clock.now_us() - int(session.collect_unused_days * US_A_DAY)
    used: frozenset[str] | None = None

    def may_deny(kind: KindId) -> bool:
        return kind_may_deny(session, kind)

    def rule(claim: Claim, _at_us: int) -> Ending | None:
        nonlocal used
        if not is_faint(claim, confidence_below=session.collect_confidence_below) or claim.known_from_us >= since_us:
            return None
        if is_spared(claim, may_deny=may_deny):
            return None
        if used is None:
            used = used_since(session, since_us, keep)
        if claim.claim_id in used:
            return None
        reason = f"{_REASON}unused since {format_time(since_us)}, confidence {claim.confidence:g}"
        return Ending(ClaimStatus.ARCHIVED, reason)

    return rule


def kind_may_deny(session: Session, kind: KindId) -> bool:
    """True for a kind that a bridge denies actions for, or where forgetting or forging hurts most."""
    known = session.registry.vocabulary.kinds.get(kind)
    if known is not None and (known.risk == "high" or known.narrow):
        return True
    denying = (bridge for bridge in session.registry.bridges.values() if bridge.effect is Decision.DENY)
    return any(covers(activated, kind) for bridge in denying for activated in bridge.activates)


COLLECT = Job(
    "collect",
    "Claims that nobody used for long, and of which one is not sure, are archived.",
    7 * US_A_DAY,
    _page,
    _rule,
    reasons=(_REASON,),
)
