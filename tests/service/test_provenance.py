"""Provenance: what claims came from, for people who audit, of what they may see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from upkeep_steps import told
from worlds import FREEZE, World, code_of, house_fixture, transcript  # noqa: F401  # pytest finds the fixture here

from heedful import Memory
from heedful.service.auditing import provenance as verb


def sources(memory: Memory, **asked: str) -> list[tuple[str, str]]:
    """(claim, source type) of the rows."""
    return [(row.claim_id, row.source_type) for row in memory.provenance(**asked).rows]


def of_a_tool(house: World, tool: str, number: int = 1, **more: str) -> str:
    """The id of a claim that an agent made of a summary of what the tool printed."""
    call, result = f"call-{number}", {"record_type": "tool_result", "grade": "tool", "run_id": "run-1"}
    content = json.dumps({"name": tool, "input": {"n": number}})
    house.ana.remember(content, record_type="tool_call", grade="agent", run_id="run-1", attributes={"call_id": call})
    output = house.ana.remember(f"row {number}: 7", attributes={"call_id": call}, **result, **more)  # type: ignore[arg-type]
    said = house.ana.remember(
        f"The table has 7 rows in part {number}",
        kind="note",
        grade="summary",
        derived_from=[output.record_id],
    )
    return said.claims[0].claim_id


def test_which_tools_output_became_claims_is_one_question(house: World) -> None:
    """Also through a summary, and by the call where the output names no tool. The control: what a person said."""
    query, bash, person = of_a_tool(house, "query"), of_a_tool(house, "Bash", 2), told(house, "Tea at four")

    assert sources(house.ana, source="tool") == sorted([(query, "tool:query"), (bash, "tool:Bash")])
    assert sources(house.ana, source="tool:query") == [(query, "tool:query")]
    assert sources(house.ana, claim=person) == [(person, "user")]
    found = house.ana.provenance()
    assert found.claims_by_source == {"inference": 2, "tool:Bash": 1, "tool:query": 1, "user": 1}
    (row,) = house.ana.provenance(claim=query, source="tool").rows
    assert (row.source_id, row.tier_at_write, row.wrote_at[:10]) == ("call-1", 1, "2026-11-28")
    assert found.next_after is None


def test_an_imported_run_tells_its_user(house: World, tmp_path: Path) -> None:
    """A line of a transcript is its user's word, of that session."""
    path = transcript(tmp_path / "t.jsonl", "remember: note: the canteen closes at two")
    house.ana.import_trace(path)

    ((_, source),) = sources(house.ana)
    assert source == "user"
    assert house.ana.provenance().rows[0].source_id == "5d0e4a3c-1b2f-4c6d-8e7f-90a1b2c3d4e5"


def test_what_was_known_then_is_told_as_it_was(house: World) -> None:
    """Claims of later are not there; a time that is none is refused."""
    first = told(house, "Tea at four")
    house.clock.go(seconds=3_600)
    told(house, "Tea at five")

    assert sources(house.ana, known_at="2026-11-28T09:30:00Z") == [(first, "user")]
    assert len(sources(house.ana, known_at="2026-11-28T10:30:00Z")) == 2
    assert code_of(lambda: house.ana.provenance(known_at="soon")) == "time_malformed"


def test_an_auditor_is_told_of_what_they_may_see(house: World) -> None:
    """As if the rest did not exist: neither the claim, nor a record that a claim came from."""
    house.use(
        house.policy.replace(
            '"person:aud": {roles: [auditor], clearance: restricted, grants: ["*"]}',
            '"person:aud": {roles: [auditor], clearance: normal, grants: ["project:payments"], denied_kinds: [release.freeze]}',
        )
    )
    open_claim, secret = told(house, "Tea at four"), told(house, "Ana sings", scope=["user:ana"])
    printed = {"record_type": "tool_result", "grade": "tool", "attributes": {"tool": "payroll"}}
    hidden = house.ana.remember("rows: 7", kind=FREEZE, **printed)  # type: ignore[arg-type]
    said = house.ana.remember("The table has rows", kind="note", grade="summary", derived_from=[hidden.record_id])
    auditor = house.memory("person:aud")

    assert sources(auditor) == sorted([(open_claim, "user"), (said.claims[0].claim_id, "inference")])
    assert code_of(lambda: auditor.provenance(secret)) == "item_not_found"
    assert (said.claims[0].claim_id, "tool:payroll") in sources(house.ana)


