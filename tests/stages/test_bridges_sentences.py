"""Sentences: where they end, whom they are about, and what is prose at all."""

from __future__ import annotations

import pytest

from heedful.bridges.sentences import is_prose, relation_in, sentences_of


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
