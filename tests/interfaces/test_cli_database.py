"""`--database`: a store on PostgreSQL from the command line, what goes wrong with it, and that no password is shown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from command_line import FREEZE, QUESTION, Answer, CommandLine, bare_fixture, command_line  # noqa: F401  # pytest finds the fixture here

from heedful.testing.postgres import PostgresServer

UNREACHABLE = "postgresql://ana:geheim-Zq9@127.0.0.1:1/heedful"


@pytest.fixture
def shared(bare: CommandLine, database: str) -> CommandLine:
    """The command line in a folder with a store on PostgreSQL, which its environment names."""
    on_database = CommandLine(bare.folder, {**bare.environment, "HEEDFUL_DATABASE": database})
    assert on_database("init", ".", "--scope", "project:payments").code == 0
    return on_database


def code_of(answer: Answer) -> tuple[int, str]:
    """Exit code and error code; there is a next step always."""
    error = answer.json["error"]
    assert error["next_step"]
    return answer.code, error["code"]


def password_of(dsn: str) -> str:
    """What must never be shown."""
    return dsn.partition("@")[0].rpartition(":")[2]


def test_a_store_lives_in_the_database_and_its_folder_says_so(shared: CommandLine, database: str) -> None:
    """Remembered, approved, recalled, verified; the folder keeps the registry and the store's id, and no content."""
    kept = shared("remember", FREEZE, "-k", "release.freeze", "--json").json
    large = shared("remember", "-", "--type", "document", "--json", stdin=b"x" * 70_000).json
    claim_id = kept["claims"][0]["claim_id"]
    assert shared("review", "approve", claim_id).code == 0
    folder = shared.folder / ".heedful"

    assert shared("recall", QUESTION, "--json").json["items"][0]["item_id"] == claim_id
    assert shared("review", "show", large["record_id"], "--json").code == 0
    assert shared("verify", "--views").code == 0
    assert sorted(path.name for path in folder.iterdir()) == [".gitignore", "cache", "registry", "store.json"]
    assert not any(password_of(database) in path.read_text() for path in folder.rglob("*") if path.is_file())


def test_status_and_init_tell_the_engine_and_nothing_of_the_url(shared: CommandLine, database: str) -> None:
    """In words and for programs; so does a store on SQLite."""
    told, programs = shared("status"), shared("status", "--json")
    assert "engine postgresql" in told.out
    assert programs.json["engine"] == "postgresql"
    assert password_of(database) not in told.out + programs.out
    other = command_line(shared.folder / "other")
    assert other("init", "--json").json["engine"] == "sqlite"
    assert "engine sqlite" in other("status").out


def test_the_option_comes_before_the_environment(shared: CommandLine, database: str) -> None:
    """Also an empty one, which is no database."""
    lost = {"HEEDFUL_DATABASE": UNREACHABLE}
    assert shared("--database", database, "status", env=lost).code == 0
    assert code_of(shared("status", "--json", env=lost)) == (8, "store_unavailable")
    assert code_of(shared("--database", "", "status", "--json")) == (2, "database_malformed")


def test_a_database_is_needed_where_the_store_was_made_with_one(shared: CommandLine, bare: CommandLine) -> None:
    """`database_needed`; nothing of a store on SQLite is made beside it."""
    assert code_of(bare("status", "--json")) == (2, "database_needed")
    assert code_of(bare("init", "--json")) == (2, "database_needed")
    assert not (shared.folder / ".heedful" / "control.db").exists()
    assert shared("status").code == 0


def test_a_database_is_unexpected_where_the_store_is_on_sqlite(bare: CommandLine, database: str) -> None:
    """`database_unexpected`: what is kept would go somewhere else than it is looked for."""
    assert bare("init").code == 0
    assert code_of(bare("--database", database, "status", "--json")) == (2, "database_unexpected")
    assert code_of(bare("--database", database, "init", "--json")) == (2, "database_unexpected")
    assert bare("status").code == 0


def test_a_database_of_another_store_or_of_none_is_a_mismatch(shared: CommandLine, postgres: PostgresServer) -> None:
    """`database_mismatch`; and looking makes nothing in a database that is not ours."""
    empty, taken = postgres.create_database(), postgres.create_database()
    other = command_line(shared.folder / "other")
    assert other("--database", taken, "init").code == 0
    for wrong in (empty, taken):
        assert code_of(shared("--database", wrong, "status", "--json")) == (5, "database_mismatch")
        assert code_of(shared("--database", wrong, "init", "--json")) == (5, "database_mismatch")
    name = empty.rpartition("/")[2]
    assert postgres.run_sql(name, "SELECT nspname FROM pg_namespace WHERE nspname = 'heedful'") == ""
    assert shared("status").code == 0


