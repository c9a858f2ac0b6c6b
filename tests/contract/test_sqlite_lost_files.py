"""A database that is gone, empty or another tenant's is an error: never an empty store in its place."""

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.kernel.errors import ConflictError, FaultError, HeedfulError, UnavailableError
from heedful.ledger.verify import verify_chain
from heedful.ports.store import Chain, Tenant, TenantStore, Writing
from heedful.testing.builders import append_event, build_search_row, build_tenant
from heedful.testing.factory import add_tenant

ANA, BEN = build_tenant(1), build_tenant(2)
BOTH_CHAINS = ("ledger_events", "access_events")
COLUMNS = "event_id, type, version, recorded_at_us, payload_digest, key_id, prev_digest, digest, payload, salt"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A closed store of two tenants with an event in each chain, and search rows that wait."""
    store = SqliteStore.open(tmp_path)
    for tenant in (ANA, BEN):
        tenant_store = add_tenant(store, tenant)
        tenant_store.write(lambda writing, tenant=tenant: _fill(writing, tenant))  # type: ignore[misc]
    store.close()
    return tmp_path


def _fill(writing: Writing, tenant: Tenant) -> None:
    for chain in Chain:
        append_event(writing, tenant, chain=chain)
    for position in (1, 2):
        writing.put_search_row(build_search_row(position), ())


def _file(folder: Path, tenant: Tenant) -> Path:
    return folder / "tenants" / f"{tenant.tenant_id}.db"


def _delete(folder: Path) -> None:
    _file(folder, ANA).unlink()


def _empty(folder: Path) -> None:
    _file(folder, ANA).write_bytes(b"")


def _replace_with_new(folder: Path) -> None:
    _file(folder, ANA).unlink()
    connection = apsw.Connection(str(_file(folder, ANA)))
    connection.execute("PRAGMA user_version = 1")
    connection.close()


def _swap(folder: Path) -> None:
    ana, ben = _file(folder, ANA).read_bytes(), _file(folder, BEN).read_bytes()
    _file(folder, ANA).write_bytes(ben)
    _file(folder, BEN).write_bytes(ana)


def _delete_state(folder: Path) -> None:
    _run(folder, "DELETE FROM state")


def _run(folder: Path, statements: str) -> None:
    connection = apsw.Connection(str(_file(folder, ANA)))
    connection.execute(statements).fetchall()
    connection.close()


def _dump(tenant_store: TenantStore) -> list[bytes]:
    with tenant_store.read() as reading:
        return list(reading.dump_views())


@pytest.mark.parametrize(
    ("damage", "kind", "code"),
    [
        (_delete, UnavailableError, "store_unavailable"),
        (_empty, UnavailableError, "store_unavailable"),
        (_replace_with_new, UnavailableError, "store_unavailable"),
        (_swap, FaultError, "tenant_mismatch"),
        (_delete_state, FaultError, "store_corrupt"),
    ],
)
def test_a_tenant_whose_database_was_lost_is_not_opened(
    folder: Path, damage: Callable[[Path], None], kind: type[HeedfulError], code: str
) -> None:
    """Not once and not twice: asking makes no database. The message tells what to do, and shows no path."""
    damage(folder)
    before = {path.name: path.read_bytes() for path in (folder / "tenants").iterdir() if path.suffix == ".db"}
    store = SqliteStore.open(folder)
    for _ in range(2):
        with pytest.raises(kind) as caught:
            store.tenant_store(ANA.tenant_id)
        assert caught.value.code == code
        assert "backup" in caught.value.next_step
        assert str(folder) not in str(caught.value.to_dict())
    store.close()
    assert {path.name: path.read_bytes() for path in (folder / "tenants").iterdir()}.keys() == before.keys()


def test_an_untouched_store_opens(folder: Path) -> None:
    """The control: both tenants are there, each with its own."""
    store = SqliteStore.open(folder)
    for tenant in (ANA, BEN):
        with store.tenant_store(tenant.tenant_id).read() as reading:
            assert reading.head(Chain.LEDGER).position == 1
    store.close()


@pytest.mark.parametrize("damage", [_delete, _empty])
def test_a_lost_database_is_not_made_again_by_making_the_tenant_again(
    folder: Path, damage: Callable[[Path], None]
) -> None:
    """`tenant_taken`, as before; nobody gets an empty ledger by asking for the same tenant."""
    damage(folder)
    store = SqliteStore.open(folder)
    with pytest.raises(ConflictError) as caught:
        store.create_tenant(ANA)
    assert caught.value.code == "tenant_taken"
    store.close()


@pytest.mark.parametrize("damage", ["deleted", "empty"])
def test_a_lost_list_of_tenants_is_not_made_again(folder: Path, damage: str) -> None:
    """Else all tenants would be gone without a word."""
    control = folder / "control.db"
    if damage == "deleted":
        control.unlink()
    else:
        control.write_bytes(b"")
    for _ in range(2):
        with pytest.raises(UnavailableError) as caught:
            SqliteStore.open(folder)
        assert caught.value.code == "store_unavailable"
        assert "control.db" in caught.value.message


def test_a_tenant_is_listed_only_once_its_database_is_made(tmp_path: Path) -> None:
    """A failure in between leaves neither; the next try makes both."""
    store = SqliteStore.open(tmp_path)
    (tmp_path / "tenants").rmdir()
    (tmp_path / "tenants").write_text("a file in its place")
    with pytest.raises(UnavailableError):
        store.create_tenant(ANA)
    assert store.tenants() == ()
    (tmp_path / "tenants").unlink()
    (tmp_path / "tenants").mkdir()
    assert add_tenant(store, ANA).tenant == ANA
    store.close()


def test_a_database_that_was_made_before_a_crash_is_taken_up(tmp_path: Path) -> None:
    """The file is there and the tenant not listed: making the tenant again takes the file."""
    store = SqliteStore.open(tmp_path)
    add_tenant(store, ANA)
    store.close()
    control = apsw.Connection(str(tmp_path / "control.db"))
    control.execute("DELETE FROM tenants")
    control.close()
    store = SqliteStore.open(tmp_path)
    assert add_tenant(store, ANA).write(lambda writing: append_event(writing, ANA)).envelope.position == 1
    store.close()


@pytest.mark.parametrize("table", BOTH_CHAINS)
@pytest.mark.parametrize("position", [0, -1, -5, -(1 << 63)])
def test_no_event_stands_before_position_1(folder: Path, table: str, position: int) -> None:
    """The table refuses it, and where that is got round the reader meets it first, and the chain is broken."""
    insert = f"INSERT INTO {table} SELECT {position}, {COLUMNS} FROM {table} WHERE position = 1"
    with pytest.raises(apsw.ConstraintError):
        _run(folder, insert)
    _run(folder, f"PRAGMA ignore_check_constraints = ON; {insert}")
    store = SqliteStore.open(folder)
    chain = Chain.LEDGER if table == "ledger_events" else Chain.ACCESS
    with store.tenant_store(ANA.tenant_id).read() as reading:
        assert [event.envelope.position for event in reading.events(chain)] == [position, 1]
        found = verify_chain(reading.events(chain), tenant_id=ANA.tenant_id, expected_head=reading.head(chain))
    assert found.broken is not None
    assert (found.broken.position, found.broken.breach) == (1, "position-gap")
    store.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE state SET pending_count = 0",
        "UPDATE state SET pending_count = pending_count + 1",
        "DELETE FROM search_pending WHERE position = 2",
        "DELETE FROM search_pending",
    ],
)
def test_a_dump_shows_waiting_rows_that_are_not_as_many_as_are_counted(folder: Path, statement: str) -> None:
    """Else a search would pass over rows, and a comparison with a refold would not tell."""
    store = SqliteStore.open(folder)
    before = _dump(store.tenant_store(ANA.tenant_id))
    store.close()
    _run(folder, statement)
    store = SqliteStore.open(folder)
    assert _dump(store.tenant_store(ANA.tenant_id)) != before
    store.close()
