"""Policy answers: every permission beside its denial."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from registry_builders import built

from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope, parse_scope
from heedful.policy.decide import (
    GOVERNING_VERBS,
    Verb,
    clearance,
    denied_kinds,
    element_reading,
    form_allowed,
    is_agent,
    may,
    may_write,
    readable_scopes,
)
from heedful.policy.model import Policy

VERBS: tuple[Verb, ...] = get_args(Verb)
POLICY = built(
    """\
policy:
  principals:
    "person:ana": {roles: [owner], clearance: restricted, grants: ["*"]}
    "person:bo": {roles: [reviewer], clearance: sensitive, grants: ["project:garden"]}
    "person:cy": {roles: [], grants: ["team:*"], denied_kinds: [health, money.salary]}
    "person:di": {roles: [auditor]}
    "person:ed": {roles: [operator], grants: []}
    "agent:*": {roles: [agent], grants: ["project:*"], denied_kinds: [health]}
    "agent:rogue": {roles: [owner, reviewer, operator, auditor], grants: ["*"]}
    "service:bot": {roles: [agent, owner], grants: []}
  scopes:
    "project:garden": {readers: ["person:cy", "role:auditor"], allowed_forms: [state, workflow]}
    "project:*": {readers: ["role:operator"]}
    "user:*": {readers: [self]}
kinds:
  health.diet: {description: What one eats., form: fact, cardinality: many, comparator: text, risk: low}
  money.salary: {description: What one earns., form: fact, cardinality: one, comparator: number, risk: low}
"""
).policy


def allowed(principal: str) -> set[Verb]:
    """The verbs that the principal has."""
    return {verb for verb in VERBS if may(POLICY, principal, verb).allowed}


@pytest.mark.parametrize(
    ("principal", "expected"),
    [
        ("person:ana", set(VERBS)),
        ("person:bo", {"remember", "recall", "judge", "report_outcome", "propose", "mark", "approve", "withdraw"}),
        ("person:cy", {"remember", "recall", "judge", "report_outcome", "propose", "mark"}),
        (
            "person:di",
            {"remember", "recall", "judge", "report_outcome", "propose", "mark", "audit", "export_ledger", "hold"},
        ),
        (
            "person:ed",
            {
                "remember",
                "recall",
                "judge",
                "report_outcome",
                "propose",
                "withdraw",
                "set_mode",
                "state_rule",
                "import",
                "maintain",
                "mark",
                "promote",
            },
        ),
        ("agent:any", {"remember", "recall", "judge", "report_outcome", "propose"}),
        ("agent:rogue", set(VERBS) - GOVERNING_VERBS),
        ("service:bot", set(VERBS) - GOVERNING_VERBS),
        ("person:nobody", set()),
        ("", set()),
    ],
)
def test_each_role_has_its_verbs_and_no_others(principal: str, expected: set[Verb]) -> None:
    """Unknown principals have none; agents never govern, whatever roles they hold."""
    assert allowed(principal) == expected


@given(st.text(max_size=20), st.sampled_from(VERBS))
def test_whoever_policy_does_not_name_may_nothing(name: str, verb: Verb) -> None:
    """Deny by default, with a reason."""
    answer = may(POLICY, f"stranger:{name}", verb)
    assert not answer.allowed
    assert answer.reason


@given(st.lists(st.sampled_from(["owner", "reviewer", "operator", "auditor", "agent"]), max_size=5))
def test_no_set_of_roles_lets_an_agent_govern(roles: list[str]) -> None:
    """Approve, withdraw, set mode and state rule stay with people."""
    policy = built(f'policy:\n  principals:\n    "agent:x": {{roles: [{", ".join(roles)}]}}\n').policy
    assert not any(may(policy, "agent:x", verb).allowed for verb in GOVERNING_VERBS)


def keys(principal: str, *elements: str, policy: Policy = POLICY) -> list[tuple[str, ...]]:
    """The elements of each readable scope."""
    return [scope.elements for scope in readable_scopes(policy, principal, parse_scope(elements))]


def test_an_owner_reads_every_subset_and_the_tenant() -> None:
    """`*` grants every element, and records without scope."""
    assert keys("person:ana", "project:garden", "user:bo") == [
        (), ("project:garden",), ("user:bo",), ("project:garden", "user:bo"),
    ]  # fmt: skip


def test_only_subsets_whose_every_element_is_granted_are_read() -> None:
    """Bo has the garden, not the team; the empty scope needs the tenant-wide grant."""
    assert keys("person:bo", "project:garden", "team:sre") == [("project:garden",)]
    assert keys("person:bo", "project:gardening") == []
    assert keys("person:bo", "team:sre") == []


def test_a_grant_of_a_dimension_covers_every_value_of_it() -> None:
    """`team:*` is any team, and no project."""
    assert keys("person:cy", "team:sre", "project:other") == [("team:sre",)]


def test_readers_name_principals_roles_and_oneself() -> None:
    """By name, by role, and `self` where the value is the principal's own name."""
    assert keys("person:cy", "project:garden") == [("project:garden",)]
    assert keys("person:di", "project:garden") == [("project:garden",)]
    assert keys("person:cy", "user:cy") == [("user:cy",)]
    assert keys("person:cy", "user:ana") == []
    assert keys("person:cy", "user:c") == []


