"""Bundle: one tenant's ledger as lines, and back. Both ways hold the chains to their links and digests as they stream.

Neither holds more in memory than one content, and the names of BLOB_NAMES_MAX others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from heedful.kernel.errors import FaultError, HeedfulError, UnsupportedError
from heedful.ledger.bundle_lines import (
    BLOB_BYTES_MAX,
    BLOB_PIECE_BYTES,
    LINE_BYTES_MAX,
    BlobLine,
    ChainName,
    EventLine,
    Header,
    Line,
    Trailer,
    damaged,
    decode_header,
    decode_line,
    encode_line,
    pieces,
    too_long,
)
from heedful.ledger.erased import ERASURE_TYPES, erased_by
from heedful.ledger.events import AnyEvent, PacketAssembled, RecordAdmitted, RecordPending, TenantCreated
from heedful.ledger.registry import decode_payload, is_known
from heedful.ledger.seal import EMPTY_HEAD, Head, SealedEvent
from heedful.ledger.verify import breach_of
from heedful.observations.record import BlobRef

BLOB_NAMES_MAX = 65_536
"""Names that are remembered, the oldest forgotten first: a blob named again after so many others is repeated."""


@dataclass(frozen=True, slots=True)
class Blob:
    """A content, whole, under the name that the next event gives it."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class ChainedEvent:
    """An event that holds: its link, its digest, its payload's digest; `event` None: it was erased, with its salt."""

    chain: ChainName
    sealed: SealedEvent
    event: AnyEvent | None


Item = Header | Blob | ChainedEvent | Trailer


def write_bundle(
    header: Header,
    ledger: Iterable[SealedEvent],
    access: Iterable[SealedEvent],
    content_of: Callable[[BlobRef], bytes],
) -> Iterator[tuple[bytes, Line]]:
    """Each line as bytes, with its line end, and as what it says. `content_of` gives a content by its name.

    Raises:
        InvalidInputError: `bundle_line_too_long`: what nobody could read is not written.
        FaultError: `ledger_broken` where a chain does not hold, or does not end where the header says.
    """
    walk = _Walk(header, _broken_here)
    digest = hashlib.sha256()

    numbers = count(1)

    def line_of(line: Line) -> tuple[bytes, Line]:
        encoded, number = encode_line(line), next(numbers)
        if len(encoded) > LINE_BYTES_MAX:
            raise too_long(number, LINE_BYTES_MAX)
        digest.update(encoded)
        return encoded, line

    yield line_of(header)
    chains: tuple[tuple[ChainName, Iterable[SealedEvent]], ...] = (("ledger", ledger), ("access", access))
    for chain, sealed_events in chains:
        for sealed in sealed_events:
            blob = blob_of(walk.take(chain, sealed))
            if blob is not None and walk.is_new(blob.name):
                for piece in pieces(blob.name, content_of(blob)):
                    yield line_of(piece)
                walk.remember(blob.name)
            yield line_of(EventLine(chain, sealed.envelope, sealed.digest, sealed.salt, sealed.payload))
    walk.end()
    yield line_of(walk.trailer(digest.hexdigest()))


def read_bundle(lines: Iterable[bytes]) -> Iterator[Item]:
    """What the lines say, each with its line end, checked as it comes; the trailer is last, and nothing after it.

    Raises:
        InvalidInputError: `bundle_malformed` where the first line is no header; `bundle_damaged`, with its line, for
            whatever was cut, edited, put elsewhere, left out or added.
        UnsupportedError: `bundle_newer` where a newer release wrote it, or an event in it.
    """
    reader = _Reader()
    for encoded in lines:
        yield from reader.read(encoded)
    if not reader.is_ended:
        raise damaged(reader.number + 1, "is missing: the file ends before its trailer")


def blob_of(event: AnyEvent | None) -> BlobRef | None:
    """The content in the blob store that the event names, or None."""
    return event.record.blob if isinstance(event, RecordAdmitted | RecordPending) else None


