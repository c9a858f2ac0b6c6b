"""Near: the visible records around one, among which causes are looked for; each look is bounded."""

from __future__ import annotations

from collections.abc import Iterable

from heedful.claims.projections.causality import CALL_ATTRIBUTES, CAUSED_BY, call_ids, declared_causes
from heedful.claims.projections.identifiers import Identifier, attributes_of, identifiers_of
from heedful.kernel.ids import RecordId, RunId
from heedful.kernel.ladder import Classification, Impact
from heedful.observations.record import AttributeValue, Record, RecordStatus, RecordType
from heedful.observations.text import query_terms
from heedful.policy.model import Policy
from heedful.policy.tools import match_tool_call
from heedful.ports.store import AttributeFilter, Reading, SearchFilter, StoredRecord, Visible
from heedful.service.keeping.calls import called
from heedful.service.session import Session
from heedful.service.sight import seen_record

NEWEST_MAX = 1_000
"""The newest visible records, of all runs, that are looked at: what was made from a record is found among these."""
RUN_RECORDS_MAX = 1_000
"""Records of one run before a record, and the newest of that run."""
NAMING_MAX = 100
"""Records that name one thing, those that name it most plainly first."""


class Near:
    """Records that were looked at, by id. What the session may not see is never among them.

    Attributes:
        is_cut: somewhere there were more than are looked at.
    """

    def __init__(self, session: Session, reading: Reading, visible: Visible) -> None:
        """Nothing looked at yet."""
        self.stored: dict[RecordId, StoredRecord] = {}
        self.is_cut = False
        self._session = session
        self._reading = reading
        self._visible = visible
        self._gathered: set[RecordId] = set()
        self._names: dict[RecordId, frozenset[Identifier]] = {}
        self._has_newest = False

    @property
    def records(self) -> list[Record]:
        """All of them."""
        return [each.record for each in self.stored.values()]

    @property
    def reads(self) -> set[RecordId]:
        """The tool calls that only looked, by the registry's tools, and their results."""
        return reads_among(self.records, self._session.registry.policy)

    def names_of(self, record: Record) -> frozenset[Identifier]:
        """What the record names, read once."""
        if record.record_id not in self._names:
            self._names[record.record_id] = identifiers_of(record)
        return self._names[record.record_id]

    def add(self, stored: StoredRecord) -> None:
        """One record that the session may see, whether it is evidence now or not."""
        self.stored.setdefault(stored.record.record_id, stored)

    def gather(self, stored: StoredRecord) -> None:
        """Adds what may be tied to the record: what it names as its origin, its run, its call, what names the same."""
        record = stored.record
        if record.record_id in self._gathered:
            return
        self._gathered.add(record.record_id)
        self.look_at_newest()
        if record.run_id is not None:
            self._page(RUN_RECORDS_MAX, run_id=record.run_id, before=stored.position + 1)
            self._page(RUN_RECORDS_MAX, run_id=record.run_id)
        self.gather_tied(stored)

    def gather_tied(self, stored: StoredRecord) -> None:
        """Adds only what the record itself names, and what names it: origins, its call, what names the same things."""
        record = stored.record
        self._add_origins(record)
        calls: tuple[AttributeValue, ...] = tuple(sorted(call_ids(record)))
        for name in CALL_ATTRIBUTES if calls else ():
            self._page(NAMING_MAX, AttributeFilter(name, calls))
        names: tuple[AttributeValue, ...] = (record.record_id,)
        names += (record.told_source_ref,) if record.told_source_ref is not None else ()
        self._page(NAMING_MAX, AttributeFilter(CAUSED_BY, names))
        for each in sorted(self.names_of(record)):
            self._add_naming(each)

    def look_at_newest(self) -> None:
        """Adds the newest visible records."""
        if not self._has_newest:
            self._has_newest = True
            self._page(NEWEST_MAX)

    def _page(
        self,
        limit: int,
        wanted: AttributeFilter | None = None,
        *,
        run_id: RunId | None = None,
        before: int | None = None,
    ) -> None:
        found = self._reading.records(
            self._visible,
            status=RecordStatus.ADMITTED,
            run_id=run_id,
            attributes=() if wanted is None else (wanted,),
            before=before,
            limit=limit + 1,
        )
        self.is_cut = self.is_cut or len(found) > limit
        self._add_all(found[:limit])

    def _add_all(self, found: Iterable[StoredRecord]) -> None:
        for each in found:
            self.add(each)

    def _add_origins(self, record: Record) -> None:
        declared = declared_causes(record)
        for record_id in (*record.derived_from, *map(RecordId, sorted(declared))):
            stored = seen_record(self._session, self._reading, record_id)
            if stored is not None and stored.is_evidence:
                self.add(stored)
        readable = [each for each in Classification if self._visible.clearance.at_least(each)]
        for reference in sorted(declared):
            for classification in readable:
                known = self._reading.record_by_source(reference, record.scope, classification)
                stored = None if known is None else seen_record(self._session, self._reading, known.record.record_id)
                if stored is not None and stored.is_evidence:
                    self.add(stored)

    def _add_naming(self, wanted: Identifier) -> None:
        terms = query_terms(wanted.value)
        if terms:
            search_filter = SearchFilter("record", (), (), self._session.clock.now_us(), unreviewed=False)
            result = self._reading.search(self._visible, terms, search_filter, limit=NAMING_MAX)
            found = self._reading.records_by_ids([RecordId(hit.item_id) for hit in result.hits])
            self._add_all(each for each in found if each.is_evidence)
        values: tuple[AttributeValue, ...] = (wanted.value,)
        values += (int(wanted.value),) if wanted.is_numbered and wanted.value.isdecimal() else ()
        for name in attributes_of(wanted.sort):
            self._page(NAMING_MAX, AttributeFilter(name, values))


def reads_among(records: Iterable[Record], policy: Policy) -> set[RecordId]:
    """The tool calls that only looked, by the registry's tools, and their results."""
    listed = list(records)
    calls = [record for record in listed if record.type is RecordType.TOOL_CALL and _is_read(record, policy)]
    answered = {(each, call.run_id) for call in calls for each in call_ids(call)}
    return {call.record_id for call in calls} | {
        record.record_id for record in listed if any((each, record.run_id) in answered for each in call_ids(record))
    }


def _is_read(call: Record, policy: Policy) -> bool:
    tool, args = called(call)
    if tool is None or args is None:
        return False
    matched = match_tool_call(tool, args, policy)
    return matched.known and matched.impact is Impact.READ
