"""Timeline: the states of one property of one subject in their order, whatever the order in which they came."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from heedful.claims.claim import Claim
from heedful.kernel.ids import RunId
from heedful.ledger.events import JsonScalar


@dataclass(frozen=True, slots=True)
class Sighting:
    """A state with the observation that it rests on.

    Attributes:
        run_id, sequence: place of the observation in its run, where it has one.
        occurred_us: when it was observed.
    """

    claim: Claim
    run_id: RunId | None
    sequence: int | None
    occurred_us: int


@dataclass(frozen=True, slots=True)
class Span:
    """A state with the time for which it is what is known.

    Attributes:
        start_us: since when it holds.
        end_us: until the next one holds, or until it is too old to be taken to hold; None: neither is known.
        expires_us: when it is too old, whatever comes next; None: never.
    """

    sighting: Sighting
    start_us: int
    end_us: int | None
    expires_us: int | None

    @property
    def value(self) -> JsonScalar:
        """The value of the state."""
        return self.sighting.claim.value

    def contains(self, at_us: int) -> bool:
        """True where the state holds at that instant."""
        return self.start_us <= at_us and (self.end_us is None or at_us < self.end_us)


def in_order(sightings: Iterable[Sighting]) -> tuple[Sighting, ...]:
    """The oldest first: by sequence within a run, by when they were observed across runs.

    A clock that goes back within a run is not believed: what comes later in it was observed no earlier.
    """
    found = list(sightings)
    seen_us: dict[str, int] = {}
    latest: dict[RunId, int] = {}
    for each in sorted(found, key=lambda one: (one.sequence or 0, one.occurred_us)):
        at_us = each.occurred_us
        if each.run_id is not None and each.sequence is not None:
            at_us = latest[each.run_id] = max(at_us, latest.get(each.run_id, at_us))
        seen_us[each.claim.claim_id] = at_us

    def place(one: Sighting) -> tuple[int, str, int, int, str]:
        run = one.run_id or "", -1 if one.sequence is None else one.sequence
        return seen_us[one.claim.claim_id], *run, one.claim.position, one.claim.claim_id

    return tuple(sorted(found, key=place))


def spans(ordered: Iterable[Sighting]) -> tuple[Span, ...]:
    """The states of `in_order`, each until the next one holds; one that never held for anybody to see is empty."""
    found: list[Span] = []
    next_us: int | None = None
    for each in reversed(list(ordered)):
        start_us = start_of(each)
        expires_us = each.claim.valid_to_us
        ends = [end for end in (expires_us, next_us) if end is not None]
        found.append(Span(each, start_us, max(start_us, min(ends)) if ends else None, expires_us))
        next_us = start_us if next_us is None else min(next_us, start_us)
    return tuple(reversed(found))


def start_of(sighting: Sighting) -> int:
    """Since when its state holds."""
    start_us = sighting.claim.valid_from_us
    return sighting.occurred_us if start_us is None else start_us


def since(found: tuple[Span, ...], place: int) -> int:
    """The place of the first of the spans that have this one's value without a gap or another value between."""
    first = place
    while first > 0:
        before = found[first - 1]
        is_same = before.value == found[first].value and isinstance(before.value, bool) == isinstance(
            found[first].value, bool
        )
        if not is_same or (before.expires_us is not None and before.expires_us < found[first].start_us):
            break
        first -= 1
    return first
