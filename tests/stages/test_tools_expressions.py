"""Which regular expressions a registry may have: those that no text makes slow."""

from __future__ import annotations

import re
import time

import pytest
from registry_builders import SMALL, delivery

from heedful.bridges.check import check_registry
from heedful.policy.expressions import EXPRESSION_CHARACTERS_MAX, slow_expression
from heedful.policy.tools import SEARCHED_CHARACTERS_MAX

SLOW = [
    "(a+)+",
    "^(a+)+$",
    "(a|a)*",
    "(.*)*",
    "((a)+)+",
    "(?P<x>a*)+",
    "(?:a?){30}",
    "(ab?)+",
    "(a{1,60000}){1,60000}",
    "a{70000}",
    "a*a*a*b",
    "(a+)(a+)b",
    "a+(b?)a+",
    r"a+\ba+",
    r"\s+\s*x",
    r"[a-z]+\w*",
    ".*x.*",
    r"[^x]+x\S*",
    "a" * (EXPRESSION_CHARACTERS_MAX + 1),
]

QUICK = [
    "(?i)prod",
    "a+",
    "(ab)+",
    "(a+b)?c+",
    "[(a+)+]*",
    r"\(a+\)+",
    "x{2}",
    "(^|/)a(b)?c",
    "grant.*to",
    "(a|b)c+",
    r"update\s+\S+\s+set",
    "部署.*生产",
    *sorted({expression for pattern in delivery().policy.tools for _, expression in pattern.arguments}),
]


@pytest.mark.parametrize("expression", SLOW)
def test_an_expression_that_could_explode_is_refused_with_a_reason(expression: str) -> None:
    """Repeats of repeats and of choices, repeats that touch, huge numbers."""
    assert slow_expression(expression)


@pytest.mark.parametrize("expression", QUICK)
def test_what_is_let_through_is_quick_on_hostile_texts(expression: str) -> None:
    """Measured, over texts made of the expression's own letters and of what it skips; all of the pack is among it."""
    assert slow_expression(expression) is None
    letters = "".join(character for character in expression if character.isalnum()) or "a"
    for filling in (letters, letters[:3], "a", "aa/", " ", "x ", "1", "/", "../", "grant ", "update x "):
        hostile = (filling * SEARCHED_CHARACTERS_MAX)[: SEARCHED_CHARACTERS_MAX - 1] + "!"
        started = time.perf_counter()
        re.search(expression, hostile)
        assert time.perf_counter() - started < 1, filling


def test_the_check_names_a_slow_expression_by_its_line() -> None:
    """A registry with one is refused; with another expression in its place it is not."""
    tool = "tools:\n  mine:\n    tool: Mine\n    arguments: {a: '%s'}\n    impact: read\n"
    problems = check_registry([("small.yaml", SMALL), ("x.yaml", tool % "^(a+)+$")], at_us=0)
    assert [(each.file, each.line, each.code) for each in problems] == [("x.yaml", 4, "registry_regex_slow")]
    assert check_registry([("small.yaml", SMALL), ("x.yaml", tool % "^a+$")], at_us=0) == ()
