"""Mining: two independent runs that went well in the same way are proposed to people; anything less is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from workflow_runs import CASES, error_of, run
from workflows import POLICY, PRODUCTION, ROLL, SHIP, STAGING, WORKFLOWS, call, registry, settle, verify
from worlds import World, code_of, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful import Memory
from heedful.kernel.ids import PrincipalId
from heedful.ledger.workflow_events import WorkflowProposalDecided, WorkflowProposed
from heedful.service.learning import mine_workflows, read_run
from heedful.service.learning.mine_workflows import MiningReport


def mined(house: World, memory: Memory | None = None, **more: Any) -> MiningReport:
    """What Bob is told of staging."""
    return (memory or house.bob).workflow_mine(**{"scope": STAGING, **more})


def left_out(report: MiningReport) -> set[str]:
    """Why runs do not count."""
    assert (report.proposed, report.known) == ((), ())
    return set(report.left_out)


def test_two_runs_that_went_well_are_proposed_with_what_they_rest_on(house: World) -> None:
    """What differs is a variable, the same one wherever it is; reads are no steps; nothing is in force."""
    settle(house)
    kept = [*run(house, "run-1", "1.0"), *run(house, "run-2", "1.1")]
    report = mined(house)
    (told,) = report.proposed

    assert (told["intent"], told["scope"], told["runs"]) == ("web", sorted(STAGING), ["run-1", "run-2"])
    assert [(step["tool"], step["input"]) for step in told["steps"]] == [
        ("Ship", {"image": "web:{{image}}"}),
        ("Roll", {"manifest": "web.yaml", "tag": "{{image}}"}),
    ]
    assert [step["verification"]["verifies"] for step in told["steps"]] == ["web", "web"]
    assert told["preconditions"] == ["web.tests"]
    assert told["evidence"] == [each for at, each in enumerate(kept) if at % 6 != 1]
    (event,) = [each for each in house.events() if isinstance(each, WorkflowProposed)]
    assert (event.proposer, event.asked_by, list(event.evidence)) == (
        "workflow-miner/1",
        "person:bob",
        told["evidence"],
    )
    assert [each["proposal_id"] for each in house.bob.review_queue().proposals] == [told["proposal_id"]]
    assert house.bob.workflow_list(scope=STAGING, intent="web").current[0].id == "web.staging"
    assert len(house.app.registry.workflows) == 1
    assert house.ana.verify(views=True).holds


@pytest.mark.parametrize("case", CASES)
def test_anything_less_than_two_such_runs_is_not_proposed(house: World, case: str) -> None:
    """And the report says why."""
    settle(house)
    make, why = CASES[case]
    make(house)

    assert left_out(mined(house)) >= ({why} if why else set())
    assert not any(isinstance(each, WorkflowProposed) for each in house.events())


def test_an_agents_word_that_all_went_well_counts_for_nothing(house: World) -> None:
    """The verifications must be a person's or a tool's; the calls may be told by the agent."""
    settle(house)
    for name, tag in (("run-1", "1.0"), ("run-2", "1.1")):
        call(house, name, "Ship", {"image": f"web:{tag}"}, house.agent)
        verify(house, name, house.agent)
    assert left_out(mined(house)) == {"not verified"}
    for name in ("run-1", "run-2"):
        verify(house, name)
    assert len(mined(house).proposed) == 1


def test_copies_of_one_run_count_once(house: World) -> None:
    """Two copies and their origin are one; the control is another run beside them."""
    settle(house)
    for name in ("run-1", "copy-1", "copy-2"):
        house.clock.go(seconds=7_200)
        attributes = {"tool": "Ship", "tool_use_id": "toolu-1"}
        call(house, name, "Ship", {"image": "web:1.0"}, attributes=attributes)
        verify(house, name)
    assert mined(house).left_out == {"only one such run": 1, "the same run again": 2}
    call(house, "run-2", "Ship", {"image": "web:1.1"})
    verify(house, "run-2")
    assert [each["runs"] for each in mined(house).proposed] == [["run-1", "run-2"]]


def session_file(path: Path, session: str, image: str, *, is_error: bool = False) -> Path:
    """A Claude Code session that ships an image."""
    call_id = f"toolu_{session}"
    blocks = (
        ("assistant", {"type": "tool_use", "id": call_id, "name": "Ship", "input": {"image": image}}),
        ("user", {"type": "tool_result", "tool_use_id": call_id, "content": "done", "is_error": is_error}),
    )
    rows = [
        {
            "type": role,
            "uuid": f"{session}-{number}",
            "parentUuid": f"{session}-{number - 1}" if number else None,
            "timestamp": f"2026-11-20T10:00:0{number}.000Z",
            "sessionId": session,
            "message": {"role": role, "content": [block]},
        }
        for number, (role, block) in enumerate(blocks)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_imported_sessions_are_runs(house: World, tmp_path: Path) -> None:
    """A person verifies them afterwards; one imported twice counts once, one that failed not at all."""
    settle(house)
    files = [session_file(tmp_path / f"{name}.jsonl", name, f"web:{name}") for name in ("s1", "s2")]
    files += [files[0], session_file(tmp_path / "s3.jsonl", "s3", "web:s3", is_error=True)]
    for file in files:
        house.ana.import_trace(file, scope=STAGING)
    for name in ("s1", "s3"):
        verify(house, name)
    report = mined(house)
    assert (report.runs, report.proposed) == (3, ())
    assert report.left_out == {"failed": 1, "not verified": 1, "only one such run": 1}
    assert house.agent.workflow_next("s1", scope=STAGING).step == 2
    verify(house, "s2")
    assert [(each["runs"], each["steps"][0]["input"]) for each in mined(house).proposed] == [
        (["s1", "s2"], {"image": "web:{{image}}"})
    ]


def test_later_with_the_same_arguments_it_is_another_run(house: World) -> None:
    """The control of the retry within an hour: then nothing differs, and there is no variable."""
    settle(house)
    run(house, "run-1")
    house.clock.go(seconds=7_200)
    run(house, "run-2")
    (told,) = mined(house).proposed
    assert told["steps"][0]["input"] == {"image": "web:1.0"}


def test_an_approved_one_is_yaml_for_somebody_to_finish(house: World) -> None:
    """It builds beside the packs, in shadow, in its own environment; and is in force for nobody yet."""
    settle(house)
    run(house, "run-1", "1.0", subjects=[("cluster", "eu-1")])
    run(house, "run-2", "1.1", subjects=[("cluster", "eu-1"), ("file", "x")])
    (told,) = mined(house).proposed
    reviewed = house.cyd.approve(told["proposal_id"], reason="as we do it")
    assert (reviewed.item, reviewed.status) == ("proposal", "approved")
    assert reviewed.document is not None
    ((name, written),) = yaml.safe_load(reviewed.document)["workflows"].items()

    assert (written["mode"], written["owner"]) == ("shadow", "name an owner")
    assert written["environment"] == {"scope": sorted(STAGING), "subjects": ["cluster:eu-1"]}
    made = registry(WORKFLOWS + reviewed.document.removeprefix("workflows:\n")).workflows[name]
    assert [step.tool for step in made.steps] == ["Ship", "Roll"]
    assert made.steps[0].input == {"image": "web:{{image}}"}
    assert made.expires_us - made.reviewed_us == 90 * 86_400_000_000
    assert name not in house.app.registry.workflows
    assert isinstance(house.events()[-1], WorkflowProposalDecided)
    assert code_of(lambda: house.bob.approve(told["proposal_id"])) == "proposal_decided"
    assert house.bob.review_queue().proposals == ()


def test_it_is_proposed_once(house: World) -> None:
    """Not again while it waits, nor after people decided, but where a run was added since."""
    settle(house)
    run(house, "run-1", "1.0")
    run(house, "run-2", "1.1")
    (told,) = mined(house).proposed
    again = mined(house)
    assert (again.proposed, [each["proposal_id"] for each in again.known]) == ((), [told["proposal_id"]])
    house.bob.reject(told["proposal_id"], reason="not so")
    assert [each["status"] for each in mined(house).known] == ["rejected"]
    run(house, "run-3", "1.2")
    assert [each["runs"] for each in mined(house).proposed] == [["run-1", "run-2", "run-3"]]


def test_a_record_that_is_withdrawn_takes_the_approval_away(house: World) -> None:
    """It can still be rejected."""
    settle(house)
    kept = run(house, "run-1", "1.0")
    run(house, "run-2", "1.1")
    (told,) = mined(house).proposed
    house.bob.reject(kept[2], reason="it was another's")

    assert code_of(lambda: house.bob.approve(told["proposal_id"])) == "evidence_gone"
    assert house.bob.reject(told["proposal_id"], reason="then not").status == "rejected"


def test_who_may_not_see_a_record_sees_no_proposal_of_it_and_makes_none(house: World) -> None:
    """Above the clearance, of another scope, another tenant, or no principal of the policy."""
    settle(house)
    for name, tag in (("run-1", "1.0"), ("run-2", "1.1")):
        call(house, name, "Ship", {"image": f"web:{tag}"}, classification="restricted")
        verify(house, name, classification="restricted")
    assert mined(house, house.cyd).runs == 0
    (told,) = mined(house).proposed
    assert house.cyd.review_queue().proposals == ()
    for act in (house.cyd.show, house.cyd.approve, house.cyd.reject):
        assert code_of(lambda a=act: a(told["proposal_id"])) == "item_not_found"  # type: ignore[misc]
    house.app.add_tenant("acme", PrincipalId("person:ana"))
    there = house.memory("person:ana", tenant="acme")
    assert (there.workflow_mine(scope=STAGING).runs, there.review_queue().proposals) == (0, ())
    assert mined(house, scope=PRODUCTION).runs == 0
    assert code_of(lambda: mined(house, house.stranger)) == "principal_may_not"
    assert mined(house, house.dan).runs == 0


def test_a_record_under_a_denied_kind_is_not_mined(house: World) -> None:
    """Whoever is denied the kind of a claim on a run's record neither mines it nor sees what others mined."""
    settle(house)
    run(house, "run-1", "1.0")
    call(house, "run-2", "Ship", {"image": "web:1.1"})
    verify(house, "run-2")
    call(house, "run-2", "Roll", {"manifest": "web.yaml", "tag": "1.1"})
    house.ana.remember(
        "Nothing is open.", kind="web.incident", value="none", record_type="verification", run_id="run-2", scope=STAGING,
        attributes={"verifies": "web", "passed": True},
    )  # fmt: skip
    (told,) = mined(house).proposed
    settle(house, WORKFLOWS, POLICY.replace('"person:cyd": {', '"person:cyd": {denied_kinds: [web.incident], '))
    assert left_out(mined(house, house.cyd)) >= {"not verified"}
    assert house.cyd.review_queue().proposals == ()
    assert code_of(lambda: house.cyd.approve(told["proposal_id"])) == "item_not_found"


def test_where_there_are_too_many_records_runs_are_read_whole(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a run whose beginning is out of sight the beginning is looked for, and the report says that it was cut."""
    settle(house)
    run(house, "run-1", "1.0")
    error_of(house)
    run(house, "run-2", "1.1")
    run(house, "run-3", "1.2")
    monkeypatch.setattr(mine_workflows, "MINED_RECORDS_MAX", 8)
    monkeypatch.setattr(mine_workflows, "PAGE_RECORDS", 4)
    report = mined(house)
    assert (report.is_cut, report.runs, report.proposed) == (True, 2, ())
    monkeypatch.setattr(read_run, "RUN_RECORDS_MAX", 3)
    assert set(mined(house).left_out) == {"too long"}


def test_it_makes_no_call_and_asks_for_a_scope(house: World) -> None:
    """A run is read, not made again."""
    settle(house)
    run(house, "run-1", SHIP["image"])
    run(house, "run-2", ROLL["manifest"])
    mined(house)
    assert {type(each).__name__ for each in house.events()[-1:]} == {"WorkflowProposed"}
    assert code_of(lambda: house.bob.workflow_mine(scope=[])) == "scope_empty"
