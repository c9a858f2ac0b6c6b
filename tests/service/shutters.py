"""A house with a router that knows a few words, and what was told there. Test modules import it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from worlds import World

from heedful import Memory
from heedful.bridges.routed import NOT_ROUTED, NOTHING_TOLD, Likeness, Mattering, Routed, Told
from heedful.claims.claim import Claim

FREEZE, OWNER = "release.freeze", "service.owner"
SHUT = "The shutters stay down until the ninth."
OPEN = "The shutters go up again."
OURS = "Blue team looks after the ledger."
NOT_OURS = "Blue team keeps the ledger no longer: others do."
CHATTER = "Lovely weather."


class HearsShutters:
    """A router that knows a few words."""

    model = "shutters"

    def route(self, text: str) -> Routed:
        """Nothing."""
        del text
        return NOT_ROUTED

    def tell(self, text: str) -> Told:
        """Shutters are a freeze, `again` ends it; blue teams own services, `no longer` ends that."""
        if "shutters" in text:
            return Told(((FREEZE, 0.9),), 0.95, 0.9 if "again" in text else 0.0, "fake")
        over = 0.9 if "no longer" in text else 0.0
        return Told(((OWNER, 0.9),), 0.95, over, "fake") if "Blue" in text else NOTHING_TOLD

    def read_ahead(self, texts: Sequence[str]) -> None:
        """Nothing is cheaper for it together."""
        del texts

    def likeness(self, text: str, statements: Sequence[str]) -> Likeness | None:
        """It knows words, and nothing of what they mean."""
        del text, statements
        return None

    def mattering(self, model: str, components: bytes) -> Mattering | None:
        """As above."""
        del model, components
        return None


@pytest.fixture(name="home")
def home_fixture(house: World) -> World:
    """The house with that router."""
    house.app.router = HearsShutters()
    return house


def told(memory: Memory, text: str, **fields: Any) -> list[tuple[str, str]]:
    """(kind, status) of what was proposed of these words."""
    return [(note.kind, note.status) for note in memory.remember(text, **fields).claims]


def shut(memory: Memory, **fields: Any) -> str:
    """The id of the claim that a message told."""
    (note,) = memory.remember(SHUT, **fields).claims
    return note.claim_id


def status(home: World, claim_id: str) -> str:
    return claim_of(home, claim_id).status


def claim_of(home: World, claim_id: str) -> Claim:
    found, _ = home.ana.show(claim_id)
    assert isinstance(found, Claim)
    return found


def active(home: World, **fields: Any) -> str:
    """The id of a freeze that two people approved."""
    claim_id = shut(home.ana, **fields)
    for reviewer in (home.bob, home.cyd):
        reviewer.approve(claim_id)
    assert status(home, claim_id) == "active"
    return claim_id
