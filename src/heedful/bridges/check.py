"""Everything that is wrong with a registry, and what changed between two: `heedful registry check` and `diff`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from heedful.bridges.build import registry_of
from heedful.bridges.check_bridges import check_bridges
from heedful.bridges.check_policy import check_policy
from heedful.bridges.check_projectors import check_projectors
from heedful.bridges.check_vocabulary import check_vocabulary
from heedful.bridges.check_workflows import check_workflows
from heedful.bridges.known import Knowledge, no_knowledge
from heedful.bridges.malformed import malformed_values
from heedful.bridges.merge import ENTRY_SECTIONS, OWN, merge_documents
from heedful.bridges.references import unknown_references
from heedful.policy.parse import Problem, parse_documents, sorted_problems

SECTIONS = ("packs", *ENTRY_SECTIONS, "shell_tools", "policy")


def check_registry(
    documents: Iterable[tuple[str, str]], *, at_us: int, knowledge: Callable[[], Knowledge] = no_knowledge
) -> tuple[Problem, ...]:
    """Every problem of these `(name, YAML text)` documents, by file and line; empty: all is well.

    What `build_registry` refuses, and besides: effects above their caps, missing owners and evidence, bridges expired
    at `at_us`, execution-relevant kinds that nobody can prove expired, workflows that no call could follow, phrases
    that mislead, parents that are missing, policies that undo themselves, projectors that never expire, and examples
    that do, or don't, fire. The last need a registry that can be built: where it can't, they are not run; `knowledge`
    is the table that they may lean on.
    """
    parsed, problems = parse_documents(documents)
    merged, clashes = merge_documents(parsed)
    broken = (*problems, *clashes, *malformed_values(merged), *unknown_references(merged))
    found = [*broken, *check_vocabulary(merged), *check_policy(merged)]
    registry = None if broken else registry_of(merged.body, knowledge)
    found += check_bridges(merged, registry, at_us=at_us)
    found += check_projectors(merged, registry)
    found += check_workflows(merged, registry, at_us=at_us)
    return sorted_problems(found)


@dataclass(frozen=True, slots=True)
class Change:
    """One entry that differs between two registries.

    Attributes:
        section: `packs`, an entry section, `shell_tools` or `policy`.
        entry: its id; for policy the field, or `principals/<id>` and `scopes/<element>`.
        fields: the fields that differ, sorted; empty where the whole entry came, went, or is a plain value.
    """

    section: str
    entry: str
    change: Literal["added", "removed", "changed"]
    fields: tuple[str, ...]


def registry_diff(old_body_json: str, new_body_json: str) -> tuple[Change, ...]:
    """What changed from the old body to the new: by section in their order, then by entry."""
    old, new = msgspec.json.decode(old_body_json), msgspec.json.decode(new_body_json)
    changes: list[Change] = []
    for section in SECTIONS:
        before, after = _entries(section, old), _entries(section, new)
        for entry in sorted(before.keys() | after.keys()):
            if entry not in before:
                changes.append(Change(section, entry, "added", ()))
            elif entry not in after:
                changes.append(Change(section, entry, "removed", ()))
            elif before[entry] != after[entry]:
                changes.append(Change(section, entry, "changed", _fields(before[entry], after[entry])))
    return tuple(changes)


def _entries(section: str, body: dict[str, Any]) -> dict[str, Any]:
    entries: dict[str, Any] = body.get(section, {})
    if section != "policy":
        return entries
    flat = {name: value for name, value in entries.items() if name not in ("principals", "scopes")}
    for table in ("principals", "scopes"):
        flat |= {f"{table}/{name}": value for name, value in entries.get(table, {}).items()}
    return flat


def _fields(before: object, after: object) -> tuple[str, ...]:
    if not isinstance(before, dict) or not isinstance(after, dict):
        return ()
    return tuple(sorted(name for name in (before.keys() | after.keys()) - {OWN} if before.get(name) != after.get(name)))
