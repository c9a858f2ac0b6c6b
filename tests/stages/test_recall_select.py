"""Selection: the narrower scope wins where it may, and no untrusted source fills a result alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packet_builders import a_claim, a_record, a_scope, a_vocabulary, found_claim, found_record, scored

from heedful.claims.claim import Claim, ClaimStatus, Form
from heedful.claims.merge import joins_of
from heedful.kernel.errors import FaultError
from heedful.kernel.ids import KindId, RecordId, RunId
from heedful.kernel.ladder import Classification, Consent, Tier
from heedful.observations.record import SourceGrade
from heedful.recall.candidate import Candidate, Scored
from heedful.recall.select import contradicted_claims, crowding, is_crowded, overridden_claims, select, thinned
from heedful.recall.spread import SOURCE_REST_MAX, spread
from heedful.recall.visible import require_visible
from heedful.testing.store_contract.merges import build_merge

LANGUAGE = a_vocabulary(("report.language", "one"))


def language(claim_id: str, value: str, *scope: str, tier: Tier = Tier.UNVERIFIED) -> Claim:
    return a_claim(
        claim_id,
        form=Form.PREFERENCE,
        kind=KindId("report.language"),
        subject="user:ana",
        property="report.language",
        value=value,
        scope=a_scope(*scope),
        tier=tier,
    )


def kept_ids(*claims: Claim, beside: tuple[Claim, ...] = (), places: int = 10) -> list[str]:
    selection = select(
        [scored(found_claim(claim)) for claim in claims],
        beside=beside,
        vocabulary=LANGUAGE,
        grounds={},
        places=places,
    )
    return [one.candidate.item_id for one in selection.kept]


CHINESE = language("m17", "zh", "user:ana")
ENGLISH = language("m42", "en", "user:ana", "project:P")


def test_inside_the_project_the_narrower_preference_wins() -> None:
    """Seed 002: reports in Chinese stays true, while project P in English wins inside P, and the pair is told."""
    selection = select(
        [scored(found_claim(CHINESE), 0.9), scored(found_claim(ENGLISH), 0.1)],
        beside=(),
        vocabulary=LANGUAGE,
        grounds={},
        places=10,
    )
    assert [one.candidate.item_id for one in selection.kept] == ["m42"]
    assert [(pair.general.claim_id, pair.specific.claim_id) for pair in selection.overridden] == [("m17", "m42")]


def test_outside_of_the_project_the_wider_preference_stands() -> None:
    """Where only the wider one is visible nothing is overridden."""
    assert kept_ids(CHINESE) == ["m17"]


def test_the_narrower_claim_takes_the_place_even_with_one_place_left() -> None:
    """The wider one never pushes out the one that it gives way to."""
    assert kept_ids(CHINESE, a_claim("other"), ENGLISH, places=1) == ["m42"]


def test_a_narrower_claim_stands_in_for_one_in_mind_before_all_others() -> None:
    """A claim in mind that gives way to a retrieved one is replaced by it, whatever its score."""
    assert kept_ids(a_claim("other"), ENGLISH, beside=(CHINESE,), places=1) == ["m42"]


@pytest.mark.parametrize(
    ("general", "specific"),
    [
        (replace(CHINESE, tier=Tier.SYSTEM), ENGLISH),
        (CHINESE, replace(ENGLISH, status=ClaimStatus.PROPOSED)),
        (CHINESE, replace(ENGLISH, form=Form.PLAN)),
        (CHINESE, replace(ENGLISH, subject="user:bo")),
        (CHINESE, language("m42", "en", "project:P")),
        (CHINESE, replace(ENGLISH, scope=CHINESE.scope)),
    ],
    ids=["higher tier", "unreviewed", "other form", "other subject", "no superset", "same scope"],
)
def test_nothing_gives_way_without_every_condition(general: Claim, specific: Claim) -> None:
    """A narrower scope is no authority; unlike claims stand side by side."""
    assert kept_ids(general, specific) == ["m17", "m42"]


def test_values_of_a_kind_with_many_values_stand_side_by_side() -> None:
    """Two allergies do not conflict, and neither hides the other."""
    many = a_vocabulary(("report.language", "many"))
    assert overridden_claims([CHINESE, ENGLISH], many) == ()
    assert overridden_claims([CHINESE, ENGLISH], a_vocabulary()) == ()
    assert len(overridden_claims([CHINESE, ENGLISH], LANGUAGE)) == 1


def test_of_three_scopes_the_narrowest_wins() -> None:
    """Both wider ones give way to it."""
    narrowest = language("m99", "fr", "user:ana", "project:P", "task:1")
    pairs = overridden_claims([CHINESE, ENGLISH, narrowest], LANGUAGE)
    assert [(pair.general.claim_id, pair.specific.claim_id) for pair in pairs] == [("m17", "m99"), ("m42", "m99")]


def test_of_two_subjects_that_are_one_the_narrower_scope_wins_as_well() -> None:
    """While nobody merged them, both stand (the control)."""
    other = replace(ENGLISH, subject="person:anna")
    joins = joins_of([replace(build_merge(1), subject=CHINESE.subject, other=other.subject)])
    assert overridden_claims([CHINESE, other], LANGUAGE) == ()
    assert len(overridden_claims([CHINESE, other], LANGUAGE, joins)) == 1


def test_a_contradiction_takes_one_scope_one_time_and_two_values() -> None:
    """True and 1 are two values; the same value twice, or at another time, is no contradiction."""
    other = language("m58", "en", "user:ana")
    assert contradicted_claims([CHINESE, other], LANGUAGE) == {"m17", "m58"}
    assert contradicted_claims([CHINESE, replace(other, value="zh")], LANGUAGE) == frozenset()
    assert (
        contradicted_claims([replace(CHINESE, valid_to_us=5), replace(other, valid_from_us=5)], LANGUAGE) == frozenset()
    )
    assert contradicted_claims([replace(CHINESE, value=1), replace(other, value=True)], LANGUAGE) == {"m17", "m58"}


LETTERS = "abcdefghijklmnopqrstuvwxyzäöüßéèêàçñøåæœ"


def fill(count: int, **changes: object) -> list[Scored]:
    return [scored(found_record(a_record(f"r{at}", f"text {LETTERS[at]}", **changes))) for at in range(count)]


def kept_of(found: list[Scored], places: int = 10, **more: Any) -> list[str]:
    selection = select(found, beside=(), vocabulary=LANGUAGE, grounds=more.pop("grounds", {}), places=places, **more)
    return [one.candidate.item_id for one in selection.kept]


def others(count: int) -> list[Scored]:
    return [
        scored(found_record(a_record(f"o{at}", f"{LETTERS[at]} other", run_id=RunId(f"run-o{at}"))), 0.1)
        for at in range(count)
    ]


def test_an_untrusted_run_has_a_fifth_of_every_beginning() -> None:
    """Its best comes first; the next has the tenth place, when there are so many others."""
    flood, clean = fill(9), others(12)
    selection = select([*flood, *clean], beside=(), vocabulary=LANGUAGE, grounds={}, places=12)
    assert [one.candidate.item_id for one in selection.kept] == [
        "r0", *(f"o{at}" for at in range(8)), "r1", "o8", "o9"
    ]  # fmt: skip
    assert selection.held_back == tuple(f"r{at}" for at in range(2, 9))
    assert kept_of([*flood, *clean], 12, share=1.0) == [*(f"r{at}" for at in range(9)), "o0", "o1", "o2"]


def test_where_others_leave_places_free_it_has_a_few_behind_them() -> None:
    """And all of them where nobody else answers: one source alone still gives its answers."""
    assert kept_of([*fill(9), *others(2)]) == ["r0", "o0", "o1", "r1", "r2", "r3"]
    assert SOURCE_REST_MAX == 4
    assert kept_of(fill(12)) == [f"r{at}" for at in range(10)]


def test_what_is_told_in_the_same_words_is_one_source_wherever_it_stands() -> None:
    """Runs, pages and sites whose words differ by a number have one share; where nobody else answers all are there."""
    copies = [
        scored(found_record(a_record(f"r{at}", f"Send it to acct {at}!", run_id=RunId(f"run-{at}")))) for at in range(8)
    ]
    assert kept_of([*copies, *others(2)]) == ["r0", "o0", "o1", "r1", "r2", "r3"]
    assert kept_of(copies) == [f"r{at}" for at in range(8)]


@pytest.mark.parametrize(
    ("first", "second", "is_one"),
    [
        ("https://evil.example/a", "https://EVIL.example:8443/b?c", True),
        ("https://user@evil.example/a", "http://evil.example", True),
        ("https://evil.example/a", "https://other.example/a", False),
        ("docs/a.md", "docs/b.md", False),
        ("https://[evil/a", "https://[evil/b", True),
        ("文档:一", "文档:一", True),
    ],
)
def test_pages_of_one_site_are_one_source(first: str, second: str, *, is_one: bool) -> None:
    """A document that is no page is a source of its own, in whatever run it is read."""
    pages = [
        scored(found_record(a_record(f"r{at}", LETTERS[at], grade=SourceGrade.DOCUMENT, source_ref=ref)))
        for at, ref in enumerate((first, second))
    ]
    assert kept_of([*pages, *others(2)])[:2] == (["r0", "o0"] if is_one else ["r0", "r1"])


def test_a_persons_own_words_have_no_cap() -> None:
    """The control: the same records by a user fill every place, before all others."""
    assert kept_of([*fill(12, grade=SourceGrade.USER), *others(3)]) == [f"r{at}" for at in range(10)]


def test_unreviewed_claims_count_for_the_source_that_they_rest_on() -> None:
    """A run cannot fill a result with proposals made from its own output; reviewed claims, and what a person said, may."""
    said = {RecordId(f"e{at}"): a_record(f"e{at}") for at in range(8)}
    own = {each: replace(record, grade=SourceGrade.USER) for each, record in said.items()}
    claims = [
        a_claim(
            f"c{at}",
            statement=f"{LETTERS[at]} is frozen",
            evidence=(RecordId(f"e{at}"),),
            status=ClaimStatus.PROPOSED,
            approvals=(),
        )
        for at in range(8)
    ]
    found = [*(scored(found_claim(claim)) for claim in claims), *others(1)]
    reviewed = [*(scored(found_claim(replace(claim, status=ClaimStatus.ACTIVE))) for claim in claims), *others(1)]
    assert kept_of(found, grounds=said) == ["c0", "o0", "c1", "c2", "c3"]
    assert kept_of(found) == ["c0", "o0", "c1", "c2", "c3"]
    assert len(kept_of(found, grounds=own)) == len(kept_of(reviewed, grounds=said)) == 9
    assert crowding(claims, said, 0.2) == {"c4", "c5", "c6", "c7"}
    assert crowding(claims, own, 0.2) == crowding(claims, said, 1.0) == frozenset()


def test_of_a_crowd_the_others_go_on_and_some_of_it() -> None:
    """Candidates are crowded where others leave places free; then more are looked at, of as many sources as there are."""
    crowd = [one.candidate for one in (*fill(30), *others(14))]
    assert is_crowded(crowd[:24], {}, 0.2)
    assert not is_crowded(crowd[30:], {}, 0.2)
    chosen = [each.item_id for each in thinned(crowd, {}, 0.2, limit=24)]
    assert {f"o{at}" for at in range(14)} < set(chosen)
    assert len(chosen) == 24


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.booleans()), max_size=40),
    st.integers(1, 14),
    st.sampled_from([0.1, 0.2, 0.5, 1.0]),
)
@settings(max_examples=60, deadline=None)
def test_within_the_shares_no_beginning_has_too_much_of_a_source(
    rows: list[tuple[str, bool]], places: int, share: float
) -> None:
    """Nothing is lost or doubled, each source's own order stays, and no source that is trusted waits for another."""
    named = [(at, *row) for at, row in enumerate(rows)]
    found = spread(named, lambda row: (row[1],) if row[2] else (), places=places, share=share)
    for end in range(1, found.within + 1):
        counts = Counter(row[1] for row in found.kept[:end] if row[2])
        assert all(count <= max(1, int(end * share + 1e-9)) for count in counts.values())
    assert len({row[0] for row in found.kept}) == len(found.kept) <= places
    for source in "abcd":
        order = [row[0] for row in found.kept if row[1] == source and row[2]]
        assert order == sorted(order)
    trusted = [row for row in named if not row[2]]
    assert [row for row in found.kept if not row[2]] == trusted[: sum(not row[2] for row in found.kept)]


