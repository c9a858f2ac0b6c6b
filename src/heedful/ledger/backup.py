"""Backup: what a backup's file says of itself: a header in clear, and a signed manifest of all that is in it. Pure.

The file: MAGIC, the header's length (4 bytes, big-endian), the header, the members one behind the other without gaps,
the manifest, and the end: where the manifest begins, its length (8 bytes each), its SHA-256, END. docs/backup.md.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from typing import Literal

import msgspec

from heedful.kernel.digest import sha256_hex
from heedful.kernel.errors import InvalidInputError, UnsupportedError
from heedful.kernel.ids import TenantId
from heedful.ledger.seal import Head
from heedful.ledger.signed import SignedText
from heedful.ledger.tombstone import Tombstone

WHAT = "heedful backup"
FORMAT = 1
MAGIC = b"heedful backup\n"
END = b"heedful backup end\n"
HEADER_BYTES_MAX = 65_536
MANIFEST_BYTES_MAX = 67_108_864
"""Of a manifest as it is in the file: 10,000 tenants with a checkpoint of 16 KB each fit in twice."""
TENANTS_MAX = 10_000
FILE_BYTES_MAX = 1 << 50
CHUNK_BYTES = 1_048_576
"""Of a member's content, encrypted one by one."""
TAG_BYTES = 16
END_FORMAT = struct.Struct(f">QQ32s{len(END)}s")
SCRYPT_LOG2_N = 17
"""Memory and time that one guess at a passphrase costs: 128 MiB."""
_SCRYPT_LOG2_N_MAX = 20
_DOCUMENT = re.compile(r"[^/\\\x00-\x1f\x7f.][^/\\\x00-\x1f\x7f]{0,200}\.yaml")
_KEY_FILE = re.compile(r"signing/[1-9][0-9]{0,3}\.json|[0-9a-z_=-]{1,140}\.key")
_BACKUP_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Scrypt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a passphrase becomes a key (RFC 7914), with 2**log2_n, r = 8, p = 1; `salt` is hex."""

    log2_n: int
    salt: str


class Lock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the backup is encrypted: AES-256-GCM under a key of its own, which is here under the secret (hex)."""

    by: Literal["passphrase", "key file"]
    wrapped_key: str
    scrypt: Scrypt | None = None


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What anybody may read of a backup: whose it is, from when, and until when it is to be kept."""

    what: str
    format: int
    backup_id: str
    store_id: str
    made_at_us: int
    expires_at_us: int
    lock: Lock | None = None


class Member(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of the file.

    Attributes:
        name: of a closed set, see `is_member_name`; never a path.
        number: by which its chunks are told from those of all others.
        offset, stored: where it lies in the file and how long it is there; `size` and `sha256` are its content's.
    """

    name: str
    number: int
    offset: int
    stored: int
    size: int
    sha256: str


class TenantPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tenant in the backup.

    Attributes:
        ledger, access: where its chains end in it.
        checkpoint: of the moment before it was copied, as a file has it.
        wrapped_key: the key of its members, hex; None where the backup is not encrypted.
        needs_backup_key: that key takes the tenant's backup key too: once that is destroyed, nobody reads it any more.
    """

    tenant_id: TenantId
    name: str
    created_at_us: int
    ledger: Head
    access: Head
    checkpoint: str
    wrapped_key: str | None = None
    needs_backup_key: bool = False


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is in the backup; `header_sha256` ties it to its header, `erased_tenants` are left of tenants that went."""

    header_sha256: str
    engine: Literal["sqlite", "postgresql"]
    release: str
    default_scope: tuple[str, ...]
    with_keys: bool
    tenants: tuple[TenantPart, ...]
    members: tuple[Member, ...]
    erased_tenants: tuple[Tombstone, ...] = ()


def encode_header(header: Header) -> bytes:
    """The beginning of the file."""
    body = msgspec.json.encode(header)
    return MAGIC + struct.pack(">I", len(body)) + body


