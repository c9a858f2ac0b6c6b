"""Namesakes: subjects of one name that may be one entity. A person is asked; nothing is merged by names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from heedful.claims.claim import TO_ACTIVE, Claim
from heedful.claims.merge import joins_of
from heedful.kernel.ladder import Tier
from heedful.kernel.scope import Scope
from heedful.kernel.texts import folded
from heedful.ports.store import Reading, Visible
from heedful.service.merging.joined import MERGES_MAX

CLAIMS_MAX = 1_000
"""Claims that wait or are active, the newest, whose subjects are looked at."""
NAMESAKES_MAX = 100
"""Pairs that are asked about, in order of bytes."""
_PEOPLE = frozenset({"user", "person"})


@dataclass(frozen=True, slots=True)
class Namesakes:
    """Two subjects of one sort whose names are equal but for case, width and white space.

    Attributes:
        scopes: where something is known of each, one of either: a merge has a scope, and a person chooses it.
    """

    subject: str
    other: str
    scopes: tuple[Scope, Scope]


def namesakes(reading: Reading, visible: Visible) -> tuple[Namesakes, ...]:
    """Those of which nobody has said anything yet that is seen here; two statements."""
    claims = reading.claims(
        visible,
        statuses=TO_ACTIVE,
        kinds=None,
        visibility=None,
        tier_min=Tier.UNVERIFIED,
        valid_at_us=None,
        limit=CLAIMS_MAX,
        newest_first=True,
    )
    groups = _by_name(claims)
    if not groups:
        return ()
    merges = reading.merges(visible, only_joined=False, limit=MERGES_MAX)
    joins, said = joins_of(merges), {each.pair for each in merges}
    pairs = (pair for group in groups for pair in combinations(sorted(group.items(), key=_bytes), 2))
    found = [
        Namesakes(subject, other, (scope, other_scope))
        for (subject, scope), (other, other_scope) in pairs
        if frozenset((subject, other)) not in said and not joins.are_one(subject, other)
    ]
    return tuple(sorted(found, key=lambda each: (each.subject.encode(), each.other.encode()))[:NAMESAKES_MAX])


def _by_name(claims: Iterable[Claim]) -> list[dict[str, Scope]]:
    """The subjects of one sort and name, each with the scope of its newest claim; of several alone."""
    groups: dict[tuple[str, str], dict[str, Scope]] = {}
    for claim in claims:
        sort, _, name = claim.subject.partition(":")
        key = ("person" if folded(sort) in _PEOPLE else folded(sort), folded(name))
        if name:
            groups.setdefault(key, {}).setdefault(claim.subject, claim.scope)
    return [group for group in groups.values() if len(group) > 1]


def _bytes(item: tuple[str, Scope]) -> bytes:
    return item[0].encode()
