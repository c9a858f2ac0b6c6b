"""Archive: a person puts a claim aside, or takes it back. It stays in the ledger, and out of every packet."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.lifecycle import require_legal
from heedful.kernel.errors import ConflictError
from heedful.kernel.ids import ClaimId, ConflictId
from heedful.kernel.ladder import Tier
from heedful.ledger.events import ClaimTransitioned, Event
from heedful.ledger.opened import opened
from heedful.ports.store import Reading, Writing
from heedful.service.as_known import reading_at
from heedful.service.belief.activation import activation
from heedful.service.belief.approve_claim import require_live_evidence
from heedful.service.requests import reason_text
from heedful.service.session import Session
from heedful.service.sight import not_found, seen_claim, seen_of, told_claim, visible_everywhere

ARCHIVED_MAX = 500
"""Archived claims that are listed."""
_MOVED = "claim.transitioned"


@dataclass(frozen=True, slots=True)
class Archived:
    """What archiving a claim, or taking it back, did.

    Attributes:
        status: where the claim stands now.
        resting: active claims that say that they rest on it, of those that this person may see: they want a look.
        conflicts: questions that wait for a person, where it contradicts what was said meanwhile.
    """

    claim_id: ClaimId
    status: str
    resting: tuple[ClaimId, ...]
    conflicts: tuple[ConflictId, ...] = ()


@dataclass(frozen=True, slots=True)
class ArchivedClaims:
    """Claims in the archive, the newest first; `cut`: there are more than are listed."""

    claims: tuple[Claim, ...]
    cut: bool


def archive(session: Session, claim_id: str, reason: str) -> Archived:
    """The claim is archived: by the word of somebody who may approve, which confirms it for an operator's claim too.

    Raises:
        ForbiddenError: `principal_may_not`.
        NotFoundError: `item_not_found`, also for a claim that this person may not see.
        ConflictError: `transition_illegal`; `claim_pinned` for one that somebody wants kept.
        InvalidInputError: see `reason_text`.
    """
    session.require("approve")
    noted = reason_text(reason)

    def work(writing: Writing) -> Archived:
        claim = _seen(session, writing, claim_id)
        require_legal(claim, ClaimStatus.ARCHIVED)
        if claim.pinned:
            raise ConflictError(
                "claim_pinned",
                f"claim {claim.claim_id} is pinned: somebody wants it kept as it is",
                next_step="take the pin away first, with a reason: `heedful unpin CLAIM`",
                details={"claim_id": claim.claim_id},
            )
        return _moved(session, writing, claim, ClaimStatus.ARCHIVED, noted)

    return session.store.write(work)


def unarchive(session: Session, claim_id: str, reason: str) -> Archived:
    """The claim stands where it stood before it was archived, and counts as used from now on.

    One that was active is weighed against what was said meanwhile, like any that becomes active.

    Raises:
        ForbiddenError: `principal_may_not`.
        NotFoundError: `item_not_found`, also for a claim that this person may not see.
        ConflictError: `claim_not_archived`; `evidence_gone` where nothing that it rests on is evidence now.
        InvalidInputError: see `reason_text`.
    """
    session.require("approve")
    noted = reason_text(reason)
    # The ledger is walked for it here: no writer waits, however many moves there were since.
    with session.store.read() as reading:
        before = seen_claim(session, reading, claim_id)
        stood = None if before is None or before.status is not ClaimStatus.ARCHIVED else _stood(reading, before)

    def work(writing: Writing) -> Archived:
        claim = _seen(session, writing, claim_id)
        if claim.status is not ClaimStatus.ARCHIVED:
            raise ConflictError(
                "claim_not_archived",
                f"claim {claim.claim_id} is {claim.status}, and not archived",
                next_step="`heedful review list --archived` lists those that are",
                details={"claim_id": claim.claim_id, "status": claim.status.value},
            )
        require_live_evidence(writing, claim)
        stands = stood if stood is not None and claim == before else _stood(writing, claim)
        return _moved(session, writing, claim, stands, noted)

    return session.store.write(work)


def archived_claims(session: Session, *, known_at: str | None = None) -> ArchivedClaims:
    """The claims in the archive that this person may see, with the reason of each in `status_reason`.

    `known_at`: those that were in it at that instant.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: see `instant`.
    """
    session.require("approve")
    with reading_at(session, known_at) as (then, reading):
        found = reading.claims(
            visible_everywhere(then, reading),
            statuses=(ClaimStatus.ARCHIVED,),
            kinds=None,
            visibility=None,
            tier_min=Tier.UNVERIFIED,
            valid_at_us=None,
            limit=ARCHIVED_MAX + 1,
            newest_first=True,
        )
    told = tuple(told_claim(then, claim) for claim in found[:ARCHIVED_MAX])
    return ArchivedClaims(told, cut=len(found) > ARCHIVED_MAX)


def _seen(session: Session, reading: Reading, claim_id: str) -> Claim:
    claim = seen_claim(session, reading, claim_id)
    if claim is None:
        raise not_found(claim_id)
    return claim


def _moved(session: Session, writing: Writing, claim: Claim, to_status: ClaimStatus, reason: str) -> Archived:
    move = ClaimTransitioned(claim.claim_id, claim.status, to_status, session.principal, reason)
    events: list[Event] = [move]
    asks: tuple[ConflictId, ...] = ()
    if to_status is ClaimStatus.ACTIVE:
        events, found = activation(session, writing, claim, [move])
        if found is not None:
            to_status, asks = found.stands_as(claim.status), found.asks
    session.append(writing, events)
    resting = seen_of(session, writing, writing.claims_resting_on(claim.claim_id))
    active = tuple(each.claim_id for each in resting if each.status is ClaimStatus.ACTIVE)
    return Archived(claim.claim_id, to_status, active, asks)


def _stood(reading: Reading, claim: Claim) -> ClaimStatus:
    """Where the claim stood when it was archived, by the ledger."""
    stood = ClaimStatus.ACTIVE
    for sealed in reading.events_of(_MOVED, after=claim.position):
        if sealed.payload is None or claim.claim_id.encode() not in sealed.payload:
            continue
        event = opened(sealed)
        assert isinstance(event, ClaimTransitioned)
        if event.claim_id == claim.claim_id and event.to_status == ClaimStatus.ARCHIVED:
            stood = ClaimStatus(event.from_status)
    return stood
