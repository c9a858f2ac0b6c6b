"""A generated world of timed assertions, corrections, plans, scopes and late arrivals; a seed makes one, and the same.

Each cell (subject, property, scope, lane) has a few speakers whose days coincide often, so that every row of the
decision table is met. What is done to claims is chosen by what the reference model believes at that moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from heedful.kernel.times import parse_time
from heedful.testing.belief_acts import OPERATOR, SYSTEM, UNVERIFIED, Done, Origin, Said, Value
from heedful.testing.belief_reference import Reference
from heedful.testing.belief_table import Belief

START_US = parse_time("2026-03-02T09:00:00Z", field="start").at_us
DAY_US = 86_400_000_000
STEP_US = 3_600_000_000
"""Between two acts."""
CELL_ACTS = 11
"""About so many acts a cell has."""
HOUSE_CELLS = 3
Cell = tuple[str, ...]


class Property(NamedTuple):
    """A kind of the world's registry, with values of which some are equal when normalised."""

    kind: str
    lane: str
    compare: str
    many: bool
    values: tuple[Value, ...]


PROPERTIES = (
    Property(
        "home.city", "fact", "text", False, ("Lyon", " lyon ", "\uff2cyon", "上海", "上海 ", "المنامة", "Oslo 🌊")
    ),
    Property("home.city", "plan", "text", False, ("Lyon", "Oslo", "上海")),
    Property("home.rooms", "fact", "number", False, (3, 3.0, "3", 4, "4.5", 5)),
    Property("home.rented", "fact", "boolean", False, (True, False)),
    Property("work.language", "preference", "text", False, ("中文", "English", "english", "français", True)),
    Property("diet.allergy", "fact", "text", True, ("nuts", "Nuts", "milk", "卵")),
)
ACTION_CLASS = "move"
"""Before it every claim of the world's kinds comes to mind, however many there are."""
REGISTRY = """
action_classes:
  move: {description: A move., on_no_bridge: retrieve, mode: enforce, phrases: {en: [move house]}}
kinds:
  home.city: {form: fact, cardinality: one, comparator: text, risk: low, applies_to: [move], description: A place.}
  home.rooms: {form: fact, cardinality: one, comparator: number, risk: low, applies_to: [move], description: Rooms.}
  home.rented: {form: fact, cardinality: one, comparator: boolean, risk: low, applies_to: [move], description: A let.}
  work.language: {form: preference, cardinality: one, comparator: text, risk: low, applies_to: [move], description: A.}
  diet.allergy: {form: fact, cardinality: many, comparator: text, risk: low, applies_to: [move], description: What.}
bridges:
  move.home:
    from: [move]
    activates: [home.city, home.rooms, home.rented, work.language, diet.allergy]
    effect: notice
    risk: low
    authority: domain-policy
    evidence: nobody moves without
    source_opened: true
    reason: It changes with a move.
    owner: movers
    expires: "2036-12-31"
    examples: {must_fire: [move house], must_not_fire: [look at the house]}
"""
POLICY = """
policy:
  solo: true
  unreviewed: hidden
  principals:
    "person:rae": {roles: [owner], clearance: restricted, grants: ["*"]}
    "person:ana": {roles: [], clearance: restricted, grants: ["*"]}
    "person:ben": {roles: [], clearance: restricted, grants: ["*"]}
    "person:oz": {roles: [operator], clearance: restricted, grants: ["*"]}
    "system:config": {roles: [operator], clearance: restricted, grants: ["*"]}
    "agent:pip": {roles: [agent], clearance: restricted, grants: ["*"]}
  auto_approve:
    enabled: true
    forms: [preference, fact, plan]
    kind_risks: [low]
    classifications: [normal]
    consent_explicit: false
  require_current_verification_for: []
  verification_max_age_seconds: 3600
  deny_on_evidence_label: []
"""
REVIEWER = "person:rae"


class Speaker(NamedTuple):
    """Who says something, through what, with which authority, and how often."""

    who: str
    via: str
    tier: int
    weight: int


