"""Locking: how a backup is encrypted: AES-256-GCM, chunk by chunk, so that none can be cut, moved or exchanged.

The library is imported when first used: most commands encrypt nothing.
"""

from __future__ import annotations

import hashlib
import secrets
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from heedful.kernel.digest import derived_key
from heedful.kernel.errors import InvalidInputError, UnavailableError
from heedful.ledger.backup import SCRYPT_LOG2_N, Lock, Scrypt

KEY_BYTES = 32
PASSPHRASE_BYTES_MIN = 12
PASSPHRASE_BYTES_MAX = 1_024
_NONCE_BYTES = 12
_SALT_BYTES = 16
_SCRYPT_R, _SCRYPT_P = 8, 1
_WRAPPED = b"heedful backup key"
_NONCE = struct.Struct(">IB3xI")


@dataclass(frozen=True, slots=True, repr=False)
class Secret:
    """What a backup is opened with: a passphrase, or the 32 bytes of a key file."""

    by: Literal["passphrase", "key file"]
    content: bytes


def read_secret(passphrase_file: Path | None, key_file: Path | None) -> Secret | None:
    """The secret in one of the files; None: none was named. A line end behind a passphrase is none of it.

    Raises:
        InvalidInputError: `backup_secret_unfit`.
        UnavailableError: `backup_secret_unavailable`.
    """
    if passphrase_file is not None and key_file is not None:
        raise _unfit("a passphrase and a key file were named, and a backup has one secret")
    if passphrase_file is not None:
        content = _read(passphrase_file).rstrip(b"\r\n")
        if not PASSPHRASE_BYTES_MIN <= len(content) <= PASSPHRASE_BYTES_MAX:
            raise _unfit(f"a passphrase has {PASSPHRASE_BYTES_MIN} to {PASSPHRASE_BYTES_MAX} bytes")
        return Secret("passphrase", content)
    if key_file is None:
        return None
    content = _read(key_file)
    if len(content) != KEY_BYTES:
        raise _unfit(f"a key file has {KEY_BYTES} bytes, which are random (`head -c {KEY_BYTES} /dev/urandom`)")
    return Secret("key file", content)


def new_lock(secret: Secret, *, log2_n: int = SCRYPT_LOG2_N) -> tuple[Lock, bytes]:
    """How a new backup is locked, and its key, which is random."""
    scrypt = Scrypt(log2_n, secrets.token_hex(_SALT_BYTES)) if secret.by == "passphrase" else None
    key = secrets.token_bytes(KEY_BYTES)
    return Lock(secret.by, wrap(_wrapping(secret, scrypt), key), scrypt), key


def opened_lock(lock: Lock, secret: Secret | None) -> bytes:
    """The backup's key.

    Raises:
        InvalidInputError: `backup_secret_needed`, `backup_secret_wrong`.
    """
    if secret is None or secret.by != lock.by:
        option = "--passphrase-file" if lock.by == "passphrase" else "--key-file"
        raise InvalidInputError(
            "backup_secret_needed",
            f"the backup is encrypted under a {lock.by}, and none was named",
            next_step=f"name it with {option}",
        )
    key = unwrap(_wrapping(secret, lock.scrypt), lock.wrapped_key)
    if key is None:
        raise InvalidInputError(
            "backup_secret_wrong",
            f"the backup can't be opened with this {lock.by}, or its header was changed",
            next_step="name the one that it was made with",
        )
    return key


def wrapping_key(key: bytes, tenant_id: str, tenant_key: bytes | None) -> bytes:
    """Under which a tenant's part lies: it follows from the backup's key and, where given, from the tenant's own."""
    return derived_key(key + (tenant_key or b""), salt=tenant_id.encode(), info=b"heedful backup tenant")


def wrap(wrapping: bytes, key: bytes) -> str:
    """The key under another one, as hex."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

    nonce = secrets.token_bytes(_NONCE_BYTES)
    return (nonce + AESGCM(wrapping).encrypt(nonce, key, _WRAPPED)).hex()


def unwrap(wrapping: bytes, wrapped: str) -> bytes | None:
    """The key; None: it is not under that one."""
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

    try:
        content = bytes.fromhex(wrapped)
        return AESGCM(wrapping).decrypt(content[:_NONCE_BYTES], content[_NONCE_BYTES:], _WRAPPED)
    except (InvalidTag, ValueError):
        return None


class ChunkCipher:
    """Encrypts and decrypts the chunks of one member: each at its place, in this backup, under this key."""

    def __init__(self, key: bytes, number: int, header_digest: bytes) -> None:
        """The chunks of the member of that number."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

        self._cipher = AESGCM(key)
        self._number = number
        self._header_digest = header_digest

    def seal(self, at: int, chunk: bytes, *, is_last: bool) -> bytes:
        """The chunk at that place (from 0), encrypted, with its tag."""
        return self._cipher.encrypt(self._nonce(at, is_last=is_last), chunk, self._header_digest)

    def open(self, at: int, chunk: bytes, *, is_last: bool) -> bytes | None:
        """What was sealed at that place; None: this is something else."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415

        try:
            return self._cipher.decrypt(self._nonce(at, is_last=is_last), chunk, self._header_digest)
        except InvalidTag:
            return None

    def _nonce(self, at: int, *, is_last: bool) -> bytes:
        return _NONCE.pack(self._number, is_last, at)


def _wrapping(secret: Secret, scrypt: Scrypt | None) -> bytes:
    if secret.by == "key file":
        return derived_key(secret.content, salt=b"", info=_WRAPPED)
    assert scrypt is not None, "headers without are refused"
    try:
        salt = bytes.fromhex(scrypt.salt)
    except ValueError:
        salt = b""
    n = 1 << scrypt.log2_n
    # As much as the parameters need, and some more; the standard limit is below that.
    memory = 256 * _SCRYPT_R * n
    return hashlib.scrypt(secret.content, salt=salt, n=n, r=_SCRYPT_R, p=_SCRYPT_P, maxmem=memory, dklen=KEY_BYTES)


def _read(path: Path) -> bytes:
    try:
        if not path.is_file():  # a pipe would be waited for without end
            raise FileNotFoundError(path)
        with path.open("rb") as file:
            return file.read(PASSPHRASE_BYTES_MAX + 3)
    except OSError as error:
        raise UnavailableError(
            "backup_secret_unavailable",
            "the file of the backup's secret can't be read",
            next_step="check its name and who may read it",
        ) from error


def _unfit(what: str) -> InvalidInputError:
    return InvalidInputError("backup_secret_unfit", what, next_step="name another file", details={"field": "secret"})
