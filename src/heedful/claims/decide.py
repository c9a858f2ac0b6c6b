"""Decide: what becomes of two claims that say different things: one table, the first row that fits. Pure.

docs/conflicts.md has the table in words. Never decided by likeness or by how well something is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from heedful.claims.bitemporal import union
from heedful.claims.claim import Claim
from heedful.claims.conflict import Outcome, Resolution
from heedful.kernel.canonical import shortest
from heedful.kernel.intervals import Interval
from heedful.kernel.ladder import Tier

WORN_BY = 0.2
"""What a conflict that is lost, or left open, takes off the standing claim's confidence (seed 004)."""
NEWCOMER_MAX = 0.5
"""The most that a contradicting newcomer starts with (seed 004)."""
LOST_MAX = 3
"""Conflicts lost after which a claim is archived (seed 004)."""
_PLACES = 9


class Because(StrEnum):
    """The rule that decided."""

    EQUAL_VALUES = "equal-values"
    SYSTEM = "system"
    OPERATOR = "operator"
    CONFIRMATION_NEEDED = "confirmation-needed"
    SELF_TOLD = "self-told"
    STANDING_SELF_TOLD = "standing-self-told"
    HIGHER_AUTHORITY = "higher-authority"
    LOWER_AUTHORITY = "lower-authority"
    LATER_WORD = "later-word"
    LATE_ARRIVAL = "late-arrival"
    SAME_START = "same-start"
    PEERS = "peers"
    PINNED = "pinned"
    MERGED_SUBJECTS = "merged-subjects"


