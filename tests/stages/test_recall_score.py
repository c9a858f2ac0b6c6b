"""Ranking: a rare word outweighs common ones, channels stand before scores, and order repeats exactly."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packet_builders import DAY_US, NOW_US, a_claim, a_record, a_vocabulary, found_claim, found_record

from heedful.claims.claim import ClaimStatus
from heedful.kernel.ids import ClaimId, RecordId, RunId
from heedful.kernel.ladder import Tier
from heedful.observations.record import SourceGrade
from heedful.ports.store import SearchHit, SearchResult
from heedful.recall.candidate import Candidate, corroborations
from heedful.recall.request import Scorer
from heedful.recall.score import (
    LinearWeights,
    Scoring,
    TieredWeights,
    linear_score,
    rank_hits,
    score_candidates,
    tiered_score,
)

EMPTY = a_vocabulary()


def hit(item_id: str, terms: tuple[str, ...], *, tokens: int = 40, position: int = 1) -> SearchHit:
    return SearchHit(position, "record", item_id, terms, tokens)


def test_an_exact_identifier_wins_over_common_words() -> None:
    """A long row with the one rare token stands before a short one with every common word."""
    common = ("why", "did", "the", "deploy", "fail")
    result = SearchResult(
        hits=(hit("common", common, tokens=8, position=9), hit("exact", ("pay-7781",), tokens=4_000)),
        visible_count=200,
        term_counts={**dict.fromkeys(common, 120), "pay-7781": 1},
    )
    ranked = rank_hits(result, (*common, "pay-7781"))
    assert [one.hit.item_id for one in ranked] == ["exact", "common"]
    assert ranked[0].relevance == 1.0
    assert ranked[1].relevance < 0.9


def test_the_identifier_still_wins_after_the_linear_score() -> None:
    """Freshness, importance and source together do not lift a row of common words above it."""
    exact = found_record(
        a_record("exact", confidence=0.5, expected_utility=0.1, occurred=replace(a_record().occurred, at_us=0)),
        relevance=1.0,
    )
    common = found_record(
        a_record("common", grade=SourceGrade.OPERATOR, confidence=1.0, expected_utility=1.0), relevance=0.4
    )
    order = score_candidates([common, exact], Scoring(), as_of_us=NOW_US, vocabulary=EMPTY, grounds={})
    assert [one.candidate.item_id for one in order] == ["exact", "common"]


def test_a_term_that_nobody_has_lowers_coverage_and_no_place() -> None:
    """What is asked and nowhere to be found makes every answer a smaller part of it."""
    result = SearchResult((hit("a", ("deploy",)), hit("b", ("deploy",), tokens=200)), 10, {"deploy": 2})
    without, with_unknown = rank_hits(result, ["deploy"]), rank_hits(result, ["deploy", "frobnicator"])
    assert [one.hit.item_id for one in with_unknown] == [one.hit.item_id for one in without] == ["a", "b"]
    assert with_unknown[0].coverage < without[0].coverage <= 1.0
    assert with_unknown[0].relevance == without[0].relevance == 1.0


def test_an_accident_of_how_chinese_is_cut_lowers_coverage_only_where_a_row_has_it() -> None:
    """过敏 may be a word, and then counts like one; what no row has was cut wrongly, unless it is no such pair."""
    has = SearchResult((hit("r1", ("花生",)),), 9, {"花生": 1, "过敏": 2})
    plain = rank_hits(has, ["花生"])[0].coverage
    assert rank_hits(has, ["花生", "敏吗"])[0].coverage == plain
    assert rank_hits(has, ["花生", "过敏"])[0].coverage < plain
    assert rank_hits(has, ["花生", "发票"])[0].coverage < plain


def test_equal_hits_stand_newest_first_then_by_id() -> None:
    """Ties never depend on the order in which the store named them."""
    hits = [hit("b", ("x",), position=3), hit("a", ("x",), position=3), hit("c", ("x",), position=7)]
    for order in (hits, hits[::-1]):
        ranked = rank_hits(SearchResult(tuple(order), 9, {"x": 3}), ["x"])
        assert [one.hit.item_id for one in ranked] == ["c", "a", "b"]


@given(st.lists(st.integers(1, 300), max_size=30), st.integers(0, 35))
def test_a_limit_keeps_the_first_of_the_whole_order(lengths: list[int], limit: int) -> None:
    """Nothing else changes, neither order nor relevance."""
    hits = tuple(hit(f"r{at}", ("x",), tokens=length, position=at % 3) for at, length in enumerate(lengths))
    result = SearchResult(hits, 40, {"x": len(hits)})
    assert rank_hits(result, ["x"], limit=limit) == rank_hits(result, ["x"])[:limit]


@given(st.lists(st.integers(1, 5_000), max_size=10))
def test_other_rows_do_not_change_what_a_row_covers(lengths: list[int]) -> None:
    """Length is held against a constant, never against an average that other rows would move."""
    others = tuple(hit(f"r{at}", ("y",), tokens=length) for at, length in enumerate(lengths))
    alone = SearchResult((hit("mine", ("x",)),), 40, {"x": 1, "y": 10})
    among = SearchResult((*others, hit("mine", ("x",))), 40, {"x": 1, "y": 10})
    mine = [one.coverage for one in rank_hits(among, ["x", "y"]) if one.hit.item_id == "mine"]
    assert mine == [rank_hits(alone, ["x", "y"])[0].coverage]


def test_nothing_found_ranks_as_nothing() -> None:
    """No hits, no division by nought."""
    assert rank_hits(SearchResult((), 0, {}), ["deploy"]) == ()


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 5_000)), min_size=1, max_size=20), st.integers(0, 500))
def test_relevance_and_coverage_lie_between_nought_and_one(rows: list[tuple[int, int]], visible: int) -> None:
    """Whatever the counts say, also when they disagree with the hits."""
    hits = tuple(hit(f"r{at}", (f"t{term}",), tokens=tokens) for at, (term, tokens) in enumerate(rows))
    counts = {f"t{term}": term for term, _ in rows}
    for one in rank_hits(SearchResult(hits, visible, counts), counts):
        assert 0.0 <= one.coverage <= one.relevance + 1e-9
        assert 0.0 <= one.relevance <= 1.0


def test_an_operator_rule_stands_before_a_perfect_hit() -> None:
    """A rule at low confidence goes by its channel; the same claim without authority goes by its score."""
    rule = a_claim("rule", tier=Tier.SYSTEM, confidence=0.1)
    record = found_record(a_record(grade=SourceGrade.OPERATOR, confidence=1.0), relevance=1.0)
    scorers: tuple[Scorer, ...] = ("linear", "tiered")
    for scorer in scorers:
        scoring = Scoring(scorer=scorer)
        candidates: list[Candidate] = [record, found_claim(rule, relevance=0.01)]
        order = score_candidates(candidates, scoring, as_of_us=NOW_US, vocabulary=EMPTY, grounds={})
        assert [one.candidate.item_id for one in order] == ["rule", "r1"]
        plain: list[Candidate] = [record, found_claim(replace(rule, tier=Tier.UNVERIFIED), relevance=0.01)]
        order = score_candidates(plain, scoring, as_of_us=NOW_US, vocabulary=EMPTY, grounds={})
        assert [one.candidate.item_id for one in order] == ["r1", "rule"]


def test_an_unreviewed_rule_has_no_channel() -> None:
    """Whatever tier a proposal claims, before review it is ordered by score like everything else."""
    proposal = found_claim(a_claim("p", tier=Tier.OPERATOR, status=ClaimStatus.PROPOSED), relevance=0.0)
    record = found_record(a_record(), relevance=1.0)
    order = score_candidates([proposal, record], Scoring(), as_of_us=NOW_US, vocabulary=EMPTY, grounds={})
    assert order[0].candidate.item_id == "r1"


def test_the_linear_score_is_the_formula() -> None:
    """a * Rel + b * Rec + g * Imp + d * Src - Penalty, by hand."""
    claim = a_claim(tier=Tier.OPERATOR, confidence=0.8, known_from_us=NOW_US - 30 * DAY_US)
    weights = LinearWeights(relevance=0.4, recency=0.3, importance=0.2, source=0.1)
    vocabulary = a_vocabulary(("release.freeze", "one"))
    expected = 0.4 * 0.5 + 0.3 * 0.5 + 0.2 * 0.6 + 0.1 * (3 / 4 * 0.8)
    candidate = found_claim(claim, relevance=0.5)
    assert linear_score(candidate, weights, NOW_US, vocabulary, False) == pytest.approx(expected)
    assert linear_score(candidate, weights, NOW_US, vocabulary, True) == pytest.approx(expected - 0.2)


def test_the_tiered_score_is_the_formula() -> None:
    """similarity * tier / 4 * confidence * freshness + min(corroborations, 3) * 0.05, by hand."""
    records = {
        RecordId(f"e{at}"): a_record(f"e{at}", f"It failed, {at}.", run_id=RunId(f"run-{at}")) for at in range(6)
    }
    claim = a_claim(tier=Tier.CORROBORATED, confidence=0.8, evidence=tuple(records))
    candidate = found_claim(claim, relevance=0.5)._replace(last_used_us=NOW_US - 3 * DAY_US)
    expected = 0.5 * 2 / 4 * 0.8 * (1 / 4) + 3 * 0.05
    assert tiered_score(candidate, TieredWeights(), NOW_US, records) == pytest.approx(expected)


def test_copies_and_derivations_of_one_origin_corroborate_nothing() -> None:
    """Two records of one run, or one and its summary, are one source; two runs are two."""
    first, same_run = a_record("a"), a_record("b")
    summary = a_record("c", run_id=RunId("run-2"), derived_from=(RecordId("a"),))
    other = a_record("d", "Checkout-7 is down.", run_id=RunId("run-3"))
    grounds = {record.record_id: record for record in (first, same_run, summary, other)}
    assert corroborations(a_claim(evidence=(RecordId("a"), RecordId("b"), RecordId("c"))), grounds) == 0
    assert corroborations(a_claim(evidence=(RecordId("a"), RecordId("d"))), grounds) == 1
    assert corroborations(a_claim(evidence=(RecordId("gone"),)), {}) == 0


def test_a_contradicted_claim_is_marked_and_loses_the_penalty() -> None:
    """Two active values of one single-valued property and scope: both are told; two of a many-valued one are not."""
    candidates = [found_claim(a_claim("a", value="frozen")), found_claim(a_claim("b", value="open"))]
    one = a_vocabulary(("release.freeze", "one"))
    many = a_vocabulary(("release.freeze", "many"))
    told = score_candidates(candidates, Scoring(), as_of_us=NOW_US, vocabulary=one, grounds={})
    untold = score_candidates(candidates, Scoring(), as_of_us=NOW_US, vocabulary=many, grounds={})
    assert [scored.contradicted for scored in told] == [True, True]
    assert [scored.contradicted for scored in untold] == [False, False]
    assert told[0].score == pytest.approx(untold[0].score - 0.2)


@given(st.integers(-(10**6) * DAY_US, 10**6 * DAY_US), st.sampled_from(["linear", "tiered"]))
def test_any_age_gives_a_finite_score(age_us: int, scorer: str) -> None:
    """Things from the future count as of now; ancient ones do not underflow into an error."""
    record = a_record(occurred=replace(a_record().occurred, at_us=NOW_US - age_us))
    scoring = Scoring(scorer=scorer)  # type: ignore[arg-type]
    (one,) = score_candidates([found_record(record)], scoring, as_of_us=NOW_US, vocabulary=EMPTY, grounds={})
    assert math.isfinite(one.score)


def test_a_claim_with_an_open_conflict_loses_the_penalty_though_nothing_else_was_found() -> None:
    """The other side of the question need not be a candidate."""
    candidates = [found_claim(a_claim("a"))]
    (sure,) = score_candidates(candidates, Scoring(), as_of_us=NOW_US, vocabulary=EMPTY, grounds={})
    (disputed,) = score_candidates(
        candidates, Scoring(), as_of_us=NOW_US, vocabulary=EMPTY, grounds={}, disputed={ClaimId("a")}
    )

    assert (sure.contradicted, disputed.contradicted) == (False, True)
    assert sure.score - disputed.score == pytest.approx(LinearWeights().conflict_penalty)
