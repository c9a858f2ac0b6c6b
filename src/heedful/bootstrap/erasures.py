"""Erasures of a whole store in one signed file, which is kept apart from its backups; see docs/backup.md."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from heedful.adapters.proof_files import read_proof_file, write_proof_file
from heedful.bootstrap.app import App
from heedful.bootstrap.opening import open_store
from heedful.kernel.errors import HeedfulError
from heedful.kernel.times import format_time
from heedful.ledger.erasure_register import FORMAT, WHAT, Register, decode_register, encode_register, unsigned
from heedful.ledger.signed import SignedText
from heedful.ports.store import Tenant
from heedful.service.auditing.export_ledger import require_whole_sight
from heedful.service.erasure.register import registered_tenant
from heedful.service.session import Session
from heedful.service.tenant import is_unfinished
from heedful.settings import Settings


@dataclass(frozen=True, slots=True)
class Registered:
    """What is in a register.

    Attributes:
        tenants: how many tenants it tells of; erasures: how many erasures of parts of them; erased_tenants: how many
            were erased as a whole.
        file: where it was written, or None.
    """

    store_id: str
    made_at: str
    tenants: int
    erasures: int
    erased_tenants: int
    file: str | None


def erasures(app: App, session: Session, out: Path | None = None) -> Registered:
    """What was erased in the store up to now, written to a file that is not there yet, or only counted.

    Raises:
        ForbiddenError: `principal_may_not`.
        ConflictError: `proof_file_exists`.
        UnavailableError: `proof_file_unavailable`, or the store's.
    """
    register, signed = register_of(app, session)
    if out is not None:
        write_proof_file(out, msgspec.json.encode(signed) + b"\n")
    return Registered(
        store_id=register.store_id,
        made_at=format_time(register.made_at_us),
        tenants=len(register.tenants),
        erasures=sum(len(each.erasures) for each in register.tenants),
        erased_tenants=len(register.erased_tenants),
        file=None if out is None else str(out),
    )


def register_of(app: App, session: Session) -> tuple[Register, SignedText]:
    """The store's register, of every tenant.

    Raises:
        ForbiddenError: `principal_may_not`.
    """
    assert app.folder is not None, "only stores in files are opened for it"
    session.require("export_ledger")
    require_whole_sight(session)  # it names ids of everything that was erased
    # Before anything is read: what is erased while it is made may be in it, and may not.
    made_at_us = app.clock.now_us()
    whole = [each for each in app.store.tenants() if not is_unfinished(each)]
    tenants = tuple(registered_tenant(session_at(app, session, each)) for each in whole)
    register = Register(WHAT, FORMAT, app.folder.store_id, made_at_us, tenants, app.store.tombstones())
    text = encode_register(register)
    signature = session.signing.sign("receipt", text.encode())
    return register, SignedText(text, signature.key_id, signature.signature, session.signing.public_keys())


def session_at(app: App, session: Session, tenant: Tenant) -> Session:
    """A session of the same principal, through the same door, at another tenant of the store; it adopts nothing."""
    return app.session(tenant=tenant.name, principal=session.principal, channel=session.channel, adopts=False)


def read_register(path: Path, known_keys: tuple[str, ...]) -> Register:
    """The register in a file, which one of the known keys signed, or one that follows; none known: one of its own.

    Raises:
        InvalidInputError: `register_malformed`, `register_unsigned`, `proof_file_too_large`.
        UnsupportedError: `register_newer`.
        UnavailableError: `proof_file_unavailable`.
    """
    register, signed = decode_register(read_proof_file(path))
    if known_keys and not signed.is_signed("receipt", known_keys):
        raise unsigned()
    return register


def register_in(store: Path, settings: Settings) -> Register:
    """The register of the store in that folder, as it is now."""
    with open_store(replace(settings, store=str(store), database=None)) as app:
        return register_of(app, app.session(tenant=app.store.tenants()[0].name, adopts=False))[0]


def register_of_replaced(to: Path, settings: Settings, *, has_others: bool) -> list[Register]:
    """Of the store in the place; none where it can't be read and another register was given."""
    try:
        return [register_in(to, settings)]
    except HeedfulError:
        # It may be what the backup is restored for that it can't be read.
        if has_others:
            return []
        raise
