"""Forget, on PostgreSQL: what goes is gone, what is held waits, and the ledger holds."""

from __future__ import annotations

import pytest
from believers import PEOPLE
from forgetting import ANA, told
from worlds import world

from heedful.kernel.errors import NotFoundError
from heedful.testing.stores import EmptyPostgresDatabase


def test_an_erasure_goes_through_with_a_hold(emptied_database: EmptyPostgresDatabase) -> None:
    """Its packets and verdicts too; what comes again is refused, and a refold gives the views."""
    with world(policy=PEOPLE, database=emptied_database) as home:
        record_id, claim_id = told(home.ana, "Rome")
        home.ana.recall("where does ana live?", scope=ANA)
        home.ana.judge("Bash", {"command": f"echo {claim_id}"}, scope=ANA)
        again = {"scope": ANA, "source_ref": "chat:1"}
        other = home.ana.remember("I like tea", **again).record_id  # type: ignore[arg-type]
        held = home.ana.hold(record=other)

        receipt = home.ana.forget(scope=ANA)

        assert (receipt.records, receipt.claims, receipt.waits_for_hold) == (1, 1, True)
        home.ana.maintain("erase")
        home.ana.release_hold(held.hold_id)
        home.ana.maintain("erase")
        assert home.ana.receipt(receipt.erasure_id).waits_for_hold is False
        for gone in (record_id, claim_id, other):
            with pytest.raises(NotFoundError):
                home.ana.show(gone)
        assert home.ana.remember("I like tea", **again).outcome == "refused"  # type: ignore[arg-type]
        audit = home.ana.verify(views=True)
        assert (audit.holds, audit.views) == (True, "equal")
