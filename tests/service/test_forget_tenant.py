"""A whole tenant forgotten: its rows, files, contents and keys; who may, what refuses it, and what whoever asks is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from believers import PEOPLE
from forgetting import ANA, told
from worlds import World, world

from heedful import Memory
from heedful.kernel.errors import HeedfulError
from heedful.kernel.ids import PrincipalId
from heedful.policy.decide import may
from heedful.ports.store import Chain
from heedful.service.erasure.receipt import Receipt
from heedful.service.erasure.tenant import TenantKept
from heedful.testing.stores import EmptyPostgresDatabase

LONG = "杂志 planted words " * 4_000
PLANTED = (b"planted words", "杂志".encode(), b"Lisbon-7731", b"person:ana")


@pytest.fixture(name="home")
def home_fixture(tmp_path: Path) -> Iterator[World]:
    """A store in files, with the tenants `default` and `acme`."""
    with world(tmp_path / "store", policy=PEOPLE) as made:
        made.app.add_tenant("acme", PrincipalId("person:ana"))
        yield made


def fill(memory: Memory) -> None:
    """A claim, a large content, a packet in the access chain, and an earlier erasure."""
    told(memory, "Lisbon-7731")
    memory.remember(LONG, scope=ANA)
    memory.forget(record=memory.remember("gone before", scope=ANA, source_ref="sheet-1").record_id)
    memory.recall("Where does Ana live?", scope=ANA)


def code_of(call: Callable[[], object]) -> str:
    """The code of the error that this raises."""
    with pytest.raises(HeedfulError) as caught:
        call()
    return caught.value.code


def left_on_disk(folder: Path) -> bytes:
    """Every byte of every file."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def erased(memory: Memory, name: str = "acme") -> Receipt:
    """The receipt of its erasure."""
    done = memory.forget(tenant=name)
    assert isinstance(done, Receipt)
    return done


def test_a_tenant_that_is_forgotten_is_gone_with_its_keys(home: World, tmp_path: Path) -> None:
    """No file has a word of it, nor its name, nor its key; a tombstone with a receipt is left. The control: all was there.
    Another tenant is as it was.
    """
    memory = home.memory("person:ana", tenant="acme")
    fill(memory)
    told(home.ana, "Oslo")
    tenant_id = memory._session.store.tenant.tenant_id
    key = memory._session.keys.tenant_key(tenant_id)
    home.app._sealing.journal(memory._session.store).flush()
    memory.checkpoint()
    before = left_on_disk(tmp_path)
    assert all(word in before for word in (*PLANTED, key, b"acme"))
    neighbour = home.views()

    receipt = erased(memory)

    after = left_on_disk(tmp_path)
    assert not any(word in after for word in (*PLANTED[:-1], key, b"acme"))
    assert (receipt.by, receipt.stage, receipt.records, receipt.waits_for_hold) == ("tenant", "scrubbed", 2, False)
    assert receipt.backups_expire_at is not None
    assert receipt.could_not, "what a disk keeps of removed files is not ours to end"
    assert home.app.keys.known_key(tenant_id) is None
    assert home.app.signing is not None
    assert home.app.signing.pinned(tenant_id) is None
    assert home.views() == neighbour
    assert [path.name for path in (tmp_path / "store" / "tenants").glob(f"*{tenant_id}*")] == []


def test_whoever_has_it_open_is_told_and_nobody_gets_an_empty_one(home: World) -> None:
    """`tenant_erased` at every door; a new one of that name takes an explicit step, and has another key."""
    memory = home.memory("person:ana", tenant="acme")
    agent = home.memory("agent:pip", channel="agent", tenant="acme")
    fill(memory)
    memory.recall("Where does Ana live?", scope=ANA)  # an entry waits for its group
    old = memory._session.store.tenant.tenant_id
    erased(memory)
    calls: list[Callable[[], object]] = [
        lambda: memory.recall("Where?", scope=ANA),
        lambda: agent.recall("Where?", scope=ANA),
        lambda: memory.remember("again", scope=ANA),
        lambda: memory.remember(LONG, scope=ANA),
        memory.status,
        memory.verify,
        lambda: memory.forget(record="x"),
        lambda: memory.forget(tenant="acme", dry_run=True),
        lambda: home.memory("person:ana", tenant="acme"),
        lambda: home.app.add_tenant("acme", PrincipalId("person:ana")),
    ]
    allowed = {"tenant_erased", "tenant_not_found"}
    assert {code_of(call) for call in calls[:7] + calls[8:]} == {"tenant_erased"}
    assert code_of(calls[7]) in allowed
    assert code_of(lambda: home.memory("person:ana", tenant="never")) == "tenant_not_found"

    home.app.add_tenant("acme", PrincipalId("person:ana"), anew=True)

    anew = home.memory("person:ana", tenant="acme")
    tenant_id = anew._session.store.tenant.tenant_id
    assert tenant_id != old
    assert anew.recall("Where does Ana live?", scope=ANA).items == ()
    assert anew.remember("sheet", scope=ANA, source_ref="sheet-1").outcome == "admitted", "it knows of nothing before"
    assert code_of(lambda: memory.status()) == "tenant_erased"  # noqa: PLW0108 - what is called is what was kept


