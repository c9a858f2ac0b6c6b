"""Parsed documents -> one body: each entry once, overrides applied, packs named. The order of documents is nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from heedful.policy.parse import ParsedDocument, Problem
from heedful.policy.yaml_values import Path

ENTRY_SECTIONS = ("action_classes", "kinds", "entities", "bridges", "projectors", "tools", "workflows")
WORKFLOWS = "workflows"
"""The one section that a body may lack."""
POLICY_TABLES = ("principals", "scopes")
LOCAL_PACK = "local"
"""The pack of documents whose folder declares none: the store's own."""
BODY_FORMAT = 1
OWN = "own"
"""Marks a bridge that the store's own documents bring or change. No document says it: the schema has no such word."""

_OVERRIDE = "override"


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry is written: a document and the path in it."""

    document: ParsedDocument
    path: Path

    def problem(self, below: Path, code: str, message: str, next_step: str) -> Problem:
        """A problem at `below` this place."""
        return self.document.problem((*self.path, *below), code, message, next_step)


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged registry, before it is given types.

    Attributes:
        body: JSON values: `format`, `packs`, the entry sections, `shell_tools`, `policy`.
        places: (section, id) -> where it is written; where it is overridden, the override.
    """

    body: dict[str, Any]
    places: dict[tuple[str, str], Place]


def merge_documents(documents: Iterable[ParsedDocument]) -> tuple[Merged, tuple[Problem, ...]]:
    """One body, and every clash: an id twice without an override, an override of nothing, a policy field set twice."""
    ordered = sorted(documents, key=lambda document: document.name)
    problems: list[Problem] = []
    packs, folders = _packs(ordered, problems)
    merged = Merged({"format": BODY_FORMAT, "packs": packs}, {})
    for section in ENTRY_SECTIONS:
        places = [
            (entry_id, Place(document, (section, entry_id)), entry)
            for document in ordered
            for entry_id, entry in document.content.get(section, {}).items()
        ]
        merged.body[section] = _merge_entries(section, places, folders, merged, problems)
    for entry_id, entry in merged.body["bridges"].items():
        # What comes with a release lies in a pack's folder; a store's own files do not.
        if not _folder(merged.places["bridges", entry_id].document):
            entry[OWN] = True
    if not merged.body[WORKFLOWS]:
        # A registry without any has the revision that it had before there could be some.
        del merged.body[WORKFLOWS]
    merged.body["shell_tools"] = _merge_shell_tools(ordered, problems)
    merged.body["policy"] = _merge_policy(ordered, merged, problems)
    return merged, tuple(problems)


def _folder(document: ParsedDocument) -> str:
    return document.name.rpartition("/")[0]


def _packs(ordered: list[ParsedDocument], problems: list[Problem]) -> tuple[dict[str, Any], dict[str, str]]:
    packs: dict[str, Any] = {}
    folders: dict[str, str] = {}
    for document in ordered:
        pack = document.content.get("pack")
        if pack is None:
            continue
        if _folder(document) in folders or pack["name"] in packs:
            message = f"the pack {pack['name']!r} or this folder is declared twice"
            problems.append(document.problem(("pack",), "registry_pack_twice", message, "keep one pack: section"))
            continue
        packs[pack["name"]] = pack
        folders[_folder(document)] = pack["name"]
    return packs, folders


def _merge_entries(
    section: str,
    written: list[tuple[str, Place, Mapping[str, Any]]],
    folders: Mapping[str, str],
    merged: Merged,
    problems: list[Problem],
) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for entry_id, place, entry in written:
        if entry.get(_OVERRIDE) is True:
            continue
        if entry_id in entries:
            problems.append(_twice(section, entry_id, place, merged.places[section, entry_id]))
            continue
        pack = folders.get(_folder(place.document), LOCAL_PACK)
        entries[entry_id] = {**_named(entry), "pack": pack} if section in ENTRY_SECTIONS else _named(entry)
        merged.places[section, entry_id] = place
    overridden: set[str] = set()
    for entry_id, place, entry in written:
        if entry.get(_OVERRIDE) is not True:
            continue
        if entry_id not in entries:
            message = f"{section}/{entry_id} overrides an entry that is not there"
            problems.append(place.problem((), "registry_override_of_nothing", message, "drop override: or mend the id"))
        elif entry_id in overridden:
            problems.append(_twice(section, entry_id, place, merged.places[section, entry_id]))
        else:
            overridden.add(entry_id)
            entries[entry_id] = {**entries[entry_id], **_named(entry)}
            merged.places[section, entry_id] = place
    return dict(sorted(entries.items()))


def _named(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name != _OVERRIDE}


def _twice(section: str, entry_id: str, place: Place, first: Place) -> Problem:
    message = f"{section}/{entry_id} is already in {first.document.name}"
    next_step = "rename it, or write override: true to change that one (at most one document may)"
    return place.problem((), "registry_id_twice", message, next_step)


def _merge_shell_tools(ordered: list[ParsedDocument], problems: list[Problem]) -> dict[str, str]:
    found: dict[str, str] = {}
    for document in ordered:
        for tool, argument in document.content.get("shell_tools", {}).items():
            if found.setdefault(tool, argument) != argument:
                message = f"shell_tools/{tool} is already {found[tool]!r} in another document"
                path = ("shell_tools", tool)
                problems.append(document.problem(path, "registry_id_twice", message, "keep one of the two"))
    return dict(sorted(found.items()))


def _merge_policy(ordered: list[ParsedDocument], merged: Merged, problems: list[Problem]) -> dict[str, Any]:
    policy: dict[str, Any] = {}
    for table in POLICY_TABLES:
        written = [
            (entry_id, Place(document, ("policy", table, entry_id)), entry)
            for document in ordered
            for entry_id, entry in document.content.get("policy", {}).get(table, {}).items()
        ]
        policy[table] = _merge_entries(f"policy.{table}", written, {}, merged, problems)
    for document in ordered:
        for name, value in document.content.get("policy", {}).items():
            if name in POLICY_TABLES:
                continue
            place = Place(document, ("policy", name))
            if ("policy", name) in merged.places:
                message = f"policy/{name} is already set in {merged.places['policy', name].document.name}"
                problems.append(place.problem((), "registry_policy_twice", message, "set it in one document only"))
                continue
            policy[name] = value
            merged.places["policy", name] = place
    return dict(sorted(policy.items()))
