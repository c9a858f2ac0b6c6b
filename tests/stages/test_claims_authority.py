"""Whence a claim comes: independent origins count, copies and derivations do not, and nothing rises by itself."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from packet_builders import a_record

from heedful.claims.authority import (
    are_independent,
    corroborated_tier,
    corroborates,
    independent_origins,
    origins_of,
    tier_by_lineage,
)
from heedful.kernel.ids import PrincipalId, RecordId, RunId
from heedful.kernel.ladder import Tier
from heedful.observations.grade import tier_for
from heedful.observations.record import BlobRef, Channel, Record, SourceGrade

LONG = "the checkout service is owned by the payments team since March"


def said(name: str, who: str = "person:ana", run: str | None = None, **changes: Any) -> Record:
    """Somebody's own words."""
    given: dict[str, Any] = {"grade": SourceGrade.USER, "channel": Channel.PERSON, "attributes": (), "derived_from": ()}
    return a_record(
        name,
        changes.pop("content", f"words of {name}"),
        **given | {"principal": PrincipalId(who), "run_id": RunId(run) if run else None, "source_ref": None} | changes,
    )


def printed(name: str, run: str | None = "run-1", who: str = "agent:coder", **changes: Any) -> Record:
    """A tool's output."""
    return said(name, who, run, **{"grade": SourceGrade.TOOL, "channel": Channel.CAPTURE} | changes)


def by_id(*records: Record) -> dict[RecordId, Record]:
    return {record.record_id: record for record in records}


def made_from(name: str, *sources: Record, **changes: Any) -> Record:
    """A summary of these."""
    given: dict[str, Any] = {"grade": SourceGrade.SUMMARY, "derived_from": tuple(each.record_id for each in sources)}
    return said(name, "agent:sum", f"run-of-{name}", **given | changes)


INDEPENDENT = {
    "two people": (said("a"), said("b", "person:ben")),
    "a person and a tool": (said("a"), printed("b")),
    "one tool in two sessions": (printed("a", "run-1"), printed("b", "run-2")),
    "short words of two tools": (
        printed("a", "run-1", content="ok"),
        printed("b", "run-2", "agent:other", content="ok"),
    ),
    "two who were recorded": (
        said("a", "person:own", "run-1", channel=Channel.CAPTURE, speaker="ana"),
        said("b", "person:own", "run-2", channel=Channel.CAPTURE, speaker="ben"),
    ),
}
ONE_ORIGIN = {
    "one record": (said("a"), said("a")),
    "one person twice": (said("a"), said("b")),
    "one person in two sessions": (said("a", run="run-1"), said("b", run="run-2")),
    "one session": (said("a", run="run-1"), said("b", "person:ben", "run-1")),
    "one tool without a session": (printed("a", None), printed("b", None)),
    "one tool that printed the same again": (printed("a", "run-1", content="up"), printed("b", "run-2", content="up")),
    "one tool call": (
        printed("a", "run-1", attributes=(("tool_call_id", "t1"),)),
        printed("b", "run-2", attributes=(("tool_call_id", "t1"),), who="agent:other"),
    ),
    "one document": (
        printed("a", None, grade=SourceGrade.DOCUMENT, source_ref="https://x.example/a"),
        printed("b", None, "agent:other", grade=SourceGrade.DOCUMENT, source_ref="https://x.example/a"),
    ),
    "a page that copies what somebody said": (
        said("a", content=LONG),
        printed("b", "run-2", grade=SourceGrade.DOCUMENT, content=LONG),
    ),
    "a Chinese page that copies": (
        said("a", content="结账服务归支付团队管"),
        printed("b", "run-2", grade=SourceGrade.DOCUMENT, content="结账服务归支付团队管"),
    ),
    "an agent's word": (said("a"), said("b", "agent:pip", "run-2", grade=SourceGrade.AGENT)),
    "what came through an agent's door": (said("a"), said("b", "person:ben", "run-2", channel=Channel.AGENT)),
    "a page that orders an agent about": (said("a"), printed("b", flags=("addresses-agent",))),
    "what is marked as a copy": (said("a"), printed("b", flags=("copied",))),
    "long contents in the blob store": (
        printed("a", "run-1", content=None, blob=BlobRef("n", 9)),
        printed("b", "run-2", "agent:other", content=None, blob=BlobRef("n", 9)),
    ),
}


@pytest.mark.parametrize("pair", INDEPENDENT.values(), ids=INDEPENDENT)
def test_what_differs_in_who_said_it_and_where_is_of_two_origins(pair: tuple[Record, Record]) -> None:
    """Both ways round."""
    assert are_independent(*pair)
    assert are_independent(*reversed(pair))


@pytest.mark.parametrize("pair", ONE_ORIGIN.values(), ids=ONE_ORIGIN)
def test_what_may_be_one_origin_is_one(pair: tuple[Record, Record]) -> None:
    """When in doubt, not independent; both ways round."""
    assert not are_independent(*pair)
    assert not are_independent(*reversed(pair))


