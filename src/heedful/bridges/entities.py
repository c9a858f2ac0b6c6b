"""What a request names: entities of the vocabulary with the source of each link, and fields that predicates ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from heedful.bridges.bridge import Bridge
from heedful.bridges.known import TYPE, Knowledge, Named, Reached, named_in, reached_from
from heedful.bridges.registry import Registry
from heedful.bridges.request import EntityMatch, RequestFeatures
from heedful.bridges.words import Wording, find_phrases, wording

ENTITIES_MAX = 32
"""Entities of one request; the first ones, in order of id."""
KNOWN_MAX = 64
"""Entities of the knowledge table and where they lead, in one request; the first named ones and the nearest."""
ARGUMENT_TEXTS_MAX = 32
ARGUMENT_CHARACTERS_MAX = 2_000
"""Of one argument; a whole file that is written by a tool is not searched for names."""
ARGUMENT_DEPTH_MAX = 4

# Metadata that tells the class (classify.py); it is no property of what is acted on.
CLASS_METADATA = ("action_class", "route")


def find_entities(
    features: RequestFeatures, text: Wording, registry: Registry, named_in_text: Sequence[Named] | None = None
) -> tuple[EntityMatch, ...]:
    """Everything that the request names; `named_in_text`: what `named_in` gives of `text`, where that is known.

    First the registry's own, at most ENTITIES_MAX in order of id and source; then what the knowledge table knows, at
    most KNOWN_MAX in order of the text.

    Entities that its text, its tool's arguments or its metadata name, each with the entities that it leads to; metadata
    fields as they are; and the `tool`, `args.*` and `metadata.*` fields that some bridge asks for.
    """
    found: dict[tuple[str, str], EntityMatch] = {}
    known: dict[str, EntityMatch] = {}
    table = registry.index.knowledge.table()
    for where, words in _worded(features, text):
        for phrase in find_phrases(words, registry.index.entity_phrases):
            for match in _named(phrase.target, phrase.written, where, registry):
                found.setdefault((match.entity_id, where), match)
            _add_reached(known, phrase.target, phrase.written, registry, table)
        for entity_id, written in _known_names(words, text, named_in_text, table):
            if entity_id in registry.vocabulary.entities:
                for match in _named(entity_id, written, where, registry):
                    found.setdefault((match.entity_id, where), match)
            elif entity_id not in known:
                known[entity_id] = _known(entity_id, written, where, table)
            _add_reached(known, entity_id, written, registry, table)
    for name, value in features.metadata.items():
        if name not in CLASS_METADATA:
            match = EntityMatch(f"metadata.{name}", value, {name: (value,)}, "the request's metadata")
            found[match.entity_id, ""] = match
    named = tuple(found[key] for key in sorted(found))[:ENTITIES_MAX]
    return named + tuple(known.values())[:KNOWN_MAX] + tuple(_request_fields(features, registry))


def _known_names(
    words: Wording, text: Wording, named_in_text: Sequence[Named] | None, table: Knowledge
) -> Sequence[Named]:
    return named_in_text if named_in_text is not None and words is text else named_in(words, table)


def predicate_holds(bridge: Bridge, entities: tuple[EntityMatch, ...]) -> tuple[bool, EntityMatch | None]:
    """Whether the bridge's predicate holds, and the entity that makes it so; a bridge without one holds by itself.

    Values are compared without case. `equals`: one value is it. `contains`: a value has it within. `in`: one value
    is one of the listed.
    """
    predicate = bridge.predicate
    if predicate is None:
        return True, None
    wanted = [value.casefold() for value in predicate.values]
    for entity in entities:
        for value in entity.properties.get(predicate.entity, ()):
            folded = value.casefold()
            if predicate.operator == "contains":
                if any(part in folded for part in wanted):
                    return True, entity
            elif folded in (wanted[:1] if predicate.operator == "equals" else wanted):
                return True, entity
    return False, None


def _worded(features: RequestFeatures, text: Wording) -> Iterator[tuple[str, Wording]]:
    if features.text:
        yield "text", text
    for argument in argument_texts(features.args):
        yield "arguments", wording(argument)
    for name, value in features.metadata.items():
        if name not in CLASS_METADATA:
            yield "metadata", wording(value)


def argument_texts(args: Mapping[str, object]) -> list[str]:
    """The texts in a call's arguments, the first of them and the start of each, in which names are looked for."""
    texts = islice(_texts(args, 0), ARGUMENT_TEXTS_MAX)
    return [text[:ARGUMENT_CHARACTERS_MAX] for text in texts]


def _texts(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < ARGUMENT_DEPTH_MAX and isinstance(value, Mapping):
        for name in sorted(value):
            yield from _texts(value[name], depth + 1)
    elif depth < ARGUMENT_DEPTH_MAX and isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item, depth + 1)


def _named(entity_id: str, written: str, where: str, registry: Registry) -> Iterator[EntityMatch]:
    entity = registry.vocabulary.entities[entity_id]
    yield EntityMatch(entity_id, written, entity.properties, f"{entity.source} (named in the {where})")
    for link in registry.index.links[entity_id]:
        yield EntityMatch(link.entity.id, f"{written}: {link.chain}", link.entity.properties, link.entity.source)


def _known(entity_id: str, written: str, where: str, table: Knowledge) -> EntityMatch:
    properties: dict[str, tuple[str, ...]] = {}
    links = table.links_of(entity_id)
    for link in links:
        properties[link.relation] = (*properties.get(link.relation, ()), link.target)
    sources = ", ".join(sorted({link.source for link in links}))
    return EntityMatch(entity_id, written, properties, f"{sources} (named in the {where})")


def _add_reached(
    known: dict[str, EntityMatch], entity_id: str, written: str, registry: Registry, table: Knowledge
) -> None:
    """Where the entity leads by the table: the registry's own links are followed already."""
    for reached in reached_from(entity_id, table):
        if len(known) >= KNOWN_MAX:
            return
        if reached.entity_id not in known and reached.entity_id not in registry.vocabulary.entities:
            known[reached.entity_id] = _led_to(reached, written, table)


def _led_to(reached: Reached, written: str, table: Knowledge) -> EntityMatch:
    properties: dict[str, tuple[str, ...]] = {reached.relation: (reached.entity_id,)}
    types = table.types_of(reached.entity_id)
    if types:
        properties[TYPE] = types
    sources = ", ".join(dict.fromkeys(reached.sources))
    return EntityMatch(reached.entity_id, f"{written}: {reached.chain}", properties, sources)


def _request_fields(features: RequestFeatures, registry: Registry) -> Iterator[EntityMatch]:
    for name in registry.index.request_fields:
        values = tuple(_field_values(features, name))
        if values:
            yield EntityMatch(name, ", ".join(values)[:200], {name: values}, "the request itself")


def _field_values(features: RequestFeatures, name: str) -> Iterator[str]:
    if name == "tool":
        if features.tool is not None:
            yield features.tool
        return
    root, _, rest = name.partition(".")
    value: object = features.args if root == "args" else features.metadata
    for step in rest.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    for item in value if isinstance(value, list | tuple) else (value,):
        if isinstance(item, str):
            yield item
        elif isinstance(item, bool | int | float):
            yield str(item).casefold() if isinstance(item, bool) else str(item)
