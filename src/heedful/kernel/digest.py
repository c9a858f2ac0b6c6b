"""Digests: SHA-256 over canonical bytes, and the salted commitment to a payload that erasure can forget."""

from __future__ import annotations

import hashlib
import hmac

SALT_BYTES = 32
ZERO_DIGEST = "00" * 32
# RFC 9162, section 2.1.1: a leaf is hashed with this prefix, so that it can't be taken for a node.
LEAF_PREFIX = b"\x00"
# RFC 2104: a key of that many bytes is filled with zeros to a block, and each byte of it xored with one of these.
_BLOCK_BYTES = 64
_INNER, _OUTER = (bytes(each ^ pad for each in range(256)) for pad in (0x36, 0x5C))
_INNER_REST, _OUTER_REST = (bytes([pad]) * (_BLOCK_BYTES - SALT_BYTES) for pad in (0x36, 0x5C))
_sha256 = hashlib.sha256


def sha256_hex(data: bytes) -> str:
    """Lower-case hex SHA-256."""
    return hashlib.sha256(data).hexdigest()


def leaf_digest(canonical_envelope: bytes) -> str:
    """Lower-case hex of the RFC 9162 leaf hash: SHA-256(0x00 || envelope)."""
    return sha256_hex(LEAF_PREFIX + canonical_envelope)


def payload_digest(salt: bytes, payload: bytes) -> str:
    """Lower-case hex HMAC-SHA-256 of the payload under its event's own salt."""
    assert len(salt) == SALT_BYTES
    return salted_digest(salt, payload).hex()


def salted_digest(salt: bytes, payload: bytes) -> bytes:
    """HMAC-SHA-256 of the payload under a salt of SALT_BYTES, as RFC 2104 writes it.

    By two hashes, since `hmac.digest` takes half as long again for so short a text, and a long chain has a million.
    """
    inner = _sha256(salt.translate(_INNER) + _INNER_REST + payload).digest()
    return _sha256(salt.translate(_OUTER) + _OUTER_REST + inner).digest()


def keyed_name(key: bytes, content: bytes) -> str:
    """Lower-case hex HMAC-SHA-256 of content under a tenant's key: a name that nobody else can guess."""
    return hmac.digest(key, content, "sha256").hex()


def derived_key(key: bytes, *, salt: bytes, info: bytes) -> bytes:
    """32 bytes for one use alone: HKDF-SHA-256 (RFC 5869), its first block.

    The key is the message of the first step and never its key: what `keyed_name` gives of any content, also of content
    that somebody chose, tells nothing of it.
    """
    return hmac.digest(hmac.digest(salt, key, "sha256"), info + b"\x01", "sha256")
