"""What whoever owns the machine can do to a store on SQLite: seal it anew from some event on, or cut its tail off."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from heedful.adapters.storage.sqlite.connection import Session
from heedful.kernel.digest import payload_digest
from heedful.ledger.seal import SealedEvent


def resealed(events: list[SealedEvent], position: int, payload: bytes | None = None) -> list[SealedEvent]:
    """The chain with another payload there, and every link from there on made to fit; None: another salt alone."""
    made: list[SealedEvent] = []
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


def database_of(folder: Path) -> Path:
    """The file of the only tenant."""
    (path,) = (folder / "tenants").glob("*.db")
    return path


def put_chain(folder: Path, events: list[SealedEvent]) -> None:
    """The ledger is these events, and its stored head fits."""
    session = Session(str(database_of(folder)), lock_wait_seconds=1.0)
    for sealed in events:
        envelope = sealed.envelope
        session.cursor.execute(
            "UPDATE ledger_events SET prev_digest = ?, digest = ?, payload = ?, salt = ?, payload_digest = ?"
            " WHERE position = ?",
            (
                bytes.fromhex(envelope.prev_digest),
                bytes.fromhex(sealed.digest),
                sealed.payload,
                sealed.salt,
                bytes.fromhex(envelope.payload_digest),
                envelope.position,
            ),
        )
    last = events[-1]
    session.cursor.execute("DELETE FROM ledger_events WHERE position > ?", (last.envelope.position,))
    session.cursor.execute(
        "UPDATE state SET ledger_position = ?, ledger_digest = ?, checkpoint = ?",
        (last.envelope.position, bytes.fromhex(last.digest), last.envelope.position),
    )
    session.close()
