"""Scan: every 12-byte window of given words, in every form in which a file may hold one, in every byte of a folder.

A form's first 8 bytes are looked up at each offset (numpy, a chunk at a time); what is found is compared in full.
"""

from __future__ import annotations

import base64
import gzip
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

WINDOW_BYTES = 12
CHUNK_BYTES = 8 * 1024 * 1024
UNPACKED_BYTES_MAX = 16 * 1024 * 1024
_KEY_BYTES = 8
_LONGEST = 128
_TABLE_BITS = 24
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(64 - _TABLE_BITS)
_ZLIB_SECONDS = (0x01, 0x5E, 0x9C, 0xDA)

Forms = dict[bytes, list[tuple[bytes, str, str]]]
"""First bytes -> (the whole form, class of data, name of the form)."""
Hits = Counter[tuple[str, str, str]]
"""(Class, form, file) -> how many."""


def windows(word: str) -> Iterator[bytes]:
    """Every piece of the word that is at least 12 bytes, of whole characters, and no longer than it must be."""
    for start in range(len(word)):
        piece = b""
        for character in word[start:]:
            piece += character.encode()
            if len(piece) >= WINDOW_BYTES:
                yield piece
                break


def forms_of(piece: bytes) -> Iterator[tuple[str, bytes]]:
    """The piece as files hold it."""
    text = piece.decode()
    yield "utf-8", piece
    yield "utf-16-le", text.encode("utf-16-le")
    yield "utf-16-be", text.encode("utf-16-be")
    yield "hex", piece.hex().encode()
    yield "HEX", piece.hex().upper().encode()
    for phase in range(3):
        # What stands before and behind the piece changes the characters at its ends.
        packed = base64.b64encode(b"\x00" * phase + piece)
        cut = packed[-(-phase * 8 // 6) :].rstrip(b"=")
        yield "base64", cut[: len(cut) - (1 if (phase + len(piece)) % 3 else 0)]
    yield "json-escapes", "".join(f"\\u{ord(each):04x}" for each in text).encode()
    if text.upper() != text:
        yield "capitals", text.upper().encode()


def pglz_forms_of(piece: bytes) -> Iterator[tuple[str, bytes]]:
    """As PostgreSQL's compression has what it found nowhere before: a control byte of 0 before each 8 literals."""
    for split in range(1, 9):
        parts = [piece[:split], *(piece[at : at + 8] for at in range(split, len(piece), 8))]
        yield "pglz", b"\x00".join(parts)


class Scanner:
    """What is looked for: words by class of data."""

    def __init__(self, words: Mapping[str, Iterable[str]], *, with_pglz: bool) -> None:
        """All forms of all windows are made ready."""
        self.forms: Forms = {}
        for name, each in words.items():
            for word in each:
                for piece in windows(word):
                    self._add(name, forms_of(piece))
                    if with_pglz:
                        self._add(name, pglz_forms_of(piece))
        self._keys = np.sort(np.frombuffer(b"".join(self.forms), dtype="<u8"))
        self._table = np.zeros(1 << _TABLE_BITS, dtype=bool)
        self._table[(self._keys * _ODD) >> _SHIFT] = True

    def _add(self, name: str, forms: Iterable[tuple[str, bytes]]) -> None:
        for form, found in forms:
            if len(found) >= WINDOW_BYTES:
                self.forms.setdefault(found[:_KEY_BYTES], []).append((found, name, form))

    def folder(self, folder: Path, told: Callable[[int, int], None] = lambda _done, _all: None) -> Hits:
        """What is found in every file below, names of files too; `told` hears how many bytes are done of how many."""
        files = [each for each in sorted(folder.rglob("*")) if each.is_file() and not each.is_symlink()]
        sizes = [each.stat().st_size for each in files]
        hits: Hits = Counter()
        done = 0
        for file, size in zip(files, sizes, strict=True):
            place = str(file.relative_to(folder))
            hits += self.content(place.encode("utf-8", "surrogateescape"), place + " (its name)")
            with file.open("rb") as opened:
                tail = b""
                while chunk := opened.read(CHUNK_BYTES):
                    hits += self.content(tail + chunk, place, whole_from=len(tail))
                    tail = (tail + chunk)[-_LONGEST:]
            done += size
            told(done, sum(sizes))
        return hits

    def content(self, content: bytes, place: str, *, whole_from: int = 0, unpacks: bool = True) -> Hits:
        """What is found in these bytes, and in what they hold compressed; not again what ends before `whole_from`."""
        hits: Hits = Counter()
        for at in self._candidates(content):
            for found, name, form in self.forms.get(content[at : at + _KEY_BYTES], ()):
                if at + len(found) > whole_from and content.startswith(found, at):
                    hits[name, form, place] += 1
        if unpacks:
            for unpacked in _unpacked(content):
                hits += self.content(unpacked, f"{place} (compressed)", unpacks=False)
        return hits

    def _candidates(self, content: bytes) -> Iterator[int]:
        """Offsets of the first bytes of a form: nearly all others are passed by with one look at a table."""
        for lag in range(_KEY_BYTES):
            count = (len(content) - lag) // _KEY_BYTES
            if count > 0:
                values: npt.NDArray[np.uint64] = np.frombuffer(content, dtype="<u8", count=count, offset=lag)
                maybe = np.flatnonzero(self._table[(values * _ODD) >> _SHIFT])
                wanted = values[maybe]
                places = np.searchsorted(self._keys, wanted)
                is_key = self._keys[np.minimum(places, len(self._keys) - 1)] == wanted
                for index in maybe[is_key]:
                    yield int(index) * _KEY_BYTES + lag


def _unpacked(content: bytes) -> Iterator[bytes]:
    """What lies compressed in these bytes, by the headers of zlib and gzip."""
    at = content.find(b"\x78")
    while at >= 0:
        if at + 1 < len(content) and content[at + 1] in _ZLIB_SECONDS:
            try:
                found = zlib.decompressobj().decompress(content[at : at + CHUNK_BYTES], UNPACKED_BYTES_MAX)
            except zlib.error:
                found = b""
            if len(found) >= WINDOW_BYTES:
                yield found
        at = content.find(b"\x78", at + 1)
    at = content.find(b"\x1f\x8b\x08")
    while at >= 0:
        try:
            found = zlib.decompressobj(wbits=31).decompress(content[at:], UNPACKED_BYTES_MAX)
        except zlib.error:
            found = b""
        if len(found) >= WINDOW_BYTES:
            yield found
        at = content.find(b"\x1f\x8b\x08", at + 1)


def examples() -> dict[str, bytes]:
    """A word in each form, for the control that each is found: name of the form -> bytes of a file."""
    word = "qwertyuiopasdfghjklzxcvb"
    made = {
        "utf-8": word.encode(),
        "capitals": word.upper().encode(),
        "utf-16-le": word.encode("utf-16-le"),
        "utf-16-be": word.encode("utf-16-be"),
        "hex": word.encode().hex().encode(),
        "HEX": word.encode().hex().upper().encode(),
        "json-escapes": "".join(f"\\u{ord(each):04x}" for each in word).encode(),
        "zlib": zlib.compress(b"some words before " + word.encode()),
        "gzip": gzip.compress(b"some words before " + word.encode()),
        "pglz": b"\x00".join(word.encode()[at : at + 8] for at in range(0, 24, 8)),
    }
    for phase in range(3):
        made[f"base64-{phase}"] = base64.b64encode(b"abc"[:phase] + word.encode() + b"xyz")
    return made