def test_a_dry_run_counts_and_changes_nothing(home: World) -> None:
    """For those who may audit; for those who may hold, whether it would be refused."""
    memory = home.memory("person:ana", tenant="acme")
    fill(memory)
    before = memory.status()
    plan = memory.forget(tenant="acme", dry_run=True)
    assert plan.counts is not None
    assert (
        plan.counts["records"],
        sum(count for name, count in plan.counts.items() if name.startswith("claims.")),
        plan.held,
    ) == (2, 1, False)
    assert plan.counts["ledger_events"] > 0
    assert memory.status() == before
    memory.hold(tenant=True)
    assert memory.forget(tenant="acme", dry_run=True).held is True


def test_who_may_not_erase_is_refused_and_the_name_has_to_be_its_own(home: World) -> None:
    """Nothing is changed; agents never; the control: the owner may."""
    memory = home.memory("person:ana", tenant="acme")
    told(memory, "Lisbon")
    assert code_of(lambda: home.memory("person:dan", tenant="acme").forget(tenant="acme")) == "principal_may_not"
    agent = home.memory("agent:pip", channel="agent", tenant="acme")
    assert code_of(lambda: agent.forget(tenant="acme")) == "principal_may_not"
    assert code_of(lambda: agent.forget(tenant="acme", dry_run=True)) == "principal_may_not"
    assert code_of(lambda: memory.forget(tenant="default")) == "tenant_unconfirmed"
    both: dict[str, Any] = {"tenant": "acme", "subject": "user:ana"}
    assert code_of(lambda: memory.forget(**both)) == "forget_what"
    assert code_of(lambda: memory.forget(tenant="acme", because="so")) == "choice_unknown"
    assert memory.status().counts["records"] == 1
    erased(memory)


@pytest.mark.parametrize("because", ["held", "kept"])
def test_a_hold_refuses_it_and_says_so_to_who_may_know(
    home: World, monkeypatch: pytest.MonkeyPatch, because: str
) -> None:
    """As a value, in words that tell others nothing of holds; after the release it goes through."""
    memory = home.memory("person:ana", tenant="acme")
    record_id, _ = told(memory, "Lisbon")
    hold = memory.hold(record=record_id)
    with monkeypatch.context() as patched:
        if because == "kept":  # no role has the one right without the other
            patched.setattr("heedful.service.erasure.tenant.may", lambda *asked: replace(may(*asked), allowed=False))
        kept = memory.forget(tenant="acme")

    assert isinstance(kept, TenantKept)
    assert (kept.outcome, kept.because) == ("refused", because)
    assert ("hold list" in kept.next_step) is (because == "held")
    assert memory.status().counts["records"] == 1
    memory.release_hold(hold.hold_id)
    assert erased(memory).stage == "scrubbed"


@pytest.mark.parametrize(("step", "times"), [("keys.destroy", 1), ("store.bury", 2)])
def test_what_was_stopped_between_any_two_steps_goes_on_when_it_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, times: int
) -> None:
    """Under the receipt that it began with; meanwhile nobody reads it. As after a kill: with another process's handles."""
    place, name = step.split(".")
    with world(tmp_path / "store", policy=PEOPLE) as home:
        home.app.add_tenant("acme", PrincipalId("person:ana"))
        memory = home.memory("person:ana", tenant="acme")
        fill(memory)
        target, left = getattr(home.app, place), times
        real = getattr(type(target), name)

        def stopped(self: object, *arguments: Any) -> Any:
            nonlocal left
            left -= 1
            if not left:
                raise KeyboardInterrupt
            return real(self, *arguments)

        with monkeypatch.context() as patched:
            patched.setattr(type(target), name, stopped)
            with pytest.raises(KeyboardInterrupt):
                memory.forget(tenant="acme")
        assert code_of(lambda: memory.recall("Where?", scope=ANA)) == "tenant_erased"
    with world(tmp_path / "store", policy=PEOPLE) as home:
        eraser = home.app.eraser(principal="person:ana")
        if step != "store.bury" or times > 1:
            (begun,) = home.ana.receipts()
            assert begun.stage == "logical"
        assert code_of(lambda: home.memory("person:ana", tenant="acme").status()) == "tenant_erased"
        from heedful.service.erasure.tenant import forget_tenant  # noqa: PLC0415 - what a command calls

        done = forget_tenant(eraser, "acme")
        assert isinstance(done, Receipt)
        assert forget_tenant(eraser, "acme") == done, "once more: nothing"
        assert (done.stage, done.records) == ("scrubbed", 2)
        assert home.ana.receipts() == (done,)
        assert not any(word in left_on_disk(tmp_path) for word in PLANTED[:-1])


