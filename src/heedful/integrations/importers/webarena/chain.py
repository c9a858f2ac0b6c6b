"""Where the steps of a rendered trajectory begin, though any of its tags may be forged by a web page.

What a forger can't choose is what the program writes after the forged text: the true end of the step, which names the
action before it. So steps are taken only as a chain: the first names `None` as the action before it, and each later
one the action of the step before. Where a forged step fits into no chain, it stays text of the observation that it
stands in. Where several chains are possible, such as when an action is repeated, the longest is taken, and a step
whose end is not in all of them is `unsure`: what it says then counts as the page's words, not as the agent's. So is
every step where no chain reaches the end of the page.
"""

from __future__ import annotations

from dataclasses import dataclass

from heedful.integrations.importers.webarena.page import FIRST, End, Head, end_before, heads_of, names_action

HEADS_MAX = 400
"""Of more heads than this no chain is looked for: WebArena stops after 30 steps."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        at: where it starts in the text.
        end: None where it fits into no chain; the observation is then all of it.
        unsure: another chain, without this end, is possible too.
    """

    at: int
    url: str
    observation: str
    end: End | None
    unsure: bool


def steps_of(text: str) -> list[Step]:
    """The steps, in order; together with the task before them they are the whole text."""
    heads = heads_of(text)
    if not heads:
        return []
    if len(heads) > HEADS_MAX:
        return [_step(text, heads[0], len(text), None, unsure=False)]
    borders = [head.at for head in heads[1:]] + [len(text)]
    ends = [end_before(text, heads[0].observed_at, border) for border in borders]
    paths = _Paths(heads, ends)
    last = paths.last()
    # Of a page that was cut, or that some other program wrote, nothing after a forged end tells that it is one.
    sure = paths.in_all(last) if last == len(ends) - 1 else set()
    steps: list[Step] = []
    begin = heads[0]
    for border in paths.longest_to(last) if last is not None else []:
        steps.append(_step(text, begin, borders[border], ends[border], unsure=border not in sure))
        begin = heads[border + 1] if border + 1 < len(heads) else begin
    if last is None or last + 1 < len(heads):
        steps.append(_step(text, begin, len(text), None, unsure=False))
    return steps


def _step(text: str, head: Head, border: int, end: End | None, *, unsure: bool) -> Step:
    return Step(head.at, head.url, text[head.observed_at : border if end is None else end.at], end, unsure)


class _Paths:
    """Chains of ends: from one that names `None` on, each end to one that names its action."""

    def __init__(self, heads: list[Head], ends: list[End | None]) -> None:
        self._before: list[list[int]] = []
        self._count: list[int] = []
        self._length: list[int] = []
        for place, end in enumerate(ends):
            starts = end is not None and end.previous == FIRST and end.at >= heads[0].observed_at
            before = [] if end is None or end.previous == FIRST else self._joined(heads, ends, place, end)
            self._before.append(before)
            self._count.append(int(starts) + sum(self._count[each] for each in before))
            self._length.append(int(starts) or 1 + max((self._length[each] for each in before), default=-1))

    def _joined(self, heads: list[Head], ends: list[End | None], place: int, end: End) -> list[int]:
        found = []
        for earlier in range(place):
            before = ends[earlier]
            reached = before is not None and self._count[earlier] > 0 and heads[earlier + 1].observed_at <= end.at
            if before is not None and reached and names_action(end.previous, before.action):
                found.append(earlier)
        return found

    def last(self) -> int | None:
        """The last end that a chain reaches; None where there is no chain."""
        return next((place for place in range(len(self._count) - 1, -1, -1) if self._count[place]), None)

    def longest_to(self, last: int) -> list[int]:
        """The longest chain to this end; of several the one with the later ends."""
        chain = [last]
        while before := self._before[chain[-1]]:
            chain.append(max(before, key=lambda each: (self._length[each], each)))
        return chain[::-1]

    def in_all(self, last: int | None) -> set[int]:
        """The ends that every chain to the end `last` has."""
        if last is None:
            return set()
        onward = [0] * (last + 1)
        onward[last] = 1
        for each in range(last, -1, -1):
            for before in self._before[each]:
                onward[before] += onward[each]
        return {each for each in range(last + 1) if self._count[each] * onward[each] == self._count[last]}
