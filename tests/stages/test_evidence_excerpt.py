"""Excerpts are exact, short, around what was asked for, and never split what a reader sees as one character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.evidence.excerpt import EXCERPT_CHARACTERS_MAX, excerpt
from heedful.evidence.graphemes import cut_back, cut_on, may_cut
from heedful.observations.text import query_terms

CLUSTERS = [
    "a",
    "é",
    "n\u0303",
    "中",
    "が",
    "か\u3099",
    "각",
    "\u1100\u1161\u11a8",
    "가\u11a8",
    "👍",
    "👍🏽",
    "👩\u200d👩\u200d👧",
    "❤\ufe0f",
    "🇩🇪",
    "🏴\U000e0067\U000e0062\U000e007f",
    "क\u094dष\u093f",
    "กำ",
    "ﾊﾞ",
    "\r\n",
    " ",
    "。",
    "x\u0301\u0302\u0303",
    "\u0600١",
    "\u202e",
]
WORDS = st.text(st.characters(codec="utf-8"), max_size=80)


def test_a_short_text_is_given_whole() -> None:
    """Nothing is cut where everything fits."""
    found = excerpt("Freeze until Friday.", ["freeze"])
    assert (found.text, found.cut_before, found.cut_after) == ("Freeze until Friday.", False, False)


def test_the_sentence_with_the_terms_is_what_is_shown() -> None:
    """Whole sentences around the match, and marks that there is more on both sides."""
    source = "Nothing of note here. " * 80 + "The deploy of checkout-7 failed at noon. " + "All quiet again. " * 80
    found = excerpt(source, ["checkout", "failed"])
    assert "The deploy of checkout-7 failed at noon." in found.text
    assert found.text.startswith("Nothing of note here.")
    assert found.text.endswith("All quiet again.")
    assert found.cut_before
    assert found.cut_after
    assert len(found.text) <= EXCERPT_CHARACTERS_MAX


def test_an_inflection_is_found_by_its_stem() -> None:
    """Terms are stems; a longer word that only begins like it (the control) is not taken for it."""
    text = "Polite words. " * 100 + "All policies were renewed. " + "Polite words. " * 100
    (stem,) = query_terms("policy")

    assert "policies" in excerpt(text, [stem]).text
    assert excerpt(text.replace("policies", "policemen"), [stem]).start_character == 0


def test_lines_and_chinese_sentences_are_cut_at_their_ends() -> None:
    """A log is cut at line breaks, Chinese text at its full stops."""
    log = "\n".join(f"line {at} of the log with some words" for at in range(200))
    shown = excerpt(log, ["113"]).text
    assert shown.startswith("line ")
    assert shown.endswith("words")
    assert "line 113 of" in shown
    chinese = "今天没有发生什么特别的事情。" * 80 + "支付服务的部署在中午失败了。" + "之后一切正常。" * 80
    shown = excerpt(chinese, ["支付", "部署"]).text
    assert "支付服务的部署在中午失败了。" in shown
    assert shown.endswith("。")


def test_the_place_with_most_different_terms_wins_over_repetition() -> None:
    """One term many times is less than several terms once."""
    source = (
        "deploy " * 60 + "filler words. " * 100 + "The deploy broke checkout and payments. " + "more filler. " * 100
    )
    assert "broke checkout and payments" in excerpt(source, ["deploy", "checkout", "payments"]).text


def test_a_word_inside_another_word_is_no_match() -> None:
    """`go` is not in `google`; where the word itself stands is shown."""
    source = "google goose good " * 60 + "then we go at last. " + "later on. " * 60
    assert "then we go at last" in excerpt(source, ["go"]).text


def test_width_and_composition_do_not_hide_a_match() -> None:
    """Search words are folded; full-width text is found all the same, and shown as it stands."""
    source = "。" + "何もありません。" * 100 + "ＣＨＥＣＫＯＵＴは停止中です。" + "何もありません。" * 100
    assert "ＣＨＥＣＫＯＵＴは停止中です" in excerpt(source, ["checkout"]).text


def test_without_a_match_the_beginning_is_shown() -> None:
    """Also where no term is asked for."""
    source = "First sentence. " + "Words and words. " * 100
    assert excerpt(source, ["absent"]).text.startswith("First sentence.")
    assert excerpt(source, []).text.startswith("First sentence.")


@given(st.lists(st.sampled_from(CLUSTERS), min_size=5, max_size=120), st.integers(1, 40), st.data())
def test_no_cluster_is_ever_split(clusters: list[str], limit: int, data: st.DataObject) -> None:
    """Both ends of an excerpt lie at borders of the clusters that the text was made of."""
    # Spaces keep neighbours from joining into one cluster, which would be right and would blur the test.
    source = " ".join(clusters)
    term = data.draw(st.sampled_from(clusters))
    borders = {0}
    for cluster in clusters:
        borders |= {max(borders) + len(cluster), max(borders) + len(cluster) + 1}
    found = excerpt(source, [term], characters_max=limit)
    assert found.start_character in borders
    assert found.end_character in borders or not found.text


@pytest.mark.parametrize("cluster", [cluster for cluster in CLUSTERS if len(cluster) > 1])
def test_a_cluster_of_several_code_points_has_no_place_to_cut(cluster: str) -> None:
    """The control: cutting by code point would split each of these."""
    assert not any(may_cut(f"a{cluster}b", 1 + at) for at in range(1, len(cluster)))


def test_between_flags_and_between_syllables_a_cut_is_allowed() -> None:
    """The rule refuses inside, not everywhere."""
    flags = "🇩🇪🇫🇷"
    assert [may_cut(flags, at) for at in range(1, 4)] == [False, True, False]
    assert may_cut("각가", 1)
    assert may_cut("", 0)
    assert may_cut("ab", 2)
    assert not may_cut("\r\n", 1)
    assert (cut_back("xe\u0301b", 2, 0), cut_on("xe\u0301b", 2)) == (1, 3)
    assert may_cut("中文", 1)
    assert not may_cut("\ud83d\ude00", 1)


@given(WORDS, st.lists(st.text(max_size=6), max_size=5), st.integers(1, 30))
def test_an_excerpt_is_an_exact_piece_within_its_limit(source: str, terms: list[str], limit: int) -> None:
    """Any text, any terms: a substring at the place that it names, no longer than asked, marks that tell the truth."""
    found = excerpt(source, terms, characters_max=limit)
    assert found.text == source[found.start_character : found.end_character]
    assert len(found.text) <= limit
    assert found.cut_before == bool(source[: found.start_character].strip())
    assert found.cut_after == bool(source[found.end_character :].strip())


def test_a_cluster_longer_than_the_limit_leaves_nothing_rather_than_half() -> None:
    """A letter under a thousand accents is not cut."""
    found = excerpt("a" + "\u0301" * 2_000, ["a"])
    assert found.text == ""
    assert found.cut_after


def test_a_letter_that_lowers_to_two_does_not_shift_the_excerpt() -> None:
    """İ is longer in lower case; the match is still shown where it stands."""
    source = "İ " * 400 + "here the deploy failed. " + "later. " * 100
    assert "here the deploy failed." in excerpt(source, ["deploy"]).text
