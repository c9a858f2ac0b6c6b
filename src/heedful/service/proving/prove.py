"""Prove: that an event is in its chain, to whoever has the store's key, without the store and without the others."""

from __future__ import annotations

import re

from heedful.kernel.errors import FaultError
from heedful.kernel.ids import EventId
from heedful.ledger.bundle_lines import ChainName
from heedful.ledger.checkpoint import Checkpoint, Inclusion, is_proved
from heedful.ledger.merkle import inclusion_proof
from heedful.ledger.seal import SealedEvent
from heedful.ports.store import Chain, Reading
from heedful.service.proving.checkpoint import CHAINS, make_checkpoint
from heedful.service.session import Session
from heedful.service.sight import not_found, seen_claim, seen_record

_DIGEST = re.compile("[0-9a-f]{64}")
_LEAVES_AT_ONCE = 10_000


def prove(session: Session, item_id: str, *, content: bool = False, since: bytes | None = None) -> Checkpoint:
    """A fresh checkpoint without outlines, and the proof that the event of that id is in it.

    An id of a record or claim that the session sees stands for the event that brought it; of a packet or verdict, for
    its own; so does an event's digest, which receipts of erasures tell. `content`: with payload and salt, by which a
    reader knows what the event said; of what the session sees alone. `since`: see make_checkpoint.

    Raises:
        NotFoundError: `item_not_found`.
        ForbiddenError, FaultError, InvalidInputError, UnavailableError: see make_checkpoint; `proof_failed` where the
            event that the id names is not the one that was signed.
    """
    session.require("audit")
    session.access.flush()
    with session.store.read() as reading:
        _find(session, reading, item_id, content=content)
    made = make_checkpoint(session, since=since)
    with session.store.read() as reading:
        name, chain, sealed = _find(session, reading, item_id, content=content)
        outline, note = made.outline(name), made.note(name).note
        assert outline is not None, "it was just made"

        def read_leaves(first: int, end: int) -> list[bytes]:
            return reading.leaves(chain, first, end)

        path = inclusion_proof(outline.range_root(read_leaves), sealed.envelope.position - 1, note.size)
    shown = content and sealed.payload is not None and sealed.salt is not None
    inclusion = Inclusion(
        name,
        sealed.envelope,
        tuple(each.hex() for each in path),
        payload=(sealed.payload or b"").decode() if shown else None,
        salt=(sealed.salt or b"").hex() if shown else None,
    )
    if not is_proved(inclusion, note):
        raise FaultError(
            "proof_failed",
            f"event {sealed.envelope.position} of the {name} chain is not the one that was signed",
            next_step="run `heedful verify`, and restore the tenant's database from a backup",
        )
    return Checkpoint(made.what, made.format, made.notes, made.keys, (), made.growth, inclusion)


def _find(session: Session, reading: Reading, item_id: str, *, content: bool) -> tuple[ChainName, Chain, SealedEvent]:
    stored = seen_record(session, reading, item_id)
    claim = seen_claim(session, reading, item_id)
    position = stored.position if stored is not None else None if claim is None else claim.position
    if position is not None:
        sealed = reading.event(Chain.LEDGER, position)
        if sealed is not None:
            return "ledger", Chain.LEDGER, sealed
    for name, chain in CHAINS:
        found = _by_digest(reading, chain, item_id) or reading.event_by_id(chain, EventId(item_id))
        # What an event says may be of what the session does not see; that it is there is an auditor's to know.
        if found is not None and not content:
            return name, chain, found
    raise not_found(item_id)


def _by_digest(reading: Reading, chain: Chain, digest: str) -> SealedEvent | None:
    if not _DIGEST.fullmatch(digest):
        return None
    wanted, first, size = bytes.fromhex(digest), 0, reading.head(chain).position
    while first < size:
        leaves = reading.leaves(chain, first, min(first + _LEAVES_AT_ONCE, size))
        if wanted in leaves:
            return reading.event(chain, first + leaves.index(wanted) + 1)
        first += _LEAVES_AT_ONCE
    return None
