"""The differential: a world whole, the same world without what its requester may not see, and where answers differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from heedful.ports.store import Store
from heedful.testing.isolation.history import make_world
from heedful.testing.isolation.people import stricter
from heedful.testing.isolation.play import Noted, Played, play
from heedful.testing.isolation.steps import HOME, OF_CLAIM, STEPS_MAX, Step, World
from heedful.testing.isolation.texts import KINDS

LEAST = {kind: rank for kind, rank, _ in KINDS}
"""Kind -> its least classification."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first answer that what the requester may not see has changed.

    Attributes:
        step: the request; None where one world answered requests that the other did not.
        whole, without: the answer in the world as it is, and in the one without.
    """

    world: World
    step: Step | None
    whole: bytes
    without: bytes

    def __str__(self) -> str:
        """What was asked, and both answers from shortly before the first byte that differs."""
        start = next(
            (place for place, pair in enumerate(zip(self.whole, self.without, strict=False)) if pair[0] != pair[1]), 0
        )
        cut = slice(max(0, start - 160), start + 240)
        world = self.world
        asked = (
            f"seed {world.seed} of {len(world.steps)} steps, {world.requester.name}, bounds {world.bounds}, {self.step}"
        )
        return f"{asked}\n  whole:   {self.whole[cut]!r}\n  without: {self.without[cut]!r}"


@dataclass(frozen=True, slots=True)
class Compared:
    """What a seed's two worlds showed.

    Attributes:
        answers: how many answers were compared.
        hidden: how many of the whole world's steps the other was played without, or with less.
    """

    answers: int
    hidden: int
    difference: Difference | None


_DONE_TO_IT = frozenset(
    {"approve", "reject", "outcome", "correct", "retract", "confirm", "pin", "unpin", "answer", "forget", "hold"}
)
"""Verbs that are done to an item: where it is not seen, nothing is left of the step."""


def compare_worlds(
    seed: int,
    whole_store: Store,
    other_store: Store,
    *,
    named: str,
    steps_max: int = STEPS_MAX,
    make: Callable[..., World] = make_world,
) -> Compared:
    """The comparison of this seed's worlds, as `make` makes them. The stores stay open; `named` is new to both of them.

    Raises:
        UnavailableError, BusyError: a store gave no answer.
    """
    world = make(seed, steps_max=steps_max)
    whole = play(world, world.steps, whole_store, named=named)
    steps = without_the_invisible(world, whole)
    other = play(world, steps, other_store, named=named, ids=whole.ids)
    as_they_were = set(map(id, steps))
    hidden = sum(id(step) not in as_they_were for step in world.steps)
    return Compared(len(whole.answers), hidden, _first_difference(world, whole, other))


def _first_difference(world: World, whole: Played, other: Played) -> Difference | None:
    sees = _Sight(world, whole)
    for step in world.steps:
        if sees.was_told_more(step):
            break
        answers = whole.answers.get(step.number, b""), other.answers.get(step.number, b"")
        if answers[0] != answers[1]:
            return Difference(world, step, *answers)
    return None


def without_the_invisible(world: World, whole: Played) -> tuple[Step, ...]:
    """The steps that are left where everything that the requester may not see never was.

    Somebody of the same tenant still comes, and does nothing: claims are noted as expired when a session begins, so the
    time of that note tells that somebody came, and not who or what for.
    """
    sees = _Sight(world, whole)
    of_home = (step for step in world.steps if step.tenant == HOME)
    return tuple(sees.left_of(step) or replace(step, verb="idle") for step in of_home)


class _Sight:
    """What the requester sees of a world, by the reference model of its policy."""

    def __init__(self, world: World, whole: Played) -> None:
        self.world = world
        self.steps = {step.number: step for step in world.steps}
        self.whole = whole
        self.records = {record_id: self.steps[at] for (made, at), record_id in whole.ids.items() if made == "record"}
        self.claims: dict[str, tuple[Step, Noted]] = {}
        for number, notes in whole.notes.items():
            for note in notes:
                self.claims.setdefault(note.claim_id, (self.steps[number], note))

    def left_of(self, step: Step) -> Step | None:
        """The step itself, what is left of it, or None."""
        if step.is_asked or (self.world.bounds is None and step.person is self.world.requester):
            return step
        match step.verb:
            case "remember":
                return self._left_of_statement(step)
            case "import":
                return self._left_of_words(step)
            case "judge":
                return step if self._sees_verdict(step) else None
            case verb if verb in _DONE_TO_IT:
                return step if self._sees_target(step) else None
            case "task_add" | "task_done" | "task_end":
                return step if self._sees(step.scope, step.rank) else None
            case "mode" | "release" | "erase":
                return step
            case "mine" | "gotchas":
                return step if step.fields["is_shown"] else None
            case _:
                return None

    def was_told_more(self, step: Step) -> bool:
        """True where somebody who sees more mined what the requester sees, of what they do not see all of.

        What that one would have mined without the rest is not known, so no later answer is compared.
        """
        if step.verb not in ("mine", "gotchas") or step.is_asked or step.fields["is_shown"]:
            return False
        return any(all(map(self._sees_record, rests_on)) for rests_on in self.whole.rests_on.get(step.number, ()))

    def _sees_record(self, record_id: str) -> bool:
        on = self.records.get(record_id)
        return on is not None and not self._is_denied(on) and self._sees(on.scope, on.rank)

    def _left_of_statement(self, step: Step) -> Step | None:
        if step.fields["consent"] == "denied" or not self._sees(step.scope, step.rank) or self._is_denied(step):
            return None
        if self.world.requester.denied and step.number in self.whole.refused:
            # Nothing came of it, maybe since its reference was taken by a statement that is hidden by its kind.
            return None
        if step.claim_rank is None:
            return self._left_of_words(step)
        if self._sees(step.scope, step.claim_rank):
            return step
        if step.number in self.whole.refused:
            return None
        fields = {name: value for name, value in step.fields.items() if name not in OF_CLAIM}
        return replace(step, claim_rank=None, fields=fields)

    def _left_of_words(self, step: Step) -> Step | None:
        """The step without the claims that its words tell and the requester is not cleared for."""
        if not self._sees(step.scope, step.rank) or self._is_denied(step):
            return None
        deaf = [note.kind for note in self._notes(step) if not self._sees(step.scope, _rank(step, note))]
        return replace(step, deaf=tuple(deaf)) if deaf else step

    def _is_denied(self, step: Step) -> bool:
        """True where the step made a claim of a kind that the requester does not see: its record is hidden with it."""
        return any(self.world.requester.denies(note.kind) for note in self._notes(step))

    def _notes(self, step: Step) -> tuple[Noted, ...]:
        return self.whole.notes.get(step.number, ())

    def _sees(self, scope: tuple[str, ...], rank: str) -> bool:
        bounds = self.world.bounds
        if bounds is not None and not (set(scope) <= set(bounds[0]) and stricter(rank, bounds[1]) == bounds[1]):
            return False
        return self.world.requester.may_see(scope, rank)

    def _sees_target(self, step: Step) -> bool:
        assert step.target is not None
        on = self.steps[step.target.step]
        if step.target.made in ("gotcha", "proposal"):
            return on.fields.get("is_shown", False) or (on.person is self.world.requester and on.is_asked)
        if step.target.made == "conflict":
            pair = self.whole.pairs.get(step.target.step, ())
            return bool(pair) and all(self._sees_claim(each) for each in pair if each in self.claims)
        if step.target.made == "verdict":
            return self.left_of(on) is not None and self._sees(on.scope, "normal")
        if self.world.bounds is None and on.person is self.world.requester:
            return True
        if step.target.made == "claim":
            return any(self._sees_claim(note.claim_id) for note in self._notes(on)[:1])
        return not self._is_denied(on) and self._sees(on.scope, on.rank)

    def _sees_verdict(self, step: Step) -> bool:
        """True where the requester may see what the verdict rests on, as the product has noted that."""
        if self.world.bounds is not None:
            return True  # there only recalls are asked for
        verdict = self.whole.verdicts.get(step.number)
        if verdict is None or not self._sees(step.scope, "normal"):
            return False
        cited = [each["claim_id"] for each in verdict["rulings"] if each["claim_id"] is not None]
        rests_on_seen = all(
            self._sees(tuple(each["scope"]), each["classification"]) and self._sees_kinds(each)
            for each in verdict["basis"]
        )
        return rests_on_seen and all(map(self._sees_claim, cited))

    def _sees_kinds(self, label: dict[str, Any]) -> bool:
        requester = self.world.requester
        if "kinds_but" in label:
            return requester.sees_kinds_of(label["kinds_but"])
        return not any(requester.denies(kind) for kind in label["kinds"])

    def _sees_claim(self, claim_id: str) -> bool:
        if claim_id not in self.claims:
            return False
        step, note = self.claims[claim_id]
        return not self._is_denied(step) and self._sees(step.scope, _rank(step, note))


def _rank(step: Step, note: Noted) -> str:
    """The classification of a claim by its label's own rules; that of what says that another is over is the product's.

    Were that too low, the second world would be without it.
    """
    if note.is_end and step.claim_rank is None:
        return note.rank
    return step.claim_rank or stricter(step.rank, LEAST.get(note.kind, "normal"))
