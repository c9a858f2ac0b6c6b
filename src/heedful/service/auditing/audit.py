"""Audit: does the chain hold, and are the views what the ledger says."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from heedful.kernel.digest import keyed_name
from heedful.kernel.errors import NotFoundError
from heedful.kernel.ids import RecordId
from heedful.ledger.bundle_lines import ChainName
from heedful.ledger.checkpoint import Checkpoint, compared_with
from heedful.ledger.events import RecordAdmitted, RecordPending, TenantCreated
from heedful.ledger.pages import DIGEST, EVENT_ID, NAME, PAYLOAD, POSITION, EventRow, verify_pages
from heedful.ledger.registry import EVENT_TYPES, decode_payload
from heedful.ledger.verify import BrokenEvent, Verification
from heedful.observations.record import BlobRef
from heedful.ports.store import Chain, Reading, Writing
from heedful.service.project import refold
from heedful.service.project_erasure import erased_in
from heedful.service.proving.checkpoint import CHAINS, pinned_checkpoint, read_checkpoint
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
        checkpoints: how many checkpoints the chains were held against; the one that is pinned beside the store's keys
            is among them, where there is one.
        views: `equal` (a refold gives them byte for byte), `different`, or `unchecked`.
    """

    ledger: Verification
    access: Verification
    blobs: Blobs
    blob_record_id: RecordId | None
    views: Literal["equal", "different", "unchecked"]
    checkpoints: int = 0

    @property
    def holds(self) -> bool:
        """True where nothing is broken."""
        chains_hold = self.ledger.broken is None and self.access.broken is None
        return chains_hold and self.blobs in ("intact", "unchecked") and self.views != "different"


def verify(session: Session, *, views: bool, progress: Callable[[int], None], checkpoint: bytes | None = None) -> Audit:
    """Whether both chains hold from their first event on, and all content that records have in the blob store.

    They are also held against the checkpoint that was made last, and against one in a file (its bytes). With `views`,
    also whether a refold gives the live views; a ledger or blob that is broken is not folded. `progress` is told the
    position after each ledger event.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: `checkpoint_malformed`, `checkpoint_unsigned`, `checkpoint_foreign`.
        UnavailableError: `blob_store_unavailable`, `keys_unavailable`, or the store's.
    """
    session.require("audit")
    given = None if checkpoint is None else read_checkpoint(session, checkpoint)
    pinned = pinned_checkpoint(session)
    against = tuple(each for each in (given, pinned) if each is not None)
    session.access.flush()
    with session.store.read() as reading:
        erased = erased_in(reading)
        kept = _Kept(progress)
        ledger = _walked(session, reading, _Walk("ledger", erased.ledger, against), kept.see)
        if ledger.broken is None and (kept.first is None or kept.first[NAME] not in _FOUNDING):
            # Emptied as a whole a chain still links: only that it has no beginning tells.
            event_id = None if kept.first is None else kept.first[EVENT_ID]
            ledger = replace(ledger, broken=BrokenEvent(1, event_id, "beginning-missing"))
        access = _walked(session, reading, _Walk("access", erased.access, against), lambda _page: None)
        blobs, blob_record_id = ("unchecked", None) if ledger.broken else _check_blobs(session, reading, kept.blobs_at)
    compared: Literal["equal", "different", "unchecked"] = "unchecked"
    if views and blobs == "intact":
        compared = "equal" if _refold_is_equal(session) else "different"
    return Audit(ledger, access, blobs, blob_record_id, compared, len(against))


class _Kept:
    """What a walk over the ledger notes on its way: its first event, and where there are records that have a blob."""

    def __init__(self, progress: Callable[[int], None]) -> None:
        """`progress` is told each position."""
        self._progress = progress
        self.first: EventRow | None = None
        self.blobs_at: list[int] = []

    def see(self, page: Sequence[EventRow]) -> None:
        """The next page."""
        self.first = self.first or page[0]
        for row in page:
            payload = row[PAYLOAD]
            if row[NAME] in _KEEPING and payload is not None and _NO_BLOB not in payload:
                self.blobs_at.append(row[POSITION])
            self._progress(row[POSITION])


class _Walk(NamedTuple):
    """A chain, the positions of it whose payload an erasure took, and the checkpoints that it is held against."""

    name: ChainName
    erased: frozenset[int]
    against: tuple[Checkpoint, ...]


def _walked(
    session: Session, reading: Reading, walk: _Walk, each_is: Callable[[Sequence[EventRow]], None]
) -> Verification:
    """What a walk over the chain finds, in itself and beside the checkpoints; `each_is` is told each page."""
    chain = dict(CHAINS)[walk.name]
    comparisons = [compared_with(checkpoint, walk.name) for checkpoint in walk.against]

    def pages() -> Iterator[Sequence[EventRow]]:
        for page in reading.event_pages(chain):
            each_is(page)
            leaves = [row[DIGEST] for row in page] if comparisons else []
            for comparison in comparisons:
                comparison.take(leaves)
            yield page

    tenant_id, head = session.store.tenant.tenant_id, reading.head(chain)
    found = verify_pages(pages(), tenant_id=tenant_id, expected_head=head, erased=walk.erased)
    broken = found.broken
    # A chain that does not hold ends there: what is missing behind that tells nothing.
    places = [each.difference() if broken is None else each.found for each in comparisons]
    first = min((place for place in places if place is not None), default=None)
    if first is None or (broken is not None and broken.position <= first[1]):
        return found
    position, last = first
    to_position = None if last == position else last
    return replace(found, broken=BrokenEvent(position, None, "checkpoint-mismatch", to_position))


def _check_blobs(session: Session, reading: Reading, positions: list[int]) -> tuple[Blobs, RecordId | None]:
    checked: set[str] = set()
    for position in positions:
        sealed = reading.event(Chain.LEDGER, position)
        if sealed is None or sealed.payload is None:
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
