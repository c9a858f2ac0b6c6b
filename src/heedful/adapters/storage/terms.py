"""The terms of a search, the same for every dialect."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.kernel.errors import InvalidInputError

TERMS_MAX = 32


def distinct_terms(terms: Sequence[str]) -> list[str]:
    """The terms, each once, in the order asked.

    Raises:
        InvalidInputError: `terms_too_many`.
    """
    wanted = list(dict.fromkeys(terms))
    if len(wanted) > TERMS_MAX:
        raise InvalidInputError(
            "terms_too_many",
            f"a search has {len(wanted)} terms; at most {TERMS_MAX} are allowed",
            next_step="leave some out",
            details={"field": "terms", "limit": TERMS_MAX},
        )
    return wanted
