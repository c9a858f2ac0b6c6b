"""Verify: any tampering with a chain on disk is found and named, and so is a view that the ledger does not give."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from worlds import DEPLOY, QUESTION, World, code_of, house_fixture, world  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.adapters.storage.sqlite.connection import Session
from heedful.kernel.ids import TenantId
from heedful.ledger.verify import BrokenEvent
from heedful.ports.store import Chain, Tenant
from heedful.service.auditing.audit import verify
from heedful.service.tenant import adopt_registry

PLACE = 5
"""The event that is tampered with."""

LEDGER_TAMPERINGS = {
    "payload": (
        f"UPDATE ledger_events SET payload = CAST(payload || ' ' AS BLOB) WHERE position = {PLACE}",
        "payload-mismatch",
    ),
    "payload-gone": (
        f"UPDATE ledger_events SET payload = NULL, salt = NULL WHERE position = {PLACE}",
        "payload-missing",
    ),
    "salt": (f"UPDATE ledger_events SET salt = zeroblob(32) WHERE position = {PLACE}", "payload-mismatch"),
    "type": (f"UPDATE ledger_events SET type = 'record.pending' WHERE position = {PLACE}", "digest-mismatch"),
    "version": (f"UPDATE ledger_events SET version = 2 WHERE position = {PLACE}", "digest-mismatch"),
    "time": (
        f"UPDATE ledger_events SET recorded_at_us = recorded_at_us + 1 WHERE position = {PLACE}",
        "digest-mismatch",
    ),
    "id": (f"UPDATE ledger_events SET event_id = 'x' WHERE position = {PLACE}", "digest-mismatch"),
    "key": (f"UPDATE ledger_events SET key_id = 'k' WHERE position = {PLACE}", "digest-mismatch"),
    "digest": (f"UPDATE ledger_events SET digest = zeroblob(32) WHERE position = {PLACE}", "digest-mismatch"),
    "link": (f"UPDATE ledger_events SET prev_digest = zeroblob(32) WHERE position = {PLACE}", "link-broken"),
    "removed": (f"DELETE FROM ledger_events WHERE position = {PLACE}", "position-gap"),
    "swapped": (
        (
            f"UPDATE ledger_events SET position = 1000 WHERE position = {PLACE};"
            f"UPDATE ledger_events SET position = {PLACE} WHERE position = {PLACE + 1};"
            f"UPDATE ledger_events SET position = {PLACE + 1} WHERE position = 1000"
        ),
        "link-broken",
    ),
}


def build(folder: Path) -> None:
    """A store with a freeze, a packet, a verdict and its outcome."""
    with world(folder) as house:
        house.freeze()
        house.agent.recall(QUESTION, impact="execute")
        house.agent.recall("again", impact="execute")
        verdict = house.agent.judge("Bash", DEPLOY)
        house.agent.report_outcome(verdict.verdict_id, status="not-done")


def tamper(folder: Path, statements: str) -> None:
    """The statements are run on the tenant's database, beside Heedful."""
    (path,) = (folder / "tenants").glob("*.db")
    session = Session(str(path), lock_wait_seconds=1.0)
    session.cursor.execute(statements)
    session.close()


def test_an_untouched_store_holds(tmp_path: Path) -> None:
    """The control: chains hold, and a refold gives the views."""
    build(tmp_path)
    with world(tmp_path) as house:
        audit = house.ana.verify(views=True)
        count = len(house.events())

    assert audit.holds
    assert audit.views == "equal"
    assert (audit.ledger.event_count, audit.access.event_count) == (count, 2)


@pytest.mark.parametrize("case", LEDGER_TAMPERINGS)
def test_a_tampered_event_is_found_and_named(tmp_path: Path, case: str) -> None:
    """Payload, envelope, order and links: the first event that does not hold is the one that was touched."""
    build(tmp_path)
    statements, breach = LEDGER_TAMPERINGS[case]
    tamper(tmp_path, statements)
    with world(tmp_path) as house:
        audit = house.ana.verify(views=True)

    assert audit.ledger.broken is not None
    assert (audit.ledger.broken.position, audit.ledger.broken.breach) == (PLACE, breach)
    assert not audit.holds
    assert audit.views == "unchecked", "a broken ledger is not folded"


