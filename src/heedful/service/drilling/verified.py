"""Verified: the chains hold after a drill, and the look that says so finds a changed byte."""

from __future__ import annotations

from heedful.ledger.pages import PAYLOAD, POSITION, SALT, EventRow, holds_to
from heedful.ledger.seal import EMPTY_HEAD, Head
from heedful.ports.store import Chain
from heedful.service.auditing.audit import Audit, verify
from heedful.service.drilling.planted import Planted
from heedful.service.drilling.run import Run
from heedful.service.session import Session


def verify_chains(run: Run, planted: Planted) -> Audit:
    """What `verify` found; among the checks."""
    audit = run.asked("verify", lambda: verify(run.session, views=False, progress=lambda _position: None))
    found = [each.broken for each in (audit.ledger, audit.access) if each.broken is not None]
    run.check(
        "verify",
        "both chains hold from their first event on, and against the last checkpoint",
        control=_finds_changed_byte(run.session, planted),
        passed=audit.holds,
        detail="; ".join(f"event {each.position}: {each.breach}" for each in found)
        or f"{audit.ledger.event_count} and {audit.access.event_count} events, {audit.checkpoints} checkpoints",
    )
    return audit


def _finds_changed_byte(session: Session, planted: Planted) -> bool:
    """True where one changed byte of the drill's first event is found: in memory, the store is not touched."""
    tenant_id = session.store.tenant.tenant_id
    with session.store.read() as reading:
        before = reading.event(Chain.LEDGER, planted.ledger_from)
        head = EMPTY_HEAD if before is None else Head(planted.ledger_from, before.digest)
        for page in reading.event_pages(Chain.LEDGER, after=planted.ledger_from):
            rows = [row for row in page if row[PAYLOAD] is not None]
            if rows:
                place = page.index(rows[0])
                changed: list[EventRow] = list(page[: place + 1])
                payload = rows[0][PAYLOAD] or b""
                changed[place] = (*rows[0][:PAYLOAD], bytes([payload[0] ^ 1]) + payload[1:], rows[0][SALT])
                erased = frozenset(row[POSITION] for row in page if row[PAYLOAD] is None)
                _, broken = holds_to(changed, head, tenant_id, erased)
                return broken is not None and broken.position == rows[0][POSITION]
    return False
