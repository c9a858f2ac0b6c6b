"""What is done and seen in worlds of runs: calls, outputs, failures, changes; and the registry that reads them."""

from __future__ import annotations

import json
import random
from typing import Any

PROJECTORS = """
projectors:
  web.probe:
    description: What a probe found.
    authority: the probe
    owner: web team
    tools: [Probe]
    record_types: [tool_result]
    assurance: verified
    kind: health.probe
    schema: {type: object, required: [probe, found], properties: {probe: {type: string}, found: {type: string}}}
    jmespath: {name: probe, found: found}
    subject: "service:{name}"
    property: health
    value: "{found}"
    expires_seconds: 7200
    examples:
      must:
        - {tool: Probe, output: '{"probe": "web", "found": "well"}', subject: "service:web", property: health,
           value: well}
      must_not:
        - {tool: Probe, output: '{"found": "well"}'}
        - {tool: Probe, output: '{"probe": "web", "found": "well"}', subject: "service:web", property: health,
           value: well, after_seconds: 7200}
"""
"""What a probe found: a state that lasts two hours."""

REGISTRY = (
    PROJECTORS
    + """
action_classes:
  web: {description: The web server., on_no_bridge: retrieve, mode: enforce, phrases: {en: [roll out the web server]}}
  web.tests: {description: Its tests., on_no_bridge: retrieve, mode: enforce}
kinds:
  health.probe:
    {description: How a probe found something., form: state, cardinality: one, comparator: text, risk: low,
     expiry_test: A new probe.}
tools:
  web.push: {tool: Ship, class: web, impact: execute}
  web.apply: {tool: Roll, class: web, impact: execute}
  web.look: {tool: Look, impact: read}
  web.probe: {tool: Probe, impact: read}
workflows:
  web.staging:
    description: A new web server in staging.
    intent: {class: web, phrases: {en: [ship ... web server]}}
    environment: {scope: ["environment:staging"]}
    preconditions:
      - {text: The tests are green., proof: {verification: web}}
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
)
"""A workflow for staging, and a projector of a kind that some are denied."""

POD, SERVICE = "pod:shop/web", "service:web"
RUNS = ("run-1", "run-2", "run-3")
SHIPPING = ("ship-1", "ship-2", "ship-3")
"""Runs in which the web server is shipped; little else is done in them, since a run with an error is no example."""
NAMED = ("1f9ebeb", "a03c77d", "CHG-4411", "CHG-5120")
PODS = (("1/1", "Running"), ("0/1", "Running"), ("0/1", "CrashLoopBackOff"))
FAILED: dict[str, Any] = {
    "content": "error: image 7 is not transcoded yet",
    "record_type": "tool_result",
    "grade": "tool",
    "attributes": {"is_error": True},
    "subjects": [("service", "upload")],
}
"""The failure that comes again."""
OVER: dict[str, Any] = {**FAILED, "content": "passed", "record_type": "verification", "attributes": {"passed": True}}
"""That it has gone."""
QUESTIONS = (
    ("is the image of the upload transcoded?", "gotcha"),
    ("why is the image not transcoded yet?", "gotcha"),
    ("why did 1f9ebeb fail?", "causal"),
    ("what is the state of the web pod now?", "state"),
    ("how is the web server shipped?", "workflow"),
    ("does staging have what production has?", "premise"),
    ("roll out the web server", "general"),
)
SHIP, ROLL = ("Ship", {"image": "web:1.2"}), ("Roll", {"manifest": "web.yaml"})


def call_of(rng: random.Random, run: str, tool: str) -> dict[str, Any]:
    """A call in a run, by its record."""
    args = {"image": f"web:{rng.randrange(4)}.{rng.randrange(9)}"} if tool == "Ship" else {"manifest": "web.yaml"}
    return {
        "content": json.dumps({"name": tool, "input": args}),
        "record_type": "tool_call",
        "attributes": {"tool": tool, "tool_use_id": f"{run}-{tool}"},
    }


def verified(rng: random.Random, of: str = "web", *, surely: bool = False) -> dict[str, Any]:
    """That somebody looked, and what came of it; `surely`: that all was well."""
    is_there = surely or rng.random() < 0.85
    return {
        "content": "looked",
        "record_type": "verification",
        "grade": "user",
        "attributes": {"verifies": of, "passed": is_there},
    }


def failed(rng: random.Random) -> dict[str, Any]:
    """The failure that comes again, or another."""
    what = "image {} is not transcoded yet" if rng.random() < 0.8 else "disk {} is full"
    return {
        "content": "error: " + what.format(rng.randrange(100, 999)),
        "record_type": "tool_result",
        "grade": "tool",
        "attributes": {"is_error": True},
        "subjects": [("service", "upload" if rng.random() < 0.85 else "mail")],
    }


def succeeded(rng: random.Random) -> dict[str, Any]:
    """The same thing, once it works."""
    kind = rng.choice(("tool_result", "verification"))
    attributes = {"is_error": False} if kind == "tool_result" else {"passed": True}
    return {
        "content": "image is there",
        "record_type": kind,
        "grade": "tool",
        "attributes": attributes,
        "subjects": [("service", "upload")],
    }


def pods_seen(rng: random.Random) -> dict[str, Any]:
    """A look at the pod."""
    return pods_shown(rng.choice(PODS))


def pods_shown(pod: tuple[str, str]) -> dict[str, Any]:
    """What kubectl prints of the pod."""
    ready, status = pod
    return {
        "content": f"NAME   READY   STATUS   RESTARTS   AGE\nweb    {ready}     {status}   0   3h",
        "record_type": "tool_result",
        "grade": "tool",
        "attributes": {"tool": "Bash", "command": "kubectl get pods -n shop"},
    }


def probed(rng: random.Random) -> dict[str, Any]:
    """What a probe found, which tells a state of a kind that some are denied."""
    return {
        "content": json.dumps({"probe": "web", "found": rng.choice(("well", "ill"))}),
        "record_type": "tool_result",
        "grade": "tool",
        "attributes": {"tool": "Probe"},
    }


def changed(rng: random.Random) -> dict[str, Any]:
    """An action on the web server that names something."""
    return {
        "content": f"restarted deployment web with {rng.choice(NAMED)}",
        "record_type": "action",
        "grade": "tool",
        "subjects": [("deployment", "web")],
    }


def shipped(rng: random.Random, run: str) -> list[dict[str, Any]]:
    """A run of which a workflow can be learned, with another that is like it."""
    return [each for tool in ("Ship", "Roll") for each in (call_of(rng, run, tool), verified(rng, surely=True))]


def noticed(rng: random.Random) -> dict[str, Any]:
    """What was seen of it afterwards, sometimes with a declared cause."""
    told: dict[str, Any] = {
        "content": f"{rng.choice(NAMED)} shows errors",
        "record_type": rng.choice(("observation", "verification")),
        "grade": "tool",
        "subjects": [("deployment", "web")],
    }
    if rng.random() < 0.4:
        told["attributes"] = {"caused_by": rng.choice(("s/1", "s/2"))}
    return told
