"""Store folder: what `init` lays down, and how an existing one is read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from heedful.adapters.registry_files import PACKS_FILE, default_policy
from heedful.kernel.errors import ConflictError, UnavailableError, UnsupportedError
from heedful.settings import STORE_FOLDER

FORMAT = 1
_MARKER = "store.json"
# The registry belongs in git; the databases, blobs and locks beside it do not.
_GITIGNORE = "*\n!.gitignore\n!registry/\n!registry/**\n"


@dataclass(frozen=True, slots=True)
class StoreFolder:
    """A store on disk.

    Attributes:
        store_id: names its keys, which lie elsewhere.
        default_scope: the scope elements that the command line assumes where none are given.
    """

    path: Path
    store_id: str
    default_scope: tuple[str, ...]

    @property
    def registry(self) -> Path:
        """Where its own registry documents lie."""
        return self.path / "registry"

    @property
    def blobs(self) -> Path:
        """Where content over the inline limit lies."""
        return self.path / "blobs"


def create_store_folder(
    parent: Path, *, store_id: str, principal: str, packs: tuple[str, ...], default_scope: tuple[str, ...]
) -> StoreFolder:
    """The new store's folder; `store.json` is written last, so that half a store is never taken for one.

    Raises:
        ConflictError: `store_exists`.
        UnavailableError: `store_unavailable`.
    """
    path = parent / STORE_FOLDER
    if (path / _MARKER).exists():
        raise ConflictError(
            "store_exists",
            "there is a store in this folder already",
            next_step="use it: every command finds it; or choose another folder",
        )
    folder = StoreFolder(path, store_id, default_scope)
    try:
        folder.registry.mkdir(parents=True, exist_ok=True)
        folder.blobs.mkdir(exist_ok=True)
        (path / ".gitignore").write_text(_GITIGNORE, "utf-8")
        (folder.registry / PACKS_FILE).write_text(f"packs: [{', '.join(packs)}]\n", "utf-8")
        (folder.registry / "policy.yaml").write_text(default_policy(principal, packs), "utf-8")
        marker = {"format": FORMAT, "store_id": store_id, "default_scope": list(default_scope)}
        temporary = path / f"{_MARKER}.new"
        temporary.write_text(json.dumps(marker, ensure_ascii=False, indent=1) + "\n", "utf-8")
        temporary.replace(path / _MARKER)
    except OSError as error:
        raise _unavailable() from error
    return folder


def open_store_folder(path: Path) -> StoreFolder:
    """The store in this folder.

    Raises:
        UnavailableError: `store_unavailable` where there is none, or it can't be read.
        UnsupportedError: `format_newer`.
    """
    try:
        marker = json.loads((path / _MARKER).read_text("utf-8"))
        store_id, written = str(marker["store_id"]), int(marker["format"])
        scope = tuple(str(element) for element in marker["default_scope"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _unavailable() from error
    if written > FORMAT:
        raise UnsupportedError(
            "format_newer",
            f"this store has format {written}; this release reads up to {FORMAT}",
            next_step="upgrade heedful",
        )
    return StoreFolder(path, store_id, scope)


def _unavailable() -> UnavailableError:
    return UnavailableError(
        "store_unavailable",
        "the store's folder can't be read or written",
        next_step="see that it is a store made by `heedful init`, that you may write there, and that the disk has room",
    )
