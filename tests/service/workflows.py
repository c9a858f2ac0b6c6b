"""A house with workflows: its registry, runs that are recorded in it, and what people and hooks say of them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from worlds import TWO_PEOPLE, World

from heedful import Memory
from heedful.adapters.registry_files import pack_documents, registry_of
from heedful.bridges.registry import Registry
from heedful.gate.verdict import Verdict

STAGING = ("project:payments", "environment:staging")
PRODUCTION = ("project:payments", "environment:production")
PUSH = "docker push web:1.2"
APPLY = "kubectl --context staging apply -f web.yaml"
POLICY = TWO_PEOPLE.replace(
    '"agent:*": {roles: [agent], clearance: sensitive, grants: ["project:payments"]}',
    '"agent:*": {roles: [agent], clearance: sensitive, grants: ["project:payments", "environment:*"]}',
).replace(
    '"person:cyd": {roles: [reviewer], clearance: normal, grants: ["project:payments"]}',
    '"person:cyd": {roles: [reviewer], clearance: normal, grants: ["project:*", "environment:*"]}',
)
VOCABULARY = """\
action_classes:
  web: {description: The web server., on_no_bridge: retrieve, mode: enforce, phrases: {en: [roll out the web server]}}
  web.staging: {description: In staging., on_no_bridge: retrieve, mode: enforce}
  web.tests: {description: Its tests., on_no_bridge: retrieve, mode: enforce}
kinds:
  web.incident:
    {description: I., form: state, cardinality: one, comparator: text, risk: low, applies_to: [web], expiry_test: Ask.}
tools:
  web.push: {tool: Ship, class: web, impact: execute}
  web.apply: {tool: Roll, class: web, impact: execute}
  web.look: {tool: Look, impact: read}
"""
WORKFLOWS = """\
workflows:
  web.staging:
    description: A new web server in staging.
    intent: {class: web, phrases: {en: [ship ... web server], zh: [发布网站]}}
    environment: {scope: ["environment:staging"]}
    steps:
      - tool: Ship
        input: {image: "web:{{tag}}"}
        expected_effect: The image is in the registry.
        verification: {query: docker manifest inspect, expected: the digest is shown}
      - tool: Roll
        input: {manifest: "{{manifest}}"}
        expected_effect: The new pods run.
        verification: {tool: Look, expected: rolled out}
    exceptions:
      - {when: The pods do not come up., response: Roll back and tell the owner.}
    owner: web team
    reviewed_at: "2026-11-01"
    expires_at: "2027-05-01"
    authority: maintainer-approved
    mode: enforce
"""
RUN = "run-1"
WANTS, CURRENT = "workflow-precondition:web.staging", "workflow-current:web.staging"
SHIP = {"image": "web:1.2"}
ROLL = {"manifest": "web.yaml"}
TESTS = "      - {text: The tests are green., proof: {verification: web.tests}}\n"
CALM = "      - {text: No incident is open., proof: {state: {kind: web.incident, value: none}}}\n"
ASKED = "      - {text: The owner knows., proof: {approval: true}}\n"


@cache
def registry(workflows: str = WORKFLOWS, policy: str = POLICY, vocabulary: str = VOCABULARY) -> Registry:
    """The bundled pack with these workflows."""
    return registry_of((*pack_documents("delivery"), ("p.yaml", policy), ("v.yaml", vocabulary), ("w.yaml", workflows)))


def wanting(*preconditions: str) -> str:
    """The workflow with these preconditions."""
    return WORKFLOWS.replace("    steps:\n", f"    preconditions:\n{''.join(preconditions)}    steps:\n")


def settle(house: World, workflows: str = WORKFLOWS, policy: str = POLICY, vocabulary: str = VOCABULARY) -> World:
    """The house, in which these workflows are in force."""
    house.app.registry = registry(workflows, policy, vocabulary)
    return house


def call(house: World, run: str, tool: str, args: dict[str, Any], memory: Memory | None = None, **more: Any) -> str:
    """The record of a call in a run, as a hook copies it; in staging where nothing else is said."""
    capture = memory or house.memory("person:ana", channel="capture")
    fields = {"scope": STAGING, "attributes": {"tool": tool, "tool_use_id": f"{run}-{tool}"}, **more}
    content = json.dumps({"name": tool, "input": args})
    return capture.remember(content, record_type="tool_call", run_id=run, **fields).record_id


def verify(
    house: World,
    run: str | None,
    memory: Memory | None = None,
    *,
    passed: bool = True,
    verifies: str = "web",
    **more: Any,
) -> str:
    """The record of a verification; Ana's own where nobody else is named."""
    fields = {"scope": STAGING, "attributes": {"verifies": verifies, "passed": passed}, **more}
    return (memory or house.ana).remember("looked", record_type="verification", run_id=run, **fields).record_id


def judged(house: World, tool: str = "Roll", args: dict[str, Any] | None = None, **more: Any) -> Verdict:
    """The verdict on a step; the second one where none is named, in staging and in the run."""
    given = ROLL if tool == "Roll" else SHIP
    return house.agent.judge(tool, given if args is None else args, **{"scope": STAGING, "run": RUN, **more})


def spoken(verdict: Verdict) -> dict[str, str]:
    """Rule of a workflow -> its decision."""
    return {each.rule: each.decision.value for each in verdict.rulings if each.rule.startswith("workflow-")}


def incident(house: World, value: str, scope: Any = STAGING, **more: Any) -> str:
    """The id of a claim about incidents, not approved yet."""
    told = house.ana.remember(f"incident: {value}", kind="web.incident", value=value, scope=scope, **more)
    return told.claims[0].claim_id
