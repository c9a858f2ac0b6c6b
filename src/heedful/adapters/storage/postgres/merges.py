"""What is read and kept of merges of subjects; see MergeReader and Writing."""

from __future__ import annotations

from typing import Any

from heedful.adapters.storage.codec import RANKS, decode_merge, encode_body, is_storable
from heedful.adapters.storage.postgres.connection import Session
from heedful.adapters.storage.postgres.statements import Q
from heedful.adapters.storage.queries import fill
from heedful.claims.merge import Merge
from heedful.kernel.ids import MergeId
from heedful.ports.store import Visible


class MergeReading:
    """The part of a reader that is about merges."""

    _session: Session
    _scope_ids: Any

    def merge(self, merge_id: MergeId) -> Merge | None:
        """See MergeReader.merge."""
        row = self._session.row(Q["merge"], (merge_id.encode(),)) if is_storable(merge_id) else None
        return None if row is None else decode_merge(row[0])

    def merges(self, visible: Visible, *, only_joined: bool, limit: int) -> tuple[Merge, ...]:
        """See MergeReader.merges."""
        scope_ids = self._scope_ids(visible)
        if not scope_ids:
            return ()
        statement = fill(Q["merges"], joined=Q["of_joined"] if only_joined else "")
        rows = self._session.rows(statement, (scope_ids, RANKS[visible.clearance], limit))
        return tuple(decode_merge(body) for (body,) in rows)


class MergeWriting:
    """The part of a writer that is about merges."""

    _session: Session
    _scope_id: Any

    def put_merge(self, merge: Merge) -> None:
        """See Writing.put_merge."""
        place = (self._scope_id(merge.scope), RANKS[merge.classification], merge.standing.value)
        self._session.run(Q["put_merge"], (merge.position, merge.merge_id.encode(), *place, encode_body(merge)))
