"""Knowledge files: the tables of what things are and contain that come with the bundled packs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial
from importlib import resources
from importlib.resources.abc import Traversable

from heedful.bridges.known import Knowledge, knowledge_of, no_knowledge

FOLDER = "knowledge"
NAMES_FILE = "names.tsv"
LINKS_FILE = "links.tsv"


def knowledge_loader(documents: Iterable[tuple[str, str]]) -> Callable[[], Knowledge]:
    """What reads the tables of the bundled packs that these documents are of; nothing is read until it is called.

    A pack's documents are named by its folder; a store's own lie in none.
    """
    folders = {name.partition("/")[0] for name, _ in documents if "/" in name}
    packs = tuple(name for name in sorted(folders) if (_folder(name) / NAMES_FILE).is_file())
    return partial(bundled_knowledge, packs) if packs else no_knowledge


@cache
def bundled_knowledge(packs: tuple[str, ...]) -> Knowledge:
    """The table of these bundled packs, read once a process."""
    return knowledge_of(
        ((_folder(name) / NAMES_FILE).read_text("utf-8"), (_folder(name) / LINKS_FILE).read_text("utf-8"))
        for name in packs
    )


def _folder(pack: str) -> Traversable:
    return resources.files("heedful") / "packs" / pack / FOLDER
