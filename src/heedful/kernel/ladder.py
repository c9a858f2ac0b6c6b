"""The ladders that Heedful compares by: decision, mode, classification, impact, severity, assurance, tier."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from functools import cached_property
from typing import Self


class _Ladder(StrEnum):
    """Members in ascending order; compared by place, written as their text."""

    @cached_property  # members are compared more often than anything else is done
    def rank(self) -> int:
        """The place on the ladder, from 0."""
        return list(type(self)).index(self)

    def at_least(self, other: Self) -> bool:
        """True where this stands at `other` or above it on the same ladder."""
        return self.rank >= other.rank

    # A StrEnum would be ordered by its text, and `deny` would come before `notice`.
    def __lt__(self, other: object) -> bool:
        return self.rank < other.rank if isinstance(other, type(self)) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self.rank <= other.rank if isinstance(other, type(self)) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return self.rank > other.rank if isinstance(other, type(self)) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return self.rank >= other.rank if isinstance(other, type(self)) else NotImplemented


class Decision(_Ladder):
    """`allow < notice < ask < review < deny`, everywhere."""

    ALLOW = "allow"
    NOTICE = "notice"
    ASK = "ask"
    REVIEW = "review"
    DENY = "deny"


class Mode(_Ladder):
    """`off < shadow < advise < enforce`; of two that meet, the lower holds."""

    OFF = "off"
    SHADOW = "shadow"
    ADVISE = "advise"
    ENFORCE = "enforce"


class Classification(_Ladder):
    """`normal < sensitive < restricted` (seed 003 calls normal `internal`)."""

    NORMAL = "normal"
    SENSITIVE = "sensitive"
    RESTRICTED = "restricted"


class Impact(_Ladder):
    """`read < propose < execute`; an impact that is not known counts as execute."""

    READ = "read"
    PROPOSE = "propose"
    EXECUTE = "execute"


class Severity(_Ladder):
    """`low < medium < high < critical`: what it does to somebody if a fact is forgotten before a decision."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Assurance(_Ladder):
    """`inferred < reported < verified`: how a state is known."""

    INFERRED = "inferred"
    REPORTED = "reported"
    VERIFIED = "verified"


class Consent(StrEnum):
    """What the subject has agreed to; `denied` is never stored."""

    IMPLICIT = "implicit"
    EXPLICIT = "explicit"
    DENIED = "denied"


class Tier(IntEnum):
    """Authority (seed 004). The default is UNVERIFIED; nothing raises itself."""

    UNVERIFIED = 1
    CORROBORATED = 2
    OPERATOR = 3
    SYSTEM = 4


def highest(decisions: list[Decision]) -> Decision:
    """The strictest of the decisions; `allow` where there is none."""
    return max(decisions, key=lambda decision: decision.rank, default=Decision.ALLOW)


def lower(left: Mode, right: Mode) -> Mode:
    """The mode that holds where two meet."""
    return min(left, right, key=lambda mode: mode.rank)
