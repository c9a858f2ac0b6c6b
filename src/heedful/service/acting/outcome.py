"""Outcome: what came of an action that was judged, kept as evidence and tied to its verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import msgspec

from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ids import RecordId, VerdictId
from heedful.kernel.ladder import Classification, Consent
from heedful.kernel.scope import parse_scope
from heedful.kernel.times import SourceTime
from heedful.ledger.events import OutcomeReported
from heedful.observations.limits import encode_content
from heedful.observations.names import shown
from heedful.observations.record import Candidate, Channel, RecordType, SourceGrade
from heedful.policy.decide import may
from heedful.ports.store import Reading, Writing
from heedful.service.erasure.there import verdict_there
from heedful.service.keeping.contents import write_kept
from heedful.service.keeping.keep import prepare
from heedful.service.session import Session
from heedful.service.sight import not_found, told_position

OutcomeStatus = Literal["succeeded", "failed", "partial", "rolled-back", "not-done"]


@dataclass(frozen=True, slots=True)
class Reported:
    """Where the report went: its record, and the position of the event that ties it to the verdict.

    The position is 0 for those who may not audit.
    """

    record_id: RecordId
    verdict_id: str
    status: OutcomeStatus
    position: int


def report_outcome(session: Session, verdict_id: str, *, status: str, text: str = "") -> Reported:
    """The record of what came of it, durable; on the word of whoever reports it, and no verification by itself.

    Raises:
        ForbiddenError: `principal_may_not`, `scope_not_granted`.
        NotFoundError: `item_not_found`.
        InvalidInputError: `outcome_unknown`, and those of the write gate.
    """
    session.require("report_outcome")
    if status not in get_args(OutcomeStatus):
        raise InvalidInputError(
            "outcome_unknown",
            f"no outcome {shown(status, 40)!r}",
            next_step=f"it is one of: {', '.join(get_args(OutcomeStatus))}",
            details={"field": "status"},
        )
    with session.store.read() as reading:
        verdict = _verdict(session, reading, verdict_id)
    scope = parse_scope(verdict["scope"])
    session.require_writable(scope)
    said = text.strip() or f"{verdict['tool']}: {status}"
    prepared = prepare(
        session,
        Candidate(
            type=RecordType.ACTION,
            grade=SourceGrade.AGENT if session.channel is Channel.AGENT else SourceGrade.USER,
            channel=session.channel,
            principal=session.principal,
            scope=scope,
            source_ref=None,
            content=encode_content(said, field="text"),
            media_type="text/plain",
            occurred=SourceTime(session.clock.now_us(), None, "microsecond"),
            run_id=verdict.get("run_id"),
            sequence=None,
            speaker=None,
            subjects=(),
            attributes=(("verdict_id", verdict_id), ("status", status)),
            classification=Classification.NORMAL,
            consent=Consent.IMPLICIT,
            expected_utility=0.5,
            confidence=1.0,
            retain_days=session.registry.policy.default_retain_days,
            derived_from=(),
        ),
    )
    reported = OutcomeReported(VerdictId(verdict_id), prepared.record_id, status)

    def work(writing: Writing) -> int:
        return session.append(writing, [*prepared.events, reported])[-1].position

    position = write_kept(session, [prepared], work)
    return Reported(prepared.record_id, verdict_id, cast("OutcomeStatus", status), told_position(session, position))


def _verdict(session: Session, reading: Reading, verdict_id: str) -> dict[str, Any]:
    """The verdict's JSON, if it was this principal's own, or an auditor asks."""
    stored = verdict_there(reading, VerdictId(verdict_id))
    verdict: dict[str, Any] = msgspec.json.decode(stored.verdict_json) if stored else {}
    own = verdict.get("principal") == session.principal
    if not verdict or not (own or may(session.registry.policy, session.principal, "audit").allowed):
        raise not_found(verdict_id)
    return verdict
