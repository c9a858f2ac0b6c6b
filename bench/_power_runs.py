"""The newer write paths under power cuts: states, gotchas, workflows and permits; and what is left of a permit.

A permit is used once: also where the power was cut before, in or after its redemption, whoever redeems it afterwards.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from _crash_acks import Ack, say
from _crash_check import Findings
from _stores import PRINCIPAL, SCOPE

from heedful import Memory
from heedful.adapters.registry_files import pack_documents, registry_of
from heedful.bootstrap import App
from heedful.bridges.registry import Registry
from heedful.gate.permit import Redeemed
from heedful.kernel.errors import HeedfulError
from heedful.testing.isolation.run_texts import PROJECTORS

STAGING = (*SCOPE, "environment:staging")
SHIP = {"image": "web:2.0"}
_POLICY = f"""
policy:
  solo: true
  principals:
    "{PRINCIPAL}": {{roles: [owner], clearance: restricted, grants: ["*"]}}
"""
_REGISTRY = (
    PROJECTORS
    + """
action_classes:
  web: {description: The web server., on_no_bridge: retrieve, mode: enforce}
kinds:
  environment.gotcha: {description: What fails here., form: gotcha, cardinality: many, comparator: text, risk: low}
  health.probe:
    {description: What a probe found., form: state, cardinality: one, comparator: text, risk: low, expiry_test: Probe.}
tools:
  web.push: {tool: Ship, class: web, impact: execute}
  web.probe: {tool: Probe, impact: read}
"""
)


@cache
def run_registry() -> Registry:
    """A small registry of runs: a tool that executes, a projector, gotchas."""
    return registry_of((*pack_documents("base"), ("policy.yaml", _POLICY), ("runs.yaml", _REGISTRY)))


def memory_of_runs(app: App) -> Memory:
    """The default tenant's memory, under that registry."""
    app.registry = run_registry()
    return Memory(app, app.session())


def write_runs(memory: Memory) -> None:
    """States that end others, a gotcha that is promoted and ends, a workflow that is mined, permits that are used."""
    _states(memory)
    _gotchas(memory)
    _workflows(memory)
    _permits(memory)


def _states(memory: Memory) -> None:
    for number, found in enumerate(("well", "ill", "well")):
        kept = memory.remember(
            json.dumps({"probe": "web", "found": found}), record_type="tool_result", grade="tool", scope=STAGING,
            attributes={"tool": "Probe"}, occurred_at=f"2026-11-28T08:{10 + number}:00Z",
        )  # fmt: skip
        claim, _ = memory.show(kept.claims[0].claim_id)
        say(Ack("claim", kept.claims[0].claim_id, str(getattr(claim, "statement", ""))))


def _gotchas(memory: Memory) -> None:
    fields: dict[str, Any] = {"record_type": "tool_result", "grade": "tool", "subjects": [("service", "upload")]}
    for number in range(2):
        memory.remember(
            f"error: image {number} is not there", run_id=f"failed-{number}", scope=STAGING,
            attributes={"is_error": True}, occurred_at=f"2026-11-28T09:{number}0:00Z", **fields,
        )  # fmt: skip
    (mined,) = memory.mine_gotchas(scope=STAGING).proposed
    say(Ack("claim", mined.claim.claim_id, mined.claim.statement))
    memory.approve(mined.claim.claim_id, reason="seen twice")
    say(Ack("approve", mined.claim.claim_id))
    fields["record_type"] = "verification"
    memory.remember("passed", scope=STAGING, attributes={"passed": True}, **fields)
    (ends,) = memory.mine_gotchas(scope=STAGING).to_retire
    say(Ack("claim", ends.claim_id, ends.statement))


def _workflows(memory: Memory) -> None:
    for number in range(2):
        run: dict[str, Any] = {"run_id": f"ship-{number}", "scope": STAGING}
        call = json.dumps({"name": "Ship", "input": {"image": f"web:1.{number}"}})
        memory.remember(call, record_type="tool_call", attributes={"tool": "Ship", "tool_use_id": f"t{number}"}, **run)
        memory.remember("looked", record_type="verification", attributes={"verifies": "web", "passed": True}, **run)
    (proposed,) = memory.workflow_mine(scope=STAGING).proposed
    say(Ack("proposal", proposed["proposal_id"], "waiting"))
    memory.approve(proposed["proposal_id"], reason="as we do it")
    say(Ack("proposal", proposed["proposal_id"], "approved"))


def _permits(memory: Memory) -> None:
    """Two that are used, one of them tried again, and one that nobody uses."""
    tokens = []
    for _ in range(3):
        permit = memory.judge("Ship", SHIP, scope=STAGING).permit
        assert permit is not None
        say(Ack("permit", permit.permit_id, permit.token))
        tokens.append((permit.permit_id, permit.token))
    for permit_id, token in tokens[:2]:
        say(Ack("redeeming", permit_id))
        assert isinstance(_redeemed(memory, token), Redeemed)
        say(Ack("redeemed", permit_id))
        assert not isinstance(_redeemed(memory, token), Redeemed)


def _redeemed(memory: Memory, token: str) -> object:
    return memory.redeem(token, tool="Ship", args=SHIP, scope=STAGING)


def is_redeeming(acks: list[Ack]) -> bool:
    """True where a redemption was begun last, and not yet answered."""
    said = [ack.verb for ack in acks if ack.verb in ("redeeming", "redeemed")]
    return said[-1:] == ["redeeming"]


def _is_of_permits(ack: Ack) -> bool:
    return ack.verb in ("permit", "redeeming", "redeemed")


def check_permits(app: App, acks: list[Ack], findings: Findings) -> None:
    """Each permit that was acknowledged is good once in all, with what was redeemed before the cut.

    Later writes may change what one that nobody has used rests on, such as a mode: then it may be refused.
    """
    used = {ack.key for ack in acks if ack.verb == "redeemed"}
    begun = {ack.key for ack in acks if ack.verb == "redeeming"}
    permits = {ack.key: ack.text for ack in acks if ack.verb == "permit"}
    if not permits:
        return
    memory = memory_of_runs(app)
    for permit_id, token in permits.items():
        try:
            times = sum(isinstance(_redeemed(memory, token), Redeemed) for _ in range(2))
        except HeedfulError as error:
            findings.broken.append(f"permit {permit_id} can't be redeemed: {error.code}: {error.message}")
            return
        if times > (permit_id not in used):
            findings.lost.append(f"permit {permit_id} is redeemed {times + (permit_id in used)} times")
        if not times and permit_id not in begun and _is_of_permits(acks[-1]):
            findings.lost.append(f"permit {permit_id}, which nobody had used, is not good")
