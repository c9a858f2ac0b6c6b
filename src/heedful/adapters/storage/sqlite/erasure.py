"""What an erasure is found by, and what it takes; see ports.erasure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

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
from heedful.adapters.storage.queries import fill, marks
from heedful.adapters.storage.sqlite.connection import Row, Session
from heedful.adapters.storage.sqlite.statements import VALUES_AT_ONCE_MAX, Q
from heedful.adapters.storage.sqlite.stored import stored_record
from heedful.claims.claim import Claim
from heedful.kernel.ids import ClaimId, ConflictId, ErasureId, HoldId, MergeId, ProposalId, RecordId, VerdictId
from heedful.kernel.scope import Scope
from heedful.ports.erasure import NamedItem, StoredErasure, StoredHold
from heedful.ports.store import Chain, StoredRecord


class ErasureReading:
    """The part of a reader that is about erasures."""

    _run: Any
    _session: Session

    def erasure(self, erasure_id: ErasureId) -> StoredErasure | None:
        """See ErasureReader.erasure."""
        rows = self._run(Q["erasure"], (erasure_id,)).fetchall() if is_storable(erasure_id) else ()
        return next((decode_erasure(body) for (body,) in rows), None)

    def erasures(self, *, only_open: bool, limit: int) -> tuple[StoredErasure, ...]:
        """See ErasureReader.erasures."""
        rows = self._run(Q["erasures_open" if only_open else "erasures"], (limit,)).fetchall()
        return tuple(decode_erasure(body) for (body,) in rows)

    def erased_among(self, keys: Sequence[str]) -> dict[str, ErasureId]:
        """See ErasureReader.erased_among."""
        if not keys or not self.any_erased():
            return {}
        return dict(self._found("erased_among", keys))

    def any_erased(self) -> bool:
        """See ErasureReader.any_erased."""
        return bool(self._run(Q["any_erased"]).get)

    def holds(self) -> tuple[StoredHold, ...]:
        """See ErasureReader.holds."""
        return tuple(decode_hold(body) for (body,) in self._run(Q["holds"]).fetchall())

    def items_named(self, name: str, *, after: int, limit: int) -> tuple[NamedItem, ...]:
        """See ErasureReader.items_named."""
        rows = self._run(Q["items_named"], (name, after, limit)).fetchall() if is_storable(name) else ()
        return tuple(NamedItem(*row) for row in rows)

    def records_due(self, at_us: int, *, limit: int) -> tuple[StoredRecord, ...]:
        """See ErasureReader.records_due."""
        return tuple(map(stored_record, self._run(Q["records_due"], (kept_until(at_us), limit)).fetchall()))

    def records_in(self, scopes: Sequence[Scope], *, after: int, limit: int) -> tuple[StoredRecord, ...]:
        """See ErasureReader.records_in."""
        rows = self._in_scopes("records_in", scopes, after, limit)
        return tuple(sorted(map(stored_record, rows), key=lambda each: each.position)[:limit])

    def claims_in(self, scopes: Sequence[Scope], *, after: int, limit: int) -> tuple[Claim, ...]:
        """See ErasureReader.claims_in."""
        rows = self._in_scopes("claims_in", scopes, after, limit)
        return tuple(sorted((decode_claim(body) for (body,) in rows), key=lambda each: each.position)[:limit])

    def claims_of_subject(self, subject: str, *, after: int, limit: int) -> tuple[Claim, ...]:
        """See ErasureReader.claims_of_subject."""
        if not is_storable(subject):
            return ()
        rows = self._run(Q["claims_of_subject"], (short_key(subject), after, limit)).fetchall()
        return tuple(claim for claim in (decode_claim(body) for (body,) in rows) if claim.subject == subject)

    def records_from_any(self, record_ids: Sequence[RecordId]) -> tuple[StoredRecord, ...]:
        """See ErasureReader.records_from_any."""
        found = {each.position: each for each in map(stored_record, self._found("records_from_any", record_ids))}
        return tuple(found[position] for position in sorted(found))

    def _in_scopes(self, name: str, scopes: Sequence[Scope], after: int, limit: int) -> list[Row]:
        rows: list[Row] = []
        for (scope_id,) in self._scope_numbers(scopes):
            rows += self._run(Q[name], (scope_id, after, limit)).fetchall()
        return rows

    def _scope_numbers(self, scopes: Sequence[Scope]) -> list[Row]:
        keys = [each.key for each in scopes if is_storable(each.key)]
        return [(number,) for _, number in self._found("scope_ids", keys)]

    def _found(self, name: str, keys: Iterable[str]) -> Iterator[Row]:
        asked = [each for each in dict.fromkeys(keys) if is_storable(each)]
        for start in range(0, len(asked), VALUES_AT_ONCE_MAX):
            part = asked[start : start + VALUES_AT_ONCE_MAX]
            yield from self._run(fill(Q[name], marks=marks(len(part))), tuple(part)).fetchall()


class ErasureWriting(ErasureReading):
    """The part of a writer that takes things away for good."""

    delete_search_row: Callable[[int], None]

    def put_erasure(self, erasure: StoredErasure) -> None:
        """See ErasureWriter.put_erasure."""
        self._run(Q["put_erasure"], (erasure.erasure_id, erasure.position, int(erasure.is_open), encode_body(erasure)))

    def put_erased(self, erasure_id: ErasureId, keys: Sequence[str]) -> None:
        """See ErasureWriter.put_erased."""
        self._each("put_erased", [(key, erasure_id) for key in keys])

    def mark_erased(self, body: str) -> None:
        """See ErasureWriter.mark_erased."""
        self._run(Q["mark_erased"], (body,)).fetchall()

    def delete_erased(self, keys: Sequence[str]) -> None:
        """See ErasureWriter.delete_erased."""
        self._each("delete_erased", [(key,) for key in keys])

    def put_hold(self, hold: StoredHold) -> None:
        """See ErasureWriter.put_hold."""
        self._run(Q["put_hold"], (hold.hold_id, hold.position, encode_body(hold)))

    def delete_hold(self, hold_id: HoldId) -> None:
        """See ErasureWriter.delete_hold."""
        self._run(Q["delete_hold"], (hold_id,))

    def delete_records(self, record_ids: Sequence[RecordId]) -> None:
        """See ErasureWriter.delete_records."""
        for record_id, row_id, position, at_us, body in list(self._found("record_places", record_ids)):
            self.delete_search_row(position)
            self._delete_names(names_of_record(decode_record(body), at_us), position, record_id)
            for name in ("delete_record_attributes", "delete_origins", "delete_record"):
                self._run(Q[name], (row_id,))

    def delete_claims(self, claim_ids: Sequence[ClaimId]) -> None:
        """See ErasureWriter.delete_claims."""
        for claim_id, row_id, position, body in list(self._found("claim_places", claim_ids)):
            self.delete_search_row(position)
            self._delete_names(names_of_claim(decode_claim(body)), position, claim_id)
            for name in ("delete_evidence", "delete_grounds", "delete_claim"):
                self._run(Q[name], (row_id,))
            self._run(Q["delete_changes"], (claim_id,))

    def delete_conflicts(self, conflict_ids: Sequence[ConflictId]) -> None:
        """See ErasureWriter.delete_conflicts."""
        self._each("delete_conflict", [(each,) for each in conflict_ids])

    def delete_proposals(self, proposal_ids: Sequence[ProposalId]) -> None:
        """See ErasureWriter.delete_proposals."""
        self._each("delete_proposal", [(each,) for each in proposal_ids])

    def delete_merges(self, merge_ids: Sequence[MergeId]) -> None:
        """See ErasureWriter.delete_merges."""
        self._each("delete_merge", [(each,) for each in merge_ids])

    def delete_verdicts(self, verdict_ids: Sequence[VerdictId]) -> None:
        """See ErasureWriter.delete_verdicts."""
        self._each("delete_permits", [(each,) for each in verdict_ids])
        self._each("delete_verdict", [(each,) for each in verdict_ids])

    def erase_payloads(self, chain: Chain, positions: Sequence[int]) -> None:
        """See ErasureWriter.erase_payloads."""
        name = "erase_ledger" if chain is Chain.LEDGER else "erase_access"
        self._each(name, [(position,) for position in positions])

    def _put_names(self, names: Sequence[str], position: int, item_id: str) -> None:
        self._each("insert_item_name", [(name, position, item_id) for name in names])

    def _delete_names(self, names: Sequence[str], position: int, item_id: str) -> None:
        self._each("delete_item_name", [(name, position, item_id) for name in names])

    def _each(self, name: str, values: Sequence[tuple[object, ...]]) -> None:
        if values:
            self._session.cursor.executemany(Q[name], values)
