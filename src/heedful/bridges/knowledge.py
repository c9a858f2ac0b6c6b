"""What a statement and a request have to do with each other, by what things are and contain (`known.py`).

Only the words given and the table are read. The chain of links is the reason that a packet shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from heedful.bridges.known import IS, LAST, Knowledge, Reached, named_in, reached_from, with_entities
from heedful.bridges.vocabulary import Entity
from heedful.bridges.words import wording
from heedful.kernel.kept import keeper

TERMS_CACHED = 8_192
STATEMENT_HOPS_MAX = 2
"""How far `is` is followed from what a statement names: a prawn is a crustacean, and so shellfish."""

_JOINING = frozenset({"allergen", "drug-class", "intoxicant"})
"""Types by which two things are near: an almond and a walnut, one blood thinner and another, wine and kombucha."""


class LazyKnowledge:
    """A registry's table with its own entities in it, made when first asked for."""

    __slots__ = ("__weakref__", "_entities", "_load", "_table", "_terms")

    def __init__(self, load: Callable[[], Knowledge], entities: Mapping[str, Entity]) -> None:
        self._load = load
        self._entities = entities
        self._table: Knowledge | None = None
        self._terms: dict[str, tuple[str, ...]] = {}
        keeper(self)

    def forget_texts(self) -> None:
        """See Keeper.forget_texts."""
        self._terms.clear()

    def table(self) -> Knowledge:
        """The same table every time; two threads that ask first at once make equal ones."""
        if self._table is None:
            self._table = with_entities(self._load(), self._entities)
        return self._table

    def terms(self, statement: str) -> tuple[str, ...]:
        """Ids of what a statement names; the last TERMS_CACHED statements are remembered."""
        found = self._terms.get(statement)
        if found is None:
            if len(self._terms) >= TERMS_CACHED:
                self._terms.clear()
            found = tuple(term.entity_id for term in claim_terms(statement, self.table()))
            self._terms[statement] = found
        return found


@dataclass(frozen=True, slots=True)
class Term:
    """What a statement names that matters: its entity, as it stands there, and the sorts of thing that it is."""

    entity_id: str
    written: str
    types: tuple[str, ...]


def claim_terms(statement: str, table: Knowledge) -> tuple[Term, ...]:
    """The allergens, medicines, animals, conditions, activities and so on that a statement names, in its order.

    An entity without a sort of its own has those of what it is: a prawn is a crustacean, which is an allergen.
    """
    terms: list[Term] = []
    for entity_id, written in named_in(wording(statement), table):
        types = set(table.types_of(entity_id))
        for target, _, _ in _kin(entity_id, table):
            types.update(table.types_of(target))
        if types:
            terms.append(Term(entity_id, written, tuple(sorted(types))))
    return tuple(terms)


@dataclass(frozen=True, slots=True)
class LinkPath:
    """How a request and a statement hang together.

    Attributes:
        meeting: the entity that both lead to.
        relation: of the request's part of the way (see Reached).
        chain: for people: `macaron contains almond, almond is tree-nut`; what the statement adds stands after ` <- `.
        hops: links on the way, both parts together; 0: both name the same thing.
        certain: False where some link is a mere `may-contain`.
    """

    request_entity: str
    statement_entity: str
    meeting: str
    relation: str
    chain: str
    sources: tuple[str, ...]
    hops: int
    certain: bool


Ways = Mapping[str, tuple[str, Reached]]
"""Entity id -> the request's entity that leads to it, and how; the shortest way."""


def ways_from(request_entities: Iterable[str], table: Knowledge) -> Ways:
    """Where a request's entities lead, themselves among it: to be made once a request, then asked for each claim."""
    ways: dict[str, tuple[str, Reached]] = {}
    for entity_id in request_entities:
        ways[entity_id] = (entity_id, Reached(entity_id, IS, "", (), certain=True))
    for entity_id in tuple(ways):
        for reached in reached_from(entity_id, table):
            before = ways.get(reached.entity_id)
            if before is None or _length(reached) < _length(before[1]):
                ways[reached.entity_id] = (entity_id, reached)
    return ways


def path_between(
    statement_entities: Iterable[str], request_entities: Iterable[str], table: Knowledge
) -> LinkPath | None:
    """The shortest way from something that the request names to something that the statement names, or None."""
    return path_along(statement_entities, ways_from(request_entities, table), table)


def path_along(statement_entities: Iterable[str], ways: Ways, table: Knowledge) -> LinkPath | None:
    """The shortest way among these to something that the statement names, certain ones first; None: there is none.

    Two things that only are of the same sort (an almond, a walnut) meet by an allergen or a class of medicines, and by
    nothing wider.
    """
    best: LinkPath | None = None
    for entity_id in statement_entities:
        for target, chain, sources in ((entity_id, "", ()), *_kin(entity_id, table)):
            if target not in ways:
                continue
            origin, reached = ways[target]
            hops = len(reached.sources) + len(sources)
            meets_by_sort = sources and reached.sources and reached.relation not in LAST
            if meets_by_sort and _JOINING.isdisjoint(table.types_of(target)):
                continue
            path = LinkPath(
                request_entity=origin,
                statement_entity=entity_id,
                meeting=target,
                relation=reached.relation,
                chain=" <- ".join(part for part in (reached.chain or origin, chain) if part),
                sources=tuple(dict.fromkeys((*reached.sources, *sources))),
                hops=hops,
                certain=reached.certain,
            )
            if best is None or (not path.certain, path.hops) < (not best.certain, best.hops):
                best = path
    return best


def _length(reached: Reached) -> tuple[bool, int]:
    return not reached.certain, len(reached.sources)


def _kin(entity_id: str, table: Knowledge) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """(entity id, chain, sources) of what the entity is, nearest first."""
    frontier: list[tuple[str, str, tuple[str, ...]]] = [(entity_id, "", ())]
    seen = {entity_id}
    for _ in range(STATEMENT_HOPS_MAX):
        following: list[tuple[str, str, tuple[str, ...]]] = []
        for origin, chain, sources in frontier:
            for link in table.links_of(origin):
                if link.relation != IS or link.target in seen:
                    continue
                seen.add(link.target)
                step = f"{origin} is {link.target}"
                following.append((link.target, f"{chain}, {step}" if chain else step, (*sources, link.source)))
        yield from following
        frontier = following
