"""Approve an action: a person sees what was judged, and says yes to exactly that, for an hour."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from heedful.kernel.errors import ForbiddenError
from heedful.kernel.ids import RecordId, VerdictId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import parse_scope
from heedful.kernel.times import parse_time
from heedful.observations.record import RecordStatus
from heedful.ports.store import AttributeFilter, Reading, StoredRecord, Visible
from heedful.service.remember import write_candidate
from heedful.service.session import Session
from heedful.service.sight import scope_granted, seen_claim
from heedful.service.statements import APPROVES, RememberTexts, candidate_of

APPROVAL_SECONDS = 3_600
"""How long a person's yes to one action holds, and how long a verdict waits for one."""
VERDICTS_LOOKED_AT_MAX = 500
APPROVALS_TOLD_MAX = 20
_US_A_SECOND = 1_000_000


def seen_verdict(session: Session, reading: Reading, verdict_id: str) -> dict[str, Any] | None:
    """The verdict as JSON values, or None where there is none, or the session may not see all that it rests on."""
    stored = reading.verdict(VerdictId(verdict_id))
    if stored is None:
        return None
    verdict: dict[str, Any] = msgspec.json.decode(stored.verdict_json)
    return verdict if _is_seen(session, reading, verdict) else None


def waiting_verdicts(session: Session, reading: Reading) -> tuple[dict[str, Any], ...]:
    """Actions of the last hour that wait for a person's yes, newest first, of the newest verdicts.

    An action that was judged more than once is told once, as it was judged last; one that has its yes is not told.
    """
    since_us = session.clock.now_us() - APPROVAL_SECONDS * _US_A_SECOND
    newest: dict[str, dict[str, Any]] = {}
    for stored in reading.verdicts(limit=VERDICTS_LOOKED_AT_MAX):
        verdict = msgspec.json.decode(stored.verdict_json)
        if parse_time(verdict["judged_at"], field="judged_at").at_us < since_us:
            break
        newest.setdefault(verdict["action_digest"], verdict)
    return tuple(
        verdict
        for verdict in newest.values()
        if verdict["execution"] == "review"
        and _is_seen(session, reading, verdict)
        and not approvals_of(reading, verdict)
    )


def _is_seen(session: Session, reading: Reading, verdict: dict[str, Any]) -> bool:
    """Its reasons quote claims, so each of those must be one that the session may see."""
    claim_ids = (ruling["claim_id"] for ruling in verdict["rulings"])
    return scope_granted(session, parse_scope(verdict["scope"])) and all(
        seen_claim(session, reading, claim_id) is not None for claim_id in claim_ids if claim_id is not None
    )


def approvals_of(reading: Reading, verdict: dict[str, Any]) -> tuple[StoredRecord, ...]:
    """The records that hold a yes to the verdict's action, newest first, APPROVALS_TOLD_MAX at most."""
    visible = Visible((parse_scope(verdict["scope"]),), Classification.RESTRICTED)
    return reading.records(
        visible,
        status=RecordStatus.ADMITTED,
        run_id=None,
        attributes=(AttributeFilter(APPROVES, (verdict["action_digest"],)),),
        before=None,
        limit=APPROVALS_TOLD_MAX,
    )


def approve_action(session: Session, verdict: dict[str, Any], reason: str) -> tuple[RecordId, bool]:
    """The record that holds the yes, and whether it counts only because one person runs this store.

    It is a record like any other, by an attribute that nobody else can set; the gate looks for the action's digest.

    Raises:
        ForbiddenError: `approval_refused` for one's own action, unless the policy is for one person.
    """
    solo = verdict["principal"] == session.principal
    if solo and not session.registry.policy.solo:
        raise ForbiddenError(
            "approval_refused",
            "this approval does not count: own-action",
            next_step="another person has to approve",
            details={"verdict_id": verdict["verdict_id"], "why": "own-action"},
        )
    classes = ", ".join(verdict["action_classes"]) or "no class"
    candidate = candidate_of(
        session,
        f"approved: {verdict['tool']} ({classes}): {reason}",
        parse_scope(verdict["scope"]),
        RememberTexts(attributes={"verdict_id": verdict["verdict_id"]}),
        None,
    )
    approving = replace(candidate, attributes=(*candidate.attributes, (APPROVES, verdict["action_digest"])))
    session.require_writable(candidate.scope)
    return write_candidate(session, approving).record_id, solo
