"""Unconfirm: a confirmation counts no more: its words were withdrawn, or who gave it takes it back."""

from __future__ import annotations

from collections.abc import Mapping

from heedful.claims.claim import ClaimStatus
from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.kernel.ids import ClaimId, PrincipalId
from heedful.ledger.belief_events import ClaimConfirmed, ClaimUnconfirmed
from heedful.ports.store import Writing
from heedful.service.belief.claim_history import History, changed_by, confirmers, histories

_GONE = frozenset({ClaimStatus.QUARANTINED, ClaimStatus.REVOKED})
WITHDRAWN = "their own word of the same was withdrawn"


def unconfirmed_with(
    writing: Writing, known: Mapping[ClaimId, History], gone: frozenset[ClaimId]
) -> list[ClaimUnconfirmed]:
    """The confirmations that only words of what is gone had given, of the claims with these histories and their rests.

    Those that somebody gave in so many words stay, and by words that are evidence still.
    """
    events: list[ClaimUnconfirmed] = []
    ended: set[ClaimId] = set(gone)
    asked = dict(known)
    while asked:
        found = [each for claim_id, history in asked.items() for each in _unfounded(writing, claim_id, history, ended)]
        events += found
        ended = {each.claim_id for each in found}
        asked = _rests(writing, found)
    return events


def _unfounded(writing: Writing, claim_id: ClaimId, history: History, ended: set[ClaimId]) -> list[ClaimUnconfirmed]:
    found = confirmers(history)
    lost = {who: by for who, by in found.items() if by & ended and None not in by}
    others = [each for by in lost.values() for each in by - ended if each is not None]
    live = {each.claim_id for each in writing.claims_by_ids(others) if each.status not in _GONE} if others else set()
    return [
        ClaimUnconfirmed(claim_id, who, SERVICE_ACTOR, WITHDRAWN) for who, by in lost.items() if not by - ended & live
    ]


def _rests(writing: Writing, found: list[ClaimUnconfirmed]) -> dict[ClaimId, History]:
    """The histories of what was split off these claims with their confirmations."""
    lost: set[tuple[ClaimId, PrincipalId]] = {(each.claim_id, each.confirmed_by) for each in found}
    copied = {
        event.claim_id
        for event in (changed_by(writing, [each.claim_id for each in found]) if found else ())
        if isinstance(event, ClaimConfirmed) and event.by is not None and (event.by, event.actor) in lost
    }
    return histories(writing, writing.claims_by_ids(sorted(copied))) if copied else {}
