"""Answers from policy, each with its reason. What no rule allows is denied; an agent never governs itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from heedful.kernel.frozen import quickly_made
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.policy.model import TENANT_WIDE, Policy, PrincipalPolicy, ScopePolicy

Verb = Literal[
    "remember", "recall", "judge", "report_outcome", "propose", "approve", "withdraw", "set_mode", "audit",
    "import", "state_rule", "export_ledger", "import_ledger", "maintain", "mark", "promote", "rotate_key",
    "erase", "hold", "consent",
]  # fmt: skip

OWNER = "owner"
AGENT = "agent"
SELF_READER = "self"
ROLE_PREFIX = "role:"
_EVERY = ":*"

# What a principal may do because policy names it at all, and what a role adds. `owner` has every verb.
_KNOWN_VERBS: frozenset[Verb] = frozenset({"remember", "recall", "judge", "report_outcome", "propose", "mark"})
_ROLE_VERBS: dict[str, frozenset[Verb]] = {
    "reviewer": frozenset({"approve", "withdraw"}),
    "operator": frozenset({"state_rule", "set_mode", "withdraw", "import", "maintain", "promote"}),
    "auditor": frozenset({"audit", "export_ledger", "hold"}),
    AGENT: frozenset(),
}
GOVERNING_VERBS: frozenset[Verb] = frozenset(
    {"approve", "withdraw", "set_mode", "state_rule", "mark", "promote", "erase", "hold", "consent"}
)
"""Never an agent's, whatever roles it holds (design, section 4: agents may propose and request)."""


@quickly_made
@dataclass(frozen=True, slots=True)
class Permission:
    """An answer, and the sentence that tells why."""

    allowed: bool
    reason: str


def principal_policy(policy: Policy, principal: str) -> PrincipalPolicy | None:
    """What policy says of the principal: its own entry, else that of its type (`agent:*`), else None."""
    return policy.principals.get(principal) or policy.principals.get(principal.partition(":")[0] + _EVERY)


def is_agent(policy: Policy, principal: str) -> bool:
    """True for `agent:*` and for whoever holds the role `agent`."""
    known = principal_policy(policy, principal)
    return principal.startswith(f"{AGENT}:") or (known is not None and AGENT in known.roles)


def may(policy: Policy, principal: str, verb: Verb) -> Permission:
    """Whether the principal may do this at all; in which scopes is `readable_scopes` and `may_write`."""
    known = principal_policy(policy, principal)
    if known is None:
        return Permission(allowed=False, reason=f"{principal} is not a principal of this policy")
    if verb in GOVERNING_VERBS and is_agent(policy, principal):
        return Permission(allowed=False, reason=f"{principal} is an agent; agents propose and never {_said(verb)}")
    if OWNER in known.roles:
        return Permission(allowed=True, reason=f"{principal} is an owner")
    if verb in _KNOWN_VERBS:
        return Permission(allowed=True, reason=f"{principal} is a principal of this policy")
    for role in known.roles:
        if verb in _ROLE_VERBS.get(role, frozenset()):
            return Permission(allowed=True, reason=f"the role {role} may {_said(verb)}")
    roles = ", ".join(known.roles) or "none"
    return Permission(allowed=False, reason=f"no role of {principal} ({roles}) may {_said(verb)}")


def clearance(policy: Policy, principal: str) -> Classification | None:
    """The highest classification that the principal reads; None: no principal of this policy, so it reads nothing."""
    known = principal_policy(policy, principal)
    return None if known is None else known.clearance


def denied_kinds(policy: Policy, principal: str) -> tuple[str, ...]:
    """The kinds that the principal does not see, each with its dotted descendants, whatever roles it holds."""
    known = principal_policy(policy, principal)
    return () if known is None else known.denied_kinds


def readable_scopes(policy: Policy, principal: str, request_scope: Scope) -> tuple[Scope, ...]:
    """The scopes that apply to the request and are granted to the principal, element by element; empty first.

    The empty scope (of the whole tenant) only with the grant `*`.
    """
    known = principal_policy(policy, principal)
    if known is None:
        return ()
    granted = tuple(
        element for element in request_scope.elements if element_reading(policy, principal, element).allowed
    )
    subsets = Scope(granted).subsets()
    return subsets if TENANT_WIDE in known.grants else subsets[1:]


def element_reading(policy: Policy, principal: str, element: str) -> Permission:
    """Whether the principal reads this scope element, by its grants or as one of the element's readers."""
    known = principal_policy(policy, principal)
    if known is None:
        return Permission(allowed=False, reason=f"{principal} is not a principal of this policy")
    granted = _grant(known, element)
    if granted is not None:
        return Permission(allowed=True, reason=f"{principal} is granted {granted}")
    rule = scope_policy(policy, element)
    for reader in () if rule is None else rule.readers:
        if reader == principal:
            return Permission(allowed=True, reason=f"{principal} is a reader of {element}")
        if reader.startswith(ROLE_PREFIX) and reader.removeprefix(ROLE_PREFIX) in known.roles:
            return Permission(allowed=True, reason=f"{reader} reads {element}")
        if reader == SELF_READER and _name(element) == _name(principal) and not is_agent(policy, principal):
            return Permission(allowed=True, reason=f"{element} is {principal}'s own")
    return Permission(allowed=False, reason=f"{element} is not granted to {principal}, who is not one of its readers")


def may_write(policy: Policy, principal: str, scope: Scope) -> Permission:
    """Whether the principal may write in this scope: every element granted, or its own (`self`); readers only read."""
    known = principal_policy(policy, principal)
    if known is None:
        return Permission(allowed=False, reason=f"{principal} is not a principal of this policy")
    if scope.is_empty and TENANT_WIDE not in known.grants:
        return Permission(allowed=False, reason=f"a record without scope needs the tenant-wide grant {TENANT_WIDE}")
    for element in scope.elements:
        if _grant(known, element) is None and not _is_own(policy, principal, element):
            return Permission(allowed=False, reason=f"{element} is not granted to {principal}")
    return Permission(allowed=True, reason=f"every element of {scope} is granted to {principal}")


def form_allowed(policy: Policy, scope: Scope, form: str) -> Permission:
    """Whether a claim of this form may be in this scope: no element's `allowed_forms` leaves it out."""
    for element in scope.elements:
        rule = scope_policy(policy, element)
        if rule is not None and rule.allowed_forms and form not in rule.allowed_forms:
            allowed = ", ".join(rule.allowed_forms)
            return Permission(allowed=False, reason=f"{element} allows {allowed}; not {form}")
    return Permission(allowed=True, reason=f"no scope element forbids {form}")


def scope_policy(policy: Policy, element: str) -> ScopePolicy | None:
    """The rule of this element itself, else that of its dimension (`user:*`), else None. The two are never joined."""
    return policy.scopes.get(element) or policy.scopes.get(element.partition(":")[0] + _EVERY)


def _grant(known: PrincipalPolicy, element: str) -> str | None:
    every = element.partition(":")[0] + _EVERY
    return next((grant for grant in known.grants if grant in (TENANT_WIDE, every, element)), None)


def _is_own(policy: Policy, principal: str, element: str) -> bool:
    rule = scope_policy(policy, element)
    return (
        rule is not None
        and SELF_READER in rule.readers
        and _name(element) == _name(principal)
        and not is_agent(policy, principal)
    )


def _name(identifier: str) -> str:
    return identifier.partition(":")[2]


def _said(verb: str) -> str:
    return verb.replace("_", " ")
