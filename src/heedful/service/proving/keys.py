"""Keys: the store's public keys for whoever checks its signatures, and the next one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from heedful.kernel.errors import ConflictError
from heedful.kernel.signature import Purpose
from heedful.ledger.succession import PublicKey
from heedful.ports.signing import Signing
from heedful.service.session import Session

_ROTATIONS_MET_MAX = 3


class NamesKey(Protocol):
    """What is signed, and says by which key: `body` is what is signed of it."""

    @property
    def key_id(self) -> str:
        """The key that is to sign."""
        ...

    @property
    def body(self) -> bytes:
        """The bytes that are signed."""
        ...


Named = TypeVar("Named", bound=NamesKey)


def public_keys(session: Session) -> tuple[PublicKey, ...]:
    """Every signing key that the store ever had, the first to the newest, each vouched for by the one before it.

    Raises:
        ForbiddenError: `principal_may_not`.
        UnavailableError: `keys_unavailable`.
    """
    session.require("audit")
    session.signing.prepare()
    return session.signing.public_keys()


def rotate_key(session: Session) -> PublicKey:
    """The new key, which the one before vouched for; that one signs nothing any more: its private half is gone here.

    Raises:
        ForbiddenError: `principal_may_not`.
        ConflictError: `key_rotated`, `signing_keys_full`.
        UnavailableError: `keys_unavailable`.
    """
    session.require("rotate_key")
    return session.signing.rotate()


def signed_as_named(
    signing: Signing, purpose: Purpose, make: Callable[[tuple[PublicKey, ...]], Named]
) -> tuple[Named, str]:
    """What `make` makes of the public keys, naming the last, and that key's signature of it, in hex.

    Raises:
        UnavailableError: `keys_unavailable`.
        ConflictError: `key_rotated`.
    """
    signing.prepare()
    for _ in range(_ROTATIONS_MET_MAX):
        made = make(signing.public_keys())
        signature = signing.sign(purpose, made.body)
        if signature.key_id == made.key_id:
            return made, signature.signature
    raise ConflictError(
        "key_rotated",
        "the store's signing key is replaced faster than anything is signed with it",
        next_step="run it again when nobody rotates keys",
    )
