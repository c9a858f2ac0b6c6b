"""A sentence that puts right what was said just before names the other value, and whatever reads in two ways none."""

from __future__ import annotations

import pytest

from heedful.claims.corrected import correction_in, is_filler, is_noted, put_right

PARIS = ("I live in Paris", "Paris")


def righted(sentence: str, statement: str = PARIS[0], value: object = PARIS[1], *, is_asked: bool = False) -> object:
    """The value after the correction; None: nothing is put right."""
    correction = correction_in(sentence)
    right = None if correction is None else put_right(statement, value, correction, is_asked=is_asked)
    return None if right is None else right[1]


@pytest.mark.parametrize(
    "sentence",
    [
        "Actually it's Lyon",
        "No, Lyon.",
        "No. Lyon!",
        "Oh wait, it's Lyon",
        "Sorry, I meant Lyon.",
        "Scratch that, Lyon",
        "Scratch that, it's Lyon.",
        "It's Lyon, not Paris",
        "Not Paris, Lyon",
        "Correction: Lyon",
    ],
)
def test_a_correction_puts_the_other_value_in_its_place(sentence: str) -> None:
    """In the statement too, so that it is found by what it is of."""
    correction = correction_in(sentence)
    assert correction is not None
    assert put_right(*PARIS, correction, is_asked=False) == ("I live in Lyon", "Lyon")


@pytest.mark.parametrize(
    "sentence",
    ["其实是里昂", "不对，是里昂。", "不是巴黎，是里昂", "说错了，是里昂", "更正：里昂", "我是说里昂", "应该是里昂"],
)
def test_a_correction_in_chinese(sentence: str) -> None:
    """The same."""
    assert righted(sentence, "我住在巴黎", "巴黎") == "里昂"


@pytest.mark.parametrize(
    "sentence",
    [
        "其实是这样的",
        "其实是周一",
        "应该是明天",
        "应该是对",
        "其实是开玩笑",
        "其实是因为我忙",
        "不，谢谢",
        "其实是很好的",
        "其实是8",
    ],
)
def test_what_may_be_something_else_in_chinese_puts_nothing_right(sentence: str) -> None:
    """The same."""
    assert righted(sentence, "我住在巴黎", "巴黎") is None


@pytest.mark.parametrize(
    "sentence",
    [
        "Lyon",
        "No, thanks",
        "No, Thanks",
        "No problem",
        "Actually it's fine",
        "Actually it's raining and cold",
        "Actually it's not Lyon",
        "Actually I think so",
        "It's Lyon, not Nice",
        "I mean it",
        "Actually it's Paris",
        "Correction: 8",
        "Actually Docker failed",
        "Actually, Vim is great",
        "Actually it's Monday",
        "Actually, it's Friday today",
        "Actually it's 6 March",
        "Sorry, Bob",
        "Oh, Christmas!",
        "Wait, Python",
        "I mean, wow",
    ],
)
def test_what_may_be_something_else_puts_nothing_right(sentence: str) -> None:
    """How something is, thanks, a denial of another value, a value of another sort."""
    assert righted(sentence) is None


def test_a_word_in_small_letters_counts_where_it_is_sure_or_asked_for() -> None:
    """It may be how something is."""
    tea = ("My favourite drink is tea", "tea")
    assert righted("Actually it's coffee", *tea) is None
    assert righted("Actually it's coffee", *tea, is_asked=True) == "coffee"
    assert righted("I meant coffee", *tea) == "coffee"


def test_a_day_is_put_right_by_a_day_and_a_version_by_a_version() -> None:
    """The other value is written as the first, or is another day of a calendar; "today" is another day tomorrow."""
    birthday = ("My birthday is 5 March", "5 March")
    assert righted("Actually it's 6 March", *birthday) == "6 March"
    assert righted("No, March 6", *birthday) == "March 6"
    assert [righted(each, *birthday) for each in ("No, 7", "Actually it's Monday", "Actually it's today")] == [None] * 3
    assert righted("No, 3.12.1", "We use Python 3.11.4", "3.11.4") == "3.12.1"
    assert righted("No, 7", "The call is at 10:30", "10:30") is None
    assert righted("Actually it's Tuesday", "The meeting is on Monday", "Monday") == "Tuesday"
    assert righted("No, New York", "My favourite city is rome", "rome") == "New York"
    assert righted("Actually Docker failed", "My favourite drink is tea", "tea") is None


def test_a_number_is_put_right_by_a_number_alone() -> None:
    """A value that stands twice or not at all in its statement is not one that words can replace."""
    assert righted("No, 9", "The limit is 8", 8) == 9
    assert righted("No, 9.5", "The limit is 8", 8) == 9.5
    assert righted("No, Lyon", "The limit is 8", 8) is None
    assert righted("No, 9", "The limit is 8 of 8", 8) is None
    assert righted("No, 9", "It holds", True) is None
    assert righted("No, Lyon", "I no longer live in Paris", "no longer Paris") is None


def test_fillers_and_acknowledgements_tell_nothing() -> None:
    """And what tells something is none of them."""
    assert [is_filler(each) for each in ("Oh, wait.", "不对", "Lyon")] == [True, True, False]
    assert [is_noted(each) for each in ("Got it, thanks!", "好的，明白了。", "Noted. It rains.")] == [True, True, False]
