"""A verdict in sentences for people: what it is, why, what is missing, what to do."""

from __future__ import annotations

from heedful.gate.judge import counts
from heedful.gate.verdict import Missing, Ruling, Verdict
from heedful.kernel.ladder import Decision

_OPENING = {
    Decision.ALLOW: "may go ahead",
    Decision.NOTICE: "may go ahead; know this first",
    Decision.ASK: "waits for a person's answer",
    Decision.REVIEW: "waits for a reviewer",
    Decision.DENY: "is denied",
}

_NEXT_STEP = {
    "verification": "Verify the current state, keep it as a verification record, and judge again.",
    "approval": "Have somebody who may approve look at exactly this action, and judge again.",
    "classification": "Add a tool pattern to the registry, or let a person answer.",
    "permission": "Ask somebody who may act here, or have the owner change the policy.",
    "evidence": "Bring current evidence, or withdraw the claim that no longer holds, and judge again.",
}


def explain_verdict(verdict: Verdict) -> tuple[str, ...]:
    """The verdict, one sentence a line: the decision, each reason (strictest first), what is missing, next steps."""
    where = ", ".join(verdict.scope)
    lines = [f"{verdict.tool} by {verdict.principal} in {where} {_OPENING[verdict.decision]} ({verdict.decision})."]
    if verdict.action_classes:
        lines.append(f"It decides: {', '.join(verdict.action_classes)}; impact: {verdict.impact}.")
    else:
        lines.append(f"It decides nothing of any class that is known; impact: {verdict.impact}.")
    lines += [_reason(ruling) for ruling in verdict.rulings]
    if not verdict.rulings:
        lines.append("No rule spoke against it.")
    lines += [f"Missing {item.what}: {_ended(item.detail)}" for item in verdict.missing]
    lines += _next_steps(verdict.missing)
    if verdict.would_be is not verdict.decision:
        lines.append(f"With rules in shadow counted it would be: {verdict.would_be}.")
    return tuple(lines)


def _ended(sentence: str) -> str:
    """The sentence with a full stop, where it has no end of its own."""
    return sentence if sentence.endswith((".", "!", "?", "。", "！", "？", "…")) else f"{sentence}."


def _reason(ruling: Ruling) -> str:
    shadow = "" if counts(ruling) else ", in shadow, not counted"
    return f"{ruling.decision}: {ruling.reason} [{ruling.rule}{shadow}]"


def _next_steps(missing: tuple[Missing, ...]) -> list[str]:
    kinds = dict.fromkeys(item.what for item in missing)
    return [f"Next: {_NEXT_STEP[kind]}" for kind in kinds]
