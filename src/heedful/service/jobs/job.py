"""Job: what a piece of background work reads, what it does to a claim, and how often; and the report of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import msgspec

from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.ids import ClaimId
from heedful.ledger.events import Event
from heedful.ports.store import Reading, Writing
from heedful.service.session import Session

PIECE_CLAIMS = 200
"""Claims that one piece looks at, and moves at most."""
MOVES_LISTED_MAX = 1_000
"""Moves that a report lists; it counts them all."""
FOUND_LISTED_MAX = 100

Keep = Callable[[], None]
"""Called now and then by work that takes long, so that the lease does not end under it."""


class Ending(NamedTuple):
    """What becomes of a claim, and why, in words."""

    to_status: ClaimStatus
    reason: str


Rule = Callable[[Claim, int], Ending | None]
"""What becomes of this claim at this instant (UTC microseconds); None: nothing."""


class Effect(NamedTuple):
    """What a claim leads to beyond a move of its own: events, and the moves that a report tells of."""

    events: tuple[Event, ...]
    moves: tuple[Move, ...]


class Walked(NamedTuple):
    """A piece of a job that looks at no claims: where the next begins (None: that was all), and what it found amiss."""

    after: str | None
    looked_at: int
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of background work.

    Attributes:
        does: one sentence for people.
        every_us: how long after its last run it is due again.
        page: the next claims to look at, after a claim id (empty: from the first), at an instant.
        rule: made once for each run, outside of any transaction; it may take long.
        effect: what a claim that the rule wants leads to, in the transaction, by the claim as it is then; None: nothing
            any more. Where a job has none, the claim makes the move that its rule tells.
        reasons: how the reasons of its moves begin in the ledger.
        before: done when a run begins or goes on, before it looks at any claim; what it had to leave, by id.
        walk: the piece after a progress (empty: from the first), of a job that looks at something else than claims.
        every_us_of: by which setting it is due otherwise.
    """

    name: str
    does: str
    every_us: int
    page: Callable[[Reading, str, int], tuple[Claim, ...]]
    rule: Callable[[Session, Keep], Rule]
    effect: Callable[[Session, Writing, Claim], Effect | None] | None = None
    reasons: tuple[str, ...] = ()
    before: Callable[[Session, Keep], tuple[str, ...]] | None = None
    walk: Callable[[Session, str], Walked] | None = None
    every_us_of: Callable[[Session], int] | None = None

    def as_set(self, session: Session) -> Job:
        """The job, due as often as the settings say."""
        return self if self.every_us_of is None else replace(self, every_us=self.every_us_of(session))


@dataclass(frozen=True, slots=True)
class Move:
    """A claim that a run moved."""

    claim_id: ClaimId
    from_status: str
    to_status: str
    reason: str


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run moved and why.

    Attributes:
        started_at_us, finished_at_us: UTC microseconds; finished None: it is running, or was stopped.
        resumed: how often another worker went on with it.
        looked_at: claims that it looked at.
        left: claims (of `retain` records too) that it left where they are, since more rests on them than one
            transaction looks at again; MOVES_LISTED_MAX at most.
        found: what it found amiss, in words without content; FOUND_LISTED_MAX at most.
        moved: how many it moved; `moves` has the first MOVES_LISTED_MAX of them.
    """

    job: str
    worker: str
    started_at_us: int
    finished_at_us: int | None = None
    resumed: int = 0
    looked_at: int = 0
    moved: int = 0
    moves: tuple[Move, ...] = ()
    left: tuple[str, ...] = ()
    found: tuple[str, ...] = ()

    def with_piece(self, looked_at: int, moves: tuple[Move, ...]) -> RunReport:
        """The report with one piece more."""
        listed = (*self.moves, *moves)[:MOVES_LISTED_MAX]
        return replace(self, looked_at=self.looked_at + looked_at, moved=self.moved + len(moves), moves=listed)


def encoded(report: RunReport) -> str:
    """The report as the store keeps it: canonical JSON."""
    return canonical_bytes(msgspec.to_builtins(report)).decode()


_decode = msgspec.json.Decoder(RunReport, strict=False).decode


def decoded(report_json: str) -> RunReport:
    """The report that `encoded` made so."""
    return _decode(report_json)
