"""Signed: a text with the store's signature, and the keys by which that is checked."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from heedful.kernel.signature import Purpose, is_signed
from heedful.ledger.succession import PublicKey, trusted_keys


class SignedText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text, who signed it, and the store's public keys."""

    text: str
    key_id: str
    signature: str
    keys: tuple[PublicKey, ...]

    def is_signed(self, purpose: Purpose, known: Iterable[str] | None) -> bool:
        """True where a key signed the text that is known, or follows from one; None: any that the file brings."""
        ids = [each.key_id for each in self.keys if each.number == 1] if known is None else known
        public = trusted_keys(self.keys, ids).get(self.key_id)
        try:
            signature = bytes.fromhex(self.signature)
        except ValueError:
            return False
        return public is not None and is_signed(public, purpose, self.text.encode(), signature)
