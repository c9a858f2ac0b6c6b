"""Worlds of disputes: people contradict each other, put each other right, answer, and keep tasks; the newer verbs.

Conflicts, provenance, questions, diagnosis, the two times and why are asked for. Of most that is seen, something hidden
says otherwise.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from heedful.testing.isolation.people import AUDITORS, PEOPLE, RANKS, REQUESTERS, SCOPES, Person, stricter
from heedful.testing.isolation.steps import HOME, STEPS_MAX, Made, Step, Target, Verb, World, kind_of

STEPS = (40, 60)
ASKED_FROM = 0.3
VALUES = {
    "on-call.contact": ("ana", "bob", "cyd"),
    "rollback.plan": ("blue", "green", "red"),
    "release.version-policy": ("semver", "calver"),
}
"""Kinds of one value for one subject, and the values."""
SUBJECTS = ("user:dan", "user:bob", "user:cyd", "user:pat", "project:payments")
_SINCE = ("2026-11-01", "2026-11-28T09:05:00Z", "2026-11-28T09:20:00Z", "2026-12-24")
_UNTIL = ("2026-11-28T09:15:00Z", "2026-11-28T09:40:00Z", "2026-12-31")
_AT_TASK = ("task:42", "task:43")
_ENDS: tuple[Verb, ...] = ("correct", "correct", "retract", "confirm", "pin", "unpin")


def make_dispute_world(seed: int, *, steps_max: int = STEPS_MAX) -> World:
    """The world of this seed, of at most so many steps."""
    return _Maker(seed).world(steps_max)


class _Maker:
    def __init__(self, seed: int) -> None:
        self.rng = rng = random.Random(f"disputes {seed}")
        self.seed = seed
        reviewers = [each for each in REQUESTERS if "reviewer" in each.roles]
        of_tasks = [each for each in REQUESTERS if each.may_read(_AT_TASK[:1])]
        pool = rng.choice((REQUESTERS, reviewers, of_tasks, AUDITORS, [each for each in REQUESTERS if each.denied]))
        self.requester = rng.choice(list(pool))
        self.steps: list[Step] = []
        self.coming: list[Step] = []
        own = [scope for scope in SCOPES if scope and self.requester.may_read(scope)]
        self.home = rng.choice(own)
        self.subject = rng.choice(
            (*SUBJECTS, "project:payments", "project:payments", f"user:{self.requester.name.partition(':')[2]}")
        )

    def world(self, steps_max: int) -> World:
        rng = self.rng
        count = min(steps_max, rng.choice(STEPS))
        for number in range(1, count + 1):
            is_asked = number > count * ASKED_FROM and rng.random() < 0.55
            self.steps.append(replace(self._asked(number), is_asked=True) if is_asked else self._done(number))
        return World(
            seed=self.seed,
            requester=self.requester,
            unreviewed=rng.choice(("advisory", "hidden")),
            auto_approve=rng.random() < 0.7,
            embedder="none",
            scorer=rng.choice(("linear", "tiered")),
            bounds=None,
            has_router=False,
            steps=tuple(self.steps),
            is_of_disputes=True,
        )

    def _done(self, number: int) -> Step:
        rng = self.rng
        if self.coming:
            return replace(self.coming.pop(0), number=number)
        makers: tuple[tuple[Callable[[int], Step | None], int], ...] = (
            (self._rival, 40),
            (self._override, 18),
            (self._answered, 8),
            (self._rejected, 14),
            (self._task, 8),
        )
        make = rng.choices([make for make, _ in makers], [weight for _, weight in makers])[0]
        step = make(number) or self._told(number, None)
        if step.verb == "remember" and rng.random() < 0.6:
            self.coming = [
                Step(0, HOME, person, "approve", target=Target("claim", number), fields={"text": "seen"})
                for person in PEOPLE[:3]
                if person is not step.person
            ][:2]
        return step

    def _claims(self) -> list[Step]:
        return [step for step in self.steps if step.verb == "remember"]

    def _sees(self, step: Step) -> bool:
        rank = step.claim_rank or "normal"
        return self.requester.may_see(step.scope, rank) and not self.requester.denies(kind_of(step))

    def _told(self, number: int, speaker: Person | None) -> Step:
        """A claim of one value; some rest on one that was told before."""
        rng = self.rng
        scope = self.home if rng.random() < 0.8 else rng.choice(SCOPES)
        writers = [each for each in PEOPLE if each.may_write(scope)]
        person = speaker or rng.choice((PEOPLE[0], PEOPLE[0], *writers))
        if not person.may_write(scope):
            scope = rng.choice([each for each in SCOPES if person.may_write(each)] or [scope])
        rank = rng.choices(RANKS, (50, 25, 25))[0]
        kind = rng.choice(list(VALUES))
        fields: dict[str, Any] = {
            "kind": kind,
            "subject": self.subject if rng.random() < 0.7 else rng.choice(SUBJECTS),
            "value": rng.choice(VALUES[kind]),
            "consent": rng.choice(("implicit", "explicit", "explicit")),
            "source_ref": None,
            "grade": "agent" if person.channel == "agent" else "user",
        }
        claim_rank = rank if rng.random() < 0.85 else stricter(rank, rng.choice(RANKS))
        grounds = [step for step in self._claims() if kind_of(step) == kind or not self.requester.denies(kind_of(step))]
        if grounds and rng.random() < 0.3:
            ground = rng.choice(grounds[-12:])
            if ground.claim_rank is not None:
                fields["rests_on"] = ground.number
                claim_rank = stricter(rank, ground.claim_rank)
                if rng.random() < 0.8:
                    scope = ground.scope
        claim_rank = claim_rank if "rests_on" in fields else rank
        return self._said(Step(number, HOME, person, "remember", scope, rank, claim_rank, None, fields))

    def _said(self, step: Step) -> Step:
        """With its words, and the stretch of time in which it holds."""
        rng, fields = self.rng, dict(step.fields)
        fields.pop("since", None)
        fields.pop("until", None)
        if rng.random() < 0.3:
            fields["since"] = rng.choice(_SINCE)
        if rng.random() < 0.2:
            fields["until"] = rng.choice(_UNTIL)
        fields["content"] = f"The {fields['kind']} of {fields['subject']} is {fields['value']}"
        return replace(step, fields=fields)

    def _rival(self, number: int) -> Step | None:
        """Somebody says the same, or otherwise, of what was told before; often what the requester does not see."""
        rng = self.rng
        before = [step for step in self._claims() if self._sees(step) or rng.random() < 0.4]
        if not before:
            return None
        step = rng.choice(before[-8:])
        writers = [each for each in PEOPLE if each.may_write(step.scope) and each.channel == "person"]
        fields = {name: each for name, each in step.fields.items() if name != "rests_on"}
        fields |= {"value": rng.choice(VALUES[fields["kind"]]), "grade": "user"}
        rank = step.rank if rng.random() < 0.65 else rng.choice(RANKS)
        person = rng.choice((PEOPLE[0], *writers))
        made = replace(step, number=number, rank=rank, claim_rank=rank, fields=fields, person=person, is_asked=False)
        return self._said(made)

    def _override(self, number: int, person: Person | None = None) -> Step | None:
        rng = self.rng
        before = self._claims() + [step for step in self.steps if step.verb == "correct"]
        if person is not None and rng.random() < 0.8:
            before = [step for step in before if step.verb == "remember" and self._sees(step)]
        if not before:
            return None
        on = rng.choice(before[-10:])
        about = str(on.fields.get("subject", "")).partition(":")[2]
        own = [each for each in PEOPLE if each.name == f"person:{about}"]
        verb = rng.choice(_ENDS)
        fields: dict[str, Any] = {}
        if verb == "correct":
            kind = on.fields.get("kind", "on-call.contact")
            fields = {"value": rng.choice(VALUES[kind])}
            fields["statement"] = f"The {kind} is {fields['value']}"
            if rng.random() < 0.35:
                fields["since"] = rng.choice(_SINCE[:3])
            if rng.random() < 0.25:
                fields["until"] = rng.choice(_UNTIL[:2])
        by = person or rng.choice((PEOPLE[0], PEOPLE[1], *own, *own, *own))
        target = Target("claim", on.number if on.verb == "remember" else on.target.step if on.target else 0)
        return Step(number, HOME, by, verb, target=target, fields=fields)

    def _answered(self, number: int, person: Person | None = None) -> Step | None:
        """An answer to one of the conflicts that there are then, the newer the likelier."""
        rng = self.rng
        fields = {"choice": rng.choice(("a", "b", "neither")), "back": min(rng.randrange(6), rng.randrange(6))}
        by = person or rng.choice(PEOPLE[:2])
        return Step(number, HOME, by, "answer", target=Target("conflict", number), fields=fields)

    def _rejected(self, number: int) -> Step | None:
        """Something is rejected, erased or held; what was held is released, and the job goes on."""
        before = [step.number for step in self._claims()]
        if not before:
            return None
        target = Target(self.rng.choice(("record", "claim")), self.rng.choice(before))
        verb: Verb = self.rng.choice(("reject", "forget", "forget", "hold", "release", "erase"))
        if verb == "reject":
            return Step(number, HOME, PEOPLE[1], verb, target=target, fields={"text": "seen"})
        record = Target("record", target.step) if verb in ("forget", "hold") else None
        return Step(number, HOME, PEOPLE[0], verb, target=record)

    def _task(self, number: int, person: Person | None = None) -> Step | None:
        """A part of a task, its end, or what it holds; what is hidden of one is what it rests on."""
        rng = self.rng
        task = rng.choice([each for each in _AT_TASK if person is None or rng.random() < 0.8] or _AT_TASK[:1])
        around = rng.choice((("project:payments",), ()))
        scope = tuple(sorted((*around, task)))
        fields: dict[str, Any] = {"task": task.partition(":")[2], "around": around}
        before = [step for step in self.steps if step.verb == "task_add" and step.scope == scope]
        todo = [step for step in before if step.fields["part"] == "todo"]
        verb: Verb = rng.choice(("task_add", "task_add", "task_add", "task_done", "task_end"))
        if person is not None and rng.random() < 0.5:
            verb = "task_show"
        if person is not None and not person.may_write(scope) and rng.random() < 0.9:
            return None
        by = person or PEOPLE[0]
        rank = "normal"
        if verb == "task_end" and person is None and not all(map(self._sees, before)):
            verb = "task_add"  # what becomes of what is hidden takes ids
        target = Target("claim", rng.choice(todo).number) if todo and verb == "task_done" else None
        if verb == "task_add":
            part = rng.choice(("plan", "todo", "constraint", "fact"))
            if not self.requester.may_read(scope):
                part = rng.choice(("plan", "todo"))  # a fact may leave the task by rule
            shown = [s for s in self._claims() if set(s.scope) <= set(scope) and not self.requester.denies(kind_of(s))]
            evidence = [rng.choice(shown)] if shown and part == "fact" and rng.random() < 0.8 else []
            rank = evidence[0].rank if evidence else "normal"
            fields |= {"part": part, "text": f"{part} {rng.choice('abcdef')} {number}"}
            fields["evidence"] = [step.number for step in evidence]
        elif verb == "task_done" and target is not None:
            rank = next(step.rank for step in todo if step.number == target.step)
        claim_rank = rank if verb == "task_add" else None
        return Step(number, HOME, by, verb, scope, rank, claim_rank, target, fields)

    def _asked(self, number: int) -> Step:
        rng, person = self.rng, self.requester
        if person in AUDITORS:
            return rng.choice((self._provenance, self._provenance, self._scorecard, self._diagnose))(number)
        makers: tuple[tuple[Callable[[int], Step | None], int], ...] = (
            (self._conflicts, 16),
            (self._recall, 14),
            (self._diagnose, 8),
            (self._of_item, 14),
            (lambda at: Step(at, HOME, person, "queue"), 10),
            (lambda at: self._told(at, person), 10),
            (lambda at: self._override(at, person), 12),
            (lambda at: self._answered(at, person), 7),
            (lambda at: self._task(at, person), 8),
            (self._provenance, 1),
            (self._scorecard, 1),
        )
        make = rng.choices([make for make, _ in makers], [weight for _, weight in makers])[0]
        return make(number) or self._conflicts(number)

    def _conflicts(self, number: int) -> Step:
        return Step(number, HOME, self.requester, "conflicts", fields={"only_open": self.rng.random() < 0.3})

    def _some(self, verb: Verb = "remember") -> int:
        before = [step.number for step in self.steps if step.verb == verb]
        return self.rng.choice(before) if before else 0

    def _provenance(self, number: int) -> Step:
        target = Target("claim", self._some()) if self.rng.random() < 0.4 else None
        return Step(number, HOME, self.requester, "provenance", target=target)

    def _scorecard(self, number: int) -> Step:
        must = [{"question": self._question(), "scope": list(self.home), "expects": self.rng.choice(("ana", "blue"))}]
        return Step(number, HOME, self.requester, "scorecard", fields={"must": must[: self.rng.randrange(2)]})

    def _question(self) -> str:
        told = self._claims()
        if told and self.rng.random() < 0.8:
            return str(self.rng.choice(told).fields["content"])
        return f"What is the {self.rng.choice(list(VALUES))} of {self.subject}?"

    def _recall(self, number: int) -> Step:
        rng = self.rng
        fields: dict[str, Any] = {"question": self._question(), "impact": rng.choice(("read", "read", "propose"))}
        if rng.random() < 0.4:
            fields["as_of"] = rng.choice((*_SINCE, *_UNTIL))
        return Step(number, HOME, self.requester, "recall", self.home, fields=fields)

    def _diagnose(self, number: int) -> Step:
        rng = self.rng
        packets = [step.number for step in self.steps if step.verb == "recall"]
        target = Target("packet", rng.choice(packets)) if packets and rng.random() < 0.5 else None
        said = (rng.choice(rng.choice(list(VALUES.values()))) for _ in range(3))
        text = " ".join(f"It is {each} now." for each in said)
        fields = {"question": self._question(), "text": text, "current": rng.choice((None, "cyd", "red"))}
        return Step(number, HOME, self.requester, "diagnose", self.home, target=target, fields=fields)

    def _of_item(self, number: int) -> Step:
        rng = self.rng
        verb: Verb = rng.choice(("why", "why", "show"))
        made: Made = rng.choice(("claim", "claim", "claim", "record", "packet"))
        target = Target(made, self._some("recall" if made == "packet" else "remember"))
        seen = [step.number for step in self._claims() if self._sees(step)]
        if seen and made != "packet" and rng.random() < 0.6:
            target = Target(made, rng.choice(seen))
        if rng.random() < 0.2:
            target = Target("claim", self._some("correct"))
        return Step(number, HOME, self.requester, verb, target=target)