class _Walk:
    """Where both chains have got to, and which blobs were named; `fail` makes the error for what does not hold."""

    def __init__(self, header: Header, fail: Callable[[str], HeedfulError]) -> None:
        self._header = header
        self._fail = fail
        self._heads: dict[ChainName, Head] = {"ledger": EMPTY_HEAD, "access": EMPTY_HEAD}
        self._names: dict[str, None] = {}
        self._blobs = 0
        # Positions whose payload is not there, and that no erasure named yet; the ledger's come before it, the access
        # chain's after it.
        self._missing: dict[ChainName, set[int]] = {"ledger": set(), "access": set()}
        self._named: dict[ChainName, set[int]] = {"ledger": set(), "access": set()}

    def take(self, chain: ChainName, sealed: SealedEvent) -> AnyEvent | None:
        """The event, which is the chain's next; None where it has no payload, which an erasure must name: see `end`."""
        if chain == "ledger" and self._heads["access"] != EMPTY_HEAD:
            raise self._fail("is an event of the ledger after the access chain began")
        position = sealed.envelope.position
        is_empty = sealed.payload is None and sealed.salt is None
        breach = breach_of(
            sealed, self._heads[chain], self._header.tenant_id, frozenset({position} if is_empty else ())
        )
        if breach is not None:
            raise self._fail(f"is where the {chain} chain does not hold: {breach}")
        self._heads[chain] = Head(sealed.envelope.position, sealed.digest)
        name, version = sealed.envelope.type, sealed.envelope.version
        if not is_known(name, version):
            raise UnsupportedError(
                "bundle_newer",
                f"the ledger has an event {name[:80]} of version {version}, which this release does not know",
                next_step="upgrade heedful",
            )
        if sealed.payload is None:
            self._missing[chain].add(position)
            return None
        event = decode_payload(name, version, sealed.payload)
        if name in ERASURE_TYPES:
            named = erased_by((sealed,))
            self._missing["ledger"] -= named.ledger
            self._named["access"] |= named.access
        if isinstance(event, PacketAssembled) is not (chain == "access"):
            raise self._fail(f"is an event of another chain than the {chain} one")
        begins = isinstance(event, TenantCreated)
        if chain == "ledger" and begins is not (sealed.envelope.position == 1):
            raise self._fail("is where the ledger does not begin, once, with its tenant's creation")
        return event

    def is_new(self, name: str) -> bool:
        """True where the blob must stand before the event that names it."""
        return name not in self._names

    def remember(self, name: str) -> None:
        """The blob stands there."""
        self._names[name] = None
        self._blobs += 1
        if len(self._names) > BLOB_NAMES_MAX:
            del self._names[next(iter(self._names))]

    def end(self) -> None:
        """Nothing, where both chains end as the header says and the ledger has begun."""
        if self._heads["ledger"] == EMPTY_HEAD:
            raise self._fail("ends a ledger that never began")
        if self._heads != {"ledger": self._header.ledger, "access": self._header.access}:
            raise self._fail("comes where a chain has not the end that the header names")
        if self._missing["ledger"] or self._missing["access"] - self._named["access"]:
            raise self._fail("comes after an event without its payload, which no erasure names")

    def trailer(self, sha256: str) -> Trailer:
        """The last line for what was walked."""
        return Trailer(self._blobs, self._heads["ledger"].position, self._heads["access"].position, sha256)


class _Reader:
    """What was read so far of a bundle; `number` is that of the last line."""

    def __init__(self) -> None:
        self.number = 0
        self.is_ended = False
        self._digest = hashlib.sha256()
        self._walk: _Walk | None = None
        self._blob: BlobLine | None = None
        self._content = bytearray()

    def read(self, encoded: bytes) -> Iterator[Item]:
        """What this line completes, if anything."""
        self.number += 1
        if self._walk is None:
            header = decode_header(encoded)
            self._walk = _Walk(header, lambda what: damaged(self.number, what))
            self._digest.update(encoded)
            yield header
            return
        if self.is_ended:
            raise damaged(self.number, "comes after the trailer")
        line = decode_line(encoded, self.number)
        if isinstance(line, BlobLine):
            self._add(line)
        elif isinstance(line, EventLine):
            yield from self._event(line, self._walk)
        elif isinstance(line, Trailer):
            if self._blob is not None:
                raise damaged(self.number, "is the trailer, and the content before it is named by no event")
            self._walk.end()
            if line != self._walk.trailer(self._digest.hexdigest()):
                raise damaged(self.number, "is a trailer that does not fit what is before it")
            self.is_ended = True
            yield line
        else:
            raise damaged(self.number, "is a second header")
        self._digest.update(encoded)

    def _event(self, line: EventLine, walk: _Walk) -> Iterator[Item]:
        sealed = SealedEvent(line.envelope, line.digest, line.payload, line.salt)
        try:
            event = walk.take(line.chain, sealed)
        except FaultError as error:
            raise damaged(self.number, f"has a payload that is not what its type says ({error.code})") from error
        blob, named = self._blob, blob_of(event)
        if blob is not None:
            if named is None or (named.name, named.size_bytes) != (blob.name, blob.size_bytes):
                raise damaged(self.number, "does not name the content before it")
            if len(self._content) != blob.size_bytes:
                raise damaged(self.number, "comes before the content that it names is whole")
            content = bytes(self._content)
            self._blob, self._content = None, bytearray()
            walk.remember(blob.name)
            yield Blob(blob.name, content)
        elif named is not None and walk.is_new(named.name):
            raise damaged(self.number, "names a content that does not stand before it")
        yield ChainedEvent(line.chain, sealed, event)

    def _add(self, line: BlobLine) -> None:
        assert self._walk is not None
        begun = self._blob
        if begun is None and not self._walk.is_new(line.name):
            raise damaged(self.number, "repeats a content")
        if begun is not None and (begun.name, begun.size_bytes) != (line.name, line.size_bytes):
            raise damaged(self.number, "is of another content than the line before it")
        left = line.size_bytes - len(self._content)
        fits = 0 < line.size_bytes <= BLOB_BYTES_MAX and line.offset == len(self._content)
        if not fits or len(line.content) != min(left, BLOB_PIECE_BYTES) or left <= 0:
            raise damaged(self.number, "is not the next piece of its content")
        self._blob = line
        self._content += line.content


def _broken_here(what: str) -> FaultError:
    return FaultError(
        "ledger_broken",
        f"nothing was exported: the next line {what}",
        next_step="run `heedful verify`, and restore what it names from a backup",
    )
