"""References: which record each item of a trace became; of a long trace the newest at hand, the others in the store."""

from __future__ import annotations

from collections.abc import Iterable

from heedful.kernel.ids import RecordId
from heedful.kernel.ladder import Classification
from heedful.kernel.newest import Newest
from heedful.kernel.scope import Scope
from heedful.ports.store import Reading
from heedful.service.keeping.keep import kept_before

REFERENCES_HELD_MIN = 25_000
"""Items of one trace whose records are at hand: some 300 bytes each. Twice as many at most."""


class References:
    """Source reference -> record, for one import in one scope."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._newest: Newest[str, RecordId] = Newest(REFERENCES_HELD_MIN)
        self._found: dict[str, RecordId] = {}

    def note(self, source_ref: str, record_id: RecordId) -> None:
        """The item of this reference became this record."""
        self._newest.put(source_ref, record_id)

    def get(self, source_ref: str) -> RecordId | None:
        """The record, where it is at hand."""
        return self._newest.get(source_ref) or self._found.get(source_ref)

    def __contains__(self, source_ref: str) -> bool:
        """True where an item of this reference came, and is at hand."""
        return source_ref in self._newest

    def look_for(self, reading: Reading, source_refs: Iterable[str], scope: Scope) -> None:
        """What was forgotten of these is at hand until this is called again, as far as it was kept."""
        self._found.clear()
        if not self._newest.has_forgotten:
            return
        for source_ref in source_refs:
            if source_ref not in self._newest and source_ref not in self._found:
                stored = kept_before(reading, source_ref, scope, Classification.NORMAL)
                if stored is not None:
                    self._found[source_ref] = stored.record.record_id
