"""Scopes are sets of whole elements."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.kernel.errors import InvalidInputError
from heedful.kernel.scope import DIMENSIONS_MAX, VALUE_CHARACTERS_MAX, Scope, parse_scope

DIMENSIONS = st.from_regex(r"[a-z][a-z0-9_-]{0,31}", fullmatch=True)
VALUES = (
    st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=20)
    .filter(lambda value: value == value.strip())
    .filter(lambda value: value != "*")
)
ELEMENTS = st.dictionaries(DIMENSIONS, VALUES, max_size=DIMENSIONS_MAX).map(
    lambda pairs: [f"{dimension}:{value}" for dimension, value in pairs.items()]
)


@given(ELEMENTS, st.randoms(use_true_random=False))
def test_the_order_and_repetition_of_elements_do_not_matter(elements: list[str], random: object) -> None:
    """A scope is a set; it is kept sorted by bytes."""
    shuffled = elements + elements[:2]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert parse_scope(shuffled) == parse_scope(elements)
    assert list(parse_scope(elements).elements) == sorted(elements, key=str.encode)


@given(ELEMENTS, ELEMENTS)
def test_two_scopes_share_a_key_only_if_they_are_one(left: list[str], right: list[str]) -> None:
    """The key is injective: it splits back into the elements."""
    one, two = parse_scope(left), parse_scope(right)
    assert (one.key == two.key) == (one == two)
    assert tuple(one.key.split("\x1f") if one.key else ()) == one.elements


@given(ELEMENTS)
def test_the_subsets_are_exactly_the_scopes_that_apply(elements: list[str]) -> None:
    """Each once, the smaller first and then by bytes, the empty scope at the head and the scope itself at the end."""
    scope = parse_scope(elements)
    subsets = scope.subsets()
    assert len(set(subsets)) == len(subsets) == 2 ** len(elements)
    assert all(subset.applies_to(scope) for subset in subsets)
    assert subsets[0].is_empty
    assert subsets[-1] == scope
    assert list(subsets) == sorted(subsets, key=lambda subset: (len(subset.elements), subset.elements))
    every = {part for size in range(len(elements) + 1) for part in combinations(scope.elements, size)}
    assert {subset.elements for subset in subsets} == every


@given(ELEMENTS, ELEMENTS)
def test_a_scope_applies_where_all_its_elements_are_named(left: list[str], right: list[str]) -> None:
    """Containment of sets, nothing else."""
    one, two = parse_scope(left), parse_scope(right)
    assert one.applies_to(two) == set(left).issubset(right)
    assert Scope(()).applies_to(one)


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("project:pay", "project:payments"),
        ("user:ana", "user:ana/daughter"),
        ("user:ana", "user:Ana"),
        ("user:ana", "user:\uff41\uff4e\uff41"),
        ("user:jos\u00e9", "user:jose\u0301"),
        ("user:a:b", "user:a"),
    ],
)
def test_a_prefix_or_a_likeness_is_no_containment(stored: str, asked: str) -> None:
    """Case, width, Unicode form and leading parts tell scopes apart, both ways."""
    assert not parse_scope([stored]).applies_to(parse_scope([asked]))
    assert not parse_scope([asked]).applies_to(parse_scope([stored]))


@pytest.mark.parametrize(
    ("elements", "code"),
    [
        (["user:*"], "scope_wildcard"),
        (["*"], "scope_malformed"),
        (["*:ana"], "scope_malformed"),
        (["user"], "scope_malformed"),
        (["user:"], "scope_malformed"),
        ([":ana"], "scope_malformed"),
        (["User:ana"], "scope_malformed"),
        (["user: ana"], "scope_malformed"),
        (["user:ana "], "scope_malformed"),
        (["user:ana", "user:ben"], "scope_malformed"),
        ([""], "scope_malformed"),
        ([7], "scope_malformed"),
        ([None], "scope_malformed"),
        (["user:a\x1fb"], "name_malformed"),
        (["user:a\x00"], "name_malformed"),
        (["user:a\u0085b"], "name_malformed"),
        (["user:\ud800x"], "name_malformed"),
        (["user:" + "a" * (VALUE_CHARACTERS_MAX + 1)], "name_too_long"),
        ([f"d{number}:x" for number in range(DIMENSIONS_MAX + 1)], "scope_too_wide"),
    ],
)
def test_a_malformed_scope_is_refused_by_its_code(elements: list[str], code: str) -> None:
    """Each refusal names the field that it stood in."""
    with pytest.raises(InvalidInputError) as raised:
        parse_scope(elements, field="request.scope")
    assert raised.value.code == code
    assert raised.value.details["field"] == "request.scope"
    assert "request.scope" in raised.value.message


def test_the_limits_themselves_are_allowed() -> None:
    """The widest scope, the longest value, a value of odd but plain characters, one text for a list of one."""
    widest = [f"d{number}:" + "值" * VALUE_CHARACTERS_MAX for number in range(DIMENSIONS_MAX)]
    assert len(parse_scope(widest).elements) == DIMENSIONS_MAX
    assert parse_scope("user:ana@example.org/😀:*").elements == ("user:ana@example.org/😀:*",)
    assert str(parse_scope(["b:1", "a:2"])) == "a:2, b:1"
    assert str(Scope(())) == "(tenant)"
