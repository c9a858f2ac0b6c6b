"""What whoever owns the machine can do to a chain: each tampering, and the first position at which it is another one.

They work on a list of sealed events, whose `position` is the row's and whose tenant is the database's, and put it into
a tenant's database on SQLite, with a stored head that fits where the tamperer sees to that.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from heedful.adapters.storage.sqlite.connection import Session
from heedful.kernel.digest import payload_digest
from heedful.kernel.ids import EventId
from heedful.ledger.seal import SealedEvent
from heedful.ports.store import Chain

Events = list[SealedEvent]


@dataclass(frozen=True, slots=True)
class Tampered:
    """The chain as it is now; `fits_head`: the stored head was made to fit; `at`: the first event that is another."""

    events: Events
    at: int
    fits_head: bool = True


def resealed(events: Sequence[SealedEvent], position: int, payload: bytes | None = None) -> Events:
    """The chain with another payload there, and every link from there on made to fit; None: another salt alone."""
    made: Events = []
    for sealed in events:
        envelope = sealed.envelope
        if envelope.position < position:
            made.append(sealed)
            continue
        content, salt = sealed.payload or b"", sealed.salt or bytes(32)
        if envelope.position == position:
            content, salt = content if payload is None else payload, bytes(32)
        changed = replace(
            envelope,
            prev_digest=made[-1].digest if made else envelope.prev_digest,
            payload_digest=payload_digest(salt, content),
        )
        made.append(SealedEvent(changed, changed.digest, content, salt))
    return made


def _edit(events: Events, chance: random.Random) -> Tampered:
    place = chance.randrange(len(events))
    sealed = events[place]
    envelope, payload, salt = sealed.envelope, sealed.payload or b"", sealed.salt or b""
    edits: tuple[SealedEvent, ...] = (
        replace(sealed, payload=_flipped(payload, chance)),
        replace(sealed, salt=_flipped(salt, chance)),
        replace(sealed, payload=None, salt=None),
        replace(sealed, digest=_flipped(bytes.fromhex(sealed.digest), chance).hex()),
        replace(sealed, envelope=replace(envelope, type=envelope.type + "d")),
        replace(sealed, envelope=replace(envelope, version=envelope.version + 1)),
        replace(sealed, envelope=replace(envelope, recorded_at_us=envelope.recorded_at_us + 1)),
        replace(sealed, envelope=replace(envelope, event_id=EventId(envelope.event_id[::-1] + "x"))),
        replace(sealed, envelope=replace(envelope, key_id="k")),
        replace(sealed, envelope=replace(envelope, prev_digest=_flipped(bytes(32), chance).hex())),
        replace(sealed, envelope=replace(envelope, payload_digest=_flipped(bytes(32), chance).hex())),
    )
    return Tampered([*events[:place], chance.choice(edits), *events[place + 1 :]], place + 1, fits_head=False)


def _remove(events: Events, chance: random.Random) -> Tampered:
    place = chance.randrange(len(events))
    rest = events[place + 1 :]
    kept = rest if chance.random() < 0.5 else _moved(rest, -1)
    fits = bool(rest) and chance.random() < 0.5
    return Tampered([*events[:place], *kept], place + 1, fits_head=fits)


def _swap(events: Events, chance: random.Random) -> Tampered:
    one, two = sorted(chance.sample(range(len(events)), 2))
    made = list(events)
    made[one], made[two] = _placed(events[two], one + 1), _placed(events[one], two + 1)
    return Tampered(made, one + 1, fits_head=chance.random() < 0.5)


def _duplicate(events: Events, chance: random.Random) -> Tampered:
    place = chance.randrange(len(events))
    copy = _placed(events[place], place + 2)
    return Tampered([*events[: place + 1], copy, *_moved(events[place + 1 :], 1)], place + 2)


def _insert(events: Events, chance: random.Random) -> Tampered:
    place = chance.randrange(len(events))
    envelope = replace(
        events[place].envelope, event_id=EventId(f"0190b3c4-0000-7000-8000-{chance.randrange(10**12):012}")
    )
    new = SealedEvent(envelope, envelope.digest, events[place].payload, events[place].salt)
    return Tampered([*events[:place], new, *_moved(events[place:], 1)], place + 1)


def _truncate(events: Events, chance: random.Random) -> Tampered:
    left = chance.randrange(1, len(events))
    return Tampered(events[:left], left + 1, fits_head=chance.random() < 0.8)


def _rewrite(events: Events, chance: random.Random) -> Tampered:
    position = chance.choice((1, chance.randrange(1, len(events) + 1)))
    return Tampered(resealed(events, position, chance.choice((None, b"{}"))), position)


def _rewrite_and_grow(events: Events, chance: random.Random) -> Tampered:
    made = _rewrite(events, chance)
    last = made.events[-1]
    envelope = replace(last.envelope, position=last.envelope.position + 1, prev_digest=last.digest)
    return replace(made, events=[*made.events, SealedEvent(envelope, envelope.digest, last.payload, last.salt)])


TAMPERINGS: dict[str, Callable[[Events, random.Random], Tampered]] = {
    "edit": _edit,
    "remove": _remove,
    "swap": _swap,
    "duplicate": _duplicate,
    "insert": _insert,
    "truncate": _truncate,
    "rewrite": _rewrite,
    "rewrite and grow": _rewrite_and_grow,
}
"""By name; an older copy that is put back is a chain truncated with a head that fits."""
RESEALED = frozenset({"rewrite", "rewrite and grow"})
"""Those that hold in themselves always: a checkpoint alone finds them."""


def database_of(folder: Path) -> Path:
    """The file of the only tenant."""
    (path,) = (folder / "tenants").glob("*.db")
    return path


def put_chain(folder: Path, events: Events, chain: Chain = Chain.LEDGER, *, fits_head: bool = True) -> None:
    """The chain is these events, beside Heedful; with `fits_head` the stored head and the views' checkpoint fit."""
    session = Session(str(database_of(folder)), lock_wait_seconds=1.0)
    table, name = ("ledger_events", "ledger") if chain is Chain.LEDGER else ("access_events", "access")
    session.cursor.execute("BEGIN IMMEDIATE")
    session.cursor.execute(f"DELETE FROM {table}")
    session.cursor.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", list(map(_row, events)))
    if fits_head:
        last = events[-1]
        head = last.envelope.position, bytes.fromhex(last.digest)
        session.cursor.execute(f"UPDATE state SET {name}_position = ?, {name}_digest = ?", head)
        session.cursor.execute("UPDATE state SET checkpoint = ledger_position")
    session.cursor.execute("COMMIT")
    session.close()


def _row(sealed: SealedEvent) -> tuple[int | str | bytes | None, ...]:
    envelope = sealed.envelope
    return (
        envelope.position, envelope.event_id, envelope.type, envelope.version, envelope.recorded_at_us,
        bytes.fromhex(envelope.payload_digest), envelope.key_id, bytes.fromhex(envelope.prev_digest),
        bytes.fromhex(sealed.digest), sealed.payload, sealed.salt,
    )  # fmt: skip


def _placed(sealed: SealedEvent, position: int) -> SealedEvent:
    return replace(sealed, envelope=replace(sealed.envelope, position=position))


def _moved(events: Sequence[SealedEvent], by: int) -> Events:
    return [_placed(each, each.envelope.position + by) for each in events]


def _flipped(content: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(content))
    return content[:place] + bytes([content[place] ^ (1 << chance.randrange(8))]) + content[place + 1 :]
