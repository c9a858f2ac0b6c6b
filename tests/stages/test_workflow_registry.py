"""Workflows in the registry: read as written, checked by file and line, kept under the revision that they make."""

from __future__ import annotations

import pytest
from registry_builders import SMALL, built
from workflow_builders import DOCUMENTS, SHELL, WORKFLOWS

from heedful.bridges.build import registry_from_body
from heedful.bridges.check import check_registry, registry_diff
from heedful.bridges.compiled import compiled_bytes, registry_of_compiled
from heedful.bridges.restore import documents_of_body
from heedful.bridges.workflows import for_intent
from heedful.claims.projections.workflow import Environment
from heedful.kernel.ids import ActionClassId, WorkflowId
from heedful.kernel.scope import parse_scope
from heedful.kernel.times import parse_time
from heedful.observations.record import Subject
from heedful.policy.parse import Problem

AT_US = parse_time("2026-11-29", field="at").at_us
WEB = WorkflowId("web.staging")
STAGING = Environment(parse_scope(["environment:staging"]), (Subject("cluster", "eu-1"),))


def check(workflows: str) -> tuple[Problem, ...]:
    """The problems of the small registry with these workflows."""
    return check_registry([("a.yaml", SMALL), ("b.yaml", SHELL), ("c.yaml", workflows)], at_us=AT_US)


def test_a_workflow_is_read_as_it_is_written() -> None:
    """Every part; what a step's verification leaves out is the intent's."""
    workflow = built(*DOCUMENTS).workflows[WEB]

    assert (workflow.intent, str(workflow.environment), workflow.owner) == (
        "deploy.web",
        "environment:staging",
        "web team",
    )
    assert [each.proved_by for each in workflow.preconditions] == ["verification", "state", "approval"]
    assert [step.check.verifies for step in workflow.steps] == ["deploy.web", "deploy"]
    assert (workflow.exceptions[0].when, workflow.mode, workflow.pack) == (
        "The pods do not come up.",
        "enforce",
        "small",
    )
    assert workflow.is_current(AT_US)
    assert not workflow.is_current(parse_time("2027-05-01", field="at").at_us)
    assert not workflow.is_current(parse_time("2026-10-31", field="at").at_us)


def test_a_registry_without_any_has_the_revision_that_it_had() -> None:
    """What stores have kept so far stays what it is; with one, the revision is another, and says so."""
    without, with_one = built(SMALL, SHELL), built(*DOCUMENTS)

    assert "workflows" not in without.body_json
    assert registry_from_body(without.body_json) == without
    assert without.revision != with_one.revision
    assert [(each.section, each.entry) for each in registry_diff(without.body_json, with_one.body_json)] == [
        ("workflows", "web.staging")
    ]


def test_kept_and_compiled_it_is_the_same() -> None:
    """From its body, from its compiled bytes, and from the documents that a rollback writes."""
    registry = built(*DOCUMENTS)
    content = compiled_bytes(registry)
    again = documents_of_body(registry.body_json, (), built().body_json)

    assert content is not None
    assert registry_of_compiled(content) == registry_from_body(registry.body_json) == registry
    assert built(*(each for each in again if each[0] != "packs.yaml")).workflows == registry.workflows


