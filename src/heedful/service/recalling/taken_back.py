"""Taken back: records that say only what somebody took back. They are shown last, say so, and answer nothing."""

from __future__ import annotations

from dataclasses import replace

from heedful.claims.claim import ClaimStatus
from heedful.ports.store import Reading
from heedful.recall.candidate import RecordCandidate
from heedful.recall.select import Selection
from heedful.service.session import Session
from heedful.service.sight import seen_of


def without_words_taken_back(
    session: Session, reading: Reading, selection: Selection
) -> tuple[Selection, frozenset[str]]:
    """The same with such records behind all else that was kept, and their ids.

    They are those of which every claim that is seen was revoked; there is one at least.
    """
    records = [one.candidate.record.record_id for one in selection.kept if isinstance(one.candidate, RecordCandidate)]
    claims = reading.claims_on_any(records) if records else ()
    if all(each.status is not ClaimStatus.REVOKED for each in claims):
        return selection, frozenset()
    seen = seen_of(session, reading, claims)
    back = {each for claim in seen if claim.status is ClaimStatus.REVOKED for each in claim.evidence}
    standing = {each for claim in seen if claim.status is not ClaimStatus.REVOKED for each in claim.evidence}
    taken_back = frozenset(back.intersection(records) - standing)
    kept = sorted(selection.kept, key=lambda one: one.candidate.item_id in taken_back)
    return replace(selection, kept=tuple(kept)), taken_back
