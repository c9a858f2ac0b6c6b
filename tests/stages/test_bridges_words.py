"""Phrases: forms of a word meet, gaps are bounded, and scripts without spaces are found within."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.bridges.words import GAP_CHARACTERS_MAX, GAP_WORDS_MAX, find_phrases, phrase, phrasebook, stem, wording


def found(text: str, *phrases: str) -> set[str]:
    """The phrases that the text has."""
    book = phrasebook((written, written) for written in phrases)
    return {one.written for one in find_phrases(wording(text), book)}


@pytest.mark.parametrize(
    "forms",
    [
        ("deploy", "deploys", "deployed", "deploying"),
        ("migrate", "migrates", "migrated", "migrating"),
        ("drop", "drops", "dropped", "dropping"),
        ("push", "pushes", "pushed", "pushing"),
        ("copy", "copies", "copied", "copying"),
        ("roll", "rolls", "rolled", "rolling"),
        ("release", "releases", "released", "releasing"),
        ("credential", "credentials"),
    ],
)
def test_the_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    """Plural, -ing and -ed are found by the plain word."""
    assert len({stem(form) for form in forms}) == 1


def test_words_that_differ_keep_their_stems() -> None:
    """The control: stems do not make everything meet."""
    assert len({stem(word) for word in ("deploy", "delete", "drop", "rotate", "status", "pass", "bus", "is")}) == 8


def test_english_is_found_by_whole_words_in_any_case() -> None:
    """`ship` is in `We SHIPPED it`, not in `leadership`."""
    assert found("We SHIPPED it", "ship")
    assert not found("good leadership", "ship")


def test_chinese_is_found_within_a_sentence() -> None:
    """No spaces are needed, and Latin words between Chinese ones are still words."""
    assert found("请帮我部署staging环境", "部署", "staging") == {"部署", "staging"}
    assert not found("请帮我安排会议", "部署")


def test_width_and_case_make_no_difference() -> None:
    """Full-width letters are letters."""
    assert found("ＤＥＰＬＯＹ it", "deploy")


def test_a_gap_is_bounded() -> None:
    """`...` stands for a few words, or characters; not for a paragraph."""
    assert found("deploy " + "very " * GAP_WORDS_MAX + "big production", "deploy ... production") == set()
    assert found("deploy " + "very " * GAP_WORDS_MAX + "production", "deploy ... production")
    assert found("部署" + "很" * GAP_CHARACTERS_MAX + "生产", "部署...生产")
    assert not found("部署" + "很" * (GAP_CHARACTERS_MAX + 1) + "生产", "部署...生产")


def test_a_gap_may_be_empty_and_order_counts() -> None:
    """`deploy ... production` is in `deploy production`, not in `production deploy`."""
    assert found("deploy production", "deploy ... production")
    assert not found("production deploy", "deploy ... production")


def test_a_phrase_without_a_word_is_none() -> None:
    """Punctuation alone can never be found."""
    assert phrase("x", "?!") is None
    assert phrase("x", "...") is None


@given(st.text(max_size=80))
def test_a_text_has_itself(text: str) -> None:
    """Any phrase that can be found at all is found in the text that it is."""
    if phrase("x", text) is not None:
        assert found(text, text) == {text}


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_and_phrase_are_ordinary_input(text: str, written: str) -> None:
    """Nothing in either is syntax that could fail."""
    assert found(text, written) <= {written}
