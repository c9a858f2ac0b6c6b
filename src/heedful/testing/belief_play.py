"""Plays a generated world of beliefs through the public verbs, and compares what is believed with the reference."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from random import Random

from heedful import Memory
from heedful.adapters.blobs.folder import MemoryBlobs
from heedful.adapters.keys import MemoryKeyRing
from heedful.adapters.registry_files import registry_of
from heedful.adapters.system import SetClock, SystemEntropy
from heedful.bootstrap import App
from heedful.claims.claim import Claim, Form
from heedful.claims.conflict import Resolution
from heedful.claims.decide import Because, Ruling, Side
from heedful.kernel.errors import HeedfulError
from heedful.kernel.ids import PrincipalId
from heedful.kernel.ladder import Tier
from heedful.kernel.times import format_time, parse_time
from heedful.observations.record import Channel
from heedful.ports.store import Store
from heedful.service.belief import believe
from heedful.service.keeping.statements import RememberFields
from heedful.settings import Settings
from heedful.testing.belief_acts import CORROBORATED, OPERATOR, SYSTEM, UNVERIFIED, Done, Said, Value
from heedful.testing.belief_reference import Reference
from heedful.testing.belief_table import Belief, normal
from heedful.testing.belief_world import (
    ACTION_CLASS,
    POLICY,
    PROPERTIES,
    REGISTRY,
    REVIEWER,
    START_US,
    STEP_US,
    Cell,
    World,
)

BUDGET_TOKENS = 20_000
FIRST_PARTY = frozenset({"person", "operator", "system"})
_COMPARE = {each.kind: each.compare for each in PROPERTIES}
_TIERS = {Tier.SYSTEM: SYSTEM, Tier.OPERATOR: OPERATOR, Tier.CORROBORATED: CORROBORATED, Tier.UNVERIFIED: UNVERIFIED}
_STANDINGS = {"policy-reviewed": "waiting", "superseded": "ended", "expired": "ended"}
_GRADES = {"person": "user", "operator": "operator", "system": "system", "tool": "tool", "document": "document"}


@dataclass
class Compared:
    """How often product and reference were held against each other.

    Attributes:
        checks: what was compared -> how often.
        differences: what differed, in words, in order.
    """

    checks: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def same(self, what: str, where: str, product: object, reference: object) -> None:
        """Note one comparison."""
        self.checks[what] += 1
        if product != reference:
            self.differences.append(f"{where}: {what}: product {product!r}, reference {reference!r}")


class BeliefPlayer:
    """A tenant of a store in which a world is played.

    Attributes:
        claims: name of an assertion -> the claim that was proposed of it.
        refused: acts that the product refused, with the code of the error.
    """

    def __init__(self, store: Store, named: str) -> None:
        """A new tenant of this name in the store, which stays open."""
        self.clock = SetClock(START_US - STEP_US)
        self.app = App(
            settings=Settings(tenant=named, access_window_seconds=3_600.0),
            store=store,
            blobs=MemoryBlobs(),
            keys=MemoryKeyRing(),
            clock=self.clock,
            entropy=SystemEntropy(),
            registry=registry_of((("kinds.yaml", REGISTRY), ("policy.yaml", POLICY))),
            default_scope=(),
            folder=None,
            owns_store=False,
        )
        self.app.add_tenant(named, PrincipalId(REVIEWER))
        self.claims: dict[str, str] = {}
        self.records: dict[str, str] = {}
        self.refused: dict[str, str] = {}
        self._shown: dict[str, Claim] = {}
        self._reader: Memory | None = None

    def memory(self, who: str = REVIEWER) -> Memory:
        """The memory of this principal, an agent's through an agent's door; what is due expires first."""
        channel = Channel.AGENT if who.startswith("agent:") else Channel.PERSON
        return Memory(self.app, self.app.session(principal=who, channel=channel), owns_app=False)

    def play(self, world: World, progress: Callable[[int], None] = lambda _done: None) -> None:
        """Every act, at its instant; the clock stands a step after the last."""
        for number, act in enumerate(world.acts, 1):
            self.clock = self.app.clock = SetClock(act.known_at)
            self._say(act) if isinstance(act, Said) else self._do(act)
            progress(number)
            self._shown.clear()
        self.clock = self.app.clock = SetClock(START_US + (len(world.acts) + 1) * STEP_US)
        self._reader = self.memory()

    def _say(self, said: Said) -> None:
        texts: RememberFields = {
            "kind": said.cell[1],
            "subject": said.cell[0],
            "form": said.cell[3],
            "value": said.value,
            "confidence": said.confidence,
            "run_id": said.origin.session or None,
            "since": None if said.start is None else format_time(said.start),
            "until": None if said.end is None else format_time(said.end),
            "occurred_at": None if said.said_at is None else format_time(said.said_at),
            "source_ref": f"{said.origin.via}:{said.name}",
        }
        if said.origin.via != "agent":
            texts["grade"] = _GRADES[said.origin.via]
        if said.origin.via == "tool":
            texts |= {"record_type": "tool_result", "attributes": {"tool": "Probe"}}
        if said.origin.via == "document":
            texts["record_type"] = "document"
        kept = self.memory(said.origin.who).remember(said.origin.text, scope=said.cell[2].split(","), **texts)
        self._note(said.name, kept.claims[0].claim_id, kept.record_id)
        if said.origin.via not in FIRST_PARTY:
            self.memory().approve(kept.claims[0].claim_id, reason="looked at")

    def _note(self, name: str, claim_id: str, record_id: str) -> None:
        self.claims[name] = claim_id
        self.records[record_id] = name

    def _do(self, act: Done) -> None:
        memory, claim = self.memory(act.by), self.claims.get(act.target, "")
        try:
            match act.act:
                case "a" | "b" | "neither":
                    memory.answer(self._conflict(act), act.act, reason="they were asked")
                case "correct":
                    self._correct(memory, claim, act)
                case _:
                    getattr(memory, act.act)(claim, reason="they said so")
        except HeedfulError as error:
            self.refused[f"{act.act} {act.target} at {act.known_at}"] = error.code

    def _correct(self, memory: Memory, claim: str, act: Done) -> None:
        said = act.said
        assert said is not None
        start, end = (None if each is None else format_time(each) for each in (said.start, said.end))
        words = said.origin.text
        done = memory.correct(claim, said.value, statement=words, reason="it was wrong", since=start, until=end)
        assert done.correction_id is not None
        assert done.record_id is not None
        self._note(said.name, done.correction_id, done.record_id)

    def _conflict(self, act: Done) -> str:
        """The open conflict of the two claims."""
        asked = [each.rstrip("'") for each in (act.target, act.other)]
        found = self.memory().conflicts(only_open=True).conflicts
        names = ([self.name_of(each.a), self.name_of(each.b)] for each in found)
        pairs = zip(found, names, strict=True)
        # What the product did otherwise before has no such question: the refusal is told as a difference.
        return next((each.conflict_id for each, pair in pairs if pair == asked), "no such question")

    # What is believed, by what the verbs answer.

    def conflicts(self) -> list[tuple[str, ...]]:
        """Every conflict in ledger order: both assertions, rule, outcome, resolution."""
        found = self.memory().conflicts()
        assert not found.cut
        return [
            (self.name_of(each.a), self.name_of(each.b), each.because, each.outcome, each.resolution or "open")
            for each in reversed(found.conflicts)
        ]

    def name_of(self, claim: Claim) -> str:
        """The assertion that a claim, or what a split left of one, came of."""
        return self.records[claim.evidence[0]]

    def claim(self, claim_id: str) -> Claim:
        """A claim as it is now."""
        if claim_id not in self._shown:
            claim, _ = (self._reader or self.memory()).show(claim_id)
            assert isinstance(claim, Claim)
            self._shown[claim_id] = claim
        return self._shown[claim_id]

    def values(self, scope: str, at: int | None = None, known: int | None = None) -> dict[Cell, frozenset[Value]]:
        """What recall finds of each cell of a scope, normalised: now, or at a valid and a known instant."""
        packet = (self._reader or self.memory()).recall(
            "What is to be known before a move?",
            action_class=ACTION_CLASS,
            scope=scope.split(","),
            as_of=None if at is None else format_time(at),
            known_at=None if known is None else format_time(known),
            budget_tokens=BUDGET_TOKENS,
        )
        asked = parse_time(packet.as_of, field="as_of").at_us
        starts: dict[str, int | None] = {}
        for item in (each for each in packet.items if each.item == "claim"):
            # The parts of a claim that was split share an item: its notes name them.
            starts |= {note.claim_id: self.claim(note.claim_id).valid_from_us for note in item.bridges}
            begins = item.valid_from
            starts[item.item_id] = None if begins is None else parse_time(begins, field="valid_from").at_us
        found: dict[Cell, set[Value]] = defaultdict(set)
        for claim_id, start in starts.items():
            claim = self.claim(claim_id)
            # A plan is told as soon as it is known: what begins later does not hold yet.
            if claim.form is not Form.PLAN or start is None or start <= asked:
                found[cell_of(claim)].add(normal(claim.value, _COMPARE[claim.property]))
        return {cell: frozenset(values) for cell, values in found.items()}


def cell_of(claim: Claim) -> Cell:
    """The cell that a claim is in."""
    lane = "fact" if claim.form in ("state", "inference") else claim.form.value
    return claim.subject, claim.property, ",".join(claim.scope.elements), lane


def compare(player: BeliefPlayer, world: World) -> Compared:
    """What product and reference hold of a world that was played, held against each other."""
    found, now = Compared(), START_US + (len(world.acts) + 1) * STEP_US
    models = {cell: Reference.of(world.of_cell(cell)) for cell in world.cells}
    cells = {name: each.cell for name, each in world.said().items()}
    conflicts: dict[Cell, list[tuple[str, ...]]] = defaultdict(list)
    for row in player.conflicts():
        conflicts[cells[row[0]]].append(row)
    for cell, model in models.items():
        model.until(now)
        rows = [
            (each.a.rstrip("'"), each.b.rstrip("'"), each.because, each.outcome, each.resolution)
            for each in model.conflicts
        ]
        found.same("conflicts", f"{cell}", conflicts[cell], rows)
    for name, claim_id in player.claims.items():
        believed = _believed(models[cells[name]].beliefs[name], now)
        found.same("claims", f"{cells[name]} {name}", _told(player.claim(claim_id), now), believed)
    _compare_values(player, world, models, found)
    refused = [code for code in player.refused.values() if code != "claim_system"]
    unheard = sum(len(model.refused) for model in models.values())
    found.same("refusals", "acts", (len(player.refused), refused), (unheard, []))
    found.same("refold", "the views", player.memory().verify(views=True).views, "equal")
    return found


def _compare_values(player: BeliefPlayer, world: World, models: dict[Cell, Reference], found: Compared) -> None:
    """Scope by scope: what is so now, was so at a valid instant, and was known of that at an earlier one."""
    random, now = Random(world.seed), START_US + (len(world.acts) + 1) * STEP_US
    for scope in dict.fromkeys(cell[2] for cell in world.cells):
        at = random.choice(world.days)
        known = START_US + random.randrange(len(world.acts)) * STEP_US + STEP_US // 2
        current, as_of, known_at = player.values(scope), player.values(scope, at), player.values(scope, at, known)
        for cell in (each for each in world.cells if each[2] == scope):
            then = Reference.of(world.of_cell(cell), known).values(cell, at)
            where = f"{cell} at {format_time(at)}"
            nothing: frozenset[Value] = frozenset()
            found.same("current values", f"{cell}", current.get(cell, nothing), models[cell].values(cell, now))
            found.same("values as of", where, as_of.get(cell, nothing), models[cell].values(cell, at))
            found.same("values known at", f"{where} known {format_time(known)}", known_at.get(cell, nothing), then)


def _told(claim: Claim, now: int) -> tuple[str, int, float, int]:
    is_over = claim.valid_to_us is not None and claim.valid_to_us <= now
    status = _STANDINGS.get(claim.status.value, claim.status.value)
    status = "ended" if status == "active" and is_over else status
    return status, _TIERS[claim.tier], round(claim.confidence, 9), claim.conflicts_lost


def _believed(one: Belief, now: int) -> tuple[str, int, float, int]:
    status = "ended" if one.status == "superseded" or (one.status == "active" and one.end <= now) else one.status
    return status, one.tier, one.confidence, one.lost


@contextmanager
def broken_rule() -> Iterator[None]:
    """Within the block the product takes a late arrival for a later word: the control of whoever compares."""
    names = vars(believe)
    sound: Callable[..., Ruling] = names["decide"]

    def broken(standing: Side, newcomer: Side, *, equal: bool) -> Ruling:
        ruling = sound(standing, newcomer, equal=equal)
        is_late = ruling.because is Because.LATE_ARRIVAL
        return replace(ruling, resolution=Resolution.B_WINS, because=Because.LATER_WORD) if is_late else ruling

    names["decide"] = broken
    try:
        yield
    finally:
        names["decide"] = sound
