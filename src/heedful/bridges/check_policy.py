"""What is wrong with a policy: agents that govern, approvals that nobody gives, grants that are no scope."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heedful.bridges.merge import Merged, Place
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.scope import parse_scope
from heedful.policy.decide import AGENT, OWNER, ROLE_PREFIX, SELF_READER
from heedful.policy.model import TENANT_WIDE
from heedful.policy.parse import Problem

GOVERNING_ROLES = (OWNER, "reviewer", "operator")
_KNOWN_ROLES = (*GOVERNING_ROLES, AGENT, "auditor")


def check_policy(merged: Merged) -> Iterator[Problem]:
    """Every problem of the policy section."""
    policy = merged.body["policy"]
    yield from _principals(merged, policy["principals"])
    yield from _scopes(merged, policy["scopes"])
    approval = policy.get("auto_approve", {})
    if approval.get("enabled") and "high" in approval["kind_risks"]:
        message = "auto_approve lets claims of high risk through without a person"
        place = merged.places["policy", "auto_approve"]
        yield place.problem(("kind_risks",), "policy_auto_approve_high_risk", message, "drop high from kind_risks")
    if approval.get("enabled") and {"constraint", "workflow"} & set(approval["forms"]):
        message = "auto_approve lets rules (constraint, workflow) through without a person"
        place = merged.places["policy", "auto_approve"]
        yield place.problem(("forms",), "policy_auto_approve_rule", message, "drop constraint and workflow from forms")


def _principals(merged: Merged, principals: dict[str, Any]) -> Iterator[Problem]:
    for name, entry in principals.items():
        place = merged.places["policy.principals", name]
        governing = [role for role in entry["roles"] if role in GOVERNING_ROLES]
        if (name.startswith(f"{AGENT}:") or AGENT in entry["roles"]) and governing:
            message = f"{name} is an agent and holds {', '.join(governing)}; an agent never approves or rules"
            yield place.problem(("roles",), "policy_agent_governs", message, "give it the role agent alone")
        yield from _speaking(name, entry, place)
        if name.endswith(":*") and governing:
            message = f"{name} is every principal of its type, and holds {', '.join(governing)}"
            yield place.problem(("roles",), "policy_everyone_governs", message, "name the principals one by one")
        for number, grant in enumerate(entry.get("grants", ())):
            if grant != TENANT_WIDE and not _is_element(grant):
                message = f"the grant {grant!r} of {name} is no scope element"
                next_step = "write it like project:payments, project:* or *"
                yield place.problem(("grants", number), "policy_grant_malformed", message, next_step)
    if principals and not any(OWNER in entry["roles"] for entry in principals.values()):
        place = merged.places["policy.principals", min(principals)]
        message = "no principal is an owner, so nobody could ever mend this policy's store"
        yield place.problem((), "policy_no_owner", message, "give one person the role owner")


def _speaking(name: str, entry: dict[str, Any], place: Place) -> Iterator[Problem]:
    if not entry.get("speaks_for"):
        return
    if name.startswith(f"{AGENT}:") or AGENT in entry["roles"]:
        message = f"{name} is an agent and is said to speak for somebody; an agent never does"
        yield place.problem(("speaks_for",), "policy_agent_speaks", message, "name a person who speaks for them")
    if name.endswith(":*"):
        message = f"{name} is every principal of its type, and is said to speak for somebody"
        yield place.problem(("speaks_for",), "policy_everyone_speaks", message, "name the principals one by one")


def _scopes(merged: Merged, scopes: dict[str, Any]) -> Iterator[Problem]:
    for element, entry in scopes.items():
        place = merged.places["policy.scopes", element]
        if not _is_element(element):
            message = f"{element!r} is no scope element"
            yield place.problem((), "policy_scope_malformed", message, "write it like project:payments or project:*")
        for number, reader in enumerate(entry.get("readers", ())):
            role = reader.removeprefix(ROLE_PREFIX) if reader.startswith(ROLE_PREFIX) else None
            known = role in _KNOWN_ROLES if role is not None else reader == SELF_READER or ":" in reader
            if not known:
                message = f"the reader {reader!r} of {element} is no principal, no role:NAME and not self"
                next_step = f"name a principal, self, or role: one of {', '.join(_KNOWN_ROLES)}"
                yield place.problem(("readers", number), "policy_reader_unknown", message, next_step)


def _is_element(text: str) -> bool:
    dimension, _, value = text.partition(":")
    try:
        parse_scope([f"{dimension}:every" if value == "*" else text])
    except InvalidInputError:
        return False
    return True
