"""Reading: one moment of one tenant; see ports.store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heedful.adapters.storage.codec import (
    RANKS,
    counts_of,
    is_storable,
    scope_of,
)
from heedful.adapters.storage.postgres.beliefs import BeliefReading
from heedful.adapters.storage.postgres.chains import BEFORE_EVERY_POSITION, EVENTS_PAGE, ChainReading, event_row_of
from heedful.adapters.storage.postgres.claims import ClaimReading
from heedful.adapters.storage.postgres.connection import Row, Session
from heedful.adapters.storage.postgres.dump import dump_views
from heedful.adapters.storage.postgres.erasure import ErasureReading
from heedful.adapters.storage.postgres.search import search
from heedful.adapters.storage.postgres.state import State
from heedful.adapters.storage.postgres.statements import Q, ScopeNumbers, attribute_clauses, denied_clause, find_rows
from heedful.adapters.storage.postgres.stored import stored_permit, stored_proposal, stored_record
from heedful.adapters.storage.postgres.texts import key_of
from heedful.adapters.storage.postgres.upkeep import UpkeepReading
from heedful.adapters.storage.queries import fill
from heedful.kernel.ids import (
    EventId,
    PermitId,
    PrincipalId,
    ProposalId,
    RecordId,
    Revision,
    RunId,
    TenantId,
    VerdictId,
)
from heedful.kernel.ladder import Classification
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
    StoredProposal,
    StoredRecord,
    StoredVerdict,
    Visible,
)

_BEYOND_EVERY_POSITION = (1 << 63) - 1


class PostgresReading(ChainReading, ErasureReading, BeliefReading, UpkeepReading, ClaimReading):
    """See Reading."""

    def __init__(self, tenant_id: TenantId, session: Session, state: State, scope_ids: ScopeNumbers) -> None:
        """A reader inside the transaction that `session` has open; `scope_ids` learns numbers of scopes."""
        self._tenant_id = tenant_id
        self._session = session
        self._state = state
        self._known_scopes = scope_ids
        self._in_sight = {}
        self._opening = None
        # What a search counted on the way, which the packet asks for later.
        self._visible_counts: dict[Visible, int] = {}

    def end(self) -> None:
        """Every later call fails: the moment is over, and its connection serves others."""
        self._session.end()

    def head(self, chain: Chain) -> Head:
        """See EventReader.head."""
        return self._state.ledger if chain is Chain.LEDGER else self._state.access

    def events(self, chain: Chain, *, after: int = 0, limit: int | None = None) -> Iterator[SealedEvent]:
        """See EventReader.events."""
        left = _BEYOND_EVERY_POSITION if limit is None else limit
        # From the start means from the start: a row that was put before position 1 must be met, not passed over.
        first = after + 1 if after > 0 else BEFORE_EVERY_POSITION
        while left > 0:
            page = self._page(chain, first, min(left, EVENTS_PAGE))
            yield from page
            if len(page) < min(left, EVENTS_PAGE):
                return
            left -= len(page)
            first = page[-1].envelope.position + 1

    def events_of(self, event_type: str, *, after: int = 0, holding: str = "") -> Iterator[SealedEvent]:
        """See EventReader.events_of."""
        statement = fill(Q["ledger_page_of"], columns=Q["event_columns"], holding=Q["with_text"] if holding else "")
        held = (holding.encode(),) if holding else ()
        first = after + 1
        while True:
            rows = self._session.rows(statement, (first, event_type.encode(), *held, EVENTS_PAGE))
            page = [self._event(row) for row in rows]
            yield from page
            if len(page) < EVENTS_PAGE:
                return
            first = page[-1].envelope.position + 1

    def event_by_id(self, chain: Chain, event_id: EventId) -> SealedEvent | None:
        """See EventReader.event_by_id."""
        if not is_storable(event_id):
            return None
        name = "ledger_event_by_id" if chain is Chain.LEDGER else "access_event_by_id"
        row = self._session.row(fill(Q[name], columns=Q["event_columns"]), (event_id.encode(),))
        return None if row is None else self._event(row)

    def event(self, chain: Chain, position: int) -> SealedEvent | None:
        """See EventReader.event."""
        page = self._page(chain, position, 1)
        return page[0] if page and page[0].envelope.position == position else None

    def checkpoint(self) -> int:
        """See ViewReader.checkpoint."""
        return self._state.checkpoint

    def record(self, record_id: RecordId) -> StoredRecord | None:
        """See ViewReader.record."""
        row = self._session.row(Q["record"], (record_id.encode(),)) if is_storable(record_id) else None
        return None if row is None else stored_record(row)

    def records_by_ids(self, record_ids: Sequence[RecordId]) -> tuple[StoredRecord, ...]:
        """See ViewReader.records_by_ids."""
        return tuple(stored_record(row) for row in find_rows(self._session, "records_by_ids", record_ids))

    def record_by_source(self, source_ref: str, scope: Scope, classification: Classification) -> StoredRecord | None:
        """See ViewReader.record_by_source."""
        place = (key_of(source_ref), key_of(scope.key), RANKS[classification])
        row = self._session.row(Q["record_by_source"], place)
        return None if row is None else stored_record(row)

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
        clauses, values = attribute_clauses(attributes, table="record_attributes", key="record_id", row="r.record_id")
        denied, denied_values = denied_clause("record_not_denied", visible.denied_kinds)
        in_run = Q["in_run"] if run_id is not None else ""
        statement = fill(Q["records_in_scopes"], run=in_run, attributes=clauses, denied=denied)
        bounds = (_BEYOND_EVERY_POSITION if before is None else before, status.value, RANKS[visible.clearance])
        rest = (*(() if run_id is None else (run_id.encode(),)), *values, *denied_values, limit, limit)
        rows = self._session.rows(statement, (self._scope_ids(visible), *bounds, *rest))
        return tuple(map(stored_record, rows))

    def scopes(self) -> tuple[Scope, ...]:
        """See ViewReader.scopes."""
        return tuple(scope_of(key.decode()) for _scope_id, key in self._session.rows(Q["scope_keys"]))

    def visible_position(self, visible: Visible) -> int:
        """See ViewReader.visible_position."""
        known = self._visible_counts.get(visible)
        if known is not None:
            return known
        denied, values = denied_clause("row_not_denied", visible.denied_kinds)
        bounds = (self._scope_ids(visible), RANKS[visible.clearance], *values)
        ((count,),) = self._session.rows(fill(Q["visible_count"], visible=fill(Q["in_sight"], filters=denied)), bounds)
        return int(count)

    def search(
        self, visible: Visible, terms: Sequence[str], search_filter: SearchFilter, *, limit: int
    ) -> SearchResult:
        """See ViewReader.search."""
        scope_ids = self._scope_ids(visible)
        result, count = search(self._session, scope_ids, visible, terms, search_filter, limit=limit)
        self._visible_counts[visible] = count
        return result

    def modes(self) -> tuple[ModeSetting, ...]:
        """See ViewReader.modes."""
        return self._opened().modes

    def bridge_approvals(self) -> tuple[tuple[str, PrincipalId], ...]:
        """See ViewReader.bridge_approvals."""
        rows = self._session.rows(Q["bridge_approvals"])
        return tuple((bridge_digest.decode(), PrincipalId(actor.decode())) for bridge_digest, actor in rows)

    def bridge_proposal(self, proposal_id: ProposalId) -> StoredProposal | None:
        """See ViewReader.bridge_proposal."""
        row = self._session.row(Q["bridge_proposal"], (proposal_id.encode(),)) if is_storable(proposal_id) else None
        return None if row is None else stored_proposal(row)

    def bridge_proposals(
        self, status: str, *, limit: int, newest_first: bool = False, holding: str = ""
    ) -> tuple[StoredProposal, ...]:
        """See ViewReader.bridge_proposals."""
        statement = fill(Q["bridge_proposals"], down=" DESC" if newest_first else "")
        return tuple(map(stored_proposal, self._session.rows(statement, (status, holding.encode(), limit))))

    def registry_body(self, revision: Revision) -> str | None:
        """See ViewReader.registry_body."""
        row = self._session.row(Q["registry_body"], (revision.encode(),)) if is_storable(revision) else None
        return None if row is None else row[0].decode()

    def registry_revisions(self) -> tuple[Revision, ...]:
        """See ViewReader.registry_revisions."""
        return tuple(Revision(revision.decode()) for (revision,) in self._session.rows(Q["registry_revisions"]))

    def verdicts(self, *, limit: int) -> tuple[StoredVerdict, ...]:
        """See ViewReader.verdicts."""
        rows = self._session.rows(Q["newest_verdicts"], (limit,))
        return tuple(
            StoredVerdict(VerdictId(verdict_id.decode()), position, verdict_json.decode())
            for verdict_id, position, verdict_json in rows
        )

    def verdict(self, verdict_id: VerdictId) -> StoredVerdict | None:
        """See ViewReader.verdict."""
        row = self._session.row(Q["verdict"], (verdict_id.encode(),)) if is_storable(verdict_id) else None
        return None if row is None else StoredVerdict(verdict_id, row[0], row[1].decode())

    def permit(self, permit_id: PermitId) -> StoredPermit | None:
        """See ViewReader.permit."""
        row = self._session.row(Q["permit"], (permit_id.encode(),)) if is_storable(permit_id) else None
        return None if row is None else stored_permit(permit_id, row)

    def counts(self) -> dict[str, int]:
        """See ViewReader.counts."""
        return counts_of((str(name), count) for name, count in self._session.rows(Q["counts"]))

    def dump_views(self) -> Iterator[bytes]:
        """See ViewReader.dump_views."""
        return dump_views(self._session, self._state.checkpoint)

    def _page(self, chain: Chain, first: int, count: int) -> list[SealedEvent]:
        return [sealed_of(row, self._tenant_id) for row in self.event_rows(chain, first, count)]

    def _event(self, row: Row) -> SealedEvent:
        return sealed_of(event_row_of(row), self._tenant_id)
