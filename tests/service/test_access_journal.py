"""Access journal: reads are sealed in groups, nothing waits for ever, and a failing store loses no entry silently."""

from __future__ import annotations

import pytest
from worlds import QUESTION, World, code_of, house_fixture, world  # noqa: F401  # pytest finds the fixture here

from heedful.kernel.errors import UnavailableError
from heedful.kernel.ids import PacketId, PrincipalId
from heedful.kernel.scope import Scope
from heedful.ledger.events import PacketAssembled
from heedful.ports.store import Chain
from heedful.service.access import PENDING_MAX, AccessJournal


def entry(number: int) -> PacketAssembled:
    """An entry of its own id."""
    return PacketAssembled(PacketId(f"packet-{number}"), PrincipalId("person:ana"), Scope(()), "{}", None)


def journal_of(house: World) -> AccessJournal:
    """The tenant's journal."""
    return house.app.session(principal="person:ana").access


def test_a_group_is_sealed_when_its_window_has_passed(house: World) -> None:
    """Not before; and in one go."""
    journal = journal_of(house)
    journal.add(entry(1), durable=False)
    journal.flush_due()
    early = house.events(Chain.ACCESS)
    house.clock.go(seconds=3_601)
    journal.add(entry(2), durable=False)
    journal.flush_due()

    assert early == []
    assert house.events(Chain.ACCESS) == [entry(1), entry(2)]


def test_a_durable_entry_takes_those_that_wait_with_it(house: World) -> None:
    """In their order."""
    journal = journal_of(house)
    journal.add(entry(1), durable=False)
    journal.add(entry(2), durable=True)

    assert house.events(Chain.ACCESS) == [entry(1), entry(2)]


def test_no_more_than_so_many_wait(house: World) -> None:
    """The one that fills the group seals it."""
    journal = journal_of(house)
    for number in range(PENDING_MAX - 1):
        journal.add(entry(number), durable=False)
    before = len(house.events(Chain.ACCESS))
    journal.add(entry(PENDING_MAX), durable=False)

    assert (before, len(house.events(Chain.ACCESS))) == (0, PENDING_MAX)


def test_where_the_store_fails_the_packet_is_not_handed_out_and_others_go_on_waiting(house: World) -> None:
    """A durable entry that could not be sealed is no entry; the earlier ones are told again at close."""
    agent = house.agent
    agent.recall(QUESTION)
    house.app.store.close()
    journal = agent._session.access

    with pytest.raises(UnavailableError):
        journal.add(entry(2), durable=True)
    assert code_of(journal.flush) == "store_closed"
    assert len(journal._pending) == 1
    with pytest.raises(UnavailableError):
        house.app.close()
    journal._pending.clear()


def test_the_sealer_outlives_a_store_that_fails() -> None:
    """Its thread tries again and again; what it could not seal is told at close."""
    with world(access_window_seconds=0.02) as house:
        memory = house.ana
        house.app.store.close()
        journal = memory._session.access
        journal.add(entry(1), durable=False)
        house.clock.go(seconds=1)
        sealer = house.app._sealing._thread
        assert sealer is not None
        sealer.join(0.2)
        assert sealer.is_alive()
        assert code_of(house.app.close) == "store_closed"
        journal._pending.clear()
