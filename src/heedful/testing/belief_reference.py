"""What should be believed: a small independent model that the generated world is compared with.

Written from the words of docs/conflicts.md before the product's code was read, and it imports nothing of it: what was
said and done, and a replay. What was believed at an earlier known instant is the replay of what had been said by then.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import count

from heedful.testing.belief_acts import CORROBORATED, SYSTEM, Conflict, Done, Said, Value, independent
from heedful.testing.belief_table import (
    Belief,
    beside,
    comparable,
    compares,
    contested,
    judge,
    know_words,
    left_of,
    normal,
    rank,
    same_speaker,
    takes_in,
)

FOREVER = 2**62
WEARING = ("standing-self-told", "higher-authority", "peers")


@dataclass
class Reference:
    """The believed world, replayed act by act."""

    beliefs: dict[str, Belief] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    refused: list[Done] = field(default_factory=list)
    now: int = 0

    @classmethod
    def of(cls, acts: Iterable[Said | Done], known: int = FOREVER) -> "Reference":
        """The world as it was known at an instant."""
        world = cls()
        for act in (each for each in acts if each.known_at <= known):
            world.play(act)
        return world

    def play(self, act: Said | Done) -> None:
        """One more act."""
        self.until(act.known_at)
        self.hear(act) if isinstance(act, Said) else self.do(act)

    def until(self, now: int) -> None:
        """Time passes: nobody has to answer what is asked about a claim that is over."""
        self.now = now
        for each in self.beliefs.values():
            if each.status == "active" and each.end <= now:
                self.close(each)

    def standing(self, cell: tuple[str, ...], now: int) -> list[Belief]:
        """What is active, and not over at that instant."""
        there = self.beliefs.values()
        return [each for each in there if each.said.cell == cell and each.status == "active" and each.end > now]

    def is_answerable(self, conflict: Conflict) -> bool:
        """Whether both sides of a conflict still are where it left them."""
        a, b = self.beliefs[conflict.a], self.beliefs[conflict.b]
        return a.status == "active" and b.status in ("active", "waiting")

    def values(self, cell: tuple[str, ...], valid: int) -> frozenset[Value]:
        """Everything that held at a valid instant, normalised: what is active, and what has ended."""
        there = (each for each in self.beliefs.values() if each.said.cell == cell and each.holds(valid))
        return frozenset(normal(each.value, each.said.compare) for each in there)

    def hear(self, said: Said) -> None:
        """Somebody said something, and it became active."""
        start = said.start if said.start is not None else said.said_at if said.said_at is not None else said.known_at
        self.weigh(self.believe(said, start, FOREVER if said.end is None else said.end, open_=said.start is None))

    def believe(self, said: Said, start: int, end: int, *, open_: bool) -> Belief:
        """A new belief."""
        words = [(said.origin, said.own)]
        self.beliefs[said.name] = Belief(
            said.name, said, said.value, start, end, open_, said.tier, said.confidence, words
        )
        return self.beliefs[said.name]

    def waiting(self) -> list[Belief]:
        """What waits for an answer, or is asked about."""
        return [self.beliefs[each.b] for each in self.conflicts if each.resolution == "open"]

    def weigh(self, new: Belief, before: list[Belief] | None = None) -> None:
        """Weigh a newcomer against each that stands, until it loses; `before`: what waited until now."""
        waiting = self.waiting() if before is None else before
        know_words(self.beliefs.values())
        there = sorted(self.standing(new.said.cell, self.now), key=lambda a: rank(a, new))
        there = [each for each in there if each is not new and compares(each, new)]
        looks_back = (not new.open and new.start < self.now) or any(each.start >= new.start for each in there)
        others = [each for each in there if judge(each, new)[0] in ("equal-values", "peers")]
        later: list[Belief] = []
        self.meet(new, [each for each in there if each not in others], later)
        rests = [] if new.status in ("superseded", "waiting") else self.place(new, later, looks_back=looks_back)
        met = self.meet(new, others, later)
        for rest in rests:
            self.meet(rest, [each for each in others if each not in met], later)
        if new.status == "superseded":
            return
        for old in waiting:
            mine = old is not new and same_speaker(old, new) and (old.tier, old.status) == (new.tier, "waiting")
            if mine and old.start <= new.start and comparable(old, new):
                self.end(old)
        if new.status != "waiting":
            new.status, new.held = "active", True

    def meet(self, new: Belief, there: list[Belief], later: list[Belief]) -> list[Belief]:
        """Meet each in turn, until it ends: those that were met; `later` takes those that it comes late for."""
        met = []
        for old in there:
            if new.status == "superseded" or not comparable(old, new):
                continue
            met.append(old)
            because, outcome, resolution = judge(old, new)
            if beside(old, new) or contested(old, new, there):
                continue
            if new.status == "waiting" and because not in ("later-word", "same-start"):
                continue  # while it waits, only what its speaker said before gives way to it
            self.conflicts.append(Conflict(old.name, new.name, because, outcome, resolution))
            if because == "late-arrival":
                later.append(old)
            else:
                self.settle(old, new, because)
        return met

    def settle(self, a: Belief, b: Belief, because: str) -> None:
        """What a rule does to both."""
        if because == "equal-values":
            if takes_in(b, a):
                self.agree(b, a)
                b.open = b.open and b.start <= a.start
                self.displace(a, b)
            else:
                self.agree(a, b)
                a.open = a.open and a.start <= b.start
                a.start, a.end = min(a.start, b.start), max(a.end, b.end)
                self.end(b)
        elif because in ("system", "operator", "lower-authority", "standing-self-told"):
            b.confidence = b.confidence if because == "standing-self-told" else min(b.confidence, 0.5)
            if because == "standing-self-told" and b.tier >= a.tier:
                self.wear(a, b)
            self.end(b)
        elif because in ("confirmation-needed", "pinned"):
            b.status = "waiting"
        elif because == "peers":
            self.wear(a, b)
            b.confidence = min(b.confidence, 0.5)
        else:
            if because == "higher-authority":
                self.wear(a, b)
            if because == "same-start":
                b.end, b.open = a.end, b.open and a.open
            b.open = b.open and b.start <= a.start
            self.displace(a, b)

    def wear(self, a: Belief, b: Belief) -> None:
        """A loses one conflict, unless who says B stood against it before."""
        met = [self.beliefs[each.b] for each in self.conflicts if each.a == a.name and each.because in WEARING]
        if not (a.lost and any(other is not b and same_speaker(other, b) for other in met)):
            a.wear()

    def agree(self, stays: Belief, goes: Belief) -> None:
        """Two say the same: one has the words of the other that are of other origins; an own word stays one."""
        stays.confirmed = stays.confirmed or goes.self_told
        for word, own in goes.words:
            if all(independent(word, each) for each, _ in stays.words):
                stays.words = [*stays.words, (word, own)]
                stays.tier = max(stays.tier, CORROBORATED)

    def place(self, b: Belief, later: list[Belief], *, looks_back: bool) -> list[Belief]:
        """B has what its speaker's words leave it that began after it, and takes the time of those before.

        It keeps the first stretch that is not over; the others are claims of their own: those to come are returned. An
        A that gave no start gives way to a B that ends inside it.
        """
        held = [each for each in self.beliefs.values() if each.held and each.start < each.end]
        history = [h for h in held if h.status == "superseded" or (h.status == "active" and h.end <= self.now)]
        past = [h for h in history if h is not b and h.said.cell == b.said.cell and comparable(h, b)]
        past = past if looks_back else []
        outer = [a for a in later if a.open and a.start < b.end < a.end]
        takes = [a for a in later if a not in outer] + [h for h in past if judge(h, b)[0] == "late-arrival"]
        for a in later:
            if a in outer:
                self.displace(a, b)
            else:
                a.open = False
        pieces = left_of(b.start, b.end, takes)
        for h in (each for each in past if judge(each, b)[0] in ("later-word", "same-start")):
            for start, end in pieces:
                if h.start < end and start < h.end:
                    self.displace(h, replace(b, start=start, end=end))
                    break
        own = next((piece for piece in pieces if piece[1] > self.now), pieces[0])
        rests = [self.part(b, start, end) for start, end in pieces if (start, end) != own]
        b.open = b.open and b.start == own[0]
        b.start, b.end = own
        if (later or takes) and b.end <= self.now:
            b.held = True
            self.end(b)
        return [each for each in rests if each.status == "active"]

    def part(self, whole: Belief, start: int, end: int) -> Belief:
        """A stretch of a belief as one of its own."""
        name = next(n for k in count(1) if (n := whole.name + "'" * k) not in self.beliefs)
        is_open = whole.open and start == whole.start
        part = replace(whole, name=name, start=start, end=end, open=is_open, words=list(whole.words))
        part.status, part.held, self.beliefs[name] = "active", True, part
        self.left(part)
        return part

    def displace(self, loser: Belief, winner: Belief) -> None:
        """The loser keeps what was before the winner began; what comes after the winner's end is its, or its rest's."""
        before, after = loser.start < winner.start, winner.end < loser.end
        asked = any(each.resolution == "open" and loser.name in (each.a, each.b) for each in self.conflicts)
        loser.status = "active"
        if before and after and asked and winner.start <= self.now < loser.end:
            # What is asked is asked of what still stands: the time before is another's.
            name = next(n for k in count(1) if (n := loser.name + "'" * k) not in self.beliefs)
            past = self.beliefs[name] = replace(loser, name=name, end=winner.start, words=list(loser.words))
            self.end(past)
            before = False
        if before and after:
            name = next(n for k in count(1) if (n := loser.name + "'" * k) not in self.beliefs)
            self.beliefs[name] = replace(loser, name=name, start=winner.end, open=False, words=list(loser.words))
            self.left(self.beliefs[name])
        if before:
            loser.end = min(loser.end, winner.start)
        elif after:
            loser.start, loser.open = winner.end, False
        else:
            loser.end, loser.open = loser.start, False
        self.left(loser)

    def left(self, one: Belief) -> None:
        """A bounded claim has ended, unless some of its time is still to come."""
        if one.start >= one.end or one.end <= self.now:
            self.end(one)

    def end(self, one: Belief, status: str = "superseded") -> None:
        """A claim ends: from now on it holds no more."""
        one.end = min(one.end, self.now) if status == "superseded" else one.end
        one.status = status
        self.close(one)

    def close(self, one: Belief) -> None:
        """What was asked about a claim is answered by its end: the other one is left."""
        for each in self.conflicts:
            if each.resolution == "open" and one.name in (each.a, each.b):
                each.resolution = "b_wins" if each.a == one.name else "a_wins"

    def do(self, act: Done) -> None:
        """One act of a person on a claim, or an answer to a conflict."""
        one = self.beliefs[act.target]
        if act.act in ("a", "b", "neither"):
            self.answer(act, one, self.beliefs[act.other])
        elif act.act == "retract":
            self.end(one, "revoked")
        elif act.act == "confirm":
            one.confirmed = True
        elif act.act in ("pin", "unpin"):
            one.pinned = act.act == "pin"
        elif act.said:
            start = one.start if act.said.start is None else act.said.start
            end = one.end if act.said.end is None else act.said.end
            new, waiting = self.believe(act.said, start, end, open_=False), self.waiting()
            self.displace(one, new)
            self.weigh(new, waiting)

    def answer(self, act: Done, a: Belief, b: Belief) -> None:
        """What a person's answer to an open conflict does."""
        if a.tier == SYSTEM and act.act != "a":
            self.refused.append(act)  # nobody's answer displaces the system's word
            return
        conflict = next(c for c in self.conflicts if (c.a, c.b, c.resolution) == (a.name, b.name, "open"))
        conflict.resolution = {"a": "a_wins", "b": "b_wins", "neither": "both_demoted"}[act.act]
        if act.act == "neither":
            for one in (each for each in (a, b) if each.status == "active" and not each.pinned):
                one.confidence = round(max(0.0, one.confidence - 0.2), 9)
        if act.act != "b" and b.status == "waiting":
            self.end(b)
        elif act.act == "a":
            self.displace(b, a)
        elif act.act == "b":
            waited, b.status = b.status == "waiting", "active"
            self.displace(a, b)
            if waited:
                self.weigh(b)
