"""Support: whether records say what a claim says, by its value and the words of its statement. Pure, no model.

It finds what nobody said; it does not judge what is true, and a claim that turns the words of its evidence round has
the support of its words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from heedful.claims.claim import Claim
from heedful.kernel.texts import folded
from heedful.observations.text import query_terms, search_tokens

WORDS_SHARE_MIN = 0.5
"""So much of a statement's telling words must stand in its evidence."""
TERMS_MAX = 512
"""Telling words of a statement that are looked for."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def unsupported(claim: Claim, texts: Iterable[str], *, value_is_given: bool) -> str | None:
    """Why the texts do not support the claim, in words; None where they do.

    - Its value must stand in them: a number by its value, a text as it is or in all of its telling words. Not asked of
      a truth value, nor where a person gave the value with their words (`value_is_given`).
    - Every number of the statement must.
    - So must WORDS_SHARE_MIN of its telling words, but for those that name its subject, property, kind and scope.
    """
    text = "\n".join(texts)
    plain, tokens, numbers = folded(text), frozenset(search_tokens(text)), _numbers(text)
    if not value_is_given and not _has_value(claim.value, plain, tokens, numbers):
        return "its value is not in its evidence"
    names = " ".join((claim.subject, claim.property, claim.kind, *claim.scope.elements))
    known = numbers | _numbers(names) | _numbers(str(claim.value) if value_is_given else "")
    if any(known.isdisjoint(_readings(written)) for written in _written(claim.statement)):
        return "a number of its statement is not in its evidence"
    named = frozenset(search_tokens(names))
    telling = [term for term in query_terms(claim.statement, TERMS_MAX) if term not in named]
    found = sum(term in tokens for term in telling)
    if telling and found < WORDS_SHARE_MIN * len(telling):
        return f"{found} of {len(telling)} telling words of its statement are in its evidence"
    return None


def _has_value(value: object, plain: str, tokens: frozenset[str], numbers: frozenset[float]) -> bool:
    if isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return float(value) in numbers
    wanted = folded(str(value))
    if wanted in plain:
        return True
    terms = query_terms(wanted, TERMS_MAX)
    return bool(terms) and all(term in tokens for term in terms)


def _numbers(text: str) -> frozenset[float]:
    """Every number of the text, in each way that it can be read."""
    return frozenset(each for written in _written(text) for each in _readings(written))


def _written(text: str) -> list[str]:
    return _NUMBER.findall(unicodedata.normalize("NFKC", text))


def _readings(written: str) -> frozenset[float]:
    """What a number may mean by value: nobody says whether `1,000` is a thousand or one."""
    found: set[float] = set()
    for plain in (written.replace(",", ""), written.replace(".", "").replace(",", ".")):
        try:
            found.add(float(plain))
        except ValueError:
            found.update(float(part) for part in re.split("[.,]", written))
    return frozenset(found)
