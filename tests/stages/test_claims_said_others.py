"""A sentence that tells one thing of one other person has a subject, a property and a value; any other has none."""

from __future__ import annotations

import pytest

from heedful.claims.said_others import may_be, moved_in, said_of_other


@pytest.mark.parametrize(
    ("sentence", "whom", "property_name", "value"),
    [
        ("My sister Mia lives in Lyon.", "sister/mia", "home", "Lyon"),
        ("My sister, Mia, lives in Lyon", "sister/mia", "home", "Lyon"),
        ("Actually my older sister lives in Lyon now", "older-sister", "home", "Lyon"),
        ("My sister moved to Berlin", "sister", "home", "Berlin"),
        ("My brother doesn't live in Nice anymore", "brother", "home", "no longer Nice"),
        ("My friend Tom likes Vim", "friend/tom", "attitude: vim", "likes"),
        ("Bob no longer likes Vim", "bob", "attitude: vim", "no longer likes"),
        ("Bob Smith hates coffee", "bob-smith", "attitude: coffee", "dislikes"),
        ("My mum's favourite colour is blue", "mother", "favourite: colour", "blue"),
        ("Bob's birthday is on 5 March", "bob", "birthday", "5 March"),
        ("我妹妹住在里昂", "younger-sister", "home", "里昂"),
        ("我的姐姐小美现在住在里昂", "older-sister/小美", "home", "里昂"),
        ("我姐姐搬到巴黎了", "older-sister", "home", "巴黎"),
        ("我妈妈不喜欢咖啡了", "mother", "attitude: 咖啡", "no longer likes"),
        ("小明的生日是3月5日", "小明", "birthday", "3月5日"),
    ],
)
def test_a_sentence_that_says_one_thing_of_somebody_else(
    sentence: str, whom: str, property_name: str, value: str
) -> None:
    """In English and Chinese; a younger sister and an older one are two."""
    found = said_of_other(sentence, "ana")
    assert found is not None
    assert (found.whom, found.said.property, found.said.value) == (whom, property_name, value)


@pytest.mark.parametrize(
    "sentence",
    [
        "I live in Lyon",
        "Ana likes Vim",
        "He likes Vim",
        "Nobody likes Vim",
        "The team likes Vim",
        "My friend lives in Lyon",
        "My mum lives in a van",
        "My sister used to live in Lyon",
        "My sister lives in Lyon and likes it",
        "My sister likes to swim",
        "Bob's birthday is tomorrow",
        "Today's birthday is 5 March",
        "Everything lives in Git",
        "Maybe Tom lives in Lyon",
        "Tom lives in Lyon maybe",
        "Tom lives in Lyon with Ana",
        "Standup moved to Tuesday",
        "My dad's favourite colour is not blue",
        "我妹妹可能住在里昂",
        "我妹妹以前住在里昂",
        "我朋友住在里昂",
        "他住在里昂",
    ],
)
def test_what_is_of_nobody_for_sure_says_nothing(sentence: str) -> None:
    """The speaker by name, a pronoun, a group, one of many friends; and what says more, or of another time."""
    assert said_of_other(sentence, "ana") is None


def test_who_moved_is_told_by_a_pronoun_that_fits() -> None:
    """Of a mere name nobody knows."""
    assert [str(moved_in(each)) for each in ("She moved to Paris", "他现在住在尼斯")] == [
        "Moved(pronoun='she', place='Paris')",
        "Moved(pronoun='he', place='尼斯')",
    ]
    assert [moved_in(each) for each in ("They moved to a flat", "She moved to Paris and Nice", "She moved")] == [
        None
    ] * 3
    assert [may_be(whom, "she") for whom in ("sister/mia", "younger-sister", "bob", "brother", "parents")] == [
        True, True, True, False, False,
    ]  # fmt: skip
