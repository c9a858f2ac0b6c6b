"""Taken back: records that say only what somebody took back. They are shown last, say so, and answer nothing."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from heedful.claims.claim import ClaimStatus
from heedful.ports.store import Reading
from heedful.recall.candidate import RecordCandidate
from heedful.recall.select import Selection
from heedful.service.session import Session
from heedful.service.sight import seen_of


def taken_back_among(session: Session, reading: Reading, selection: Selection) -> frozenset[str]:
    """The ids of kept records of which every claim that is seen was revoked; there is one at least."""
    records = [one.candidate.record.record_id for one in selection.kept if isinstance(one.candidate, RecordCandidate)]
    claims = reading.claims_on_any(records) if records else ()
    revoked = [each for each in claims if each.status is ClaimStatus.REVOKED]
    if not revoked:
        return frozenset()
    seen = seen_of(session, reading, claims)
    back = {each for claim in seen if claim.status is ClaimStatus.REVOKED for each in claim.evidence}
    standing = {each for claim in seen if claim.status is not ClaimStatus.REVOKED for each in claim.evidence}
    return frozenset(back.intersection(records) - standing)


def behind(selection: Selection, taken_back: Collection[str]) -> Selection:
    """The same with these records behind everything else that was kept."""
    if not taken_back:
        return selection
    return replace(selection, kept=tuple(sorted(selection.kept, key=lambda one: one.candidate.item_id in taken_back)))
