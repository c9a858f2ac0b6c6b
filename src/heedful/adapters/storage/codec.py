"""Types <-> columns, the same for every engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

import msgspec

from heedful.claims.claim import LIVE, Claim, ClaimStatus, Form, Visibility
from heedful.claims.conflict import Conflict
from heedful.claims.merge import Merge
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.kernel.times import US_A_DAY
from heedful.ledger.seal import SealedEvent
from heedful.observations.record import AttributeValue, Record, RecordStatus
from heedful.ports.erasure import StoredErasure, StoredHold
from heedful.ports.store import FormCount, SearchRow, StoredJob, StoredRecord

KIND_LISTS_KEPT_MAX = 256
"""Lists of kinds that requests ask for, most of them again and again."""
KIND_RANGE_VALUES = 3
"""Values by which claims of one kind are found."""
INTEGER_BITS_64 = 1 << 63
RANKS = {classification: classification.rank for classification in Classification}
"""Classification -> its place on the ladder, which is what columns hold."""
_HELD_RANKS = {classification: classification.rank + 100 for classification in Classification}
"""What was erased and is held is above every clearance: no search, list or reference finds it, whoever asks."""

HELD = tuple(sorted(status.value for status in LIVE))
"""The statuses that ViewReader.forms_held counts."""

CLASSIFICATIONS = {rank: classification for classification, rank in RANKS.items()}
"""The other way round."""

encode_body = msgspec.json.Encoder().encode
"""A record or claim as JSON bytes, fields in the order of their class; decoding gives an equal one."""
decode_record = msgspec.json.Decoder(Record).decode
decode_claim = msgspec.json.Decoder(Claim).decode
decode_conflict = msgspec.json.Decoder(Conflict).decode
decode_merge = msgspec.json.Decoder(Merge).decode
decode_erasure = msgspec.json.Decoder(StoredErasure).decode
decode_hold = msgspec.json.Decoder(StoredHold).decode
decode_job = msgspec.json.Decoder(StoredJob).decode
KEPT_UNTIL = "until:"


def kept_until(at_us: int) -> str:
    """The name of what is kept until this instant: by bytes, names come in the order of the instants."""
    return f"{KEPT_UNTIL}{at_us:020d}"


def names_of_record(record: Record, recorded_at_us: int) -> tuple[str, ...]:
    """The names that the record goes by; see ErasureReader.items_named and records_due."""
    names = [f"principal:{record.principal}"]
    if record.retain_days is not None:
        names.append(kept_until(recorded_at_us + record.retain_days * US_A_DAY))
    for subject in record.subjects:
        entity = f"{subject.type}:{subject.id}"
        names += (f"subject:{entity}", f"subject:{entity.partition('/')[0]}")
    if record.blob is not None:
        names.append(f"blob:{record.blob.name}")
    return tuple(each for each in dict.fromkeys(names) if is_storable(each))


def names_of_claim(claim: Claim) -> tuple[str, ...]:
    """The names that the claim goes by, besides its subject; none for most."""
    entity, slash, _ = claim.subject.partition("/")
    return (f"about:{entity}",) if slash and is_storable(entity) else ()


def is_storable(text: str) -> bool:
    """True where a text column can hold `text`: all but lone surrogates, so nothing stored ever equals those."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def short_key(name: str) -> bytes:
    """What a column finds claims about a subject, or of a property, by: 16 bytes of SHA-256, short for any index."""
    return sha256(name.encode()).digest()[:16]


def scope_of(key: str) -> Scope:
    """The scope whose key this is."""
    return Scope(tuple(key.split("\x1f")) if key else ())


def event_row(sealed: SealedEvent) -> tuple[object, ...]:
    """The columns of an event, in the order of its table. The tenant is the database's."""
    envelope = sealed.envelope
    return (
        envelope.position,
        envelope.event_id,
        envelope.type,
        envelope.version,
        envelope.recorded_at_us,
        bytes.fromhex(envelope.payload_digest),
        envelope.key_id,
        bytes.fromhex(envelope.prev_digest),
        bytes.fromhex(sealed.digest),
        sealed.payload,
        sealed.salt,
    )


