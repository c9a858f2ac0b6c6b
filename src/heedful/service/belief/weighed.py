"""Weighed: what came of it that a claim was to become active, and met what stood."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.ids import ClaimId, ConflictId
from heedful.ledger.events import Event

_S = ClaimStatus
ASIDE = frozenset({_S.QUARANTINED, _S.ARCHIVED})
"""Where a claim that held once may come back from: it becomes active first, whatever comes of it then."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """What came of a weighing.

    Attributes:
        activates: True: the newcomer becomes active, before the events.
        events: in order, after those that brought it where it stood.
        claim: the newcomer as it is then.
        is_believed: True where what it says is held from now on, or is known to have held, by it or by another.
        asks: the conflicts that wait for a person by it.
        ended: claims that it ended.
    """

    activates: bool
    events: tuple[Event, ...]
    claim: Claim
    is_believed: bool
    asks: tuple[ConflictId, ...] = ()
    ended: tuple[ClaimId, ...] = ()

    def stands_as(self, before: ClaimStatus) -> ClaimStatus:
        """The newcomer's status after it; `before`: the one that it had when it was to become active."""
        if self.claim.status is _S.SUPERSEDED:
            return _S.SUPERSEDED
        waits = before if before in ASIDE else _S.POLICY_REVIEWED
        return _S.ACTIVE if self.activates else waits
