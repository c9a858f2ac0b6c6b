"""As known: the store as it was known at an earlier instant, folded from the ledger alone.

What was recorded later is not there: no record, claim, move, bound or conflict. Nor is what the session may not see
now, so that nothing of it can show, neither in an answer nor in an order, a count or a limit. It costs the fold of the
events that it takes, in memory, and writes nothing. Asked again before anything is written, it costs nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from heedful.bridges.vocabulary import covers
from heedful.kernel.ids import RecordId
from heedful.kernel.scope import Scope
from heedful.ledger import events
from heedful.ledger.belief_events import BeliefEvent, ConflictDetected, ConflictResolved
from heedful.ledger.events import ClaimProposed, Event
from heedful.ledger.seal import SealedEvent
from heedful.ledger.workflow_events import WorkflowProposalDecided, WorkflowProposed
from heedful.observations.record import Record
from heedful.ports.store import Chain, Reading, Visible, Writing
from heedful.service.erasure.barred import is_without_consent
from heedful.service.erasure.there import sealed_there
from heedful.service.folded import KEPT_EVENTS_MAX
from heedful.service.instants import instant_or_none
from heedful.service.project import event_of, project, put_row_vectors
from heedful.service.session import Session
from heedful.service.sight import rests_on_denied, visible_everywhere

PAGE_EVENTS = 1_000
"""Events that are read and folded in one go."""
_NO_VIEW = frozenset(
    {
        *("tenant.created", "record.refused", "outcome.reported", "import.finished", "activation.marked"),
        *("permit.issued", "permit.redeemed", "permit.refused"),
    }
)
"""What no read of an earlier moment looks at."""
_BRINGING = ("record.admitted", "record.pending")
_IN_FORCE = frozenset({"registry.adopted", "registry.mode_set", "registry.bridge_approved"})
"""Where what is visible now is asked for, these are of now as well: who may see, and what must be seen."""


def position_known(reading: Reading, known_us: int) -> int:
    """The position of the last ledger event that was recorded at or before the instant; 0: none was.

    Found by halving: some twenty events are looked at among a million. Where the clock went back, which events are
    before the instant is what the halves say.
    """
    low, high = 0, reading.head(Chain.LEDGER).position
    while low < high:
        middle = (low + high + 1) // 2
        sealed = reading.event(Chain.LEDGER, middle)
        if sealed is None or sealed.envelope.recorded_at_us <= known_us:
            low = middle
        else:
            high = middle - 1
    return low


@contextmanager
def as_known(
    session: Session, known_us: int, visible: Visible, *, until: int | None = None, asked: Session | None = None
) -> Iterator[Session]:
    """The session at its tenant's store as that was known at the instant, of what is visible now.

    Reading it answers as the store would have then, by the registry and policy of today. The access chain is the real
    one. It must not be written to. `until`: no event after that position is taken. `asked`: the session of when this
    was asked, by whose modes and claims is judged what is visible; None: now.

    Raises:
        FaultError: see `event_of` and `project`.
        UnavailableError: `store_unavailable`.
    """
    with session.store.read() as reading:
        known = position_known(reading, known_us)
        position = known if until is None else min(known, until)
        is_kept = asked is None and position <= KEPT_EVENTS_MAX
        key = _key(session, reading, visible, position, known_us) if is_kept else None
    kept = _Kept(asked or session, visible)

    def work(writing: Writing) -> None:
        _start(asked or session, writing)
        _fold(session, writing, position, lambda sealed: kept.of(sealed, known_us), kept.look)

    with session.folded.lent(key, session.scratch, session.store.tenant, lambda store: store.write(work)) as store:
        yield replace(session, store=store)


def _key(session: Session, reading: Reading, visible: Visible, position: int, known_us: int) -> Hashable:
    """Everything that what is folded depends on; the principal too, though two that may see the same read the same."""
    return (
        *(session.store.tenant.tenant_id, session.principal, session.channel, session.registry.revision),
        *(position, known_us, reading.head(Chain.LEDGER), visible),
        *(reading.modes(), tuple(reading.bridge_approvals()), reading.vector_models()),
        tuple(each.model for each in session.embedders),
    )


@contextmanager
def reading_at(session: Session, known_at: str | None) -> Iterator[tuple[Session, Reading]]:
    """A moment to read all that is visible from, as known now or at that instant, and the session to read it with.

    Of an earlier instant the session's clock stands there, so that what waited then, waits.

    Raises:
        InvalidInputError: see `instant`.
        FaultError, UnavailableError: see as_known.
    """
    known_us = instant_or_none(session, known_at, field="known_at")
    with session.store.read() as reading:
        if known_us is None:
            yield session, reading
            return
        visible = visible_everywhere(session, reading)
    with as_known(replace(session, clock=_Stopped(known_us)), known_us, visible) as then, then.store.read() as was:
        yield then, was


@dataclass(frozen=True, slots=True)
class _Stopped:
    """A clock that stands."""

    at_us: int

    def now_us(self) -> int:
        """Where it stands, UTC microseconds."""
        return self.at_us


@contextmanager
def as_it_was(session: Session, position: int) -> Iterator[Session]:
    """The session at its tenant's store as it was after the event at that position: all of it, modes too, of everybody.

    For replaying what was answered then, under what its principal saw then; content that was erased since is not there.

    Raises:
        FaultError, UnavailableError: see as_known.
    """
    with session.scratch(session.store.tenant) as store:
        kept = _Kept(session, None)

        def work(writing: Writing) -> None:
            _start(session, writing, modes=False)
            _fold(session, writing, position, kept.whatever)

        store.write(work)
        yield replace(session, store=store)


def _fold(
    session: Session,
    writing: Writing,
    position: int,
    chosen: Callable[[SealedEvent], Event | None],
    look: Callable[[Reading, Sequence[SealedEvent]], None] = lambda _reading, _page: None,
) -> None:
    """The views of the scratch store are as the chosen events up to the position leave them.

    `look` is given each page before any of its events is chosen.

    The moment that is read from is closed between pages: no event ever changes, but for its content, which may go.
    """
    after = 0
    while after < position:
        limit = min(PAGE_EVENTS, position - after)
        with session.store.read() as reading:
            # What was erased, but for a hold or until the job takes its packets and verdicts, was never there.
            page = sealed_there(reading, tuple(reading.events(Chain.LEDGER, after=after, limit=limit)))
            look(reading, page)
        passages: dict[int, str] = {}
        for sealed in page:
            event = chosen(sealed)
            if event is not None:
                envelope = sealed.envelope
                project(writing, event, envelope.position, envelope.recorded_at_us, session.text_of, passages)
        put_row_vectors(writing, passages, session.embedders)
        after += limit
    writing.set_checkpoint(position)


def _start(session: Session, writing: Writing, *, modes: bool = True) -> None:
    """The modes that are in force now, and the model of searches, where its vectors can be made here at once."""
    immediate = {each.model for each in session.embedders if each.is_immediate}
    with session.store.read() as reading:
        for mode in reading.modes() if modes else ():
            writing.put_mode(mode.target_type, mode.target_id, mode.mode)
        for digest, actor in reading.bridge_approvals() if modes else ():
            writing.put_bridge_approval(digest, actor)
        for model in reading.vector_models():
            if model.is_active and model.model in immediate:
                writing.set_vector_model(model.model)


@dataclass(slots=True)
class _Kept:
    """Which events are folded: those of what is visible now (None: of all), as far as what they speak of is there."""

    session: Session
    visible: Visible | None
    is_over: bool = False
    known: set[str] = field(default_factory=set)
    away: set[RecordId] = field(default_factory=set)
    scopes: frozenset[Scope] = field(init=False)

    def __post_init__(self) -> None:
        """Scopes are looked up, not searched."""
        self.scopes = frozenset(() if self.visible is None else self.visible.scopes)

    def look(self, reading: Reading, page: Sequence[SealedEvent]) -> None:
        """Which records of the page are away with a consent that is withdrawn now: of no use at any instant."""
        if next(reading.events_of("consent.withdrawn"), None) is None:
            return
        told = (event_of(each) for each in page if each.envelope.type in _BRINGING)
        ids = [e.record.record_id for e in told if isinstance(e, events.RecordAdmitted | events.RecordPending)]
        found = reading.records_by_ids(ids) if ids else ()
        self.away.update(each.record.record_id for each in found if is_without_consent(each))

    def whatever(self, sealed: SealedEvent) -> Event | None:
        """The event, where there is something to fold; nothing of what was erased."""
        if sealed.payload is None or sealed.envelope.type in _NO_VIEW:
            return None
        event = event_of(sealed)
        return event if self._is_kept(event) else None

    def of(self, sealed: SealedEvent, known_us: int) -> Event | None:
        """The event, where it is folded: one that was recorded by the instant."""
        envelope = sealed.envelope
        event = None if self.is_over or envelope.type in _IN_FORCE else self.whatever(sealed)
        if event is None:
            return None
        # After a clock that went back, what is visible says itself where it ends.
        self.is_over = envelope.recorded_at_us > known_us
        return None if self.is_over else event

    def _is_kept(self, event: Event) -> bool:
        match event:
            case events.RecordAdmitted(record=record) | events.RecordPending(record=record):
                return self._takes(record.record_id, shown=self._shows_record(record))
            case events.RecordConfirmed() | events.RecordWithdrawn():
                return event.record_id in self.known
            case ClaimProposed():
                return self._takes(event.claim_id, shown=self._shows_claim(event))
            case ConflictDetected():
                return self._takes(event.conflict_id, shown={event.standing_id, event.newcomer_id} <= self.known)
            case ConflictResolved():
                return event.conflict_id in self.known
            case events.BridgeProposed():
                return self._takes(event.proposal_id, shown=event.claim_id in self.known)
            case WorkflowProposed():
                return self._takes(event.proposal_id, shown=True)  # who sees one is judged by its runs
            case events.BridgeProposalDecided() | WorkflowProposalDecided():
                return event.proposal_id in self.known
            case events.ClaimTransitioned() | events.ClaimApproved():
                return event.claim_id in self.known
            case _:
                return (
                    event.claim_id in self.known if isinstance(event, BeliefEvent) else True
                )  # who sees a verdict or a workflow is judged by its grounds

    def _takes(self, item_id: str, *, shown: bool) -> bool:
        if shown:
            self.known.add(item_id)
        return shown

    def _shows_record(self, record: Record) -> bool:
        if self.visible is None:
            return True
        if record.record_id in self.away:
            return False
        shown = record.scope in self.scopes and self.visible.clearance.at_least(record.classification)
        return shown and not self._is_denied([record.record_id])

    def _shows_claim(self, event: ClaimProposed) -> bool:
        if self.visible is None:
            return True
        if self.away and self.away.issuperset(event.evidence):
            return False
        shown = event.scope in self.scopes and self.visible.clearance.at_least(event.classification)
        if not shown or not self.visible.denied_kinds:
            return shown
        if any(covers(denied, event.kind) for denied in self.visible.denied_kinds):
            return False
        # What it rests on now may be more than what it was proposed with.
        with self.session.store.read() as reading:
            claim = reading.claim(event.claim_id)
        return not self._is_denied(event.evidence if claim is None else claim.evidence)

    def _is_denied(self, record_ids: Sequence[RecordId]) -> bool:
        if self.visible is None or not self.visible.denied_kinds:
            return False
        with self.session.store.read() as reading:
            return rests_on_denied(self.session, reading, record_ids)
