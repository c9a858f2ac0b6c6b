"""What things are and contain: names in a text -> entities -> links, each with its source.

A macaron contains almond; an almond is a tree nut. The table comes with a pack, and
the registry's own entities may link into it. Only the words given and the table are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from heedful.bridges.vocabulary import Entity
from heedful.bridges.words import Wording, phrase, written_words

HOPS_MAX = 4
"""How far links are followed from what a request names."""
REACHED_MAX = 48
"""Entities that one entity leads to; the nearest are kept."""
NAMED_MAX = 32
"""Entities that one text names; the first are kept."""

IS = "is"
CONTAINS = "contains"
MAY_CONTAIN = "may-contain"
TYPE = "type"
_TYPE_CELL = "type "
LAST = frozenset({"hazard-to", "avoided-by", "interacts-with"})
"""Relations that end a chain: what is a hazard to a cat is none to whatever a cat contains."""
CJK_FROM = "\u2e80"
"""The first of the characters that names are entered by one at a time."""
_NOBODY = "-"
"""The entity of names that are none of those that they hold: a hot dog is no dog."""


class KnownLink(NamedTuple):
    """One fact: `relation` holds between the entity that it is filed under and `target`."""

    relation: str
    target: str
    source: str


class Named(NamedTuple):
    """An entity, and the name by which the text has it (folded)."""

    entity_id: str
    written: str


class Reached(NamedTuple):
    """An entity that another leads to.

    Attributes:
        relation: what the whole chain comes to: `is` all the way, else the last that is not `is`; where a link of the
            chain is a mere `may-contain`, so is the chain, unless it ends in a hazard or the like.
        chain: for people: `macaron contains almond, almond is tree-nut`.
        sources: of the links, in their order.
        certain: False where some link is a mere `may-contain`.
    """

    entity_id: str
    relation: str
    chain: str
    sources: tuple[str, ...]
    certain: bool


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The table. Its rows stay as they were read, since a request looks at a few of ten thousand.

    Attributes:
        names: stems joined by blanks, or folded CJK text -> the entities of that name, joined by commas; where
            another word has the same stem, `=` and the forms that do count, joined by slashes (`cod`, but no `code`).
        longest: the first stem, or the first CJK character -> the stems or characters of the longest such name; only
            where that is more than one.
        rows: entity id -> its links, joined by tabs, each `relation target source`; those of `type` come first.
        added: links of the registry's own entities; they come before the table's.
    """

    names: Mapping[str, str]
    longest: Mapping[str, int]
    rows: Mapping[str, str]
    added: Mapping[str, tuple[KnownLink, ...]]

    def has(self, entity_id: str) -> bool:
        """Whether the table, or what was added to it, knows this entity."""
        return entity_id in self.rows or entity_id in self.added

    def links_of(self, entity_id: str) -> list[KnownLink]:
        """The entity's links in their order, those of `type` among them; none where it is unknown."""
        row = self.rows.get(entity_id)
        links = list(self.added.get(entity_id, ()))
        if row:
            links += [KnownLink(*cell.split(" ")) for cell in row.split("\t")]
        return links

    def types_of(self, entity_id: str) -> tuple[str, ...]:
        """What sort of thing it is: `allergen`, `drug-class`, `animal`, `condition` and so on."""
        types = [link.target for link in self.added.get(entity_id, ()) if link.relation == TYPE]
        row = self.rows.get(entity_id, "")
        while row.startswith(_TYPE_CELL):
            cell, _, row = row.partition("\t")
            types.append(cell.split(" ")[1])
        return tuple(types)


NO_KNOWLEDGE = Knowledge({}, {}, {}, {})


def no_knowledge() -> Knowledge:
    """The empty table: for a registry without a pack that has one."""
    return NO_KNOWLEDGE


def knowledge_of(files: Iterable[tuple[str, str]]) -> Knowledge:
    """The table of these packs' `knowledge/` folders, each (text of names.tsv, text of links.tsv).

    Their first lines are heads, and every line ends in a newline. names.tsv: key (what `name_key` makes of a name),
    languages, entities with forms. links.tsv: entity, then its links; no two packs have a row for one entity. A link
    that holds both ways (`interacts-with`) is in both rows. Rows are trusted to have that form: the packs' tests hold
    them to it.
    """
    names: dict[str, str] = {}
    longest: dict[str, int] = {}
    rows: dict[str, str] = {}
    for names_text, links_text in files:
        found = {key: entities for key, _, entities in (line.split("\t") for line in _body(names_text))}
        for key in found.keys() & names.keys():
            found[key] = f"{names[key]},{found[key]}"
        names |= found
        for key in found:
            # A CJK name is one word, and is entered by its first character; a stem's entry is never mistaken for it.
            if key[0] >= CJK_FROM:
                first, size = key[0], len(key)
            elif " " in key:
                first, size = key.partition(" ")[0], key.count(" ") + 1
            else:
                continue
            if longest.get(first, 1) < size:
                longest[first] = size
        parted = (line.partition("\t") for line in _body(links_text))
        rows |= {entity_id: row for entity_id, _, row in parted}
    return Knowledge(names, longest, rows, {})


