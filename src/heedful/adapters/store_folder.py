"""Store folder: what `init` lays down, and how an existing one is read."""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from heedful.adapters.file_names import make_folder, sync_file, sync_folder
from heedful.adapters.registry_files import PACKS_FILE, default_policy
from heedful.kernel.errors import BusyError, ConflictError, NotFoundError, UnavailableError, UnsupportedError
from heedful.settings import STORE_FOLDER, Settings, find_store

Engine = Literal["sqlite", "postgresql"]
FORMAT = 2
# A release that knows format 1 alone would look for the content of a store on PostgreSQL in its folder.
_FORMATS: dict[Engine, int] = {"sqlite": 1, "postgresql": 2}
MARKER_BYTES_MAX = 65_536
LOCK_POLL_SECONDS = 0.02
_MARKER = "store.json"
# It names the folder of the store's keys, so it must be no path.
_STORE_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# The registry belongs in git; the databases, blobs and locks beside it do not.
_GITIGNORE = "*\n!.gitignore\n!registry/\n!registry/**\n"


@dataclass(frozen=True, slots=True)
class StoreFolder:
    """A store on disk.

    Attributes:
        store_id: names its keys, which lie elsewhere.
        default_scope: the scope elements that the command line assumes where none are given.
        engine: where its content lies: in this folder, or in a database of PostgreSQL.
    """

    path: Path
    store_id: str
    default_scope: tuple[str, ...]
    engine: Engine

    @property
    def registry(self) -> Path:
        """Where its own registry documents lie."""
        return self.path / "registry"

    @property
    def blobs(self) -> Path:
        """Where content over the inline limit lies, on SQLite."""
        return self.path / "blobs"

    @property
    def cache(self) -> Path:
        """Where lies what can be made anew from the rest; it may be taken away at any time."""
        return self.path / "cache"


def has_store(parent: Path) -> bool:
    """True where a store was begun in `parent` so far that its `store.json` is there."""
    return (parent / STORE_FOLDER / _MARKER).exists()


@contextmanager
def init_lock(parent: Path, *, wait_seconds: float) -> Iterator[None]:
    """While the block runs no other process makes a store in `parent`. The lock goes with the process that has it.

    Where the block fails with nothing in the store's folder, which it had to make, none is left.

    Raises:
        BusyError: `store_busy` where another process has it for longer than `wait_seconds`.
        UnavailableError: `store_unavailable`.
    """
    folder = parent / STORE_FOLDER
    is_new = not folder.exists()
    descriptor = _locked(folder, time.monotonic() + wait_seconds)
    try:
        yield
    except BaseException:
        if is_new:
            # One that has something in it stays.
            with suppress(OSError):
                folder.rmdir()
        raise
    finally:
        os.close(descriptor)


