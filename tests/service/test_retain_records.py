"""Retention of records: what is past its days is erased by the job; a hold keeps it, and a person need not wait for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from believers import CITY
from forgetting import ANA, BOB, home_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import World, code_of

from heedful.kernel.ids import ClaimId, RecordId
from heedful.ledger.erasure_events import ErasureRequested
from heedful.observations.record import RecordStatus
from heedful.ports.store import Chain
from heedful.service.jobs import retain_records
from heedful.service.project import event_of

DAY = 86_400


def told(home: World, value: str, days: int | None, scope: tuple[str, ...] = ANA, **more: Any) -> tuple[str, str]:
    """The ids of a record of Dan's that is kept so many days, and of its claim about where Ana lives."""
    given: Any = {"kind": CITY, "subject": "user:ana", "value": value, "consent": "explicit", **more}
    kept = home.dan.remember(f"lives in {value}", scope=scope, retain_days=days, **given)
    return kept.record_id, kept.claims[0].claim_id


def is_there(home: World, item_id: str) -> bool:
    """True where the store has the record or claim."""
    with home.app.session(principal="person:ana").store.read() as reading:
        return reading.record(RecordId(item_id)) is not None or reading.claim(ClaimId(item_id)) is not None


def requested(home: World) -> list[ErasureRequested]:
    """What was erased, part by part."""
    with home.app.session(principal="person:ana").store.read() as reading:
        found = [event_of(each) for each in reading.events_of("erasure.requested")]
    return [each for each in found if isinstance(each, ErasureRequested)]


def test_records_go_when_their_days_have_ended(home: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what was made of them, in pages, under one receipt, and to the last stage. The control: others stay."""
    monkeypatch.setattr(retain_records, "SEEDS_MAX", 1)
    gone = [*told(home, "Rome", 3), *told(home, "Oslo", 3, BOB)]
    gone.append(home.dan.remember("of it", scope=ANA, grade="summary", derived_from=[gone[0]]).record_id)
    kept = [*told(home, "Bonn", 9, ("user:cyd",)), *told(home, "Kyiv", None, ("user:eve",))]
    home.clock.go(seconds=3 * DAY - 60)
    home.ana.maintain("retain")
    assert all(is_there(home, each) for each in (*gone, *kept))
    assert requested(home) == []

    home.clock.go(seconds=DAY)
    home.ana.maintain()

    assert [is_there(home, each) for each in (*gone, *kept)] == [False] * 5 + [True] * 4
    (receipt,) = home.ana.receipts()
    assert (receipt.because, receipt.by, receipt.stage) == ("retention", "record", "scrubbed")
    assert (receipt.records, receipt.claims) == (3, 2)
    assert [len(each.record_ids) for each in requested(home)] == [2, 1]
    assert home.ana.verify(views=True).views == "equal"
    heads = []
    for _ in range(2):
        with home.app.session(principal="person:ana").store.read() as reading:
            heads.append(reading.head(Chain.LEDGER))
        home.ana.maintain("retain")
    assert heads[0] == heads[1], "nothing is due, so nothing happens"


def test_a_hold_keeps_what_is_past_its_days(home: World) -> None:
    """Hidden, as if it were gone, and once only however often the job runs; the release lets it go."""
    record_id, claim_id = told(home, "Rome", 3)
    hold = home.ana.hold(subject="user:ana")
    home.clock.go(seconds=4 * DAY)
    for _ in range(2):
        home.ana.maintain()
    assert len(requested(home)) == 1
    assert home.ana.show(record_id)[0].status is RecordStatus.HELD  # type: ignore[union-attr]
    assert code_of(lambda: home.dan.show(record_id)) == "item_not_found"

    home.ana.release_hold(hold.hold_id)
    home.ana.maintain("erase")

    assert not is_there(home, record_id)
    assert not is_there(home, claim_id)
    (receipt,) = home.ana.receipts()
    assert (receipt.because, receipt.records, receipt.waits_for_hold) == ("retention", 1, False)


def test_who_asks_need_not_wait_for_the_end_of_the_days(home: World) -> None:
    """It goes at once, under the receipt of whoever asked; the job finds nothing more of it."""
    record_id, _ = told(home, "Rome", 300)
    receipt = home.dan.forget(record=record_id)
    assert not is_there(home, record_id)
    home.clock.go(seconds=301 * DAY)
    home.ana.maintain("retain")
    assert [each.erasure_id for each in requested(home)] == [receipt.erasure_id]


def test_policys_days_are_for_records_that_name_none(home: World) -> None:
    """But for what an operator said with the right to: rules do not end by them."""
    policy = replace(home.app.registry.policy, default_retain_days=3)
    home.app.registry = replace(home.app.registry, policy=policy)
    (usual, _), (longer, _) = told(home, "Rome", None), told(home, "Oslo", 9, BOB)
    rule = home.ana.remember("Ask before a release.", scope=ANA, grade="operator").record_id
    claimed = home.dan.remember("Never ask.", scope=ANA, grade="operator").record_id
    home.clock.go(seconds=4 * DAY)
    home.ana.maintain("retain")
    assert [is_there(home, each) for each in (usual, longer, rule, claimed)] == [False, True, True, False]


def test_what_was_refused_its_evidence_goes_too(home: World) -> None:
    """A withdrawn record has its content still; it goes with its days like any other."""
    record_id, _ = told(home, "Rome", 3)
    home.ana.reject(record_id, reason="wrong")
    home.clock.go(seconds=4 * DAY)
    home.ana.maintain("retain")
    assert not is_there(home, record_id)
