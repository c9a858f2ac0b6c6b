"""Selection: which of two scopes wins, and how much of a result one source may fill.

Every task class reads the same structure so far, retrieval; only what counts as enough differs (forms_asked).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from heedful.bridges.vocabulary import Vocabulary
from heedful.claims.claim import Claim, Form
from heedful.claims.merge import NO_JOINS, Joins
from heedful.kernel.ids import ClaimId, RecordId
from heedful.observations.quoting import QUOTES_MEMORY
from heedful.observations.record import Record
from heedful.recall.candidate import (
    Candidate,
    ClaimCandidate,
    RecordCandidate,
    Scored,
    claim_sources,
    untrusted_sources,
)
from heedful.recall.request import TaskClass
from heedful.recall.spread import SOURCE_SHARE_MAX, spread

PLACES_MAX = 12
"""Retrieved items in a packet (seed 003: 12 events)."""


@dataclass(frozen=True, slots=True)
class Overridden:
    """A claim that gives way, in this request, to one of a narrower scope. It still holds everywhere else."""

    general: Claim
    specific: Claim


@dataclass(frozen=True, slots=True)
class Selection:
    """What goes on to the packet.

    Attributes:
        kept: in order.
        overridden: pairs whose general claim is left out of `kept`, in claim order.
        held_back: ids that stand behind others, or are left out, as their untrusted source has its share (spread.py).
    """

    kept: tuple[Scored, ...]
    overridden: tuple[Overridden, ...]
    held_back: tuple[str, ...]


def forms_asked(task_class: TaskClass) -> frozenset[Form]:
    """The forms of claim that answer a question of this class; empty: any."""
    match task_class:
        case "state":
            return frozenset({Form.STATE, Form.FACT, Form.PREFERENCE})
        case "workflow":
            return frozenset({Form.WORKFLOW})
        case "gotcha":
            return frozenset({Form.GOTCHA})
        case "premise":
            return frozenset({Form.PREMISE})
        case "causal" | "general":
            return frozenset()


def select(
    scored: Sequence[Scored],
    *,
    beside: Sequence[Claim],
    vocabulary: Vocabulary,
    grounds: Mapping[RecordId, Record],
    joins: Joins = NO_JOINS,
    places: int = PLACES_MAX,
    share: float = SOURCE_SHARE_MAX,
) -> Selection:
    """At most `places` candidates in the order given, without overridden claims, each untrusted source in bounds.

    `beside` are claims that reach the packet by another way (in mind, rules): they override, and are never left out.
    `share`: what one untrusted source may fill of it; see `spread`. Where a claim gives way to another candidate, that
    one takes its place, however low its own score. A packet that comes back as a record stands behind all else.
    """
    found = [one.candidate.claim for one in scored if isinstance(one.candidate, ClaimCandidate)]
    overridden = overridden_claims([*beside, *found], vocabulary, joins)
    gone = {pair.general.claim_id for pair in overridden}
    by_id = {one.candidate.item_id: one for one in scored} if overridden else {}
    instead: dict[str, Scored] = {
        pair.general.claim_id: by_id[pair.specific.claim_id] for pair in overridden if pair.specific.claim_id in by_id
    }
    # What replaces a claim in mind, or a rule, is as sure of a place as that was.
    sure = [instead[claim.claim_id] for claim in beside if claim.claim_id in instead]
    ordered: dict[str, Scored] = {}
    for found_one in (*sure, *scored):
        one = instead.get(found_one.candidate.item_id, found_one)
        if one.candidate.item_id not in gone:
            ordered.setdefault(one.candidate.item_id, one)
    found_within = spread(
        sorted(ordered.values(), key=_quotes_memory),
        lambda one: untrusted_sources(one.candidate, grounds),
        places=places,
        share=share,
    )
    held_back = tuple(one.candidate.item_id for one in found_within.held_back)
    return Selection(found_within.kept, overridden, held_back)


def _quotes_memory(one: Scored) -> bool:
    return isinstance(one.candidate, RecordCandidate) and QUOTES_MEMORY in one.candidate.record.flags


def crowding(in_mind: Sequence[Claim], grounds: Mapping[RecordId, Record], share: float) -> frozenset[ClaimId]:
    """Of the claims in mind, in their order, those unreviewed ones of which an untrusted source has too many.

    They ask for what they ask for; a packet shows some of that source, and says how many more there are.
    """
    shown = spread(
        in_mind, lambda claim: claim_sources(claim, grounds), places=len(in_mind), share=share, fills_alone=False
    ).kept
    return frozenset({claim.claim_id for claim in in_mind} - {claim.claim_id for claim in shown})


def is_crowded(candidates: Sequence[Candidate], grounds: Mapping[RecordId, Record], share: float) -> bool:
    """True where untrusted sources have so many of these that others leave places of a packet free."""
    within = spread(candidates, lambda one: untrusted_sources(one, grounds), places=PLACES_MAX, share=share).within
    return within < min(PLACES_MAX, len(candidates))


def thinned(
    candidates: Sequence[Candidate], grounds: Mapping[RecordId, Record], share: float, *, limit: int
) -> tuple[Candidate, ...]:
    """At most `limit` of these: of as many sources as there are, and of one alone what may fill a packet."""
    return spread(
        candidates, lambda one: untrusted_sources(one, grounds), places=limit, share=share, rest_max=PLACES_MAX
    ).kept


def overridden_claims(
    claims: Iterable[Claim], vocabulary: Vocabulary, joins: Joins = NO_JOINS
) -> tuple[Overridden, ...]:
    """Claims that give way to a more specific one, each with the most specific that it gives way to.

    Of two active claims with one subject (or two that are one), single-valued property and form, the one whose scope
    holds all of the other's and more wins (seed 002: "reports in Chinese" stays true while "project P in English" wins
    inside P). Not where the wider one has the higher tier: a narrower scope is no authority. Two values of a kind that
    may have many stand side by side.
    """
    found: list[Overridden] = []
    for group in _comparable(claims, vocabulary, joins):
        for general in group:
            wider = set(general.scope.elements)
            winners = [claim for claim in group if wider < set(claim.scope.elements) and claim.tier >= general.tier]
            if winners:
                specific = max(winners, key=lambda claim: (len(claim.scope.elements), claim.tier, claim.claim_id))
                found.append(Overridden(general, specific))
    return tuple(sorted(found, key=lambda pair: pair.general.claim_id))


def contradicted_claims(claims: Iterable[Claim], vocabulary: Vocabulary) -> frozenset[ClaimId]:
    """Claims of which another says something else: one subject, single-valued property, form, scope and time."""
    found: set[ClaimId] = set()
    for group in _comparable(claims, vocabulary, NO_JOINS):
        for left in group:
            for right in group:
                if left.scope == right.scope and _differ(left, right) and left.valid.overlaps(right.valid):
                    found |= {left.claim_id, right.claim_id}
    return frozenset(found)


def _differ(left: Claim, right: Claim) -> bool:
    # True == 1 in Python; in the world they are two values.
    return left.value != right.value or isinstance(left.value, bool) != isinstance(right.value, bool)


def _comparable(claims: Iterable[Claim], vocabulary: Vocabulary, joins: Joins) -> list[list[Claim]]:
    groups: dict[tuple[str, str, Form], dict[ClaimId, Claim]] = {}
    for claim in claims:
        kind = vocabulary.kinds.get(claim.kind)
        if claim.is_reviewed and kind is not None and kind.cardinality == "one":
            groups.setdefault((joins.first(claim.subject), claim.property, claim.form), {})[claim.claim_id] = claim
    return [list(group.values()) for group in groups.values() if len(group) > 1]