def test_the_written_workflow_is_clean() -> None:
    """The control of every fault below."""
    assert check(WORKFLOWS) == ()


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("class: deploy.web", "class: deploy.wbe", "registry_reference_unknown"),
        ("verification: test.run", "verification: tests", "registry_reference_unknown"),
        ("kind: ops,", "kind: opps,", "registry_reference_unknown"),
        ("verifies: deploy}", "verifies: deployment}", "registry_reference_unknown"),
        ("class: deploy.web", "class: test.run", "workflow_intent_unmet"),
        ('"environment:staging"', '"staging"', "registry_value"),
        ('"environment:staging"', '"environment:*"', "registry_value"),
        ('{scope: ["environment:staging"]}', "{}", "registry_value"),
        ("proof: {approval: true}", "proof: {}", "registry_value"),
        ("proof: {approval: true}", "proof: {approval: true, verification: test.run}", "registry_value"),
        ("proof: {approval: true}", "proof: {approval: false}", "registry_value"),
        ('reviewed_at: "2026-11-01"', 'reviewed_at: "2026-13-41"', "registry_value"),
        ('reviewed_at: "2026-11-01"', 'reviewed_at: "2026-12-01"', "workflow_dates"),
        ('expires_at: "2027-05-01"', 'expires_at: "2026-10-01"', "workflow_dates"),
        ('expires_at: "2027-05-01"', 'expires_at: "2026-11-29"', "workflow_expired"),
        ('    expires_at: "2027-05-01"\n', "", "registry_field_missing"),
        ("    owner: web team\n", "", "registry_field_missing"),
        ("owner: web team", "owner: ' '", "workflow_unsaid"),
        ("query: docker manifest inspect, ", "", "workflow_verification_unsaid"),
        ("web:{{tag}}", "web:{{ Tag }}", "workflow_variable_malformed"),
        ("web:{{tag}}", "web:{{image-tag}}", "workflow_variable_malformed"),
        ("web:{{tag}}", "web:{{1st}}", "workflow_variable_malformed"),
        ("web:{{tag}}", "web:{{标签}}", "workflow_variable_malformed"),
        ("web:{{tag}}", "web:{{tag}", "workflow_variable_malformed"),
        ("web:{{tag}}", "web:{{tag", "workflow_variable_malformed"),
        ("web:{{tag}}", "web:{{tag --quiet", "workflow_variable_malformed"),
        ("docker push web:{{tag}}", "{{command}}", "workflow_step_open"),
        ("docker push web:{{tag}}", "podman push web:{{tag}}", "workflow_step_unknown"),
        (
            'tool: Bash\n        input: {command: "docker',
            'tool: Teleport\n        input: {command: "docker',
            "workflow_step_unknown",
        ),
        ("zh: [发布网站]", "zh: ['?!']", "phrase_too_short"),
        ("mode: enforce", "mode: always", "registry_word_unknown"),
    ],
)
def test_each_fault_is_found(old: str, new: str, code: str) -> None:
    """One piece is spoilt; the check names that, at a line of the file that it is in."""
    assert old in WORKFLOWS
    problems = check(WORKFLOWS.replace(old, new, 1))
    found = [problem for problem in problems if problem.code == code]

    assert found, problems
    assert all(problem.file == "c.yaml" and problem.next_step for problem in found)
    assert all(1 < problem.line <= WORKFLOWS.count("\n") for problem in found)


def test_an_expired_one_is_still_in_the_registry() -> None:
    """`check` says so, and whoever asks is told that it has expired: it does not vanish."""
    late = WORKFLOWS.replace("2027-05-01", "2026-11-02")
    assert WEB in built(SMALL, SHELL, late).workflows


@pytest.mark.parametrize(
    ("scope", "named", "holds"),
    [
        (["environment:staging"], [("cluster", "eu-1")], True),
        (["environment:staging", "project:garden", "cluster:eu-1"], [], True),
        (["environment:staging"], [], False),
        (["environment:staging"], [("cluster", "eu-2")], False),
        (["environment:staging", "cluster:eu-2"], [("cluster", "eu-1")], False),
        (["environment:production"], [("cluster", "eu-1")], False),
        (["environment:staging2"], [("cluster", "eu-1")], False),
        (["project:garden"], [("cluster", "eu-1")], False),
        ([], [("cluster", "eu-1")], False),
    ],
)
def test_an_environment_holds_where_all_of_it_is_named(
    scope: list[str], named: list[tuple[str, str]], holds: bool
) -> None:
    """By whole values; an element of the scope that says otherwise outweighs what is named besides."""
    assert STAGING.holds_for(parse_scope(scope), [Subject(*each) for each in named]) is holds


@pytest.mark.parametrize(
    ("scope", "named", "has"),
    [
        (["environment:staging"], [], True),
        (["environment:staging", "project:garden"], [("cluster", "eu-1"), ("file", "a")], True),
        (["environment:staging"], [("cluster", "eu-2")], False),
        (["environment:staging", "cluster:eu-2"], [], False),
        (["project:garden"], [("cluster", "eu-1")], False),
        ([], [], False),
    ],
)
def test_a_record_is_of_an_environment_where_its_scope_says_so(
    scope: list[str], named: list[tuple[str, str]], has: bool
) -> None:
    """One that holds for the whole project may be of any environment, so it is surely of none."""
    assert STAGING.has_record(parse_scope(scope), [Subject(*each) for each in named]) is has


def test_an_intent_is_told_by_class_or_by_phrase() -> None:
    """A class below counts; another class and other words do not."""
    workflows = tuple(built(*DOCUMENTS).workflows.values())
    narrower, wider, other = (ActionClassId(name) for name in ("deploy.web.blue", "deploy", "cook"))

    assert for_intent(workflows, [narrower]) == workflows
    assert for_intent(workflows, [], "Please ship the new web server") == workflows
    assert for_intent(workflows, [], "帮我发布网站") == workflows
    assert for_intent(workflows, [wider, other], "Please ship the parcel") == ()
