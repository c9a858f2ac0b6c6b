"""Entries of the bundled packs, each with its words and its place: read from a tree of files, and taken out of one.

A tree is path within `packs/` -> text, whether it comes from a folder or from a commit.
"""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import tarfile
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

PACKS = "src/heedful/packs"
"""Where packs are in the repository."""
ENDINGS = (".yaml", ".tsv")
GIT_SECONDS_MAX = 60

PHRASE, EXAMPLE, TOOL, TRAINING, NAME, LINK = "phrase", "example", "tool", "training line", "name", "link"
SORTS = (PHRASE, EXAMPLE, TOOL, TRAINING, NAME, LINK)

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
# Section -> the sort of its entries, and the fields that list them, or have a list for each language.
_FIELDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "action_classes": (PHRASE, ("phrases",)),
    "kinds": (PHRASE, ("phrases", "ends")),
    "entities": (PHRASE, ("phrases",)),
    "bridges": (EXAMPLE, ("examples",)),
    "tools": (TOOL, ("tool", "commands")),
}
_WHOLE = frozenset({"entities", "tools"})
"""Sections whose entries are nothing without what they list, or would then hold of everything."""

Tree = Mapping[str, str]
Keeps = Callable[["Entry"], bool]


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """One thing that a pack says. Moved to another file it is the same; told of another kind or class it is another.

    Attributes:
        place: what it is told of: `kinds health.allergy phrases en`, or the sort, language and ids of a training line.
        text: the words that it is compared by.
    """

    sort: str
    place: str
    text: str


def tree_of(folder: Path) -> dict[str, str]:
    """The files of a folder of packs."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in ENDINGS)
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in paths}


def tree_at(commit: str, repository: Path) -> dict[str, str]:
    """The files of the packs at a commit.

    Raises:
        subprocess.CalledProcessError: there is no such commit, or it has no packs.
    """
    command = ["git", "-C", str(repository), "archive", "--format=tar", commit, "--", PACKS]
    archive = subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=GIT_SECONDS_MAX).stdout
    tree = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for member in files:
            content = files.extractfile(member) if member.name.endswith(ENDINGS) else None
            if content is not None:
                tree[member.name.removeprefix(f"{PACKS}/")] = content.read().decode("utf-8")
    return tree


def entries_of(tree: Tree) -> frozenset[Entry]:
    """Every entry of these files."""
    found: set[Entry] = set()

    def keeps(entry: Entry) -> bool:
        found.add(entry)
        return True

    for path, text in tree.items():
        _kept(path, text, keeps)
    return frozenset(found)


def without(tree: Tree, removed: Collection[Entry]) -> dict[str, str]:
    """The files without these entries; one that loses nothing stays as it is written."""
    return {path: _kept(path, text, lambda entry: entry not in removed) for path, text in tree.items()}


def training_texts(entries: Collection[Entry]) -> list[str]:
    """The text of each training line."""
    return [entry.text for entry in entries if entry.sort == TRAINING]


def training_digest(tree: Tree) -> str:
    """What scripts/train_router.py writes into the weights that it makes of these files."""
    lines = set()
    for path, text in tree.items():
        for line in text.splitlines() if "/training/" in path else ():
            if line.strip():
                sort, language, ids, said = line.split("\t")
                lines.add((sort, said, tuple(sorted({each.strip() for each in ids.split(",")})), language))
    written = ("\t".join((sort, language, ",".join(ids), said)) for sort, said, ids, language in sorted(lines))
    return hashlib.sha256("\n".join(written).encode()).hexdigest()


def _kept(path: str, text: str, keeps: Keeps) -> str:
    """The file with what is kept of it."""
    if path.endswith(".yaml"):
        return _kept_document(text, keeps)
    lines, kept = text.splitlines(), []
    for number, line in enumerate(lines):
        is_heading = number == 0 and "/knowledge/" in path
        row = line if is_heading or not line.strip() else _kept_row(path, line, keeps)
        kept += [] if row is None else [row]
    return text if kept == lines else "".join(f"{line}\n" for line in kept)


def _kept_row(path: str, line: str, keeps: Keeps) -> str | None:
    """The row with what is kept of it; None: nothing is."""
    cells = line.split("\t")
    if "/training/" in path:
        place, said = " ".join(cells[:3]), cells[3]
        return line if keeps(Entry(TRAINING, place, said)) else None
    if path.endswith("/names.tsv"):
        name, languages, named = cells
        entities = [each for each in named.split(",") if keeps(Entry(NAME, each, name))]
        return "\t".join((name, languages, ",".join(entities))) if entities else None
    links = [each for each in cells[1:] if keeps(_link(cells[0], each))]
    return "\t".join((cells[0], *links)) if links else None


def _link(entity: str, cell: str) -> Entry:
    """The cell is `relation target source`; where the fact comes from is no part of its words."""
    relation, target = cell.split(" ")[:2]
    return Entry(LINK, f"{entity} {relation}", f"{entity} {target}")


def _kept_document(text: str, keeps: Keeps) -> str:
    document: dict[str, Any] = yaml.load(text, _LOADER) or {}
    changed = False
    for section, (sort, fields) in _FIELDS.items():
        for entry_id, entry in list(document.get(section, {}).items()):
            for owner, key, place in _lists(entry, fields):
                kept = [each for each in owner[key] if keeps(Entry(sort, f"{section} {entry_id} {place}", _said(each)))]
                changed = changed or len(kept) < len(owner[key])
                if not kept and section in _WHOLE:
                    document[section].pop(entry_id, None)
                owner[key] = kept
    return yaml.dump(document, Dumper=_DUMPER, allow_unicode=True, sort_keys=False) if changed else text


def _lists(entry: dict[str, Any], fields: tuple[str, ...]) -> Iterator[tuple[dict[str, Any], str, str]]:
    """(what holds the list, under which key, its place within the entry)."""
    for field in fields:
        value = entry.get(field)
        if isinstance(value, list):
            yield entry, field, field
        elif isinstance(value, dict):
            yield from ((value, key, f"{field} {key}") for key in value)


def _said(value: object) -> str:
    """A text, or all that an object says."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
