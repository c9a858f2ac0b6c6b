"""What the store promises of merges of subjects."""

from __future__ import annotations

from typing import Protocol

from heedful.claims.merge import Merge
from heedful.kernel.ids import MergeId
from heedful.ports.rows import Visible


class MergeReader(Protocol):
    """The part of a reader that is about merges."""

    def merge(self, merge_id: MergeId) -> Merge | None:
        """The merge, wherever it stands and whoever asks, or None."""
        ...

    def merges(self, visible: Visible, *, only_joined: bool, limit: int) -> tuple[Merge, ...]:
        """The merges of a visible label, the newest position first; filtered before `limit` cuts.

        `denied_kinds` of `visible` say nothing here: a merge is of no kind.
        """
        ...
