"""Canonical bytes are RFC 8785, whichever of the two encoders wrote them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from heedful.kernel.canonical import INTEGER_MAX, canonical_bytes, canonical_fields, parse_canonical

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
INTEGERS = st.integers(-INTEGER_MAX, INTEGER_MAX)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | INTEGERS | FLOATS | TEXTS
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=20)


@given(VALUES)
@example(-0.0)
@example(0.0)
@example(1e-7)
@example(1e-6)
@example(0.0001)
@example(123456789012345.6)
@example(1e15)
@example(1e21)
@example(1e20)
@example(5e-324)
@example(1.7976931348623157e308)
@example([1.0, {"b": 2.50, "a": -0.0}])
@example({"é": 1, "\U0001f600": 2, "\ufb33": 3})
@example({'a\u2028\x7f\x00\x1f"\\/': "\b\f\n\r\t"})
def test_the_fast_encoder_writes_what_the_reference_writes(value: object) -> None:
    """Byte for byte, over any JSON value: floats, zeros of both signs, control characters, keys beyond ASCII."""
    assert canonical_bytes(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


@given(VALUES)
@example(13300234704479594.0)
@example(-float(2**53))
def test_canonical_bytes_read_back_as_the_same_value(value: object) -> None:
    """Nothing is lost, and a second writing gives the same bytes: also where a double looks like an integer."""
    written = canonical_bytes(value)
    assert parse_canonical(written) == value
    assert canonical_bytes(parse_canonical(written)) == written


@dataclass(frozen=True, slots=True)
class _Measured:
    label: str
    numbers: tuple[float | None, ...]


NUMBERS = st.lists(
    st.none() | st.booleans() | st.integers() | FLOATS | st.sampled_from([0.0, -0.0, 1.0, 1e-7, 1e15, 2.0**53])
)


@given(st.sampled_from(["", '"numbers":[1.0]', ":1.0,", "1e300"]), NUMBERS)
def test_fields_are_written_alike_with_their_numbers_told_and_without(label: str, numbers: list[float | None]) -> None:
    """Told or looked for, a number that the encoders write differently is found: 1.0, 1e-7, 2**53."""
    value = _Measured(label, tuple(numbers))
    expected = canonical_bytes({"label": label, "numbers": numbers})
    assert canonical_fields(value) == canonical_fields(value, numbers) == expected


def test_a_number_that_was_not_told_is_not_found() -> None:
    """The control: so callers name every number, and the ledger's tests try each field."""
    assert canonical_fields(_Measured("", (1.0,)), ()) != canonical_fields(_Measured("", (1.0,)))


@given(st.dictionaries(TEXTS, SCALARS, min_size=2))
def test_the_order_of_keys_as_given_does_not_matter(value: dict[str, object]) -> None:
    """Keys are sorted by UTF-16 units."""
    assert canonical_bytes(dict(reversed(value.items()))) == canonical_bytes(value)
    written = parse_canonical(canonical_bytes(value))
    assert isinstance(written, dict)
    assert list(written) == sorted(value, key=lambda key: key.encode("utf-16-be"))


@given(TEXTS, st.integers(INTEGER_MAX + 1) | st.integers(max_value=-INTEGER_MAX - 1))
def test_an_integer_beyond_the_exact_doubles_becomes_a_text(key: str, number: int) -> None:
    """Both encoders, and at any depth; the largest exact ones stay numbers."""
    assert canonical_bytes({key: [number]}) == rfc8785.dumps({key: [str(number)]})
    assert canonical_bytes({key: [INTEGER_MAX, -INTEGER_MAX]}) == rfc8785.dumps({key: [INTEGER_MAX, -INTEGER_MAX]})


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        -math.inf,
        "\ud800",
        {"\udfff": 1},
        {"é": "\ud83d"},
        {1: 2},
        {"é": 1, 2: 3},
        b"x",
        {"x"},
        object(),
    ],
)
@pytest.mark.parametrize("depth", [0, 1])
def test_what_is_no_json_value_is_refused(value: object, depth: int) -> None:
    """NaN, infinities, lone surrogates, other keys than texts, other types."""
    with pytest.raises(ValueError):  # noqa: PT011 - each encoder has words of its own
        canonical_bytes([value] if depth else value)


def test_the_published_example_of_the_standard_comes_out_as_published() -> None:
    """RFC 8785, section 3.2.2 and 3.2.3: the sample object and its canonical form."""
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": '€$\u000f\nA\'B"\\\\"/',
        "literals": [None, True, False],
    }
    assert (
        canonical_bytes(value)
        == (
            '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
            '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
        ).encode()
    )
