"""Settle: what a record changes of the claims that are held, found in the transaction that keeps it."""

from __future__ import annotations

from dataclasses import replace

from heedful.claims.claim import ClaimStatus
from heedful.ledger.events import ClaimTransitioned
from heedful.ports.store import Writing
from heedful.service.facts import ended_claims, ending_draft, may_tell_end, moves_of_ended
from heedful.service.keep import Prepared
from heedful.service.keep_claims import ClaimNote, Claims, add_told
from heedful.service.place_states import with_states
from heedful.service.session import Session


def settled(session: Session, writing: Writing, prepared: Prepared) -> Prepared:
    """The same, with the ends of what its words say is over, and its states in their place among those before."""
    return with_states(session, writing, with_endings(session, writing, prepared))


def with_endings(session: Session, writing: Writing, prepared: Prepared) -> Prepared:
    """The same, with the ends of the claims that the record's words say are over, as far as they end by themselves."""
    record = prepared.record
    if record is None or prepared.outcome != "admitted" or not prepared.endings:
        return prepared
    told = [note.kind for note in prepared.claims]
    ended = ended_claims(session, writing, record, told, prepared.endings)
    claims = Claims()
    for ending, claim in ended:
        if may_tell_end(session, writing, record, told, claim):
            add_told(session, record, ending_draft(ending, claim), claims, evident=True)
    notes = (*prepared.claims, *claims.notes)
    moves = moves_of_ended(session, writing, record, [note.kind for note in notes], ended)
    over = {move.claim_id for move in moves if isinstance(move, ClaimTransitioned)}
    return replace(
        prepared,
        events=(*prepared.events, *moves, *claims.events),
        claims=notes,
        ended=tuple(
            ClaimNote(claim.claim_id, claim.kind, claim.statement, ClaimStatus.SUPERSEDED)
            for _, claim in ended
            if claim.claim_id in over
        ),
    )
