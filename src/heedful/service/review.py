"""Review: a person decides what may be believed. Agents propose; they never approve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.lifecycle import REJECTED, REVOKED, SERVICE_ACTOR, require_legal
from heedful.claims.projections.experience import is_tested
from heedful.kernel.errors import ConflictError
from heedful.kernel.kept import forget_texts
from heedful.kernel.ladder import Tier
from heedful.ledger.events import Event, RecordConfirmed
from heedful.observations.record import RecordStatus
from heedful.ports.store import Reading, StoredRecord, Visible, Writing
from heedful.service.acting.approve_action import approve_action, seen_verdict, waiting_verdicts
from heedful.service.as_known import reading_at
from heedful.service.belief.alike import Alike, likely_the_same
from heedful.service.belief.approve_claim import WAITING, Reviewed, approve_claim, step
from heedful.service.belief.conflicts import ToldConflict, conflicts_in
from heedful.service.belief.follow import dependants
from heedful.service.belief.given_back import give_back
from heedful.service.belief.withdraw import confirmed_with, withdrawal
from heedful.service.erasure.barred import barred_among
from heedful.service.governing.propose_bridge import decide_proposal, seen_proposal, told_proposal, waiting_proposals
from heedful.service.keeping.states import observed_and_over
from heedful.service.merging.namesakes import Namesakes, namesakes
from heedful.service.requests import reason_text
from heedful.service.session import Session
from heedful.service.sight import not_found, seen_claim, seen_record, told_claim, told_record, visible_everywhere
from heedful.service.tasks.task_parts import waits_for_nobody

QUEUE_MAX = 500
"""Items of each sort that are listed."""
LOOKED_AT_MAX = 64_000
"""Claims that are looked at for the queue; where there are more, it says that it is cut."""


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """What waits for a person; at most QUEUE_MAX of each sort.

    Attributes:
        claims: proposed and quarantined ones, in ledger order; no observed state that is too old to hold.
        records: pending ones, newest first.
        verdicts: of the last hour that ask for a person, newest first, as JSON values.
        cut: True: there are more.
        proposals: bridges that a model proposed and workflows that runs show, as JSON values, in ledger order.
        questions: which of two claims is so, the newest first.
        alike: claims that may say what another says in other words.
        namesakes: subjects of one name, which may be one.
    """

    claims: tuple[Claim, ...]
    records: tuple[StoredRecord, ...]
    verdicts: tuple[dict[str, Any], ...]
    cut: bool
    proposals: tuple[dict[str, Any], ...] = ()
    questions: tuple[ToldConflict, ...] = ()
    alike: tuple[Alike, ...] = ()
    namesakes: tuple[Namesakes, ...] = ()


def review_queue(session: Session, *, known_at: str | None = None) -> ReviewQueue:
    """What waits for review, of what this person may see."""
    session.require("approve")
    with reading_at(session, known_at) as (then, reading):
        visible = visible_everywhere(then, reading)
        claims, claims_cut = _waiting_claims(then, reading, visible)
        records = reading.records(
            visible, status=RecordStatus.PENDING, run_id=None, attributes=(), before=None, limit=QUEUE_MAX + 1
        )
        verdicts = waiting_verdicts(then, reading)
        proposals, more = waiting_proposals(then, reading)
        asked = conflicts_in(then, reading, only_open=True)
        alike = likely_the_same(reading, visible, claims)
        same_name = namesakes(reading, visible)
    cut = more or asked.cut or claims_cut or len(records) > QUEUE_MAX
    return ReviewQueue(
        tuple(told_claim(session, each) for each in claims),
        tuple(told_record(session, each) for each in records[:QUEUE_MAX]),
        verdicts,
        cut,
        proposals,
        asked.conflicts,
        alike,
        same_name,
    )


def _waiting_claims(session: Session, reading: Reading, visible: Visible) -> tuple[tuple[Claim, ...], bool]:
    """The first QUEUE_MAX claims that wait for a person, and whether there are more.

    However many plans and to-dos of tasks lie before them, which wait for nobody: those must not hide a proposal.
    """
    limit = 2 * QUEUE_MAX + 1
    while True:
        found = reading.claims(
            visible,
            statuses=WAITING,
            kinds=None,
            visibility=None,
            tier_min=Tier.UNVERIFIED,
            valid_at_us=None,
            limit=limit,
            unless_over=observed_and_over(session),
        )
        waiting = tuple(claim for claim in found if not waits_for_nobody(claim))
        if len(waiting) > QUEUE_MAX or len(found) < limit or limit >= LOOKED_AT_MAX:
            return waiting[:QUEUE_MAX], len(waiting) > QUEUE_MAX or len(found) == limit
        limit = min(4 * limit, LOOKED_AT_MAX)


def show(
    session: Session, item_id: str, *, known_at: str | None = None
) -> tuple[Claim | StoredRecord | dict[str, Any], tuple[StoredRecord, ...]]:
    """The claim, record or verdict (as JSON values), and the records that it rests on.

    Raises:
        NotFoundError: `item_not_found`.
        InvalidInputError: see `instant`.
    """
    with reading_at(session, known_at) as (then, reading):
        claim = seen_claim(then, reading, item_id)
        if claim is not None:
            evidence = filter(None, (seen_record(then, reading, each) for each in claim.evidence))
            return told_claim(then, claim), tuple(told_record(then, each) for each in evidence)
        stored = seen_record(then, reading, item_id)
        found = told_record(then, stored) if stored is not None else seen_verdict(then, reading, item_id)
        if found is None:
            proposal = seen_proposal(then, reading, item_id)
            if proposal is None:
                raise not_found(item_id)
            found = told_proposal(proposal)
        return found, ()


def approve(session: Session, item_id: str, reason: str) -> Reviewed:
    """What the approval did: to a claim, one more step to active; to a record, that it is evidence (again).

    The id of a verdict approves exactly the action that it judged, for an hour: judging it again takes that in.

    Raises:
        ForbiddenError: `principal_may_not`, `approval_refused` (one's own proposal, or twice by one person).
        NotFoundError: `item_not_found`.
        ConflictError: `transition_illegal`, `evidence_gone`, `record_admitted`, `premise_untested`.
        InvalidInputError: see `reason_text`.
    """
    session.require("approve")
    noted = reason_text(reason)
    with session.store.read() as reading:
        verdict = seen_verdict(session, reading, item_id)
    if verdict is not None:
        record_id, solo = approve_action(session, verdict, noted)
        status = f"approved by record {record_id}"
        return Reviewed("verdict", item_id, status, approvals_missing=False, solo=solo, quarantined=())
    return session.store.write(lambda writing: _approve(session, writing, item_id, noted))


def reject(session: Session, item_id: str, reason: str) -> Reviewed:
    """What the rejection did: a claim is revoked; a record is withdrawn, and claims that rest on it are quarantined.

    What only the record's words had ended stands again, where it stood.

    Raises:
        ForbiddenError: `principal_may_not`.
        NotFoundError: `item_not_found`.
        ConflictError: `transition_illegal`, `record_withdrawn`.
        InvalidInputError: see `reason_text`.
    """
    session.require("withdraw")
    noted = reason_text(reason)
    done = session.store.write(lambda writing: _reject(session, writing, item_id, noted))
    if done.item == "record":
        forget_texts()
    return done


def _approve(session: Session, writing: Writing, item_id: str, reason: str) -> Reviewed:
    claim = seen_claim(session, writing, item_id)
    if claim is not None:
        return approve_claim(session, writing, claim, reason)
    stored = seen_record(session, writing, item_id)
    if stored is None:
        return _decide(session, writing, item_id, reason, approved=True)
    if stored.status is RecordStatus.ADMITTED:
        raise ConflictError("record_admitted", f"record {item_id} is evidence already", details={"id": item_id})
    if stored.status is RecordStatus.HELD:
        raise ConflictError(
            "record_erased",
            f"record {item_id} was erased; a hold alone keeps it",
            next_step="have it said again, if whoever said it wants it known",
            details={"id": item_id},
        )
    if barred_among(writing, (stored.record,)):
        raise ConflictError(
            "consent_withdrawn",
            f"record {item_id} is from, or about, somebody who withdrew their consent to its use",
            next_step="it is evidence again when they give it: `heedful consent give`",
            details={"id": item_id},
        )
    events: list[Event] = [RecordConfirmed(stored.record.record_id, session.principal, reason)]
    events += [
        step(waiting, waiting.status, ClaimStatus.EVIDENCE_VERIFIED, SERVICE_ACTOR, "its record was confirmed")
        for waiting in writing.claims_on(stored.record.record_id)
        if waiting.status is ClaimStatus.PROPOSED and is_tested(waiting.form, waiting.scope, waiting.valid_from_us)
    ]
    events += confirmed_with(writing, stored)
    session.append(writing, events)
    return Reviewed("record", item_id, RecordStatus.ADMITTED, approvals_missing=False, solo=False, quarantined=())


def _reject(session: Session, writing: Writing, item_id: str, reason: str) -> Reviewed:
    claim = seen_claim(session, writing, item_id)
    if claim is not None:
        require_legal(claim, ClaimStatus.REVOKED)
        revoked = step(claim, claim.status, ClaimStatus.REVOKED, session.principal, _ending(claim) + reason)
        session.append(writing, [revoked])
        return Reviewed("claim", item_id, ClaimStatus.REVOKED, approvals_missing=False, solo=False, quarantined=())
    stored = seen_record(session, writing, item_id)
    if stored is None:
        return _decide(session, writing, item_id, reason, approved=False)
    if stored.is_withdrawn:
        raise ConflictError("record_withdrawn", f"record {item_id} is withdrawn already", details={"id": item_id})
    done = withdrawal(session, writing, stored, reason)
    session.append(writing, done.events)
    back = give_back(session, writing, done.unfounded)
    waiting = dependants(writing, [each.claim_id for each in done.quarantined])
    made = [each.record.record_id for each in done.records[1:]]
    return Reviewed(
        "record",
        item_id,
        RecordStatus.WITHDRAWN,
        approvals_missing=False,
        solo=False,
        quarantined=_seen_ids(session, writing, [*done.quarantined, *waiting]),
        standing_again=_seen_ids(session, writing, [*done.standing_again, *back]),
        withdrawn_with=tuple(each for each in made if seen_record(session, writing, each) is not None),
        fell_back=_seen_ids(session, writing, done.fallen),
    )


def _seen_ids(session: Session, reading: Reading, claims: Sequence[Claim]) -> tuple[str, ...]:
    return tuple(each.claim_id for each in claims if seen_claim(session, reading, each.claim_id))


def _decide(session: Session, writing: Writing, item_id: str, reason: str, *, approved: bool) -> Reviewed:
    proposal = seen_proposal(session, writing, item_id)
    if proposal is None:
        raise not_found(item_id)
    document = decide_proposal(session, writing, proposal, reason, approved=approved)
    status = "approved" if approved else "rejected"
    return Reviewed("proposal", item_id, status, approvals_missing=False, solo=False, quarantined=(), document=document)


def _ending(claim: Claim) -> str:
    return REVOKED if claim.status in (ClaimStatus.ACTIVE, ClaimStatus.QUARANTINED) else REJECTED
