"""RegistryIndex: what the pre-router looks up, worked out once for a registry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heedful.bridges.bridge import Bridge
from heedful.bridges.vocabulary import Entity, Vocabulary, covers
from heedful.bridges.words import Phrasebook, phrasebook
from heedful.kernel.ids import ActionClassId, BridgeId

LINK_HOPS_MAX = 4
"""How far links between entities are followed (a macaron contains almond; an almond is a tree nut)."""

REQUEST_FIELDS = ("tool",)
REQUEST_PREFIXES = ("args.", "metadata.")


@dataclass(frozen=True, slots=True)
class Link:
    """An entity that another one leads to. `chain` is for people: `macaron contains almond`."""

    entity: Entity
    chain: str


@dataclass(frozen=True, slots=True)
class RegistryIndex:
    """Lookups of one registry.

    Attributes:
        class_phrases, entity_phrases: phrases by their first word.
        bridges_from: class -> the bridges that start from it or from a class above it, in order of id.
        links: entity id -> the entities that it leads to, nearest first.
        request_fields: the `tool`, `args.*` and `metadata.*` fields that some predicate asks for, sorted.
    """

    class_phrases: Phrasebook
    entity_phrases: Phrasebook
    bridges_from: dict[ActionClassId, tuple[Bridge, ...]]
    links: dict[str, tuple[Link, ...]]
    request_fields: tuple[str, ...]


def build_index(vocabulary: Vocabulary, bridges: Mapping[BridgeId, Bridge]) -> RegistryIndex:
    """The index; the same for the same registry, whatever the order of its documents."""
    classes = vocabulary.action_classes.values()
    ordered = [bridges[bridge_id] for bridge_id in sorted(bridges)]
    return RegistryIndex(
        class_phrases=phrasebook(
            (action_class.id, written)
            for action_class in classes
            for listed in action_class.phrases.values()
            for written in listed
        ),
        entity_phrases=phrasebook(
            (entity.id, written) for entity in vocabulary.entities.values() for written in entity.phrases
        ),
        bridges_from={
            action_class.id: tuple(
                bridge for bridge in ordered if any(covers(start, action_class.id) for start in bridge.from_classes)
            )
            for action_class in classes
        },
        links={entity_id: _links(entity_id, vocabulary.entities) for entity_id in vocabulary.entities},
        request_fields=tuple(sorted(filter(is_request_field, _predicate_fields(ordered)))),
    )


def is_request_field(name: str) -> bool:
    """True where a predicate reads this from the request itself, not from an entity's properties."""
    return name in REQUEST_FIELDS or name.startswith(REQUEST_PREFIXES)


def _predicate_fields(bridges: list[Bridge]) -> set[str]:
    return {bridge.predicate.entity for bridge in bridges if bridge.predicate is not None}


def _links(entity_id: str, entities: Mapping[str, Entity]) -> tuple[Link, ...]:
    found: list[Link] = []
    seen = {entity_id}
    frontier = [(entity_id, entity_id)]
    for _ in range(LINK_HOPS_MAX):
        following: list[tuple[str, str]] = []
        for origin, chain in frontier:
            for name, values in sorted(entities[origin].properties.items()):
                for value in values:
                    if value in entities and value not in seen:
                        seen.add(value)
                        longer = f"{chain} {name} {value}" if chain == origin else f"{chain}, {origin} {name} {value}"
                        found.append(Link(entities[value], longer))
                        following.append((value, longer))
        frontier = following
    return tuple(found)
