"""People who say where others live, and what becomes of that when it is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from believers import CITY, PEOPLE
from worlds import World, world

from heedful import Memory

ANA, BOB = ("user:ana",), ("user:bob",)


@pytest.fixture(name="home")
def home_fixture() -> Iterator[World]:
    """An empty store."""
    with world(policy=PEOPLE) as made:
        yield made


@pytest.fixture(name="memory")
def memory_fixture(home: World) -> Memory:
    """Its owner's."""
    return home.ana


def told(memory: Memory, value: str, *, subject: str = "user:ana", scope: tuple[str, ...] = ANA) -> tuple[str, str]:
    """The ids of a record and its claim about where the subject lives."""
    given: Any = {"kind": CITY, "subject": subject, "value": value, "consent": "explicit"}
    kept = memory.remember(f"lives in {value}", scope=scope, **given)
    return kept.record_id, kept.claims[0].claim_id


def claim_of(memory: Memory, claim_id: str) -> Any:
    """The claim, as it stands."""
    return memory.show(claim_id)[0]
