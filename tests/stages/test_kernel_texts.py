"""Texts that are the same but for how they are written."""

from __future__ import annotations

import pytest

from heedful.kernel.texts import folded


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße  des\n17. Juni", " STRASSE des 17. juni "),
        ("ＡＢＣ １２", "abc 12"),
        ("cafe\u0301", "CAFÉ"),
        ("\u00a0report\u3000", "Report"),
    ],
)
def test_case_width_marks_and_white_space_make_no_other_text(one: str, other: str) -> None:
    """What people write alike is one text."""
    assert folded(one) == folded(other)


@pytest.mark.parametrize(("one", "other"), [("resume", "résumé"), ("ab", "a b"), ("l", "1")])
def test_other_letters_and_words_stay_another_text(one: str, other: str) -> None:
    """Nothing that is read otherwise becomes one."""
    assert folded(one) != folded(other)


@pytest.mark.parametrize("text", ["\u0345\u0301", "\u1fb7", "ẞ", "\u03b9\u0308\u0301"])
def test_folding_again_changes_nothing(text: str) -> None:
    """Also where folding leaves what could be composed."""
    assert folded(folded(text)) == folded(text)
