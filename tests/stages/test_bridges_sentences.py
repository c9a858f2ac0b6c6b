"""Sentences: where they end, whom they are about, and what is prose at all."""

from __future__ import annotations

import pytest

from heedful.bridges.sentences import denies_an_end, is_prose, own_words, relation_in, sentences_of


def test_sentences_end_where_people_end_them() -> None:
    """Full stops before spaces, line ends, Chinese ones; not within numbers or after abbreviations."""
    assert sentences_of("Dr. Lee said v1.2 is out. Use it!\nNow") == ("Dr. Lee said v1.2 is out.", "Use it!", "Now")
    assert sentences_of("今天很好。我们走吧！") == ("今天很好。", "我们走吧！")
    assert sentences_of(" \n ") == ()


def test_the_first_relation_that_is_named_is_the_one() -> None:
    """Longer words hold the shorter ones."""
    assert relation_in("My mother-in-law and my dog are here") == "in-law"
    assert relation_in("the dog of my neighbour") is None


@pytest.mark.parametrize(
    "text",
    [
        "src/payments/totals.py:14:    return round(total, 2)",
        "12\tfrom decimal import Decimal",
        '{"level": "info", "msg": "the freeze ends on Friday"}',
        "[\n  1,\n  2\n]",
        "return round(sum(line.amount * (1 + line.rate) for line in lines), 2)",
    ],
)
def test_lines_of_files_objects_and_code_are_no_prose(text: str) -> None:
    """Whatever words they have."""
    assert not is_prose(text)


@pytest.mark.parametrize(
    "text",
    [
        "09:30: dentist with Mia",
        "[reminder] the lease ends in May",
        "He said (twice): no nuts",
        "slot A limit: 262144 bytes; text=255040 data=3104, units in the field can't be reached",
        "财务：11月27日到12月7日（含）封网，支付线不动。",
        "",
    ],
)
def test_what_people_and_plain_reports_say_is(text: str) -> None:
    """The control: colons, brackets and numbers are ordinary."""
    assert is_prose(text)


def test_many_empty_lines_cost_no_more_than_they_are() -> None:
    """The expression looks at each line once."""
    assert is_prose("\n" * 200_000 + "the end")


@pytest.mark.parametrize(
    "text",
    [
        "The deploy freeze is not lifted.",
        "Nobody took me off warfarin.",
        "My doctor refused to take me off warfarin.",
        "She hasn't outgrown the hazelnut allergy.",
        "The freeze isn\u2019t over yet.",
        "My doctor will take me off warfarin in March.",
        "The deploy freeze will be lifted when the audit ends.",
        "封网还没解除。",
        "华法林下个月将停用。",
    ],
)
def test_what_is_denied_to_be_over_or_is_so_later_is_no_end(text: str) -> None:
    """The controls stand in the next test."""
    assert denies_an_end(text)


@pytest.mark.parametrize(
    "text",
    [
        "The deploy freeze is lifted.",
        "My doctor took me off warfarin.",
        "She is not allergic to hazelnuts any more.",
        "I don't take it any longer, the doctor stopped it.",
        "We will not need the pen, she has outgrown it.",
        "封网解除了。",
        "华法林停了，不用再吃。",
    ],
)
def test_what_is_over_denies_no_end_whatever_else_it_denies(text: str) -> None:
    """Endings deny things too."""
    assert not denies_an_end(text)


def test_what_is_quoted_are_no_words_of_ones_own() -> None:
    """Fenced, open-ended too, and line by line. The control: what stands around it, and a sign within a line."""
    assert own_words("Look:\n```\nI am off warfarin.\n```\nWeird.").split() == ["Look:", "Weird."]
    assert own_words("Look:\n```\nI am off warfarin.").split() == ["Look:"]
    assert own_words("Kim writes:\n> I am off warfarin.\n  > At last.\nGood.").split() == ["Kim", "writes:", "Good."]
    assert own_words("5 > 4, I'm off warfarin.") == "5 > 4, I'm off warfarin."
