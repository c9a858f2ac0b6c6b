"""The `policy`, `tools` and `shell_tools` sections of a merged registry -> Policy."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from heedful.kernel.ladder import Classification, Impact
from heedful.policy.model import AutoApproval, Policy, PrincipalPolicy, ScopePolicy, ToolPattern

VERIFICATION_MAX_AGE_SECONDS = 3_600
DENY_ON_EVIDENCE_LABEL = ("insufficient", "stale", "revoked")
"""Seed 003, `deny_on_evidence_label`."""
_ANY_TOOL = "*"


def policy_of(policy: Mapping[str, Any], tools: Mapping[str, Any], shell_tools: Mapping[str, str]) -> Policy:
    """The policy that these sections state; what none states denies: nobody reads, nothing is approved by itself.

    Tool patterns stand in order of their ids, then as written.
    """
    return Policy(
        solo=policy.get("solo", False),
        unreviewed=policy.get("unreviewed", "hidden"),
        principals={name: _principal(entry) for name, entry in sorted(policy.get("principals", {}).items())},
        scopes={element: _scope(entry) for element, entry in sorted(policy.get("scopes", {}).items())},
        auto_approve=_auto_approval(policy.get("auto_approve")),
        require_current_verification_for=tuple(policy.get("require_current_verification_for", ())),
        verification_max_age_seconds=policy.get("verification_max_age_seconds", VERIFICATION_MAX_AGE_SECONDS),
        deny_on_evidence_label=tuple(policy.get("deny_on_evidence_label", DENY_ON_EVIDENCE_LABEL)),
        tools=tuple(pattern for _, entry in sorted(tools.items()) for pattern in tool_patterns(entry)),
        shell_tools=dict(sorted(shell_tools.items())),
        default_retain_days=policy.get("default_retain_days"),
        bridge_approval=policy.get("bridge_approval", "high"),
    )


def tool_patterns(entry: Mapping[str, Any]) -> tuple[ToolPattern, ...]:
    """The patterns of one entry: each of its tool globs with each of its commands."""
    named = entry.get("tool", _ANY_TOOL)
    globs = [named] if isinstance(named, str) else named
    arguments = tuple(sorted(entry.get("arguments", {}).items()))
    commands: list[str | None] = entry.get("commands") or [None]
    impact = Impact(entry["impact"])
    return tuple(
        ToolPattern(glob, arguments, command, entry.get("class"), impact) for glob, command in product(globs, commands)
    )


def _principal(entry: Mapping[str, Any]) -> PrincipalPolicy:
    return PrincipalPolicy(
        roles=tuple(entry["roles"]),
        clearance=Classification(entry.get("clearance", Classification.NORMAL)),
        grants=tuple(entry.get("grants", ())),
        denied_kinds=tuple(entry.get("denied_kinds", ())),
        speaks_for=tuple(entry.get("speaks_for", ())),
    )


def _scope(entry: Mapping[str, Any]) -> ScopePolicy:
    return ScopePolicy(tuple(entry.get("readers", ())), tuple(entry.get("allowed_forms", ())))


def _auto_approval(entry: Mapping[str, Any] | None) -> AutoApproval:
    if entry is None:
        return AutoApproval(enabled=False, forms=(), kind_risks=(), classifications=(), consent_explicit=True)
    return AutoApproval(
        enabled=entry["enabled"],
        forms=tuple(entry["forms"]),
        kind_risks=tuple(entry["kind_risks"]),
        classifications=tuple(Classification(name) for name in entry["classifications"]),
        consent_explicit=entry["consent_explicit"],
    )
