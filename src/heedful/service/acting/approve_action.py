"""Approve an action: a person sees what was judged, and says yes to exactly that, for an hour."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from heedful.bridges.vocabulary import covers
from heedful.claims.assurance import APPROVES
from heedful.kernel.errors import ForbiddenError
from heedful.kernel.ids import RecordId, VerdictId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import parse_scope
from heedful.kernel.times import US_A_SECOND, parse_time
from heedful.observations.record import RecordStatus
from heedful.policy.decide import may
from heedful.ports.store import AttributeFilter, Reading, StoredRecord, Visible
from heedful.service.bearing import APPROVAL_SECONDS
from heedful.service.erasure.there import verdict_there, verdicts_there
from heedful.service.keeping.remember import write_candidate
from heedful.service.keeping.statements import RememberTexts, candidate_of
from heedful.service.session import Session
from heedful.service.sight import denies, scope_granted, seen_claim

VERDICTS_SEEN_MAX = 500
VERDICTS_WALKED_MAX = 65_536
"""Verdicts of the last hour that are listed; and how many are walked to find them, whoever may see those."""
BASIS = "basis"
"""Of a stored verdict: scope and classification of all that it rests on; decides who is shown it, and is not shown."""
KINDS, KINDS_BUT = "kinds", "kinds_but"
"""Of a label in the basis, where policy denies kinds to somebody: of which kinds that is; or, where not all was looked
at, of which it is surely not."""
APPROVALS_TOLD_MAX = 20


def seen_verdict(session: Session, reading: Reading, verdict_id: str) -> dict[str, Any] | None:
    """The verdict as JSON values, or None where there is none, or the session may not see all that it rests on."""
    stored = verdict_there(reading, VerdictId(verdict_id))
    if stored is None:
        return None
    verdict: dict[str, Any] = msgspec.json.decode(stored.verdict_json)
    return told_verdict(session, verdict) if _is_seen(session, reading, verdict) else None


def told_verdict(session: Session, verdict: dict[str, Any]) -> dict[str, Any]:
    """The verdict as it is handed out: how much its principal could see is for that principal and for auditors."""
    told = {name: value for name, value in verdict.items() if name != BASIS}
    if verdict["principal"] == session.principal or may(session.registry.policy, session.principal, "audit").allowed:
        return told
    return told | {"ledger_position": 0}


def waiting_verdicts(session: Session, reading: Reading) -> tuple[dict[str, Any], ...]:
    """Actions of the last hour that wait for a person's yes, newest first, of the newest verdicts.

    An action that was judged more than once is told once, as it was judged last; one that has its yes is not told.
    """
    since_us = session.clock.now_us() - APPROVAL_SECONDS * US_A_SECOND
    newest: dict[str, dict[str, Any]] = {}
    for verdict in _newest_seen(session, reading, since_us):
        newest.setdefault(verdict["action_digest"], verdict)
    return tuple(
        told_verdict(session, verdict)
        for verdict in newest.values()
        if verdict["execution"] == "review" and not approvals_of(session, reading, verdict)
    )


def _newest_seen(session: Session, reading: Reading, since_us: int) -> list[dict[str, Any]]:
    """Verdicts since then that the session may see, newest first: others neither take a place nor stand for one."""
    walked = VERDICTS_SEEN_MAX
    while True:
        stored = reading.verdicts(limit=walked)
        verdicts = [msgspec.json.decode(each.verdict_json) for each in verdicts_there(reading, stored)]
        recent = [each for each in verdicts if parse_time(each["judged_at"], field="judged_at").at_us >= since_us]
        seen = [each for each in recent if _is_seen(session, reading, each)]
        is_enough = len(seen) >= VERDICTS_SEEN_MAX or walked >= VERDICTS_WALKED_MAX
        if is_enough or len(stored) < walked or len(recent) < len(verdicts):
            return seen[:VERDICTS_SEEN_MAX]
        walked *= 2


def _is_seen(session: Session, reading: Reading, verdict: dict[str, Any]) -> bool:
    """All that it rests on must be for the session to see, and each claim that its reasons quote."""
    for label in verdict.get(BASIS, ()):
        cleared = session.clearance.at_least(Classification(label["classification"]))
        if not (cleared and scope_granted(session, parse_scope(label["scope"])) and _kinds_seen(session, label)):
            return False
    claim_ids = (ruling["claim_id"] for ruling in verdict["rulings"])
    return scope_granted(session, parse_scope(verdict["scope"])) and all(
        seen_claim(session, reading, claim_id) is not None for claim_id in claim_ids if claim_id is not None
    )


def _kinds_seen(session: Session, label: dict[str, Any]) -> bool:
    """Of a verdict that was given while policy denied no kind, it is not known of which kinds its grounds are."""
    if not session.denied_kinds:
        return True
    if KINDS_BUT in label:
        return all(any(covers(but, denied) for but in label[KINDS_BUT]) for denied in session.denied_kinds)
    return KINDS in label and not denies(session, label[KINDS])


def approvals_of(session: Session, reading: Reading, verdict: dict[str, Any]) -> tuple[StoredRecord, ...]:
    """The records that hold a yes to the verdict's action, newest first, APPROVALS_TOLD_MAX at most.

    Those that the session may see: one may ask in a scope that one does not read.
    """
    scope = parse_scope(verdict["scope"])
    if not scope_granted(session, scope):
        return ()
    visible = Visible((scope,), session.clearance, session.denied_kinds)
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
