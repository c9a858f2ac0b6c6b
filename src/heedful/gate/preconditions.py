"""Preconditions of a workflow: which are proved here and now, and what is missing where one is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heedful.bridges.vocabulary import covers
from heedful.claims.claim import Claim
from heedful.claims.merge import NO_JOINS, Joins
from heedful.claims.projections.workflow import Precondition, StateProof, Workflow
from heedful.gate.requirements import Approval, Verification, newest_verification
from heedful.gate.verdict import Missing
from heedful.kernel.ids import ActionClassId, RecordId
from heedful.kernel.scope import Scope
from heedful.kernel.times import US_A_SECOND, format_time


@dataclass(frozen=True, slots=True)
class Proofs:
    """What may prove a precondition: all of it visible to whoever asks, at one instant.

    Attributes:
        is_cut: True: there are more verifications or states than were looked at, so none of them proves anything.
        approval: of the very call; None: there is none, or no call is judged.
        max_age_seconds: how old a verification may be.
        joins: which subjects are one for whoever asks.
    """

    scope: Scope
    verifications: tuple[Verification, ...]
    states: tuple[Claim, ...]
    is_cut: bool
    approval: Approval | None
    max_age_seconds: int
    at_us: int
    joins: Joins = NO_JOINS


@dataclass(frozen=True, slots=True)
class PreconditionStanding:
    """Whether one precondition is proved.

    Attributes:
        is_proved: False where nothing proves it.
        because: one sentence for people.
        evidence: ids of the records that say so.
        claim_id: of the claim that says so, or says otherwise.
        missing: what would prove it; None where it is proved.
    """

    precondition: Precondition
    is_proved: bool
    because: str
    evidence: tuple[RecordId, ...] = ()
    claim_id: str | None = None
    missing: Missing | None = None


def standings_of(workflow: Workflow, proofs: Proofs) -> tuple[PreconditionStanding, ...]:
    """Where each precondition stands, in order.

    What is proved at one time, in one scope, proves nothing at another or elsewhere; and what verifies a step, or the
    intent, proves no precondition that it does not name.
    """
    checks = frozenset((workflow.intent, *(step.check.verifies for step in workflow.steps)))
    return tuple(_standing_of(each, proofs, checks) for each in workflow.preconditions)


def _standing_of(precondition: Precondition, proofs: Proofs, checks: frozenset[ActionClassId]) -> PreconditionStanding:
    if proofs.is_cut and precondition.proved_by != "approval":
        detail = f"{precondition.text} More is known here than is looked at, so a person has to see to it."
        return PreconditionStanding(
            precondition, is_proved=False, because=detail, missing=Missing("evidence", "fewer records and claims here")
        )
    if precondition.verification is not None:
        return _by_verification(precondition, _telling(precondition.verification, proofs, checks), proofs)
    if precondition.state is not None:
        return _by_state(precondition, precondition.state, proofs)
    return _by_approval(precondition, proofs)


def _by_verification(precondition: Precondition, newest: Verification | None, proofs: Proofs) -> PreconditionStanding:
    wanted = precondition.verification
    wanted_now = f"A verification of {wanted} in {proofs.scope}, at most {proofs.max_age_seconds} seconds old"
    missing = Missing("verification", f"{precondition.text} {wanted_now}")
    if newest is None:
        because = f"There is no verification of {wanted}."
        return PreconditionStanding(precondition, is_proved=False, because=because, missing=missing)
    when = format_time(newest.occurred_at_us)
    evidence = (newest.record_id,)
    if not newest.is_passed:
        because = f"The newest verification of {wanted} ({newest.record_id}, {when}) did not pass."
    elif proofs.at_us - newest.occurred_at_us > proofs.max_age_seconds * US_A_SECOND:
        because = f"The newest verification of {wanted} ({newest.record_id}, {when}) is stale."
    else:
        because = f"{wanted} was verified at {when}."
        return PreconditionStanding(precondition, is_proved=True, because=because, evidence=evidence)
    return PreconditionStanding(precondition, is_proved=False, because=because, evidence=evidence, missing=missing)


def _telling(wanted: ActionClassId, proofs: Proofs, checks: frozenset[ActionClassId]) -> Verification | None:
    """The verification that decides: the newest of the very class, where there is one; else of a class above it.

    What was looked at more widely since proves nothing that was looked at by itself, unless that it is not well. Where
    a wider one may be the check of a step (`checks`), nobody has looked at the precondition with it.
    """
    exact = [each for each in proofs.verifications if each.action_class == wanted]
    widely = newest_verification(proofs.verifications, wanted, proofs.scope, at_us=proofs.at_us)
    if widely is None or not widely.is_passed:
        return widely
    newest = newest_verification(exact, wanted, proofs.scope, at_us=proofs.at_us)
    if newest is not None:
        return newest
    apart = [each for each in proofs.verifications if not any(covers(each.action_class, name) for name in checks)]
    return newest_verification(apart, wanted, proofs.scope, at_us=proofs.at_us)


def _by_state(precondition: Precondition, wanted: StateProof, proofs: Proofs) -> PreconditionStanding:
    about = f" of {wanted.subject}" if wanted.subject is not None else ""
    name = wanted.property or wanted.kind
    missing = Missing("evidence", f"{precondition.text} An approved claim that {name}{about} is {wanted.value}")
    held = [claim for claim in proofs.states if _speaks_of(claim, wanted, proofs)]
    otherwise = next((claim for claim in held if not is_equal(claim.value, wanted.value)), None)
    if otherwise is not None:
        because = f"{name}{about} is otherwise: {otherwise.statement}"
        return PreconditionStanding(
            precondition,
            is_proved=False,
            because=because,
            evidence=otherwise.evidence,
            claim_id=otherwise.claim_id,
            missing=missing,
        )
    if not held:
        because = f"Nothing that is approved and in force says what {name}{about} is."
        return PreconditionStanding(precondition, is_proved=False, because=because, missing=missing)
    return PreconditionStanding(
        precondition,
        is_proved=True,
        because=held[0].statement,
        evidence=held[0].evidence,
        claim_id=held[0].claim_id,
    )


def _by_approval(precondition: Precondition, proofs: Proofs) -> PreconditionStanding:
    if proofs.approval is not None:
        because = f"{proofs.approval.approved_by} approved this call."
        return PreconditionStanding(
            precondition, is_proved=True, because=because, evidence=(RecordId(proofs.approval.approval_id),)
        )
    missing = Missing("approval", f"{precondition.text} A person's approval of this very call")
    return PreconditionStanding(
        precondition, is_proved=False, because="Nobody has approved this very call.", missing=missing
    )


def _speaks_of(claim: Claim, wanted: StateProof, proofs: Proofs) -> bool:
    return (
        claim.is_reviewed
        and claim.valid.contains(proofs.at_us)
        and claim.scope.applies_to(proofs.scope)
        and covers(wanted.kind, claim.kind)
        and (wanted.subject is None or proofs.joins.are_one(wanted.subject, claim.subject))
        and wanted.property in (None, claim.property)
    )


def is_equal(value: object, wanted: object) -> bool:
    """True where both are the same value; true is no 1."""
    return isinstance(value, bool) == isinstance(wanted, bool) and value == wanted


def classes_wanted(preconditions: Sequence[Precondition]) -> tuple[ActionClassId, ...]:
    """The classes of which a verification proves one of these."""
    return tuple(each.verification for each in preconditions if each.verification is not None)
