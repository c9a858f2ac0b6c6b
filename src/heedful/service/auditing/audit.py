"""Audit: does the chain hold, and are the views what the ledger says."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from heedful.kernel.digest import keyed_name
from heedful.kernel.errors import NotFoundError
from heedful.kernel.ids import RecordId
from heedful.ledger.events import RecordAdmitted, RecordPending, TenantCreated
from heedful.ledger.registry import EVENT_TYPES, decode_payload
from heedful.ledger.seal import Envelope, SealedEvent
from heedful.ledger.verify import BrokenEvent, Verification, verify_chain
from heedful.observations.record import BlobRef
from heedful.ports.store import Chain, Reading, Writing
from heedful.service.project import refold
from heedful.service.session import Session

Blobs = Literal["intact", "changed", "missing", "unchecked"]

_FOUNDING = frozenset(name for (name, _), event_class in EVENT_TYPES.items() if event_class is TenantCreated)
_KEEPING = frozenset(
    name for (name, _), event_class in EVENT_TYPES.items() if event_class in (RecordAdmitted, RecordPending)
)
# Of a record whose content is in the ledger itself; every payload is canonical JSON. Spares decoding most of them.
_NO_BLOB = b'"blob":null'


@dataclass(frozen=True, slots=True)
class Audit:
    """What `verify` found.

    Attributes:
        blobs: whether the content that records have in the blob store is what was put there: `intact`, `changed`,
            `missing`, or `unchecked` where the ledger is broken.
        blob_record_id: the first record whose content is changed or missing.
        views: `equal` (a refold gives them byte for byte), `different`, or `unchecked`.
    """

    ledger: Verification
    access: Verification
    blobs: Blobs
    blob_record_id: RecordId | None
    views: Literal["equal", "different", "unchecked"]

    @property
    def holds(self) -> bool:
        """True where nothing is broken."""
        chains_hold = self.ledger.broken is None and self.access.broken is None
        return chains_hold and self.blobs in ("intact", "unchecked") and self.views != "different"


def verify(session: Session, *, views: bool, progress: Callable[[int], None]) -> Audit:
    """Whether both chains hold from their first event on, and all content that records have in the blob store.

    With `views`, also whether a refold gives the live views; a ledger or blob that is broken is not folded.
    `progress` is told the position after each ledger event.

    Raises:
        ForbiddenError: `principal_may_not`.
        UnavailableError: `blob_store_unavailable`, `keys_unavailable`, or the store's.
    """
    session.require("audit")
    session.access.flush()
    tenant_id = session.store.tenant.tenant_id
    with session.store.read() as reading:
        head = reading.head(Chain.LEDGER)
        first: list[Envelope] = []

        def walked() -> Iterator[SealedEvent]:
            for sealed in reading.events(Chain.LEDGER):
                if not first:
                    first.append(sealed.envelope)
                progress(sealed.envelope.position)
                yield sealed

        ledger = verify_chain(walked(), tenant_id=tenant_id, expected_head=head, ends_there=True)
        if ledger.broken is None and (not first or first[0].type not in _FOUNDING):
            # Emptied as a whole a chain still links: only that it has no beginning tells.
            event_id = first[0].event_id if first else None
            ledger = replace(ledger, broken=BrokenEvent(1, event_id, "beginning-missing"))
        access = verify_chain(
            reading.events(Chain.ACCESS),
            tenant_id=tenant_id,
            expected_head=reading.head(Chain.ACCESS),
            ends_there=True,
        )
        blobs, blob_record_id = ("unchecked", None) if ledger.broken else _check_blobs(session, reading)
    compared: Literal["equal", "different", "unchecked"] = "unchecked"
    if views and blobs == "intact":
        compared = "equal" if _refold_is_equal(session) else "different"
    return Audit(ledger, access, blobs, blob_record_id, compared)


def _check_blobs(session: Session, reading: Reading) -> tuple[Blobs, RecordId | None]:
    checked: set[str] = set()
    for sealed in reading.events(Chain.LEDGER):
        if sealed.envelope.type not in _KEEPING or sealed.payload is None or _NO_BLOB in sealed.payload:
            continue
        event = decode_payload(sealed.envelope.type, sealed.envelope.version, sealed.payload)
        if not isinstance(event, RecordAdmitted | RecordPending):
            continue
        blob, record_id = event.record.blob, event.record.record_id
        if blob is None or blob.name in checked:
            continue
        checked.add(blob.name)
        found = _check_blob(session, blob)
        if found != "intact":
            return found, record_id
    return "intact", None


def _check_blob(session: Session, blob: BlobRef) -> Blobs:
    tenant_id = session.store.tenant.tenant_id
    try:
        content = session.blobs.get(tenant_id, blob.name)
    except NotFoundError:
        return "missing"
    is_same = keyed_name(session.keys.tenant_key(tenant_id), content) == blob.name
    return "intact" if is_same else "changed"


class _Compared(Exception):  # noqa: N818  # it carries an answer out of a transaction that must not be kept
    def __init__(self, *, equal: bool) -> None:
        super().__init__()
        self.equal = equal


def _refold_is_equal(session: Session) -> bool:
    def compare(writing: Writing) -> bool:
        live = _views_digest(writing)
        refold(writing, session.text_of, progress=lambda _position: None)
        raise _Compared(equal=live == _views_digest(writing))

    try:
        return session.store.write(compare)
    except _Compared as compared:
        return compared.equal


def _views_digest(reading: Reading) -> str:
    digest = hashlib.sha256()
    for row in reading.dump_views():
        digest.update(row + b"\n")
    return digest.hexdigest()
