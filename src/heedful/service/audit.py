"""Audit: does the chain hold, and are the views what the ledger says."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from heedful.ledger.seal import SealedEvent
from heedful.ledger.verify import Verification, verify_chain
from heedful.ports.store import Chain, Reading, Writing
from heedful.service.project import refold
from heedful.service.session import Session


@dataclass(frozen=True, slots=True)
class Audit:
    """What `verify` found.

    Attributes:
        views: `equal` (a refold gives them byte for byte), `different`, or `unchecked`.
    """

    ledger: Verification
    access: Verification
    views: Literal["equal", "different", "unchecked"]

    @property
    def holds(self) -> bool:
        """True where nothing is broken."""
        return self.ledger.broken is None and self.access.broken is None and self.views != "different"


def verify(session: Session, *, views: bool, progress: Callable[[int], None]) -> Audit:
    """Whether both chains hold from their first event on; with `views`, whether a refold gives the live views.

    `progress` is told the position after each ledger event.
    """
    session.require("audit")
    session.access.flush()
    tenant_id = session.store.tenant.tenant_id
    with session.store.read() as reading:
        head = reading.head(Chain.LEDGER)

        def walked() -> Iterator[SealedEvent]:
            for sealed in reading.events(Chain.LEDGER):
                progress(sealed.envelope.position)
                yield sealed

        ledger = verify_chain(walked(), tenant_id=tenant_id, expected_head=head, ends_there=True)
        access = verify_chain(
            reading.events(Chain.ACCESS),
            tenant_id=tenant_id,
            expected_head=reading.head(Chain.ACCESS),
            ends_there=True,
        )
    compared: Literal["equal", "different", "unchecked"] = "unchecked"
    if views and ledger.broken is None:
        compared = "equal" if _refold_is_equal(session) else "different"
    return Audit(ledger, access, compared)


class _Compared(Exception):  # noqa: N818  # it carries an answer out of a transaction that must not be kept
    def __init__(self, *, equal: bool) -> None:
        super().__init__()
        self.equal = equal


def _refold_is_equal(session: Session) -> bool:
    def compare(writing: Writing) -> bool:
        live = _views_digest(writing)
        refold(writing, session.text_of, progress=lambda _position: None)
        raise _Compared(equal=live == _views_digest(writing))

    try:
        return session.store.write(compare)
    except _Compared as compared:
        return compared.equal


def _views_digest(reading: Reading) -> str:
    digest = hashlib.sha256()
    for row in reading.dump_views():
        digest.update(row + b"\n")
    return digest.hexdigest()
