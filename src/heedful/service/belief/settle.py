"""Settle: what a record changes of the claims that are held, found in the transaction that keeps it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from heedful.claims.claim import ClaimStatus
from heedful.claims.said import SAID_KINDS
from heedful.kernel.scope import Scope
from heedful.ledger.events import ClaimTransitioned
from heedful.ports.store import Writing
from heedful.service.belief.asked_ends import with_asked_ends
from heedful.service.belief.leaning import with_leaning
from heedful.service.belief.meant import likeliest
from heedful.service.belief.place_states import with_states
from heedful.service.belief.weigh_kept import with_beliefs
from heedful.service.keeping.facts import HELD_MAX, ended_claims, ending_draft, may_tell_end, moves_of_ended, rivals_of
from heedful.service.keeping.keep import Prepared
from heedful.service.keeping.keep_claims import ClaimNote, Claims, add_told
from heedful.service.keeping.said_before import with_said
from heedful.service.session import Session


def settled(session: Session, writing: Writing, prepared: Prepared) -> Prepared:
    """The same, with the ends of what its words say is over, its states in their place, and its claims weighed.

    What becomes active is weighed against what stands, see `weigh_kept`.
    """
    asked = with_asked_ends(session, writing, with_leaning(session, writing, prepared))
    ended = with_endings(session, writing, with_said(session, writing, asked))
    return with_beliefs(session, writing, with_states(session, writing, ended))


def look_ahead(session: Session, prepared: Iterable[Prepared]) -> None:
    """The router weighs what settling these will ask it, so that in the transaction it only looks its answers up.

    An embedder may take long, and other writers would wait for it. What others write meanwhile is asked for then.
    """
    router = session.router
    told: dict[Scope, list[str]] = {}
    for each in prepared if router is not None else ():
        record = each.record
        if router is None or record is None or each.outcome != "admitted":
            continue
        if any(ending.heard is not None for ending in each.endings):
            with session.store.read() as reading:
                rivals = list(rivals_of(session, reading, record, each.endings))
            for some in rivals:
                likeliest(session, each.endings, some.claims)
            for ending in each.endings:
                # What records before it tell, that come in the same transaction.
                router.likeness(ending.text, told.get(record.scope, [])[-HELD_MAX:])
        told.setdefault(record.scope, []).extend(note.statement for note in each.claims)


def with_endings(session: Session, writing: Writing, prepared: Prepared) -> Prepared:
    """The same, with the ends of the claims that the record's words say are over, as far as they end by themselves."""
    record = prepared.record
    if record is None or prepared.outcome != "admitted" or not prepared.endings:
        return prepared
    told = [note.kind for note in prepared.claims]
    ended = ended_claims(session, writing, record, told, prepared.endings)
    if any(note.kind in SAID_KINDS for note in prepared.claims):
        # What they say of themselves was compared with what they had said of it already, word for word.
        ended = tuple((ending, claim) for ending, claim in ended if claim.kind not in SAID_KINDS)
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
        ended=prepared.ended
        + tuple(
            ClaimNote(claim.claim_id, claim.kind, claim.statement, ClaimStatus.SUPERSEDED)
            for _, claim in ended
            if claim.claim_id in over
        ),
    )
