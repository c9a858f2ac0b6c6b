"""Checkpoint: both chains as they are now, checked from the last one on, signed, and pinned outside of the store."""

from __future__ import annotations

from collections.abc import Iterator

from heedful.kernel.errors import ConflictError, FaultError, InvalidInputError
from heedful.ledger.bundle_lines import ChainName
from heedful.ledger.checkpoint import (
    FORMAT,
    WHAT,
    Checkpoint,
    Growth,
    Note,
    SignedNote,
    decode,
    encode,
    is_note_signed,
    keys_of,
    outline_of,
)
from heedful.ledger.merkle import consistency_proof
from heedful.ledger.outline import Outline
from heedful.ledger.pages import DIGEST, holds_to
from heedful.ledger.seal import EMPTY_HEAD, Head
from heedful.ports.store import Chain, Reading
from heedful.service.session import Session

_ROTATIONS_MET_MAX = 3
CHAINS: tuple[tuple[ChainName, Chain], ...] = (("ledger", Chain.LEDGER), ("access", Chain.ACCESS))


def make_checkpoint(session: Session, *, since: bytes | None = None, anew: bool = False) -> Checkpoint:
    """The signed checkpoint of this moment, with outlines; it is pinned beside the keys, and the next goes on from it.

    `since`: an older checkpoint (its file's bytes) whose chains are proved to be the beginnings of these. `anew`: what
    was pinned is not looked at, after a backup was restored on purpose.

    Raises:
        ForbiddenError: `principal_may_not`; nobody begins anew but who may make keys (`rotate_key`).
        FaultError: `ledger_broken` where an event behind the pinned checkpoint does not hold; `checkpoint_forked` where
            the chains are not a continuation of it: nothing is signed then.
        InvalidInputError: `checkpoint_malformed`, `checkpoint_unsigned`, `checkpoint_foreign` of `since`.
        UnavailableError: `keys_unavailable`, or the store's.
    """
    session.require("audit")
    if anew:
        session.require("rotate_key")
    older = None if since is None else read_checkpoint(session, since)
    return pin_checkpoint(session, older=older, anew=anew)


def pin_checkpoint(session: Session, *, older: Checkpoint | None = None, anew: bool = False) -> Checkpoint:
    """See make_checkpoint, which asks first whether the principal may.

    Raises:
        FaultError, UnavailableError: see make_checkpoint.
    """
    session.access.flush()
    pinned = None if anew else pinned_checkpoint(session)
    with session.store.read() as reading:
        outlines = {name: _continued(session, reading, name, chain, pinned) for name, chain in CHAINS}
        notes = tuple(_signed(session, name, outlines[name], reading.head(chain)) for name, chain in CHAINS)
        growth = () if older is None else _growth(reading, older, outlines)
    made = Checkpoint(
        what=WHAT,
        format=FORMAT,
        notes=notes,
        keys=session.signing.public_keys(),
        outlines=tuple(outline_of(name, outlines[name]) for name, _ in CHAINS),
    )
    session.signing.pin(session.store.tenant.tenant_id, encode(made))
    return Checkpoint(WHAT, FORMAT, made.notes, made.keys, made.outlines, growth)


def pinned_checkpoint(session: Session) -> Checkpoint | None:
    """What was pinned last of this tenant; None: nothing, or it is damaged, which proves nothing against the store."""
    content = session.signing.pinned(session.store.tenant.tenant_id)
    if content is None:
        return None
    try:
        return _checked(session, decode(content))
    except InvalidInputError:
        return None


def read_checkpoint(session: Session, content: bytes) -> Checkpoint:
    """The checkpoint in a file, which one of the file's own keys signed, of this tenant.

    Raises:
        InvalidInputError: `checkpoint_malformed`, `checkpoint_unsigned`, `checkpoint_foreign`.
        UnsupportedError: `checkpoint_newer`.
    """
    return _checked(session, decode(content))