def test_an_agent_is_nobody_s_self() -> None:
    """An agent that is called like a person does not become that person."""
    assert keys("agent:cy", "user:cy") == []


def test_the_rule_of_an_element_replaces_that_of_its_dimension() -> None:
    """Operators read every project but the garden, whose own readers do not name them."""
    assert keys("person:ed", "project:other") == [("project:other",)]
    assert keys("person:ed", "project:garden") == []


def test_an_unknown_principal_reads_nothing() -> None:
    """Not even a scope that is its own name."""
    assert keys("person:nobody", "user:nobody", "project:garden") == []
    assert clearance(POLICY, "person:nobody") is None
    assert not element_reading(POLICY, "person:nobody", "user:nobody").allowed


@given(st.sets(st.sampled_from(["project:garden", "team:sre", "user:cy", "task:1", "environment:prod"])))
def test_what_is_read_always_applies_to_the_request(elements: set[str]) -> None:
    """No principal ever reads a scope that is no part of the request's."""
    request = parse_scope(elements)
    for principal in ("person:ana", "person:bo", "person:cy", "agent:any"):
        found = readable_scopes(POLICY, principal, request)
        assert all(scope.applies_to(request) for scope in found)
        assert len(set(found)) == len(found)


def test_clearance_is_the_principal_s_own() -> None:
    """As policy says; normal where it says nothing."""
    assert clearance(POLICY, "person:ana") is Classification.RESTRICTED
    assert clearance(POLICY, "person:cy") is Classification.NORMAL


def test_reading_is_not_writing() -> None:
    """Grants let write, and so does one's own scope; being a reader does not."""
    garden = parse_scope(["project:garden"])
    assert may_write(POLICY, "person:bo", garden).allowed
    assert not may_write(POLICY, "person:cy", garden).allowed
    assert may_write(POLICY, "person:cy", parse_scope(["user:cy"])).allowed
    assert not may_write(POLICY, "person:cy", parse_scope(["user:bo"])).allowed
    assert may_write(POLICY, "person:ana", Scope(())).allowed
    assert not may_write(POLICY, "person:bo", Scope(())).allowed
    assert not may_write(POLICY, "person:nobody", garden).allowed


def test_a_scope_allows_its_forms_only() -> None:
    """The garden takes states and workflows; a scope without a list takes any."""
    garden = parse_scope(["project:garden", "user:cy"])
    assert form_allowed(POLICY, garden, "state").allowed
    denied = form_allowed(POLICY, garden, "preference")
    assert (denied.allowed, denied.reason) == (False, "project:garden allows state, workflow; not preference")
    assert form_allowed(POLICY, parse_scope(["user:cy"]), "preference").allowed


def test_the_role_agent_makes_an_agent() -> None:
    """A service with that role counts as one; a person does not."""
    assert is_agent(POLICY, "service:bot")
    assert is_agent(POLICY, "agent:unheard-of")
    assert not is_agent(POLICY, "person:ana")


def test_denied_kinds_are_those_of_the_principal_or_of_its_type() -> None:
    """A family may be named that has kinds below it alone; its own entry stands in place of the type's."""
    assert denied_kinds(POLICY, "person:cy") == ("health", "money.salary")
    assert denied_kinds(POLICY, "agent:any") == ("health",)
    for principal in ("agent:rogue", "person:ana", "person:nobody", ""):
        assert denied_kinds(POLICY, principal) == ()
