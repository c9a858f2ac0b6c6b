"""Disputes: which of the claims at hand another one contradicts, in a question that nobody has answered yet."""

from __future__ import annotations

from collections.abc import Iterable

from heedful.claims.claim import Claim
from heedful.claims.conflict import Conflict
from heedful.evidence.packet import ConflictNote
from heedful.kernel.ids import ClaimId
from heedful.ports.store import Reading
from heedful.service.session import Session
from heedful.service.sight import seen_claims_of


def disputes_of(session: Session, reading: Reading, claims: Iterable[Claim]) -> dict[ClaimId, tuple[ConflictNote, ...]]:
    """Claim -> its open conflicts with claims that the session sees, in ledger order; those without one are not there.

    Nothing is read where no claim has an open conflict.
    """
    return {
        claim_id: tuple(ConflictNote(each.conflict_id, other, each.because) for each, other in found)
        for claim_id, found in _open(session, reading, claims).items()
    }


def disputed_since(session: Session, reading: Reading, claims: Iterable[Claim]) -> dict[ClaimId, int]:
    """Claim -> when the latest of its open conflicts was found, UTC microseconds; see `disputes_of`."""
    return {
        claim_id: max(each.detected_at_us for each, _ in found)
        for claim_id, found in _open(session, reading, claims).items()
    }


def _open(session: Session, reading: Reading, claims: Iterable[Claim]) -> dict[ClaimId, list[tuple[Conflict, ClaimId]]]:
    asked = {claim.claim_id: claim for claim in claims if claim.conflicts_open}
    found: dict[ClaimId, list[tuple[Conflict, ClaimId]]] = {}
    conflicts = reading.conflicts_of(list(asked), only_open=True) if asked else ()
    others = {each for conflict in conflicts for each in (conflict.standing_id, conflict.newcomer_id)} - asked.keys()
    seen = {each.claim_id for each in seen_claims_of(session, reading, sorted(others))}
    for conflict in conflicts:
        pair = (conflict.standing_id, conflict.newcomer_id)
        for own, other in (pair, pair[::-1]):
            if own in asked and (other in asked or other in seen):
                found.setdefault(own, []).append((conflict, other))
    return found
