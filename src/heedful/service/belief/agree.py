"""Agree: what a claim gains by another that says the same and gives way to it: its words, as far as they count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from heedful.claims.authority import corroborated_tier, corroborates
from heedful.claims.claim import Claim
from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.kernel.ids import RecordId
from heedful.ledger.belief_events import BeliefEvent, ClaimConfirmed, ClaimCorroborated
from heedful.observations.record import Record
from heedful.ports.store import Writing
from heedful.service.belief.origins import origins_read
from heedful.service.belief.weigh import side_of
from heedful.service.session import Session


def words_gained(
    session: Session, writing: Writing, claim: Claim, other: Claim, at_hand: Mapping[RecordId, Record]
) -> list[BeliefEvent]:
    """The events by which the claim has the other's records, those of other origins, and stays or becomes self-told.

    Their own word is no less theirs where it is of one origin with another's: then they have confirmed the claim by it.
    """
    events: list[BeliefEvent] = [*_corroborated(session, writing, claim, other, at_hand)]
    is_evidence = any(isinstance(each, ClaimCorroborated) for each in events)
    is_told = side_of(session, other, at_hand).is_self_told
    first = replace(claim, evidence=claim.evidence[:1], confirmed_by=())
    # Each such word is noted, for when another one is withdrawn; but what is evidence itself needs no note.
    if is_told and not (is_evidence and not other.confirmed_by) and not side_of(session, first, at_hand).is_self_told:
        why = f"claim {other.claim_id} is their own word of the same"
        events += [
            ClaimConfirmed(claim.claim_id, who, why, other.claim_id)
            for who in other.confirmed_by or (other.proposed_by,)
        ]
    return events


def _corroborated(
    session: Session, writing: Writing, claim: Claim, other: Claim, at_hand: Mapping[RecordId, Record]
) -> list[ClaimCorroborated]:
    records, others = ([at_hand[each] for each in one.evidence if each in at_hand] for one in (claim, other))
    lineage = origins_read(session, writing, claim, [*records, *others])
    grounds = [each.tier for each in writing.claims_by_ids(claim.rests_on)]
    events: list[ClaimCorroborated] = []
    for record in others if len(records) == len(claim.evidence) else ():
        if not corroborates(record, records, lineage):
            continue
        tier = corroborated_tier(claim.tier, grounds)
        reason = f"an independent origin says the same, claim {other.claim_id}"
        events.append(ClaimCorroborated(claim.claim_id, record.record_id, tier, SERVICE_ACTOR, reason))
        records.append(record)
    return events
