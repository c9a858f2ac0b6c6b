"""Keys: the store's public keys for whoever checks its signatures, and the next one."""

from __future__ import annotations

from heedful.ledger.succession import PublicKey
from heedful.service.session import Session


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
