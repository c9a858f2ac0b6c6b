"""Limits and forms: what a candidate must look like before anybody asks whether it may be kept."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from heedful.kernel.errors import InvalidInputError
from heedful.kernel.scope import require_plain_name
from heedful.observations.names import shown
from heedful.observations.record import AttributeValue, Candidate

NAME_CHARACTERS_MAX = 256
SOURCE_REF_CHARACTERS_MAX = 1_024
MEDIA_TYPE_CHARACTERS_MAX = 128
ATTRIBUTES_MAX = 64
ATTRIBUTE_CHARACTERS_MAX = 1_024
ATTRIBUTE_INTEGER_MAX = 2**53 - 1  # beyond it a JSON number loses digits
SUBJECTS_MAX = 64
DERIVED_FROM_MAX = 1_024
SEQUENCE_MAX = 2**53 - 1
RETAIN_DAYS_MAX = 36_525
JSON_DEPTH_MAX = 100

_ATTRIBUTE_NAME = re.compile(r"[^\W\d][\w.:/-]{0,63}")
_MEDIA_TYPE = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,63}/[A-Za-z0-9*][A-Za-z0-9!#$&^_.+-]{0,63}(?:\s?;\s?[^\x00-\x1f\x7f]{1,64})?"
)
_JSON_TYPE = re.compile(r"application/(?:[\w.-]{1,40}\+)?json\b", re.IGNORECASE)
_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_JSON_NESTS = re.compile(r"[\[{\]}]")
_SURROGATE = re.compile("[\ud800-\udfff]")
# White space, controls of layout, and characters of no width. NUL is content: somebody put it there.
_SEEN = re.compile(
    "[^\\s\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0]"
)


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes that may be set; `Settings` has the same names.

    Attributes:
        content_bytes_max: content above this is refused.
        inline_bytes_max: content above this goes to the blob store.
    """

    content_bytes_max: int
    inline_bytes_max: int


def encode_content(text: str, *, field: str = "content") -> bytes:
    """The UTF-8 bytes of a text that came through a door.

    Raises:
        InvalidInputError: `text_lone_surrogate`.
    """
    require_whole_text(text, field=field)
    return text.encode()


def require_whole_text(text: str, *, field: str) -> None:
    """Nothing, where every surrogate in `text` has its other half.

    Raises:
        InvalidInputError: `text_lone_surrogate`, naming `field`.
    """
    if not text.isascii() and _SURROGATE.search(text):
        raise InvalidInputError(
            "text_lone_surrogate",
            f"{field} has half of a surrogate pair, which no UTF-8 text can hold",
            next_step="leave it out, or escape it as \\udXXX before it is sent",
            details={"field": field},
        )


def validate(candidate: Candidate, limits: Limits) -> str | None:
    """The content as text where it is UTF-8, else None; every field has been looked at.

    Raises:
        InvalidInputError: `content_blank`, `content_too_long`, `json_too_deep`, `text_lone_surrogate`,
            `name_malformed`, `name_too_long`, `media_type_malformed`, `entries_too_many`, `attribute_name_malformed`,
            `attribute_repeated`, `attribute_too_long`, `number_not_finite`, `number_out_of_range`; each names the
            field and, where there is one, the limit.
    """
    text = _validate_content(candidate, limits)
    if candidate.source_ref is not None:
        _validate_name(candidate.source_ref, "source_ref", SOURCE_REF_CHARACTERS_MAX)
    for name, field in (
        (candidate.principal, "principal"),
        (candidate.run_id, "run_id"),
        (candidate.speaker, "speaker"),
    ):
        if name is not None:
            _validate_name(name, field, NAME_CHARACTERS_MAX)
    if not _MEDIA_TYPE.fullmatch(candidate.media_type) or len(candidate.media_type) > MEDIA_TYPE_CHARACTERS_MAX:
        raise InvalidInputError(
            "media_type_malformed",
            f"media_type is not of the form type/subtype: {shown(candidate.media_type, 40)!r}",
            next_step="write it like text/plain or application/json",
            details={"field": "media_type", "limit": MEDIA_TYPE_CHARACTERS_MAX},
        )
    _require_count(len(candidate.subjects), SUBJECTS_MAX, "subjects")
    for subject in candidate.subjects:
        _validate_name(subject.type, "subjects.type", NAME_CHARACTERS_MAX)
        _validate_name(subject.id, "subjects.id", NAME_CHARACTERS_MAX)
    _require_count(len(candidate.derived_from), DERIVED_FROM_MAX, "derived_from")
    for record_id in candidate.derived_from:
        _validate_name(record_id, "derived_from", NAME_CHARACTERS_MAX)
    if candidate.attributes:
        validate_attributes(candidate.attributes)
    _require_range(candidate.expected_utility, "expected_utility", 0, 1)
    _require_range(candidate.confidence, "confidence", 0, 1)
    if candidate.sequence is not None:
        _require_range(candidate.sequence, "sequence", 0, SEQUENCE_MAX, whole=True)
    if candidate.retain_days is not None:
        _require_range(candidate.retain_days, "retain_days", 1, RETAIN_DAYS_MAX, whole=True)
    return text


