"""Who speaks for a subject: of what a person says of themselves, and of those in their care, nobody else knows more."""

from __future__ import annotations

from heedful.policy.decide import is_agent, principal_policy
from heedful.policy.model import Policy

_PERSON = "person"
_OWN_DIMENSIONS = frozenset({_PERSON, "user"})
_BELOW = "/"


def speaks_for(policy: Policy, principal: str, subject: str) -> bool:
    """True where the principal speaks for the subject: it is they, or below them, or policy's `speaks_for` names it.

    `person:ana` is `user:ana` and `person:ana`, and `user:ana/daughter` is below her. An agent never speaks for
    anybody, whatever policy says; nor does whom policy does not name. Names are compared by bytes.
    """
    known = principal_policy(policy, principal)
    if known is None or is_agent(policy, principal):
        return False
    return _is_self(principal, subject) or any(_covers(named, subject) for named in known.speaks_for)


def _is_self(principal: str, subject: str) -> bool:
    dimension, _, name = principal.partition(":")
    if dimension != _PERSON or not name:
        return False
    return any(_covers(f"{each}:{name}", subject) for each in _OWN_DIMENSIONS)


def _covers(named: str, subject: str) -> bool:
    dimension, _, value = named.partition(":")
    if value == "*":
        return subject.startswith(f"{dimension}:")
    return subject == named or subject.startswith(named + _BELOW)
