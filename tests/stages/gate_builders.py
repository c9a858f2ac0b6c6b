"""Matters for the tests of the gate: a small registry with a class in each mode, and everything in one call."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from registry_builders import built

from heedful.bridges.registry import Registry
from heedful.bridges.request import Activation, Activations, Classified, ClassMatch, Modes, NoBridge
from heedful.claims.claim import Claim
from heedful.gate.action import ActionRequest
from heedful.gate.requirements import Approval, Matter, Verification
from heedful.gate.verdict import Verdict
from heedful.kernel.ids import ActionClassId, BridgeId, KindId, PrincipalId, RecordId, VerdictId
from heedful.kernel.ladder import Decision, Impact, Mode
from heedful.kernel.scope import parse_scope
from heedful.observations.record import Channel, SourceGrade
from heedful.policy.decide import Permission
from heedful.testing.builders import NOON_US, build_claim, build_id

SCOPE = parse_scope(["environment:production", "project:garden"])
SECOND_US = 1_000_000
AGENT = PrincipalId("agent:gardener")
REVIEWER = PrincipalId("person:rae")
FREEZE = BridgeId("release.freeze")
LOW = BridgeId("release.low")
RELEASE = "release.production"
REPORT = "report"
STAGING = "staging"


def _bridge(name: str, risk: str) -> str:
    return f"""\
  {name}:
    from: [release]
    activates: [freeze]
    effect: deny
    risk: {risk}
    authority: domain-policy
    evidence: the rules
    source_opened: true
    reason: A freeze must be known before a release.
    owner: the gardener
    mode: enforce
    examples: {{must_fire: [Release it], must_not_fire: [Read it]}}
"""


_HEAD = """\
pack: {name: garden, version: "1", description: For tests., licence: Apache-2.0}
action_classes:
  inert: {description: Nothing., on_no_bridge: retrieve}
  release: {description: A release., on_no_bridge: retrieve, mode: enforce}
  release.production: {description: To production., on_no_bridge: review, mode: enforce}
  water: {description: Water., on_no_bridge: retrieve, mode: enforce}
  report: {description: A report., on_no_bridge: retrieve, mode: advise}
  staging: {description: Staging., on_no_bridge: deny, mode: shadow}
  idle: {description: Idle., on_no_bridge: deny, mode: "off"}
kinds:
  freeze: {description: A freeze., form: state, cardinality: one, comparator: text, risk: high, expiry_test: Ask.}
bridges:
"""

_POLICY = """\
policy:
  solo: false
  unreviewed: advisory
  principals:
    "person:ana": {roles: [owner], clearance: restricted, grants: ["*"]}
    "person:rae": {roles: [reviewer], clearance: restricted, grants: ["*"]}
    "person:bo": {roles: [auditor], clearance: restricted, grants: ["*"]}
    "agent:*": {roles: [agent], clearance: normal, grants: ["project:*"]}
  require_current_verification_for: [release, staging, idle]
  verification_max_age_seconds: 600
  deny_on_evidence_label: [insufficient, stale, revoked]
"""

REGISTRY: Registry = built(_HEAD + _bridge(FREEZE, "high") + _bridge(LOW, "low") + _POLICY)
MODES = Modes({}, {}, Mode.ENFORCE)
NOTHING = Activations((), (), ())


def classified(*classes: str, impact: Impact | None = Impact.EXECUTE, known: bool = True) -> Classified:
    """A classified call."""
    matches = tuple(ClassMatch(ActionClassId(each), 1.0, "tool", "a pattern") for each in classes)
    return Classified(matches, (), impact, known)


def freeze(number: int = 1, **changes: Any) -> Claim:
    """An active claim that there is a release freeze here, known since a minute."""
    fields: dict[str, Any] = {
        "kind": KindId("freeze"),
        "scope": SCOPE,
        "statement": f"Nothing is released before Monday ({number})",
        "known_from_us": NOON_US - 60 * SECOND_US,
        **changes,
    }
    return build_claim(number, **fields)


def activation(effect: Decision = Decision.DENY, mode: Mode = Mode.ENFORCE, **changes: Any) -> Activation:
    """The freeze in mind, over the bridge of low risk."""
    made = Activation(freeze(), LOW, ActionClassId(RELEASE), effect, mode, "A freeze must be known.", "a tool pattern")
    return replace(made, **changes)


def in_mind(*activations: Activation) -> Activations:
    """These in mind, or in shadow by their mode."""
    return Activations(
        tuple(each for each in activations if each.mode is not Mode.SHADOW),
        tuple(each for each in activations if each.mode is Mode.SHADOW),
        (),
    )


def bare(action_class: str, word: Any) -> Activations:
    """Nothing in mind for the class."""
    return Activations((), (), (NoBridge(ActionClassId(action_class), word),))


def verified(age_seconds: int = 60, **changes: Any) -> Verification:
    """A tool looked at the release here, that long ago, and all was well."""
    made = Verification(
        record_id=RecordId(build_id(age_seconds + 10_000, "verification")),
        occurred_at_us=NOON_US - age_seconds * SECOND_US,
        verified_by=AGENT,
        grade=SourceGrade.TOOL,
        channel=Channel.CAPTURE,
        action_class=ActionClassId(RELEASE),
        scope=SCOPE,
        is_passed=True,
        assurance="verified",
    )
    return replace(made, **changes)


ACTION = ActionRequest("Bash", {"command": "release"}, "release it", AGENT, SCOPE)


def approved(age_seconds: int = 10, **changes: Any) -> Approval:
    """The reviewer's yes to exactly this action, that long ago."""
    made = Approval(
        approval_id=build_id(age_seconds, "approval"),
        approved_by=REVIEWER,
        action_digest=ACTION.digest,
        granted_at_us=NOON_US - age_seconds * SECOND_US,
        expires_at_us=NOON_US + 60 * SECOND_US,
    )
    return replace(made, **changes)


def matter(*classes: str, **changes: Any) -> Matter:
    """An execute of these classes with nothing against it, with fields changed as named."""
    made = Matter(
        action=ACTION,
        classified=classified(*classes),
        activations=NOTHING,
        permission=Permission(allowed=True, reason="agent:gardener may act here"),
        registry=REGISTRY,
        modes=MODES,
        verifications=(),
        approvals=(),
        is_proof_cut=False,
        sufficiency=None,
        citations=(),
        verdict_id=VerdictId(build_id(1, "verdict")),
        ledger_position=7,
        judged_at_us=NOON_US,
    )
    return replace(made, **changes)


def rules(verdict: Verdict) -> list[tuple[str, str]]:
    """(rule, decision) of every ruling, in order."""
    return [(ruling.rule, ruling.decision.value) for ruling in verdict.rulings]


def missing(verdict: Verdict) -> list[str]:
    """What is missing, by its sort."""
    return [item.what for item in verdict.missing]
