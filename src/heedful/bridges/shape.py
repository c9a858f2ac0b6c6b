"""Entries of a merged registry -> vocabulary and bridges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heedful.bridges.bridge import Bridge, Example, Predicate
from heedful.bridges.merge import OWN
from heedful.bridges.vocabulary import ActionClass, Entity, Kind, Vocabulary
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.digest import sha256_hex
from heedful.kernel.ids import ActionClassId, BridgeId, KindId
from heedful.kernel.ladder import Classification, Decision, Mode, Severity
from heedful.kernel.times import parse_time

_Entry = Mapping[str, Any]


def vocabulary_of(body: Mapping[str, Any]) -> Vocabulary:
    """Classes, kinds and entities, each table in order of id."""
    return Vocabulary(
        {ActionClassId(key): _action_class(key, entry) for key, entry in sorted(body["action_classes"].items())},
        {KindId(key): _kind(key, entry) for key, entry in sorted(body["kinds"].items())},
        {key: _entity(key, entry) for key, entry in sorted(body["entities"].items())},
    )


def bridges_of(body: Mapping[str, Any]) -> dict[BridgeId, Bridge]:
    """Bridges, in order of id.

    Raises:
        InvalidInputError: `time_malformed` where an expiry is no date; merged bodies that passed `build` have none.
    """
    return {BridgeId(key): _bridge(key, entry) for key, entry in sorted(body["bridges"].items())}


def _action_class(key: str, entry: _Entry) -> ActionClass:
    return ActionClass(
        id=ActionClassId(key),
        description=entry["description"],
        phrases=_phrases(entry, "phrases"),
        on_no_bridge=entry["on_no_bridge"],
        mode=Mode(entry.get("mode", Mode.ADVISE)),
        pack=entry["pack"],
    )


def _kind(key: str, entry: _Entry) -> Kind:
    return Kind(
        id=KindId(key),
        description=entry["description"],
        form=entry["form"],
        cardinality=entry["cardinality"],
        comparator=entry["comparator"],
        risk=entry["risk"],
        classification=Classification(entry.get("classification", Classification.NORMAL)),
        # A row of the matrix says where such a claim matters; nobody need say it twice.
        applies_to=tuple(map(ActionClassId, entry.get("applies_to", sorted(entry.get("consequences", ()))))),
        not_for=tuple(map(ActionClassId, entry.get("not_for", ()))),
        expires_after_days=entry.get("expires_after_days"),
        expiry_test=entry.get("expiry_test"),
        pack=entry["pack"],
        consequences={
            ActionClassId(name): Severity(word) for name, word in sorted(entry.get("consequences", {}).items())
        },
        narrow=entry.get("narrow", False),
        phrases=_phrases(entry, "phrases"),
        ends=_phrases(entry, "ends"),
        retain_days=entry.get("retain_days"),
        after_retention=entry.get("after_retention", "archive"),
    )


def _phrases(entry: _Entry, field: str) -> dict[str, tuple[str, ...]]:
    return {language: tuple(listed) for language, listed in sorted(entry.get(field, {}).items())}


def _entity(key: str, entry: _Entry) -> Entity:
    return Entity(
        id=key,
        phrases=tuple(entry["phrases"]),
        properties={name: tuple(values) for name, values in sorted(entry["properties"].items())},
        source=entry["source"],
        pack=entry["pack"],
    )


def _bridge(key: str, entry: _Entry) -> Bridge:
    when = entry.get("when")
    examples = entry.get("examples", {})
    expires = entry.get("expires")
    return Bridge(
        id=BridgeId(key),
        from_classes=tuple(map(ActionClassId, entry["from"])),
        predicate=None if when is None else Predicate(when["entity"], when["operator"], tuple(when["values"])),
        activates=tuple(map(KindId, entry["activates"])),
        effect=Decision(entry["effect"]),
        risk=entry["risk"],
        authority=entry["authority"],
        evidence=entry["evidence"],
        source_opened=entry["source_opened"],
        reason=entry["reason"],
        owner=entry["owner"],
        expires_us=None if expires is None else parse_time(expires, field="expires").at_us,
        jurisdiction=entry.get("jurisdiction"),
        certainty=entry.get("certainty", "established"),
        contested=entry.get("contested", False),
        mode=Mode(entry.get("mode", Mode.ADVISE)),
        must_fire=tuple(map(_example, examples.get("must_fire", ()))),
        must_not_fire=tuple(map(_example, examples.get("must_not_fire", ()))),
        pack=entry["pack"],
        digest=_digest(key, entry) if entry.get(OWN) else None,
    )


def _digest(key: str, entry: _Entry) -> str:
    return sha256_hex(canonical_bytes({"id": key, "entry": entry}))


def _example(written: str | _Entry) -> Example:
    if isinstance(written, str):
        return Example(written, None, {})
    return Example(written.get("text", ""), written.get("tool"), dict(written.get("args", {})))
