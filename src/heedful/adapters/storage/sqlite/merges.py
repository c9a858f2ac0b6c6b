"""What is read and kept of merges of subjects; see MergeReader and Writing."""

from __future__ import annotations

from typing import Any

from heedful.adapters.storage.codec import RANKS, decode_merge, encode_body, is_storable
from heedful.adapters.storage.queries import fill
from heedful.adapters.storage.sqlite.statements import Q, scope_list
from heedful.claims.merge import Merge
from heedful.kernel.ids import MergeId
from heedful.ports.store import Visible


class MergeReading:
    """The part of a reader that is about merges."""

    _run: Any
    _scope_ids: Any

    def merge(self, merge_id: MergeId) -> Merge | None:
        """See MergeReader.merge."""
        rows = self._run(Q["merge"], (merge_id,)).fetchall() if is_storable(merge_id) else ()
        return next((decode_merge(body) for (body,) in rows), None)

    def merges(self, visible: Visible, *, only_joined: bool, limit: int) -> tuple[Merge, ...]:
        """See MergeReader.merges."""
        scope_ids = self._scope_ids(visible)
        if not scope_ids:
            return ()
        scopes, bound = scope_list(scope_ids)
        statement = fill(Q["merges"], scopes=scopes, joined=Q["of_joined"] if only_joined else "")
        rows = self._run(statement, (*bound, RANKS[visible.clearance], limit)).fetchall()
        return tuple(decode_merge(body) for (body,) in rows)


class MergeWriting:
    """The part of a writer that is about merges."""

    _run: Any
    _scope_id: Any

    def put_merge(self, merge: Merge) -> None:
        """See Writing.put_merge."""
        place = (self._scope_id(merge.scope), RANKS[merge.classification], merge.standing.value)
        self._run(Q["put_merge"], (merge.position, merge.merge_id, *place, encode_body(merge)))
