"""Bearing: the verifications and approvals in its principal's sight that may prove something about an action."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from heedful.claims.assurance import APPROVES, ASSURANCE, PASSED, VERIFIES
from heedful.gate.requirements import VERIFIED, Approval, Verification
from heedful.kernel.dotted import with_above
from heedful.kernel.ids import ActionClassId
from heedful.kernel.times import US_A_SECOND
from heedful.observations.record import Channel, RecordStatus, RecordType
from heedful.ports.store import AttributeFilter, Reading, StoredRecord, Visible
from heedful.service.session import Session
from heedful.service.sight import seen_record

APPROVAL_SECONDS = 3_600
"""How long a person's yes to one action holds, and how long a verdict waits for one."""
BEARING_MAX = 200
BEARING_PAGES_MAX = 20
"""Verifications and approvals that are looked at, the newest that may count; and how many pages of as many records,
of any sort and from anybody, are read to find them. Where that is not enough, the gate asks for a review."""


@dataclass(frozen=True, slots=True)
class Bearing:
    """What may prove something.

    Attributes:
        records: those that it is in, and those that took its grounds away from a verification.
        is_cut: there is more than was looked at.
    """

    verifications: tuple[Verification, ...]
    approvals: tuple[Approval, ...]
    records: tuple[StoredRecord, ...]
    is_cut: bool


def bearing_on(
    session: Session, reading: Reading, visible: Visible, classes: Iterable[ActionClassId], action_digest: str | None
) -> Bearing:
    """Verifications of these classes and approvals of this action (None: of none), the newest first.

    The gate decides which of it counts.
    """
    wanted = tuple(sorted({above for each in classes for above in with_above(each)}))
    spoilt: dict[str, StoredRecord] = {}

    def verifies(stored: StoredRecord) -> bool:
        """Leaves out what cannot count before it is counted: an agent's notes must not push a person's out of sight."""
        if stored.record.type is not RecordType.VERIFICATION:
            return False
        verification = verification_of(stored)
        if not verification.may_count or not verification.is_passed:
            return verification.may_count
        gone = sources_gone(session, reading, stored)
        spoilt.update((each.record.record_id, each) for each in (*gone, *((stored,) if gone else ())))
        return not gone

    verifications, verifications_cut = _bearing_records(reading, visible, AttributeFilter(VERIFIES, wanted), verifies)
    approves = AttributeFilter(APPROVES, () if action_digest is None else (action_digest,))
    approvals, approvals_cut = _bearing_records(reading, visible, approves, _is_a_persons)
    return Bearing(
        tuple(map(verification_of, verifications)),
        tuple(map(_approval, approvals)),
        (*verifications, *approvals, *spoilt.values()),
        is_cut=verifications_cut or approvals_cut,
    )


def sources_gone(session: Session, reading: Reading, stored: StoredRecord) -> list[StoredRecord]:
    """What the verification was made from and is no evidence now; what is not in sight is as what is not there."""
    seen = (seen_record(session, reading, each) for each in stored.record.derived_from)
    return [each for each in seen if each is not None and not each.is_evidence]


def _is_a_persons(stored: StoredRecord) -> bool:
    return stored.record.channel is Channel.PERSON


def _bearing_records(
    reading: Reading, visible: Visible, wanted: AttributeFilter, may_count: Callable[[StoredRecord], bool]
) -> tuple[list[StoredRecord], bool]:
    """The newest BEARING_MAX that may count; and True where the pages ended before all of those were found."""
    found: list[StoredRecord] = []
    before: int | None = None
    for _ in range(BEARING_PAGES_MAX if wanted.values else 0):
        page = reading.records(
            visible,
            status=RecordStatus.ADMITTED,
            run_id=None,
            attributes=(wanted,),
            before=before,
            limit=BEARING_MAX,
        )
        found += filter(may_count, page)
        if len(page) < BEARING_MAX or len(found) >= BEARING_MAX:
            return found[:BEARING_MAX], False
        before = page[-1].position
    return found, before is not None


def verification_of(stored: StoredRecord) -> Verification:
    """The verification that the record is, which must be one."""
    attributes = dict(stored.record.attributes)
    return Verification(
        record_id=stored.record.record_id,
        occurred_at_us=stored.record.occurred.at_us,
        verified_by=stored.record.principal,
        grade=stored.record.grade,
        channel=stored.record.channel,
        action_class=ActionClassId(str(attributes[VERIFIES])),
        scope=stored.record.scope,
        is_passed=attributes.get(PASSED) is True,
        assurance=str(attributes.get(ASSURANCE, VERIFIED)),
    )


def _approval(stored: StoredRecord) -> Approval:
    granted_at_us = stored.recorded_at_us
    return Approval(
        approval_id=stored.record.record_id,
        approved_by=stored.record.principal,
        action_digest=str(dict(stored.record.attributes)[APPROVES]),
        granted_at_us=granted_at_us,
        expires_at_us=granted_at_us + APPROVAL_SECONDS * US_A_SECOND,
    )
