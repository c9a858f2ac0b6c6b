"""Reading: one moment of one tenant's database; see ports.store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from heedful.adapters.storage.codec import (
    RANKS,
    counts_of,
    is_storable,
    scope_of,
)
from heedful.adapters.storage.queries import fill
from heedful.adapters.storage.refusals import moment_over
from heedful.adapters.storage.sqlite.beliefs import BeliefReading
from heedful.adapters.storage.sqlite.bridges import BridgeReading
from heedful.adapters.storage.sqlite.chains import BEFORE_EVERY_POSITION, EVENTS_PAGE, ChainReading
from heedful.adapters.storage.sqlite.claims import ClaimReading
from heedful.adapters.storage.sqlite.connection import Row, Session
from heedful.adapters.storage.sqlite.dump import dump_views
from heedful.adapters.storage.sqlite.erasure import ErasureReading
from heedful.adapters.storage.sqlite.search import search
from heedful.adapters.storage.sqlite.state import State
from heedful.adapters.storage.sqlite.statements import (
    Q,
    attribute_clauses,
    denied_clause,
    find_rows,
    json_list,
)
from heedful.adapters.storage.sqlite.stored import stored_record
from heedful.adapters.storage.sqlite.upkeep import UpkeepReading
from heedful.kernel.ids import EventId, PermitId, RecordId, Revision, RunId, TenantId, VerdictId
from heedful.kernel.ladder import Classification, Mode
from heedful.kernel.scope import Scope
from heedful.ledger.pages import sealed_of
from heedful.ledger.seal import Head, SealedEvent
from heedful.observations.record import RecordStatus
from heedful.ports.store import (
    AttributeFilter,
    Chain,
    ModeSetting,
    SearchFilter,
    SearchResult,
    StoredPermit,
    StoredRecord,
    StoredVerdict,
    Visible,
)

_BEYOND_EVERY_POSITION = (1 << 63) - 1


class SqliteReading(ChainReading, BridgeReading, BeliefReading, UpkeepReading, ErasureReading, ClaimReading):
    """See Reading."""

    def __init__(self, tenant_id: TenantId, session: Session, state: State) -> None:
        """A reader inside the transaction that `session` has open."""
        self._tenant_id = tenant_id
        self._session = session
        self._run: Any = session.cursor.execute
        self._state = state
        self._streams: list[Any] = []

    def end(self) -> None:
        """Every later call fails: the moment is over, and its connection serves others."""
        self._run = _over
        for cursor in self._streams:
            cursor.close()

    def head(self, chain: Chain) -> Head:
        """See EventReader.head."""
        return self._state.ledger if chain is Chain.LEDGER else self._state.access

    def events(self, chain: Chain, *, after: int = 0, limit: int | None = None) -> Iterator[SealedEvent]:
        """See EventReader.events."""
        left = _BEYOND_EVERY_POSITION if limit is None else limit
        # From the start means from the start: a row that was put before position 1 must be met, not passed over.
        first = after + 1 if after > 0 else BEFORE_EVERY_POSITION
        while left > 0:
            rows = self._page(chain, first, min(left, EVENTS_PAGE))
            for row in rows:
                yield sealed_of(row, self._tenant_id)
            if len(rows) < min(left, EVENTS_PAGE):
                return
            left -= len(rows)
            first = rows[-1][0] + 1

    def events_of(self, event_type: str, *, after: int = 0, holding: str = "") -> Iterator[SealedEvent]:
        """See EventReader.events_of."""
        first = after + 1
        statement = fill(Q["ledger_page_of"], holding=Q["with_text"] if holding else "")
        held = (holding,) if holding else ()
        while True:
            rows = self._run(statement, (first, event_type, *held, EVENTS_PAGE)).fetchall()
            for row in rows:
                yield sealed_of(row, self._tenant_id)
            if len(rows) < EVENTS_PAGE:
                return
            first = rows[-1][0] + 1

    def event_by_id(self, chain: Chain, event_id: EventId) -> SealedEvent | None:
        """See EventReader.event_by_id."""
        name = "ledger_event_by_id" if chain is Chain.LEDGER else "access_event_by_id"
        row = self._run(Q[name], (event_id,)).get if is_storable(event_id) else None
        return None if row is None else sealed_of(row, self._tenant_id)

    def event(self, chain: Chain, position: int) -> SealedEvent | None:
        """See EventReader.event."""
        rows = self._page(chain, position, 1)
        return sealed_of(rows[0], self._tenant_id) if rows and rows[0][0] == position else None

    def checkpoint(self) -> int:
        """See ViewReader.checkpoint."""
        return self._state.checkpoint

    def record(self, record_id: RecordId) -> StoredRecord | None:
        """See ViewReader.record."""
        return self._one_record("record", record_id)

    def records_by_ids(self, record_ids: Sequence[RecordId]) -> tuple[StoredRecord, ...]:
        """See ViewReader.records_by_ids."""
        return tuple(stored_record(row) for row in find_rows(self._run, "records_by_ids", record_ids))

    def record_by_source(self, source_ref: str, scope: Scope, classification: Classification) -> StoredRecord | None:
        """See ViewReader.record_by_source."""
        return self._one_record("record_by_source", source_ref, scope.key, RANKS[classification])

    def records(
        self,
        visible: Visible,
        *,
        status: RecordStatus,
        run_id: RunId | None,
        attributes: Sequence[AttributeFilter],
        before: int | None,
        limit: int,
    ) -> tuple[StoredRecord, ...]:
        """See ViewReader.records."""
        if run_id is not None and not is_storable(run_id):
            return ()
        clauses, values = attribute_clauses(attributes, table="record_attributes", row="r.row_id")
        denied, denied_values = denied_clause("record_not_denied", visible.denied_kinds)
        run = Q["in_run"] if run_id is not None else ""
        statement = fill(Q["records_in_scope"], run=run, attributes=clauses, denied=denied)
        bounds = (_BEYOND_EVERY_POSITION if before is None else before, status.value, RANKS[visible.clearance])
        rest = (*(() if run_id is None else (run_id,)), *values, *denied_values, limit)
        rows: list[Row] = []
        # One scope at a time, so that each is read from its newest row and no further than `limit`.
        for scope_id in self._scope_ids(visible):
            rows += self._run(statement, (scope_id, *bounds, *rest)).fetchall()
        rows.sort(key=_position, reverse=True)
        return tuple(map(stored_record, rows[:limit]))

    def scopes(self) -> tuple[Scope, ...]:
        """See ViewReader.scopes."""
        return tuple(scope_of(key) for (_scope_id, key) in self._run(Q["scope_keys"]).fetchall())

    def visible_position(self, visible: Visible) -> int:
        """See ViewReader.visible_position."""
        denied, values = denied_clause("row_not_denied", visible.denied_kinds)
        bounds = (json_list(self._scope_ids(visible)), RANKS[visible.clearance], *values)
        count: int = self._run(fill(Q["visible_position"], denied=denied), bounds).get
        return count

    def search(
        self, visible: Visible, terms: Sequence[str], search_filter: SearchFilter, *, limit: int
    ) -> SearchResult:
        """See ViewReader.search."""
        return search(self._run, self._scope_ids(visible), visible, terms, search_filter, limit=limit)

    def modes(self) -> tuple[ModeSetting, ...]:
        """See ViewReader.modes."""
        rows = self._run(Q["modes"]).fetchall()
        return tuple(ModeSetting(target_type, target_id, Mode(mode)) for target_type, target_id, mode in rows)

    def registry_body(self, revision: Revision) -> str | None:
        """See ViewReader.registry_body."""
        body: str | None = self._run(Q["registry_body"], (revision,)).get if is_storable(revision) else None
        return body

    def registry_revisions(self) -> tuple[Revision, ...]:
        """See ViewReader.registry_revisions."""
        return tuple(Revision(revision) for (revision,) in self._run(Q["registry_revisions"]).fetchall())

    def verdicts(self, *, limit: int) -> tuple[StoredVerdict, ...]:
        """See ViewReader.verdicts."""
        return tuple(StoredVerdict(*row) for row in self._run(Q["newest_verdicts"], (limit,)))

    def verdict(self, verdict_id: VerdictId) -> StoredVerdict | None:
        """See ViewReader.verdict."""
        row = self._run(Q["verdict"], (verdict_id,)).get if is_storable(verdict_id) else None
        return None if row is None else StoredVerdict(verdict_id, *row)

    def permit(self, permit_id: PermitId) -> StoredPermit | None:
        """See ViewReader.permit."""
        row = self._run(Q["permit"], (permit_id,)).get if is_storable(permit_id) else None
        return None if row is None else StoredPermit(permit_id, *row)

    def counts(self) -> dict[str, int]:
        """See ViewReader.counts."""
        return counts_of(self._run(Q["counts"]))

    def dump_views(self) -> Iterator[bytes]:
        """See ViewReader.dump_views."""
        return dump_views(self._stream, self._state.checkpoint, self._state.pending_count)

    def _stream(self, statement: str) -> Any:
        if self._run is _over:
            _over()
        cursor = self._session.connection.cursor()
        self._streams.append(cursor)
        return cursor.execute(statement)

    def _page(self, chain: Chain, first: int, count: int) -> list[Row]:
        name = "ledger_page" if chain is Chain.LEDGER else "access_page"
        rows: list[Row] = self._run(Q[name], (first, count)).fetchall()
        return rows

    def _one_record(self, name: str, key: str, *more: object) -> StoredRecord | None:
        row = self._run(Q[name], (key, *more)).get if is_storable(key) else None
        return None if row is None else stored_record(row)


def _position(row: Row) -> int:
    position: int = row[2]
    return position


def _over(*_values: object) -> NoReturn:
    raise moment_over()
