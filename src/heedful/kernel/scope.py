"""Scope: where something holds, a set of `dimension:value` elements, at most one value a dimension."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from heedful.kernel.errors import InvalidInputError

DIMENSIONS_MAX = 8
VALUE_CHARACTERS_MAX = 256
_DIMENSION = re.compile(r"[a-z][a-z0-9_-]{0,31}")


@dataclass(frozen=True, slots=True)
class Scope:
    """A set of elements such as `project:payments`, sorted by bytes; compared by whole values only.

    No folding of case, width or Unicode form is done: two spellings are two scopes.
    """

    elements: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """True for the scope of the whole tenant."""
        return not self.elements

    @property
    def key(self) -> str:
        """An injective one-line text form; the empty scope's is the empty text."""
        return "\x1f".join(self.elements)

    def applies_to(self, request: Scope) -> bool:
        """True where every element of this scope is one of the request's."""
        return set(self.elements) <= set(request.elements)

    def subsets(self) -> tuple[Scope, ...]:
        """Every scope that applies to this one, the smaller first, then by bytes; at most 2**DIMENSIONS_MAX."""
        sizes = range(len(self.elements) + 1)
        return tuple(Scope(chosen) for size in sizes for chosen in combinations(self.elements, size))

    def __str__(self) -> str:
        """The elements joined by a comma and a space; `(tenant)` for the empty scope."""
        return ", ".join(self.elements) or "(tenant)"


def parse_scope(elements: Iterable[str], *, field: str = "scope") -> Scope:
    """The scope of these elements, each `dimension:value`; the order given does not matter.

    Raises:
        InvalidInputError: `scope_malformed`, `scope_wildcard` or `scope_too_wide`, naming `field`.
    """
    if isinstance(elements, str):
        elements = [elements]
    if not isinstance(elements, Iterable):
        raise InvalidInputError("scope_malformed", f"{field} must be a list of texts", details={"field": field})
    parsed = sorted({_element(element, field) for element in elements}, key=lambda text: text.encode())
    dimensions = [element.split(":", 1)[0] for element in parsed]
    if len(set(dimensions)) != len(dimensions):
        raise InvalidInputError(
            "scope_malformed",
            f"{field} names two values of one dimension: {', '.join(parsed)[:200]}",
            next_step="give each dimension one value",
            details={"field": field},
        )
    if len(parsed) > DIMENSIONS_MAX:
        raise InvalidInputError(
            "scope_too_wide",
            f"{field} has {len(parsed)} elements; at most {DIMENSIONS_MAX} are allowed",
            next_step="leave some out",
            details={"field": field, "limit": DIMENSIONS_MAX},
        )
    return Scope(tuple(parsed))


def _element(text: object, field: str) -> str:
    if not isinstance(text, str):
        raise InvalidInputError("scope_malformed", f"{field} must be a list of texts", details={"field": field})
    dimension, separator, value = text.partition(":")
    if not separator or not _DIMENSION.fullmatch(dimension) or not value or value != value.strip():
        raise InvalidInputError(
            "scope_malformed",
            f"{field} element {text[:80]!r} is not of the form dimension:value",
            next_step="write it like project:payments or user:ana",
            details={"field": field},
        )
    if value == "*":
        raise InvalidInputError(
            "scope_wildcard",
            f"{field} element {text[:80]!r} is a star; a scope names one value, never everyone",
            next_step="name the value",
            details={"field": field},
        )
    require_plain_name(value, field=field, characters_max=VALUE_CHARACTERS_MAX)
    return text


def require_text(given: object, *, field: str) -> None:
    """Nothing, where this is a text.

    Raises:
        InvalidInputError: `name_malformed`, naming `field`.
    """
    if not isinstance(given, str):
        raise InvalidInputError(
            "name_malformed", f"{field} is no text", next_step="give it as a text", details={"field": field}
        )


def require_yes_or_no(given: object, *, field: str) -> None:
    """Nothing, where this is True or False: what else is true to Python may have been meant otherwise.

    Raises:
        InvalidInputError: `name_malformed`, naming `field`.
    """
    if not isinstance(given, bool):
        raise InvalidInputError(
            "name_malformed", f"{field} is neither True nor False", next_step="give one", details={"field": field}
        )


def require_plain_name(text: str, *, field: str, characters_max: int) -> None:
    """Nothing, where `text` may be a name: not blank, no control character, no lone surrogate, not too long.

    Raises:
        InvalidInputError: `name_malformed` or `name_too_long`, naming `field`.
    """
    require_text(text, field=field)
    if not text.strip():
        raise InvalidInputError(
            "name_malformed", f"{field} is empty", next_step="name it, or leave it out", details={"field": field}
        )
    if len(text) > characters_max:
        raise InvalidInputError(
            "name_too_long",
            f"{field} has {len(text)} characters; at most {characters_max} are allowed",
            next_step="shorten it",
            details={"field": field, "limit": characters_max},
        )
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in text):
        raise InvalidInputError(
            "name_malformed",
            f"{field} has a control character or half of a surrogate pair",
            next_step="leave it out",
            details={"field": field},
        )
