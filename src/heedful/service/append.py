"""Append: events are sealed, chained, and folded into the views, all in the caller's transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.kernel.digest import SALT_BYTES
from heedful.kernel.ids import ErasureId, EventId, TenantId, uuid7
from heedful.ledger.erasure_events import ErasureStaged
from heedful.ledger.events import AccessEvent, AnyEvent, Event, PacketAssembled, VerdictJudged
from heedful.ledger.seal import Envelope, SealedEvent, seal
from heedful.ports.embedder import Embedder
from heedful.ports.store import Chain, Writing
from heedful.ports.system import Clock, Entropy
from heedful.service.belief.follow import Returning, following
from heedful.service.belief.questions import closed_once, closing
from heedful.service.erasure.guard import require_unerased
from heedful.service.erasure.shown import ids_of_packet
from heedful.service.project import TextOf, project, put_row_vectors

_ID_RANDOM_BYTES = 10


def append_events(
    writing: Writing,
    events: Iterable[Event],
    *,
    tenant_id: TenantId,
    clock: Clock,
    entropy: Entropy,
    text_of: TextOf,
    embedders: Sequence[Embedder] = (),
    returning: Returning = lambda _claim, move: (move,),
    across: Callable[[Sequence[Event]], Sequence[Event]] = lambda _events: (),
) -> tuple[Envelope, ...]:
    """The envelopes of the events, in order; the views and their checkpoint are at the last of them; see project.

    Behind them come those that follow for the claims that rest on what they end, and for questions about that; see
    following and closing. `across` asks about what became active by them, of subjects that were merged.
    """
    envelopes = []
    passages: dict[int, str] = {}
    pending: Sequence[Event] = tuple(events)
    require_unerased(writing, pending)
    while pending:
        for event in pending:
            envelope = _append(writing, Chain.LEDGER, event, tenant_id=tenant_id, clock=clock, entropy=entropy)
            project(writing, event, envelope.position, envelope.recorded_at_us, text_of, passages)
            envelopes.append(envelope)
        follows = (*following(writing, pending, returning), *closing(writing, pending), *across(pending))
        pending = closed_once(follows)
    # Together: many vectors cost little more than one.
    put_row_vectors(writing, passages, embedders)
    if envelopes:
        writing.set_checkpoint(envelopes[-1].position)
    return tuple(envelopes)


def append_access(
    writing: Writing, events: Iterable[AccessEvent], *, tenant_id: TenantId, clock: Clock, entropy: Entropy
) -> None:
    """The events, sealed as a group at the end of the access chain; without what they show of what was erased since."""
    sealed = [
        (_append(writing, Chain.ACCESS, event, tenant_id=tenant_id, clock=clock, entropy=entropy).position, event)
        for event in events
    ]
    # Asked once for the group: how many reads it seals must not show in the statements of one of them. And first: a
    # packet's text is long, and mostly nothing was ever erased.
    if not writing.any_erased():
        return
    shown = {position: ids_of_packet(event.packet_json) for position, event in sealed}
    erased = writing.erased_among(sorted(frozenset().union(*shown.values())))
    late: dict[ErasureId, list[int]] = {}
    for position, ids in shown.items() if erased else ():
        erasure_id = next((erased[each] for each in sorted(ids) if each in erased), None)
        if erasure_id is not None:
            late.setdefault(erasure_id, []).append(position)
    staged = [
        ErasureStaged(erasure_id, "logical", SERVICE_ACTOR, (), tuple(positions), (), (), None)
        for erasure_id, positions in late.items()
    ]
    append_events(writing, staged, tenant_id=tenant_id, clock=clock, entropy=entropy, text_of=lambda _record: None)


def append_sealed(
    writing: Writing,
    chain: Chain,
    sealed: SealedEvent,
    event: AnyEvent | None,
    *,
    text_of: TextOf,
    embedders: Sequence[Embedder] = (),
) -> None:
    """An event that was sealed elsewhere, at the end of its chain; of the ledger, it is in the views as well.

    `event` is what it says; None: nothing is to be folded of it, since it was erased.

    Raises:
        ConflictError: `position_taken`.
    """
    writing.append(chain, sealed)
    if chain is Chain.LEDGER:
        assert not isinstance(event, PacketAssembled), "packets are never in the ledger"
        position = sealed.envelope.position
        passages: dict[int, str] = {}
        if event is not None:
            project(writing, event, position, sealed.envelope.recorded_at_us, text_of, passages)
        put_row_vectors(writing, passages, embedders)
        writing.set_checkpoint(position)


def _append(
    writing: Writing, chain: Chain, event: AnyEvent, *, tenant_id: TenantId, clock: Clock, entropy: Entropy
) -> Envelope:
    now_us = clock.now_us()
    sealed = seal(
        event,
        writing.head(chain),
        tenant_id=tenant_id,
        event_id=_event_id(event, now_us, entropy),
        recorded_at_us=now_us,
        salt=entropy.random_bytes(SALT_BYTES),
    )
    writing.append(chain, sealed)
    return sealed.envelope


def _event_id(event: AnyEvent, now_us: int, entropy: Entropy) -> EventId:
    # A packet and a verdict are found by their own id, so their events carry it.
    if isinstance(event, PacketAssembled):
        return EventId(event.packet_id)
    if isinstance(event, VerdictJudged):
        return EventId(event.verdict_id)
    return EventId(uuid7(now_us // 1_000, entropy.random_bytes(_ID_RANDOM_BYTES)))
