"""What was made of what goes, at any depth and width, goes in several transactions, under one receipt."""

from __future__ import annotations

from typing import Any

import pytest
from forgetting import ANA, home_fixture, memory_fixture

from heedful import Memory
from heedful.kernel.ids import RecordId
from heedful.service.erasure import closure, erase

__all__ = ("home_fixture", "memory_fixture")


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (closure, erase):
        monkeypatch.setattr(module, "RECORDS_MAX", 3)


def made(memory: Memory) -> list[str]:
    """A record, a chain of summaries of it, and some more of the first."""
    found: list[str] = [memory.remember("Zelda 0", scope=ANA).record_id]
    for number in range(1, 7):
        found.append(summary(memory, number, [found[-1]]))
    for number in range(7, 12):
        found.append(summary(memory, number, [found[0], found[number - 4]]))
    return found


def summary(memory: Memory, number: int, sources: list[str]) -> str:
    """A record made from these."""
    return memory.remember(f"Zelda {number}", scope=ANA, grade="summary", derived_from=sources).record_id


def left(memory: Memory, record_ids: list[str]) -> list[str]:
    """Those of the records that are there."""
    with memory._session.store.read() as reading:
        return [each.record.record_id for each in reading.records_by_ids([RecordId(each) for each in record_ids])]


def test_what_is_more_than_one_transaction_takes_goes(memory: Memory) -> None:
    """All of it, and the receipt says how much; the control: what was made of nothing stays."""
    ids, beside = made(memory), memory.remember("Zelda beside", scope=ANA).record_id
    assert memory.forget(record=ids[0], dry_run=True).records == len(ids)
    receipt = memory.forget(record=ids[0])
    assert (receipt.stage, receipt.records, left(memory, [*ids, beside])) == ("logical", len(ids), [beside])
    memory.maintain("erase")
    assert memory.receipt(receipt.erasure_id).stage == "scrubbed"
    assert memory.verify(views=True).views == "equal"


def test_who_is_stopped_midway_finds_the_rest_again(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was made goes before its sources, so that these lead to what is left."""
    ids, pages = made(memory), iter(range(9))
    erase_page = erase.erase

    def stopped(*given: Any, **more: Any) -> closure.Closure:
        if "records_max" not in more and next(pages) == 2:
            raise ZeroDivisionError
        return erase_page(*given, **more)

    with monkeypatch.context() as patched:
        patched.setattr(erase, "erase", stopped)
        with pytest.raises(ZeroDivisionError):
            memory.forget(record=ids[0])
    assert left(memory, ids) == ids[:6]
    assert memory.forget(record=ids[0]).records == 6
    assert not left(memory, ids)


def test_what_a_hold_keeps_of_many_goes_when_it_is_released(memory: Memory) -> None:
    """Those are more than one transaction takes, too."""
    ids = made(memory)
    hold = memory.hold(record=ids[2:9])
    receipt = memory.forget(record=ids[0])
    assert (receipt.records, receipt.waits_for_hold, left(memory, ids)) == (5, True, ids[2:9])
    memory.maintain("erase")
    assert left(memory, ids) == ids[2:9]
    memory.release_hold(hold.hold_id)
    memory.maintain("erase")
    done = memory.receipt(receipt.erasure_id)
    assert (done.stage, done.records, left(memory, ids)) == ("scrubbed", len(ids), [])