def _checked(session: Session, found: Checkpoint) -> Checkpoint:
    trusted = keys_of(found)
    if not all(is_note_signed(each, trusted) for each in found.notes):
        raise InvalidInputError(
            "checkpoint_unsigned",
            "the checkpoint's signature is not that of its keys: it was changed, or put together",
            next_step="use the file as `heedful checkpoint --out` wrote it",
        )
    if found.tenant_id != session.store.tenant.tenant_id:
        raise InvalidInputError(
            "checkpoint_foreign",
            "the checkpoint is of another tenant",
            next_step="name one that was made of this tenant, or this checkpoint's tenant with --tenant",
        )
    return found


def _continued(session: Session, reading: Reading, name: ChainName, chain: Chain, pinned: Checkpoint | None) -> Outline:
    """The chain's outline, from the pinned one on; every event behind that holds."""
    begun = None if pinned is None else pinned.outline(name)
    outline, head = Outline(), EMPTY_HEAD
    if begun is not None and pinned is not None:
        outline, head = begun, Head(begun.size, pinned.note(name).note.head)
        last = reading.event(chain, head.position) if head.position else None
        if head.position and (last is None or (last.digest, last.envelope.digest) != (head.digest, head.digest)):
            raise _forked(name, head.position)
    tenant_id = session.store.tenant.tenant_id
    end = head

    def leaves() -> Iterator[bytes]:
        nonlocal end
        for page in reading.event_pages(chain, after=head.position):
            # What was erased is gone; that it may be is for `verify` to say.
            end, broken = holds_to(page, end, tenant_id, but=frozenset(["payload-missing"]))
            if broken is not None:
                raise _broken(name, broken.position)
            yield from (row[DIGEST] for row in page)

    grown = outline.extended(leaves())
    if end != reading.head(chain):
        raise _broken(name, end.position + 1)
    return grown


def _signed(session: Session, name: ChainName, outline: Outline, head: Head) -> SignedNote:
    """The chain's note under the store's newest key, which it names."""
    at_us, root = session.clock.now_us(), outline.root.hex()
    session.signing.prepare()
    for _ in range(_ROTATIONS_MET_MAX):
        key_id = session.signing.public_keys()[-1].key_id
        note = Note(session.store.tenant.tenant_id, name, outline.size, root, head.digest, at_us, key_id)
        signature = session.signing.sign("checkpoint", note.body)
        if signature.key_id == key_id:
            return SignedNote(note, signature.signature)
    raise ConflictError(
        "key_rotated",
        "the store's signing key is replaced faster than anything is signed with it",
        next_step="run it again when nobody rotates keys",
    )


def _growth(reading: Reading, older: Checkpoint, outlines: dict[ChainName, Outline]) -> tuple[Growth, ...]:
    """The consistency proofs from the older checkpoint, by the chains as they are: whether they hold is for a check."""
    found = []
    for name, chain in CHAINS:
        note, outline = older.note(name).note, outlines[name]
        if not 0 < note.size <= outline.size:
            continue

        def read_leaves(first: int, end: int, chain: Chain = chain) -> list[bytes]:
            return reading.leaves(chain, first, end)

        path = consistency_proof(outline.range_root(read_leaves), note.size, outline.size)
        found.append(Growth(name, note.size, note.root, tuple(each.hex() for each in path)))
    return tuple(found)


def _forked(name: ChainName, position: int) -> FaultError:
    return FaultError(
        "checkpoint_forked",
        f"the {name} chain is no continuation of the last checkpoint: event {position} is another one, or gone",
        next_step="`heedful verify` tells where; after restoring a backup on purpose, `heedful checkpoint --anew`",
        details={"chain": name, "position": position},
    )


def _broken(name: ChainName, position: int) -> FaultError:
    return FaultError(
        "ledger_broken",
        f"nothing was signed: the {name} chain does not hold at event {position}",
        next_step="run `heedful verify`, and restore the tenant's database from a backup",
        details={"chain": name, "position": position},
    )