WEARING = frozenset({Because.STANDING_SELF_TOLD, Because.HIGHER_AUTHORITY, Because.PEERS})
"""The rules by which the standing claim may lose confidence: to one principal once."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two claims, with what the table asks of it.

    Attributes:
        is_self_told: its subject, or who speaks for it, said or confirmed it.
        speaker: who said it.
        start_us: since when it holds: its own start, else when it was said, UTC microseconds.
        began_us: the start of the word that it is a part of, where others took time from that; None: start_us.
    """

    claim: Claim
    is_self_told: bool
    speaker: str
    start_us: int
    began_us: int | None = None

    @property
    def word_us(self) -> int:
        """Since when its speaker's word was to hold: words of one speaker are told apart by that."""
        return self.start_us if self.began_us is None else min(self.began_us, self.start_us)

    @property
    def valid(self) -> Interval:
        """When it holds, from its start."""
        return Interval(self.start_us, self.claim.valid_to_us)


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the table says of two claims: a, which stands, and b, which comes.

    Attributes:
        resolution: None: it is open until a person answers.
        wears_standing: a loses WORN_BY of its confidence, and counts one conflict lost.
        bounds_newcomer: b's confidence becomes at most NEWCOMER_MAX.
        newcomer_keeps: of equal values: b stands, and a gives up the time of it.
    """

    because: Because
    outcome: Outcome
    resolution: Resolution | None
    wears_standing: bool = False
    bounds_newcomer: bool = False
    newcomer_keeps: bool = False

    @property
    def newcomer_waits(self) -> bool:
        """True where b does not become active before a person answers."""
        return self.because in (Because.CONFIRMATION_NEEDED, Because.PINNED)

    @property
    def newcomer_ends(self) -> bool:
        """True where b loses: a stands as it is."""
        return self.resolution is Resolution.A_WINS and self.because is not Because.LATE_ARRIVAL

    @property
    def turn(self) -> int:
        """When a newcomer meets what it has this ruling with: the least first.

        What it loses to, then what it waits for: only what stands takes anything from others. Then what gives way to
        it, what its speaker said of a later time, what says the same, and last what a person is asked about: a word
        that is merged into another's has ended its speaker's earlier one, and asks nothing.
        """
        if self.newcomer_ends:
            return 0
        if self.newcomer_waits:
            return 1
        known = {Because.LATE_ARRIVAL: 3, Because.EQUAL_VALUES: 4, Because.PEERS: 5}
        return known.get(self.because, 2)


_Row = tuple[Callable[[Side, Side], bool], Ruling]
_FLAG, _ASK, _SUPERSEDE = Outcome.FLAG, Outcome.ASK, Outcome.SUPERSEDE
_A, _B = Resolution.A_WINS, Resolution.B_WINS


def _tiers(a: Side, b: Side) -> int:
    return b.claim.tier - a.claim.tier


def _is_update(a: Side, b: Side) -> bool:
    return a.speaker == b.speaker


# Of a standing claim with an operator's authority or more: it leaves only with confirmation, pinned or not.
_ABOVE: tuple[_Row, ...] = (
    (
        lambda a, b: a.claim.tier is Tier.SYSTEM and _tiers(a, b) < 0,
        Ruling(Because.SYSTEM, _FLAG, _A, bounds_newcomer=True),
    ),
    (
        lambda a, b: a.claim.tier >= Tier.OPERATOR and _tiers(a, b) < 0,
        Ruling(Because.OPERATOR, _FLAG, _A, bounds_newcomer=True),
    ),
    (lambda a, _: a.claim.tier >= Tier.OPERATOR, Ruling(Because.CONFIRMATION_NEEDED, _ASK, None)),
)
_BELOW: tuple[_Row, ...] = (
    (lambda a, b: b.is_self_told and not a.is_self_told, Ruling(Because.SELF_TOLD, _SUPERSEDE, _B)),
    (
        lambda a, b: a.is_self_told and not b.is_self_told and _tiers(a, b) >= 0,
        Ruling(Because.STANDING_SELF_TOLD, _FLAG, _A, wears_standing=True),
    ),
    (lambda a, b: a.is_self_told and not b.is_self_told, Ruling(Because.STANDING_SELF_TOLD, _FLAG, _A)),
    (lambda a, b: _tiers(a, b) > 0, Ruling(Because.HIGHER_AUTHORITY, _SUPERSEDE, _B, wears_standing=True)),
    (lambda a, b: _tiers(a, b) < 0, Ruling(Because.LOWER_AUTHORITY, _FLAG, _A, bounds_newcomer=True)),
    (lambda a, b: _is_update(a, b) and b.word_us > a.word_us, Ruling(Because.LATER_WORD, _SUPERSEDE, _B)),
    (lambda a, b: _is_update(a, b) and b.word_us < a.word_us, Ruling(Because.LATE_ARRIVAL, _SUPERSEDE, _A)),
    (_is_update, Ruling(Because.SAME_START, _SUPERSEDE, _B)),
)
_MERGED = Ruling(Because.EQUAL_VALUES, _SUPERSEDE, Resolution.MERGED)
_MERGED_BY_NEWCOMER = replace(_MERGED, newcomer_keeps=True)
_PINNED = Ruling(Because.PINNED, _ASK, None)
_PEERS = Ruling(Because.PEERS, _ASK, None, wears_standing=True, bounds_newcomer=True)


def stand_side_by_side(standing: Side, newcomer: Side) -> bool:
    """True for two of equal values of which neither takes the other in, as a leaves only by a person.

    b has more authority; or less, and tells of a time of which a does not.
    """
    more = _tiers(standing, newcomer)
    reaches = more < 0 and union(standing.valid, newcomer.valid) != standing.valid
    return _stays(standing) and (more > 0 or reaches)


def is_contested(standing: Side, newcomer: Side, peers: Iterable[Side]) -> bool:
    """True for two of equal values where a peer contradicts b at a time that the merge would add to a.

    Then b stands beside a, on the word of who said it: a has never met that peer.
    """
    if _tiers(standing, newcomer) > 0 or union(standing.valid, newcomer.valid) == standing.valid:
        return False
    return any(each.valid.overlaps(newcomer.valid) and not each.valid.overlaps(standing.valid) for each in peers)


def _stays(standing: Side) -> bool:
    return standing.claim.pinned or standing.claim.tier >= Tier.OPERATOR


def decide(standing: Side, newcomer: Side, *, equal: bool) -> Ruling:
    """The first row of the table that fits two comparable claims; `equal`: their normalised values are."""
    if equal:
        return _MERGED_BY_NEWCOMER if _tiers(standing, newcomer) > 0 and not _stays(standing) else _MERGED
    for fits, ruling in _ABOVE:
        if fits(standing, newcomer):
            return ruling
    if standing.claim.pinned:
        return _PINNED
    return next((ruling for fits, ruling in _BELOW if fits(standing, newcomer)), _PEERS)


def worn(confidence: float) -> float:
    """What is left of a confidence after one conflict; never below 0."""
    return shortest(round(max(0.0, confidence - WORN_BY), _PLACES))


def is_worn_out(side: Side) -> bool:
    """True where it lost so many conflicts that it is archived: no OPERATOR or SYSTEM, none pinned, no own word."""
    claim = side.claim
    is_kept = claim.tier >= Tier.OPERATOR or claim.pinned or side.is_self_told
    return claim.conflicts_lost >= LOST_MAX and not is_kept
