"""Scopes: where there is anything that one may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heedful.service.requests import clean_scope
from heedful.service.session import Session
from heedful.service.sight import scope_granted

LISTED_MAX = 10_000


@dataclass(frozen=True, slots=True)
class ScopesFound:
    """Scopes that hold a record that this person may see.

    Attributes:
        scopes: the elements of each, in order of bytes; none: of the whole tenant. The first 10,000.
        is_cut: True where there are more.
    """

    scopes: tuple[tuple[str, ...], ...]
    is_cut: bool


def scopes(session: Session, scope: Sequence[str] = ()) -> ScopesFound:
    """The scopes that have all of these elements, each compared as a whole; all of them where none is given.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: those of `clean_scope`.
    """
    session.require("recall")
    wanted = frozenset(clean_scope(scope).elements)
    with session.store.read() as reading:
        holding = reading.scopes_holding(session.clearance, session.denied_kinds)
    found = [each for each in holding if wanted <= frozenset(each.elements) and scope_granted(session, each)]
    return ScopesFound(tuple(each.elements for each in found[:LISTED_MAX]), len(found) > LISTED_MAX)