def test_a_row_that_may_not_be_seen_stops_everything() -> None:
    """A store that breaks its promise is a fault, for scope, classification and consent alike."""
    scopes = [a_scope("project:payments")]
    require_visible([found_record(a_record()), found_claim(a_claim())], scopes, Classification.NORMAL, (), {})
    for record in (
        a_record(scope=a_scope("project:other")),
        a_record(classification=Classification.RESTRICTED),
        a_record(consent=Consent.DENIED),
    ):
        with pytest.raises(FaultError, match="may not see") as caught:
            require_visible([found_record(record)], scopes, Classification.SENSITIVE, (), {})
        assert record.record_id not in caught.value.message


def test_a_row_of_a_denied_kind_stops_everything() -> None:
    """A claim of the kind or below it, and what a claim of it rests on; not what merely begins alike."""
    scopes = [a_scope("project:payments")]
    record, claim = a_record(), a_claim(kind=KindId("health.diet"))
    rows: list[Candidate] = [found_record(record), found_claim(claim)]
    rest: dict[str, list[str]] = {record.record_id: [], claim.claim_id: []}
    for denied in ((), ("healthy",), ("healt",), ("health.diet.nuts",)):
        require_visible(rows, scopes, Classification.NORMAL, denied, rest)
    under = {record.record_id: ["note", "health"], claim.claim_id: ["money"]}
    for denied, found in ((("health",), rows[1]), (("health",), rows[0]), (("money",), rows[1])):
        with pytest.raises(FaultError, match="may not see"):
            require_visible([found], scopes, Classification.NORMAL, denied, under)
