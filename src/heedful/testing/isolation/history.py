"""Histories: what everybody did in a world, in order; a seed alone makes it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from heedful.testing.isolation.heard import Heard
from heedful.testing.isolation.people import PEOPLE, RANKS, REQUESTERS, SCOPES, Person
from heedful.testing.isolation.statements import make_statement
from heedful.testing.isolation.steps import (
    HOME,
    OTHERS,
    STEPS,
    STEPS_MAX,
    Made,
    Step,
    Target,
    Verb,
    World,
    kind_of,
)
from heedful.testing.isolation.texts import ACTIONS, CLASSES, KINDS, QUESTIONS, TASK_CLASSES, sentence
from heedful.testing.isolation.unseen import is_beyond, is_torn, said_again

ONE_VALUED = ("on-call.contact", "release.version-policy", "rollback.plan")
"""Kinds whose claims of one subject contradict each other."""
SEEN = {"text": "seen"}
SOURCES: dict[Made, Verb] = {"claim": "remember", "record": "remember", "verdict": "judge", "packet": "recall"}


def make_world(seed: int, *, steps_max: int = STEPS_MAX) -> World:
    """The world of this seed, of at most so many steps; the same seed with another maximum may be another world."""
    return _Maker(seed).world(steps_max)


class _Maker:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.seed = seed
        # Kinds are denied to few, and each fault of that is to show early.
        self.requester = self.rng.choice((*REQUESTERS, *(each for each in REQUESTERS if each.denied)))
        self.steps: list[Step] = []
        self.coming: list[Step] = []
        self.bounds: tuple[tuple[str, ...], str] | None = None
        if self.rng.random() < 0.2:
            own = [scope for scope in SCOPES if scope and self.requester.may_read(scope)]
            rank = self.rng.choice(RANKS[: RANKS.index(self.requester.clearance) + 1])
            self.bounds = (self.rng.choice(own), rank)
        self.heard = Heard(seed, self.requester)

    def world(self, steps_max: int) -> World:
        count = min(steps_max, self.rng.choice(STEPS))
        asked_from = count * 2 // 5
        for number in range(1, count + 1):
            is_asked = number > asked_from and self.rng.random() < 0.6
            self.steps.append(replace(self._asked(number), is_asked=True) if is_asked else self._done(number))
        return World(
            self.seed,
            self.requester,
            self.rng.choice(("advisory", "advisory", "hidden")),
            self.rng.random() < 0.7,
            self.rng.choice(("ngrams", "ngrams", "ngrams", "none")),
            self.rng.choice(("linear", "linear", "tiered")),
            self.bounds,
            self.heard.is_there,
            tuple(self.steps),
        )

    def _done(self, number: int) -> Step:
        rng = self.rng
        if self.coming:
            return replace(self.coming.pop(0), number=number)
        said = self.heard.said(number, self.steps)
        if said is not None:
            heard, self.coming = said
            return heard
        tenant = rng.choice(OTHERS) if rng.random() < 0.1 else HOME
        verb: Verb = rng.choices(
            ("remember", "approve", "reject", "judge", "recall", "outcome", "mode", "import"),
            (56, 15, 5, 9, 4, 2, 3, 6),
        )[0]
        if verb in ("approve", "reject", "outcome"):
            step = self._on_something(number, tenant, verb)
            if step is not None:
                return step
            verb = "remember"
        if verb == "mode":
            return self._mode(number, tenant)
        if verb == "recall":
            return self._recall(number, tenant, self._somebody())
        if verb == "judge":
            return self._judge(number, tenant, self._somebody())
        if verb == "import":
            return self._import(number, tenant)
        step = self._rival(number) or self._remember(number, tenant, None)
        if step.claim_rank is not None and rng.random() < 0.7:
            self.coming = self._reviewed(step)
        return step

    def _reviewed(self, step: Step) -> list[Step]:
        """What makes the claim active, and sometimes takes it away again."""
        claim, record = Target("claim", step.number), Target("record", step.number)
        reviewers = [person for person in PEOPLE[:3] if person is not step.person][:2]
        steps = [Step(0, step.tenant, person, "approve", target=claim, fields=SEEN) for person in reviewers]
        if self.rng.random() < 0.25:
            ends = self.rng.choice((claim, record))
            steps.append(Step(0, step.tenant, PEOPLE[1], "reject", target=ends, fields=SEEN))
        return steps

    def _rival(self, number: int) -> Step | None:
        """A claim that says something else of the same as one that the requester sees, mostly hidden from them."""
        rng = self.rng
        before = [
            step
            for step in self.steps
            if step.fields.get("kind") in ONE_VALUED
            and self.requester.may_see(step.scope, step.claim_rank or "normal")
            and not self.requester.denies(kind_of(step))
        ]
        if not before or rng.random() < 0.35:
            return None
        step = rng.choice(before)
        values = next(values for kind, _, values in KINDS if kind == step.fields["kind"])
        others = [f"{value}" for value in values or () if f"{value}" != step.fields["value"]]
        fields = step.fields | {"value": rng.choice(others), "source_ref": None}
        rank = rng.choice(("normal", "sensitive", "restricted", "restricted"))
        return replace(step, number=number, rank=rank, claim_rank=rank, fields=fields, is_asked=False, person=PEOPLE[0])

    def _somebody(self) -> Person:
        # The owner, who sees and may do everything, does most, so that most of it can be hidden.
        return self.rng.choice((PEOPLE[0], PEOPLE[0], *PEOPLE))

    def _scope(self, *, seen_share: float = 0.5) -> tuple[str, ...]:
        rng = self.rng
        if self.bounds is not None and rng.random() < 0.3:
            return self.bounds[0]
        if rng.random() < seen_share:
            return rng.choice([scope for scope in SCOPES if self.requester.may_read(scope)])
        return rng.choice(SCOPES)

    def _remember(self, number: int, tenant: str, person: Person | None) -> Step:
        rng = self.rng
        scope = self._scope()
        if person is None:
            writers = [each for each in PEOPLE if each.may_write(scope)]
            person = rng.choice((PEOPLE[0], *writers)) if writers else PEOPLE[0]
        elif not person.may_write(scope) and rng.random() < 0.9:
            scope = rng.choice([each for each in SCOPES if person.may_write(each)])
        rank = rng.choices(RANKS, (55, 25, 20))[0]
        earlier = [step.number for step in self.steps if step.verb == "remember"]
        captured = [words for step in self.steps if step.verb == "import" for words in step.fields["messages"]]
        fields, claim_rank = make_statement(
            rng, number, person, rank, earlier=earlier, captured=captured, denying=self.requester
        )
        return Step(number, tenant, person, "remember", scope, rank, claim_rank, None, fields)

    def _on_something(self, number: int, tenant: str, verb: Verb) -> Step | None:
        """An approval, rejection or outcome by somebody else, of something that was done before in that tenant."""
        rng = self.rng
        made: Made = "verdict" if verb == "outcome" else rng.choices(("claim", "record", "verdict"), (75, 20, 5))[0]
        wanted = SOURCES[made]
        before = [
            step
            for step in self.steps
            if step.verb == wanted and step.tenant == tenant and (made != "claim" or step.claim_rank is not None)
        ]
        if not before:
            return None
        step = rng.choice(before)
        if made == "verdict" and not self.requester.sees_all_of(step.person, step.scope):
            # What comes of it is a record that the requester sees, of a verdict that they may not see.
            return None
        doers: tuple[Person, ...] = PEOPLE[:6]
        if made == "verdict":
            # Who saw all that the verdict rests on: in the other world, without that, they may do the same.
            doers = (step.person,) if verb == "outcome" else (PEOPLE[0],)
        fields: dict[str, Any] = {"text": sentence(rng, plain=True)}
        if verb == "outcome":
            fields["status"] = rng.choice(("succeeded", "failed"))
        return Step(number, tenant, rng.choice(doers), verb, (), "normal", None, Target(made, step.number), fields)

    def _import(self, number: int, tenant: str) -> Step:
        scope = self._scope()
        messages = tuple(sentence(self.rng) for _ in range(self.rng.randrange(1, 4)))
        return Step(number, tenant, PEOPLE[0], "import", scope, fields={"messages": messages})

    def _mode(self, number: int, tenant: str) -> Step:
        rng = self.rng
        fields = {
            "target": rng.choice(("deploy", "deploy.production", "deploy.freeze", "incident.changes", "pre-router")),
            "mode": rng.choice(("enforce", "enforce", "advise", "shadow", None)),
        }
        if fields["target"] == "pre-router":
            fields["mode"] = rng.choice((None, "shadow"))
        return Step(number, tenant, PEOPLE[0], "mode", fields=fields)

    def _recall(self, number: int, tenant: str, person: Person) -> Step:
        rng = self.rng
        fields: dict[str, Any] = {
            "question": rng.choice(QUESTIONS) if rng.random() < 0.6 else sentence(rng),
            "task_class": rng.choice(TASK_CLASSES),
            "impact": rng.choice(("read", "read", "propose", "execute")),
            "budget_tokens": rng.choice((4_000, 1_200, 200)),
        }
        said = [step.fields["content"] for step in self.steps if step.fields.get("kind") in ONE_VALUED]
        if said and rng.random() < 0.4:
            fields["question"] = rng.choice(said)
        if rng.random() < 0.3:
            fields["action_class"] = rng.choice(CLASSES)
        if rng.random() < 0.2:
            tool, args = rng.choice(ACTIONS)
            fields |= {"tool": tool, "args": args}
        if rng.random() < 0.2:
            fields["attributes"] = rng.choice(({"ticket": ["A-1", 7]}, {"区域": "东"}, {"ticket": True}))
        if rng.random() < 0.15:
            fields["record_types"] = (rng.choice(("message", "human_note", "document")),)
        if rng.random() < 0.15:
            fields["as_of"] = rng.choice(("2026-11-28T09:10:00Z", "2026-12-25"))
        if rng.random() < 0.1:
            fields["clearance"] = rng.choice(RANKS)
        return Step(number, tenant, person, "recall", self._scope(seen_share=0.8), fields=fields)

    def _judge(self, number: int, tenant: str, person: Person) -> Step:
        tool, args = self.rng.choice(ACTIONS)
        fields = {"tool": tool, "args": args, "text": self.rng.choice(("", *QUESTIONS))}
        packets = [step.number for step in self.steps if step.verb == "recall"]
        target = None
        if packets and person is self.requester and self.rng.random() < 0.3:
            target = Target("packet", self.rng.choice(packets))
        scope = self._scope(seen_share=0.8)
        proofs = [step.scope for step in self.steps if step.fields.get("record_type") == "verification"]
        if proofs and self.rng.random() < 0.4:
            # What was verified is asked for, in the scope of the verification.
            scope = self.rng.choice(proofs)
            fields["tool"], fields["args"] = ACTIONS[0]
        return Step(number, tenant, person, "judge", scope, target=target, fields=fields)

    def _asked(self, number: int) -> Step:
        rng, person = self.rng, self.requester
        if self.bounds is not None:
            step = self._recall(number, HOME, person)
            return replace(step, scope=self.bounds[0], fields=step.fields | {"clearance": self.bounds[1]})
        heard = self.heard.asked(number, self.steps)
        if heard is not None:
            return heard
        verb: Verb = rng.choices(
            ("recall", "judge", "remember", "why", "show", "queue", "status", "page", "approve", "reject", "outcome",
             "mode", "verify", "import"),
            (36, 12, 14, 12, 6, 12, 3, 6, 6, 3, 5, 1, 1, 1),
        )[0]  # fmt: skip
        if verb == "queue" and "reviewer" not in person.roles and rng.random() < 0.8:
            verb = "show"
        makers: dict[Verb, Callable[[], Step]] = {
            "recall": lambda: self._recall(number, HOME, person),
            "judge": lambda: self._judge(number, HOME, person),
            "remember": lambda: (
                said_again(rng, self.requester, self.steps, number) or self._remember(number, HOME, person)
            ),
            "mode": lambda: replace(self._mode(number, HOME), person=person),
            "import": lambda: replace(self._import(number, HOME), person=person),
            "page": lambda: self._page(number),
        }
        if verb in makers:
            return makers[verb]()
        if verb in ("queue", "status", "verify"):
            return Step(number, HOME, person, verb)
        return self._asked_of_something(number, verb)

    def _page(self, number: int) -> Step:
        kinds = self.rng.choice((None, ("release.freeze",), ("incident.active", "on-call.contact")))
        fields = {"limit": self.rng.randrange(1, 4), "kinds": kinds}
        return Step(number, HOME, self.requester, "page", fields=fields)

    def _asked_of_something(self, number: int, verb: Verb) -> Step:
        """A request by id: of what is the requester's to see, of what is not, and of what is nowhere."""
        rng = self.rng
        made: Made = rng.choice(("claim", "claim", "record", "verdict", "verdict", "packet"))
        if verb == "outcome":
            made = "verdict"
        before = [step.number for step in self.steps if step.verb == SOURCES[made]]
        target = Target(made, rng.choice(before) if before and rng.random() < 0.95 else 0)
        hidden = [step.number for step in self.steps if step.verb == "judge" and is_beyond(self.requester, step)]
        if hidden and made == "verdict" and rng.random() < 0.7:
            target = Target(made, rng.choice(hidden))
        torn = [step.number for step in self.steps if is_torn(self.requester, step)]
        if torn and verb != "outcome" and rng.random() < (0.9 if verb == "reject" else 0.4):
            target = Target("record", rng.choice(torn))
        guessed = [
            step.number for step in self.steps if step.is_asked and step.verb == "remember" and not kind_of(step)
        ]
        if self.requester.denied and guessed and verb in ("why", "show") and rng.random() < 0.3:
            target = Target("record", rng.choice(guessed))
        fields = {"status": "succeeded", "text": "done"} if verb == "outcome" else {"text": "as I see it"}
        return Step(number, HOME, self.requester, verb, target=target, fields=fields)
