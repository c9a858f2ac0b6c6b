"""Found: what is known of one subject is found for every other that is one with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from heedful.claims.claim import Claim
from heedful.claims.merge import Joins
from heedful.claims.projections.named import name_in, subject_name
from heedful.observations.text import query_terms
from heedful.ports.rows import SearchResult
from heedful.ports.store import Reading, Visible
from heedful.service.merging.joined import joins_in

TERMS_MAX = 32
"""Words that a search asks for, the store's own limit."""


@dataclass(frozen=True, slots=True)
class OtherName:
    """A name that a question does not say, and the words of it that it says instead, of another name of the same."""

    terms: frozenset[str]
    said: tuple[str, ...]


def about(reading: Reading, visible: Visible, subject: str, *, limit: int) -> tuple[Claim, ...]:
    """See ViewReader.claims_about, of all that are one with the subject: the newest of all of them, at most `limit`."""
    subjects = joins_in(reading, visible).all_of(subject)
    found = [claim for each in subjects for claim in reading.claims_about(visible, each, limit=limit)]
    if len(subjects) > 1:
        found.sort(key=lambda claim: (claim.position, claim.claim_id), reverse=True)
    return tuple(found[:limit])


def other_names(joins: Joins, text: str) -> tuple[OtherName, ...]:
    """The other names of what the text names, in order of bytes; none where nothing is one with anything."""
    found: dict[OtherName, None] = {}
    for subject in sorted(joins.groups, key=str.encode):
        name = name_in(subject, text)
        said = query_terms(name) if name else ()
        for other in joins.others(subject) if said else ():
            terms = frozenset(query_terms(subject_name(other).names[0])) if subject_name(other).names else frozenset()
            if terms and not terms <= {*said}:
                found[OtherName(terms, said)] = None
    return tuple(found)


def asked_for(terms: Sequence[str], names: Sequence[OtherName]) -> tuple[str, ...]:
    """The words to search for: those of the question, and those of the other names as far as there is room."""
    more = (term for name in names for term in sorted(name.terms))
    return tuple(dict.fromkeys((*terms, *more)))[: max(TERMS_MAX, len(terms))]


def as_said(result: SearchResult, terms: Sequence[str], names: Sequence[OtherName]) -> SearchResult:
    """The result as if every row that has another name had the one that was said; of the question's words alone.

    How many rows have a word is counted anew where other names say it, at most all of the visible ones.
    """
    asked = {*terms}
    hits = []
    counts = Counter({term: count for term, count in result.term_counts.items() if term in asked})
    for name in names:
        rows = min((result.term_counts.get(term, 0) for term in name.terms), default=0)
        counts.update(dict.fromkeys(name.said, rows))
    for hit in result.hits:
        has = {*hit.terms}
        said = {term for name in names if name.terms <= has for term in name.said}
        kept = tuple(term for term in terms if term in has or term in said)
        if kept:
            hits.append(hit._replace(terms=kept))
    most = {term: min(count, result.visible_count) for term, count in counts.items()}
    return SearchResult(tuple(hits), result.visible_count, most)
