"""Steps on one service in staging, and what mining makes of them: shared by the tests of gotchas and of premises."""

from __future__ import annotations

from typing import Any

from worlds import World

from heedful import Memory
from heedful.claims.claim import Claim
from heedful.service.learning.gotchas import Mined

GOTCHA, PREMISE = "environment.gotcha", "environment.premise"
STAGING = ["environment:staging"]
UPLOAD = [("service", "upload")]
FAILED = "error: image {} is not transcoded yet"


def step(memory: Memory, run: str, *, ok: bool = False, day: int = 20, **more: Any) -> str:
    """The id of a step on the upload service that failed, or went well."""
    fields: dict[str, Any] = {
        "record_type": "tool_result",
        "grade": "tool",
        "run_id": run,
        "scope": STAGING,
        "subjects": UPLOAD,
        "attributes": {"is_error": not ok},
        "occurred_at": f"2026-11-{day:02d}T10:00:00Z",
    }
    text = "image is there" if ok else FAILED.format(100 + day)
    return memory.remember(f"{text} ({run})" if ok else text, **(fields | more)).record_id


def mined(house: World, memory: Memory | None = None, scope: list[str] | None = None) -> Mined:
    """What mining does; staging where no scope is named."""
    return (memory or house.ana).mine_gotchas(scope=scope or STAGING)


def claim_of(house: World, claim_id: str) -> Claim:
    """The claim as the owner sees it."""
    found, _ = house.ana.show(claim_id)
    assert isinstance(found, Claim)
    return found


def seen_twice(house: World) -> str:
    """The id of a gotcha that two runs tell."""
    step(house.ana, "r1", day=20)
    step(house.ana, "r2", day=21)
    return mined(house).proposed[0].claim.claim_id
