"""Revocation drill: a record is taken back, and nothing of what rested on it counts as evidence any more."""

from __future__ import annotations

from typing import cast

from heedful.claims.claim import Claim
from heedful.kernel.ids import ClaimId, RecordId
from heedful.observations.record import RecordStatus
from heedful.ports.store import StoredRecord
from heedful.service.drilling.doors import finds_packet, finds_survivor
from heedful.service.drilling.planted import Planted
from heedful.service.drilling.run import Run
from heedful.service.review import reject, show
from heedful.service.session import Session

_LIVE = "active"
_OUT = "quarantined"


def drill_revocation(run: Run, planted: Planted) -> None:
    """What was found is among the run's checks."""
    session = run.session
    shown, survived = finds_packet(session, planted), finds_survivor(session, planted)
    claims = {
        "claim": ("the claim that rests on it is quarantined", planted.claim_id),
        "dependant": ("a claim that is so only as long as that one is is quarantined with it", planted.dependant_id),
    }
    stood = {name: _status(session, claim_id) for name, (_, claim_id) in claims.items()}
    summary_before = _record_status(session, planted.summary_id)
    # The long text says the same, and is not what this is about.
    reject(session, planted.long_id, "taken back by a drill")
    with run.timed("out of sight"):
        run.asked("revoke", lambda: reject(session, planted.record_id, "taken back by a drill"))
        out_of_sight = not finds_packet(session, planted)
    run.check("recall", "recall hands none of it over once it is revoked", control=shown, passed=out_of_sight)
    for name, (says, claim_id) in claims.items():
        if stood[name] != _LIVE:
            run.unreached(name, says, "no claim of the drill is active here without somebody else")
            continue
        now = _status(session, claim_id)
        run.check(name, says, control=True, passed=now == _OUT, detail=now or "")
    summary = _record_status(session, planted.summary_id)
    run.check(
        "summary",
        "what was made from it is no evidence any more",
        control=summary_before == RecordStatus.ADMITTED,
        passed=summary == RecordStatus.WITHDRAWN,
        detail=summary,
    )
    run.check(
        "survivor",
        "what was not revoked is still found",
        control=survived,
        passed=finds_survivor(session, planted),
    )
    run.keep()


def _status(session: Session, claim_id: ClaimId | None) -> str | None:
    return None if claim_id is None else cast("Claim", show(session, claim_id)[0]).status.value


def _record_status(session: Session, record_id: RecordId) -> str:
    return cast("StoredRecord", show(session, record_id)[0]).status.value
