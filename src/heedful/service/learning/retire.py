"""Retire: a later success of the same thing, in the same place, refutes a gotcha; what tells it and how."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.claims.claim import Claim
from heedful.claims.projections.experience import INDEPENDENT_MIN, groups_of
from heedful.claims.projections.identifiers import environment_of
from heedful.kernel.label import Label
from heedful.kernel.times import format_time
from heedful.observations.record import Record, RecordType
from heedful.ports.store import Reading
from heedful.service.belief.origins import origins_seen
from heedful.service.keeping.propose import STATEMENT_CHARACTERS_MAX, ClaimDraft
from heedful.service.learning.failures_seen import Seen
from heedful.service.session import Session
from heedful.service.sight import denied_to


@dataclass(frozen=True, slots=True)
class Refuted:
    """Why a gotcha no longer holds.

    Attributes:
        because: in words, with the ids of the records.
        records: a passed verification, or two successes of independent runs, the latest first.
        at_us: when the latest happened, UTC microseconds.
    """

    because: str
    records: tuple[Record, ...]
    at_us: int


def refuted_by(session: Session, reading: Reading, seen: Seen, claim: Claim) -> Refuted | None:
    """What refutes the claim: of its explicit subject and environment, after its last failure, and nothing since.

    A verification that passed does; or two successes of independent runs, none of which failed with it, of the same
    operation where that is known. Only what everybody sees who sees the claim counts. A claim about its whole scope
    has no explicit subject, and one whose failures are not recorded here has no last one: a person ends those.
    """
    failures = [seen.by_id[each] for each in claim.evidence if each in seen.by_id]
    if claim.subject in claim.scope.elements or claim.subject == "tenant" or not failures:
        return None
    environments = {environment_of(record) for record in failures}
    touching = [
        step
        for step in seen.on(claim.subject)
        if step.environment in environments and _is_level(session, reading, step.record, claim)
    ]
    failed = [step.record for step in touching if not step.is_success]
    last_us = max(record.occurred.at_us for record in (*failures, *failed))
    later = [step for step in touching if step.is_success and step.record.occurred.at_us > last_us]
    passed = [step.record for step in later if step.record.type is RecordType.VERIFICATION]
    if passed:
        return _refuted("a verification passed", passed[-1:])
    runs = {record.run_id for record in (*failures, *failed)}
    operations = {step.operation for step in touching if step.record.record_id in claim.evidence}
    alike = [step.record for step in later if step.record.run_id not in runs and step.operation in operations]
    groups = groups_of(alike, origins_seen(session, reading, alike))
    if len(groups) < INDEPENDENT_MIN:
        return None
    latest = sorted((group[-1] for group in groups), key=lambda one: one.occurred.at_us)
    return _refuted("it succeeded in two other runs", latest[-INDEPENDENT_MIN:])


def retirement(claim: Claim, refuted: Refuted) -> ClaimDraft:
    """The draft that an approved gotcha no longer holds; whoever approves it ends that one."""
    return ClaimDraft(
        kind=claim.kind,
        statement=f"The old experience no longer holds: {claim.statement}"[:STATEMENT_CHARACTERS_MAX],
        subject=claim.subject,
        property=claim.property,
        value=False,
        form=claim.form,
        applies_to=(),
        not_for=(),
        since_us=refuted.at_us,
        until_us=None,
        told_by=f"gotcha miner 1: {refuted.because}",
        replaces=(claim.claim_id,),
        classification=claim.classification,
    )


def _refuted(what: str, records: list[Record]) -> Refuted:
    told = ", ".join(f"record {record.record_id}" for record in records)
    at_us = records[-1].occurred.at_us
    return Refuted(f"{what} by {format_time(at_us)}: {told}", tuple(reversed(records)), at_us)


def _is_level(session: Session, reading: Reading, record: Record, claim: Claim) -> bool:
    """True where whoever sees the claim sees the record."""
    label = Label(claim.scope, None, claim.classification, claim.consent)
    is_dominated = label.dominates(Label(record.scope, None, record.classification, record.consent))
    unseen = denied_to(session, reading, (record.record_id,))
    return is_dominated and unseen <= denied_to(session, reading, claim.evidence)
