"""Receipt: how far an erasure came. It holds no content: nothing in it tells what was erased."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import get_args

from heedful.kernel.errors import NotFoundError
from heedful.kernel.ids import ErasureId
from heedful.kernel.times import format_time
from heedful.ledger.erasure_events import ErasureStaged
from heedful.observations.names import shown
from heedful.policy.decide import may
from heedful.ports.erasure import Stage, StoredErasure
from heedful.ports.store import Chain, Reading
from heedful.service.project import event_of
from heedful.service.session import Session

RECEIPTS_MAX = 1_000
"""Receipts that are listed, the newest of those that one may see."""
LOOKED_AT_MAX = 1_000_000
STAGES: tuple[Stage, ...] = get_args(Stage)


@dataclass(frozen=True, slots=True)
class StageReached:
    """A stage that was reached.

    Attributes:
        event_digest: of the ledger event that says so: a checkpoint proves that it is in the ledger. None of an erased
            tenant's, whose ledger went with it.
    """

    stage: str
    at: str
    event_digest: str | None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an erasure came to.

    Attributes:
        stage: `logical`: nobody is shown it, and its content is out of the rows; `indexes`: out of every index, blob
            and recorded packet; `scrubbed`: out of the store's files and logs.
        reached: each stage with when, in order; to those who may hold a stage comes again where a hold was released.
        records, claims, others, events: how many went, events being payloads of the chains; None for those who may not
            audit, as it counts what they may not see.
        waits_for_hold: True where something is kept, as it is held; None for those who may not hold.
        could_not: what the store was not let do; sentences for people.
        backups_expire_at: when the last backup from before is to be gone; None before it is scrubbed.
    """

    erasure_id: ErasureId
    tenant_id: str
    by: str
    because: str
    requested_by: str
    requested_at: str
    stage: str
    reached: tuple[StageReached, ...]
    records: int | None
    claims: int | None
    others: int | None
    events: int | None
    waits_for_hold: bool | None
    could_not: tuple[str, ...]
    backups_expire_at: str | None


def receipt(session: Session, erasure_id: str) -> Receipt:
    """The receipt, for whoever had it done, and for those who may erase or audit.

    Raises:
        NotFoundError: `receipt_not_found`, also where it is another's.
    """
    with session.store.read() as reading:
        erasure = reading.erasure(ErasureId(erasure_id))
        if erasure is None or not _may_see(session, erasure):
            raise NotFoundError(
                "receipt_not_found",
                f"no receipt {shown(erasure_id, 64)!r} is there for you",
                next_step="`heedful receipt` without an id lists those that are",
                details={"id": shown(erasure_id, 64)},
            )
        return receipt_told(session, reading, erasure)


def receipts(session: Session) -> tuple[Receipt, ...]:
    """The newest receipts that this person may see, the oldest of them first."""
    with session.store.read() as reading:
        every = reading.erasures(only_open=False, limit=LOOKED_AT_MAX)
        found = [each for each in every if _may_see(session, each)][-RECEIPTS_MAX:]
        return tuple(receipt_told(session, reading, each) for each in found)


def receipt_told(session: Session, reading: Reading, erasure: StoredErasure) -> Receipt:
    """The receipt as it is handed to this person."""
    policy = session.registry.policy
    audits = may(policy, session.principal, "audit").allowed
    holds = may(policy, session.principal, "hold").allowed
    if not holds:
        erasure = _as_if_unheld(reading, erasure)
    expires_us = erasure.backups_expire_at_us
    return Receipt(
        erasure_id=erasure.erasure_id,
        tenant_id=session.store.tenant.tenant_id,
        by=erasure.by,
        because=erasure.because,
        requested_by=erasure.actor,
        requested_at=format_time(erasure.requested_at_us),
        stage=erasure.stage,
        reached=tuple(
            StageReached(each.stage, format_time(each.at_us), _digest(reading, each.position))
            for each in erasure.reached
        ),
        records=erasure.records if audits else None,
        claims=erasure.claims if audits else None,
        others=erasure.others if audits else None,
        events=erasure.events if audits else None,
        waits_for_hold=bool(erasure.held_ids) if holds else None,
        could_not=erasure.could_not,
        backups_expire_at=None if expires_us is None else format_time(expires_us),
    )


def _as_if_unheld(reading: Reading, erasure: StoredErasure) -> StoredErasure:
    """As it went for what no hold kept: stages that came again would tell that one was released."""
    first = {each.stage: each for each in reversed(erasure.reached)}
    once = tuple(first[stage] for stage in STAGES if stage in first)
    if once == erasure.reached:
        return erasure
    told = replace(erasure, reached=once)
    if "scrubbed" not in first:
        return told
    sealed = reading.event(Chain.LEDGER, first["scrubbed"].position)
    assert sealed is not None
    event = event_of(sealed)
    assert isinstance(event, ErasureStaged)
    return replace(told, could_not=event.could_not, backups_expire_at_us=event.backups_expire_at_us)


def _digest(reading: Reading, position: int) -> str:
    sealed = reading.event(Chain.LEDGER, position)
    assert sealed is not None
    return sealed.digest


def _may_see(session: Session, erasure: StoredErasure) -> bool:
    policy = session.registry.policy
    return erasure.actor == session.principal or any(
        may(policy, session.principal, verb).allowed for verb in ("erase", "audit")
    )
