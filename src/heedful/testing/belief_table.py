"""The table of beliefs in the reference model: what can contradict, which rule fits, and which of two that agree stays.

Written from the words of docs/conflicts.md; it imports nothing of the product.
"""

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from heedful.testing.belief_acts import OPERATOR, SYSTEM, Origin, Said, Value


@dataclass
class Belief:
    """What became of an assertion. `open`: nobody gave its start, so it is not known not to have held before."""

    name: str
    said: Said
    value: Value
    start: int
    end: int
    open: bool
    tier: int
    confidence: float
    words: list[tuple[Origin, bool]]  # the evidence, and whether each speaks for its subject
    status: str = "proposed"
    held: bool = False  # ever active, or history that arrived late
    confirmed: bool = False
    pinned: bool = False
    lost: int = 0
    began: int | None = None  # of a part: where the first part of what was said begins

    @property
    def word(self) -> int:
        """Since when what was said was to hold: by that the words of one speaker are told apart."""
        return self.start if self.began is None else min(self.began, self.start)

    def holds(self, valid: int) -> bool:
        """Whether it held at an instant, as far as it is or was believed."""
        believed = self.status == "active" or (self.status == "superseded" and self.held)
        return believed and (self.open or self.start <= valid) and valid < self.end

    @property
    def self_told(self) -> bool:
        """One word of it at least is its subject's own, or a person confirmed it."""
        return self.confirmed or any(own for _, own in self.words)

    def wear(self, by: float = 0.2) -> None:
        """Lose one conflict; at three it is archived, unless its subject or someone of authority stands behind it."""
        self.confidence = round(max(0.0, self.confidence - by), 9)
        self.lost += 1
        kept = self.tier >= OPERATOR or self.pinned or self.self_told
        if self.lost >= 3 and not kept and self.status == "active":
            self.status = "archived"


def equal(a: Belief, b: Belief) -> bool:
    """Whether two values are the same one, once normalised."""
    return normal(a.value, a.said.compare) == normal(b.value, a.said.compare)


def normal(value: Value, compare: str) -> Value:
    """A value as it is compared: texts folded, numbers by value."""
    if compare == "number":
        return float(value)
    return value if compare == "boolean" else " ".join(unicodedata.normalize("NFKC", str(value)).casefold().split())


def compares(a: Belief, b: Belief) -> bool:
    """Whether the values of two claims of one cell can contradict each other."""
    bare = b.said.compare != "boolean" and (a.value is True or b.value is True)
    return not b.said.many and not bare


def comparable(a: Belief, b: Belief) -> bool:
    """Whether two claims of one cell can contradict each other at all."""
    return compares(a, b) and a.start < b.end and b.start < a.end


def same_speaker(a: Belief, b: Belief) -> bool:
    """Whether one principal said both."""
    return a.said.origin.who == b.said.origin.who


# The decision table: the first that fits. Rows from `self-told` on ask where A is pinned.
Rule = tuple[str, str, str, Callable[[Belief, Belief], bool]]
TABLE: tuple[Rule, ...] = (
    ("equal-values", "supersede", "merged", equal),
    ("system", "flag", "a_wins", lambda a, b: a.tier == SYSTEM and b.tier < SYSTEM),
    ("operator", "flag", "a_wins", lambda a, b: a.tier >= OPERATOR and b.tier < a.tier),
    ("confirmation-needed", "ask", "open", lambda a, _: a.tier >= OPERATOR),
    ("self-told", "supersede", "b_wins", lambda a, b: b.self_told and not a.self_told),
    ("standing-self-told", "flag", "a_wins", lambda a, b: a.self_told and not b.self_told),
    ("higher-authority", "supersede", "b_wins", lambda a, b: b.tier > a.tier),
    ("lower-authority", "flag", "a_wins", lambda a, b: b.tier < a.tier),
    ("later-word", "supersede", "b_wins", lambda a, b: same_speaker(a, b) and b.word > a.word),
    ("late-arrival", "supersede", "a_wins", lambda a, b: same_speaker(a, b) and b.word < a.word),
    ("same-start", "supersede", "b_wins", same_speaker),
    ("peers", "ask", "open", lambda _a, _b: True),
)
HARD = frozenset({"equal-values", "system", "operator", "confirmation-needed"})


def judge(a: Belief, b: Belief) -> tuple[str, str, str]:
    """The first row of the table that fits: rule, outcome, resolution."""
    because, outcome, resolution, _ = next(row for row in TABLE if row[3](a, b))
    return ("pinned", "ask", "open") if a.pinned and because not in HARD else (because, outcome, resolution)


def takes_in(b: Belief, a: Belief) -> bool:
    """Whether b, of two that say the same, counts for more than a, which stands and may give way."""
    return b.tier > a.tier and a.tier < OPERATOR and not a.pinned


def beside(a: Belief, b: Belief) -> bool:
    """Whether two that say the same both stay: a may not give way to more authority, nor is it lengthened by less."""
    if not equal(a, b) or (a.tier < OPERATOR and not a.pinned):
        return False
    return b.tier > a.tier or (b.tier < a.tier and (b.start < a.start or b.end > a.end))


def contested(a: Belief, b: Belief, others: Iterable[Belief]) -> bool:
    """Whether a peer of b, who says the same as a, contradicts it at a time that a would only have by the merge."""
    if not equal(a, b) or takes_in(b, a) or (a.start <= b.start and b.end <= a.end):
        return False
    peers = [each for each in others if comparable(each, b) and judge(each, b)[0] == "peers"]
    return any(each.end <= a.start or a.end <= each.start for each in peers)


def rank(a: Belief, b: Belief) -> int:
    """In which turn a newcomer meets one: to lose, to wait, to settle what is settled, to agree, and to ask."""
    because, _, resolution = judge(a, b)
    if resolution == "a_wins" and because != "late-arrival":
        return 0
    return {"confirmation-needed": 1, "pinned": 1, "late-arrival": 3, "equal-values": 4, "peers": 5}.get(because, 2)


def left_of(start: int, end: int, taken: Iterable[Belief]) -> list[tuple[int, int]]:
    """The stretches of a time that others do not take."""
    found = [(start, end)]
    for each in taken:
        parts = [part for a, b in found for part in ((a, min(b, each.start)), (max(a, each.end), b))]
        found = [(a, b) for a, b in parts if a < b]
    return found


def know_words(beliefs: Iterable[Belief]) -> None:
    """Each part knows where what it is a part of begins, as far as that is believed, or was and nobody took it back."""
    believed = [each for each in beliefs if each.status == "active" or (each.held and each.status == "superseded")]
    for one in believed:
        parts = [each for each in believed if each.said is one.said and each.start < each.end]
        one.began = min((each.start for each in parts), default=None)
