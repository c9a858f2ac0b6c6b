"""Support: whether records say what a claim says."""

from __future__ import annotations

import pytest

from heedful.claims.support import unsupported
from heedful.ledger.events import JsonScalar
from heedful.testing.builders import build_claim


def judged(statement: str, value: JsonScalar, *texts: str, given: bool = False) -> str | None:
    """Why these texts do not support a claim that says this."""
    claim = build_claim(1, statement=statement, value=value, subject="user:ana", property="diet")
    return unsupported(claim, texts, value_is_given=given)


@pytest.mark.parametrize(
    ("statement", "value", "text"),
    [
        ("Ana is vegan", "vegan", "I am vegan, by the way."),
        ("The table has 7 rows", 7, "rows: 7"),
        ("The table has 7.0 rows", 7.0, "count of rows in the table 7"),
        ("The budget is 1,000 euro", 1000, "Budget: 1000 euro"),
        ("报告默认中文", "中文", "以后报告默认用中文吧"),
        ("会议在周五", True, "我们的会议改到周五了"),
        ("Deploys wait for the audit", True, "No deploy before the audit ends: they wait"),
        ("يعيش في القاهرة", "القاهرة", "هو يعيش في القاهرة الآن"),
    ],
)
def test_what_the_records_say_is_supported(statement: str, value: JsonScalar, text: str) -> None:
    """In other words and forms, in any language."""
    assert judged(statement, value, text) is None


@pytest.mark.parametrize(
    ("statement", "value", "text", "reason"),
    [
        ("Ana is vegan", "vegan", "The deploy went out at noon.", "its value is not in its evidence"),
        ("The table has 7 rows", 7, "rows: 9", "its value is not in its evidence"),
        ("The table has 7 rows", True, "the table has 9 rows", "a number of its statement is not in its evidence"),
        ("报告默认中文", "中文", "部署在中午完成", "its value is not in its evidence"),
        ("Ana sings in the choir", True, "", "0 of 2 telling words of its statement are in its evidence"),
        ("会议在周五", True, "部署完成了", "0 of 4 telling words of its statement are in its evidence"),
    ],
)
def test_what_no_record_says_is_found(statement: str, value: JsonScalar, text: str, reason: str) -> None:
    """With what is missing."""
    assert judged(statement, value, text) == reason


def test_a_value_that_a_person_gave_is_theirs() -> None:
    """`--value zh` with "Reports in Chinese": the words are looked for, the value is not. The control: from others it is."""
    assert judged("Reports in Chinese", "zh", "Reports in Chinese", given=True) is None
    assert judged("Reports in Chinese", "zh", "Reports in Chinese") == "its value is not in its evidence"
    assert judged("Reports in Chinese", "zh", "Lunch is at noon", given=True) is not None
