"""Project claims: the views of claims and conflicts, as an event leaves them, and the row that a search finds."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.claims import fold
from heedful.claims.claim import UNREVIEWED, Claim, ClaimStatus, Visibility
from heedful.claims.conflict import detected, resolved
from heedful.claims.lifecycle import is_changing
from heedful.kernel.ids import ClaimId
from heedful.kernel.ladder import Classification
from heedful.ledger.belief_events import (
    BeliefEvent,
    ClaimBounded,
    ClaimConfirmed,
    ClaimUnconfirmed,
    ClaimWeighed,
    ConflictDetected,
    ConflictResolved,
)
from heedful.ledger.merge_events import MergeEvent
from heedful.observations.record import AttributeValue
from heedful.observations.text import search_tokens
from heedful.ports.store import SearchRow, Writing
from heedful.service.passages import claim_passage, claim_search_text
from heedful.service.project_merges import put_merge

# An expired one is found by whoever asks of a time when it held; its validity keeps it out of every later answer.
_SEARCHABLE = (UNREVIEWED - {ClaimStatus.PROPOSED}) | {ClaimStatus.ACTIVE, ClaimStatus.EXPIRED}


def claim_there(writing: Writing, claim_id: ClaimId) -> Claim:
    """The claim of this id.

    Raises:
        FaultError: `ledger_inconsistent` where no event brought it.
    """
    claim = writing.claim(claim_id)
    if claim is None:
        raise fold.ledger_inconsistent(f"no event brought claim {claim_id}", claim_id)
    return claim


def put_belief(
    writing: Writing, event: BeliefEvent | MergeEvent, position: int, recorded_at_us: int, passages: dict[int, str]
) -> None:
    """The claim, the conflict and both of its claims, or the merge, are there as the event leaves them.

    Raises:
        FaultError: `ledger_inconsistent` where a conflict ends that is not open, or of claims that are not there.
    """
    if isinstance(event, MergeEvent):
        put_merge(writing, event, position, recorded_at_us)
        return
    if not isinstance(event, ConflictDetected | ConflictResolved):
        after = fold.believe(claim_there(writing, event.claim_id), event)
        if isinstance(event, ClaimBounded | ClaimWeighed | ClaimConfirmed | ClaimUnconfirmed):
            by = None if isinstance(event, ClaimUnconfirmed) else event.by
            writing.put_claim_change(position, event.claim_id, by)
        if isinstance(event, ClaimBounded):
            put_claim(writing, after, passages)
        else:
            writing.put_claim(after)  # by these it is found as before: nothing that its row has is changed
        return
    if isinstance(event, ConflictDetected):
        conflict = detected(event, position=position, recorded_at_us=recorded_at_us)
    else:
        stored = writing.conflict(event.conflict_id)
        if stored is None or not stored.is_open:
            raise fold.ledger_inconsistent(f"conflict {event.conflict_id} is not open", event.conflict_id)
        conflict = resolved(stored, event, recorded_at_us=recorded_at_us)
    writing.put_conflict(conflict)
    for claim_id in (conflict.standing_id, conflict.newcomer_id):
        writing.put_claim(fold.believe(claim_there(writing, claim_id), event))


def put_claim(writing: Writing, claim: Claim, passages: dict[int, str]) -> None:
    """The claim is there as given, found where it may be; `passages` learns what its row is to have a vector of."""
    writing.put_claim(claim)
    # What was superseded is found by whoever asks of a time when it held.
    is_history = claim.status is ClaimStatus.SUPERSEDED and not claim.in_mind.is_empty
    # And what is known to be out of date, by whoever would take the want of it for not knowing.
    is_found = claim.status in _SEARCHABLE or is_history or is_changing(claim)
    if not is_found or claim.visibility is Visibility.HELD:
        writing.delete_search_row(claim.position)
        return
    put_search_row(
        writing,
        SearchRow(
            position=claim.position,
            item="claim",
            item_id=claim.claim_id,
            scope=claim.scope,
            classification=Classification(claim.classification),
            record_type="",
            unreviewed=claim.status in UNREVIEWED,
            valid_from_us=claim.in_mind.start_us,
            valid_to_us=claim.in_mind.end_us,
            tokens=search_tokens(claim_search_text(claim)),
        ),
        (),
        claim_passage(claim),
        passages,
    )


def put_search_row(
    writing: Writing,
    row: SearchRow,
    attributes: Sequence[tuple[str, AttributeValue]],
    passage: str,
    passages: dict[int, str],
) -> None:
    """The row is found by its tokens; `passages` learns what it is to have a vector of."""
    writing.put_search_row(row, attributes)
    passages[row.position] = passage