def test_the_receipt_stays_for_those_who_may_see_it(home: World, tmp_path: Path) -> None:
    """Signed, without content, from another tenant's session and from the erased one's; not for others."""
    memory = home.memory("person:ana", tenant="acme")
    fill(memory)
    done = erased(memory)
    assert home.ana.receipt(done.erasure_id) == memory.receipt(done.erasure_id) == done
    assert home.ana.receipts() == memory.receipts() == (done,)
    assert home.dan.receipts() == ()
    assert code_of(lambda: home.dan.receipt(done.erasure_id)) == "receipt_not_found"
    home.ana.receipt(done.erasure_id, out=tmp_path / "receipt.json")
    check = Memory.verify_receipt(tmp_path / "receipt.json")
    assert check.holds
    content = (tmp_path / "receipt.json").read_bytes()
    assert not any(word in content for word in (*PLANTED[:-1], b"acme"))
    assert json.loads(content)["receipt"]["stage"] == "scrubbed"


def test_a_ledger_that_was_exported_before_brings_it_not_back(home: World, tmp_path: Path) -> None:
    """Under no name, and its key is not put back for it; nor does another tenant's come under its name."""
    memory = home.memory("person:ana", tenant="acme")
    told(memory, "Lisbon-7731")
    exported = memory.export_ledger(tmp_path / "acme.jsonl")
    tenant_id = memory._session.store.tenant.tenant_id
    (tmp_path / "key").write_bytes(memory._session.keys.tenant_key(tenant_id))
    home.app.add_tenant("web", PrincipalId("person:ana"))
    other = home.memory("person:ana", tenant="web")
    other.export_ledger(tmp_path / "web.jsonl")
    assert exported.tenant == "acme"
    erased(memory)
    erased(other, "web")
    for name in (None, "another"):
        with pytest.raises(HeedfulError) as caught:
            home.ana.import_ledger(tmp_path / "acme.jsonl", name=name, key_file=tmp_path / "key")
        assert caught.value.code == "tenant_erased"
    assert home.app.keys.known_key(tenant_id) is None
    assert [each.name for each in home.app.store.tenants()] == ["default"]


def rows_left(dsn: str) -> dict[str, int]:
    """Rows of the tenant that was made second, by table."""
    with psycopg.connect(dsn) as connection:
        ((number,),) = connection.execute("SELECT max(tenant_id) FROM heedful.tenants").fetchall()
        columns = connection.execute(
            "SELECT table_name FROM information_schema.columns JOIN pg_tables ON tablename = table_name"
            " WHERE table_schema = 'heedful' AND column_name = 'tenant_id'"
        ).fetchall()
        found = {}
        for (name,) in columns:
            asked = f"SELECT count(*) FROM heedful.{name} WHERE tenant_id = %s".encode()
            ((found[name],),) = connection.execute(asked, (number,)).fetchall()
        return {name: count for name, count in found.items() if count}


def test_on_postgresql_no_row_of_it_is_left(emptied_database: EmptyPostgresDatabase) -> None:
    """In any table; another tenant's rows are as they were, and its name is free on purpose alone."""
    with world(policy=PEOPLE, database=emptied_database) as home:
        home.app.add_tenant("acme", PrincipalId("person:ana"))
        memory = home.memory("person:ana", tenant="acme")
        fill(memory)
        told(home.ana, "Oslo")
        neighbour = home.views(), len(home.events(Chain.LEDGER))
        receipt = erased(memory)
        assert (receipt.stage, receipt.records) == ("scrubbed", 2)
        assert (home.views(), len(home.events(Chain.LEDGER))) == neighbour
        assert rows_left(emptied_database.superuser_dsn) == {"state": 1, "tenants": 1}
        assert code_of(lambda: memory.remember(LONG, scope=ANA)) == "tenant_erased"
        assert code_of(lambda: home.app.add_tenant("acme", PrincipalId("person:ana"))) == "tenant_erased"
        home.app.add_tenant("acme", PrincipalId("person:ana"), anew=True)
        assert home.memory("person:ana", tenant="acme").recall("Where?", scope=ANA).items == ()
