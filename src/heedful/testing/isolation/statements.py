"""Statements: what somebody remembers in a world, with what it is about and whether it asks for a claim."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from heedful.testing.isolation.people import Person, stricter
from heedful.testing.isolation.texts import KINDS, LINE_KIND, big_text, sentence

SORTS = {"note": 20, "claim": 45, "typed": 14, "big": 5, "verification": 11, "line": 5}
"""Sorts of statements and their weights. A `line` proposes its claim by a `remember:` line of its own."""


DENIED_SHARE = 0.35
"""Of the claims of a world whose requester is denied kinds: those of which the kind is chosen among these alone."""


def make_statement(
    rng: random.Random,
    number: int,
    person: Person,
    rank: str,
    *,
    earlier: Sequence[int],
    captured: Sequence[str],
    denying: Person,
) -> tuple[dict[str, Any], str | None]:
    """The fields of the statement, and the classification of its claim, or None.

    `earlier`: steps whose records it may be derived from; `captured`: messages that an agent may quote; `denying`: who
    is denied the kinds that are stated more often.
    """
    fields = _about(rng, number, earlier)
    match rng.choices(list(SORTS), list(SORTS.values()))[0]:
        case "claim":
            return fields, _claim(rng, fields, rank, person, denying)
        case "line":
            fields["content"] = f"{sentence(rng)}\nremember: {LINE_KIND}: {sentence(rng, plain=True)}"
            return fields, rank
        case "typed":
            fields["record_type"] = rng.choice(("message", "observation", "tool_result", "document"))
            fields["grade"] = rng.choice(("user", "tool", "document", "agent", "summary"))
        case "big":
            fields["content"] = big_text(rng)
        case "verification":
            fields |= {"record_type": "verification", "grade": "user"}
            fields["attributes"] = {"verifies": "deploy.production", "passed": rng.random() < 0.7}
        case _:
            # An agent says what a user said: true where that was captured in the agent's scope.
            if captured and person.channel == "agent":
                fields |= {"content": rng.choice(captured), "record_type": "message", "grade": "user"}
    return fields, None


def _about(rng: random.Random, number: int, earlier: Sequence[int]) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "content": sentence(rng),
        "consent": rng.choices(("implicit", "explicit", "denied"), (50, 42, 8))[0],
        "source_ref": rng.choice((None, None, "s/1", "s/2", f"s/{number}")),
        "expected_utility": rng.choice((0.1, 0.5, 0.9)),
        "confidence": rng.choice((0.2, 0.7, 1.0)),
    }
    if rng.random() < 0.3:
        fields["attributes"] = {"ticket": rng.choice(("A-1", "A-2", 7, True)), "区域": rng.choice(("东", "西"))}
    if rng.random() < 0.2:
        fields |= {"run_id": f"run/{rng.randrange(3)}", "sequence": rng.randrange(9)}
    if earlier and rng.random() < 0.1:
        fields["derived_from"] = rng.choice(earlier)
    return fields


def _claim(rng: random.Random, fields: dict[str, Any], rank: str, person: Person, denying: Person) -> str:
    denied = [each for each in KINDS if denying.denies(each[0])]
    kind, kind_rank, values = rng.choice(denied if denied and rng.random() < DENIED_SHARE else KINDS)
    fields |= {"kind": kind, "content": sentence(rng, plain=True)}
    if kind_rank != "normal":
        # Said outright: without its claim, in the other world, the record must stand on the same word.
        fields["grade"] = "agent" if person.channel == "agent" else "user"
    elif rng.random() < 0.3:
        fields["grade"] = rng.choice(("operator", "user", "tool", "document"))
    if values is not None:
        fields |= {"subject": "project:payments", "value": f"{rng.choice(values)}"}
    if rng.random() < 0.25:
        fields["form"] = rng.choice(("fact", "state", "preference", "constraint"))
    if rng.random() < 0.2:
        fields["since"] = rng.choice(("2026-11-01", "2026-11-28T09:30:00Z", "2026-12-24"))
    if rng.random() < 0.3:
        fields["until"] = rng.choice(("2026-11-28T09:25:00Z", "2026-11-28T10:00:00Z", "2026-12-31"))
    if rng.random() < 0.1:
        fields["not_for"] = ("deploy.staging",)
    if rng.random() < 0.3:
        fields["applies_to"] = ()
    return stricter(rank, kind_rank)
