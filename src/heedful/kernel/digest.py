"""Digests: SHA-256 over canonical bytes, and the salted commitment to a payload that erasure can forget."""

from __future__ import annotations

import hashlib
import hmac

SALT_BYTES = 32
ZERO_DIGEST = "00" * 32
# RFC 9162, section 2.1.1: a leaf is hashed with this prefix, so that it can't be taken for a node.
_LEAF_PREFIX = b"\x00"


def sha256_hex(data: bytes) -> str:
    """Lower-case hex SHA-256."""
    return hashlib.sha256(data).hexdigest()


def leaf_digest(canonical_envelope: bytes) -> str:
    """Lower-case hex of the RFC 9162 leaf hash: SHA-256(0x00 || envelope)."""
    return sha256_hex(_LEAF_PREFIX + canonical_envelope)


def payload_digest(salt: bytes, payload: bytes) -> str:
    """Lower-case hex HMAC-SHA-256 of the payload under its event's own salt."""
    assert len(salt) == SALT_BYTES
    return hmac.digest(salt, payload, "sha256").hex()


def keyed_name(key: bytes, content: bytes) -> str:
    """Lower-case hex HMAC-SHA-256 of content under a tenant's key: a name that nobody else can guess."""
    return hmac.digest(key, content, "sha256").hex()


def derived_key(key: bytes, *, salt: bytes, info: bytes) -> bytes:
    """32 bytes for one use alone: HKDF-SHA-256 (RFC 5869), its first block.

    The key is the message of the first step and never its key: what `keyed_name` gives of any content, also of content
    that somebody chose, tells nothing of it.
    """
    return hmac.digest(hmac.digest(salt, key, "sha256"), info + b"\x01", "sha256")
