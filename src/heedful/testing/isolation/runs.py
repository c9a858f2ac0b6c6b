"""Worlds of runs: what agents do and see, in runs of several labels, and what is asked of it by the newer verbs.

States on both time axes, causes, mined gotchas and workflows, workflows that are followed at the gate, permits, the
review queue. Hidden steps stand in the same runs, on the same subjects, and name the same things as those that are
seen.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from heedful.testing.isolation import run_texts as texts
from heedful.testing.isolation.people import PEOPLE, RANKS, REQUESTERS
from heedful.testing.isolation.runs_asked import PLACES, STAGING, Asking
from heedful.testing.isolation.steps import HOME, OTHERS, STEPS_MAX, Step, Target, Verb, World

STEPS = (50, 80)
ASKED_FROM = 0.4
_MINUTES_BACK = 9


def make_run_world(seed: int, *, steps_max: int = STEPS_MAX) -> World:
    """The world of this seed, of at most so many steps."""
    return _Maker(seed).world(steps_max)


class _Maker(Asking):
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(f"runs {seed}")
        self.seed = seed
        at_home = [each for each in REQUESTERS if each.may_read(STAGING)]
        reviewers = [each for each in at_home if "reviewer" in each.roles]
        self.requester = self.rng.choice((*at_home, *reviewers, *reviewers, *REQUESTERS))
        self.steps: list[Step] = []
        self.coming: list[Step] = []
        self.places: Counter[str] = Counter()
        own = [scope for scope, _ in PLACES if scope and self.requester.may_read(scope)]
        # Most is done in one place, so that it comes again there.
        self.home = STAGING if STAGING in own and self.rng.random() < 0.6 else self.rng.choice(own or [STAGING])
        self.bounds = (self.rng.choice(own), self.requester.clearance) if own and self.rng.random() < 0.15 else None

    def world(self, steps_max: int) -> World:
        rng = self.rng
        count = min(steps_max, rng.choice(STEPS))
        for number in range(1, count + 1):
            is_asked = number > count * ASKED_FROM and rng.random() < 0.6
            self.steps.append(replace(self.asked(number), is_asked=True) if is_asked else self._done(number))
        return World(
            seed=self.seed,
            requester=self.requester,
            unreviewed=rng.choice(("advisory", "hidden")),
            auto_approve=rng.random() < 0.5,
            embedder=rng.choice(("ngrams", "none", "none")),
            scorer=rng.choice(("linear", "tiered")),
            bounds=self.bounds,
            has_router=False,
            steps=tuple(self.steps),
            is_of_runs=True,
        )

    def _done(self, number: int) -> Step:
        rng = self.rng
        if not self.coming:
            self.coming = self._twice(number) or self._on_others(number) or self._run_goes_on()
        step = replace(self.coming.pop(0), number=number)
        if step.verb == "remember":
            step.fields["occurred_at"] = self.time_of(number - rng.randrange(_MINUTES_BACK))
        return step

    def _run_goes_on(self) -> list[Step]:
        """A few steps of one run, nearly all of one label."""
        rng = self.rng
        scope = self.home
        if rng.random() < 0.35:
            scope = rng.choices([scope for scope, _ in PLACES], [weight for _, weight in PLACES])[0]
        rank = rng.choices(RANKS, (60, 15, 25))[0]
        run = rng.choice(texts.RUNS if rng.random() < 0.95 else texts.SHIPPING)
        tenant = rng.choice(OTHERS) if rng.random() < 0.1 else HOME
        writers = [each for each in PEOPLE if each.may_write(scope) and each.channel == "person"]
        person = rng.choice((PEOPLE[0], PEOPLE[0], *writers))

        def ships() -> list[dict[str, Any]]:
            nonlocal run
            run = rng.choice(texts.SHIPPING)
            tests = [texts.verified(rng, "web.tests")] if rng.random() < 0.6 else []
            rest = [each for tool in ("Ship", "Roll") for each in (texts.call_of(rng, run, tool), texts.verified(rng))]
            return [*tests, *rest]

        blocks: tuple[tuple[Callable[[], list[dict[str, Any]]], int], ...] = (
            (ships, 4),
            (lambda: [texts.failed(rng)], 7),
            (lambda: [texts.succeeded(rng)], 3),
            (lambda: [texts.pods_seen(rng)], 6),
            (lambda: [texts.probed(rng)], 3),
            (lambda: [texts.changed(rng), texts.noticed(rng)], 4),
            (lambda: [texts.noticed(rng)], 2),
        )
        made = rng.choices([make for make, _ in blocks], [weight for _, weight in blocks])[0]()
        return [self.record(each, run, tenant, person, scope, rank) for each in made]

    def _twice(self, number: int) -> list[Step]:
        """What takes two to show, and is hidden more often than not: a change and what made it, a lesson, its end."""
        rng, owner = self.rng, PEOPLE[0]
        if rng.random() < 0.8:
            return []
        rank = rng.choice(("restricted", "restricted", "normal"))
        if rng.random() < 0.35:
            run = rng.choice(texts.RUNS)
            before, after = rng.sample(texts.PODS, 2)
            shown = texts.pods_shown(before), texts.changed(rng), texts.pods_shown(after)
            labelled = zip(shown, ("normal", rank, "normal"), strict=True)
            return [replace(self.record(each, run, HOME, owner, self.home, rank), rank=own) for each, own in labelled]
        verb: Verb = rng.choice(("mine", "gotchas"))
        runs = f"{number}-a", f"{number}-b"

        def kept(fields: dict[str, Any], run: str) -> Step:
            return self.record(fields, run, HOME, owner, self.home, rank)

        learned = Step(0, HOME, owner, verb, self.home, fields={"is_shown": False})
        if verb == "mine":
            done = [kept(each, run) for run in runs for each in texts.shipped(rng, run)]
            return [*done, learned] if rank != "normal" else done
        failures = [kept(texts.FAILED, run) for run in runs]
        if rank == "normal":
            return failures
        over = kept(texts.OVER, f"{number}-c")
        return [*failures, learned, *((over, learned) if rng.random() < 0.6 else ())]

    def _on_others(self, number: int) -> list[Step]:
        """A review, or mining by who sees everything."""
        rng = self.rng
        if number < 8 or rng.random() < 0.75:
            return []
        if rng.random() < 0.5:
            return self._mining()
        before = [step for step in self.steps if step.verb == "remember" and step.tenant == HOME]
        if not before:
            return []
        verb: Verb = rng.choice(("approve", "approve", "reject"))
        if verb == "approve":
            before = [step for step in before if _tells_state(step)] or before
        step = rng.choice(before[-8:])
        # Where the requester sees the record and is denied the state, there is nothing else to be done it to.
        target = Target("record" if verb == "reject" else "claim", step.number)
        return [Step(0, HOME, PEOPLE[1], verb, target=target, fields={"text": "seen"})]

    def _mining(self) -> list[Step]:
        rng = self.rng
        verb: Verb = rng.choice(("mine", "gotchas"))
        scope = rng.choice([step.scope for step in self.steps if step.verb == "remember" and step.scope] or [self.home])
        is_within = (
            (lambda step: step.scope == scope) if verb == "gotchas" else (lambda step: {*step.scope} <= {*scope})
        )
        of_scope = [step for step in self.steps if step.verb == "remember" and step.tenant == HOME and is_within(step)]
        if not of_scope:
            return []
        return [Step(0, HOME, PEOPLE[0], verb, scope, fields={"is_shown": all(map(self.sees, of_scope))})]


def _tells_state(step: Step) -> bool:
    return step.fields.get("attributes", {}).get("tool") in ("Bash", "Probe")
