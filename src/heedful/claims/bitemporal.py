"""Bitemporal: the algebra of validity, when a claim began, and what a corrected stretch leaves of it. Pure."""

from __future__ import annotations

from typing import NamedTuple

from heedful.kernel.intervals import Interval


class Parts(NamedTuple):
    """What is left of an interval on each side of a stretch that was cut out; None: nothing."""

    before: Interval | None
    after: Interval | None


def overlap(left: Interval, right: Interval) -> Interval | None:
    """What both share; None: no instant."""
    if not left.overlaps(right):
        return None
    return Interval(_latest_start(left, right), _earliest_end(left, right))


def union(left: Interval, right: Interval) -> Interval | None:
    """The one interval that has every instant of both; None where a gap lies between them.

    Intervals that touch have no gap. An empty one adds nothing.
    """
    if left.is_empty or right.is_empty:
        return right if left.is_empty else left
    if not (_reaches(left, right) and _reaches(right, left)):
        return None
    starts = (left.start_us, right.start_us)
    ends = (left.end_us, right.end_us)
    start_us = None if None in starts else min(each for each in starts if each is not None)
    end_us = None if None in ends else max(each for each in ends if each is not None)
    return Interval(start_us, end_us)


def without(whole: Interval, stretch: Interval) -> Parts:
    """What is left of `whole` before and after `stretch`; where they do not overlap, `whole` on the side it lies on."""
    if whole.is_empty:
        return Parts(None, None)
    if stretch.is_empty:
        return Parts(whole, None)
    before = None if stretch.start_us is None else overlap(whole, Interval(None, stretch.start_us))
    after = None if stretch.end_us is None else overlap(whole, Interval(stretch.end_us, None))
    return Parts(before, after)


def from_start(valid: Interval, start_us: int) -> Interval:
    """The validity with a start: its own, or `start_us` where nobody gave one."""
    return valid if valid.start_us is not None else Interval(start_us, valid.end_us)


def nothing_from(start_us: int) -> Interval:
    """The empty interval of what was corrected away: it never held."""
    return Interval(start_us, start_us)


def _reaches(left: Interval, right: Interval) -> bool:
    return left.start_us is None or right.end_us is None or left.start_us <= right.end_us


def _latest_start(left: Interval, right: Interval) -> int | None:
    return max((each for each in (left.start_us, right.start_us) if each is not None), default=None)


def _earliest_end(left: Interval, right: Interval) -> int | None:
    return min((each for each in (left.end_us, right.end_us) if each is not None), default=None)
