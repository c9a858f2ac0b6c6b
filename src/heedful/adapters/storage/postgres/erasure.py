"""What an erasure is found by, and what it takes; see ports.erasure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from heedful.adapters.storage.codec import (
    decode_claim,
    decode_erasure,
    decode_hold,
    decode_record,
    encode_body,
    is_storable,
    kept_until,
    names_of_claim,
    names_of_record,
    short_key,
)
from heedful.adapters.storage.postgres.connection import Row, Session
from heedful.adapters.storage.postgres.statements import Q
from heedful.adapters.storage.postgres.stored import stored_record
from heedful.adapters.storage.postgres.texts import key_of
from heedful.claims.claim import Claim
from heedful.kernel.ids import ClaimId, ConflictId, ErasureId, HoldId, MergeId, ProposalId, RecordId, VerdictId
from heedful.kernel.scope import Scope
from heedful.ports.erasure import NamedItem, StoredErasure, StoredHold
from heedful.ports.store import Chain, StoredRecord, Visible


class ErasureReading:
    """The part of a reader that is about erasures."""

    _session: Session
    _any_erased: bool | None = None

    def erasure(self, erasure_id: ErasureId) -> StoredErasure | None:
        """See ErasureReader.erasure."""
        row = self._session.row(Q["erasure"], (erasure_id.encode(),)) if is_storable(erasure_id) else None
        return None if row is None else decode_erasure(row[0])

    def erasures(self, *, only_open: bool, limit: int) -> tuple[StoredErasure, ...]:
        """See ErasureReader.erasures."""
        rows = self._session.rows(Q["erasures"], ([True] if only_open else [True, False], limit))
        return tuple(decode_erasure(body) for (body,) in rows)

    def erased_among(self, keys: Sequence[str]) -> dict[str, ErasureId]:
        """See ErasureReader.erased_among."""
        if not keys or not self.any_erased():
            return {}
        asked = {key_of(each): each for each in keys}
        rows = self._session.rows(Q["erased_among"], (list(asked),))
        return {asked[key]: ErasureId(erasure_id.decode()) for key, erasure_id in rows}

    def any_erased(self) -> bool:
        """See ErasureReader.any_erased."""
        if self._any_erased is None:
            ((self._any_erased,),) = self._session.rows(Q["any_erased"])
        return self._any_erased

    def holds(self) -> tuple[StoredHold, ...]:
        """See ErasureReader.holds."""
        return tuple(decode_hold(body) for (body,) in self._session.rows(Q["holds"]))

    def items_named(self, name: str, *, after: int, limit: int) -> tuple[NamedItem, ...]:
        """See ErasureReader.items_named."""
        rows = self._session.rows(Q["items_named"], (key_of(name), after, limit)) if is_storable(name) else ()
        return tuple(NamedItem(position, item_id.decode()) for position, item_id in rows)

    def records_due(self, at_us: int, *, limit: int) -> tuple[StoredRecord, ...]:
        """See ErasureReader.records_due."""
        return tuple(map(stored_record, self._session.rows(Q["records_due"], (key_of(kept_until(at_us)), limit))))

    def records_in(self, scopes: Sequence[Scope], *, after: int, limit: int) -> tuple[StoredRecord, ...]:
        """See ErasureReader.records_in."""
        rows = self._session.rows(Q["records_in"], (self._scope_numbers(scopes), after, limit, limit))
        return tuple(map(stored_record, rows))

    def claims_in(self, scopes: Sequence[Scope], *, after: int, limit: int) -> tuple[Claim, ...]:
        """See ErasureReader.claims_in."""
        rows = self._session.rows(Q["claims_in"], (self._scope_numbers(scopes), after, limit, limit))
        return tuple(decode_claim(body) for (body,) in rows)

    def claims_of_subject(self, subject: str, *, after: int, limit: int) -> tuple[Claim, ...]:
        """See ErasureReader.claims_of_subject."""
        if not is_storable(subject):
            return ()
        rows = self._session.rows(Q["claims_of_subject"], (UUID(bytes=short_key(subject)), after, limit))
        return tuple(claim for claim in (decode_claim(body) for (body,) in rows) if claim.subject == subject)

    def records_from_any(self, record_ids: Sequence[RecordId]) -> tuple[StoredRecord, ...]:
        """See ErasureReader.records_from_any."""
        asked = _keys(record_ids)
        rows = self._session.rows(Q["records_from_any"], (asked,)) if asked else ()
        found = {each.position: each for each in map(stored_record, rows)}
        return tuple(found[position] for position in sorted(found))

    def _scope_numbers(self, scopes: Sequence[Scope]) -> list[int]:
        keys = [key_of(each.key) for each in scopes if is_storable(each.key)]
        return [number for _, number in self._session.rows(Q["scope_ids"], (keys,))] if keys else []


class ErasureWriting(ErasureReading):
    """The part of a writer that takes things away for good."""

    _visible_counts: dict[Visible, int]

    def put_erasure(self, erasure: StoredErasure) -> None:
        """See ErasureWriter.put_erasure."""
        row = (erasure.erasure_id.encode(), erasure.position, erasure.is_open, encode_body(erasure))
        self._session.run(Q["put_erasure"], row)

    def put_erased(self, erasure_id: ErasureId, keys: Sequence[str]) -> None:
        """See ErasureWriter.put_erased."""
        if keys:
            self._session.run(Q["put_erased"], (erasure_id.encode(), [key_of(each) for each in keys]))
            self._any_erased = True

    def mark_erased(self, body: str) -> None:
        """See ErasureWriter.mark_erased."""
        self._session.run(Q["mark_erased"], (body.encode(),))

    def delete_erased(self, keys: Sequence[str]) -> None:
        """See ErasureWriter.delete_erased."""
        self._session.run(Q["delete_erased"], ([key_of(each) for each in keys],))

    def put_hold(self, hold: StoredHold) -> None:
        """See ErasureWriter.put_hold."""
        self._session.run(Q["put_hold"], (hold.hold_id.encode(), hold.position, encode_body(hold)))

    def delete_hold(self, hold_id: HoldId) -> None:
        """See ErasureWriter.delete_hold."""
        self._session.run(Q["delete_hold"], (hold_id.encode(),))

    def delete_records(self, record_ids: Sequence[RecordId]) -> None:
        """See ErasureWriter.delete_records."""
        rows = self._deleted("delete_records", record_ids, "delete_attributes_of", "delete_origins_of")
        self._take(
            [(each, position, names_of_record(decode_record(body), at_us)) for each, position, at_us, body in rows]
        )

    def delete_claims(self, claim_ids: Sequence[ClaimId]) -> None:
        """See ErasureWriter.delete_claims."""
        beside = ("delete_evidence_of", "delete_grounds_of", "delete_changes_of")
        rows = self._deleted("delete_claims", claim_ids, *beside)
        self._take([(item_id, position, names_of_claim(decode_claim(body))) for item_id, position, body in rows])

    def delete_conflicts(self, conflict_ids: Sequence[ConflictId]) -> None:
        """See ErasureWriter.delete_conflicts."""
        self._delete("delete_conflicts", conflict_ids)

    def delete_proposals(self, proposal_ids: Sequence[ProposalId]) -> None:
        """See ErasureWriter.delete_proposals."""
        self._delete("delete_proposals", proposal_ids)

    def delete_merges(self, merge_ids: Sequence[MergeId]) -> None:
        """See ErasureWriter.delete_merges."""
        self._delete("delete_merges", merge_ids)

    def delete_verdicts(self, verdict_ids: Sequence[VerdictId]) -> None:
        """See ErasureWriter.delete_verdicts."""
        self._delete("delete_permits", verdict_ids)
        self._delete("delete_verdicts", verdict_ids)

    def erase_payloads(self, chain: Chain, positions: Sequence[int]) -> None:
        """See ErasureWriter.erase_payloads."""
        if positions:
            name = "erase_ledger" if chain is Chain.LEDGER else "erase_access"
            self._session.run(Q[name], (list(positions),))

    def _deleted(self, name: str, ids: Sequence[str], *beside: str) -> list[Row]:
        """The rows that went, by the first statement; what lies beside them goes too."""
        if not ids:
            return []
        keys = _keys(ids)
        return self._session.run_together(*((Q[each], (keys,)) for each in (name, *beside)))[0]

    def _take(self, gone: list[tuple[bytes, int, tuple[str, ...]]]) -> None:
        """The search rows and names of what is gone go too."""
        if not gone:
            return
        self._visible_counts.clear()
        named = [(key_of(name), position, item_id) for item_id, position, names in gone for name in names]
        statements: list[tuple[str, tuple[object, ...]]] = [
            (Q["delete_search_row"], (position,)) for _, position, _ in gone
        ]
        if named:
            columns = [[row[column] for row in named] for column in range(3)]
            statements.append((Q["delete_item_names"], tuple(columns)))
        self._session.run_together(*statements)

    def _delete(self, name: str, ids: Sequence[str]) -> None:
        if ids:
            self._session.run(Q[name], (_keys(ids),))


def _keys(ids: Iterable[str]) -> list[bytes]:
    return [each.encode() for each in dict.fromkeys(ids) if is_storable(each)]
