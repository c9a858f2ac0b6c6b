"""Limits on what has ended: the newest is looked at, so that a long past takes no place of what ended yesterday."""

from __future__ import annotations

import pytest
from experience_steps import STAGING, claim_of, mined, step
from test_states import CRASHING, POD, READY, seen, the_state
from test_workflow_mining import mined as mined_workflows
from workflow_runs import run
from workflows import call, settle, verify
from worlds import World, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.service import review
from heedful.service.learning import gotchas_held, mine_workflows, provisional

SERVICES = ("upload", "search", "mail")


def ended(house: World, name: str) -> str:
    """The id of a gotcha of that service that two runs told and a verification ended."""
    subjects = [("service", name)]
    step(house.ana, f"{name}-1", day=20, subjects=subjects)
    step(house.ana, f"{name}-2", day=21, subjects=subjects)
    (found,) = mined(house).proposed
    step(house.ana, f"{name}-3", day=22, ok=True, subjects=subjects, record_type="verification")
    assert [each.claim_id for each in mined(house).retired] == [found.claim.claim_id]
    return found.claim.claim_id


def test_what_ended_last_is_told_however_much_ended_before(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three that ended, two are looked at: the newest is told, and the first is not (the control)."""
    monkeypatch.setattr(provisional, "RETIRED_LOOKED_AT_MAX", 2)
    claims = {name: ended(house, name) for name in SERVICES}

    def is_told(name: str) -> bool:
        packet = house.ana.recall(f"is an image of {name} not transcoded yet?", scope=STAGING, task_class="gotcha")
        return any(item.item_id == claims[name] and "no-longer-holds" in item.flags for item in packet.items)

    assert [is_told(name) for name in SERVICES] == [False, True, True]


def test_a_rejection_is_remembered_however_many_gotchas_were_there_before(
    house: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one place for those that ended, the last one has it; the first does not (the control), and that is told."""
    ended(house, "upload")
    for run_id in ("r1", "r2"):
        step(house.ana, run_id, day=23, subjects=[("service", "search")])
    (found,) = mined(house).proposed
    house.bob.reject(found.claim.claim_id)
    monkeypatch.setattr(gotchas_held, "HELD_MAX", 1)
    again = mined(house)
    assert [claim_of(house, each.claim.claim_id).subject for each in again.proposed] == ["service/upload"]
    assert again.is_cut


def test_what_others_proposed_takes_no_place_of_ones_own(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A workflow that waits is known, though others' proposals, before and after it, fill the limit by themselves."""
    monkeypatch.setattr(mine_workflows, "PROPOSALS_LOOKED_AT_MAX", 1)
    settle(house)

    def hidden(name: str, tool: str, field: str) -> None:
        # Ana sees what is restricted, so what she proposes of it is not Cyd's to see.
        for run_id in (f"{name}-1", f"{name}-2"):
            call(house, run_id, tool, {field: f"{run_id}.yaml"}, classification="restricted")
            verify(house, run_id, classification="restricted")
        assert mined_workflows(house).proposed

    hidden("before", "Roll", "manifest")
    for name, tag in (("own-1", "1.0"), ("own-2", "1.1")):
        run(house, name, tag)
    (own,) = mined_workflows(house, house.cyd).proposed
    hidden("after", "Ship", "image")
    again = mined_workflows(house, house.cyd)
    assert (again.proposed, [each["proposal_id"] for each in again.known]) == ((), [own["proposal_id"]])


def test_an_observed_state_that_is_too_old_waits_for_nobody(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes no place of what does; it is still told, and can still be approved by its id."""
    monkeypatch.setattr(review, "QUEUE_MAX", 1)
    old = seen(house.ana, READY, "51")
    (note,) = old.claims
    assert [each.claim_id for each in house.bob.review_queue().claims] == [note.claim_id]
    house.clock.go(seconds=1_200)
    freeze = house.freeze_proposed()
    queue = house.bob.review_queue()
    assert ([each.claim_id for each in queue.claims], queue.cut) == ([freeze], False)
    assert the_state(house.ana, as_of="2026-11-28T08:52:00Z").value == "ready"
    last = the_state(house.ana).last
    assert last is not None
    assert last.claim_id == note.claim_id
    assert house.bob.approve(note.claim_id).status == "active"


def test_the_control_what_still_holds_and_what_people_say_stays_in_the_queue(house: World) -> None:
    """A state that holds, and a person's own words about a time that is over."""
    house.ana.remember("The limit was ten.", kind="capacity.limit", value=10, until="2026-11-28T09:00:10Z")
    house.clock.go(seconds=20)
    seen(house.ana, CRASHING, "55")
    told = {(each.kind, each.subject) for each in house.bob.review_queue().claims}
    assert ("state.workload", POD) in told
    assert "capacity.limit" in {kind for kind, _ in told}
