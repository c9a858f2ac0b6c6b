"""Compare: which claims can contradict each other at all, and when two values are one. Pure."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from heedful.claims.claim import Claim, Form
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.texts import folded
from heedful.kernel.times import parse_time
from heedful.ledger.events import JsonScalar

_LANES = {
    Form.FACT: "state",
    Form.STATE: "state",
    Form.INFERENCE: "state",
    Form.PREFERENCE: "preference",
    Form.PLAN: "plan",
    Form.CONSTRAINT: "constraint",
}
_BOOLEAN = "boolean"
_TRUTHS = {"true": True, "false": False}

Normalised = tuple[str, str | bool | int | Decimal]
"""What a value is once normalised, with its sort: two that are equal say the same."""


def lane_of(form: str) -> str | None:
    """The lane within which forms can contradict each other; None: claims of this form contradict nothing.

    "Lives in Shanghai" (a fact) and "in Beijing next week" (a plan) are in two, and never meet.
    """
    return _LANES.get(Form(form))


def says_only_that(value: JsonScalar, comparator: str) -> bool:
    """True for a value that merely says that the statement holds: such claims stand side by side."""
    return value is True and comparator != _BOOLEAN


def are_comparable(standing: Claim, newcomer: Claim, comparator: str) -> bool:
    """True where the two can contradict each other, of kinds with one value at a time; when they hold is not asked."""
    lane = lane_of(newcomer.form)
    return (
        lane is not None
        and lane == lane_of(standing.form)
        and standing.scope == newcomer.scope
        and standing.classification is newcomer.classification
        and (standing.subject, standing.property) == (newcomer.subject, newcomer.property)
        and not says_only_that(standing.value, comparator)
        and not says_only_that(newcomer.value, comparator)
    )


def are_equal(left: JsonScalar, right: JsonScalar, comparator: str) -> bool:
    """True where the normalised values are the same one; nothing is decided by likeness."""
    return normalised(left, comparator) == normalised(right, comparator)


def normalised(value: JsonScalar, comparator: str) -> Normalised:
    """The value as it is compared: `text`, `number`, `time` or `boolean`; what is no such value is compared as text.

    Text: NFKC, case folded, inner white space collapsed, outer cut. Numbers by value (`"8"` is 8 is 8.0), times by
    instant.
    """
    text = _folded(value)
    if comparator == "number":
        return _number(text)
    if comparator == "time":
        return _time(value, text)
    if isinstance(value, bool):
        return _BOOLEAN, value
    if comparator == _BOOLEAN and text in _TRUTHS:
        return _BOOLEAN, _TRUTHS[text]
    return "text", text


def _folded(value: JsonScalar) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return folded(str(value))


def _number(text: str) -> Normalised:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return "text", text
    return ("number", number) if number.is_finite() else ("text", text)


def _time(value: JsonScalar, text: str) -> Normalised:
    if not isinstance(value, str):
        return "text", text
    try:
        return "time", parse_time(value.strip(), field="value").at_us
    except InvalidInputError:
        return "text", text
