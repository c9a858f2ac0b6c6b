"""Residue for the doors: the files that a store's content lies in, to be looked through."""

from __future__ import annotations

from heedful.adapters.residue import FolderResidue
from heedful.adapters.store_folder import StoreFolder
from heedful.ports.residue import Residue


def residue_of(folder: StoreFolder | None) -> Residue | None:
    """The files of the store of that folder; None: its content lies in a server's, or in memory."""
    return None if folder is None or folder.engine != "sqlite" else FolderResidue(folder.path)
