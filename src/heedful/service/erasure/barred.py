"""Barred: what may not be kept or used, as a consent to it is withdrawn: whoever brought it, and whom it is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from heedful.claims.lifecycle import CONSENT_WITHDRAWN
from heedful.kernel.ids import RecordId
from heedful.ledger.events import AnyEvent, ClaimProposed, RecordAdmitted, RecordPending
from heedful.observations.record import Record
from heedful.ports.store import Reading, StoredRecord

CONSENT = "consent:"
"""How the keys begin by which a withdrawn consent is known."""
_BELOW = "/"


def consent_key(by: str, name: str) -> str:
    """By what the withdrawal of this consent is known; `by` is `principal` or `subject`."""
    return f"{CONSENT}{by}:{name}"


def consents_needed(event: AnyEvent) -> Iterator[str]:
    """The keys of the consents without which what the event brings is not kept."""
    if isinstance(event, RecordAdmitted | RecordPending):
        yield from _of_record(event.record)
    elif isinstance(event, ClaimProposed):
        yield from _about(event.subject)


def is_barred(reading: Reading, events: Iterable[AnyEvent]) -> bool:
    """True where a consent is withdrawn that one of these needs, or that what it was made from needed."""
    found = tuple(events)
    needed = [key for event in found for key in consents_needed(event)]
    if needed and reading.erased_among(needed):
        return True
    brought = [each.record for each in found if isinstance(each, RecordAdmitted | RecordPending)]
    sources = [each for record in brought for each in record.derived_from]
    return bool(sources) and any(map(is_without_consent, reading.records_by_ids(sources)))


def barred_among(reading: Reading, records: Sequence[Record]) -> frozenset[RecordId]:
    """Those of the records that need a consent which is withdrawn, for themselves or for a claim that rests on them."""
    keys = {each.record_id: set(_of_record(each)) for each in records}
    for claim in reading.claims_on_any(list(keys)) if keys else ():
        for each in keys.keys() & set(claim.evidence):
            keys[each].update(_about(claim.subject))
    gone = reading.erased_among(sorted({key for each in keys.values() for key in each})) if keys else {}
    return frozenset(record_id for record_id, needed in keys.items() if any(key in gone for key in needed))


def is_without_consent(stored: StoredRecord) -> bool:
    """True where the record was withdrawn with a consent."""
    return stored.is_withdrawn and stored.status_reason == CONSENT_WITHDRAWN


def _of_record(record: Record) -> Iterator[str]:
    yield consent_key("principal", record.principal)
    for each in record.subjects:
        yield from _about(f"{each.type}:{each.id}")


def _about(subject: str) -> Iterator[str]:
    """An entity `a/b` is about `a` too."""
    name = subject
    while name:
        yield consent_key("subject", name)
        name = name.rpartition(_BELOW)[0]
