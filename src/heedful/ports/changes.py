"""What can be read of what was done to claims, by index. Each sentence is a promise; see ports.store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from heedful.kernel.ids import ClaimId
from heedful.ledger.seal import SealedEvent


class ChangeReader(Protocol):
    """Sealed events of claims."""

    def claims_proposed(self, claim_ids: Sequence[ClaimId]) -> tuple[SealedEvent, ...]:
        """The events at the positions of those of these claims that are there, in ledger order."""
        ...

    def claim_changes(self, claim_ids: Sequence[ClaimId]) -> tuple[SealedEvent, ...]:
        """The events that put one of these claims right (`put_claim_change`), in ledger order."""
        ...

    def changes_by(self, claim_ids: Sequence[ClaimId]) -> tuple[SealedEvent, ...]:
        """The events by which one of these claims put others right, in ledger order."""
        ...
