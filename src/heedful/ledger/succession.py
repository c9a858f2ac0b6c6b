"""Succession: a store's signing keys, each vouched for by the one before it: whoever knows one can know the next.

A key vouches for the next while both private keys are there; from then on the older one signs nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

import msgspec

from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.signature import is_signed, key_id_of, public_of, sign

KEYS_MAX = 1_000
"""Keys of one store, the first to the newest."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A signing key, without what signs.

    Attributes:
        number: from 1; the store's newest key has the highest.
        public_key: hex of its 32 bytes; `key_id` is the SHA-256 of those.
        made_at_us: UTC microseconds.
        vouched_by: the key before it, and `signature` that key's, hex; the first key vouches for itself.
    """

    number: int
    key_id: str
    public_key: str
    made_at_us: int
    vouched_by: str
    signature: str

    @property
    def body(self) -> bytes:
        """The canonical bytes that are signed: all but the signature."""
        told = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "signature"}
        return canonical_bytes(told)


@dataclass(frozen=True, slots=True)
class Signature:
    """By which key, and what it signed with, in hex."""

    key_id: str
    signature: str


def first_key(seed: bytes, *, made_at_us: int) -> PublicKey:
    """A store's first key, which nobody vouches for but itself: to be trusted it is looked at once."""
    return _vouched(seed, 1, seed, made_at_us)


def next_key(seed: bytes, previous: PublicKey, previous_seed: bytes, *, made_at_us: int) -> PublicKey:
    """The key that takes the place of the previous one, which vouches for it."""
    return _vouched(seed, previous.number + 1, previous_seed, made_at_us)


def trusted_keys(keys: Iterable[PublicKey], known: Iterable[str]) -> dict[str, bytes]:
    """Key id -> public key (bytes), of those whose id is known, and of all that follow from them one by one.

    A key whose id is not its own, or that nobody trusted vouches for, is not among them, nor are those behind it.
    """
    known_ids = frozenset(known)
    trusted: dict[str, bytes] = {}
    for key in sorted(keys, key=lambda each: each.number)[:KEYS_MAX]:
        public = _bytes(key.public_key)
        if public is None or key_id_of(public) != key.key_id:
            continue
        if key.key_id in known_ids:
            trusted[key.key_id] = public
            continue
        voucher, signature = trusted.get(key.vouched_by), _bytes(key.signature)
        if voucher is not None and signature is not None and is_signed(voucher, "signing key", key.body, signature):
            trusted[key.key_id] = public
    return trusted


def encoded_key(key: PublicKey) -> dict[str, object]:
    """The key as JSON values."""
    told: dict[str, object] = msgspec.to_builtins(key)
    return told


def _vouched(seed: bytes, number: int, voucher_seed: bytes, made_at_us: int) -> PublicKey:
    public = public_of(seed)
    vouched_by = key_id_of(public_of(voucher_seed))
    unsigned = PublicKey(number, key_id_of(public), public.hex(), made_at_us, vouched_by, "")
    signature = sign(voucher_seed, "signing key", unsigned.body).hex()
    return PublicKey(number, unsigned.key_id, unsigned.public_key, made_at_us, vouched_by, signature)


def _bytes(text: str) -> bytes | None:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None
