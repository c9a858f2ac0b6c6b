"""A disk that may lose what was not synced: files and names as they can be found after a power cut.

What an fsync covered is there; what one covered that failed is gone. Of the rest, data and names may each be there or
not, by mode:

- data `none`, `all`, `half` (each write by a coin), `torn` (each sector of 512 bytes of each write by a coin);
- names `kept` (links, renames, removals and new names are durable at once), `lost` (only those whose folder was
  synced afterwards), `half` (each change by a coin).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from _power_events import ROOT, Event, Named, Resized, Synced, SyncFailed, Wrote

SECTOR_BYTES = 512


@dataclass(frozen=True, slots=True)
class Mode:
    """What becomes of what was not synced."""

    data: Literal["none", "all", "half", "torn"]
    names: Literal["kept", "lost", "half"]

    @property
    def is_random(self) -> bool:
        """True where another seed may give another state."""
        return self.data in ("half", "torn") or self.names == "half"


MODES = (
    Mode("none", "kept"),
    Mode("all", "kept"),
    Mode("half", "kept"),
    Mode("torn", "kept"),
    Mode("none", "lost"),
    Mode("all", "lost"),
    Mode("half", "half"),
)

Part = tuple[Wrote | Resized, int]
"""A change and which sectors of it are there, as bits; -1: all of it."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A state after a power cut: which unsynced changes are there."""

    data: tuple[Part, ...]
    names: tuple[Named, ...]

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for two cuts of one moment that leave the same."""
        return tuple((part.end, bits) for part, bits in self.data), tuple(named.end for named in self.names)


@dataclass(slots=True)
class Disk:
    """The durable state, and what waits for an fsync.

    Attributes:
        durable: how many changes an fsync made durable so far.
    """

    durable: int = 0
    _files: dict[int, bytearray] = field(default_factory=dict)
    _folders: dict[int, dict[str, int]] = field(default_factory=lambda: {ROOT: {}})
    _data: list[Wrote | Resized] = field(default_factory=list)
    _names: list[Named] = field(default_factory=list)

    def apply(self, event: Event) -> None:
        """One more event."""
        match event:
            case Wrote() | Resized():
                self._data.append(event)
            case Named():
                if event.made_folder is not None:
                    self._folders[event.made_folder] = {}
                self._names.append(event)
            case Synced() | SyncFailed():
                self._sync(event)
            case _:  # a line that was said
                pass

    def _sync(self, event: Synced | SyncFailed) -> None:
        """What it covers is durable, or, where it failed, gone: the system takes its pages for written."""
        names = [
            each
            for each in self._names
            # A rename between two folders is durable with either: file systems write it as one.
            if each.end < event.start and any(folder == event.node for folder, _name, _node in each.changes)
        ]
        data = [each for each in self._data if each.file == event.node and each.end < event.start]
        if isinstance(event, Synced):
            for named in names:
                _rename(self._folders, named)
            for change in data:
                _change(self._files.setdefault(change.file, bytearray()), change, -1)
            self.durable += len(names) + len(data)
        self._names = [each for each in self._names if each not in names]
        self._data = [each for each in self._data if each not in data]

    def cut(self, mode: Mode, rng: random.Random) -> Cut:
        """A power cut now."""
        match mode.data:
            case "none":
                data: list[Part] = []
            case "all":
                data = [(change, -1) for change in self._data]
            case "half":
                data = [(change, -1) for change in self._data if rng.random() < 0.5]
            case "torn":
                data = [(change, rng.getrandbits(_sectors(change))) for change in self._data]
        match mode.names:
            case "kept":
                names = list(self._names)
            case "lost":
                names = []
            case "half":
                names = [named for named in self._names if rng.random() < 0.5]
        return Cut(tuple(data), tuple(names))

    def state(self, cut: Cut) -> Iterator[tuple[str, bytes | None]]:
        """Path and content of each file, None for a folder; a folder comes before what is in it."""
        folders = {node: dict(names) for node, names in self._folders.items()}
        for named in cut.names:
            _rename(folders, named)
        parts: dict[int, list[Part]] = {}
        for part in cut.data:
            parts.setdefault(part[0].file, []).append(part)
        yield from self._walk(folders, parts, ROOT, "")

    def _walk(
        self, folders: dict[int, dict[str, int]], parts: dict[int, list[Part]], folder: int, prefix: str
    ) -> Iterator[tuple[str, bytes | None]]:
        for name, node in folders[folder].items():
            if node in folders:
                yield prefix + name, None
                yield from self._walk(folders, parts, node, f"{prefix}{name}/")
                continue
            content = bytearray(self._files.get(node, b""))
            for change, bits in parts.get(node, ()):
                _change(content, change, bits)
            yield prefix + name, bytes(content)


def _rename(folders: dict[int, dict[str, int]], named: Named) -> None:
    for folder, name, node in named.changes:
        if node is None:
            folders[folder].pop(name, None)
        else:
            folders[folder][name] = node


def _sectors(change: Wrote | Resized) -> int:
    if isinstance(change, Resized):
        return 1
    first, last = change.offset // SECTOR_BYTES, (change.offset + max(len(change.content), 1) - 1) // SECTOR_BYTES
    return last - first + 1


def _change(content: bytearray, change: Wrote | Resized, bits: int) -> None:
    if isinstance(change, Resized):
        if bits:
            del content[change.size :]
            content.extend(bytes(change.size - len(content)))
        return
    offset = change.offset
    if bits == -1:
        _put(content, offset, change.content)
        return
    for number in range(_sectors(change)):
        if bits >> number & 1:
            begin = max(offset, (offset // SECTOR_BYTES + number) * SECTOR_BYTES)
            end = min(offset + len(change.content), (offset // SECTOR_BYTES + number + 1) * SECTOR_BYTES)
            _put(content, begin, change.content[begin - offset : end - offset])


def _put(content: bytearray, offset: int, part: bytes) -> None:
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(part)] = part