def test_a_cut_tail_is_found(tmp_path: Path) -> None:
    """The chain itself still links; the stored head tells that there was more."""
    build(tmp_path)
    tamper(tmp_path, "DELETE FROM ledger_events WHERE position = (SELECT max(position) FROM ledger_events)")
    with world(tmp_path) as house:
        audit = house.ana.verify()

    assert audit.ledger.broken is not None
    assert audit.ledger.broken.breach == "head-mismatch"
    assert audit.ledger.broken.position == audit.ledger.event_count + 1


def test_a_tampered_access_chain_is_found(tmp_path: Path) -> None:
    """Who was handed what is guarded as well."""
    build(tmp_path)
    tamper(tmp_path, "UPDATE access_events SET payload = CAST(payload || ' ' AS BLOB) WHERE position = 2")
    with world(tmp_path) as house:
        audit = house.ana.verify()

    assert audit.ledger.broken is None
    assert audit.access.broken is not None
    assert (audit.access.broken.position, audit.access.broken.breach) == (2, "payload-mismatch")


@pytest.mark.parametrize(
    "statements",
    [
        "UPDATE claims SET status = 'revoked' WHERE status = 'active'",
        "UPDATE records SET status = 'withdrawn'",
        "DELETE FROM claims",
        "UPDATE state SET pending_count = 0",
        "DELETE FROM search_pending WHERE position = (SELECT max(position) FROM search_pending)",
        "DELETE FROM records",
    ],
)
def test_a_view_that_the_ledger_does_not_give_is_found(tmp_path: Path, statements: str) -> None:
    """The chain holds; only a refold tells, and it changes nothing."""
    build(tmp_path)
    tamper(tmp_path, statements)
    with world(tmp_path) as house:
        before = house.views()
        audit = house.ana.verify(views=True)
        assert house.views() == before, "a comparison mends nothing"

    assert audit.ledger.broken is None
    assert audit.views == "different"
    assert not audit.holds


def test_a_ledger_that_does_not_begin_with_its_tenant_is_broken(house: World) -> None:
    """Empty, or with another event first: `beginning-missing` at 1, although every link holds."""
    session = house.app.session(principal="person:ana")
    tenant = Tenant(TenantId("0190b3c4-0000-7000-8000-00000000000b"), "bare", 0)
    house.app.store.create_tenant(tenant)
    bare = replace(session, store=house.app.store.tenant_store(tenant.tenant_id))

    def broken() -> BrokenEvent | None:
        audit = verify(bare, views=True, progress=lambda _position: None)
        assert audit.holds == (audit.ledger.broken is None)
        return audit.ledger.broken

    assert broken() == BrokenEvent(1, None, "beginning-missing")
    adopt_registry(bare)
    with bare.store.read() as reading:
        first = reading.event(Chain.LEDGER, 1)
    assert first is not None
    assert broken() == BrokenEvent(1, first.envelope.event_id, "beginning-missing")


def test_a_tenant_with_an_empty_ledger_is_no_empty_memory(house: World) -> None:
    """`store_unavailable` at every door, before anything is written to it."""
    tenant = Tenant(TenantId("0190b3c4-0000-7000-8000-00000000000b"), "bare", 0)
    house.app.store.create_tenant(tenant)

    for _ in range(2):
        assert code_of(lambda: house.memory("person:ana", tenant="bare")) == "store_unavailable"


def test_progress_is_told_each_position(house: World) -> None:
    """From the first to the last event."""
    house.freeze()
    told: list[int] = []
    session = house.app.session(principal="person:ana")
    verify(session, views=False, progress=told.append)

    assert told == list(range(1, len(house.events()) + 1))


@pytest.mark.parametrize("who", ["person:dan", "person:bob", "agent:pip", "person:nobody"])
def test_only_auditors_and_owners_verify(house: World, who: str) -> None:
    """Others learn nothing, not even how long the ledger is."""
    house.freeze()

    assert code_of(lambda: house.memory(who).verify()) == "principal_may_not"
    assert house.memory("person:aud").verify(views=True).holds
    if who != "person:nobody":
        assert house.memory(who).status().counts == {}
        assert house.memory(who).status().ledger_position is None
    assert house.memory("person:aud").status().counts["claims.active"] == 1
