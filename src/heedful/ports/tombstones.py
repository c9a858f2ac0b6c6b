"""Tombstones: what is left of a tenant that was erased, and how a store takes it away. See ports.store."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from heedful.kernel.digest import sha256_hex
from heedful.kernel.ids import TenantId
from heedful.ports.erasure import Scrubbed


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What is left of a tenant: no content, and not its name.

    Attributes:
        name_salt, name_digest: hex; whoever is told a name can find out whether it was this tenant's.
        body: JSON of whoever erased it: its receipt.
        is_done: nothing of the tenant is left but this; False: taking it away was interrupted, and is to go on.
    """

    tenant_id: TenantId
    name_salt: str
    name_digest: str
    body: str
    is_done: bool

    def is_of(self, name: str) -> bool:
        """True where the tenant had this name."""
        return name_digest(self.name_salt, name) == self.name_digest


def name_digest(salt: str, name: str) -> str:
    """Hex SHA-256 of a name under a salt in hex. It hides names from who looks, not from who tries them out."""
    return sha256_hex(bytes.fromhex(salt) + name.encode("utf-8", "surrogatepass"))


def tombstone_of(tombstones: Iterable[Tombstone], name: str) -> Tombstone | None:
    """The first tenant's that had this name, one that is not done before others; or None."""
    found = [each for each in tombstones if each.is_of(name)]
    return min(found, key=lambda each: each.is_done, default=None)


class Burying(Protocol):
    """The part of a store by which a whole tenant goes.

    It goes in steps, each durable, and each can be done again: `ErasureWriter.mark_erased` in a write of the tenant,
    from whose commit on nobody reads or writes it any more; `bury`; `delete_tenant`; `bury` with `is_done`.
    """

    def erased_mark(self, tenant_id: TenantId) -> str | None:
        """What the tenant was marked as erased with; None where it was not, or its rows are gone.

        Raises:
            NotFoundError: `tenant_not_found`.
            UnavailableError: `store_unavailable`, `store_closed`.
        """
        ...

    def bury(self, tombstone: Tombstone) -> None:
        """The tenant is listed no more, its name is nowhere, and whoever asks for it is told `tenant_erased`.

        One of the same tenant is replaced, unless it is done and this one is not. The tenant is to be marked before.

        Raises:
            UnavailableError: `store_unavailable`, `store_closed`.
        """
        ...

    def tombstones(self) -> tuple[Tombstone, ...]:
        """Every one, in order of tenant ids."""
        ...

    def delete_tenant(self, tenant_id: TenantId) -> Scrubbed:
        """No row or file of a buried tenant is left, as far as the store can see to it; what it could not is said.

        Raises:
            BusyError: `store_busy` where somebody reads it for longer than `lock_wait_seconds`; it can be done again.
            NotFoundError: `tenant_not_found` where it is not buried.
            UnavailableError: `store_unavailable`, `store_closed`.
        """
        ...
