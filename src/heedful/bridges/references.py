"""References between entries: every class, kind and class of a tool that an entry names must be there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from heedful.bridges.merge import WORKFLOWS, Merged, Place
from heedful.bridges.vocabulary import covers
from heedful.policy.parse import Problem, closest
from heedful.policy.yaml_values import Path


def unknown_references(merged: Merged) -> Iterator[Problem]:
    """A problem for each name that no entry bears.

    `activates` and `denied_kinds` may name a family: `access` stands for every kind below it.
    """
    classes, kinds = merged.body["action_classes"], merged.body["kinds"]
    for section, fields in (("kinds", ("applies_to", "not_for", "consequences")), ("bridges", ("from",))):
        for entry_id, entry in merged.body[section].items():
            place = merged.places[section, entry_id]
            for name in fields:
                yield from _unknown(place, (name,), entry.get(name, ()), classes, "action class")
    for bridge_id, entry in merged.body["bridges"].items():
        place = merged.places["bridges", bridge_id]
        missing = [kind for kind in entry["activates"] if not any(covers(kind, known) for known in kinds)]
        yield from _unknown(place, ("activates",), missing, kinds, "kind")
    for projector_id, entry in merged.body["projectors"].items():
        place = merged.places["projectors", projector_id]
        yield from _unknown(place, ("kind",), [entry["kind"]], kinds, "kind", listed=False)
    yield from _of_workflows(merged)
    for principal, entry in merged.body["policy"]["principals"].items():
        place = merged.places["policy.principals", principal]
        named = entry.get("denied_kinds", ())
        families: dict[str, Any] = {kind: {} for kind in named if any(covers(kind, known) for known in kinds)}
        yield from _unknown(place, ("denied_kinds",), named, kinds | families, "kind")
    for tool_id, entry in merged.body["tools"].items():
        named = [entry["class"]] if "class" in entry else []
        yield from _unknown(merged.places["tools", tool_id], ("class",), named, classes, "action class", listed=False)
    needed = "require_current_verification_for"
    if needed in merged.body["policy"]:
        place = merged.places["policy", needed]
        yield from _unknown(place, (), merged.body["policy"][needed], classes, "action class")


def _of_workflows(merged: Merged) -> Iterator[Problem]:
    classes, kinds = merged.body["action_classes"], merged.body["kinds"]
    for workflow_id, entry in merged.body.get(WORKFLOWS, {}).items():
        place = merged.places[WORKFLOWS, workflow_id]
        named: list[tuple[Path, str]] = [(("intent", "class"), entry["intent"]["class"])]
        for number, precondition in enumerate(entry.get("preconditions", ())):
            proof, below = precondition["proof"], ("preconditions", number, "proof")
            if "verification" in proof:
                named.append(((*below, "verification"), proof["verification"]))
            if "state" in proof:
                kind = proof["state"]["kind"]
                known = kinds | ({kind: {}} if any(covers(kind, each) for each in kinds) else {})
                yield from _unknown(place, (*below, "state", "kind"), [kind], known, "kind", listed=False)
        for number, step in enumerate(entry["steps"]):
            if "verifies" in step["verification"]:
                named.append((("steps", number, "verification", "verifies"), step["verification"]["verifies"]))
        for path, name in named:
            yield from _unknown(place, path, [name], classes, "action class", listed=False)


def _unknown(
    place: Place, below: Path, named: Iterable[str], known: dict[str, Any], what: str, *, listed: bool = True
) -> Iterator[Problem]:
    for number, name in enumerate(named):
        if name not in known:
            near = closest(name, known)
            next_step = f"did you mean {near}?" if near else f"define the {what}, or drop it here"
            path = (*below, number) if listed else below
            yield place.problem(path, "registry_reference_unknown", f"{name} is no {what} of this registry", next_step)
