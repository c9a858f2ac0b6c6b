"""The gate: from a matter to a verdict. Pure: the same matter, the same verdict, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from heedful.gate.finding import Finding
from heedful.gate.requirements import Matter, counting_approval
from heedful.gate.rules import ALL_RULES, APPROVAL_ANSWERS
from heedful.gate.verdict import Missing, Ruling, Verdict
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ladder import Decision, Mode, highest
from heedful.kernel.times import format_time
from heedful.observations.redact import redact, redact_json

Execution = Literal["execute", "review", "deny"]

EXECUTION: dict[Decision, Execution] = {
    Decision.ALLOW: "execute",
    Decision.NOTICE: "execute",
    Decision.ASK: "review",
    Decision.REVIEW: "review",
    Decision.DENY: "deny",
}
"""The seed's word for each place on the ladder (design, section 2)."""


def judge(matter: Matter) -> Verdict:
    """The verdict: the strictest decision of every rule that counts, with all rules that spoke and what is missing.

    Nothing grants. A rule can only ask for more than `allow`; an approval only answers the rules that ask for a
    person, a verification only the one that asks for it. Rulings in the mode `shadow` are reported and counted in
    `would_be` alone. Rulings: strictest first, then by rule, claim and reason. Missing: in that order too, each once,
    of the rulings that count.

    Raises:
        InvalidInputError: `scope_empty` where the action names no scope.
    """
    if matter.action.scope.is_empty:
        raise InvalidInputError(
            "scope_empty",
            "scope is empty: an action is judged somewhere",
            next_step="name the scope, such as project:payments",
            details={"field": "scope"},
        )
    findings = sorted((_answered(finding, matter) for finding in _findings(matter)), key=_strictest_first)
    rulings = tuple(finding.ruling for finding in findings)
    decision = highest([ruling.decision for ruling in rulings if counts(ruling)])
    return Verdict(
        verdict_id=matter.verdict_id,
        tool=redact(matter.action.tool).text,
        args={name: redact_json(name, value) for name, value in matter.action.args.items()},
        text=redact(matter.action.text).text,
        action_digest=matter.action.digest,
        principal=matter.action.principal,
        scope=matter.action.scope.elements,
        action_classes=tuple(match.action_class for match in matter.classified.classes),
        impact=matter.impact,
        decision=decision,
        would_be=highest([ruling.decision for ruling in rulings]),
        execution=EXECUTION[decision],
        rulings=rulings,
        missing=_missing(findings),
        citations=matter.citations,
        registry_revision=matter.registry.revision,
        ledger_position=matter.ledger_position,
        judged_at=format_time(matter.judged_at_us),
        run_id=matter.action.run_id,
    )


def counts(ruling: Ruling) -> bool:
    """True where the ruling is part of the decision: in `advise` and `enforce`."""
    return ruling.mode.at_least(Mode.ADVISE)


def _findings(matter: Matter) -> Iterable[Finding]:
    for rule in ALL_RULES:
        yield from rule(matter)


def _answered(finding: Finding, matter: Matter) -> Finding:
    """The finding; at most a notice where a person approved exactly this action after its ground was known."""
    ruling = finding.ruling
    name = ruling.rule.partition(":")[0]
    if ruling.decision not in (Decision.ASK, Decision.REVIEW) or name not in APPROVAL_ANSWERS:
        return finding
    approval = counting_approval(matter, finding.since_us)
    if approval is None:
        return finding
    reason = f"{ruling.reason} Approved by {approval.approved_by} at {format_time(approval.granted_at_us)}."
    return Finding(replace(ruling, decision=Decision.NOTICE, reason=reason), None, finding.since_us)


def _strictest_first(finding: Finding) -> tuple[int, str, str, str]:
    ruling = finding.ruling
    return -ruling.decision.rank, ruling.rule, ruling.claim_id or "", ruling.reason


def _missing(findings: Iterable[Finding]) -> tuple[Missing, ...]:
    found = {finding.missing: None for finding in findings if finding.missing is not None and counts(finding.ruling)}
    return tuple(found)
