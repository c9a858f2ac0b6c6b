"""Heard: what people say for a router to hear, in the worlds that have one."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from heedful.testing.isolation.people import PEOPLE, RANKS, SCOPES, Person
from heedful.testing.isolation.steps import HOME, Step, Target
from heedful.testing.isolation.texts import HEARD, OVER, quiet_words

ENDED_OF = 4
"""So many of the latest that told something, one of which is said to be over, or again, or asked for."""


class Heard:
    """What is said for the router, drawn apart from the rest of a world; one world in three has any of it."""

    def __init__(self, seed: int, requester: Person) -> None:
        """Of this seed alone."""
        self.rng = random.Random(f"router {seed}")
        self.requester = requester
        self.is_there = self.rng.randrange(3) == 1

    def said(self, number: int, steps: Sequence[Step]) -> tuple[Step, list[Step]] | None:
        """What somebody says, and the reviews that follow; None: something else is done."""
        if not self.is_there or self.rng.random() < 0.3:
            return None
        step = self._step(number, steps, None)
        is_reviewed = step.verb == "remember" and self.rng.random() < 0.6
        return step, self._reviewed(step) if is_reviewed else []

    def asked(self, number: int, steps: Sequence[Step]) -> Step | None:
        """What the requester says, or asks of what was said; None: they do something else."""
        rng = self.rng
        if not self.is_there or rng.random() < 0.65:
            return None
        seen = [step for step in self._before(steps) if self.requester.may_see(step.scope, step.rank)]
        if not seen or rng.random() < 0.3:
            step = self._step(number, steps, self.requester)
            return step if self.requester.may_write(step.scope) else None
        target = Target("claim", rng.choice(seen).number)
        return Step(number, HOME, self.requester, rng.choice(("show", "why")), target=target)

    def _before(self, steps: Sequence[Step]) -> list[Step]:
        told = (step for step in steps if step.tenant == HOME and step.verb in ("remember", "import"))
        heard = [step for step in told if any(word in _words(step) for word in HEARD) and OVER not in _words(step)]
        return heard[-ENDED_OF:]

    def _step(self, number: int, steps: Sequence[Step], speaker: Person | None) -> Step:
        rng, before = self.rng, self._before(steps)
        on = rng.choice(before) if before and rng.random() < 0.7 else None
        scope = rng.choice([each for each in SCOPES if self.requester.may_read(each)])
        if on is not None and rng.random() < 0.95:
            scope = on.scope
        elif rng.random() < 0.2:
            scope = rng.choice(SCOPES)
        writers = [each for each in PEOPLE if each.may_write(scope)]
        person = speaker or rng.choice((*PEOPLE[:1] * 2 * len(writers), *writers))
        words = self._told() if on is None else self._said_of(on)
        if person is PEOPLE[0] and rng.random() < 0.1:
            return Step(number, HOME, person, "import", scope, fields={"messages": (words,)})
        rank = rng.choices(RANKS, (60, 20, 20))[0]
        return Step(number, HOME, person, "remember", scope, rank, fields=self._fields(words))

    def _told(self) -> str:
        rng = self.rng
        # What is sensitive alone or last: the ids of the rest must not follow from it.
        words = sorted(rng.sample(list(HEARD), rng.choice((1, 1, 1, 2))), key=list(HEARD).index)
        return " ".join(f"The {word} count for {quiet_words(rng, rng.randrange(2, 5))}." for word in words)

    def _said_of(self, on: Step) -> str:
        """That it is over, and sometimes something else besides; or nearly the same again, so that either is meant."""
        rng, said = self.rng, _words(on)
        if rng.random() < 0.2:
            return f"{said.rpartition(' ')[0]} {quiet_words(rng, 1)}."
        told = [word for word in HEARD if word in said]
        about = [each.strip(".") for each in said.split()]
        shared = [each for each in about if each not in (*HEARD, "The", "count", "for")]
        again = " ".join(rng.sample(shared, min(len(shared), rng.randrange(1, 4))))
        ended = " ".join(f"{word} {OVER} {again} {quiet_words(rng, 2)}." for word in told[: rng.choice((1, 2))])
        if rng.random() < 0.6:
            return ended
        denied = [word for word, kind in HEARD.items() if self.requester.denies(kind)]
        other = rng.choice(denied or list(HEARD)[:-1])
        return ended if other in told else f"{ended} The {other} count as of now."

    def _fields(self, words: str) -> dict[str, Any]:
        rng = self.rng
        fields: dict[str, Any] = {
            "content": words,
            "consent": rng.choices(("implicit", "explicit", "denied"), (60, 35, 5))[0],
            "source_ref": rng.choice((None, None, None, "s/1", "h/1")),
            "record_type": rng.choice(("message", "human_note")),
        }
        if rng.random() < 0.1:
            fields["grade"] = rng.choice(("operator", "document", "tool"))
        return fields

    def _reviewed(self, step: Step) -> list[Step]:
        reviewers = [person for person in PEOPLE[:3] if person is not step.person][:2]
        asked = Step(0, HOME, reviewers[0], "approve", target=Target("claim", step.number), fields={"text": "heard"})
        return [asked, replace(asked, person=reviewers[1])]


def _words(step: Step) -> str:
    return " ".join((step.fields.get("content", ""), *step.fields.get("messages", ())))
