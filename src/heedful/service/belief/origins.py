"""Origins: what records were made from, read as far as it may count: by whoever sees a claim, or by who asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from heedful.claims.claim import Claim
from heedful.claims.projections.experience import origins_named
from heedful.kernel.ids import RecordId
from heedful.kernel.label import Label
from heedful.observations.record import Record
from heedful.ports.store import Reading, StoredRecord
from heedful.service.session import Session
from heedful.service.sight import denied_to, seen_records_of

ORIGINS_MAX = 256
"""Records that are read to follow where evidence came from; what is beyond is not known."""


def origins_read(session: Session, reading: Reading, claim: Claim, records: Iterable[Record]) -> dict[RecordId, Record]:
    """These records, and those that they were made from or repeat, over any number of steps, one statement a step.

    Only what is evidence now, and what everybody sees who sees the claim: what somebody does not see must not decide
    how much authority they see.
    """
    started = tuple(records)
    unseen = denied_to(session, reading, claim.evidence) if any(map(origins_named, started)) else frozenset()

    def read(record_ids: Sequence[RecordId]) -> list[StoredRecord]:
        found = reading.records_by_ids(record_ids)
        return [each for each in found if _is_level(session, reading, claim, each, unseen)]

    return _followed(started, read)


def origins_seen(session: Session, reading: Reading, records: Iterable[Record]) -> dict[RecordId, Record]:
    """The same, as far as the session sees them."""
    return _followed(records, lambda record_ids: seen_records_of(session, reading, record_ids))


def _followed(
    records: Iterable[Record], read: Callable[[Sequence[RecordId]], Iterable[StoredRecord]]
) -> dict[RecordId, Record]:
    lineage = {record.record_id: record for record in records}
    wanted = _named(lineage.values(), lineage)
    looked_at = 0
    while wanted and looked_at < ORIGINS_MAX:
        asked = wanted[: ORIGINS_MAX - looked_at]
        looked_at += len(asked)
        fresh = [each.record for each in read(asked)]
        lineage |= {record.record_id: record for record in fresh}
        wanted = _named(fresh, lineage)
    return lineage


def _named(records: Iterable[Record], lineage: dict[RecordId, Record]) -> list[RecordId]:
    named = (origin for record in records for origin in origins_named(record))
    return [origin for origin in dict.fromkeys(named) if origin not in lineage]


def _is_level(session: Session, reading: Reading, claim: Claim, stored: StoredRecord, unseen: frozenset[str]) -> bool:
    record = stored.record
    label = Label(claim.scope, None, claim.classification, claim.consent)
    is_dominated = label.dominates(Label(record.scope, None, record.classification, record.consent))
    return stored.is_evidence and is_dominated and denied_to(session, reading, (record.record_id,)) <= unseen
