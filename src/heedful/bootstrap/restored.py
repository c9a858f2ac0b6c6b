"""Restored: how a store is to come out of a backup, and what is told of it afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from heedful.adapters.backup.locking import Secret
from heedful.ledger.seal import Head
from heedful.service.auditing.restored import Standing


@dataclass(frozen=True, slots=True)
class RestoreChoices:
    """How a backup is to be restored.

    Attributes:
        secret: what it was encrypted under, where it was.
        checkpoints: files that were pinned elsewhere: what was restored must be no older, and no other history.
        registers: files with what was erased since. since: a store that knows it.
        without_register: restore although nobody says what was erased since.
        replace: put aside what is in the place.
        stale_ok: restore although a checkpoint given is newer. other_ok: although one tells another history.
        skip_locked: leave out tenants whose key is gone.
    """

    secret: Secret | None = None
    checkpoints: tuple[Path, ...] = ()
    registers: tuple[Path, ...] = ()
    since: Path | None = None
    without_register: bool = False
    replace: bool = False
    stale_ok: bool = False
    other_ok: bool = False
    skip_locked: bool = False


@dataclass(frozen=True, slots=True)
class RestoredTenant:
    """A tenant that came out of the backup.

    Attributes:
        ledger, access: where its chains ended in the backup.
        erasures: how many erasures were done again.
        consents: how many consents that were withdrawn since are withdrawn again; consents_unmatched: how many are not,
            as nothing in the backup tells whose they are.
        standing: beside each checkpoint: those given, and the one that is pinned beside the keys.
    """

    tenant_id: str
    tenant: str
    ledger: Head
    access: Head
    erasures: int
    standing: tuple[Standing, ...]
    consents: int = 0
    consents_unmatched: int = 0


@dataclass(frozen=True, slots=True)
class Restored:
    """What came out of the backup.

    Attributes:
        signed_by: the id of the key that signed the backup; `is_known`: it is a key of this store that was here before.
        left_out: names of tenants that were not restored: erased since, or, where that was wished, locked.
        register: whether anybody said what was erased since: `given` or `none`.
        replaced: where what was in the place lies now.
        keys: `here`, or `missing`: the store can be read, and nothing more be kept.
    """

    folder: str
    store_id: str
    backup_id: str
    made_at: str
    signed_by: str
    is_known: bool
    tenants: tuple[RestoredTenant, ...]
    left_out: tuple[str, ...]
    register: str
    replaced: str | None
    keys: str
