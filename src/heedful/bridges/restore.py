"""The body of an earlier registry -> the documents that make it again beside the packs of this release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import yaml

from heedful.bridges.merge import ENTRY_SECTIONS, OWN, POLICY_TABLES

ENTRIES_FILE, POLICY_FILE, PACKS_FILE = "registry.yaml", "policy.yaml", "packs.yaml"
_WIDTH = 120
# What merging adds to an entry, and no document says.
_ADDED = frozenset({"pack", OWN})


def documents_of_body(body_json: str, bundled: tuple[str, ...], released_json: str) -> tuple[tuple[str, str], ...]:
    """`(file name, YAML text)` of a registry folder for this body, in order of names.

    `released_json` is the body of the bundled packs alone, as this release has them: what is there is left to them,
    what it says otherwise becomes an override. An entry or a field that an earlier pack did not have can't be
    taken out by any document; whoever restores compares what comes of it with what was.
    """
    body, released = msgspec.json.decode(body_json), msgspec.json.decode(released_json)
    packs = [name for name in body["packs"] if name in bundled]
    own = [pack for name, pack in sorted(body["packs"].items()) if name not in bundled]
    entries: dict[str, Any] = {"pack": own[0]} if own else {}
    for section in ENTRY_SECTIONS:
        written = _own_entries(body.get(section, {}), released.get(section, {}))
        if written:
            entries[section] = written
    shell_tools = _unlike(body["shell_tools"], released["shell_tools"])
    if shell_tools:
        entries["shell_tools"] = shell_tools
    policy = _unlike(
        {name: each for name, each in body["policy"].items() if name not in POLICY_TABLES}, released["policy"]
    )
    for table in POLICY_TABLES:
        rows = _own_entries(body["policy"].get(table, {}), released["policy"].get(table, {}))
        if rows:
            policy[table] = rows
    found = {PACKS_FILE: {"packs": packs}, ENTRIES_FILE: entries, POLICY_FILE: {"policy": policy} if policy else {}}
    return tuple((name, _yaml(content)) for name, content in sorted(found.items()) if content)


def _own_entries(entries: Mapping[str, Any], released: Mapping[str, Any]) -> dict[str, Any]:
    """What documents have to say to get these entries beside the released ones."""
    written: dict[str, Any] = {}
    for name, entry in sorted(entries.items()):
        said = {field: value for field, value in entry.items() if field not in _ADDED}
        if name not in released:
            written[name] = said
            continue
        changed = _unlike(said, released[name])
        if changed:
            written[name] = {"override": True, **changed}
    return written


def _unlike(values: Mapping[str, Any], released: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in released or released[name] != value}


def _yaml(content: Mapping[str, Any]) -> str:
    return yaml.safe_dump(content, allow_unicode=True, sort_keys=True, width=_WIDTH)
