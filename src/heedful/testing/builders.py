"""Records, claims, search rows and sealed events in one line each; what is not named gets an everyday value.

Ids and salts come from the number given, so the same call builds the same thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from heedful.claims.claim import Claim, ClaimStatus, Form, Visibility
from heedful.kernel.ids import ClaimId, EventId, KindId, PrincipalId, RecordId, Revision, TenantId, uuid7
from heedful.kernel.ladder import Classification, Consent, Tier
from heedful.kernel.scope import Scope, parse_scope
from heedful.kernel.times import SourceTime
from heedful.ledger.events import AnyEvent, RecordAdmitted
from heedful.ledger.seal import EMPTY_HEAD, Head, SealedEvent, seal
from heedful.observations.record import (
    AttributeValue,
    Channel,
    Record,
    RecordStatus,
    RecordType,
    SourceGrade,
)
from heedful.ports.store import Chain, SearchFilter, SearchRow, StoredRecord, Tenant, Visible, Writing

NOON_US = 1_780_000_000_000_000
"""An instant in 2026, UTC microseconds; everything built happens then."""

ANYTHING = SearchFilter(item=None, record_types=(), attributes=(), valid_at_us=NOON_US, unreviewed=True)
"""A search filter that every visible row passes, but claims that do not hold at NOON_US."""


def build_id(number: int, label: str = "id") -> str:
    """A UUIDv7 that belongs to this number and label."""
    return uuid7(NOON_US // 1_000 + number, sha256(f"{label}/{number}".encode()).digest()[:10])


def build_tenant(number: int = 1, *, name: str | None = None) -> Tenant:
    """A tenant."""
    return Tenant(TenantId(build_id(number, "tenant")), name or f"tenant-{number}", NOON_US)


def scope_of(*elements: str) -> Scope:
    """The scope of these elements."""
    return parse_scope(elements)


def visible_to(*scopes: Scope, clearance: Classification = Classification.RESTRICTED) -> Visible:
    """What a reader of exactly these scopes may see."""
    return Visible(scopes, clearance)


def build_record(number: int = 1, **changes: Any) -> Record:
    """A record of user:ana that says `record <number>`, with fields changed as named."""
    record = Record(
        record_id=RecordId(build_id(number, "record")),
        type=RecordType.MESSAGE,
        grade=SourceGrade.USER,
        channel=Channel.PERSON,
        principal=PrincipalId("person:ana"),
        scope=scope_of("user:ana"),
        source_ref=f"source/{number}",
        content=f"record {number}",
        content_base64=None,
        blob=None,
        media_type="text/plain",
        occurred=SourceTime(NOON_US, 0, "microsecond"),
        run_id=None,
        sequence=None,
        speaker=None,
        subjects=(),
        attributes=(),
        classification=Classification.NORMAL,
        consent=Consent.EXPLICIT,
        expected_utility=0.5,
        confidence=0.5,
        retain_days=None,
        derived_from=(),
        redactions=(),
        flags=(),
    )
    return replace(record, **changes)


def build_stored(number: int = 1, *, status: RecordStatus = RecordStatus.ADMITTED, **changes: Any) -> StoredRecord:
    """A stored record at position `number`; `changes` are the record's."""
    return StoredRecord(build_record(number, **changes), status, number, NOON_US + number, "policy")


def build_claim(number: int = 1, **changes: Any) -> Claim:
    """An active decision state of user:ana at position `number`, with fields changed as named."""
    claim = Claim(
        claim_id=ClaimId(build_id(number, "claim")),
        position=number,
        form=Form.FACT,
        kind=KindId("diet.allergy"),
        subject="user:ana",
        property="diet.allergy",
        value="tree nuts",
        statement=f"Ana is allergic to tree nuts ({number})",
        scope=scope_of("user:ana"),
        classification=Classification.NORMAL,
        consent=Consent.EXPLICIT,
        tier=Tier.UNVERIFIED,
        confidence=0.9,
        visibility=Visibility.PRE_QUERY,
        applies_to=(),
        not_for=(),
        valid_from_us=None,
        valid_to_us=None,
        known_from_us=NOON_US,
        evidence=(RecordId(build_id(number, "record")),),
        proposed_by=PrincipalId("person:ana"),
        registry_revision=Revision("0" * 64),
        status=ClaimStatus.ACTIVE,
        status_reason="auto-approved",
        approvals=(),
    )
    return replace(claim, **changes)


def build_search_row(position: int = 1, tokens: Sequence[str] = ("bees",), **changes: Any) -> SearchRow:
    """A search row of a message of user:ana, with fields changed as named."""
    row = SearchRow(
        position=position,
        item="record",
        item_id=build_id(position, "record"),
        scope=scope_of("user:ana"),
        classification=Classification.NORMAL,
        record_type="message",
        unreviewed=False,
        valid_from_us=None,
        valid_to_us=None,
        tokens=tuple(tokens),
    )
    return replace(row, **changes)


def build_sealed(
    head: Head = EMPTY_HEAD, *, event: AnyEvent | None = None, tenant: Tenant | None = None, label: str = "event"
) -> SealedEvent:
    """The event (by default an admitted record), sealed as the next after `head`."""
    number = head.position + 1
    return seal(
        event or RecordAdmitted(build_record(number), ("policy",)),
        head,
        tenant_id=(tenant or build_tenant()).tenant_id,
        event_id=EventId(build_id(number, label)),
        recorded_at_us=NOON_US + number,
        salt=sha256(f"{label}/{head.digest}".encode()).digest(),
    )


def append_event(
    writing: Writing,
    tenant: Tenant,
    *,
    event: AnyEvent | None = None,
    chain: Chain = Chain.LEDGER,
    label: str = "event",
) -> SealedEvent:
    """The event, sealed at the head that `writing` sees and appended there."""
    sealed = build_sealed(writing.head(chain), event=event, tenant=tenant, label=label)
    writing.append(chain, sealed)
    return sealed


def remember(
    writing: Writing,
    tenant: Tenant,
    record: Record,
    *,
    tokens: Sequence[str] = (),
    attributes: Sequence[tuple[str, AttributeValue]] | None = None,
) -> int:
    """The position of a record that was appended, viewed, made searchable and checkpointed, as a service does it."""
    sealed = append_event(writing, tenant, event=RecordAdmitted(record, ("policy",)))
    position = sealed.envelope.position
    writing.put_record(StoredRecord(record, RecordStatus.ADMITTED, position, sealed.envelope.recorded_at_us, "policy"))
    row = SearchRow(
        position=position,
        item="record",
        item_id=record.record_id,
        scope=record.scope,
        classification=record.classification,
        record_type=record.type.value,
        unreviewed=False,
        valid_from_us=None,
        valid_to_us=None,
        tokens=tuple(tokens),
    )
    writing.put_search_row(row, record.attributes if attributes is None else attributes)
    writing.set_checkpoint(position)
    return position
