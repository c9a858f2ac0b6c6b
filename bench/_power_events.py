"""What a trace did to the files in one folder: each call as an event on numbered files and folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from _power_trace import HARMLESS, Call, TraceError, calls

ROOT = 0
"""The number of the folder itself, which is there and durable before the trace begins."""
STDOUT = 1


@dataclass(frozen=True, slots=True)
class Event:
    """Something that a call did; `start` and `end` are those of the call."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Wrote(Event):
    """Bytes in a file, at an offset."""

    file: int
    offset: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Resized(Event):
    """A file was cut, or grew by zeros."""

    file: int
    size: int


@dataclass(frozen=True, slots=True)
class Named(Event):
    """Names in folders changed at once: (folder, name, what it names now, or None)."""

    changes: tuple[tuple[int, str, int | None], ...]
    made_folder: int | None = None


@dataclass(frozen=True, slots=True)
class Synced(Event):
    """An fsync of a file or folder succeeded."""

    node: int


@dataclass(frozen=True, slots=True)
class SyncFailed(Event):
    """An fsync of a file or folder failed."""

    node: int


@dataclass(frozen=True, slots=True)
class Said(Event):
    """A line went to standard output."""

    line: bytes


@dataclass(slots=True)
class _Open:
    node: int
    appends: bool
    only_writes: bool
    position: int = 0


@dataclass(slots=True)
class _Files:
    """The folder as the process sees it: names, open files, and what the calls did so far."""

    root: str
    names: dict[int, dict[str, int]] = field(default_factory=lambda: {ROOT: {}})
    sizes: dict[int, int] = field(default_factory=dict)
    opened: dict[int, _Open] = field(default_factory=dict)
    next_node: int = ROOT + 1

    def place(self, path: bytes, call: Call) -> tuple[int, str] | None:
        """The folder and the name that a path means, or None where it lies outside.

        Raises:
            TraceError: it is relative, so where it lies is not known.
        """
        text = os.fsdecode(path)
        if not text.startswith("/"):
            raise TraceError(f"{call.name} in line {call.end}: a relative path, {text!r}")
        text = os.path.normpath(text)
        if text == self.root:
            return ROOT, ""
        # SQLite's shared memory is rebuilt after a crash, so a state never has it.
        if not text.startswith(self.root + "/") or text.endswith("-shm"):
            return None
        *folders, name = text[len(self.root) + 1 :].split("/")
        node = ROOT
        for folder in folders:
            node = self.names[node][folder]
        return node, name

    def node_at(self, place: tuple[int, str]) -> int | None:
        folder, name = place
        return self.names[folder].get(name) if name else folder

    def new_node(self) -> int:
        self.next_node += 1
        return self.next_node - 1

    def rename(self, call: Call, *changes: tuple[int, str, int | None]) -> Named:
        for folder, name, node in changes:
            if node is None:
                self.names[folder].pop(name, None)
            else:
                self.names[folder][name] = node
        return Named(call.start, call.end, changes)


def events(trace: Path, root: Path) -> Iterator[Event]:
    """What the calls did in `root`, in the order in which they ended.

    Raises:
        TraceError: a call may have changed a file in a way that is not modelled.
    """
    files = _Files(os.path.realpath(root))
    for call in calls(trace):
        act = _ACTS.get(call.name)
        if act is not None:
            if call.result >= 0 or act is _sync:
                yield from act(files, call)
        elif call.name not in HARMLESS:
            raise TraceError(f"{call.name} in line {call.end} is not modelled")


def _open(files: _Files, call: Call) -> Iterator[Event]:
    files.opened.pop(call.result, None)
    flags = set(call.arguments[2].split("|"))
    path = call.text(1)
    if not path.startswith(b"/") and not flags & {"O_WRONLY", "O_RDWR", "O_CREAT"}:
        return
    place = files.place(path, call)
    if place is None:
        return
    if call.arguments[0] != "AT_FDCWD" or "O_TMPFILE" in flags:
        raise TraceError(f"openat in line {call.end}: {call.arguments[0]}, {call.arguments[2]}")
    node = files.node_at(place)
    if node is None:
        node = files.new_node()
        files.sizes[node] = 0
        yield files.rename(call, (*place, node))
    elif "O_TRUNC" in flags and files.sizes[node]:
        files.sizes[node] = 0
        yield Resized(call.start, call.end, node, 0)
    files.opened[call.result] = _Open(node, "O_APPEND" in flags, "O_WRONLY" in flags)


