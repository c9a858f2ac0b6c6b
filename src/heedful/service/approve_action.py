"""Approve an action: a person sees what was judged, and says yes to exactly that, for an hour."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from heedful.kernel.errors import ForbiddenError
from heedful.kernel.ids import RecordId, VerdictId
from heedful.kernel.scope import parse_scope
from heedful.kernel.times import parse_time
from heedful.ports.store import Reading
from heedful.service.remember import write_candidate
from heedful.service.session import Session
from heedful.service.sight import scope_granted
from heedful.service.statements import APPROVES, RememberTexts, candidate_of

APPROVAL_SECONDS = 3_600
"""How long a person's yes to one action holds, and how long a verdict waits for one."""
VERDICTS_LOOKED_AT_MAX = 500
_US_A_SECOND = 1_000_000


def seen_verdict(session: Session, reading: Reading, verdict_id: str) -> dict[str, Any] | None:
    """The verdict as JSON values, or None where there is none, or the session may not see its scope."""
    stored = reading.verdict(VerdictId(verdict_id))
    if stored is None:
        return None
    verdict: dict[str, Any] = msgspec.json.decode(stored.verdict_json)
    return verdict if scope_granted(session, parse_scope(verdict["scope"])) else None


def waiting_verdicts(session: Session, reading: Reading) -> tuple[dict[str, Any], ...]:
    """Verdicts of the last hour that ask for a person, newest first, of the newest VERDICTS_LOOKED_AT_MAX."""
    since_us = session.clock.now_us() - APPROVAL_SECONDS * _US_A_SECOND
    waiting = []
    for stored in reading.verdicts(limit=VERDICTS_LOOKED_AT_MAX):
        verdict = msgspec.json.decode(stored.verdict_json)
        if parse_time(verdict["judged_at"], field="judged_at").at_us < since_us:
            break
        if verdict["execution"] == "review" and scope_granted(session, parse_scope(verdict["scope"])):
            waiting.append(verdict)
    return tuple(waiting)


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
