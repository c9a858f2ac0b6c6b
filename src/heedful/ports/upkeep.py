"""What background work reads: whoever may see it, page by page, in an order that no later write disturbs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope


@dataclass(frozen=True, slots=True, order=True)
class ClaimSource:
    """A record that a claim rests on, or that such a record was made from, by what sort of source it is.

    Attributes:
        wrote_at_us: when the claim was proposed, or got this evidence, UTC microseconds.
        source_type: `user`, `tool:<name>`, `doc:<url>` or `inference`.
        source_id: the name of the call, the run, or the record.
        tier_at_write: the tier that the claim was proposed with.
    """

    claim_id: ClaimId
    wrote_at_us: int
    source_type: str
    source_id: str
    tier_at_write: int
    record_id: RecordId


class UpkeepReader(Protocol):
    """What no request asks for."""

    def scopes_holding(self, clearance: Classification, denied_kinds: Sequence[str]) -> tuple[Scope, ...]:
        """The scopes that hold an admitted record as high as that, and on which no claim of these kinds rests.

        In order of key bytes, whoever is granted them.
        """
        ...

    def claims_after(
        self, claim_id: ClaimId | None, *, statuses: Sequence[ClaimStatus], limit: int
    ) -> tuple[Claim, ...]:
        """Claims of these statuses with an id above this one, in order of id bytes; None: from the first.

        An id that no claim has will do.
        """
        ...

    def claim_sources(self, claim_ids: Sequence[ClaimId]) -> tuple[ClaimSource, ...]:
        """What these claims came from, through 32 steps of what was made from what, whoever may see it; sorted.

        A tool is named by the record itself, or by the call that it came from: one that it was made from, or one of its
        run under the same name, of the same scope and no stricter a classification; else it is `unknown`.
        """
        ...
