"""Worlds of runs, asked: what the requester asks of runs, and adds to them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from heedful.testing.isolation import run_texts as texts
from heedful.testing.isolation.people import Person
from heedful.testing.isolation.steps import HOME, Step, Target, Verb

STAGING, PRODUCTION = ("environment:staging", "project:payments"), ("environment:production", "project:payments")
PLACES: tuple[tuple[tuple[str, ...], int], ...] = (
    (STAGING, 8),
    (PRODUCTION, 2),
    (("project:payments",), 3),
    (("project:payments2",), 1),
    (("project:pay",), 1),
    (("team:sre",), 1),
    (("project:payments", "user:dan"), 1),
    ((), 1),
)
"""Scopes and how often a run is in each."""
_SOON = 4
"""Minutes after a verdict within which its permit is most often used."""


class Asking:
    """The requester of a world of runs, of which the steps so far are known.

    Attributes:
        places: run -> how many records are in it.
        home: where most is done.
        bounds: see World.
    """

    rng: random.Random
    requester: Person
    steps: list[Step]
    places: Counter[str]
    home: tuple[str, ...]
    bounds: tuple[tuple[str, ...], str] | None

    @staticmethod
    def time_of(number: int) -> str:
        """When the step of this number is, ISO 8601."""
        return f"2026-11-28T{9 + number // 60:02d}:{number % 60:02d}:00Z"

    def record(
        self, fields: dict[str, Any], run: str, tenant: str, person: Person, scope: tuple[str, ...], rank: str
    ) -> Step:
        """What is remembered as the next thing in the run; mostly of that classification."""
        rng = self.rng
        self.places[run] += 1
        given = {"consent": "denied" if rng.random() < 0.04 else "implicit", "source_ref": None} | fields
        given |= {"run_id": run, "sequence": self.places[run]}
        if given["record_type"] == "action" and rng.random() < 0.5:
            given["source_ref"] = rng.choice(("s/1", "s/2"))
        own = "restricted" if rng.random() < 0.08 else rank
        return Step(0, tenant, person, "remember", scope, own, fields=given)

    def sees(self, step: Step) -> bool:
        """True where the requester sees the record of the step."""
        is_denied = step.fields["attributes"].get("tool") == "Probe" if "attributes" in step.fields else False
        return self.requester.may_see(step.scope, step.rank) and not (
            is_denied and self.requester.denies("health.probe")
        )

    def asked(self, number: int) -> Step:
        """What the requester asks, or does, now."""
        rng, person = self.rng, self.requester
        judged = [step for step in self.steps if step.verb == "judge" and step.is_asked]
        if judged and number - judged[-1].number <= _SOON and rng.random() < 0.5:
            return self._redeem(number)
        makers: dict[str, tuple[Callable[[int], Step], int]] = {
            "recall": (self._recall, 14),
            "state": (self._state, 20),
            "flow": (self._flow, 10),
        }
        if self.bounds is None:
            makers |= {
                "causes": (self._causes, 16),
                "mine": (lambda at: Step(at, HOME, person, "mine", self._scope()), 8),
                "gotchas": (lambda at: Step(at, HOME, person, "gotchas", self._scope()), 9),
                "judge": (self._judge, 9),
                "redeem": (self._redeem, 6),
                "queue": (lambda at: Step(at, HOME, person, "queue"), 7),
                "why": (self._of_item, 8),
                "approve": (self._reviewed, 4),
                "remember": (self._own, 7),
            }
        name = rng.choices(list(makers), [weight for _, weight in makers.values()])[0]
        return makers[name][0](number)

    def _scope(self) -> tuple[str, ...]:
        if self.bounds is not None:
            return self.bounds[0]
        own = [scope for scope, _ in PLACES if scope and self.requester.may_read(scope)]
        if self.rng.random() < 0.1 or not own:
            return self.rng.choice([scope for scope, _ in PLACES if scope])
        return self.home if self.rng.random() < 0.7 else self.rng.choice(own)

    def _recall(self, number: int) -> Step:
        rng = self.rng
        question, task_class = rng.choice(texts.QUESTIONS)
        fields: dict[str, Any] = {"question": question, "impact": rng.choice(("read", "read", "propose", "execute"))}
        if rng.random() < 0.8:
            fields["task_class"] = task_class
        if self.bounds is not None:
            fields["clearance"] = self.bounds[1]
        return Step(number, HOME, self.requester, "recall", self._scope(), fields=fields)

    def _state(self, number: int) -> Step:
        rng = self.rng
        fields: dict[str, Any] = {
            "subject": rng.choice((texts.POD, texts.POD, texts.SERVICE)),
            "history": rng.random() < 0.6,
        }
        for axis in ("as_of", "known_at"):
            if rng.random() < 0.45:
                fields[axis] = self.time_of(rng.randrange(1, number + 1))
        scope = self._scope() if self.bounds is not None or rng.random() < 0.4 else ()
        return Step(number, HOME, self.requester, "state", scope, fields=fields)

    def _causes(self, number: int) -> Step:
        rng = self.rng
        if rng.random() < 0.4:
            fields = {"subject": "deployment/web"} | ({"at": self.time_of(number - 5)} if rng.random() < 0.3 else {})
            return Step(number, HOME, self.requester, "causes", self._scope(), fields=fields)
        return replace(self._of_item(number), verb="causes")

    def _of_item(self, number: int) -> Step:
        """A record by its id: one of those that may be causes, the requester's to see or not."""
        rng = self.rng
        verb: Verb = rng.choice(("why", "show"))
        before = [step for step in self.steps if step.verb == "remember" and step.tenant == HOME]
        verdicts = [step.number for step in self.steps if step.verb == "judge"]
        if verdicts and rng.random() < 0.3:
            return Step(number, HOME, self.requester, verb, target=Target("verdict", rng.choice(verdicts)))
        seen = [step for step in before if self.sees(step)]
        chosen = rng.choice(seen if seen and rng.random() < 0.7 else before) if before else None
        return Step(number, HOME, self.requester, verb, target=Target("record", chosen.number if chosen else 0))

    def _flow(self, number: int) -> Step:
        rng = self.rng
        fields = {
            "what": rng.choice(("list", "show", "next", "next", "next", "next")),
            "run": rng.choice(texts.SHIPPING),
        }
        return Step(number, HOME, self.requester, "flow", self._scope(), fields=fields)

    def _judge(self, number: int) -> Step:
        rng = self.rng
        tool, args = rng.choice((texts.SHIP, texts.ROLL))
        run = rng.choice((None, *texts.SHIPPING))
        return Step(
            number, HOME, self.requester, "judge", self._scope(), fields={"tool": tool, "args": args, "run": run}
        )

    def _redeem(self, number: int) -> Step:
        judged = [step for step in self.steps if step.verb == "judge" and step.is_asked]
        if not judged:
            return self._judge(number)
        step = judged[-1] if self.rng.random() < 0.6 else self.rng.choice(judged)
        return replace(step, number=number, verb="redeem", target=Target("verdict", step.number))

    def _reviewed(self, number: int) -> Step:
        rng = self.rng
        verb: Verb = rng.choice(("approve", "reject"))
        mined = [step for step in self.steps if step.verb in ("mine", "gotchas")]
        if mined and rng.random() < 0.6:
            step = rng.choice(mined)
            target = Target("proposal" if step.verb == "mine" else "gotcha", step.number)
            return Step(number, HOME, self.requester, verb, target=target, fields={"text": "as I see it"})
        return replace(self._of_item(number), verb=verb, fields={"text": "as I see it"})

    def _own(self, number: int) -> Step:
        """What the requester adds to a run, maybe among steps that they do not see."""
        rng = self.rng
        own = [scope for scope, _ in PLACES if self.requester.may_write(scope)]
        make = rng.choice((texts.failed, texts.pods_seen, texts.changed, texts.noticed, texts.succeeded))
        step = self.record(
            make(rng), rng.choice(texts.RUNS), HOME, self.requester, rng.choice(own or [STAGING]), "normal"
        )
        step.fields["occurred_at"] = self.time_of(number - 1)
        return replace(step, number=number)
