"""Tombstone: what is left of a tenant that was erased as a whole. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from heedful.kernel.digest import sha256_hex
from heedful.kernel.ids import TenantId


class Tombstone(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is left of a tenant: no content, and not its name; also as it is in a register and a backup.

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
