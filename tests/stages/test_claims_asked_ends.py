"""Sentences that end what was said before, and sentences that only look so."""

from __future__ import annotations

import pytest

from heedful.claims.asked_ends import ABOUT_CHARACTERS_MAX, AskedEnd, asked_end_in


@pytest.mark.parametrize(
    "sentence",
    [
        "Back to the default.",
        "back to default",
        "Please reset to the default",
        "恢复默认",
        "改回默认设置吧",
        "Restore defaults",
    ],
)
def test_back_to_the_default(sentence: str) -> None:
    """In English and Chinese."""
    assert asked_end_in(sentence) == AskedEnd("default")


@pytest.mark.parametrize(
    ("sentence", "about"),
    [
        ("Forget what I said about Vim.", "Vim"),
        ("please forget that I like Vim", "I like Vim"),
        ("Forget what I told you about the meeting", "meeting"),
        ("忘掉我说过的关于Vim的话", "Vim"),
        ("忘了我说的咖啡的事吧", "咖啡"),
    ],
)
def test_forget_what_was_said(sentence: str, about: str) -> None:
    """What is to be forgotten is named."""
    assert asked_end_in(sentence) == AskedEnd("forget", about)


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "I never forget what I said about Vim",
        "Don't forget that I like Vim",
        "Forget it",
        "The report goes back to the default printer",
        "默认语言是中文",
        "别忘了我说的话",
        "Forget that " + "x" * (ABOUT_CHARACTERS_MAX + 1),
    ],
)
def test_other_sentences_end_nothing(sentence: str) -> None:
    """A reminder is the opposite of a retraction."""
    assert asked_end_in(sentence) is None