@pytest.mark.parametrize("command", ["status", "init"])
def test_a_server_that_is_not_there_is_unavailable_by_its_host_and_port(
    bare: CommandLine, tmp_path: Path, command: str, database: str
) -> None:
    """`store_unavailable`, with no password; nothing is left of an `init` that failed so."""
    if command == "status":
        assert bare("--database", database, "init").code == 0
    told, programs = (bare("--database", UNREACHABLE, command, *more) for more in ((), ("--json",)))
    assert code_of(programs) == (8, "store_unavailable")
    assert "127.0.0.1:1" in told.err
    assert programs.json["error"]["details"]["database"] == "127.0.0.1:1"
    assert "geheim" not in told.out + told.err + programs.out + programs.err
    assert bare("--database", database, command).code == 0


def test_a_wrong_password_user_or_database_is_refused(shared: CommandLine, database: str) -> None:
    """`database_refused` is told from a server that is not there; nothing of the password is shown."""
    password = password_of(database)
    wrong = [database.replace(password, f"{password}x"), database.replace("://heedful:", "://nobody:"), f"{database}x"]
    for dsn in wrong:
        told, programs = shared("--database", dsn, "status"), shared("--database", dsn, "status", "--json")
        assert code_of(programs) == (8, "database_refused")
        assert password not in told.out + told.err + programs.out + programs.err
    assert shared("status").code == 0


def test_a_role_without_the_rights_is_unavailable(bare: CommandLine, postgres: PostgresServer, database: str) -> None:
    """It may connect, and not make the tables: a typed error that says what to check."""
    name = database.rpartition("/")[2]
    postgres.run_sql(name, "CREATE ROLE guest LOGIN PASSWORD 'guest'")
    guest = database.replace(database.partition("//")[2].partition("@")[0], "guest:guest")
    answer = bare("--database", guest, "init", "--json")
    assert code_of(answer) == (8, "store_unavailable")
    assert not (bare.folder / ".heedful" / "store.json").exists()
    assert bare("--database", database, "init").code == 0


@pytest.mark.parametrize(
    "dsn", ["nonsense", "postgresql://a:geh@eim@h/d", "postgresql://a:geheim@127.0.0.1/d?foo=geheim"]
)
def test_a_malformed_url_is_refused_and_not_shown(bare: CommandLine, database: str, dsn: str) -> None:
    """`database_malformed`, whoever finds it out: Heedful or the driver. A right one is taken."""
    for command in ("init", "tour"):
        answer = bare("--database", dsn, command)
        assert answer.code == 2
        assert "[database_malformed]" in answer.err
        assert "geh" not in answer.out + answer.err
    assert bare("--database", database, "init").code == 0


def test_without_the_driver_the_error_names_what_to_install(bare: CommandLine, database: str) -> None:
    """`extra_missing`; a store on SQLite needs none of it."""
    gone = {"psycopg": None}
    ours = {name: None for name in sys.modules if name.startswith("heedful.adapters.storage.postgres")}
    with mock.patch.dict(sys.modules, {**ours, **gone}):
        for name in ours:
            del sys.modules[name]
        answer = bare("--database", database, "init", "--json")
        on_sqlite = bare("init")
    assert code_of(answer) == (6, "extra_missing")
    assert "heedful[postgres]" in answer.json["error"]["next_step"]
    assert on_sqlite.code == 0


def test_a_trace_shows_no_password(bare: CommandLine) -> None:
    """A program that lets the error through prints causes and all: the driver's words are among them."""
    for dsn in (UNREACHABLE, "postgresql://a:geheim-Zq9@127.0.0.1:1/d?foo=geheim-Zq9"):
        script = "import os\nfrom heedful import Memory\nMemory.init('.', database=os.environ['DSN'])\n"
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=bare.folder,
            env={**bare.environment, "DSN": dsn},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" in done.stderr
        assert "geheim" not in done.stderr


def test_the_tour_leaves_an_empty_database_empty(bare: CommandLine, postgres: PostgresServer, database: str) -> None:
    """The whole path on it, and nothing stays; one that holds a store is left alone."""
    told = bare("--database", database, "tour")
    assert told.code == 0, told.err
    assert "BROKEN at event" in told.out
    name = database.rpartition("/")[2]
    assert postgres.run_sql(name, "SELECT nspname FROM pg_namespace WHERE nspname = 'heedful'") == ""
    assert bare("--database", database, "init").code == 0
    assert "[database_in_use]" in bare("--database", database, "tour").err
    assert bare("--database", database, "status").code == 0
