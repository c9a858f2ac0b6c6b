"""Lines of a bundle: one JSON object each, in the one spelling that an export writes; docs/move.md describes them.

header    format, tenant, where both chains end
blob      a piece of content, before the first event that names it
event     an envelope, its digest, payload and salt; the ledger first, then the access chain
trailer   how many of each, and the SHA-256 of every byte before it
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from heedful.kernel.errors import InvalidInputError, UnsupportedError
from heedful.kernel.ids import TenantId
from heedful.ledger.seal import Envelope, Head

FORMAT = 1
BLOB_PIECE_BYTES = 524_288
BLOB_BYTES_MAX = 268_435_456
"""The most that `content_bytes_max` may be (settings)."""
LINE_BYTES_MAX = 142_606_336
"""The largest inline content (16 MiB), each byte escaped in JSON (6 bytes), in base64 (4/3), and 8 MiB for the rest."""

ChainName = Literal["ledger", "access"]
_WHAT = "heedful ledger"


class Header(msgspec.Struct, frozen=True, tag_field="line", tag="header"):
    """The first line.

    Attributes:
        ledger, access: where the chains end.
        registry_revision: the one in force where it was exported.
        key_check: a name under the tenant's key, to know the key by; None where the tenant has none yet.
    """

    what: str
    format: int
    tenant_id: TenantId
    name: str
    created_at_us: int
    ledger: Head
    access: Head
    registry_revision: str
    key_check: str | None


class BlobLine(msgspec.Struct, frozen=True, tag_field="line", tag="blob"):
    """A piece of a content, from `offset` on; each but the last has BLOB_PIECE_BYTES."""

    name: str
    size_bytes: int
    offset: int
    content: bytes


class EventLine(msgspec.Struct, frozen=True, tag_field="line", tag="event"):
    """A sealed event."""

    chain: ChainName
    envelope: Envelope
    digest: str
    salt: bytes | None
    payload: bytes | None


class Trailer(msgspec.Struct, frozen=True, tag_field="line", tag="trailer"):
    """The last line. `sha256` is of every byte before it, in hex."""

    blobs: int
    ledger_events: int
    access_events: int
    sha256: str


Line = Header | BlobLine | EventLine | Trailer

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Line).decode
_decode_any = msgspec.json.Decoder(dict[str, object]).decode


def header_of(
    *, tenant_id: TenantId, name: str, created_at_us: int, ledger: Head, access: Head,
    registry_revision: str, key_check: str | None,
) -> Header:  # fmt: skip
    """The first line of this release's format."""
    return Header(_WHAT, FORMAT, tenant_id, name, created_at_us, ledger, access, registry_revision, key_check)


def encode_line(line: Line) -> bytes:
    """The line with its line end."""
    return _encode(line) + b"\n"


def decode_line(encoded: bytes, number: int) -> Line:
    """What the line says; `number` is its place in the file.

    Raises:
        InvalidInputError: `bundle_damaged`.
    """
    if not encoded.endswith(b"\n"):
        raise damaged(number, "is cut short")
    try:
        line = _decode(encoded)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError) as error:
        raise damaged(number, "is no line of a bundle") from error
    # One spelling for each line: nothing can hide in a space, a repeated key or an unknown one.
    if encode_line(line) != encoded:
        raise damaged(number, "is not written as an export writes it")
    return line


def decode_header(encoded: bytes) -> Header:
    """What the first line says.

    Raises:
        InvalidInputError: `bundle_malformed`, `bundle_damaged`.
        UnsupportedError: `bundle_newer`.
    """
    try:
        loose = _decode_any(encoded)
        written = loose.get("format")
        if loose.get("what") == _WHAT and isinstance(written, int) and written > FORMAT:
            raise UnsupportedError(
                "bundle_newer",
                f"this bundle has format {written}; this release reads up to {FORMAT}",
                next_step="upgrade heedful",
            )
        header = _decode(encoded)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError) as error:
        raise _malformed() from error
    if not isinstance(header, Header) or (header.what, header.format) != (_WHAT, FORMAT):
        raise _malformed()
    if encode_line(header) != encoded:
        raise damaged(1, "is not written as an export writes it")
    return header


def pieces(name: str, content: bytes) -> Iterator[BlobLine]:
    """The lines of this content, in order."""
    for offset in range(0, len(content), BLOB_PIECE_BYTES):
        yield BlobLine(name, len(content), offset, content[offset : offset + BLOB_PIECE_BYTES])


def too_long(number: int, limit: int) -> InvalidInputError:
    """The error for a line over the limit."""
    return InvalidInputError(
        "bundle_line_too_long",
        f"line {number} of the bundle is over {limit} bytes",
        next_step="name a file that `heedful ledger export` wrote; where this is an export, upgrade heedful",
        details={"line": number, "limit": limit},
    )


def damaged(number: int, what: str) -> InvalidInputError:
    """The error for a line that does not hold; `what` goes on from `line N of the bundle`."""
    return InvalidInputError(
        "bundle_damaged",
        f"line {number} of the bundle {what}",
        next_step="copy the file again, or export it again where it came from",
        details={"line": number},
    )


def _malformed() -> InvalidInputError:
    return InvalidInputError(
        "bundle_malformed",
        "this is no bundle: its first line is not the header that `heedful ledger export` writes",
        next_step="name a file that `heedful ledger export` wrote",
    )
