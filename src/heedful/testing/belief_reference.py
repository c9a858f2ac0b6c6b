"""What should be believed: a small independent model that the generated world is compared with.

Written from the words of the decision table (docs/conflicts.md) before the product's code was read, and it imports
nothing of it: a list of what was said and done, and a replay. What was believed at an earlier known instant is the
replay of what had been said by then.
"""

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

SYSTEM, OPERATOR, CORROBORATED, UNVERIFIED = 4, 3, 2, 1
FOREVER = 2**62
COPIED_WORDS = 8
Value = str | int | float | bool


@dataclass(frozen=True)
class Origin:
    """Whence a word comes: who, in which session, through what (`person`, `tool`, `document`), in which bytes."""

    who: str
    session: str
    via: str = "person"
    text: str = ""


@dataclass(frozen=True)
class Said:
    """One assertion: when it became believable, when it was said, and of which `[start, end)` it tells."""

    name: str
    known_at: int
    said_at: int | None
    cell: tuple[str, ...]  # subject, property, scope, lane: what meets only itself
    value: Value
    origin: Origin
    own: bool  # said by its subject, through a person's door
    tier: int = UNVERIFIED
    confidence: float = 0.5
    start: int | None = None
    end: int | None = None
    compare: str = "text"  # text, number or boolean
    many: bool = False  # many-valued: nothing compares


@dataclass(frozen=True)
class Done:
    """What was done to a claim (`confirm, retract, pin, unpin, correct`) or answered (`a, b, neither`)."""

    act: str
    known_at: int
    target: str
    by: str
    other: str = ""  # of an answer: the newcomer
    said: Said | None = (
        None  # of a correction: the new word; its start and end are the stretch, None as far as the old went
    )


@dataclass
class Belief:
    """What became of an assertion."""

    name: str
    said: Said
    value: Value
    start: int
    end: int
    tier: int
    confidence: float
    words: list[tuple[Origin, bool]]  # the evidence, and whether each speaks for its subject
    status: str = "proposed"
    held: bool = False  # was it ever active (or is it history that arrived late)
    confirmed: bool = False
    pinned: bool = False
    lost: int = 0

    @property
    def self_told(self) -> bool:
        """Every word of it is its subject's own, or a person confirmed it."""
        return self.confirmed or all(own for _, own in self.words)

    def wear(self, by: float = 0.2) -> None:
        """Lose one conflict; at three it is archived, unless someone of authority stands behind it."""
        self.confidence = round(max(0.0, self.confidence - by), 9)
        self.lost += 1
        if self.lost >= 3 and self.tier < OPERATOR and not self.pinned and self.status == "active":
            self.status = "archived"


@dataclass
class Conflict:
    """One weighing of a standing claim and a newcomer."""

    a: str
    b: str
    because: str
    outcome: str
    resolution: str


def equal(a: Belief, b: Belief) -> bool:
    """Whether two values are the same one, once normalised."""
    if a.said.compare == "number":
        return float(a.value) == float(b.value)
    return a.value == b.value if a.said.compare == "boolean" else folded(a.value) == folded(b.value)


def folded(value: Value) -> str:
    """A text as it is compared."""
    return " ".join(unicodedata.normalize("NFKC", str(value)).casefold().split())


def comparable(a: Belief, b: Belief) -> bool:
    """Whether two claims of one cell can contradict each other at all."""
    bare = b.said.compare != "boolean" and (a.value is True or b.value is True)
    return not b.said.many and not bare and a.start < b.end and b.start < a.end


def independent(a: Origin, b: Origin) -> bool:
    """Whether two words come from different origins; when in doubt, not."""
    if not a.session or not b.session or a.session == b.session:
        return False
    if a.who == b.who and not {a.via, b.via} <= {"tool", "document"}:
        return False
    copied = a.text == b.text and len(a.text.split()) >= COPIED_WORDS
    return not (copied and b.via in ("tool", "document", "agent"))


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
    ("later-word", "supersede", "b_wins", lambda a, b: same_speaker(a, b) and b.start > a.start),
    ("late-arrival", "supersede", "a_wins", lambda a, b: same_speaker(a, b) and b.start < a.start),
    ("same-start", "supersede", "b_wins", same_speaker),
    ("peers", "ask", "open", lambda _a, _b: True),
)
HARD = frozenset({"equal-values", "system", "operator", "confirmation-needed"})


def judge(a: Belief, b: Belief) -> tuple[str, str, str]:
    """The first row of the table that fits: rule, outcome, resolution."""
    because, outcome, resolution, _ = next(row for row in TABLE if row[3](a, b))
    return ("pinned", "ask", "open") if a.pinned and because not in HARD else (because, outcome, resolution)


