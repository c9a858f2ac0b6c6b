"""Signed receipts: what a store says of an erasure, for whoever has its public keys alone; docs/forgetting.md.

A receipt is values that tell of no content. What is signed is all of the file but the signature: its keys too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.errors import InvalidInputError, UnsupportedError
from heedful.kernel.signature import is_signed
from heedful.ledger.succession import PublicKey, trusted_keys

WHAT = "heedful receipt"
FORMAT = 1


class SignedReceipt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A receipt as it is in a file.

    Attributes:
        receipt: its fields by name, as they were told to whoever asked for the file.
        signed_at_us: UTC microseconds.
        keys: the store's public keys, each vouched for by the one before it.
        key_id: of the key that signed; `signature` is hex.
    """

    what: str
    format: int
    receipt: dict[str, Any]
    signed_at_us: int
    keys: tuple[PublicKey, ...]
    key_id: str
    signature: str = ""

    @property
    def body(self) -> bytes:
        """The canonical bytes that are signed."""
        told = msgspec.to_builtins(self)
        del told["signature"]
        return canonical_bytes(told)


class _Begun(msgspec.Struct):
    what: str
    format: int


def receipt_file(receipt: Mapping[str, Any], keys: Sequence[PublicKey], *, signed_at_us: int) -> SignedReceipt:
    """A receipt that is to be signed with the last of the keys."""
    return SignedReceipt(WHAT, FORMAT, dict(receipt), signed_at_us, tuple(keys), keys[-1].key_id)


def encode_receipt(signed: SignedReceipt) -> bytes:
    """The file's bytes."""
    return msgspec.json.format(msgspec.json.encode(signed), indent=1) + b"\n"


def decode_receipt(content: bytes) -> SignedReceipt:
    """The receipt in these bytes, as Heedful wrote it, to the byte; its signature is not looked at.

    Raises:
        InvalidInputError: `receipt_malformed`.
        UnsupportedError: `receipt_newer`.
    """
    try:
        begun = msgspec.json.decode(content, type=_Begun)
        if begun.what == WHAT and begun.format > FORMAT:
            raise UnsupportedError("receipt_newer", "a newer release wrote this receipt", next_step="upgrade heedful")
        found = msgspec.json.decode(content, type=SignedReceipt)
        is_whole = (found.what, found.format) == (WHAT, FORMAT) and encode_receipt(found) == content
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise _malformed() from error
    if not is_whole:
        raise _malformed()
    return found


def signer_of(signed: SignedReceipt, known: Sequence[str]) -> str | None:
    """The key that signed it, where that is one of these ids or follows from one; None: nobody whom they trust did."""
    public = trusted_keys(signed.keys, known).get(signed.key_id)
    try:
        signature, body = bytes.fromhex(signed.signature), signed.body
    except ValueError:
        return None
    # Hexadecimal digits may be written in two ways, and only one is ours.
    is_theirs = public is not None and signature.hex() == signed.signature
    return signed.key_id if is_theirs and is_signed(public or b"", "receipt", body, signature) else None


def first_key_of(keys: Sequence[PublicKey]) -> str | None:
    """The id of the one key that was the store's first; None: there is none, or two."""
    first = [each.key_id for each in keys if each.number == 1]
    return first[0] if len(first) == 1 else None


def _malformed() -> InvalidInputError:
    return InvalidInputError(
        "receipt_malformed",
        "this is no receipt of Heedful, or it was cut or changed",
        next_step="name a file that `heedful receipt ID --out` wrote; `heedful verifier` checks other signed files",
    )
