"""What is wrong with classes, kinds and entities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heedful.bridges.merge import Merged
from heedful.bridges.vocabulary import covers
from heedful.bridges.words import phrase
from heedful.kernel.ladder import Impact
from heedful.policy.parse import Problem

LETTERS_MIN = 3
"""Of a phrase in a script with spaces; shorter ones are in every other text."""
CJK_CHARACTERS_MIN = 2


def check_vocabulary(merged: Merged) -> Iterator[Problem]:
    """Every problem of every action class, kind and entity."""
    yield from _parents(merged)
    yield from _phrases(merged)
    yield from _kinds(merged)


def _parents(merged: Merged) -> Iterator[Problem]:
    classes = merged.body["action_classes"]
    for class_id in classes:
        parent = class_id.rpartition(".")[0]
        if parent and parent not in classes:
            message = f"{class_id} descends from {parent}, which is not there"
            place = merged.places["action_classes", class_id]
            yield place.problem((), "class_parent_missing", message, f"define {parent}, or rename {class_id}")


def _phrases(merged: Merged) -> Iterator[Problem]:
    owners: dict[tuple[str, tuple[tuple[str, ...], ...]], list[str]] = {}
    for section, entry_id, below, written in _written(merged):
        place = merged.places[section, entry_id]
        found = phrase(entry_id, written)
        size = 0 if found is None else sum(len(word) for part in found.parts for word in part)
        least = CJK_CHARACTERS_MIN if found is not None and found.is_cjk else LETTERS_MIN
        if found is None or size < least:
            message = f"the phrase {written!r} of {entry_id} is too short to tell anything"
            yield place.problem(below, "phrase_too_short", message, f"use {least} characters or more")
            continue
        if section != "action_classes":
            continue
        # Packs are written apart, so two of them may have the same words for different things, and both are told.
        pack = merged.body[section][entry_id]["pack"]
        for other in owners.setdefault((pack, found.parts), []):
            if not covers(other, entry_id) and not covers(entry_id, other):
                message = f"the phrase {written!r} tells both {other} and {entry_id}"
                yield place.problem(below, "phrase_shared", message, "keep it at one of the two, or at their parent")
        owners[pack, found.parts].append(entry_id)


def _written(merged: Merged) -> Iterator[tuple[str, str, tuple[str | int, ...], str]]:
    for class_id, entry in merged.body["action_classes"].items():
        for language, listed in entry.get("phrases", {}).items():
            for number, written in enumerate(listed):
                yield "action_classes", class_id, ("phrases", language, number), written
    for kind_id, entry in merged.body["kinds"].items():
        for field in ("phrases", "ends"):
            for language, listed in entry.get(field, {}).items():
                for number, written in enumerate(listed):
                    yield "kinds", kind_id, (field, language, number), written
    for entity_id, entry in merged.body["entities"].items():
        for number, written in enumerate(entry["phrases"]):
            yield "entities", entity_id, ("phrases", number), written


def _kinds(merged: Merged) -> Iterator[Problem]:
    relevant = set(execution_relevant(merged.body))
    for kind_id, entry in merged.body["kinds"].items():
        place = merged.places["kinds", kind_id]
        if kind_id in relevant and not entry.get("expiry_test", "").strip():
            message = f"{kind_id} decides executions, and nothing says how one proves that such a claim has expired"
            yield place.problem((), "kind_expiry_test_missing", message, "add expiry_test:")
        for wanted in (*entry.get("applies_to", ()), *entry.get("consequences", ())):
            if any(covers(silenced, wanted) for silenced in entry.get("not_for", ())):
                message = f"{kind_id} applies to {wanted} and is silenced there by not_for"
                yield place.problem(("not_for",), "kind_silences_itself", message, "narrow not_for or drop the class")


def execution_relevant(body: dict[str, Any]) -> Iterator[str]:
    """Kinds that some bridge brings before a class that a tool executes, or that needs a current verification."""
    executed = {
        entry["class"] for entry in body["tools"].values() if "class" in entry and entry["impact"] == Impact.EXECUTE
    } | set(body["policy"].get("require_current_verification_for", ()))
    for entry in body["bridges"].values():
        if any(covers(start, one) or covers(one, start) for start in entry["from"] for one in executed):
            for kind_id in body["kinds"]:
                if any(covers(activated, kind_id) for activated in entry["activates"]):
                    yield kind_id
