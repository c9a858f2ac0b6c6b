"""A sentence that says one thing of its speaker has a property and a value; any other has none."""

from __future__ import annotations

import pytest

from heedful.claims.said import OBJECT_CHARACTERS_MAX, denied_in, said_in


@pytest.mark.parametrize(
    ("sentence", "property_name", "value"),
    [
        ("I like Vim", "attitude: vim", "likes"),
        ("I really love Chinese food!", "attitude: chinese food", "likes"),
        ("I don't like the cold.", "attitude: cold", "dislikes"),
        ("I can't stand horror films", "attitude: horror films", "dislikes"),
        ("I no longer like Vim", "attitude: vim", "no longer likes"),
        ("I don’t like Vim anymore", "attitude: vim", "no longer likes"),
        ("我喜欢 Vim", "attitude: vim", "likes"),
        ("我不再喜欢Vim", "attitude: vim", "no longer likes"),
        ("我不喜欢Vim了", "attitude: vim", "no longer likes"),
        ("我讨厌咖啡。", "attitude: 咖啡", "dislikes"),
        ("My current favourite player is Messi", "favourite: player", "Messi"),
        ("Actually my favorite player is now Messi", "favourite: player", "Messi"),
        ("我最喜欢的球员是梅西", "favourite: 球员", "梅西"),
        ("I live in Turin", "home", "Turin"),
        ("我已经不住在上海了", "home", "no longer 上海"),
    ],
)
def test_a_sentence_that_says_one_thing_of_its_speaker(sentence: str, property_name: str, value: str) -> None:
    """In English and Chinese; what is said again otherwise has the same property."""
    said = said_in(sentence)
    assert said is not None
    assert (said.property, said.value) == (property_name, value)


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "I like it",
        "I love you all",
        "I like it better",
        "I like tea more than coffee",
        "I live in fear",
        "I live in Lyon part time",
        "My favourite colour is not blue",
        "我喜欢他说的话",
        "I like to swim",
        "I like Vim but hate Emacs",
        "I like tea when it rains",
        "I used to like Vim",
        "I would like a coffee",
        "I don't hate Vim",
        "Do I like Vim?",
        "Ana likes Vim",
        "I never used tabs and use spaces",
        "I do not use Slack and Teams",
        "我爱你",
        "他喜欢Vim",
        "I like " + "x" * (OBJECT_CHARACTERS_MAX + 1),
    ],
)
def test_what_says_more_or_less_says_nothing(sentence: str) -> None:
    """No half of a sentence is taken for the whole, and no denial is dropped."""
    assert said_in(sentence) is None


def test_a_denial_names_what_it_denies() -> None:
    """And a value that merely begins like one is none."""
    assert [denied_in(value) for value in ("no longer likes", "likes", True, 3)] == ["likes", None, None, None]
