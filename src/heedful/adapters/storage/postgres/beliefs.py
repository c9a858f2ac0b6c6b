"""What is read and kept of conflicts, of what rests on what, and of jobs; see ViewReader and Writing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

from heedful.adapters.storage.codec import (
    HELD,
    RANKS,
    conflict_row,
    decode_claim,
    decode_conflict,
    decode_job,
    encode_body,
    form_counts,
    is_storable,
    short_key,
)
from heedful.adapters.storage.postgres.connection import Row, Session
from heedful.adapters.storage.postgres.merges import MergeReading, MergeWriting
from heedful.adapters.storage.postgres.statements import Q
from heedful.adapters.storage.postgres.stored import stored_record
from heedful.adapters.storage.postgres.texts import key_of
from heedful.adapters.storage.queries import fill
from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.conflict import Conflict
from heedful.kernel.ids import ClaimId, ConflictId, RecordId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.ledger.seal import SealedEvent
from heedful.ports.store import FormCount, StoredJob, StoredRecord

_BEYOND_EVERY_POSITION = (1 << 63) - 1


class BeliefReading(MergeReading):
    """The part of a reader that is about conflicts, grounds, origins and jobs."""

    _session: Session
    _event: Callable[[Row], SealedEvent]

    def claims_alike(
        self,
        scope: Scope,
        classification: Classification,
        subject: str,
        property_name: str,
        *,
        statuses: Sequence[ClaimStatus],
        limit: int,
    ) -> tuple[Claim, ...]:
        """See ViewReader.claims_alike."""
        if not statuses or not is_storable(subject) or not is_storable(property_name):
            return ()
        keys = [UUID(bytes=short_key(each)) for each in (subject, property_name)]
        place = (*keys, key_of(scope.key), RANKS[classification])
        rows = self._session.rows(Q["claims_alike"], (*place, [status.value for status in statuses], limit))
        return tuple(claim for claim in (decode_claim(body) for (body,) in rows) if claim.subject == subject)

    def kinds_on(self, record_ids: Sequence[RecordId]) -> dict[RecordId, frozenset[str]]:
        """See ViewReader.kinds_on."""
        asked = [each.encode() for each in dict.fromkeys(record_ids) if is_storable(each)]
        found: dict[RecordId, frozenset[str]] = {}
        for key, kind in self._session.rows(Q["kinds_on"], (asked,)) if asked else ():
            record_id = RecordId(key.decode())
            found[record_id] = found.get(record_id, frozenset()) | {kind.decode()}
        return found

    def claims_on_any(self, record_ids: Sequence[RecordId]) -> tuple[Claim, ...]:
        """See ViewReader.claims_on_any."""
        return self._claims_of_any("claims_on_any", record_ids)

    def claims_resting_on(self, claim_id: ClaimId) -> tuple[Claim, ...]:
        """See ViewReader.claims_resting_on."""
        rows = self._session.rows(Q["claims_resting_on"], (claim_id.encode(),)) if is_storable(claim_id) else ()
        return tuple(decode_claim(body) for (body,) in rows)

    def claims_resting_on_any(self, claim_ids: Sequence[ClaimId]) -> tuple[Claim, ...]:
        """See ViewReader.claims_resting_on_any."""
        return self._claims_of_any("claims_resting_on_any", claim_ids)

    def records_from(self, record_id: RecordId) -> tuple[StoredRecord, ...]:
        """See ViewReader.records_from."""
        rows = self._session.rows(Q["records_from"], (record_id.encode(),)) if is_storable(record_id) else ()
        return tuple(map(stored_record, rows))

    def conflict(self, conflict_id: ConflictId) -> Conflict | None:
        """See ViewReader.conflict."""
        row = self._session.row(Q["conflict"], (conflict_id.encode(),)) if is_storable(conflict_id) else None
        return None if row is None else decode_conflict(row[0])

    def conflicts(self, *, only_open: bool, before: int | None, limit: int) -> tuple[Conflict, ...]:
        """See ViewReader.conflicts."""
        statement = fill(Q["conflicts"], open=Q["of_open"] if only_open else "")
        rows = self._session.rows(statement, (_BEYOND_EVERY_POSITION if before is None else before, limit))
        return tuple(decode_conflict(body) for (body,) in rows)

    def conflicts_of(self, claim_ids: Sequence[ClaimId], *, only_open: bool) -> tuple[Conflict, ...]:
        """See ViewReader.conflicts_of."""
        asked = [each.encode() for each in dict.fromkeys(claim_ids) if is_storable(each)]
        # One that both of its claims are asked for is found twice.
        found: dict[int, bytes] = dict(self._session.rows(Q["conflicts_of"], (asked,))) if asked else {}
        conflicts = map(decode_conflict, found.values())
        return tuple(conflict for conflict in conflicts if conflict.is_open or not only_open)

    def claims_proposed(self, claim_ids: Sequence[ClaimId]) -> tuple[SealedEvent, ...]:
        """See ViewReader.claims_proposed."""
        return self._changes("claims_proposed", claim_ids)

    def claim_changes(self, claim_ids: Sequence[ClaimId]) -> tuple[SealedEvent, ...]:
        """See ViewReader.claim_changes."""
        return self._changes("claim_changes", claim_ids)

    def changes_by(self, claim_ids: Sequence[ClaimId]) -> tuple[SealedEvent, ...]:
        """See ViewReader.changes_by."""
        return self._changes("changes_by", claim_ids)

    def job(self, name: str) -> StoredJob | None:
        """See ViewReader.job."""
        row = self._session.row(Q["job"], (name.encode(),)) if is_storable(name) else None
        return None if row is None else decode_job(row[0])

    def forms_held(self) -> tuple[FormCount, ...]:
        """See ViewReader.forms_held."""
        rows = self._session.rows(Q["forms_held"], ([*HELD],))
        return form_counts((key.decode(), str(form), count) for key, form, count in rows)

    def records_of_newest_run(self) -> int:
        """See ViewReader.records_of_newest_run."""
        ((count,),) = self._session.rows(Q["records_of_newest_run"])
        return int(count)

    def jobs(self) -> tuple[StoredJob, ...]:
        """See ViewReader.jobs."""
        return tuple(decode_job(body) for (body,) in self._session.rows(Q["jobs"]))

    def _claims_of_any(self, name: str, ids: Sequence[str]) -> tuple[Claim, ...]:
        asked = [each.encode() for each in dict.fromkeys(ids) if is_storable(each)]
        # One that rests on two of them is found twice.
        rows: dict[bytes, bytes] = dict(self._session.rows(Q[name], (asked,))) if asked else {}
        return tuple(map(decode_claim, rows.values()))

    def _changes(self, name: str, claim_ids: Sequence[ClaimId]) -> tuple[SealedEvent, ...]:
        asked = [each.encode() for each in dict.fromkeys(claim_ids) if is_storable(each)]
        statement = fill(Q[name], columns=Q["event_columns"])
        return tuple(map(self._event, self._session.rows(statement, (asked,)))) if asked else ()


class BeliefWriting(MergeWriting):
    """The part of a writer that is about conflicts and jobs."""

    _session: Session

    def put_conflict(self, conflict: Conflict) -> None:
        """See Writing.put_conflict."""
        position, conflict_id, claim_a, claim_b, *columns, body = conflict_row(conflict)
        ids = [str(each).encode() for each in (conflict_id, claim_a, claim_b)]
        self._session.run(Q["put_conflict"], (position, *ids, *columns, body))

    def put_claim_change(self, position: int, claim_id: ClaimId, by: ClaimId | None) -> None:
        """See Writing.put_claim_change."""
        row = (position, claim_id.encode(), None if by is None else by.encode())
        self._session.run(Q["put_claim_change"], row)

    def put_job(self, job: StoredJob) -> None:
        """See Writing.put_job."""
        self._session.run(Q["put_job"], (job.name.encode(), encode_body(job)))
