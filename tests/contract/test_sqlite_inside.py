"""What only SQLite has: how it is set up, shared commits, leaders and followers, forks, residue in the index."""

import os
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from heedful.adapters.storage.sqlite.database import FileDatabase, MemoryDatabase
from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.adapters.storage.sqlite.writing import PENDING_ROWS_MAX
from heedful.adapters.storage.transaction import Limits
from heedful.ports.store import Chain, Writing
from heedful.testing.builders import append_event, build_search_row, build_tenant
from heedful.testing.factory import add_tenant, one_tenant
from heedful.testing.stores import SqliteFiles

LIMITS = Limits(lock_wait_seconds=5.0, group_commit_jobs_max=8, write_queue_max=1_024)
TENANT = build_tenant()


def _database(tmp_path: Path) -> FileDatabase:
    return FileDatabase(TENANT.tenant_id, tmp_path / "t.db", LIMITS, is_new=True, is_buried=lambda: False)


def _append_one(writing: Writing) -> None:
    append_event(writing, TENANT)


def test_commits_are_synced_and_readers_cannot_write(tmp_path: Path) -> None:
    """WAL and FULL for the writer; query_only for readers; deleted bytes are overwritten on both."""
    database = _database(tmp_path)
    reader = database.lend_reader()
    settings = {
        name: [session.connection.pragma(name) for session in (database.writer._session, reader)]
        for name in ("journal_mode", "synchronous", "foreign_keys", "secure_delete", "query_only")
    }
    assert settings == {
        "journal_mode": ["wal", "wal"],
        "synchronous": [2, 2],
        "foreign_keys": [1, 1],
        "secure_delete": [1, 1],
        "query_only": [0, 1],
    }
    reader.close()
    database.close()


def test_a_plan_does_not_depend_on_the_values_bound(tmp_path: Path) -> None:
    """For readers and the writer: else most statements would be compiled again at each new value."""
    database = _database(tmp_path)
    reader = database.lend_reader()
    for session in (database.writer._session, reader):
        assert session.connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, -1) == 1
    assert apsw.Connection(":memory:").config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, -1) == 0
    reader.close()
    database.close()


def test_works_that_wait_share_commits_up_to_the_limit(tmp_path: Path) -> None:
    """Twenty works behind one take three commits of at most eight each, and a lone one takes one."""
    database = _database(tmp_path)
    writer = database.writer
    commits: list[int] = []

    def count_commit() -> bool:
        commits.append(1)
        return False

    writer._session.connection.set_commit_hook(count_commit)
    entered, release = threading.Event(), threading.Event()

    def first(writing: Writing) -> None:
        _append_one(writing)
        entered.set()
        release.wait(5)

    with ThreadPoolExecutor(21) as pool:
        futures: list[Future[object]] = [pool.submit(writer.write, first)]
        entered.wait(5)
        futures += [pool.submit(writer.write, _append_one) for _ in range(20)]
        while len(writer._waiting) < 20:
            threading.Event().wait(0.001)
        release.set()
        for future in futures:
            future.result(5)
    # The first shares its commit with seven that wait, then eight, then the last five.
    assert len(commits) == 3
    writer.write(lambda writing: append_event(writing, TENANT))
    assert len(commits) == 4
    database.close()


def test_a_lone_caller_runs_its_work_in_its_own_thread(tmp_path: Path) -> None:
    """No hop to another thread."""
    database = _database(tmp_path)
    assert database.writer.write(lambda _writing: threading.get_ident()) == threading.get_ident()
    database.close()


@pytest.mark.parametrize("in_memory", [False, True])
def test_an_interrupted_leader_takes_nobody_elses_work_with_it(tmp_path: Path, *, in_memory: bool) -> None:
    """Its own work is undone and its caller told; those that shared its transaction are run by the next."""
    database = MemoryDatabase(TENANT.tenant_id, LIMITS) if in_memory else _database(tmp_path)
    entered, release = threading.Event(), threading.Event()
    runs: list[str] = []

    def interrupted(writing: Writing) -> None:
        append_event(writing, TENANT, label="lost")
        entered.set()
        release.wait(5)
        raise KeyboardInterrupt

    def follower(writing: Writing) -> int:
        runs.append("follower")
        return append_event(writing, TENANT).envelope.position

    with ThreadPoolExecutor(2) as pool:
        leading = pool.submit(database.writer.write, interrupted)
        entered.wait(5)
        following = pool.submit(database.writer.write, follower)
        while not database.writer._waiting:
            threading.Event().wait(0.001)
        release.set()
        with pytest.raises(KeyboardInterrupt):
            leading.result(5)
        assert following.result(5) == 1
    assert runs == ["follower"]
    assert database.writer.write(lambda writing: writing.head(Chain.LEDGER).position) == 1
    database.close()


def test_a_forked_child_opens_its_own_connections(tmp_path: Path) -> None:
    """It reads and writes beside its parent, and the parent's connections work on."""
    with one_tenant(SqliteFiles(tmp_path)) as tenant_store:
        tenant_store.write(lambda writing: append_event(writing, TENANT))
        child = os.fork()
        if child == 0:
            code = 1
            try:
                tenant_store.write(lambda writing: append_event(writing, TENANT))
                with tenant_store.read() as reading:
                    code = 0 if reading.head(Chain.LEDGER).position == 2 else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        tenant_store.write(lambda writing: append_event(writing, TENANT))
        with tenant_store.read() as reading:
            assert reading.head(Chain.LEDGER).position == 3


def test_no_file_is_open_after_close(tmp_path: Path) -> None:
    """The logs are folded in and gone, which SQLite does when nobody has the file open (before that they are there)."""
    store = SqliteStore.open(tmp_path)
    tenant_store = add_tenant(store, TENANT)
    tenant_store.write(lambda writing: append_event(writing, TENANT))
    with tenant_store.read():
        pass
    assert _log_files(tmp_path)
    store.close()
    assert _log_files(tmp_path) == []


def test_a_read_that_outlives_the_store_closes_its_file_when_it_ends(tmp_path: Path) -> None:
    """It may end in peace."""
    store = SqliteStore.open(tmp_path)
    tenant_store = add_tenant(store, TENANT)
    with tenant_store.read() as reading:
        store.close()
        assert reading.head(Chain.LEDGER).position == 0
    assert _log_files(tmp_path) == []


def test_a_deleted_rows_tokens_leave_the_index_when_it_is_optimized(tmp_path: Path) -> None:
    """Before that they may stand in it, though nothing finds them (the control)."""
    canary = "canaryx7f3a9c"
    database = _database(tmp_path)
    rows = [build_search_row(n, (canary if n == 1 else f"w{n}",)) for n in range(1, PENDING_ROWS_MAX + 2)]
    database.writer.write(lambda writing: [writing.put_search_row(row, ()) for row in rows])  # type: ignore[func-returns-value]
    database.writer.write(lambda writing: writing.delete_search_row(1))
    connection = database.writer._session.connection

    def residue() -> bool:
        return any(
            canary.encode() in bytes(block) for (block,) in connection.execute("SELECT block FROM search_terms_data")
        )

    assert residue()
    connection.execute("INSERT INTO search_terms (search_terms) VALUES ('optimize')")
    assert not residue()
    database.close()


def _log_files(folder: Path) -> list[Path]:
    # SQLite removes a database's log when the last connection to it closes.
    return [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".db"]
