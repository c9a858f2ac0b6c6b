"""Signing: the store's Ed25519 keys, and what it last signed of each tenant. Both lie outside of the store."""

from __future__ import annotations

from typing import Protocol

from heedful.kernel.ids import TenantId
from heedful.kernel.signature import Purpose
from heedful.ledger.succession import PublicKey, Signature

CHECKPOINT_HOURS = 24.0
"""So often a checkpoint is made without anybody asking."""


class Signing(Protocol):
    """One store's signing keys.

    Every call raises UnavailableError `keys_unavailable` where their place can't be read or written.
    """

    def prepare(self) -> None:
        """The store has a first key, durably; else it is made when something is first signed.

        So that whoever copies the folder of keys to another machine has it there too.
        """
        ...

    def sign(self, purpose: Purpose, body: bytes) -> Signature:
        """The newest key's signature of this body, for this purpose alone."""
        ...

    def public_keys(self) -> tuple[PublicKey, ...]:
        """Every key that the store ever had, the first to the newest."""
        ...

    def rotate(self) -> PublicKey:
        """The new key, which the one before vouched for; that one's private half is gone from here.

        Raises:
            ConflictError: `key_rotated` where another did the same at this moment; `signing_keys_full` at 1,000 keys.
        """
        ...

    def pinned(self, tenant_id: TenantId) -> bytes | None:
        """What was pinned last of this tenant, or None."""
        ...

    def pin(self, tenant_id: TenantId, content: bytes) -> None:
        """This is pinned of the tenant from now on, durably and whole."""
        ...

    def unpin(self, tenant_id: TenantId) -> None:
        """Nothing is pinned of the tenant, durably; where nothing was, nothing changes."""
        ...
