"""A world in which a production deploy may be executed, and what tests of permits ask of it."""

from __future__ import annotations

from typing import Any

from worlds import DEPLOY, World

from heedful import Memory
from heedful.gate.permit import PermitRefused, Redeemed
from heedful.gate.verdict import Verdict
from heedful.ledger.permit_events import RedemptionRefused

Answer = Redeemed | PermitRefused


def verify_deploy(house: World, *, passed: bool = True, **more: Any) -> str:
    """The id of a person's verification of deploys."""
    fields = {"verifies": "deploy", "passed": passed, **more.pop("attributes", {})}
    return house.ana.remember("smoke tests", record_type="verification", attributes=fields, **more).record_id


def judged(memory: Memory, **more: Any) -> Verdict:
    """The verdict on a production deploy."""
    return memory.judge("Bash", DEPLOY, **more)


def approved(house: World, memory: Memory, **more: Any) -> str:
    """The id of the record by which Bob approves that deploy, as it is judged now."""
    return house.bob.approve(judged(memory, **more).verdict_id, reason="go").item_id


def permitted(house: World, **more: Any) -> str:
    """The token of a permit for the agent's deploy: enforced, verified, and approved by Bob."""
    house.enforce()
    verify_deploy(house)
    approved(house, house.agent, **more)
    return token_of(judged(house.agent, **more))


def token_of(verdict: Verdict) -> str:
    """The permit's token, which must be there."""
    assert verdict.execution == "execute"
    assert verdict.permit is not None
    return verdict.permit.token


def redeem(memory: Memory, token: str, **more: Any) -> Answer:
    """The answer for the production deploy, or another call."""
    return memory.redeem(token, **{"tool": "Bash", "args": DEPLOY, **more})


def refused(house: World, answer: Answer) -> str:
    """Why, which the ledger has in the same words."""
    assert isinstance(answer, PermitRefused)
    event = house.events()[-1]
    assert isinstance(event, RedemptionRefused)
    assert (event.reason, event.permit_id, event.changes) == (answer.reason, answer.permit_id, answer.changes)
    assert answer.next_step
    return answer.reason