def _locked(folder: Path, deadline: float) -> int:
    """A descriptor of the folder that is there now, locked: who had the lock before may have taken the folder away."""
    while True:
        try:
            make_folder(folder, mode=0o777)
            descriptor = os.open(folder, os.O_RDONLY)
        except OSError as error:
            raise _unavailable() from error
        try:
            _lock(descriptor, deadline)
            if folder.exists() and os.path.samestat(os.fstat(descriptor), folder.stat()):
                return descriptor
            if time.monotonic() >= deadline:
                raise _busy()
        except OSError as error:
            os.close(descriptor)
            raise _unavailable() from error
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _lock(descriptor: int, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                raise _busy() from error
            time.sleep(LOCK_POLL_SECONDS)
        else:
            return


def _busy() -> BusyError:
    return BusyError(
        "store_busy",
        "another process has been making a store here for longer than lock_wait_seconds",
        next_step="wait for it, then try again",
    )


def create_store_folder(
    parent: Path,
    *,
    store_id: str,
    principal: str,
    packs: tuple[str, ...],
    default_scope: tuple[str, ...],
    engine: Engine,
) -> StoreFolder:
    """The new store's folder; `store.json` comes last and whole, so that half a store is never taken for one.

    To be called under `init_lock`: what several write at once would be mixed.

    Raises:
        ConflictError: `store_exists`.
        UnavailableError: `store_unavailable`.
    """
    path = parent / STORE_FOLDER
    if has_store(parent):
        raise store_exists()
    folder = StoreFolder(path, store_id, default_scope, engine)
    marker = {
        "format": _FORMATS[engine],
        "store_id": store_id,
        "engine": engine,
        "default_scope": list(default_scope),
    }
    temporary = path / f"{_MARKER}.new"
    try:
        folder.registry.mkdir(parents=True, exist_ok=True)
        if engine == "sqlite":
            folder.blobs.mkdir(exist_ok=True)
        _write(path / ".gitignore", _GITIGNORE)
        # A registry that came with a clone of the project was reviewed there: it is kept as it is.
        if not (folder.registry / "policy.yaml").exists():
            _write(folder.registry / PACKS_FILE, f"packs: [{', '.join(packs)}]\n")
            _write(folder.registry / "policy.yaml", default_policy(principal, packs))
        sync_folder(folder.registry)
        _write(temporary, json.dumps(marker, ensure_ascii=False, indent=1) + "\n")
        # A link, unlike a rename, fails where the name is taken.
        os.link(temporary, path / _MARKER)
        temporary.unlink()
        sync_folder(path)
    except FileExistsError as error:
        raise store_exists() from error
    except OSError as error:
        raise _unavailable() from error
    return folder


def open_store_folder(path: Path) -> StoreFolder:
    """The store in this folder.

    Raises:
        UnavailableError: `store_unavailable` where there is none, or it can't be read.
        UnsupportedError: `format_newer`.
    """
    written, marker = _read_marker(path / _MARKER)
    if written > FORMAT:
        raise UnsupportedError(
            "format_newer",
            f"this store has format {written}; this release reads up to {FORMAT}",
            next_step="upgrade heedful",
        )
    store_id, scope = marker.get("store_id"), marker.get("default_scope")
    engine = marker.get("engine", "sqlite")  # stores that were made before there was a choice do not name it
    if not isinstance(store_id, str) or not _STORE_ID.fullmatch(store_id):
        raise _damaged("its store_id is no UUID")
    if not isinstance(scope, list) or not all(isinstance(element, str) for element in scope):
        raise _damaged("its default_scope is no list of texts")
    if not isinstance(engine, str) or engine not in _FORMATS:
        raise _damaged(f"its engine is none of {', '.join(_FORMATS)}")
    return StoreFolder(path, store_id, tuple(scope), engine)


def store_path(settings: Settings, *, start: Path | None = None) -> Path:
    """The folder of the store that the settings name, else of the nearest one from `start` upward.

    Raises:
        NotFoundError: `store_not_found`.
    """
    path = _named_store(Path(settings.store)) if settings.store else _nearest_store(start)
    if path is None:
        raise NotFoundError(
            "store_not_found",
            "no store is here, nor in any folder above",
            next_step="`heedful init` makes one here; --store or HEEDFUL_STORE names another",
        )
    return path


def _named_store(path: Path) -> Path | None:
    """The store folder itself, or the one inside the folder that was named."""
    for candidate in (path, path / ".heedful"):
        if (candidate / "store.json").is_file():
            return candidate
    return None


def _nearest_store(start: Path | None) -> Path | None:
    """The nearest store folder from `start` (None: the current folder) upward, or None."""
    try:
        return find_store(start or Path.cwd())
    except FileNotFoundError:  # the current folder is gone
        return None


def store_exists() -> ConflictError:
    """The error where a whole store is there already."""
    return ConflictError(
        "store_exists",
        "there is a store in this folder already",
        next_step="use it: every command finds it; or choose another folder",
    )


def _read_marker(path: Path) -> tuple[int, dict[str, Any]]:
    """The format, and everything else as `store.json` has it; of these only the format is checked."""
    try:
        if not path.is_file():
            raise _unavailable()
        if path.stat().st_size > MARKER_BYTES_MAX:
            raise _damaged(f"it is over {MARKER_BYTES_MAX} bytes")
        marker = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise _unavailable() from error
    except (ValueError, RecursionError) as error:
        raise _damaged("it is no JSON") from error
    if not isinstance(marker, dict):
        raise _damaged("it is no JSON object")
    written = marker.get("format")
    if type(written) is not int or written < 1:
        raise _damaged("its format is no whole number above 0")
    return written, marker


def _write(path: Path, text: str) -> None:
    """The file holds the text, whole: half of one is never found under its name."""
    new = path.with_name(f"{path.name}.new")
    with new.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        sync_file(file.fileno())
    new.replace(path)


def _damaged(what: str) -> UnavailableError:
    return UnavailableError(
        "store_unavailable", f"the store's {_MARKER} is damaged: {what}", next_step=f"restore {_MARKER} from a backup"
    )


def _unavailable() -> UnavailableError:
    return UnavailableError(
        "store_unavailable",
        "the store's folder can't be read or written",
        next_step="see that it is a store made by `heedful init`, that you may write there, and that the disk has room",
    )
