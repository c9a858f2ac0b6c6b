"""What is read and kept of conflicts, of what rests on what, and of jobs; see ViewReader and Writing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
from heedful.adapters.storage.queries import fill, marks
from heedful.adapters.storage.sqlite.merges import MergeReading, MergeWriting
from heedful.adapters.storage.sqlite.statements import Q
from heedful.adapters.storage.sqlite.stored import stored_record
from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.conflict import Conflict
from heedful.kernel.ids import ClaimId, ConflictId, RecordId, TenantId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.ledger.pages import sealed_of
from heedful.ledger.seal import SealedEvent
from heedful.ports.store import FormCount, StoredJob, StoredRecord

IDS_ASKED_MAX = 400
"""Ids in one statement; more are asked for in turn."""
_BEYOND_EVERY_POSITION = (1 << 63) - 1


class BeliefReading(MergeReading):
    """The part of a reader that is about conflicts, grounds, origins and jobs."""

    _run: Any
    _tenant_id: TenantId

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
        statement = fill(Q["claims_alike"], statuses=marks(len(statuses)))
        bounds = (short_key(subject), property_name, scope.key, RANKS[classification])
        rows = self._run(statement, (*bounds, *map(str, statuses), limit)).fetchall()
        return tuple(claim for claim in (decode_claim(body) for (body,) in rows) if claim.subject == subject)

    def kinds_on(self, record_ids: Sequence[RecordId]) -> dict[RecordId, frozenset[str]]:
        """See ViewReader.kinds_on."""
        asked = [each for each in dict.fromkeys(record_ids) if is_storable(each)]
        found: dict[RecordId, frozenset[str]] = {}
        for start in range(0, len(asked), IDS_ASKED_MAX):
            part = asked[start : start + IDS_ASKED_MAX]
            for record_id, kind in self._run(fill(Q["kinds_on"], marks=marks(len(part))), tuple(part)).fetchall():
                found[RecordId(record_id)] = found.get(RecordId(record_id), frozenset()) | {kind}
        return found

    def claims_on_any(self, record_ids: Sequence[RecordId]) -> tuple[Claim, ...]:
        """See ViewReader.claims_on_any."""
        return self._claims_of_any("claims_on_any", record_ids)

    def claims_resting_on(self, claim_id: ClaimId) -> tuple[Claim, ...]:
        """See ViewReader.claims_resting_on."""
        rows = self._run(Q["claims_resting_on"], (claim_id,)).fetchall() if is_storable(claim_id) else ()
        return tuple(decode_claim(body) for (body,) in rows)

    def claims_resting_on_any(self, claim_ids: Sequence[ClaimId]) -> tuple[Claim, ...]:
        """See ViewReader.claims_resting_on_any."""
        return self._claims_of_any("claims_resting_on_any", claim_ids)

    def records_from(self, record_id: RecordId) -> tuple[StoredRecord, ...]:
        """See ViewReader.records_from."""
        rows = self._run(Q["records_from"], (record_id,)).fetchall() if is_storable(record_id) else ()
        return tuple(map(stored_record, rows))

    def conflict(self, conflict_id: ConflictId) -> Conflict | None:
        """See ViewReader.conflict."""
        rows = self._run(Q["conflict"], (conflict_id,)).fetchall() if is_storable(conflict_id) else ()
        return next((decode_conflict(body) for (body,) in rows), None)

    def conflicts(self, *, only_open: bool, before: int | None, limit: int) -> tuple[Conflict, ...]:
        """See ViewReader.conflicts."""
        statement = fill(Q["conflicts"], open=Q["of_open"] if only_open else "")
        rows = self._run(statement, (_BEYOND_EVERY_POSITION if before is None else before, limit)).fetchall()
        return tuple(decode_conflict(body) for (body,) in rows)

    def conflicts_of(self, claim_ids: Sequence[ClaimId], *, only_open: bool) -> tuple[Conflict, ...]:
        """See ViewReader.conflicts_of."""
        asked = [each for each in dict.fromkeys(claim_ids) if is_storable(each)]
        found: dict[int, Conflict] = {}
        for start in range(0, len(asked), IDS_ASKED_MAX):
            part = asked[start : start + IDS_ASKED_MAX]
            statement = fill(Q["conflicts_of"], marks=marks(len(part)), open=Q["of_open"] if only_open else "")
            for (body,) in self._run(statement, (*part, *part)).fetchall():
                conflict = decode_conflict(body)
                found[conflict.position] = conflict
        return tuple(found[position] for position in sorted(found))

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
        rows = self._run(Q["job"], (name,)).fetchall() if is_storable(name) else ()
        return next((decode_job(body) for (body,) in rows), None)

    def forms_held(self) -> tuple[FormCount, ...]:
        """See ViewReader.forms_held."""
        return form_counts(self._run(fill(Q["forms_held"], statuses=marks(len(HELD))), HELD))

    def records_of_newest_run(self) -> int:
        """See ViewReader.records_of_newest_run."""
        ((count,),) = self._run(Q["records_of_newest_run"]).fetchall()
        return int(count)

    def jobs(self) -> tuple[StoredJob, ...]:
        """See ViewReader.jobs."""
        return tuple(decode_job(body) for (body,) in self._run(Q["jobs"]).fetchall())

    def _claims_of_any(self, name: str, ids: Sequence[str]) -> tuple[Claim, ...]:
        asked = [each for each in dict.fromkeys(ids) if is_storable(each)]
        found: dict[ClaimId, Claim] = {}
        for start in range(0, len(asked), IDS_ASKED_MAX):
            part = asked[start : start + IDS_ASKED_MAX]
            rows = self._run(fill(Q[name], marks=marks(len(part))), tuple(part)).fetchall()
            found |= {claim.claim_id: claim for claim in (decode_claim(body) for (body,) in rows)}
        return tuple(sorted(found.values(), key=lambda claim: (claim.position, claim.claim_id)))

    def _changes(self, name: str, claim_ids: Sequence[ClaimId]) -> tuple[SealedEvent, ...]:
        asked = [each for each in dict.fromkeys(claim_ids) if is_storable(each)]
        found: list[SealedEvent] = []
        for start in range(0, len(asked), IDS_ASKED_MAX):
            part = asked[start : start + IDS_ASKED_MAX]
            rows = self._run(fill(Q[name], marks=marks(len(part))), tuple(part)).fetchall()
            found += [sealed_of(row, self._tenant_id) for row in rows]
        return tuple(sorted(found, key=lambda sealed: sealed.envelope.position))


class BeliefWriting(MergeWriting):
    """The part of a writer that is about conflicts and jobs."""

    _run: Any

    def put_conflict(self, conflict: Conflict) -> None:
        """See Writing.put_conflict."""
        self._run(Q["put_conflict"], conflict_row(conflict))

    def put_claim_change(self, position: int, claim_id: ClaimId, by: ClaimId | None) -> None:
        """See Writing.put_claim_change."""
        self._run(Q["put_claim_change"], (position, claim_id, by))

    def put_job(self, job: StoredJob) -> None:
        """See Writing.put_job."""
        self._run(Q["put_job"], (job.name, encode_body(job)))
