"""The terms of a search, the same for every engine."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.kernel.errors import InvalidInputError
from heedful.observations.text import QUERY_TERMS_MAX


def distinct_terms(terms: Sequence[str]) -> list[str]:
    """The terms, each once, in the order asked.

    Raises:
        InvalidInputError: `terms_too_many`.
    """
    wanted = list(dict.fromkeys(terms))
    if len(wanted) > QUERY_TERMS_MAX:
        raise InvalidInputError(
            "terms_too_many",
            f"a search has {len(wanted)} terms; at most {QUERY_TERMS_MAX} are allowed",
            next_step="leave some out",
            details={"field": "terms", "limit": QUERY_TERMS_MAX},
        )
    return wanted
