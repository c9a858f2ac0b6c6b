"""Witnessing: what a witness keeps between two checkpoints, apart from any store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from heedful.ledger.witness import Seen

T = TypeVar("T")


class WitnessState(Protocol):
    """One witness's key and memory.

    Every call raises UnavailableError `witness_unavailable` where its place can't be read or written.
    """

    def seed(self) -> bytes:
        """The witness's private key, 32 bytes, made when first asked for."""
        ...

    def exchange(self, tenant_id: str, change: Callable[[Seen | None], tuple[Seen | None, T]]) -> T:
        """What `change` told beside the tenant's next state, which is durable before this returns; None: as it was.

        No other call, in any process, comes between what it is given and what it gives.

        Raises:
            ConflictError: `witness_full` where it keeps as many tenants as it may.
        """
        ...

    def keep_evidence(self, content: bytes) -> str:
        """Where it is kept, durably, beside all that was kept before."""
        ...
