"""Plan: how a run is made. The manifest holds all of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from heedful.kernel.errors import InvalidInputError
from heedful.observations.names import shown

Review = Literal["unreviewed", "approved"]
REVIEWS: tuple[Review, ...] = get_args(Review)

BRIDGE_FIRST, HYBRID = "bridge-first", "hybrid"
MEMORY_ARMS = (BRIDGE_FIRST, HYBRID)
"""Arms that are Heedful's own recall: with bridges, and with the pre-router off."""
VECTORS = "vectors"
ARMS = ("none", "bm25", VECTORS, "always-visible", "oracle", HYBRID, BRIDGE_FIRST)

BUDGET_TOKENS, BUDGET_TOGETHER_TOKENS = 600, 800
PLACES_DEFAULT = (5, 10)
PLACES_MAX = 1_000
ROUNDS_MAX = 1_000
AS_OF = "2026-11-28T09:00:00Z"
"""When everything is asked where nothing else is said, so that a run can be repeated."""
SWEPT = (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7)
"""The thresholds of urgency that a sweep goes through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a run is made.

    Attributes:
        arms: as `arms_named` gives them.
        places: texts that the arms of words and vectors hand out: the largest is that of words.
        together: all memories of the file are told to one memory; else each has one of its own.
        review: `approved`: a person approves every claim that was proposed, before anything is asked.
        inject: (9, 47): the memory comes at the end of round 9 of 47; None: anywhere, by the seed.
        as_of_us: when everything is asked.
        swept: thresholds of urgency that are tried besides; empty: none.
    """

    arms: tuple[str, ...]
    places: tuple[int, ...] = PLACES_DEFAULT
    packs: tuple[str, ...]
    together: bool = False
    review: Review = "unreviewed"
    inject: tuple[int, int] | None = None
    budget_tokens: int = BUDGET_TOKENS
    seed: int = 0
    as_of_us: int
    swept: tuple[float, ...] = ()


def arms_named(names: Sequence[str], places: Sequence[int]) -> tuple[str, ...]:
    """These arms, each once, in the order of ARMS; `all` is every one, `vectors` one for each number of places.

    Raises:
        InvalidInputError: `arm_unknown`, `places_malformed`.
    """
    for each in places:
        if not 0 < each <= PLACES_MAX:
            raise InvalidInputError(
                "places_malformed",
                f"--k is {each}; it goes from 1 to {PLACES_MAX}",
                next_step="give another number",
                details={"field": "k", "limit": PLACES_MAX},
            )
    wanted = ARMS if "all" in names else tuple(names)
    for name in wanted:
        if name not in ARMS and not _places_of(name):
            raise InvalidInputError(
                "arm_unknown",
                f"no arm {shown(name, 40)!r}",
                next_step=f"arms are: all, {', '.join(ARMS)}, and vectors-K",
                details={"field": "arm"},
            )
    vectors = {_places_of(name) for name in wanted if _places_of(name)} | (
        set(places) if VECTORS in wanted else set[int]()
    )
    found: list[str] = []
    for arm in ARMS:
        if arm == VECTORS:
            found += [f"{VECTORS}-{each}" for each in sorted(vectors)]
        elif arm in wanted:
            found.append(arm)
    return tuple(found)


def places_of(arm: str) -> int | None:
    """How many texts a `vectors-K` arm hands out; None for another arm."""
    return _places_of(arm) or None


def review_named(text: str) -> Review:
    """The profile of this name.

    Raises:
        InvalidInputError: `choice_unknown`.
    """
    for each in REVIEWS:
        if each == text:
            return each
    raise InvalidInputError(
        "choice_unknown",
        f"review is {shown(text, 40)!r}",
        next_step=f"it is one of: {', '.join(REVIEWS)}",
        details={"field": "review"},
    )


def inject_of(text: str) -> tuple[int, int]:
    """(9, 47) of `9/47`.

    Raises:
        InvalidInputError: `inject_malformed`.
    """
    match = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", text)
    round_number, rounds = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 0 < round_number <= rounds <= ROUNDS_MAX:
        raise InvalidInputError(
            "inject_malformed",
            f"--inject is {shown(text, 40)!r}",
            next_step=f"write it like 9/47: the round and how many there are, at most {ROUNDS_MAX}",
            details={"field": "inject"},
        )
    return round_number, rounds


def _places_of(arm: str) -> int:
    match = re.fullmatch(rf"{VECTORS}-([1-9][0-9]{{0,2}}|{PLACES_MAX})", arm)
    return int(match[1]) if match else 0
