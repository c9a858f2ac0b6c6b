"""Doors: the ways in which a reader could come upon a canary, each asked as a user asks it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from heedful.kernel.errors import NotFoundError
from heedful.ledger.pages import PAYLOAD
from heedful.ports.store import Chain
from heedful.service.auditing.why import why
from heedful.service.drilling.planted import Planted, question_of
from heedful.service.recalling.recall import recall
from heedful.service.requests import memory_request
from heedful.service.review import show
from heedful.service.session import Session

FOLDED_EVENTS_MAX = 5_000
"""Of a longer ledger no drill folds an earlier moment: that takes minutes."""


@dataclass(frozen=True, slots=True)
class Door:
    """A way to come upon the canary.

    Attributes:
        says: what is so once nothing is found there.
        finds: True where the canary is found.
        from_stage: from which stage on nothing may be found there.
        reached: why it is not looked at; None: it is.
    """

    name: str
    says: str
    finds: Callable[[Session, Planted], bool]
    from_stage: str = "logical"
    reached: Callable[[Session, Planted], str | None] = lambda _session, _planted: None


def _tells(answer: object, planted: Planted) -> bool:
    return planted.canary.encode() in msgspec.json.encode(answer)


def finds_packet(session: Session, planted: Planted) -> bool:
    """True where recall hands the canary over in its scope."""
    asked = memory_request(session, question_of(planted.drill_id), scope=planted.scope)
    return _tells(recall(session, asked), planted)


def finds_survivor(session: Session, planted: Planted) -> bool:
    """True where recall hands over the record that nothing takes."""
    asked = memory_request(session, f"the survivor of the heedful drill {planted.drill_id}", scope=planted.scope)
    return planted.survivor_id.encode() in msgspec.json.encode(recall(session, asked))


def finds_outside(session: Session, planted: Planted) -> bool:
    """True where recall hands the canary over outside of the drill's own scope, where everybody's requests are."""
    return bool(planted.around) and _tells(
        recall(session, memory_request(session, question_of(planted.drill_id), scope=planted.around)), planted
    )


def _finds_then(session: Session, planted: Planted) -> bool:
    asked = memory_request(session, question_of(planted.drill_id), scope=planted.scope, known_at=planted.known_at)
    return _tells(recall(session, asked), planted)


def _is_long(session: Session, _planted: Planted) -> str | None:
    with session.store.read() as reading:
        long = reading.head(Chain.LEDGER).position > FOLDED_EVENTS_MAX
    return f"the ledger has more than {FOLDED_EVENTS_MAX} events, which are not folded for a drill" if long else None


def _no_claim(_session: Session, planted: Planted) -> str | None:
    return "no claim could be proposed here" if planted.claim_id is None else None


def _shown(item: Callable[[Planted], str | None], by: Callable[[Session, str], object]) -> Callable[..., bool]:
    def finds(session: Session, planted: Planted) -> bool:
        item_id = item(planted)
        try:
            return item_id is not None and _tells(by(session, item_id), planted)
        except NotFoundError:
            return False

    return finds


def finds_long_text(session: Session, planted: Planted) -> bool:
    """True where the content in the blob store is there."""
    try:
        stored, _ = show(session, planted.long_id)
        text = session.text_of(stored.record)  # type: ignore[union-attr]
    except NotFoundError:
        return False
    return text is not None and planted.canary in text


def _finds_blob(session: Session, planted: Planted) -> bool:
    try:
        content = session.blobs.get(session.store.tenant.tenant_id, planted.blob_name or "")
    except NotFoundError:
        return False
    return planted.canary.encode() in content


def _no_blob(_session: Session, planted: Planted) -> str | None:
    return "content of its length lies in its row here" if planted.blob_name is None else None


def finds_payload(session: Session, planted: Planted) -> bool:
    """True where an event since the drill began has the canary: what an export or another machine would get."""
    return _in_events(session, planted, planted.canary)


def finds_held_payload(session: Session, planted: Planted) -> bool:
    """True where the content of the record that is held is there."""
    return _in_events(session, planted, planted.other_canary)


def _in_events(session: Session, planted: Planted, canary: str) -> bool:
    session.access.flush()
    after = {Chain.LEDGER: planted.ledger_from, Chain.ACCESS: planted.access_from}
    with session.store.read() as reading:
        return any(
            canary.encode() in (row[PAYLOAD] or b"")
            for chain in Chain
            for page in reading.event_pages(chain, after=after[chain])
            for row in page
        )


def _finds_row(session: Session, planted: Planted) -> bool:
    with session.store.read() as reading:
        return any(planted.canary.encode() in row for row in reading.dump_views())


DOORS = (
    Door("recall", "recall hands none of it over", finds_packet),
    Door("record", "the record is not there", _shown(lambda planted: planted.record_id, show)),
    Door("summary", "what was made from it is not there", _shown(lambda planted: planted.summary_id, show)),
    Door("claim", "the claim is not there", _shown(lambda planted: planted.claim_id, show), reached=_no_claim),
    Door("why-record", "why tells nothing of the record", _shown(lambda planted: planted.record_id, why)),
    Door(
        "why-claim", "why tells nothing of the claim", _shown(lambda planted: planted.claim_id, why), reached=_no_claim
    ),
    Door("packet", "the packet that showed it shows nothing of it", _shown(lambda planted: planted.packet_id, why)),
    Door("known-at", "a read as far as was known before tells nothing of it", _finds_then, reached=_is_long),
    Door("long-text", "a record whose content lies elsewhere is not there", finds_long_text),
    Door("rows", "no row of a view has it", _finds_row),
    Door("blob", "its content is not in the blob store", _finds_blob, from_stage="indexes", reached=_no_blob),
    Door("events", "no event of either chain has it", finds_payload, from_stage="indexes"),
)
