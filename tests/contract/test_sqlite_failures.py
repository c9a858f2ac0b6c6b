"""What SQLite reports becomes ours, and a disk that fails is believed at once. Faults are made below SQLite."""

from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from heedful.adapters.storage.sqlite.connection import translate
from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.kernel.errors import BusyError, FaultError, HeedfulError, InvalidInputError, UnavailableError
from heedful.ports.store import Chain, TenantStore
from heedful.testing.builders import append_event, build_tenant
from heedful.testing.factory import add_tenant

EXPECTED: dict[str, tuple[type[HeedfulError], str]] = {
    "BusyError": (BusyError, "store_busy"),
    "LockedError": (BusyError, "store_busy"),
    "FullError": (UnavailableError, "store_unavailable"),
    "IOError": (UnavailableError, "store_unavailable"),
    "CantOpenError": (UnavailableError, "store_unavailable"),
    "PermissionsError": (UnavailableError, "store_unavailable"),
    "ReadOnlyError": (UnavailableError, "store_unavailable"),
    "NoLFSError": (UnavailableError, "store_unavailable"),
    "AuthError": (UnavailableError, "store_unavailable"),
    "NoMemError": (UnavailableError, "store_unavailable"),
    "InterruptError": (UnavailableError, "store_unavailable"),
    "AbortError": (UnavailableError, "store_unavailable"),
    "CorruptError": (FaultError, "store_corrupt"),
    "NotADBError": (FaultError, "store_corrupt"),
    "FormatError": (FaultError, "store_corrupt"),
    "TooBigError": (InvalidInputError, "value_too_big"),
}


class _FaultyFile(apsw.VFSFile):
    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int], faults: "_FaultyDisk") -> None:
        super().__init__(faults.base, name, flags)
        self._faults = faults

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802  # the driver's name
        self._faults.strike("write")
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802  # the driver's name
        self._faults.strike("sync")
        super().xSync(flags)


class _FaultyDisk(apsw.VFS):
    """A disk on which writes or fsyncs fail while `error` is set."""

    def __init__(self) -> None:
        self.base = apsw.vfs_names()[0]
        super().__init__("faulty", self.base, makedefault=True)
        self.error: type[apsw.Error] | None = None
        self.operation = ""
        self.strikes = 0

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802  # the driver's name
        return _FaultyFile(name, flags, self)

    def strike(self, operation: str) -> None:
        if self.error is not None and operation == self.operation:
            self.strikes += 1
            raise self.error("as ordered")


@pytest.fixture
def disk() -> Iterator[_FaultyDisk]:
    disk = _FaultyDisk()
    yield disk
    disk.unregister()


@pytest.fixture
def tenant_store(disk: _FaultyDisk, tmp_path: Path) -> Iterator[TenantStore]:
    store = SqliteStore.open(tmp_path, lock_wait_seconds=1.0)
    yield add_tenant(store, build_tenant())
    disk.error = None
    store.close()


def _append(tenant_store: TenantStore) -> None:
    tenant_store.write(lambda writing: append_event(writing, tenant_store.tenant))


def _head(tenant_store: TenantStore) -> int:
    with tenant_store.read() as reading:
        return reading.head(Chain.LEDGER).position


def _code(call: Callable[[], object]) -> str:
    with pytest.raises(HeedfulError) as caught:
        call()
    assert isinstance(caught.value.__cause__, apsw.Error | None)
    return caught.value.code


def test_every_error_of_the_driver_has_one_of_ours() -> None:
    """The table names those with a meaning; every other is a fault, never silent."""
    classes = [found for found in vars(apsw).values() if isinstance(found, type) and issubclass(found, apsw.Error)]
    assert {found.__name__ for found in classes} >= set(EXPECTED)
    for driver_class in classes:
        translated = translate(driver_class("SELECT secret FROM /home/x"))
        expected = EXPECTED.get(driver_class.__name__, (FaultError, "store_fault"))
        assert (type(translated), translated.code) == expected
        assert "secret" not in str(translated.to_dict())
        assert "/home" not in str(translated.to_dict())


def test_on_a_sound_disk_nothing_is_refused(disk: _FaultyDisk, tenant_store: TenantStore) -> None:
    """The control of the tests below: the same writes through the same disk succeed."""
    for _ in range(3):
        _append(tenant_store)
    assert _head(tenant_store) == 3


def test_after_one_failed_fsync_nothing_more_is_acknowledged(disk: _FaultyDisk, tenant_store: TenantStore) -> None:
    """The write that met it fails, later ones are refused although the disk is well again, and reading goes on."""
    _append(tenant_store)
    disk.error, disk.operation = apsw.IOError, "sync"
    assert _code(lambda: _append(tenant_store)) == "store_unavailable"
    assert disk.strikes > 0
    disk.error = None
    for _ in range(2):
        assert _code(lambda: _append(tenant_store)) == "store_read_only"
    assert _head(tenant_store) == 1


def test_a_failed_write_of_the_log_is_no_commit(disk: _FaultyDisk, tenant_store: TenantStore) -> None:
    """An I/O error while the WAL is written latches as well."""
    _append(tenant_store)
    disk.error, disk.operation = apsw.IOError, "write"
    assert _code(lambda: _append(tenant_store)) == "store_unavailable"
    disk.error = None
    assert _code(lambda: _append(tenant_store)) == "store_read_only"
    assert _head(tenant_store) == 1


def test_a_full_disk_refuses_and_recovers(disk: _FaultyDisk, tenant_store: TenantStore) -> None:
    """`store_unavailable` while it is full; with space again the same write succeeds, since nothing is in doubt."""
    _append(tenant_store)
    disk.error, disk.operation = apsw.FullError, "write"
    for _ in range(2):
        assert _code(lambda: _append(tenant_store)) == "store_unavailable"
    assert _head(tenant_store) == 1
    disk.error = None
    _append(tenant_store)
    assert _head(tenant_store) == 2


def test_a_damaged_file_is_a_fault(tmp_path: Path) -> None:
    """`store_corrupt`, and no empty store in its place."""
    folder = tmp_path / "store"
    SqliteStore.open(folder).close()
    (folder / "control.db").write_bytes(b"this is no database at all" * 100)
    assert _code(lambda: SqliteStore.open(folder)) == "store_corrupt"


def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    """`store_unavailable`; the message shows no path."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(UnavailableError) as caught:
        SqliteStore.open(tmp_path / "file" / "store")
    assert caught.value.code == "store_unavailable"
    assert str(tmp_path) not in str(caught.value.to_dict())
