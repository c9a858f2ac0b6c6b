"""Registry restore: the body of an earlier revision -> a folder of documents for git, checked by reading it back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from heedful.adapters.registry_files import bundled_packs, folder_documents, pack_documents
from heedful.bridges.build import build_registry
from heedful.bridges.check import Change, registry_diff
from heedful.bridges.registry import Registry
from heedful.bridges.restore import documents_of_body
from heedful.kernel.errors import ConflictError, FaultError, UnavailableError
from heedful.kernel.ids import Revision


@dataclass(frozen=True, slots=True)
class RegistryFolder:
    """The documents of an earlier registry, in a folder.

    Attributes:
        files: their names.
        revision: of the registry that the folder makes with the packs of this release.
        left: how that differs from the one that was asked for; empty: it is the same, by its hash.
    """

    files: tuple[str, ...]
    revision: Revision
    left: tuple[Change, ...]


def write_registry_folder(body_json: str, packs: tuple[str, ...], folder: Path) -> RegistryFolder:
    """What was written to the folder, which is made where it is not there; nothing in it is ever replaced.

    `packs`: names of those that the body draws on, of which the bundled ones are read.

    Raises:
        ConflictError: `registry_folder_taken` where there is something in it.
        UnavailableError: `registry_folder_unavailable` where it can't be written.
        FaultError: `registry_not_restored` where no registry comes of the documents; they are left for a look.
    """
    bundled = bundled_packs()
    released = build_registry(pack_documents(*(name for name in packs if name in bundled)))
    assert isinstance(released, Registry), "the packs of a release have no problem"
    documents = documents_of_body(body_json, bundled, released.body_json)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise ConflictError(
                "registry_folder_taken",
                f"{_shown(folder)} is not empty, and nothing in it is replaced",
                next_step="name a folder that is empty or not there yet",
            )
        for name, text in documents:
            with (folder / name).open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
    except (OSError, ValueError) as error:  # ValueError: a NUL in its name
        raise UnavailableError(
            "registry_folder_unavailable",
            f"{_shown(folder)} can't be written",
            next_step="check that its folder is there, its permissions and the free space",
        ) from error
    made = build_registry(folder_documents(folder))
    if not isinstance(made, Registry):
        raise FaultError(
            "registry_not_restored",
            f"no registry comes of the documents: {made.problems[0]}",
            next_step="mend them by hand: the packs of this release lack something that this revision names",
        )
    return RegistryFolder(tuple(name for name, _ in documents), made.revision, registry_diff(body_json, made.body_json))


def _shown(folder: Path) -> str:
    return str(folder).encode("utf-8", "backslashreplace").decode()
