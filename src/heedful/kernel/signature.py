"""Signatures: Ed25519 (RFC 8032) over a purpose and bytes, so that what is signed for one thing proves no other.

The library is imported when first used: most commands sign nothing.
"""

from __future__ import annotations

from typing import Literal

from heedful.kernel.digest import sha256_hex

SEED_BYTES = 32
PUBLIC_BYTES = 32
SIGNATURE_BYTES = 64
Purpose = Literal["checkpoint", "cosignature", "receipt", "signing key", "backup", "drill"]


def key_id_of(public: bytes) -> str:
    """Hex SHA-256 of the public key: a name that one key alone has."""
    return sha256_hex(public)


def signed_bytes(purpose: Purpose, body: bytes) -> bytes:
    """What is signed for that purpose: a line that names it, and the body."""
    return f"heedful {purpose} 1\n".encode() + body


def public_of(seed: bytes) -> bytes:
    """The public key of a private one, which is 32 random bytes."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415

    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def sign(seed: bytes, purpose: Purpose, body: bytes) -> bytes:
    """The 64 bytes that prove that whoever has the private key said this, for this purpose."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415

    return Ed25519PrivateKey.from_private_bytes(seed).sign(signed_bytes(purpose, body))


def is_signed(public: bytes, purpose: Purpose, body: bytes, signature: bytes) -> bool:
    """True where the signature is that key's of this body for this purpose; False for whatever else is given."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, signed_bytes(purpose, body))
    except (InvalidSignature, ValueError):
        return False
    return True