@pytest.mark.parametrize("is_made_from", [True, False])
def test_a_call_that_is_hidden_names_no_tool(house: World, *, is_made_from: bool) -> None:
    """A claim of a denied kind rests on the call: neither its tool's name nor its own is told. The control: an owner."""
    house.use(
        house.policy.replace(
            '"person:aud": {roles: [auditor], clearance: restricted, grants: ["*"]}',
            '"person:aud": {roles: [auditor], clearance: normal, grants: ["project:payments"], denied_kinds: [release.freeze]}',
        )
    )
    at: dict[str, Any] = {"run_id": "run-1"} | ({} if is_made_from else {"attributes": {"call_id": "c1"}})
    call = house.ana.remember(
        json.dumps({"name": "payroll"}), kind=FREEZE, record_type="tool_call", grade="agent", **at
    )
    made_from = [call.record_id] if is_made_from else []
    printed = house.ana.remember(
        "rows: 7", kind="note", record_type="tool_result", grade="tool", derived_from=made_from, **at
    )
    claim = printed.claims[0].claim_id

    (row,) = [row for row in house.memory("person:aud").provenance(claim).rows if row.source_type.startswith("tool:")]
    assert (row.source_type, row.source_id) == ("tool:unknown", printed.record_id if is_made_from else "c1")
    assert "tool:payroll" in {source for _, source in sources(house.ana, claim=claim)}


def test_a_call_that_arrived_later_named_no_tool_then(house: World) -> None:
    """An output whose call came after the instant was of an unknown tool; since then it is of that one."""
    at: dict[str, Any] = {"run_id": "run-1", "attributes": {"call_id": "c1"}}
    printed = house.ana.remember("rows: 7", kind="note", record_type="tool_result", grade="tool", **at)
    house.clock.go(seconds=3_600)
    house.ana.remember(json.dumps({"name": "query"}), record_type="tool_call", grade="agent", **at)
    claim = printed.claims[0].claim_id

    assert sources(house.ana, claim=claim, known_at="2026-11-28T09:30:00Z") == [(claim, "tool:unknown")]
    assert sources(house.ana, claim=claim, known_at="2026-11-28T10:30:00Z") == [(claim, "tool:query")]
    assert sources(house.ana, claim=claim) == [(claim, "tool:query")]


def test_it_is_for_people_who_audit(house: World) -> None:
    """Not for reviewers, not for agents, and not for an owner through an agent's door."""
    for memory in (house.bob, house.dan, house.agent, house.memory("person:ana", channel="agent")):
        assert code_of(lambda memory=memory: memory.provenance()) == "principal_may_not"  # type: ignore[misc]
    assert code_of(lambda: house.ana.provenance(source="rumour")) == "choice_unknown"
    assert code_of(lambda: house.ana.provenance("nothing")) == "item_not_found"


def test_what_is_hidden_moves_no_page(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither where an answer is cut nor where the next one goes on."""
    house.use(
        house.policy.replace(
            '"person:aud": {roles: [auditor], clearance: restricted, grants: ["*"]}',
            '"person:aud": {roles: [auditor], clearance: normal, grants: ["project:payments"]}',
        )
    )
    monkeypatch.setattr(verb, "ROWS_MAX", 2)
    monkeypatch.setattr(verb, "_PAGE_CLAIMS", 2)
    seen = [told(house, f"Tea at {number}") for number in range(3)]
    before = house.memory("person:aud").provenance()
    assert ([row.claim_id for row in before.rows], before.next_after) == (seen[:2], seen[1])

    for number in range(3):
        told(house, f"Ana sings {number}", scope=["user:ana"])
    auditor = house.memory("person:aud")

    assert auditor.provenance() == before
    rest = auditor.provenance(after=before.next_after)
    assert ([row.claim_id for row in rest.rows], rest.next_after) == (seen[2:], None)
