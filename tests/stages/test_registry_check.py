"""`registry check`: each thing that it must find, beside the same registry without it."""

from __future__ import annotations

import pytest
from registry_builders import SMALL, delivery_documents

from heedful.bridges.check import check_registry
from heedful.kernel.times import parse_time
from heedful.policy.parse import Problem

APPROVAL = "{enabled: true, forms: [fact], kind_risks: [low], classifications: [normal], consent_explicit: true}"
AT_US = parse_time("2026-11-29", field="at").at_us


def check(*documents: str) -> tuple[Problem, ...]:
    """The problems of these documents."""
    return check_registry([(f"{number}.yaml", text) for number, text in enumerate(documents)], at_us=AT_US)


def test_the_small_registry_is_clean() -> None:
    """The control of every test below."""
    assert check(SMALL) == ()


def test_the_bundled_pack_is_clean() -> None:
    """Every example of the delivery pack fires, or does not, as it says."""
    assert [str(problem) for problem in check_registry(delivery_documents(), at_us=AT_US)] == []


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("effect: deny\n", "effect: deny\n    contested: true\n", "bridge_effect_capped"),
        ("effect: deny\n", "effect: deny\n    certainty: probable\n", "bridge_effect_capped"),
        ("source_opened: true", "source_opened: false", "bridge_effect_capped"),
        ("effect: deny\n", "effect: notice\n", "bridge_high_risk"),
        ("owner: the cook", "owner: ' '", "bridge_unsaid"),
        ("evidence: common sense", "evidence: ' '", "bridge_unsaid"),
        ("effect: deny\n", "effect: deny\n    expires: 2026-11-29\n", "bridge_expired"),
        ("effect: deny\n", "effect: deny\n    expires: 2026-13-40\n", "registry_value"),
        ("entity: type", "entity: typo", "bridge_predicate_unknown"),
        ("values: [allergen]", "values: [allergen, dish]", "bridge_predicate_values"),
        (", must_not_fire: [Bake bread, 做饭吃面条]", "", "bridge_example_missing"),
        ("must_fire: [Bake macarons, ", "must_fire: [Bake bread, ", "bridge_example_silent"),
        ("must_not_fire: [Bake bread, ", "must_not_fire: [Bake macarons, ", "bridge_example_fires"),
        ("applies_to: [cook], expiry_test: Ask.", "applies_to: [travel], expiry_test: Ask.", "bridge_example_silent"),
        ("applies_to: [cook], expiry_test: Ask.", "applies_to: [cook]", "kind_expiry_test_missing"),
        (
            "risk: low, applies_to: [cook]",
            "risk: low, applies_to: [cook.guests], not_for: [cook]",
            "kind_silences_itself",
        ),
        ("  cook: {", "  sleep.long: {description: R., on_no_bridge: ask}\n  cook: {", "class_parent_missing"),
        ("en: [cook, bake]", "en: [co, bake]", "phrase_too_short"),
        ("zh: [做饭]", "zh: [做]", "phrase_too_short"),
        ("en: [cook, bake]", "en: [cook, '?!?', bake]", "phrase_too_short"),
        ("en: [cook, bake]", "en: [cook, bake, books ... flights]", "phrase_shared"),
        ("roles: [owner]", "roles: [reviewer]", "policy_no_owner"),
        ("roles: [owner]", "roles: [owner, agent]", "policy_agent_governs"),
        ('"person:ana": {', '"person:*": {', "policy_everyone_governs"),
        ("roles: [owner]", "roles: [owner, agent], speaks_for: ['user:tim']", "policy_agent_speaks"),
        ('"person:ana": {', '"person:*": {speaks_for: ["user:tim"], ', "policy_everyone_speaks"),
        ("roles: [owner]", "roles: [owner], speaks_for: [tim]", "registry_value"),
        ('grants: ["*"]', "grants: [garden]", "policy_grant_malformed"),
        ('grants: ["*"]', 'grants: ["*"], denied_kinds: [no.such-kind]', "registry_reference_unknown"),
        ('grants: ["*"]', 'grants: ["*"], denied_kinds: ["%"]', "registry_value"),
        ("solo: true", "solo: true\n  scopes: {'user:ana': {readers: [everyone]}}", "policy_reader_unknown"),
        ("solo: true", "solo: true\n  scopes: {'user:ana': {readers: ['role:boss']}}", "policy_reader_unknown"),
        ("solo: true", 'solo: true\n  scopes: {"user:a\\u0007b": {readers: [self]}}', "policy_scope_malformed"),
        (
            "solo: true",
            "solo: true\n  auto_approve: " + APPROVAL.replace("[low]", "[high]"),
            "policy_auto_approve_high_risk",
        ),
        (
            "solo: true",
            "solo: true\n  auto_approve: " + APPROVAL.replace("[fact]", "[workflow]"),
            "policy_auto_approve_rule",
        ),
    ],
)
def test_each_fault_is_found(old: str, new: str, code: str) -> None:
    """One piece of the clean registry is spoilt; the check names exactly that, with a line that lies in the file."""
    assert old in SMALL
    problems = check(SMALL.replace(old, new, 1))
    assert code in {problem.code for problem in problems}
    assert all(1 <= problem.line <= SMALL.count("\n") + 2 and problem.next_step for problem in problems)


SECOND_PACK = """\
pack: {name: second, version: "1", description: A pack for tests., licence: Apache-2.0}
action_classes:
  bakery: {description: Bread is sold., on_no_bridge: retrieve, phrases: {en: [WORDS]}, mode: enforce}
"""


def test_two_packs_may_have_one_phrase_for_two_classes() -> None:
    """They are written apart, and both classes are told; within one pack (the control) it is a fault."""
    second = SECOND_PACK.replace("WORDS", "bake")
    apart = check_registry([("small/a.yaml", SMALL), ("second/a.yaml", second)], at_us=AT_US)
    assert [problem.code for problem in apart] == []
    within = check_registry([("small/a.yaml", SMALL), ("small/b.yaml", second.partition("\n")[2])], at_us=AT_US)
    assert [problem.code for problem in within] == ["phrase_shared"]


def test_several_faults_are_all_reported_in_order() -> None:
    """No fault hides another, and the order is that of the file."""
    spoilt = SMALL.replace("effect: deny", "effect: notice").replace("owner: the cook", "owner: ' '")
    found = [(problem.line, problem.code) for problem in check(spoilt)]
    assert {code for _, code in found} >= {"bridge_high_risk", "bridge_unsaid"}
    assert found == sorted(found)


def test_faults_of_meaning_are_told_beside_faults_of_form() -> None:
    """A broken second file does not keep the first from being checked, only its examples from being run."""
    problems = check(SMALL.replace("effect: deny", "effect: notice"), "kinds: [")
    assert {problem.code for problem in problems} >= {"bridge_high_risk", "yaml_malformed"}