def validate_attributes(attributes: tuple[tuple[str, AttributeValue], ...]) -> None:
    """Nothing, where names and values are in order.

    Raises:
        InvalidInputError: see `validate`.
    """
    _require_count(len(attributes), ATTRIBUTES_MAX, "attributes")
    if len({name for name, _ in attributes}) != len(attributes):
        raise InvalidInputError(
            "attribute_repeated",
            "attributes has two values of one name",
            next_step="give each name one value",
            details={"field": "attributes"},
        )
    for name, value in attributes:
        require_whole_text(name, field="attributes")
        if not _ATTRIBUTE_NAME.fullmatch(name):
            raise InvalidInputError(
                "attribute_name_malformed",
                f"attributes has the name {shown(name, 64)!r}; a letter, then at most 63 letters, digits or . _ : / -",
                next_step="rename it",
                details={"field": "attributes", "limit": 64},
            )
        _validate_attribute(name, value)


def _validate_attribute(name: str, value: AttributeValue) -> None:
    field = f"attributes.{name}"
    if isinstance(value, str):
        require_whole_text(value, field=field)
        if len(value) > ATTRIBUTE_CHARACTERS_MAX:
            raise InvalidInputError(
                "attribute_too_long",
                f"{field} has {len(value)} characters; at most {ATTRIBUTE_CHARACTERS_MAX} are allowed",
                next_step="shorten it, or put it in the content",
                details={"field": field, "limit": ATTRIBUTE_CHARACTERS_MAX},
            )
    elif not isinstance(value, bool):
        _require_range(value, field, -ATTRIBUTE_INTEGER_MAX, ATTRIBUTE_INTEGER_MAX, bounded=isinstance(value, int))


def _validate_content(candidate: Candidate, limits: Limits) -> str | None:
    content = candidate.content
    if len(content) > limits.content_bytes_max:
        raise InvalidInputError(
            "content_too_long",
            f"content has {len(content)} bytes; at most {limits.content_bytes_max} are allowed",
            next_step="split it, or raise content_bytes_max",
            details={"field": "content", "limit": limits.content_bytes_max},
        )
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if not _SEEN.search(text):
        raise InvalidInputError(
            "content_blank",
            "content is empty, or only of spaces and characters that cannot be seen",
            next_step="give some content",
            details={"field": "content"},
        )
    if _JSON_TYPE.match(candidate.media_type) and _json_depth_exceeds(text, JSON_DEPTH_MAX):
        raise InvalidInputError(
            "json_too_deep",
            f"content is JSON that nests deeper than {JSON_DEPTH_MAX}",
            next_step="flatten it, or send it as text/plain",
            details={"field": "content", "limit": JSON_DEPTH_MAX},
        )
    return text


def _json_depth_exceeds(text: str, depth_max: int) -> bool:
    """True where brackets outside of texts nest deeper; the JSON itself is not parsed."""
    if text.count("{") + text.count("[") <= depth_max:
        return False
    depth = 0
    for found in _JSON_NESTS.finditer(_JSON_STRING.sub("", text)):
        depth += 1 if found[0] in "[{" else -1
        if depth > depth_max:
            return True
    return False


def _validate_name(name: str, field: str, characters_max: int) -> None:
    if name.isascii() and name.isprintable() and name.strip() and len(name) <= characters_max:
        return
    require_whole_text(name, field=field)
    require_plain_name(name, field=field, characters_max=characters_max)
    if not _SEEN.search(name):
        raise InvalidInputError(
            "name_malformed",
            f"{field} is empty, or only of spaces and characters that cannot be seen",
            next_step="name it, or leave it out" if field != "principal" else "name it",
            details={"field": field},
        )


def _require_count(count: int, limit: int, field: str) -> None:
    if count > limit:
        raise InvalidInputError(
            "entries_too_many",
            f"{field} has {count} entries; at most {limit} are allowed",
            next_step="leave some out",
            details={"field": field, "limit": limit},
        )


def _require_range(
    number: float, field: str, low: int, high: int, *, bounded: bool = True, whole: bool = False
) -> None:
    if (type(number) is int or (type(number) is float and not whole)) and low <= number <= high:
        return
    if not _is_number(number, whole=whole):
        raise InvalidInputError(
            "number_not_finite",
            f"{field} is not a {'whole' if whole else 'finite'} number",
            next_step="give a number, or leave it out",
            details={"field": field},
        )
    if bounded and not low <= number <= high:
        raise InvalidInputError(
            "number_out_of_range",
            f"{field} is {number if abs(number) < 10**18 else 'too large'}; it must be between {low} and {high}",
            next_step="give a number in that range",
            details={"field": field, "limit": high if number > high else low},
        )


def _is_number(value: object, *, whole: bool) -> bool:
    # A truth value, or a fraction where a whole number belongs, would be written and never be read back.
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        return False
    return isinstance(value, int) or math.isfinite(value)
