"""Project merges: what was said of two subjects, as an event leaves it. No claim changes by it."""

from __future__ import annotations

from heedful.claims import fold
from heedful.claims.merge import MergeStanding, said, undone
from heedful.ledger.merge_events import MergeEvent, SubjectsUnmerged
from heedful.ports.store import Writing


def put_merge(writing: Writing, event: MergeEvent, position: int, recorded_at_us: int) -> None:
    """The merge is there as the event leaves it.

    Raises:
        FaultError: `ledger_inconsistent` where one is undone that does not stand.
    """
    if not isinstance(event, SubjectsUnmerged):
        writing.put_merge(said(event, position=position, recorded_at_us=recorded_at_us))
        return
    stored = writing.merge(event.merge_id)
    if stored is None or stored.standing is not MergeStanding.JOINED:
        raise fold.ledger_inconsistent(
            f"merge {event.merge_id} does not stand, and the ledger undoes it", event.merge_id
        )
    writing.put_merge(undone(stored, event, recorded_at_us=recorded_at_us))