@dataclass
class Reference:
    """The believed world, replayed act by act."""

    beliefs: dict[str, Belief] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    now: int = 0

    @classmethod
    def of(cls, acts: Iterable[Said | Done], known: int = FOREVER) -> "Reference":
        """The world as it was known at an instant."""
        world = cls()
        for act in acts:
            if act.known_at <= known:
                world.play(act)
        return world

    def play(self, act: Said | Done) -> None:
        """One more act."""
        self.now = act.known_at
        self.hear(act) if isinstance(act, Said) else self.do(act)

    def standing(self, cell: tuple[str, ...], now: int) -> list[Belief]:
        """What is active, and not over at that instant."""
        there = self.beliefs.values()
        return [each for each in there if each.said.cell == cell and each.status == "active" and each.end > now]

    def is_answerable(self, conflict: Conflict) -> bool:
        """Whether both sides of a conflict still are where it left them."""
        a, b = self.beliefs[conflict.a], self.beliefs[conflict.b]
        return a.status == "active" and b.status in ("active", "waiting")

    def values(self, cell: tuple[str, ...], valid: int) -> frozenset[str]:
        """Everything that held at a valid instant, as folded texts: what is active, and what ended by then or later."""
        return frozenset(
            folded(each.value)
            for each in self.beliefs.values()
            if each.said.cell == cell and each.start <= valid < each.end
            if each.status == "active" or (each.status == "superseded" and each.held)
        )

    def hear(self, said: Said) -> None:
        """Somebody said something, and it became active: weigh it."""
        start = said.start if said.start is not None else said.said_at if said.said_at is not None else said.known_at
        end = FOREVER if said.end is None else said.end
        words = [(said.origin, said.own)]
        self.beliefs[said.name] = new = Belief(
            said.name, said, said.value, start, end, said.tier, said.confidence, words
        )
        self.weigh(new)

    def weigh(self, new: Belief, past: str = "") -> None:
        """Weigh a newcomer against each that stands, oldest first, until it loses."""
        for old in self.standing(new.said.cell, self.now):
            if old.name not in (new.name, past) and comparable(old, new) and old.status == "active":
                because, outcome, resolution = judge(old, new)
                self.conflicts.append(Conflict(old.name, new.name, because, outcome, resolution))
                if not self.settle(old, new, because):
                    return
        new.status, new.held = "active", True

    def settle(self, a: Belief, b: Belief, because: str) -> bool:
        """What a rule does to both; whether B still stands."""
        if because == "equal-values":
            a.start, a.end, b.status = min(a.start, b.start), max(a.end, b.end), "superseded"
            if any(independent(x, y) for x, _ in a.words for y, _ in b.words):
                a.words += b.words
                a.tier = max(a.tier, CORROBORATED)
        elif because in ("system", "operator", "lower-authority", "standing-self-told"):
            b.status = "superseded"
            b.confidence = b.confidence if because == "standing-self-told" else min(b.confidence, 0.5)
            if because == "standing-self-told" and b.tier >= a.tier:
                a.wear()
        elif because in ("confirmation-needed", "pinned"):
            b.status = "waiting"
        elif because == "late-arrival":
            b.end, b.held = a.start, True
            b.status = self.left(b)
        elif because == "peers":
            a.wear()
            b.confidence = min(b.confidence, 0.5)
        else:
            if because == "higher-authority":
                a.wear()
            if because == "same-start":
                b.end = a.end
            self.displace(a, b)
        return because in ("peers", "self-told", "higher-authority", "later-word", "same-start")

    def displace(self, loser: Belief, winner: Belief) -> None:
        """The loser keeps what was before the winner began, if anything, and what comes after the winner's end."""
        rest = replace(loser, name=loser.name + "'", start=winner.end, words=list(loser.words))
        after = winner.end < loser.end
        loser.end = max(loser.start, min(loser.end, winner.start))
        loser.status = self.left(loser)
        if after:
            self.beliefs[rest.name] = rest

    def left(self, one: Belief) -> str:
        """Where a claim stands that was bounded: it has ended, unless some of its time is still to come."""
        return "active" if one.start < one.end and one.end > self.now else "superseded"

    def do(self, act: Done) -> None:
        """One act of a person on a claim, or an answer to a conflict."""
        one = self.beliefs[act.target]
        if act.act in ("a", "b", "neither"):
            self.answer(act, one, self.beliefs[act.other])
        elif act.act == "retract":
            one.status = "revoked"
        elif act.act == "confirm":
            one.confirmed = True
        elif act.act in ("pin", "unpin"):
            one.pinned = act.act == "pin"
        elif act.said:
            start = one.start if act.said.start is None else act.said.start
            end = one.end if act.said.end is None else act.said.end
            words = [(act.said.origin, act.said.own)]
            new = Belief(act.said.name, act.said, act.said.value, start, end, act.said.tier, act.said.confidence, words)
            self.displace(one, new)
            self.beliefs[new.name] = new
            self.weigh(new, one.name + "'")

    def answer(self, act: Done, a: Belief, b: Belief) -> None:
        """What a person's answer to an open conflict does."""
        conflict = next(c for c in self.conflicts if (c.a, c.b, c.resolution) == (a.name, b.name, "open"))
        conflict.resolution = {"a": "a_wins", "b": "b_wins", "neither": "both_demoted"}[act.act]
        waited = b.status == "waiting"
        if act.act == "neither":
            for one in (a, b):
                one.confidence = round(max(0.0, one.confidence - 0.2), 9)
        elif act.act == "a":
            b.status = "superseded" if waited else b.status
            if not waited:
                self.displace(b, a)
        else:
            self.displace(a, b)
            if waited:
                self.weigh(b, a.name + "'")
