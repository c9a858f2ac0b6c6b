"""Said before: what people say of themselves, beside what they have said of the same before."""

from __future__ import annotations

from dataclasses import replace

from heedful.claims.claim import TO_ACTIVE, UNREVIEWED, Claim, ClaimStatus
from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.claims.said import SAID_KINDS, denied_in
from heedful.kernel.ids import ClaimId
from heedful.ledger.events import ClaimProposed, ClaimTransitioned, Event
from heedful.ports.store import Writing
from heedful.service.belief.over import ended_by_words
from heedful.service.keeping.facts import is_same_speaker
from heedful.service.keeping.keep import Prepared
from heedful.service.keeping.keep_claims import ClaimNote
from heedful.service.session import Session
from heedful.service.sight import denied_to, seen_of

ALIKE_MAX = 100
"""Claims of one property, the newest, that a sentence is compared with."""


def with_said(session: Session, writing: Writing, prepared: Prepared) -> Prepared:
    """The same, without what changes nothing of what is held, and with the ends of what its speaker said before.

    "I no longer like Vim" is kept where it is held that they do. What is told unasked is kept where it says otherwise
    than what is held; it ends what nobody has approved. What is active it meets when somebody approves it, like
    everything that becomes active. What another speaker said stays: two people are weighed, not overwritten.
    """
    said = [
        event
        for event in prepared.events
        if isinstance(event, ClaimProposed) and (event.kind in SAID_KINDS or event.claim_id in prepared.leaned)
    ]
    if not said or prepared.record is None or prepared.outcome != "admitted":
        return prepared
    unseen = denied_to(session, writing, (), [note.kind for note in prepared.claims])
    dropped: set[ClaimId] = set()
    replaced: dict[ClaimId, ClaimProposed] = {}
    ended: list[Claim] = []
    for event in said:
        own = [
            claim
            for claim in _alike(session, writing, event)
            # Whoever does not see these words must not see either that something ended by them.
            if is_same_speaker(writing, claim, prepared.record)
            and unseen <= denied_to(session, writing, claim.evidence)
        ]
        others = [claim for claim in own if claim.value != event.value]
        is_asked = _is_asked(prepared, event)
        if (denied := denied_in(event.value)) is not None:
            others = [claim for claim in others if _folded(claim.value) == _folded(denied)]
        if not others and (denied is not None or not is_asked):
            dropped.add(event.claim_id)
            continue
        ended += [claim for claim in others if claim.status in UNREVIEWED and not claim.approvals]
        halfway = [claim.claim_id for claim in others if claim.status is not ClaimStatus.ACTIVE and claim.approvals]
        if halfway and not is_asked:
            replaced[event.claim_id] = replace(event, replaces=(*event.replaces, *halfway))
    return _settled(prepared, dropped, replaced, ended)


def _alike(session: Session, writing: Writing, event: ClaimProposed) -> tuple[Claim, ...]:
    found = writing.claims_alike(
        event.scope, event.classification, event.subject, event.property, statuses=TO_ACTIVE, limit=ALIKE_MAX
    )
    return tuple(claim for claim in seen_of(session, writing, found) if claim.kind == event.kind)


def _is_asked(prepared: Prepared, event: ClaimProposed) -> bool:
    return event.claim_id not in prepared.unasked


def _settled(
    prepared: Prepared, dropped: set[ClaimId], replaced: dict[ClaimId, ClaimProposed], ended: list[Claim]
) -> Prepared:
    reason = ended_by_words(prepared.record_id)
    kept: list[Event] = [
        replaced.get(event.claim_id, event) if isinstance(event, ClaimProposed) else event
        for event in prepared.events
        if not isinstance(event, ClaimProposed | ClaimTransitioned) or event.claim_id not in dropped
    ]
    once = {claim.claim_id: claim for claim in ended}
    moves = [
        ClaimTransitioned(claim.claim_id, claim.status, ClaimStatus.SUPERSEDED, SERVICE_ACTOR, reason)
        for claim in once.values()
    ]
    notes = [ClaimNote(each.claim_id, each.kind, each.statement, ClaimStatus.SUPERSEDED) for each in once.values()]
    return replace(
        prepared,
        events=(*kept, *moves),
        claims=tuple(note for note in prepared.claims if note.claim_id not in dropped),
        ended=(*prepared.ended, *notes),
    )


def _folded(value: object) -> str:
    return str(value).casefold()