def decode_header(body: bytes) -> Header:
    """The header of these bytes, within its limits.

    Raises:
        InvalidInputError: `backup_malformed`.
        UnsupportedError: `backup_newer`.
    """
    try:
        begun = msgspec.json.decode(body, type=_Begun)
        if begun.what == WHAT and begun.format > FORMAT:
            raise UnsupportedError("backup_newer", "a newer release wrote this backup", next_step="upgrade heedful")
        header = msgspec.json.decode(body, type=Header)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise malformed("its header is none") from error
    if (header.what, header.format) != (WHAT, FORMAT):
        raise malformed("its header is none")
    if not _BACKUP_ID.fullmatch(header.store_id) or not _BACKUP_ID.fullmatch(header.backup_id):
        raise malformed("its header names no store")
    scrypt = None if header.lock is None else header.lock.scrypt
    if header.lock is not None and (header.lock.by == "passphrase") != (scrypt is not None):
        raise malformed("its header does not say how it is encrypted")
    if scrypt is not None and not 1 <= scrypt.log2_n <= _SCRYPT_LOG2_N_MAX:
        raise malformed("opening it would take more memory than any backup of ours")
    return header


class _Begun(msgspec.Struct):
    what: str
    format: int


def encode_manifest(manifest: Manifest) -> str:
    """The text that is signed."""
    return msgspec.json.encode(manifest).decode()


def decode_manifest(signed: SignedText, header_bytes: bytes, *, begins: int, ends: int) -> Manifest:
    """The manifest, whose members lie one behind the other from `begins` to `ends`. Its signature is not looked at.

    Raises:
        InvalidInputError: `backup_malformed`.
    """
    try:
        manifest = msgspec.json.decode(signed.text, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise malformed("its manifest is none") from error
    if manifest.header_sha256 != sha256_hex(header_bytes):
        raise malformed("its manifest is that of another header")
    at = begins
    for member in manifest.members:
        if member.offset != at or member.size < 0 or member.stored < 0:
            raise malformed("its parts do not lie one behind the other")
        at += member.stored
    if at != ends:
        raise malformed("its parts are not all that is in it")
    names = [each.name for each in manifest.members]
    ids = [each.tenant_id for each in manifest.tenants]
    doubled = len({*names}) != len(names) or len({*ids}) != len(ids)
    if doubled or len(ids) > TENANTS_MAX or len({each.number for each in manifest.members}) != len(names):
        raise malformed("it has something twice, or too much of it")
    if not all(is_member_name(each, len(ids)) for each in names):
        raise malformed("it has a part of a name that none has")
    return manifest


def is_member_name(name: str, tenants: int) -> bool:
    """True for `registry/<document>.yaml`, `keys/<file>`, and `tenant/<number>/` database, blobs or ledger."""
    kind, _, rest = name.partition("/")
    if kind == "registry":
        return _DOCUMENT.fullmatch(rest) is not None
    if kind == "keys":
        return is_key_file(rest)
    number, _, part = rest.partition("/")
    is_number = number.isascii() and number.isdigit() and str(int(number)) == number if len(number) < 6 else False
    return kind == "tenant" and part in ("database", "blobs", "ledger") and is_number and int(number) < tenants


def is_key_file(name: str) -> bool:
    """True for a tenant's key and a signing key; not for the key that backups are wrapped under."""
    return _KEY_FILE.fullmatch(name) is not None


def tenant_member(number: int, part: Literal["database", "blobs", "ledger"]) -> str:
    """The name of a tenant's part; tenants are numbered as the manifest lists them, from 0."""
    return f"tenant/{number}/{part}"


def members_named(members: Sequence[Member], kind: str) -> tuple[Member, ...]:
    """The members whose name begins with `kind` and a slash."""
    return tuple(each for each in members if each.name.startswith(f"{kind}/"))


def malformed(what: str) -> InvalidInputError:
    """The error of a file that is no backup, or one that was changed."""
    return InvalidInputError(
        "backup_malformed",
        f"this is no backup of Heedful, or it was cut or changed: {what}",
        next_step="copy the file again from where it was made, or take another backup",
    )
