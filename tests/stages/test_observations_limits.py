"""Limits: every field of a candidate, with the error that says what to do."""

from __future__ import annotations

import contextlib
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from observation_builders import LIMITS, candidate

from heedful.kernel.errors import InvalidInputError
from heedful.observations.limits import (
    ATTRIBUTES_MAX,
    JSON_DEPTH_MAX,
    SUBJECTS_MAX,
    Limits,
    encode_content,
    validate,
)
from heedful.observations.record import Subject

DEEP = b"[" * (JSON_DEPTH_MAX + 1) + b"]" * (JSON_DEPTH_MAX + 1)

BROKEN = [
    ("content_blank", "content", {"content": b""}),
    ("content_blank", "content", {"content": b" \n\t "}),
    ("content_blank", "content", {"content": "\u200b\u200d\ufeff\u3000".encode()}),
    ("content_too_long", "content", {"content": b"x" * (LIMITS.content_bytes_max + 1)}),
    ("json_too_deep", "content", {"content": DEEP, "media_type": "application/json"}),
    ("json_too_deep", "content", {"content": DEEP, "media_type": "application/ld+json; charset=utf-8"}),
    ("name_malformed", "source_ref", {"source_ref": "a\x00b"}),
    ("name_malformed", "source_ref", {"source_ref": ""}),
    ("name_malformed", "speaker", {"speaker": "\u200b"}),
    ("name_too_long", "source_ref", {"source_ref": "x" * 1_025}),
    ("name_malformed", "run_id", {"run_id": "a\nb"}),
    ("text_lone_surrogate", "speaker", {"speaker": "a\ud800"}),
    ("name_malformed", "principal", {"principal": "person:\x1b"}),
    ("media_type_malformed", "media_type", {"media_type": "text"}),
    ("media_type_malformed", "media_type", {"media_type": "text/plain\n"}),
    ("entries_too_many", "subjects", {"subjects": (Subject("a", "b"),) * (SUBJECTS_MAX + 1)}),
    ("name_malformed", "subjects.id", {"subjects": (Subject("a", "b\x07"),)}),
    ("name_too_long", "subjects.type", {"subjects": (Subject("a" * 257, "b"),)}),
    ("entries_too_many", "derived_from", {"derived_from": ("r",) * 1_025}),
    ("entries_too_many", "attributes", {"attributes": tuple((f"a{n}", n) for n in range(ATTRIBUTES_MAX + 1))}),
    ("attribute_repeated", "attributes", {"attributes": (("a", 1), ("a", 2))}),
    ("attribute_name_malformed", "attributes", {"attributes": (("1a", 1),)}),
    ("attribute_name_malformed", "attributes", {"attributes": (("a b", 1),)}),
    ("text_lone_surrogate", "attributes", {"attributes": (("a\udc00", 1),)}),
    ("attribute_too_long", "attributes.a", {"attributes": (("a", "x" * 1_025),)}),
    ("text_lone_surrogate", "attributes.a", {"attributes": (("a", "x\udc00"),)}),
    ("number_not_finite", "attributes.a", {"attributes": (("a", math.nan),)}),
    ("number_not_finite", "attributes.a", {"attributes": (("a", -math.inf),)}),
    ("number_out_of_range", "attributes.a", {"attributes": (("a", 2**53),)}),
    ("number_out_of_range", "attributes.a", {"attributes": (("a", 10**5_000),)}),
    ("number_out_of_range", "confidence", {"confidence": 1.1}),
    ("number_not_finite", "confidence", {"confidence": math.nan}),
    ("number_out_of_range", "expected_utility", {"expected_utility": -0.1}),
    ("number_out_of_range", "sequence", {"sequence": -1}),
    ("number_out_of_range", "retain_days", {"retain_days": 0}),
]


@pytest.mark.parametrize(("code", "field", "changes"), BROKEN)
def test_a_field_that_is_not_in_order_is_named(code: str, field: str, changes: dict[str, object]) -> None:
    """The code is stable, the field is named, the next step says what to do, and the content is not repeated."""
    with pytest.raises(InvalidInputError) as raised:
        validate(candidate(**changes), LIMITS)
    assert raised.value.code == code
    assert raised.value.details["field"] == field
    assert raised.value.next_step
    assert len(raised.value.message) < 300


ORDERLY = [
    {"content": b"\x00"},
    {"content": b"\xff\xfe"},
    {"content": "今".encode()},
    {"content": b"x" * LIMITS.content_bytes_max},
    {"content": DEEP},
    {"content": b'{"a": "' + b"[" * 500 + b'\\"["}', "media_type": "application/json"},
    {"content": DEEP[1:-1], "media_type": "application/json"},
    {"source_ref": None, "run_id": None, "speaker": None, "sequence": None, "retain_days": None},
    {"source_ref": "зд 中 🎉", "speaker": "Zoë"},
    {"source_ref": "x" * 1_024},
    {"media_type": "application/vnd.api+json; charset=utf-8"},
    {"attributes": (("名前", "a\nb"), ("gen_ai.request.model", 1.5), ("toolUseId", -(2**53) + 1), ("big", 1e300))},
    {"attributes": tuple((f"a{n}", n) for n in range(ATTRIBUTES_MAX))},
    {"confidence": 0.0, "expected_utility": 1.0, "sequence": 0, "retain_days": 1},
]


@pytest.mark.parametrize("changes", ORDERLY)
def test_a_field_that_is_in_order_passes(changes: dict[str, object]) -> None:
    """The twin of each refusal: the limit itself, odd Unicode, NUL, absence."""
    given_candidate = candidate(**changes)
    text = validate(given_candidate, LIMITS)
    assert text is None or text.encode() == given_candidate.content


def test_content_that_is_no_text_has_no_text() -> None:
    """Bytes are not guessed at."""
    assert validate(candidate(content=b"\xff"), LIMITS) is None


def test_a_lone_surrogate_is_refused_at_the_door() -> None:
    """A pair is text; half of one is not."""
    assert encode_content("a😀") == "a😀".encode()
    with pytest.raises(InvalidInputError) as raised:
        encode_content("a\ud83d")
    assert raised.value.code == "text_lone_surrogate"


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.text(max_size=50), st.floats(), st.integers())
def test_validation_raises_nothing_else(content: bytes, name: str, number: float, sequence: int) -> None:
    """Whatever comes in, the answer is a text, None or a named error."""
    changed = candidate(
        content=content, source_ref=name, confidence=number, sequence=sequence, attributes=((name, name), ("n", number))
    )
    with contextlib.suppress(InvalidInputError):
        validate(changed, Limits(content_bytes_max=100, inline_bytes_max=10))
