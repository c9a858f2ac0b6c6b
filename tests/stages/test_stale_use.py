"""Which sentences state an old value as what holds."""

from __future__ import annotations

import pytest

from heedful.evidence.cite import sentences_of
from heedful.evidence.stale_use import folded_text, is_told_as_now, states


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("You live in Shanghai.", "shanghai", True),
        ("You live in Shanghaied.", "Shanghai", False),
        ("你住在上海。", "上海", True),
        ("It takes 40 minutes.", "40", True),
        ("It takes 140 minutes [40].", "40", False),
        ("It takes 40.5 minutes.", "40", False),
        ("Ｓｈａｎｇｈａｉ it is", "Shanghai", True),
        ("It is true.", "true", False),
        ("a b", "a", False),
    ],
)
def test_a_value_is_found_by_its_own_words(text: str, value: str, *, expected: bool) -> None:
    """Whole words and numbers, whatever their case and width; citations are none of the text."""
    assert states(folded_text(text), value) is expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("You live in Shanghai.", True),
        ("You used to live in Shanghai.", False),
        ("You moved from Shanghai to Berlin.", False),
        ("You don't live in Shanghai.", False),
        ("That may be out of date.", False),
        ("你住在上海。", True),
        ("你以前住在上海。", False),
        ("你不再住在上海。", False),
    ],
)
def test_a_sentence_of_the_past_or_in_doubt_states_nothing_as_current(sentence: str, *, expected: bool) -> None:
    """In English and Chinese."""
    assert is_told_as_now(folded_text(sentence)) is expected


def test_what_stands_in_code_is_no_sentence() -> None:
    """As for citations."""
    assert "".join(sentences_of("Fine. `Shanghai`")).strip() == "Fine."
