"""Restored: whether what came out of a backup is whole, and how it stands beside checkpoints that were kept apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from heedful.kernel.errors import FaultError
from heedful.ledger.bundle_lines import ChainName
from heedful.ledger.checkpoint import Checkpoint, compared_with
from heedful.ledger.pages import verify_pages
from heedful.ledger.seal import Head
from heedful.ports.store import Reading
from heedful.service.project_erasure import erased_in
from heedful.service.proving.checkpoint import CHAINS
from heedful.service.session import Session

LEAVES_PAGE = 10_000


@dataclass(frozen=True, slots=True)
class Standing:
    """How a chain stands beside one checkpoint.

    Attributes:
        standing: `same` or `ahead`: the checkpoint's chain is the beginning of this one; `behind`: this one ends
            `events` events before the checkpoint, and nothing in it is another, as far as the checkpoint can tell;
            `other`: it is another history from an event on that lies among `position` and `to_position`.
    """

    chain: ChainName
    standing: Literal["same", "ahead", "behind", "other"]
    events: int = 0
    position: int | None = None
    to_position: int | None = None


def require_whole(
    session: Session, heads: dict[ChainName, Head], progress: Callable[[int], None] = lambda _position: None
) -> None:
    """Nothing, where both chains hold and end where the backup says.

    Raises:
        FaultError: `ledger_broken`.
    """
    tenant = session.store.tenant
    with session.store.read() as reading:
        erased = erased_in(reading)
        for name, chain in CHAINS:
            gone = erased.ledger if name == "ledger" else erased.access
            found = verify_pages(
                reading.event_pages(chain), tenant_id=tenant.tenant_id, expected_head=heads[name], erased=gone
            )
            if found.broken is not None:
                raise FaultError(
                    "ledger_broken",
                    f"the {name} chain of tenant {tenant.name!r} in the backup does not hold at event "
                    f"{found.broken.position}: {found.broken.breach}",
                    next_step="take another backup: nothing of this one is served",
                    details={"tenant": tenant.name, "chain": name, "position": found.broken.position},
                )
            progress(heads[name].position)


def standing_of(session: Session, checkpoints: Sequence[Checkpoint]) -> tuple[Standing, ...]:
    """How both chains stand beside each of these checkpoints of the tenant, in their order."""
    with session.store.read() as reading:
        return tuple(_standing(reading, each, name) for each in checkpoints for name, _ in CHAINS)


def _standing(reading: Reading, checkpoint: Checkpoint, name: ChainName) -> Standing:
    chain, note = dict(CHAINS)[name], checkpoint.note(name).note
    comparison, head = compared_with(checkpoint, name), reading.head(chain)
    for first in range(0, min(note.size, head.position), LEAVES_PAGE):
        comparison.take(reading.leaves(chain, first, min(first + LEAVES_PAGE, note.size)))
    if comparison.found is not None:
        return Standing(name, "other", 0, *comparison.found)
    if head.position < note.size:
        return Standing(name, "behind", note.size - head.position)
    return Standing(name, "same" if head.position == note.size else "ahead", head.position - note.size)
