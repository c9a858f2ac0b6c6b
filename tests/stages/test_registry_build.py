"""Documents -> Registry: revisions, overrides, packs, references."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from registry_builders import SMALL, built, delivery, delivery_documents

from heedful.bridges.build import RegistryProblems, build_registry, registry_from_body
from heedful.bridges.check import Change, registry_diff
from heedful.kernel.digest import sha256_hex
from heedful.kernel.ids import ActionClassId, BridgeId, KindId
from heedful.kernel.ladder import Decision, Impact, Mode

MINE = "kinds:\n  diet.taste:\n    override: true\n    risk: medium\n"


def codes_of(*documents: tuple[str, str]) -> list[tuple[str, int, str]]:
    """(file, line, code) of each problem."""
    registry = build_registry(documents)
    assert isinstance(registry, RegistryProblems)
    return [(problem.file, problem.line, problem.code) for problem in registry.problems]


def test_the_revision_is_the_digest_of_the_body() -> None:
    """Anybody who has the body can check the revision."""
    registry = built(SMALL)
    assert registry.revision == sha256_hex(registry.body_json.encode())


@given(st.permutations(delivery_documents()))
@settings(max_examples=20)  # each builds the whole pack
def test_the_order_of_documents_changes_nothing(documents: list[tuple[str, str]]) -> None:
    """The same files in any order have one revision and one registry."""
    assert build_registry(documents) == delivery()


def test_comments_and_the_order_of_keys_change_nothing_and_a_word_does() -> None:
    """Only what a document says counts; the control shows that a changed word is noticed."""
    turned = SMALL.replace("solo: true\n  unreviewed: advisory", "unreviewed: advisory # yes\n  solo: true\n# end")
    assert turned != SMALL
    assert built(turned).revision == built(SMALL).revision
    assert built(SMALL.replace("common sense", "experience")).revision != built(SMALL).revision


def test_a_registry_comes_back_from_its_body() -> None:
    """What the ledger keeps by hash is enough to decide as then."""
    for registry in (built(SMALL), delivery()):
        assert registry_from_body(registry.body_json) == registry


def test_types_and_defaults_are_as_written() -> None:
    """Fields reach the dataclasses, and what is left out has its stated default."""
    registry = built(SMALL)
    bridge = registry.bridges[BridgeId("cook.allergy")]
    assert (bridge.effect, bridge.mode, bridge.certainty, bridge.contested) == (
        Decision.DENY, Mode.ENFORCE, "established", False,
    )  # fmt: skip
    assert bridge.pack == "small"
    assert [example.text for example in bridge.must_fire] == ["Bake macarons", "做饭要用坚果"]
    assert registry.packs == {"small": "1"}
    assert registry.vocabulary.action_classes[ActionClassId("inert")].mode is Mode.ADVISE
    assert [(tool.tool, tool.action_class, tool.impact) for tool in registry.policy.tools] == [
        ("oven.*", "cook", Impact.EXECUTE), ("shelf.look", None, Impact.READ),
    ]  # fmt: skip


def test_without_a_policy_everything_is_denied() -> None:
    """No document states a policy: no principal, no scope, no approval."""
    policy = built("kinds: {}").policy
    assert (policy.solo, policy.unreviewed, policy.principals, policy.auto_approve.enabled) == (
        False, "hidden", {}, False,
    )  # fmt: skip
    assert policy.deny_on_evidence_label == ("insufficient", "stale", "revoked")


def test_an_override_changes_what_it_names_and_nothing_else() -> None:
    """The user's file wins over the pack's, whichever is read first, only with `override: true`."""
    for name in ("0/mine.yaml", "z/mine.yaml"):
        kind = built(("p/small.yaml", SMALL), (name, MINE)).vocabulary.kinds[KindId("diet.taste")]
        assert (kind.risk, kind.form, kind.pack) == ("medium", "preference", "small")


def test_an_id_twice_is_a_problem_without_an_override() -> None:
    """The denial of the test above."""
    again = "kinds:\n  diet.taste: {description: B., form: fact, cardinality: one, comparator: text, risk: low}\n"
    assert codes_of(("p/small.yaml", SMALL), ("z.yaml", again)) == [("z.yaml", 2, "registry_id_twice")]


def test_an_override_needs_something_to_override_and_is_alone() -> None:
    """Two overrides of one entry would depend on their order; an override of nothing is a slip of the pen."""
    assert codes_of(("a.yaml", MINE)) == [("a.yaml", 2, "registry_override_of_nothing")]
    twice = codes_of(("p/small.yaml", SMALL), ("a.yaml", MINE), ("b.yaml", MINE))
    assert twice == [("b.yaml", 2, "registry_id_twice")]


def test_a_policy_field_is_set_once() -> None:
    """Two documents that set one field would depend on their order."""
    assert codes_of(("a.yaml", SMALL), ("b.yaml", "policy:\n  solo: false\n")) == [
        ("b.yaml", 2, "registry_policy_twice")
    ]
    both = built(SMALL, 'policy:\n  principals: {"person:bo": {roles: [reviewer]}}\n')
    assert sorted(both.policy.principals) == ["person:ana", "person:bo"]


def test_a_folder_is_one_pack() -> None:
    """Entries belong to the pack that their folder declares, else to the store itself."""
    mine = "action_classes:\n  sleep: {description: Rest., on_no_bridge: retrieve}\n"
    classes = built(("p/small.yaml", SMALL), ("mine.yaml", mine)).vocabulary.action_classes
    assert (classes[ActionClassId("cook")].pack, classes[ActionClassId("sleep")].pack) == ("small", "local")
    pack = "pack: {name: other, version: '1', description: x, licence: MIT}\n"
    assert codes_of(("p/small.yaml", SMALL), ("p/z.yaml", pack)) == [("p/z.yaml", 1, "registry_pack_twice")]


def test_a_reference_to_nothing_is_a_problem_where_it_stands() -> None:
    """Classes of bridges, kinds, tools and policy, and kinds of bridges; a family of kinds counts as there."""
    broken = (
        SMALL.replace("from: [cook]\n    when", "from: [cool]\n    when")
        .replace("activates: [diet.allergy]", "activates: [diet.alergy]")
        .replace("class: cook,", "class: bake,")
        .replace("applies_to: [cook]}", "applies_to: [cooking]}")
        + "  require_current_verification_for: [fly]\n"
    )
    found = build_registry([("a.yaml", broken)])
    assert isinstance(found, RegistryProblems)
    assert {problem.path for problem in found.problems} == {
        "bridges/cook.allergy/from/0", "bridges/cook.allergy/activates/0", "tools/oven/class",
        "kinds/diet.taste/applies_to/0", "policy/require_current_verification_for/0",
    }  # fmt: skip
    assert any(problem.next_step == "did you mean cook?" for problem in found.problems)


def test_a_value_that_cannot_be_read_is_a_problem() -> None:
    """Expressions and dates are tried when the registry is built, not when a request waits."""
    broken = SMALL.replace("tool: oven.*,", "tool: oven.*, arguments: {heat: '('},").replace(
        "owner: the cook\n    mode", "owner: the cook\n    expires: 2026-13-01\n    mode", 1
    )
    assert {code for _, _, code in codes_of(("a.yaml", broken))} == {"registry_regex", "registry_value"}


def test_tools_and_commands_multiply_into_patterns() -> None:
    """One entry may list several tools and several commands."""
    text = "tools:\n  t: {tool: [a, b], commands: [x *, y], impact: read}\nshell_tools: {a: command}\n"
    registry = built(text)
    assert [(one.tool, one.command) for one in registry.policy.tools] == [
        ("a", "x *"), ("a", "y"), ("b", "x *"), ("b", "y"),
    ]  # fmt: skip
    assert registry.policy.shell_tools == {"a": "command"}


def test_a_shell_tool_has_one_argument() -> None:
    """Two documents that disagree on it are a problem; agreeing is fine."""
    left, right = "shell_tools: {a: command}\n", "shell_tools: {a: script}\n"
    assert codes_of(("a.yaml", left), ("b.yaml", right)) == [("b.yaml", 1, "registry_id_twice")]
    assert built(left, left).policy.shell_tools == {"a": "command"}


def test_a_diff_names_what_came_went_and_changed() -> None:
    """By section and entry, with the fields that differ."""
    old = built(SMALL).body_json
    changed = SMALL.replace("common sense", "experience").replace("  shelf: {tool: shelf.look, impact: read}\n", "")
    changed = changed.replace("solo: true", "solo: false").replace('"person:ana"', '"person:bo"')
    assert registry_diff(old, built(changed).body_json) == (
        Change("bridges", "cook.taste", "changed", ("evidence",)),
        Change("tools", "shelf", "removed", ()),
        Change("policy", "principals/person:ana", "removed", ()),
        Change("policy", "principals/person:bo", "added", ()),
        Change("policy", "solo", "changed", ()),
    )
    assert registry_diff(old, old) == ()
