"""Consolidate, as a job: facts and preferences that wait, and that independent records tell, become one claim."""

from __future__ import annotations

from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.lifecycle import MERGED
from heedful.kernel.ids import ClaimId
from heedful.kernel.times import US_A_DAY
from heedful.ports.store import Reading, Writing
from heedful.service.belief.consolidate import consolidated, consolidation_of
from heedful.service.jobs.job import PIECE_CLAIMS, Effect, Ending, Job, Keep, Move, Rule
from heedful.service.session import Session

_WAITING = (ClaimStatus.EVIDENCE_VERIFIED,)


def _page(reading: Reading, after: str, _at_us: int) -> tuple[Claim, ...]:
    return reading.claims_after(ClaimId(after) if after else None, statuses=_WAITING, limit=PIECE_CLAIMS)


def _rule(session: Session, _keep: Keep) -> Rule:
    def rule(claim: Claim, _at_us: int) -> Ending | None:
        with session.store.read() as reading:
            found = consolidation_of(session, reading, claim)
        return None if found is None else Ending(claim.status, "several records tell it")

    return rule


def _effect(session: Session, writing: Writing, claim: Claim) -> Effect | None:
    found = consolidation_of(session, writing, claim)
    if found is None:
        return None
    after, events = consolidated(session, writing, found)
    first, count = found.claim, len(found.told)
    how = "its subject says it again" if found.confirms else f"{count + 1} independent records tell it"
    moves = [Move(first.claim_id, first.status.value, after.status.value, how)]
    for other, _ in found.told:
        reason = f"{MERGED}{first.claim_id}"
        moves.append(Move(other.claim_id, other.status.value, ClaimStatus.SUPERSEDED.value, reason))
    return Effect(events, tuple(moves))


CONSOLIDATE = Job(
    "consolidate",
    "Facts and preferences that two independent records tell, or their subject again, become one claim.",
    US_A_DAY,
    _page,
    _rule,
    _effect,
    reasons=(MERGED,),
)
