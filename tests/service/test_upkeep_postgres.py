"""Background work, provenance and the scorecard on PostgreSQL: as on SQLite, where each has its tests."""

from __future__ import annotations

from typing import Any

from upkeep_steps import DAYS_31, session_of, status, told
from worlds import world

from heedful.service.jobs.collect import COLLECT
from heedful.service.jobs.lease import LEASE_SECONDS, take


def test_a_whole_month(emptied_database: Any) -> None:
    """What is faint goes once the dead worker's lease has ended; what came of a tool and what nobody said is found."""
    with world(database=emptied_database) as house:
        printed: dict[str, Any] = {"record_type": "tool_result", "grade": "tool", "attributes": {"tool": "query"}}
        output = house.ana.remember("rows: 7\x00", **printed)
        made: dict[str, Any] = {"kind": "note", "grade": "summary", "derived_from": [output.record_id]}
        said = house.ana.remember("There are 7 rows", **made).claims[0].claim_id
        planted = house.ana.remember("The auditors approved it", **made).claims[0].claim_id
        faint = told(house, "The canteen may close")
        house.clock.go(seconds=DAYS_31)
        take(session_of(house), COLLECT, "person:bob/1", always=False)
        assert [run.outcome for run in house.ana.maintain().runs if run.job == "collect"] == ["held"]
        house.clock.go(seconds=LEASE_SECONDS)

        house.ana.maintain()

        assert status(house, faint) == "archived"
        assert house.ana.unarchive(faint, reason="it is needed").status == "active"
        assert {row.claim_id for row in house.ana.provenance(source="tool:query").rows} == {said, planted}
        card = house.ana.scorecard(days=60)
        assert [each.claim_id for each in card.phantoms] == [planted]
        assert (card.written, card.archived) == (3, 1)
        assert house.ana.verify(views=True).holds