def _body(text: str) -> list[str]:
    """The lines after the head; the last one ends the file."""
    return text.split("\n")[1:-1]


def name_key(name: str) -> str | None:
    """What a name is found by: its stems, or the folded text of a CJK name; None where it has no word."""
    made = phrase("", name)
    if made is None or len(made.parts) != 1:
        return None
    return "".join(made.parts[0]) if made.is_cjk else " ".join(made.parts[0])


def with_entities(table: Knowledge, entities: Mapping[str, Entity]) -> Knowledge:
    """The table with the registry's entities: a property whose value is the id of another entity links to that."""
    added: dict[str, tuple[KnownLink, ...]] = {}
    for entity_id, entity in entities.items():
        links = tuple(
            KnownLink(name, value, entity.source)
            for name, values in sorted(entity.properties.items())
            for value in values
            if name == TYPE or (value != entity_id and (value in entities or table.has(value)))
        )
        added[entity_id] = links
    return Knowledge(table.names, table.longest, table.rows, added)


def named_in(words: Wording, table: Knowledge) -> tuple[Named, ...]:
    """The entities of the table that a text names, in its order, each once; the longest name at a place holds."""
    found: dict[str, str] = {}
    for key, written in (*_worded_in(words, table), *_characters_in(words, table)):
        for cell in table.names[key].split(","):
            entity_id, _, forms = cell.partition("=")
            if entity_id != _NOBODY and (not forms or written in forms.split("/")):
                found.setdefault(entity_id, written)
        if len(found) >= NAMED_MAX:
            break
    return tuple(Named(entity_id, written) for entity_id, written in found.items())[:NAMED_MAX]


def _worded_in(words: Wording, table: Knowledge) -> Iterator[tuple[str, str]]:
    """(key, as written) of each name of stems."""
    names, longest, stems = table.names, table.longest, words.stems
    written: list[str] = []
    at = 0
    while at < len(stems):
        step = 1
        for size in range(min(longest.get(stems[at], 1), len(stems) - at), 0, -1):
            key = stems[at] if size == 1 else " ".join(stems[at : at + size])
            if key in names:
                written = written or written_words(words)
                yield key, " ".join(written[at : at + size])
                step = size
                break
        at += step


def _characters_in(words: Wording, table: Knowledge) -> Iterator[tuple[str, str]]:
    """The same of each CJK name."""
    names, longest = table.names, table.longest
    folded = words.folded if words.has_cjk else ""
    at = 0
    while at < len(folded):
        step = 1
        # A letter's entry is a stem's, and says nothing of characters.
        size = longest.get(folded[at], 1) if folded[at] >= CJK_FROM else 0
        for length in range(size, 0, -1):
            key = folded[at : at + length]
            if key in names:
                yield key, key
                step = length
                break
        at += step


def reached_from(entity_id: str, table: Knowledge, hops_max: int = HOPS_MAX) -> tuple[Reached, ...]:
    """What the entity leads to, nearest first, each once, without itself; at most REACHED_MAX."""
    found: dict[str, Reached] = {}
    frontier = [Reached(entity_id, IS, "", (), certain=True)]
    for _ in range(hops_max):
        following: list[Reached] = []
        for origin in frontier:
            for link in table.links_of(origin.entity_id):
                if link.relation == TYPE or link.target == entity_id or link.target in found:
                    continue
                step = f"{origin.entity_id} {link.relation} {link.target}"
                reached = Reached(
                    link.target,
                    _composed(origin.relation, link.relation),
                    f"{origin.chain}, {step}" if origin.chain else step,
                    (*origin.sources, link.source),
                    origin.certain and link.relation != MAY_CONTAIN,
                )
                found[link.target] = reached
                if len(found) >= REACHED_MAX:
                    return tuple(found.values())
                if link.relation not in LAST:
                    following.append(reached)
        frontier = following
    return tuple(found.values())


def _composed(before: str, relation: str) -> str:
    if relation == IS:
        return before
    if before == MAY_CONTAIN and relation == CONTAINS:
        return MAY_CONTAIN
    return relation
