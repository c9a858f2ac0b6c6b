"""Writing: one transaction of one tenant; see ports.store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple

from heedful.adapters.storage.codec import (
    RANKS,
    attribute_rows,
    claim_rank,
    encode_body,
    event_row,
    names_of_claim,
    names_of_record,
    record_rank,
    short_key,
)
from heedful.adapters.storage.dropping import DropTable, drop_piece
from heedful.adapters.storage.queries import fill
from heedful.adapters.storage.refusals import head_after, source_ref_taken
from heedful.adapters.storage.sqlite.beliefs import BeliefWriting
from heedful.adapters.storage.sqlite.bridges import BridgeWriting
from heedful.adapters.storage.sqlite.connection import Session
from heedful.adapters.storage.sqlite.erasure import ErasureWriting
from heedful.adapters.storage.sqlite.reading import SqliteReading
from heedful.adapters.storage.sqlite.search import index_text
from heedful.adapters.storage.sqlite.state import State
from heedful.adapters.storage.sqlite.statements import Q, learn
from heedful.adapters.storage.sqlite.vectors import VectorWriting
from heedful.adapters.storage.tokens import pack_tokens
from heedful.claims.claim import Claim
from heedful.kernel.ids import Revision, TenantId
from heedful.kernel.scope import Scope
from heedful.ledger.seal import SealedEvent
from heedful.observations.record import AttributeValue
from heedful.ports.store import (
    Chain,
    DropKey,
    DropPoint,
    SearchFilter,
    SearchResult,
    SearchRow,
    StoredPermit,
    StoredRecord,
    StoredVerdict,
    Visible,
)

# Search rows that wait outside the full-text index. A search looks through them one by one; a single write is
# several times cheaper, since the index takes many rows for little more than the price of one.
PENDING_ROWS_MAX = 128
# What grows with the tenant. Of the full-text index its own tables, a row of which is a page or less: it can empty
# itself only as a whole, at once. That comes last, in clear_views, and reads none of these; the two rows up to 10 say
# which pages there are, and connections keep them in memory.
DROPPED = (
    DropTable("records", "row_id"),
    DropTable("record_attributes", "row_id, name, type, value"),
    DropTable("claims", "row_id"),
    DropTable("claim_evidence", "record_id, claim_row_id"),
    DropTable("claim_grounds", "ground_claim_id, claim_row_id"),
    DropTable("claim_changes", "position"),
    DropTable("record_origins", "from_record_id, record_row_id"),
    DropTable("conflicts", "position"),
    DropTable("merges", "position"),
    DropTable("item_names", "name, position, item_id"),
    DropTable("erased_keys", "key"),
    DropTable("search_rows", "position"),
    DropTable("search_attributes", "row_id, name, type, value"),
    DropTable("vectors", "model_id, scope_id, classification, position"),
    DropTable("vector_groups", "model_id, scope_id, classification"),
    DropTable("verdicts", "position"),
    DropTable("permits", "position"),
    DropTable("search_terms_docsize", "id"),
    DropTable("search_terms_idx", "segid, term"),
    DropTable("search_terms_data", "id", condition="id > 10"),
)


class SqliteWriting(BridgeWriting, ErasureWriting, BeliefWriting, VectorWriting, SqliteReading):
    """See Writing."""

    def __init__(self, tenant_id: TenantId, session: Session, state: State) -> None:
        """A writer inside the transaction that `session` has open; `state` is its own to change."""
        VectorWriting.__init__(self)
        SqliteReading.__init__(self, tenant_id, session, state)
        # New search rows of this transaction by position: scope number and packed tokens.
        self._fresh: dict[int, tuple[int, str]] = {}

    def finish(self) -> State:
        """The state after this work, which is in the database when this returns."""
        self._keep_fresh()
        self._keep_changed_groups()
        state = self._state
        row = (
            state.ledger.position,
            bytes.fromhex(state.ledger.digest),
            state.access.position,
            bytes.fromhex(state.access.digest),
            state.checkpoint,
            state.pending_count,
            state.vector_changes,
        )
        self._run(Q["save_state"], row)
        return state

    def append(self, chain: Chain, sealed: SealedEvent) -> None:
        """See Writing.append."""
        head = head_after(chain, self.head(chain), sealed, self._tenant_id)
        if chain is Chain.LEDGER:
            self._run(Q["append_ledger"], event_row(sealed))
            self._state.ledger = head
        else:
            self._run(Q["append_access"], event_row(sealed))
            self._state.access = head

    def put_record(self, stored: StoredRecord) -> None:
        """See Writing.put_record."""
        record = stored.record
        row = (
            stored.position,
            self._scope_id(record.scope),
            record_rank(stored),
            stored.status.value,
            record.run_id,
            record.source_ref,
            stored.recorded_at_us,
            stored.status_reason,
            encode_body(record),
        )
        self._run(Q["insert_record"], (record.record_id, *row))
        if self._session.connection.changes():
            row_id = self._session.connection.last_insert_rowid()
            names = names_of_record(record, stored.recorded_at_us)
            self._put_names(names, stored.position, record.record_id)
        else:
            row_id = self._replace_record(stored, row)
        if record.attributes:
            self._session.cursor.executemany(Q["insert_record_attribute"], attribute_rows(row_id, record.attributes))
        if record.derived_from:
            rows = [(each, row_id) for each in record.derived_from]
            self._session.cursor.executemany(Q["insert_origins"], rows)

    def put_claim(self, claim: Claim) -> None:
        """See Writing.put_claim."""
        row = (
            claim.position,
            self._scope_id(claim.scope),
            claim_rank(claim),
            claim.kind,
            short_key(claim.subject),
            claim.property,
            claim.status.value,
            claim.visibility.value,
            claim.tier.value,
            claim.in_mind.start_us,
            claim.in_mind.end_us,
            encode_body(claim),
        )
        self._run(Q["insert_claim"], (claim.claim_id, *row))
        if self._session.connection.changes():
            row_id = self._session.connection.last_insert_rowid()
            self._put_names(names_of_claim(claim), claim.position, claim.claim_id)
        else:
            row_id = self._run(Q["claim_row_id"], (claim.claim_id,)).get
            self._run(Q["update_claim"], (*row, row_id))
            self._run(Q["delete_evidence"], (row_id,))
        self._session.cursor.executemany(Q["insert_evidence"], [(record_id, row_id) for record_id in claim.evidence])
        if claim.rests_on:
            self._session.cursor.executemany(Q["insert_grounds"], [(each, row_id) for each in claim.rests_on])

    def put_search_row(self, row: SearchRow, attributes: Sequence[tuple[str, AttributeValue]]) -> None:
        """See Writing.put_search_row."""
        scope_id = self._scope_id(row.scope)
        columns = (
            row.position,
            scope_id,
            RANKS[row.classification],
            row.item,
            row.item_id,
            row.record_type,
            row.unreviewed,
            row.valid_from_us,
            row.valid_to_us,
            len(row.tokens),
        )
        self._run(Q["insert_search_row"], columns)
        if not self._session.connection.changes():
            self.delete_search_row(row.position)
            self._run(Q["insert_search_row"], columns)
        self._fresh[row.position] = (scope_id, pack_tokens(row.tokens))
        if attributes:
            self._session.cursor.executemany(Q["insert_search_attribute"], attribute_rows(row.position, attributes))

    def delete_search_row(self, position: int) -> None:
        """See Writing.delete_search_row."""
        groups = self._run(Q["delete_search_row"], (position,)).fetchall()
        if not groups:
            return
        self._drop_row_vectors(position, groups)
        self._run(Q["delete_search_attributes"], (position,))
        if self._fresh.pop(position, None) is not None:
            return
        self._run(Q["delete_pending"], (position,))
        if self._session.connection.changes():
            self._state.pending_count -= 1
        else:
            self._run(Q["delete_terms"], (position,))

    def put_registry_body(self, revision: Revision, body_json: str) -> None:
        """See Writing.put_registry_body."""
        self._run(Q["put_registry_body"], (revision, body_json))

    def put_verdict(self, verdict: StoredVerdict) -> None:
        """See Writing.put_verdict."""
        self._run(Q["put_verdict"], (verdict.verdict_id, verdict.position, verdict.verdict_json))

    def put_permit(self, permit: StoredPermit) -> None:
        """See Writing.put_permit."""
        self._run(Q["put_permit"], astuple(permit))

    def set_checkpoint(self, position: int) -> None:
        """See Writing.set_checkpoint."""
        self._state.checkpoint = position

    def clear_views(self) -> None:
        """See Writing.clear_views."""
        self._run(Q["clear_views"]).fetchall()
        self._fresh.clear()
        self._forget_changed_groups()
        self._state.checkpoint = 0
        self._state.pending_count = 0

    def drop_view_rows(self, start: DropPoint | None, *, limit: int) -> DropPoint | None:
        """See Writing.drop_view_rows."""
        self._keep_fresh()
        return drop_piece(DROPPED, start, self._drop_rows, events=self._state.ledger.position, limit=limit)

    def search(
        self, visible: Visible, terms: Sequence[str], search_filter: SearchFilter, *, limit: int
    ) -> SearchResult:
        """See ViewReader.search."""
        self._keep_fresh()
        return super().search(visible, terms, search_filter, limit=limit)

    def dump_views(self) -> Iterator[bytes]:
        """See ViewReader.dump_views."""
        self._keep_fresh()
        return super().dump_views()

    def _scope_id(self, scope: Scope) -> int:
        key = scope.key
        scope_id = self._session.scope_ids.get(key)
        if scope_id is None:
            number: int = self._run(Q["put_scope"], (key,)).get
            learn(self._session.scope_ids, [(key, number)])
            return number
        return scope_id

    def _replace_record(self, stored: StoredRecord, row: tuple[object, ...]) -> int:
        record = stored.record
        row_id: int | None = self._run(Q["record_row_id"], (record.record_id,)).get
        place = (record.source_ref, self._scope_id(record.scope), record_rank(stored))
        owner = None if record.source_ref is None else self._run(Q["source_owner"], place).get
        if row_id is None or owner not in (None, record.record_id):
            raise source_ref_taken()
        self._run(Q["update_record"], (*row, row_id))
        self._run(Q["delete_record_attributes"], (row_id,))
        return row_id

    def _drop_rows(self, table: DropTable, _after: DropKey, limit: int) -> tuple[int, DropKey | None]:
        # What is deleted leaves nothing to pass over: the first rows are always the next.
        self._run(fill(Q["drop_rows"], table=table.name, key=table.key, condition=table.condition), (limit,))
        gone = self._session.connection.changes()
        return gone, () if gone == limit else None

    def _keep_fresh(self) -> None:
        """The new search rows wait in their table or, with too many of them, all that wait enter the index."""
        if not self._fresh:
            return
        state = self._state
        rows = [(position, scope_id, packed) for position, (scope_id, packed) in self._fresh.items()]
        self._fresh.clear()
        if state.pending_count + len(rows) <= PENDING_ROWS_MAX:
            self._session.cursor.executemany(Q["insert_pending"], rows)
            state.pending_count += len(rows)
            return
        if state.pending_count:
            rows += self._run(Q["all_pending"]).fetchall()
            self._run(Q["clear_pending"])
            state.pending_count = 0
        self._session.cursor.executemany(
            Q["insert_terms"],
            [(position, index_text(packed, scope_id)) for position, scope_id, packed in sorted(rows)],
        )
