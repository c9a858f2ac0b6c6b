"""Steps of the tests of background work: worlds with claims that nobody misses, and workers that stop on the way."""

from __future__ import annotations

from typing import Any

from worlds import World

from heedful.claims.claim import Claim
from heedful.ledger.events import ClaimTransitioned, Event
from heedful.service.session import Session

DAYS_31 = 31 * 86_400


def session_of(house: World, principal: str = "person:ana") -> Session:
    """A session that maintains nothing when it opens."""
    return house.app.session(principal=principal, adopts=False)


def told(house: World, statement: str, *, confidence: float = 0.3, **more: Any) -> str:
    """The id of an active claim of low confidence."""
    given = {"kind": "note", "form": "fact", "consent": "explicit", "confidence": confidence, **more}
    return house.ana.remember(statement, **given).claims[0].claim_id


def standing(house: World, claim_id: str) -> Claim:
    """The claim as it stands."""
    with session_of(house).store.read() as reading:
        claim = reading.claim(claim_id)  # type: ignore[arg-type]
    assert claim is not None
    return claim


def status(house: World, claim_id: str) -> str:
    """Where the claim stands."""
    return standing(house, claim_id).status.value


def add(house: World, *events: Event) -> None:
    """These events happen."""
    session = session_of(house)
    session.store.write(lambda writing: session.append(writing, events))


def moves(house: World, to_status: str) -> list[str]:
    """The claims that went there, one entry for each move."""
    found = [event for event in house.events() if isinstance(event, ClaimTransitioned)]
    return [event.claim_id for event in found if event.to_status == to_status]