def counted(count: Callable[[Sequence[Record], Mapping[RecordId, Record]], int]) -> tuple[int, int]:
    """How many origins one record and 50 copies have, and with one that is independent.

    However the copies are made: derived, summarised, of summaries, repeated, or the same bytes by somebody else.
    """
    first = printed("first", content=LONG)
    copies = [first]
    for number in range(50):
        run, who = f"run-{number}", f"agent:a{number}"
        made = (
            made_from(f"s{number}", copies[-1]),
            made_from(f"d{number}", first, grade=SourceGrade.USER, principal=PrincipalId(f"person:p{number}")),
            printed(f"r{number}", run, attributes=(("retry_of", "first"),)),
            printed(f"c{number}", run, who, content=LONG),
        )
        copies.append(made[number % 4])
    second = said("second", "person:ben", "run-x")
    lineage = by_id(*copies, second)
    assert not any(corroborates(copy, [first], lineage) for copy in copies)
    assert corroborates(second, copies[:3], lineage)
    return count(copies, lineage), count([*copies, second], lineage)


def test_fifty_copies_count_once_and_two_origins_twice() -> None:
    """Whatever the number of copies, and whoever made them."""
    assert counted(independent_origins) == (1, 2)


def test_the_control_counts_that_follow_no_lineage_or_compare_no_bytes_are_caught() -> None:
    """By who said it, and by session, the copies above are many."""
    by_who = counted(lambda records, _: len({record.principal for record in records}))
    by_session = counted(lambda records, _: len({record.run_id for record in records}))

    assert min(by_who[0], by_session[0]) > 10


def test_what_is_made_from_what_is_not_known_corroborates_nothing() -> None:
    """It might be of any origin."""
    first, hidden = said("first"), said("hidden", "person:ben")
    derived = made_from("derived", hidden, grade=SourceGrade.DOCUMENT)

    assert origins_of(derived, by_id(first, derived)) is None
    assert not corroborates(derived, [first], by_id(first, derived))
    assert origins_of(derived, by_id(first, derived, hidden)) == (hidden,)
    assert corroborates(derived, [first], by_id(first, derived, hidden))


def test_what_is_made_from_the_claims_own_record_and_another_corroborates_nothing() -> None:
    """It may have it from the first."""
    first, other = said("first"), said("other", "person:ben")
    mixed = made_from("mixed", first, other, grade=SourceGrade.DOCUMENT)

    assert not corroborates(mixed, [first], by_id(first, other, mixed))


def test_records_that_name_each_other_have_no_origin() -> None:
    """A ring ends nowhere, and is followed once."""
    left = said("left", derived_from=(RecordId("right"),))
    right = said("right", derived_from=(RecordId("left"),))

    assert origins_of(left, by_id(left, right)) is None


def test_corroboration_lifts_from_unverified_alone_and_not_above_what_it_rests_on() -> None:
    """A higher authority is not lowered by it either."""
    assert corroborated_tier(Tier.UNVERIFIED, ()) is Tier.CORROBORATED
    assert corroborated_tier(Tier.UNVERIFIED, (Tier.CORROBORATED, Tier.SYSTEM)) is Tier.CORROBORATED
    assert corroborated_tier(Tier.UNVERIFIED, (Tier.UNVERIFIED, Tier.SYSTEM)) is Tier.UNVERIFIED
    assert corroborated_tier(Tier.OPERATOR, (Tier.UNVERIFIED,)) is Tier.OPERATOR


def rises(tier_of: Any) -> int:
    """In 1,000 random derivation graphs: records whose authority is more than that of something they came from."""
    chance = random.Random(7)  # a test's dice
    grades = list(SourceGrade)
    found = 0
    for _ in range(1_000):
        lineage: dict[RecordId, Record] = {}
        for number in range(chance.randint(2, 9)):
            sources = chance.sample(sorted(lineage), min(len(lineage), chance.choice((0, 1, 1, 2))))
            record = replace(
                said(f"r{number}"), grade=chance.choice(grades), derived_from=tuple(RecordId(each) for each in sources)
            )
            lineage[record.record_id] = record
        for record in lineage.values():
            found += any(tier_of(record, lineage) > tier_of(lineage[each], lineage) for each in record.derived_from)
            found += tier_of(record, lineage) > tier_for(record.grade)
    return found


def test_no_authority_rises_in_a_thousand_random_derivation_graphs() -> None:
    """A claim has at most the authority of the least that its record came from."""
    assert rises(tier_by_lineage) == 0


def test_the_control_authority_by_grade_alone_rises() -> None:
    """The count above finds what does not follow the lineage."""
    assert rises(lambda record, _: tier_for(record.grade)) > 100
