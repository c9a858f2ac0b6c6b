"""Verdict: the gate's answer, with every rule that spoke and everything that is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from heedful.kernel.ids import ActionClassId, PermitId, Revision, VerdictId
from heedful.kernel.ladder import Decision, Impact, Mode


@dataclass(frozen=True, slots=True)
class Ruling:
    """One rule that spoke.

    Attributes:
        rule: a name of rules.RULES: `unclassified-action`, `bridge:<id>`, `verification-required`, ...
        decision: what it asks for.
        mode: `shadow` rulings are reported and do not count.
        reason: one sentence for people.
        claim_id: the claim it rests on, or None.
        evidence: ids of records.
    """

    rule: str
    decision: Decision
    mode: Mode
    reason: str
    claim_id: str | None
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that would have to be proved first."""

    what: Literal["verification", "approval", "classification", "permission", "evidence"]
    detail: str


@dataclass(frozen=True, slots=True)
class IssuedPermit:
    """What an executor redeems before it carries the action out, once; see gate.permit.

    Attributes:
        token: to be handed over as it is; it stands in no log, and nowhere in the store.
        expires_at: ISO 8601.
    """

    permit_id: PermitId
    token: str = field(repr=False)
    expires_at: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate says.

    Attributes:
        decision: of the rulings that count.
        would_be: with shadow rulings counted.
        execution: the seed's word for it: `execute`, `review` or `deny` (allow and notice execute; ask and review
            are review).
        tool, args, text: the action, without secrets, so that a person sees what they say yes to.
        action_digest: what exactly was judged.
        rulings: strictest first.
        ledger_position: the position that it was judged at.
        judged_at: ISO 8601.
        run_id: the run that the call was said to be part of; None: none was named.
        permit: for an execute that may go ahead, in the answer to who asked alone; a verdict that is read has none.
    """

    verdict_id: VerdictId
    tool: str
    args: Mapping[str, object]
    text: str
    action_digest: str
    principal: str
    scope: tuple[str, ...]
    action_classes: tuple[ActionClassId, ...]
    impact: Impact
    decision: Decision
    would_be: Decision
    execution: Literal["execute", "review", "deny"]
    rulings: tuple[Ruling, ...]
    missing: tuple[Missing, ...]
    citations: tuple[str, ...]
    registry_revision: Revision
    ledger_position: int
    judged_at: str
    run_id: str | None = None
    permit: IssuedPermit | None = None
