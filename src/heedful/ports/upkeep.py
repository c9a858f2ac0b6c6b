"""What background work reads: whoever may see it, page by page, in an order that no later write disturbs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.ids import ClaimId


class UpkeepReader(Protocol):
    """What no request asks for."""

    def claims_after(
        self, claim_id: ClaimId | None, *, statuses: Sequence[ClaimStatus], limit: int
    ) -> tuple[Claim, ...]:
        """Claims of these statuses with an id above this one, in order of id bytes; None: from the first.

        An id that no claim has will do.
        """
        ...
