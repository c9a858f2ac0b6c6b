"""Writing: one transaction of one tenant; see ports.store."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from heedful.adapters.storage.codec import (
    claim_rank,
    encode_body,
    names_of_claim,
    names_of_record,
    record_rank,
    short_key,
)
from heedful.adapters.storage.dropping import DropTable, drop_piece
from heedful.adapters.storage.postgres.beliefs import BeliefWriting
from heedful.adapters.storage.postgres.connection import STATEMENT_SECONDS_MAX, Session
from heedful.adapters.storage.postgres.erasure import ErasureWriting
from heedful.adapters.storage.postgres.fresh import FreshRows
from heedful.adapters.storage.postgres.reading import PostgresReading
from heedful.adapters.storage.postgres.state import State
from heedful.adapters.storage.postgres.statements import Q, ScopeNumbers, drop_statement, learn
from heedful.adapters.storage.postgres.texts import attribute_columns, key_of
from heedful.adapters.storage.postgres.vectors import VectorWriting
from heedful.adapters.storage.refusals import head_after, source_ref_taken
from heedful.claims.claim import Claim
from heedful.kernel.ids import PrincipalId, Revision, TenantId
from heedful.kernel.ladder import Mode
from heedful.kernel.scope import Scope
from heedful.ledger.seal import SealedEvent
from heedful.observations.record import AttributeValue
from heedful.ports.store import (
    Chain,
    DropKey,
    DropPoint,
    SearchRow,
    StoredPermit,
    StoredProposal,
    StoredRecord,
    StoredVerdict,
)

# What grows with the tenant, by the primary key behind the tenant's number. A text has some twenty words.
DROPPED = (
    DropTable("records", "record_id"),
    DropTable("record_attributes", "record_id, name, type, value"),
    DropTable("claims", "claim_id"),
    DropTable("claim_evidence", "record_id, claim_id"),
    DropTable("claim_grounds", "ground_claim_id, claim_id"),
    DropTable("claim_changes", "position"),
    DropTable("record_origins", "from_record_id, record_id"),
    DropTable("conflicts", "conflict_id"),
    DropTable("merges", "merge_id"),
    DropTable("item_names", "name, position, item_id"),
    DropTable("erased_keys", "key"),
    DropTable("search_rows", "position"),
    DropTable("search_attributes", "position, name, type, value"),
    DropTable("search_tokens", "scope_id, token, position", rows_an_event=20),
    DropTable("vectors", "model_id, scope_id, position"),
    DropTable("verdicts", "verdict_id"),
    DropTable("permits", "permit_id"),
)
# A large tenant's rows take as long as they take; each other statement has its limit.
_NO_LIMIT = "SET LOCAL statement_timeout = 0"
_LIMIT = f"SET LOCAL statement_timeout = {STATEMENT_SECONDS_MAX * 1_000}"


class PostgresWriting(ErasureWriting, BeliefWriting, VectorWriting, PostgresReading):
    """See Writing."""

    def __init__(self, tenant_id: TenantId, session: Session, state: State, scope_ids: ScopeNumbers) -> None:
        """A writer inside the transaction that `session` has open; `state` is its own to change."""
        self._fresh = FreshRows()
        self._model_ids = {}
        super().__init__(tenant_id, session, state, scope_ids)

    @property
    def _session(self) -> Session:
        """The session, in which all that this work did so far is seen."""
        self._fresh.put(self._bare_session)
        return self._bare_session

    @_session.setter
    def _session(self, session: Session) -> None:
        self._bare_session = session

    def end(self) -> None:
        """See PostgresReading.end."""
        self._bare_session.end()

    def finish(self) -> State:
        """The state after this work; the group commit puts the last one into the database."""
        self._fresh.put(self._bare_session)
        return self._state

    def append(self, chain: Chain, sealed: SealedEvent) -> None:
        """See Writing.append."""
        self._bare_session.refuse_if_ended()
        head = head_after(chain, self.head(chain), sealed, self._tenant_id)
        is_time = self._fresh.add_event(chain, sealed)
        if chain is Chain.LEDGER:
            self._state.ledger = head
        else:
            self._state.access = head
        if is_time:
            self._fresh.put(self._bare_session)

    def put_record(self, stored: StoredRecord) -> None:
        """See Writing.put_record."""
        record = stored.record
        record_id = record.record_id.encode()
        source_key = None if record.source_ref is None else key_of(record.source_ref)
        row = (
            stored.position,
            self._scope_id(record.scope),
            record_rank(stored),
            stored.status.value,
            None if record.run_id is None else record.run_id.encode(),
            source_key,
            stored.recorded_at_us,
            stored.status_reason.encode(),
            encode_body(record),
        )
        attributes = attribute_columns(record.attributes)
        named = names_of_record(record, stored.recorded_at_us)
        names = (stored.position, [key_of(each) for each in named])
        if self._bare_session.row(Q["insert_record"], (record_id, *row, *attributes, *names)) is None:
            self._replace_record(stored, source_key, row)
        if record.derived_from:
            self._session.run(Q["insert_origins"], (record_id, [each.encode() for each in record.derived_from]))

    def put_claim(self, claim: Claim) -> None:
        """See Writing.put_claim."""
        self._visible_counts.clear()
        claim_id = claim.claim_id.encode()
        evidence = [record_id.encode() for record_id in claim.evidence]
        row = (
            claim_id,
            claim.position,
            self._scope_id(claim.scope),
            claim_rank(claim),
            claim.kind.encode(),
            UUID(bytes=short_key(claim.subject)),
            UUID(bytes=short_key(claim.property)),
            claim.status.value,
            claim.visibility.value,
            claim.tier.value,
            claim.in_mind.start_us,
            claim.in_mind.end_us,
            encode_body(claim),
        )
        self._session.run(Q["put_claim"], (*row, claim_id, evidence, evidence))
        names = names_of_claim(claim)
        if names:
            self._session.run(Q["insert_item_names"], (claim.position, claim_id, [key_of(each) for each in names]))
        if claim.rests_on:
            self._session.run(Q["insert_grounds"], (claim_id, [each.encode() for each in claim.rests_on]))

    def put_search_row(self, row: SearchRow, attributes: Sequence[tuple[str, AttributeValue]]) -> None:
        """See Writing.put_search_row."""
        self._visible_counts.clear()
        if self._fresh.add_search_row(row, self._scope_id(row.scope), attributes):
            self._fresh.put(self._bare_session)

    def delete_search_row(self, position: int) -> None:
        """See Writing.delete_search_row."""
        self._visible_counts.clear()
        self._session.run(Q["delete_search_row"], (position,))

    def put_mode(self, target_type: str, target_id: str, mode: Mode | None) -> None:
        """See Writing.put_mode."""
        target = (target_type.encode(), target_id.encode())
        if mode is None:
            self._session.run(Q["delete_mode"], target)
        else:
            self._session.run(Q["put_mode"], (*target, mode.value))

    def put_bridge_approval(self, bridge_digest: str, actor: PrincipalId) -> None:
        """See Writing.put_bridge_approval."""
        self._session.run(Q["put_bridge_approval"], (bridge_digest.encode(), actor.encode()))

    def put_bridge_proposal(self, proposal: StoredProposal) -> None:
        """See Writing.put_bridge_proposal."""
        row = (proposal.proposal_id.encode(), proposal.position, proposal.status, proposal.proposal_json.encode())
        self._session.run(Q["put_bridge_proposal"], row)

    def put_registry_body(self, revision: Revision, body_json: str) -> None:
        """See Writing.put_registry_body."""
        self._session.run(Q["put_registry_body"], (revision.encode(), body_json.encode()))

    def put_verdict(self, verdict: StoredVerdict) -> None:
        """See Writing.put_verdict."""
        row = (verdict.verdict_id.encode(), verdict.position, verdict.verdict_json.encode())
        self._session.run(Q["put_verdict"], row)

    def put_permit(self, permit: StoredPermit) -> None:
        """See Writing.put_permit."""
        row = (
            permit.permit_id.encode(),
            permit.position,
            permit.verdict_id.encode(),
            permit.expires_at_us,
            permit.circumstances_json.encode(),
            permit.redeemed_position,
        )
        self._session.run(Q["put_permit"], row)

    def set_checkpoint(self, position: int) -> None:
        """See Writing.set_checkpoint."""
        self._state.checkpoint = position

    def clear_views(self) -> None:
        """See Writing.clear_views."""
        self._visible_counts.clear()
        self._fresh.clear_search_rows()
        self._model_ids = {}
        self._session.run_all(f"{_NO_LIMIT}; {Q['clear_views']}; {_LIMIT}")
        self._state.checkpoint = 0

    def drop_view_rows(self, start: DropPoint | None, *, limit: int) -> DropPoint | None:
        """See Writing.drop_view_rows."""
        self._visible_counts.clear()
        # One that begins anew passes over all rows that went before, which the server has not cleaned up yet.
        self._session.run_all(_NO_LIMIT)
        point = drop_piece(DROPPED, start, self._drop_rows, events=self._state.ledger.position, limit=limit)
        self._session.run_all(_LIMIT)
        return point

    def _scope_id(self, scope: Scope) -> int:
        self._bare_session.refuse_if_ended()
        number = self._known_scopes.found.get(scope.key)
        if number is None:
            scope_key = key_of(scope.key)
            ((number,),) = self._bare_session.rows(Q["put_scope"], (scope_key, scope.key.encode(), scope_key))
            learn(self._known_scopes.found, {scope.key: number})
            self._in_sight.clear()
        return number

    def _drop_rows(self, table: DropTable, after: DropKey, limit: int) -> tuple[int, DropKey | None]:
        end = self._session.row(drop_statement("drop_end", table, goes_on=bool(after)), (*after, limit - 1)) or ()
        statement = drop_statement("drop_rows", table, goes_on=bool(after), ends=bool(end))
        return self._session.run(statement, (*after, *end)), end or None

    def _replace_record(self, stored: StoredRecord, source_key: bytes | None, row: tuple[object, ...]) -> None:
        record = stored.record
        record_id = record.record_id.encode()
        if source_key is not None:
            place = (source_key, self._scope_id(record.scope), record_rank(stored))
            owner = self._session.row(Q["source_owner"], place)
            if owner is not None and owner[0] != record_id:
                raise source_ref_taken()
        self._session.run(Q["update_record"], (*row, record_id))
        self._session.run(Q["delete_record_attributes"], (record_id,))
        if record.attributes:
            columns = attribute_columns(record.attributes)
            self._session.run(Q["insert_record_attributes"], (record_id, *columns))
