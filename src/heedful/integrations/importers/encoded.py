"""Files in UTF-16 and UTF-32, by their byte order mark, as the UTF-8 that every importer reads."""

from __future__ import annotations

import codecs
import io
from typing import BinaryIO

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16's, which is its beginning
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WIDTHS = (("UTF-32LE", 4, 0), ("UTF-32BE", 4, 3), ("UTF-16LE", 2, 0), ("UTF-16BE", 2, 1))
"""Encoding, bytes of a character of ASCII, and at which place of them it stands."""
_MARK_BYTES_MAX = 4
_UNITS_SEEN = 2
_ERRORS = "heedful-escape"
_CHUNK_BYTES = 65_536
_SURROGATES = range(0xD800, 0xE000)


def as_utf8(file: BinaryIO, size_bytes: int) -> BinaryIO | None:
    """The file's first `size_bytes` as UTF-8, without the mark; None, at its beginning, where it has no such mark.

    Half of a surrogate pair is the escape that JSON has for it; what is no character at all is U+FFFD.

    Raises:
        OSError: it can't be read.
    """
    start = file.read(_MARK_BYTES_MAX)
    for mark, encoding in _MARKS:
        if start.startswith(mark):
            file.seek(len(mark))
            return io.BufferedReader(_Recoded(file, encoding, size_bytes - len(mark)), _CHUNK_BYTES)
    file.seek(0)
    return None


def likely_encoding(start: bytes) -> str | None:
    """The encoding, as iconv calls it, that a file without a mark seems to have: it begins with ASCII between NULs."""
    for name, width, place in _WIDTHS:
        units = [start[at : at + width] for at in range(0, _UNITS_SEEN * width, width)]
        if all(len(unit) == width and unit[place] and not any(unit[:place] + unit[place + 1 :]) for unit in units):
            return name
    return None


class _Recoded(io.RawIOBase):
    """The rest of a file in UTF-8, of which so many bytes as it has are read."""

    def __init__(self, file: BinaryIO, encoding: str, left: int) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder(encoding)(_ERRORS)
        self._left = left
        self._ready = b""

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # what BufferedReader hands in
        """How many bytes were put into the buffer; 0 at the end."""
        while not self._ready and self._left >= 0:
            chunk = self._file.read(min(self._left, _CHUNK_BYTES))
            self._left = self._left - len(chunk) if chunk else -1
            self._ready = self._decoder.decode(chunk, final=not chunk).encode("utf-8")
        taken = self._ready[: len(buffer)]
        buffer[: len(taken)] = taken
        self._ready = self._ready[len(taken) :]
        return len(taken)


def _escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    unit = error.object[error.start : error.end]
    code = int.from_bytes(unit, "little" if error.encoding.endswith("le") else "big")
    return (f"\\u{code:04x}" if code in _SURROGATES else "\ufffd"), error.end


codecs.register_error(_ERRORS, _escaped)
