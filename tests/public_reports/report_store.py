"""A store on disk with two tenants and a policy, and the other processes that get in its way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from report_cases import Place, place_of

from heedful import Memory
from heedful.bootstrap import App, init_store, open_store
from heedful.kernel.ids import PrincipalId
from heedful.kernel.scope import parse_scope
from heedful.observations.record import RecordStatus
from heedful.ports.rows import AttributeFilter, StoredRecord
from heedful.service.sight import visible_for_request
from heedful.settings import Settings

OWNER = "person:operator"
ROWS_MAX = 100_000
PROCESS_SECONDS_MAX = 120.0
SETTINGS = Settings(principal=OWNER, tenant="t1")
POLICY = """
policy:
  solo: true
  unreviewed: advisory
  principals:
    "person:operator": {roles: [owner], clearance: restricted, grants: ["*"]}
    "person:ana": {roles: [], clearance: normal, grants: ["user:ana"]}
    "person:ben": {roles: [], clearance: normal, grants: ["user:ben"]}
    "person:malice": {roles: [], clearance: normal, grants: ["user:malice", "org:acme-corp"]}
  scopes:
    "user:*": {readers: [self]}
"""


@dataclass(slots=True)
class ReportStore:
    """A store in `folder`, with tenants t1 and t2 and the policy above; open until the block ends."""

    folder: Path
    settings: Settings = SETTINGS
    app: App = field(init=False)
    _import: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        self.settings = replace(self.settings, keys_dir=str(self.folder / "keys"), store=str(self.folder))
        with init_store(self.folder, self.settings, scope=(), packs=("delivery",)) as app:
            app.add_tenant("t2", PrincipalId(OWNER))
        (self.folder / ".heedful" / "registry" / "policy.yaml").write_text(POLICY, "utf-8")
        self.app = open_store(self.settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.import_runs:
            self.kill_import()
        self.app.close()

    def memory(self, tenant: str = "t1", principal: str = OWNER) -> Memory:
        """One principal's memory of one tenant."""
        return Memory(self.app, self.app.session(tenant=tenant, principal=principal), owns_app=False)

    def reopen(self) -> None:
        """Closed, and open again."""
        self.app.close()
        self.app = open_store(self.settings)

    def database(self, tenant: str = "t1") -> Path:
        """The tenant's database file."""
        found = next(each for each in self.app.store.tenants() if each.name == tenant)
        return self.folder / ".heedful" / "tenants" / f"{found.tenant_id}.db"

    def records(self, place: Place, filters: dict[str, Any] | None = None) -> tuple[StoredRecord, ...]:
        """The admitted records that a request of this scope sees, the oldest first."""
        session = self.app.session(tenant=place.tenant)
        visible = visible_for_request(session, parse_scope(place.scope))
        wanted = [AttributeFilter(name, _values(value)) for name, value in (filters or {}).items()]
        with session.store.read() as reading:
            found = reading.records(
                visible, status=RecordStatus.ADMITTED, run_id=None, attributes=wanted, before=None, limit=ROWS_MAX
            )
        return found[::-1]

    def records_of(self, *scope: str, **filters: Any) -> tuple[StoredRecord, ...]:
        """The same of t1, for scope elements, with these attributes."""
        return self.records(Place("t1", scope), filters)

    def texts(self, scope: Any) -> list[str]:
        """The contents of a case's scope."""
        return [each.record.content or "" for each in self.records(place_of(scope))]

    def scope_keys(self, tenant: str = "t1") -> list[str]:
        """Every scope in use."""
        with self.app.session(tenant=tenant).store.read() as reading:
            return [scope.key for scope in reading.scopes()]

    def environment(self) -> dict[str, str]:
        """For a process that works in this store."""
        return os.environ | {
            "HEEDFUL_STORE": str(self.folder),
            "HEEDFUL_KEYS_DIR": str(self.settings.keys_dir),
            "HEEDFUL_PRINCIPAL": OWNER,
            "HEEDFUL_TENANT": "t1",
        }

    @contextmanager
    def locked(self, seconds: float | None = None) -> Iterator[None]:
        """Another process holds the write lock of t1: for so many seconds, or to the end of the block."""
        process = subprocess.Popen(
            [sys.executable, "-c", _HOLD_LOCK, str(self.database()), str(seconds or "")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        with process:
            assert process.stdout is not None
            assert process.stdin is not None
            assert process.stdout.readline() == b"held\n"
            try:
                yield
            finally:
                process.stdin.close()
                assert process.wait(PROCESS_SECONDS_MAX) == 0

    def start_import(self, file: Path, place: Place) -> None:
        """The command line's `import`, in a process of its own."""
        command = [sys.executable, "-m", "heedful", "import", str(file), "--json"]
        command += [f"--scope={element}" for element in place.scope]
        quiet = subprocess.DEVNULL
        self._import = subprocess.Popen(command, env=self.environment(), stdout=quiet, stderr=quiet)

    @property
    def import_runs(self) -> bool:
        """Whether the process of `start_import` is at work."""
        return self._import is not None and self._import.poll() is None

    def kill_import(self) -> int:
        """SIGKILL; the exit code."""
        assert self._import is not None
        self._import.send_signal(signal.SIGKILL)
        return self._import.wait(PROCESS_SECONDS_MAX)


def message_row(uuid: str, text: str, *, parent: str | None = None, second: int = 0) -> dict[str, Any]:
    """A user's row of a transcript."""
    return {
        "type": "user",
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": "reports",
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1_780_000_000 + second)),
        "isSidechain": False,
        "message": {"role": "user", "content": text},
    }


def _values(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list) else (value,)


_HOLD_LOCK = """
import sys, time, apsw
connection = apsw.Connection(sys.argv[1])
connection.set_busy_timeout(10_000)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
time.sleep(float(sys.argv[2])) if sys.argv[2] else sys.stdin.read()
connection.execute("ROLLBACK")
"""