SPEAKERS = (
    Speaker("person:ana", "person", UNVERIFIED, 8),
    Speaker("person:ben", "person", UNVERIFIED, 6),
    Speaker("person:rae", "tool", UNVERIFIED, 5),
    Speaker("person:rae", "document", UNVERIFIED, 3),
    Speaker("agent:pip", "agent", UNVERIFIED, 2),
    Speaker("person:oz", "operator", OPERATOR, 1),
    Speaker("system:config", "system", SYSTEM, 1),
)


@dataclass(frozen=True)
class World:
    """What is said and done, in order.

    Attributes:
        acts: each at an instant of its own.
        cells: every cell, with the property that it is of.
        days: valid instants that are asked about, UTC microseconds.
    """

    seed: int
    acts: tuple[Said | Done, ...]
    cells: dict[Cell, Property]
    days: tuple[int, ...]

    def of_cell(self, cell: Cell) -> tuple[Said | Done, ...]:
        """The acts of one cell: no other cell's change what is believed in it."""
        mine = {name for name, each in self.said().items() if each.cell == cell}
        names = [(act.name if isinstance(act, Said) else act.target.rstrip("'")) for act in self.acts]
        return tuple(act for act, name in zip(self.acts, names, strict=True) if name in mine)

    def said(self) -> dict[str, Said]:
        """Name -> assertion, corrections too."""
        said = (act if isinstance(act, Said) else act.said for act in self.acts)
        return {each.name: each for each in said if each is not None}


