"""The simpler memories hand out what they are known for, so that the comparison is fair."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from heedful.adapters.models.ngrams import NgramEmbedder
from heedful.evaluation.arms import VISIBLE_LINES_MAX, TextMemory
from heedful.evaluation.caching import CachingEmbedder
from heedful.evaluation.plan import arms_named, inject_of, review_named
from heedful.kernel.errors import InvalidInputError, UnsupportedError
from heedful.ports.embedder import Purpose

TEXTS = ("The red bicycle is in the shed.", "我对花生过敏。", "Lunch is at noon.", "The shed has a red door.")


class CountingEmbedder(NgramEmbedder):
    """N-grams, and a count of the texts that were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> tuple[bytes, ...]:
        self.asked += texts
        return super().embed(texts, purpose=purpose)


def served(arm: str, question: str, *, places_max: int = 2) -> tuple[int, ...]:
    """What the arm hands out of TEXTS, whose memory is the Chinese one."""
    return TextMemory(TEXTS, NgramEmbedder()).serve(arm, question, target=1, places_max=places_max)


def test_words_find_what_shares_words_and_nothing_else() -> None:
    """The rarer words count more; Chinese is found by its characters."""
    assert served("bm25", "Where is the red bicycle?") == (0, 3)
    assert served("bm25", "花生酱好吃吗?") == (1,)
    assert served("bm25", "Anything new?") == ()
    assert served("bm25", "red shed", places_max=1) in ((0,), (3,))


def test_vectors_always_hand_out_as_many_as_were_asked_for() -> None:
    """Near or not: that is what such a memory does."""
    assert served("vectors-1", "red bicycle shed") == (0,)
    assert len(served("vectors-3", "Anything new?")) == 3


def test_the_oracle_knows_and_nothing_knows_nothing() -> None:
    """The two ends of the scale."""
    assert served("oracle", "Lunch?") == (1,)
    assert served("none", "Lunch?") == ()


def test_always_visible_keeps_the_newest_within_its_limits() -> None:
    """200 lines, and 25,000 bytes; a text of several lines takes several."""
    assert served("always-visible", "Lunch?") == (3, 2, 1, 0)
    lines = TextMemory(["a\nb"] * 150, None).serve("always-visible", "", target=0, places_max=1)
    assert len(lines) == VISIBLE_LINES_MAX // 2
    assert lines[0] == 149
    wide = TextMemory(["x" * 9_999] * 5, None).serve("always-visible", "", target=0, places_max=1)
    assert wide == (4, 3)


def test_vectors_without_a_model_are_an_error() -> None:
    """And never an arm that finds nothing."""
    with pytest.raises(UnsupportedError, match="no model"):
        TextMemory(TEXTS, None).serve("vectors-5", "Lunch?", target=1, places_max=5)


def test_a_text_is_embedded_once_in_a_run_until_it_is_to_be_new() -> None:
    """As a question it is another text; the bytes are those of the model behind."""
    behind = CountingEmbedder()
    cached = CachingEmbedder(behind)

    first = cached.embed(["a", "b", "a"], purpose="passage")
    again = cached.embed(["b"], purpose="passage")

    assert behind.asked == ["a", "b"]
    assert first[1:2] == again == NgramEmbedder().embed(["b"], purpose="passage")
    cached.embed(["a"], purpose="query")
    cached.forget("a", "query")
    cached.embed(["a"], purpose="query")
    assert behind.asked == ["a", "b", "a", "a"]
    assert (cached.model, cached.dimensions, cached.is_immediate) == (behind.model, 384, True)


def test_arms_are_named_one_by_one_or_all_at_once() -> None:
    """In one order, each once; vectors with each number of places."""
    assert arms_named(["bridge-first", "bm25", "bm25"], (5, 10)) == ("bm25", "bridge-first")
    assert arms_named(["vectors", "vectors-3"], (10, 5)) == ("vectors-3", "vectors-5", "vectors-10")
    assert arms_named(["all"], (5,)) == (
        "none",
        "bm25",
        "vectors-5",
        "always-visible",
        "oracle",
        "hybrid",
        "bridge-first",
    )


@pytest.mark.parametrize("name", ["", "vector", "vectors-0", "vectors-x", "BM25", "vectors-1001"])
def test_an_unknown_arm_is_refused(name: str) -> None:
    """With those that there are."""
    with pytest.raises(InvalidInputError) as raised:
        arms_named([name], (5,))

    assert raised.value.code == "arm_unknown"


@pytest.mark.parametrize("places", [0, -1, 1_001])
def test_places_have_limits(places: int) -> None:
    """At least one, and at most a thousand."""
    with pytest.raises(InvalidInputError, match="--k is"):
        arms_named(["bm25"], (places,))


def test_a_round_is_one_of_the_rounds() -> None:
    """9/47 is the ninth of 47."""
    assert inject_of("9/47") == (9, 47)
    for text in ("", "9", "0/47", "48/47", "9/1001", "9/47/1", "-1/2", "٣/4"):
        with pytest.raises(InvalidInputError, match="--inject"):
            inject_of(text)


def test_a_profile_is_one_of_two() -> None:
    """And nothing else."""
    assert review_named("approved") == "approved"
    with pytest.raises(InvalidInputError, match="review is 'none'"):
        review_named("none")
