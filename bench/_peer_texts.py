"""What every system of the peers' comparison is told and asked: the same texts, owners and questions, from a seed.

Each user has MEMORIES_EACH memories. A memory tells where a thing of a place is kept; no two of a user's tell of the
same thing and place, but other users have things of the same names, kept elsewhere: what leaks would look right.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from _texts import words

MEMORIES_EACH = 100
FILLING_WORDS = 14
# Words are easier to read than lists of texts.
_SORTS = "blue spare signed frozen quarterly encrypted handwritten retired northern provisional".split()  # noqa: SIM905
_THINGS = "ledger key invoice passport contract manual antenna ladder permit sample charter cable badge".split()  # noqa: SIM905
_THINGS += ["blueprint", "lease", "receipt", "sensor", "battery", "drill", "cheque"]
_PLACES = "Lisbon Harbin Tromso Cusco Nairobi Kyoto Antwerp Boise Perth Galway".split()  # noqa: SIM905
_SPOTS = ("the left drawer", "the glass cabinet", "a tin on the shelf", "the cellar", "the vault", "a green folder")
_MARK = re.compile(r"\bm(\d+)x(\d+)\b")


@dataclass(frozen=True, slots=True)
class Told:
    """A memory: whose, which of theirs, and its text with a mark to know it by."""

    user: int
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a user, and which of their memories answers it."""

    user: int
    number: int
    text: str


def users_of(records: int) -> int:
    """So many users have so many memories."""
    return max(1, records // MEMORIES_EACH)


def told(records: int) -> Iterator[Told]:
    """The memories, user by user in turn: neighbours in time are of different users."""
    users = users_of(records)
    for number in range(MEMORIES_EACH):
        for user in range(users):
            rng = random.Random(user * 1_000 + number)
            sort, thing, place = _named(user, number)
            text = (
                f"The {sort} {thing} of {place} is kept in {rng.choice(_SPOTS)}, number m{user}x{number}. "
                f"{words(rng, FILLING_WORDS)}"
            )
            yield Told(user, number, text)


def asked(records: int, count: int) -> list[Asked]:
    """Questions of users drawn at random, each about one of their own memories."""
    rng = random.Random(11)
    users = users_of(records)
    found = []
    for _ in range(count):
        user, number = rng.randrange(users), rng.randrange(MEMORIES_EACH)
        sort, thing, place = _named(user, number)
        found.append(Asked(user, number, f"Where do we keep the {sort} {thing} of {place}?"))
    return found


def marks(text: str) -> list[tuple[int, int]]:
    """User and number of each memory whose mark the text has, in order."""
    return [(int(user), int(number)) for user, number in _MARK.findall(text)]


def _named(user: int, number: int) -> tuple[str, str, str]:
    """What memory `number` of this user tells of: different for each number, in an order of the user's own."""
    place = (number * 7 + user * 13) % (len(_SORTS) * len(_THINGS) * len(_PLACES))
    sort, rest = place % len(_SORTS), place // len(_SORTS)
    return (
        _SORTS[sort],
        _THINGS[(rest + number) % len(_THINGS)],
        _PLACES[(rest // len(_THINGS) + number) % len(_PLACES)],
    )
