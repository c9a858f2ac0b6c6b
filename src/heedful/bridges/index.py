"""RegistryIndex: what the pre-router looks up, worked out once for a registry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from heedful.bridges.bridge import Bridge
from heedful.bridges.knowledge import LazyKnowledge
from heedful.bridges.known import Knowledge, no_knowledge
from heedful.bridges.vocabulary import Entity, Vocabulary
from heedful.bridges.words import Phrasebook, phrasebook
from heedful.kernel.ids import ActionClassId, BridgeId, KindId

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
class PhraseBooks:
    """A registry's phrases: what of its index takes longest to work out, and so is kept compiled.

    Attributes:
        classes, entities: what tells a class in a request, and an entity.
        kinds, ends: how people tell a kind, and how they say that it is over.
    """

    classes: Phrasebook
    entities: Phrasebook
    kinds: Phrasebook
    ends: Phrasebook


@dataclass(frozen=True, slots=True)
class RegistryIndex:
    """Lookups of one registry.

    Attributes:
        class_phrases, entity_phrases: phrases by their first word.
        kind_phrases, kind_ends: how people tell a kind, and how they say that it is over.
        bridges_from: class -> the bridges that start from it or from a class above it, in order of id.
        links: entity id -> the entities that it leads to, nearest first.
        knowledge: the packs' table of what things are and contain, with the registry's entities in it.
        request_fields: the `tool`, `args.*` and `metadata.*` fields that some predicate asks for, sorted.
        own_bridges: those that did not come with a release, in order of id.
        kinds_of_form: form -> the kinds whose form that is where none is given, sorted.
    """

    class_phrases: Phrasebook
    entity_phrases: Phrasebook
    bridges_from: dict[ActionClassId, tuple[Bridge, ...]]
    links: dict[str, tuple[Link, ...]]
    request_fields: tuple[str, ...]
    kind_phrases: Phrasebook
    kind_ends: Phrasebook
    knowledge: LazyKnowledge
    own_bridges: tuple[Bridge, ...]
    kinds_of_form: dict[str, tuple[KindId, ...]]


def phrase_books(vocabulary: Vocabulary) -> PhraseBooks:
    """The books of this vocabulary."""
    return PhraseBooks(
        classes=phrasebook(
            (action_class.id, written)
            for action_class in vocabulary.action_classes.values()
            for listed in action_class.phrases.values()
            for written in listed
        ),
        entities=phrasebook(
            (entity.id, written) for entity in vocabulary.entities.values() for written in entity.phrases
        ),
        kinds=_kind_book(vocabulary, "phrases"),
        ends=_kind_book(vocabulary, "ends"),
    )


def build_index(
    vocabulary: Vocabulary,
    bridges: Mapping[BridgeId, Bridge],
    load: Callable[[], Knowledge] = no_knowledge,
    books: PhraseBooks | None = None,
) -> RegistryIndex:
    """The index; the same for the same registry, whatever the order of its documents.

    `books` are those of this vocabulary, where they are known already.
    """
    ordered = [bridges[bridge_id] for bridge_id in sorted(bridges)]
    known = phrase_books(vocabulary) if books is None else books
    return RegistryIndex(
        class_phrases=known.classes,
        entity_phrases=known.entities,
        bridges_from=_bridges_from(vocabulary.action_classes, ordered),
        links={entity_id: _links(entity_id, vocabulary.entities) for entity_id in vocabulary.entities},
        request_fields=tuple(sorted(filter(is_request_field, _predicate_fields(ordered)))),
        kind_phrases=known.kinds,
        kind_ends=known.ends,
        knowledge=LazyKnowledge(load, vocabulary.entities),
        own_bridges=tuple(bridge for bridge in ordered if bridge.digest is not None),
        kinds_of_form=_kinds_of_form(vocabulary),
    )


def _kinds_of_form(vocabulary: Vocabulary) -> dict[str, tuple[KindId, ...]]:
    found: dict[str, list[KindId]] = {}
    for kind_id in sorted(vocabulary.kinds):
        found.setdefault(vocabulary.kinds[kind_id].form, []).append(kind_id)
    return {form: tuple(kinds) for form, kinds in found.items()}


def books_of(index: RegistryIndex) -> PhraseBooks:
    """The books that this index has."""
    return PhraseBooks(index.class_phrases, index.entity_phrases, index.kind_phrases, index.kind_ends)


def _bridges_from(classes: Iterable[ActionClassId], ordered: list[Bridge]) -> dict[ActionClassId, tuple[Bridge, ...]]:
    starting: dict[str, set[int]] = {}
    for number, bridge in enumerate(ordered):
        for start in bridge.from_classes:
            starting.setdefault(start, set()).add(number)
    return {
        class_id: tuple(
            ordered[number]
            for number in sorted({each for name in _upward(class_id) for each in starting.get(name, ())})
        )
        for class_id in classes
    }


def _upward(class_id: str) -> Iterator[str]:
    """The class and each that covers it, nearest first."""
    name = class_id
    while name:
        yield name
        name = name.rpartition(".")[0]


def _kind_book(vocabulary: Vocabulary, field: Literal["phrases", "ends"]) -> Phrasebook:
    return phrasebook(
        (kind.id, written)
        for kind in vocabulary.kinds.values()
        for listed in getattr(kind, field).values()
        for written in listed
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