def make_world(seed: int, assertions: int) -> World:
    """The world of this seed, with about so many acts."""
    random = Random(seed)
    cells = dict(_cells(random, max(1, assertions // CELL_ACTS)))
    maker = _Maker(random, cells)
    acts = tuple(maker.act(START_US + number * STEP_US) for number in range(assertions))
    last = START_US + assertions * STEP_US
    days = tuple(sorted(random.sample(range(START_US - 30 * DAY_US, last + 20 * DAY_US, DAY_US // 2), 12)))
    return World(seed, acts, cells, days)


def _cells(random: Random, count: int) -> Iterator[tuple[Cell, Property]]:
    """Cells in houses: a house has a scope, and a narrower one in it, so that neighbours differ in one thing only."""
    for number in range(count):
        house = f"project:h{number // HOUSE_CELLS}"
        scope = house if random.random() < 0.7 else f"{house},team:t"
        prop = random.choice(PROPERTIES)
        subject = random.choice(("user:ana", "user:ben", "user:ana/daughter", house))
        yield (subject, prop.kind, scope, prop.lane), prop


@dataclass
class _Maker:
    random: Random
    cells: dict[Cell, Property]
    worlds: dict[Cell, Reference] = field(default_factory=dict)
    count: int = 0

    def act(self, at: int) -> Said | Done:
        """One act; the reference model has heard it."""
        cell = self.random.choice(list(self.cells))
        world = self.worlds.setdefault(cell, Reference())
        world.until(at)
        made = (self.random.random() < 0.25 and self._deed(cell, world, at)) or self._said(cell, at)
        world.play(made)
        return made

    def _said(self, cell: Cell, at: int) -> Said:
        random, prop = self.random, self.cells[cell]
        self.count += 1
        # An agent's word is an inference, whatever it is said to be: in the lane of facts.
        heard = [each for each in SPEAKERS if each.via != "agent" or prop.lane == "fact"]
        speaker = random.choices(heard, [each.weight for each in heard])[0]
        own = speaker.via == "person" and _speaks(speaker.who, cell[0])
        start, end = self._stretch(at)
        value = random.choice(prop.values)
        session = f"s{random.randrange(4)}"
        return Said(
            name=f"n{self.count}",
            known_at=at,
            said_at=random.choice((None, at - random.randrange(1, 20) * DAY_US)),
            cell=cell,
            value=value,
            origin=Origin(speaker.who, session, speaker.via, self._text(cell, value)),
            own=own,
            tier=speaker.tier,
            confidence=random.choice((0.4, 0.5, 0.7, 0.9)),
            start=start,
            end=end,
            compare=prop.compare,
            many=prop.many,
        )

    def _text(self, cell: Cell, value: Value) -> str:
        """What was written; now and then the bytes of what somebody else wrote."""
        copied = self.random.random() < 0.3
        name = "" if copied else f"{self.count}: "
        return f"{name}as far as anybody can tell the {cell[1]} of {cell[0]} is {value}"

    def _stretch(self, at: int) -> tuple[int | None, int | None]:
        """A start on one of a few days, so that they coincide; now and then none, an end, or one to come."""
        random = self.random
        if random.random() < 0.3:
            return None, at + 15 * DAY_US if random.random() < 0.1 else None
        # Between two acts: an act takes some milliseconds, and nothing starts within one.
        start = START_US - STEP_US // 2 + random.choice((-20, -10, -10, -5, 0, 0, 3, 6, 10, 15)) * DAY_US
        return start, start + random.choice((4, 9, 30)) * DAY_US if random.random() < 0.25 else None

    def _deed(self, cell: Cell, world: Reference, at: int) -> Done | None:
        """Something done to a claim that stands, or an answer to a question; None where there is nothing to do."""
        random = self.random
        asked = [each for each in world.conflicts if each.resolution == "open"]
        pairs = [(each.a.rstrip("'"), each.b.rstrip("'")) for each in asked]
        # Of two parts of one claim the driver could not say which of them is meant.
        alone = (each for each, pair in zip(asked, pairs, strict=True) if pairs.count(pair) == 1)
        waiting = [each for each in alone if world.is_answerable(each)]
        if waiting and random.random() < 0.6:
            conflict = random.choice(waiting)
            return Done(random.choice(("a", "b", "neither")), at, conflict.a, REVIEWER, conflict.b)
        standing = [each for each in world.standing(cell, at) if each.tier < OPERATOR and "'" not in each.name]
        if not standing:
            return None
        one = random.choice(standing)
        act = random.choice(("confirm", "retract", "pin", "unpin", "correct", "correct", "correct"))
        if act == "retract" and not one.said.origin.session:
            act = "confirm"  # a correction that is taken back is as if never said, which this model does not replay
        if act == "pin" and one.pinned:
            act = "unpin"
        if act == "unpin" and not one.pinned:
            act = "pin"
        by = REVIEWER if act in ("pin", "unpin") else _corrector(cell[0])
        return Done(act, at, one.name, by, said=self._correction(cell, one, at) if act == "correct" else None)

    def _correction(self, cell: Cell, one: Belief, at: int) -> Said:
        random, prop = self.random, self.cells[cell]
        self.count += 1
        who = _corrector(cell[0])
        start = end = None
        if random.random() < 0.5:
            start = one.start + random.randrange(1, 6) * DAY_US
            start = start if start < one.end else None
        if random.random() < 0.4:
            end = (one.start if start is None else start) + random.randrange(1, 6) * DAY_US
            end = end if end < one.end else None
        value = random.choice([each for each in prop.values if each is not True or prop.compare == "boolean"])
        own = _speaks(who, cell[0])
        return Said(
            name=f"n{self.count}",
            known_at=at,
            said_at=None,
            cell=cell,
            value=value,
            origin=Origin(who, "", "person", self._text(cell, value)),
            own=own,
            confidence=1.0,
            start=start,
            end=end,
            compare=prop.compare,
            many=prop.many,
        )


def _speaks(who: str, subject: str) -> bool:
    """Whether a person is the subject, or the subject is below them."""
    own = f"user:{who.partition(':')[2]}"
    return subject == own or subject.startswith(own + "/")


def _corrector(subject: str) -> str:
    """Who may put it right: the person themself, else the reviewer."""
    return next((who for who in ("person:ana", "person:ben") if _speaks(who, subject)), REVIEWER)
