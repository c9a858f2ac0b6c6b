"""Links: what a request names and what claims name, where the knowledge table leads from one to the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from heedful.bridges.classify import asked_text
from heedful.bridges.knowledge import LinkPath, path_along, ways_from
from heedful.bridges.known import named_in
from heedful.bridges.registry import Registry
from heedful.bridges.request import RequestFeatures
from heedful.bridges.words import wording
from heedful.claims.claim import Claim

Links = Mapping[str, LinkPath]
"""Statement of a claim -> how the request leads to it."""


def links_of(
    features: RequestFeatures, claims: Iterable[Claim], registry: Registry, *, named: Sequence[str] | None = None
) -> Links:
    """The certain ways of one link or more; that both name the same thing is a matter for words, and no link.

    `named`: what the request's words name, where that is known; see Classified.
    """
    knowledge = registry.index.knowledge
    table = knowledge.table()
    if named is None:
        named = [entity_id for entity_id, _ in named_in(wording(asked_text(features)), table)]
    if not named:
        return {}
    ways = ways_from(named, table)
    found: dict[str, LinkPath] = {}
    for claim in claims:
        if claim.statement not in found:
            path = path_along(knowledge.terms(claim.statement), ways, table)
            if path is not None and path.hops and path.certain:
                found[claim.statement] = path
    return found