def search_row_of(row: Sequence[Any]) -> SearchRow:
    """The search row, without its tokens, that these columns hold: texts as texts, in the order of `without_vector`."""
    position, item, item_id, key, rank, record_type, unreviewed, valid_from_us, valid_to_us = row
    return SearchRow(
        position=position,
        item=item,
        item_id=item_id,
        scope=scope_of(key),
        classification=CLASSIFICATIONS[rank],
        record_type=record_type,
        unreviewed=bool(unreviewed),
        valid_from_us=valid_from_us,
        valid_to_us=valid_to_us,
        tokens=(),
    )


def counts_of(found: Iterable[tuple[str, int]]) -> dict[str, int]:
    """What ViewReader.counts gives, of the statement of that name: none are 0, and admitted records are records."""
    zero = dict.fromkeys(["records", "records.pending", "records.withdrawn"], 0)
    zero |= {f"claims.{status.value}": 0 for status in ClaimStatus}
    counts = zero | dict(found)
    counts.pop("records.admitted", None)
    return counts


def form_counts(rows: Iterable[tuple[str, str, int]]) -> tuple[FormCount, ...]:
    """What ViewReader.forms_held gives, of (scope key, form, count)."""
    return tuple(FormCount(Form(form), scope_of(key), claims) for key, form, claims in sorted(rows))


def conflict_row(conflict: Conflict) -> tuple[object, ...]:
    """The columns of a conflict, in the order of its table."""
    return (
        conflict.position,
        conflict.conflict_id,
        conflict.standing_id,
        conflict.newcomer_id,
        conflict.detected_at_us,
        conflict.outcome.value,
        None if conflict.resolution is None else conflict.resolution.value,
        conflict.resolved_at_us,
        encode_body(conflict),
    )


def typed_value(value: AttributeValue) -> tuple[str, str | int | float]:
    """The type and the value that a column compares by: as Python compares, but a boolean is never a number."""
    if isinstance(value, bool):
        return "boolean", int(value)
    if isinstance(value, str):
        return "text", value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not -INTEGER_BITS_64 <= value < INTEGER_BITS_64:
        return "number", str(value)
    return "number", value


def attribute_rows(
    row_id: int, attributes: Iterable[tuple[str, AttributeValue]]
) -> list[tuple[int, str, str, str | int | float]]:
    """The rows of these attributes."""
    return [(row_id, name, *typed_value(value)) for name, value in attributes]


def values_by_type(values: Iterable[AttributeValue]) -> dict[str, list[str | int | float]]:
    """Type -> the values of that type that a column may hold."""
    grouped: dict[str, list[str | int | float]] = {}
    for value in values:
        if not isinstance(value, str) or is_storable(value):
            kind, stored = typed_value(value)
            grouped.setdefault(kind, []).append(stored)
    return grouped


@lru_cache(maxsize=KIND_LISTS_KEPT_MAX)
def kind_ranges(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """The values by which claims of these kinds are found: of each that can be stored, those of descendant_range."""
    return tuple([value for kind in kinds if is_storable(kind) for value in descendant_range(kind)])


def descendant_range(name: str) -> tuple[str, str, str]:
    """The name, and the half-open range of its dotted descendants (`/` follows `.` in every byte order)."""
    return name, f"{name}.", f"{name}/"


def record_rank(stored: StoredRecord) -> int:
    """The classification in the record's row."""
    ranks = _HELD_RANKS if stored.status is RecordStatus.HELD else RANKS
    return ranks[stored.record.classification]


def claim_rank(claim: Claim) -> int:
    """The classification in the claim's row."""
    ranks = _HELD_RANKS if claim.visibility is Visibility.HELD else RANKS
    return ranks[claim.classification]