def _close(files: _Files, call: Call) -> Iterator[Event]:
    files.opened.pop(call.number(0), None)
    return iter(())


def _dup(files: _Files, call: Call) -> Iterator[Event]:
    opened = files.opened.get(call.number(0))
    files.opened.pop(call.result, None)
    if opened is not None:
        files.opened[call.result] = opened
    return iter(())


def _fcntl(files: _Files, call: Call) -> Iterator[Event]:
    return _dup(files, call) if call.arguments[1].startswith("F_DUPFD") else iter(())


def _seek(files: _Files, call: Call) -> Iterator[Event]:
    opened = files.opened.get(call.number(0))
    if opened is not None:
        opened.position = call.result
    return iter(())


def _pwrite(files: _Files, call: Call) -> Iterator[Event]:
    opened = files.opened.get(call.number(0))
    if opened is not None:
        yield from _put(files, call, opened.node, call.number(3))


def _write(files: _Files, call: Call) -> Iterator[Event]:
    number = call.number(0)
    opened = files.opened.get(number)
    if opened is None:
        if number == STDOUT:
            yield Said(call.start, call.end, call.text(1))
        return
    # Reads are not traced, and move the position as well.
    if not opened.only_writes:
        raise TraceError(f"write in line {call.end}: its place in the file is not known")
    offset = files.sizes[opened.node] if opened.appends else opened.position
    opened.position = offset + call.result
    yield from _put(files, call, opened.node, offset)


def _put(files: _Files, call: Call, node: int, offset: int) -> Iterator[Event]:
    content = call.text(1)[: call.result]
    files.sizes[node] = max(files.sizes[node], offset + len(content))
    yield Wrote(call.start, call.end, node, offset, content)


def _truncate(files: _Files, call: Call) -> Iterator[Event]:
    opened = files.opened.get(call.number(0))
    if opened is not None:
        files.sizes[opened.node] = call.number(1)
        yield Resized(call.start, call.end, opened.node, call.number(1))


def _sync(files: _Files, call: Call) -> Iterator[Event]:
    opened = files.opened.get(call.number(0))
    if opened is not None:
        sort = Synced if call.result == 0 else SyncFailed
        yield sort(call.start, call.end, opened.node)


def _make_folder(files: _Files, call: Call) -> Iterator[Event]:
    place = files.place(call.text(0), call)
    if place is not None:
        node = files.new_node()
        files.names[node] = {}
        changes = files.rename(call, (*place, node)).changes
        yield Named(call.start, call.end, changes, made_folder=node)


def _link(files: _Files, call: Call) -> Iterator[Event]:
    source, target = files.place(call.text(0), call), files.place(call.text(1), call)
    if (source is None) != (target is None):
        raise TraceError(f"{call.name} in line {call.end}: across the folder's border")
    if source is not None and target is not None:
        node = files.node_at(source)
        gone = ((*source, None),) if call.name == "rename" else ()
        yield files.rename(call, (*target, node), *gone)


def _unlink(files: _Files, call: Call) -> Iterator[Event]:
    place = files.place(call.text(0), call)
    if place is not None:
        yield files.rename(call, (*place, None))


def _map(files: _Files, call: Call) -> Iterator[Event]:
    _address, _length, protection, flags, number, _offset = call.arguments
    if "MAP_SHARED" in flags and "PROT_WRITE" in protection and int(number) in files.opened:
        raise TraceError(f"mmap in line {call.end}: a file that is written to through memory")
    return iter(())


def _clone(_files: _Files, call: Call) -> Iterator[Event]:
    if "CLONE_THREAD" not in "".join(call.arguments):
        raise TraceError(f"{call.name} in line {call.end}: another process, whose files are not followed")
    return iter(())


_ACTS: dict[str, Callable[[_Files, Call], Iterator[Event]]] = {
    "openat": _open,
    "close": _close,
    **dict.fromkeys(("dup", "dup2", "dup3"), _dup),
    "fcntl": _fcntl,
    "lseek": _seek,
    "pwrite64": _pwrite,
    "write": _write,
    "ftruncate": _truncate,
    **dict.fromkeys(("fsync", "fdatasync"), _sync),
    "mkdir": _make_folder,
    **dict.fromkeys(("link", "rename"), _link),
    **dict.fromkeys(("unlink", "rmdir"), _unlink),
    "mmap": _map,
    **dict.fromkeys(("clone", "clone3"), _clone),
}
