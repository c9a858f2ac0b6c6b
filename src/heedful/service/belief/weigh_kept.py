"""Weigh what is kept: claims that become active with their record, in the transaction that keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard

from heedful.claims import fold
from heedful.claims.authority import least_tier, tier_by_lineage
from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.ids import ClaimId
from heedful.kernel.ladder import Classification, Tier
from heedful.ledger.belief_events import ClaimBounded, ClaimWeighed
from heedful.ledger.events import ClaimProposed, ClaimTransitioned, Event
from heedful.observations.record import Record
from heedful.ports.store import Chain, Reading, Writing
from heedful.service.belief.believe import weigh
from heedful.service.belief.origins import origins_read
from heedful.service.belief.weigh import Newcomer
from heedful.service.belief.weighed import Weighed
from heedful.service.keeping.keep import Prepared
from heedful.service.session import Session
from heedful.service.sight import denied_to, seen_claim

Cell = tuple[str, Classification, str, str]
"""Scope, classification, subject and property: what claims of single-valued kinds meet in."""
_ONE = "one"


def with_beliefs(session: Session, writing: Writing, prepared: Prepared) -> Prepared:
    """The same, with what comes of it that its claims become active; and with no more authority than they came from."""
    record = prepared.record
    if record is None or not prepared.claims:
        return prepared
    events = [_bounded(session, writing, each, record) for each in prepared.events]
    going = {each.claim_id for each in events if _activates(each)}
    if not going:
        return replace(prepared, events=tuple(events))
    return _Kept(session, writing, replace(prepared, events=tuple(events)), record).weighed(going)


def cells_of(session: Session, prepared: Prepared) -> frozenset[Cell]:
    """Where its claims that become active may meet others: none may wait to be appended when it is settled."""
    if not any(note.status is ClaimStatus.ACTIVE for note in prepared.claims):
        return frozenset()
    active = {note.claim_id for note in prepared.claims if note.status is ClaimStatus.ACTIVE}
    kinds = session.registry.vocabulary.kinds
    return frozenset(
        (each.scope.key, each.classification, each.subject, each.property)
        for each in prepared.events
        if isinstance(each, ClaimProposed)
        and each.claim_id in active
        and (kind := kinds.get(each.kind)) is not None
        and kind.cardinality == _ONE
    )


class Unsettled:
    """The cells of what waits to be appended to the ledger together."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._cells: set[Cell] = set()

    def must_append_before(self, prepared: Prepared) -> bool:
        """True where what waits has to be in the store when this is settled; it is one of those that wait then."""
        cells = cells_of(self._session, prepared)
        comes_from_others = bool(cells) and prepared.record is not None and prepared.record.derived_from != ()
        must = prepared.looks_back or comes_from_others or not cells.isdisjoint(self._cells)
        if must:
            self._cells.clear()
        self._cells |= cells
        return must


class _Kept:
    """The claims of one record, one after another: a later one meets those before it too."""

    def __init__(self, session: Session, writing: Writing, prepared: Prepared, record: Record) -> None:
        self._session = session
        self._writing = writing
        self._prepared = prepared
        self._record = record
        self._unseen = denied_to(session, writing, (), [note.kind for note in prepared.claims])
        self._position = writing.head(Chain.LEDGER).position + 1
        self._now_us = session.clock.now_us()
        self._beside: dict[ClaimId, Claim] = {}

    def weighed(self, going: set[ClaimId]) -> Prepared:
        """The record's events, with what comes of those that become active."""
        proposals: dict[ClaimId, ClaimProposed] = {}
        statuses: dict[ClaimId, ClaimStatus] = {}
        problems: list[str] = []
        events: list[Event] = []
        for event in self._prepared.events:
            if isinstance(event, ClaimProposed) and event.claim_id in going:
                proposals[event.claim_id] = event
            proposed = proposals.get(event.claim_id) if _activates(event) else None
            found = None if proposed is None else self._weigh(proposed)
            if found is None or found.activates:
                events.append(event)
            if proposed is None or found is None:
                continue
            events += found.events
            statuses[proposed.claim_id] = found.stands_as(ClaimStatus.POLICY_REVIEWED)
            problems += _told(proposed, found)
        notes = tuple(replace(note, status=statuses.get(note.claim_id, note.status)) for note in self._prepared.claims)
        told = (*self._prepared.problems, *problems)
        return replace(self._prepared, events=tuple(events), claims=notes, problems=told)

    def _weigh(self, proposed: ClaimProposed) -> Weighed | None:
        claim = fold.propose(proposed, position=self._position, recorded_at_us=self._now_us)
        claim = replace(claim, status=ClaimStatus.POLICY_REVIEWED)
        new = Newcomer(
            claim,
            records={self._record.record_id: self._record},
            unseen=self._unseen,
            beside=tuple(self._beside.values()),
        )
        found = weigh(self._session, self._writing, new)
        for event in found.events if found is not None else ():
            self._follow(event)
        if found is None or found.activates:
            after = claim if found is None else found.claim
            if after.status is not ClaimStatus.SUPERSEDED:
                self._beside[claim.claim_id] = replace(after, status=ClaimStatus.ACTIVE)
        return found

    def _follow(self, event: Event) -> None:
        """Those that came with it are as its weighing leaves them."""
        if not isinstance(event, ClaimTransitioned | ClaimBounded | ClaimWeighed):
            return
        claim = self._beside.get(event.claim_id)
        if claim is None:
            return
        if isinstance(event, ClaimTransitioned):
            del self._beside[event.claim_id]
        else:
            self._beside[event.claim_id] = fold.believe(claim, event)


def _activates(event: Event) -> TypeGuard[ClaimTransitioned]:
    return isinstance(event, ClaimTransitioned) and event.to_status == ClaimStatus.ACTIVE


def _told(proposed: ClaimProposed, found: Weighed) -> Sequence[str]:
    if found.claim.status is ClaimStatus.SUPERSEDED:
        return (f"{proposed.kind}: it is not what holds now: {found.claim.status_reason}",)
    if not found.activates:
        return (f"{proposed.kind}: it waits for a person: `heedful conflicts` shows the question",)
    return (f"{proposed.kind}: another says otherwise: `heedful conflicts` shows the question",) if found.asks else ()


def _bounded(session: Session, reading: Reading, event: Event, record: Record) -> Event:
    """A proposal with the least authority of all that it came from; any other event as it is."""
    if not isinstance(event, ClaimProposed) or event.tier < Tier.OPERATOR:
        return event
    if not record.derived_from and not event.rests_on:
        return event
    claim = fold.propose(event, position=0, recorded_at_us=0)
    lineage = origins_read(session, reading, claim, [record])
    grounds = [seen_claim(session, reading, each) for each in event.rests_on]
    tiers = (Tier.UNVERIFIED if each is None else each.tier for each in grounds)
    return replace(event, tier=least_tier((event.tier, tier_by_lineage(record, lineage), *tiers)))
