"""Signed: receipts for people who have no store, and how those check one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from heedful.kernel.errors import InvalidInputError
from heedful.kernel.times import format_time
from heedful.ledger.receipt import (
    SignedReceipt,
    decode_receipt,
    first_key_of,
    receipt_file,
    signer_of,
)
from heedful.ledger.succession import PublicKey, trusted_keys
from heedful.ports.signing import Signing
from heedful.ports.system import Clock
from heedful.service.erasure.receipt import Receipt
from heedful.service.proving.keys import signed_as_named


@dataclass(frozen=True, slots=True)
class ReceiptCheck:
    """What a receipt's file says, and whether that is a store's word.

    Attributes:
        holds: the file is as it was signed, by a key that is trusted.
        trusted_by: `key` or `keys` where such were given; `file` where it was checked by its own first key alone: then
            compare `first_key_id` with what the store's owner tells.
        receipt: its fields; they mean nothing where it does not hold.
    """

    holds: bool
    trusted_by: str
    key_id: str
    first_key_id: str
    signed_at: str
    receipt: dict[str, Any]


class _Shown(msgspec.Struct):
    keys: tuple[PublicKey, ...]


def signed_receipt(signing: Signing, clock: Clock, receipt: Receipt) -> SignedReceipt:
    """The receipt as it was told, under the store's newest key.

    Raises:
        UnavailableError: `keys_unavailable`.
        ConflictError: `key_rotated`.
    """
    told, now_us = msgspec.to_builtins(receipt), clock.now_us()
    made, signature = signed_as_named(signing, "receipt", lambda keys: receipt_file(told, keys, signed_at_us=now_us))
    return msgspec.structs.replace(made, signature=signature)


def check_receipt(content: bytes, *, key: str | None = None, keys: bytes | None = None) -> ReceiptCheck:
    """Whether the receipt in a file's bytes is what a store signed; no store is needed for it.

    `key`: the id of a key that is trusted, and those that follow from it; `keys`: what `heedful keys show --json`
    printed. Without either the file's own first key is looked at, which tells only that nothing was changed since.

    Raises:
        InvalidInputError: `receipt_malformed`, `keys_malformed`.
        UnsupportedError: `receipt_newer`.
    """
    signed = decode_receipt(content)
    first = first_key_of(signed.keys)
    if keys is not None:
        trusted_by, known = "keys", _known(keys)
    elif key is not None:
        trusted_by, known = "key", (key,)
    else:
        trusted_by, known = "file", () if first is None else (first,)
    signer = signer_of(signed, known) if first is not None else None
    return ReceiptCheck(
        holds=signer is not None,
        trusted_by=trusted_by,
        key_id=signed.key_id,
        first_key_id=first or "",
        signed_at=format_time(signed.signed_at_us),
        receipt=signed.receipt,
    )


def _known(content: bytes) -> tuple[str, ...]:
    """The ids of the keys that follow from the first in what `heedful keys show --json` printed."""
    try:
        shown = msgspec.json.decode(content, type=_Shown).keys
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise _keys_malformed() from error
    first = first_key_of(shown)
    if first is None:
        raise _keys_malformed()
    return tuple(trusted_keys(shown, [first]))


def _keys_malformed() -> InvalidInputError:
    return InvalidInputError(
        "keys_malformed",
        "these are no public keys of a store, or they were cut or changed",
        next_step="name a file with what `heedful keys show --json` printed",
    )
