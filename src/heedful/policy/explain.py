"""Policy for people: one sentence a rule, and why a principal reads what it reads."""

from __future__ import annotations

from heedful.kernel.scope import Scope
from heedful.policy.decide import (
    GOVERNING_VERBS,
    Verb,
    clearance,
    element_reading,
    is_agent,
    may,
    principal_policy,
    readable_scopes,
)
from heedful.policy.model import TENANT_WIDE, Policy

_VERBS: tuple[Verb, ...] = (
    "remember", "recall", "judge", "report_outcome", "propose", "approve", "withdraw", "set_mode", "audit",
    "import", "state_rule",
)  # fmt: skip


def explain_reading(policy: Policy, principal: str, request_scope: Scope) -> tuple[str, ...]:
    """Why the principal may, or may not, read each element of the scope, in the scope's order; then the outcome."""
    known = principal_policy(policy, principal)
    if known is None:
        return (f"{principal} is not a principal of this policy, so it reads nothing.",)
    lines = [f"{element_reading(policy, principal, element).reason}." for element in request_scope.elements]
    tenant_wide = "also" if TENANT_WIDE in known.grants else "not"
    scopes = len(readable_scopes(policy, principal, request_scope))
    lines.append(
        f"{principal} reads {scopes} scopes that apply here, {tenant_wide} that of the whole tenant, "
        f"up to classification {clearance(policy, principal)}."
    )
    return tuple(lines)


def explain_principal(policy: Policy, principal: str) -> tuple[str, ...]:
    """What the principal may do, one sentence a verb, allowed ones first."""
    answers = [(verb, may(policy, principal, verb)) for verb in _VERBS]
    allowed = [verb.replace("_", " ") for verb, answer in answers if answer.allowed]
    lines = [f"{principal} may {', '.join(allowed) if allowed else 'do nothing'}."]
    lines += [f"Not {verb.replace('_', ' ')}: {answer.reason}." for verb, answer in answers if not answer.allowed]
    return tuple(lines)


def explain_policy(policy: Policy) -> tuple[str, ...]:
    """The policy's own rules, one sentence each, in the order of its fields."""
    approval = policy.auto_approve
    lines = [
        "One person may approve what they proposed, also at high risk; each time is recorded."
        if policy.solo
        else "Nobody approves what they proposed; high risk needs two people.",
        "Unreviewed claims may come to mind, and ask at most for review."
        if policy.unreviewed == "advisory"
        else "Unreviewed claims stay hidden.",
        "Every claim waits for a person."
        if not approval.enabled
        else f"First-party {_listed(approval.forms)} of risk {_listed(approval.kind_risks)} and classification "
        f"{_listed(approval.classifications)} need no reviewer"
        + (", with explicit consent." if approval.consent_explicit else "."),
        f"A verification of at most {policy.verification_max_age_seconds} seconds is needed before "
        f"{_listed(policy.require_current_verification_for)}."
        if policy.require_current_verification_for
        else "No action class needs a current verification.",
        f"An execution is denied on evidence that is {_listed(policy.deny_on_evidence_label)}."
        if policy.deny_on_evidence_label
        else "No evidence label denies an execution by itself.",
    ]
    for name in sorted(policy.principals):
        known = policy.principals[name]
        governs = "" if not is_agent(policy, name) else f"; as an agent never {_listed(sorted(GOVERNING_VERBS))}"
        lines.append(f"{name}: {_listed(known.roles)}; reads {_listed(known.grants)} up to {known.clearance}{governs}.")
    return tuple(lines)


def _listed(words: tuple[str, ...] | list[str]) -> str:
    return ", ".join(word.replace("_", " ") for word in words) if words else "nothing"
