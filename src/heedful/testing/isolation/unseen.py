"""Unseen: which of the steps before make what the requester does not see, and what they then say of it unknowingly."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from heedful.testing.isolation.people import Person
from heedful.testing.isolation.steps import HOME, OF_CLAIM, Step, kind_of


def is_beyond(requester: Person, step: Step) -> bool:
    """True where the requester reads the step's scope, and not all that may bear on it."""
    reads = step.tenant == HOME and requester.may_read(step.scope)
    return reads and not requester.sees_all_of(step.person, step.scope)


def is_torn(requester: Person, step: Step) -> bool:
    """True where the requester sees the record and not the claim that rests on it."""
    rank = step.claim_rank
    is_seen = requester.may_see(step.scope, step.rank) and not requester.denies(kind_of(step))
    return rank is not None and is_seen and not requester.may_see(step.scope, rank)


def may_write_unseen(requester: Person, step: Step) -> bool:
    """True for what the requester may write just so and not read."""
    is_seen = requester.may_see(step.scope, step.rank) and not requester.denies(kind_of(step))
    return requester.may_write(step.scope) and not is_seen


def said_again(rng: random.Random, requester: Person, steps: Sequence[Step], number: int) -> Step | None:
    """Something that was remembered before, said again by the requester, often of what they may not see."""
    before = [step for step in steps if step.verb == "remember" and step.fields["source_ref"]]
    if not before or rng.random() < 0.4:
        return None
    own = [step for step in before if step.is_asked]
    if own and rng.random() < 0.4:
        return replace(own[-1], number=number)  # a retry
    hidden = [step for step in before if may_write_unseen(requester, step)]
    step = rng.choice(hidden if hidden and rng.random() < 0.7 else before)
    step = replace(step, number=number, tenant=HOME, person=requester)
    another = {"content": "Something else entirely."}
    if requester.denies(kind_of(step)) and rng.random() < 0.6:
        # Without its claim, so that they may read back what they said under a reference that is taken.
        fields = {name: value for name, value in step.fields.items() if name not in OF_CLAIM}
        return replace(step, claim_rank=None, fields=fields | another)
    return step if rng.random() < 0.7 else replace(step, fields=step.fields | another)
