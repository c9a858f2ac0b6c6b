"""Stores to move a ledger between: with a clock and ids that repeat, on any engine."""

from __future__ import annotations

import gzip
import hashlib
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import msgspec
from worlds import DEPLOY, PROJECT, QUESTION, TWO_PEOPLE, TickingClock, World, registry, transcript, world

from heedful import Memory
from heedful.adapters.blobs.folder import FolderBlobs
from heedful.adapters.keys import FileKeyRing
from heedful.adapters.models.choose import embedders_of
from heedful.adapters.storage.postgres.blobs import PostgresBlobs
from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.bootstrap import App
from heedful.kernel.ids import PrincipalId
from heedful.observations.record import Channel
from heedful.ports.blobs import BlobStore
from heedful.ports.store import Chain, Store
from heedful.service.auditing.import_ledger import import_ledger
from heedful.settings import Settings

SECONDS_MAX = 60.0
CHILD = f"""
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
from ledger_moves import memory, on_postgres, on_sqlite, place
from heedful.kernel.ids import PrincipalId
from heedful.observations.record import Channel
from heedful.service.auditing import import_ledger

import_ledger.BATCH_EVENTS_MAX = 3
verb, folder, file, key_file, stop_at, database = sys.argv[1:]
told = 0

def die(done):
    global told
    told += 1
    if told >= int(stop_at):
        os.kill(os.getpid(), signal.SIGKILL)

with place(Path(folder), on_postgres(database) if database else on_sqlite) as app:
    if verb == "export":
        memory(app).export_ledger(file, progress=die)
    else:
        arrival = app.arrival(PrincipalId("person:ana"), Channel.PERSON)
        source = app.bundle_source(Path(file))
        import_ledger.import_ledger(arrival, source, name=None, key=app.key_file(Path(key_file)), progress=die)
"""

LATER = "2026-12-01T09:00:00Z"
LONG = "The zanzibar replica keeps a copy of every invoice. " + "filler words " * 8_000
REQUESTS = (
    "Can the corrected invoices go live?",
    "zanzibar replica",
    "谁批准了冻结？",
    "🥜 peanuts",
    "rounded totals",
    "",
)
Opened = Callable[[Path], tuple[Store, BlobStore]]


class RepeatingEntropy:
    """The same bytes in the same order for each new one."""

    def __init__(self) -> None:
        self._numbers = count()

    def random_bytes(self, count: int) -> bytes:
        """`count` bytes that follow from how many calls came before."""
        return hashlib.shake_128(str(next(self._numbers)).encode()).digest(count)


def on_sqlite(folder: Path) -> tuple[Store, BlobStore]:
    """A store in files."""
    return SqliteStore.open(folder), FolderBlobs(folder / "blobs")


def on_postgres(dsn: str) -> Opened:
    """Opens the store in that database; a folder is for its keys alone."""

    def opened(_folder: Path) -> tuple[Store, BlobStore]:
        store = PostgresStore.open(dsn)
        return store, PostgresBlobs(store)

    return opened


@contextmanager
def place(folder: Path, opened: Opened = on_sqlite, *, policy: str = TWO_PEOPLE, start: str = LATER) -> Iterator[App]:
    """A store with no tenant of its own where `folder` is new, or the one that is there."""
    clock = TickingClock(start)
    store, blobs = opened(folder)
    settings = Settings(access_window_seconds=3_600.0)
    app = App(
        settings=settings,
        store=store,
        blobs=blobs,
        keys=FileKeyRing(folder / "keys"),
        clock=clock,
        entropy=RepeatingEntropy(),
        registry=registry(policy),
        default_scope=PROJECT,
        folder=None,
        embedders=embedders_of(settings),
    )
    try:
        yield app
    finally:
        app.close()


def live_through(house: World, folder: Path) -> None:
    """Something of everything: claims in each status, verdicts, packets, an import, contents of every kind."""
    house.freeze()
    house.enforce()
    house.freeze_proposed()
    house.ana.remember(
        "Invoice totals are rounded per line. 生产环境在审计结束前冻结。", attributes={"area": "billing"}
    )
    house.ana.remember("peanuts 🥜 \x00 and نص عربي", scope=("user:ana",), kind="note")
    house.ana.remember(b"\x00\xff\xfe", media_type="application/octet-stream")
    house.ana.remember(b"\x00" * 80_000, media_type="application/octet-stream", source_ref="bytes-1")
    house.ana.remember(LONG, source_ref="long-1")
    house.ana.remember(LONG, scope=("project:payments", "environment:staging"))
    withdrawn = house.ana.remember("Totals are never rounded.", kind="note")
    house.ana.reject(withdrawn.record_id, reason="it was the other way round")
    house.ana.remember("It holds for a minute.", kind="note", until="2026-11-28T09:05:00Z")
    house.agent.remember("The user said that we may deploy.", kind="release.freeze")
    house.agent.recall(QUESTION, impact="execute")
    verdict = house.agent.judge("Bash", DEPLOY)
    house.agent.report_outcome(verdict.verdict_id, status="not-done")
    house.ana.import_trace(transcript(folder / "run.jsonl", "remember: note: the quarter closes on Friday", "你好"))
    house.clock.go(seconds=600)
    house.ana.recall("rounded totals")


def lived(folder: Path) -> None:
    """A store on SQLite in `folder` in which all that happened."""
    folder.mkdir(parents=True, exist_ok=True)
    with world(folder) as house:
        live_through(house, folder)


def memory(app: App, principal: str = "person:ana", tenant: str = "default", channel: str = "person") -> Memory:
    """The memory of this principal at this tenant."""
    return Memory(app, app.session(tenant=tenant, principal=principal, channel=Channel(channel)), owns_app=False)


def bring(
    app: App, file: Path, *, keys_of: Path | None = None, name: str | None = None, who: str = "person:ana"
) -> None:
    """The ledger comes to this store, with its key out of another's folder."""
    key = None if keys_of is None else app.key_file(key_in(keys_of, file))
    arrival = app.arrival(PrincipalId(who), Channel.PERSON)
    import_ledger(arrival, app.bundle_source(file), name=name, key=key, progress=lambda _done: None)


def key_in(folder: Path, file: Path) -> Path:
    """Where the key of the tenant in the file lies."""
    raw = file.read_bytes()
    text = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    return folder / "keys" / f"{json.loads(text.splitlines()[0])['tenant_id']}.key"


def heads(app: App, tenant: str = "default") -> list[object]:
    """Where both chains end."""
    with app.session(tenant=tenant, principal="person:ana", adopts=False).store.read() as reading:
        return [reading.head(chain) for chain in Chain]


def views(app: App, tenant: str = "default") -> list[bytes]:
    """Every row of the views, but for what SQLite alone tells of its own index: how many rows wait for it."""
    with app.session(tenant=tenant, principal="person:ana", adopts=False).store.read() as reading:
        return [line for line in reading.dump_views() if b'"view":"search_pending"' not in line]


def answers(app: App) -> list[bytes]:
    """Packets and verdicts for a set of requests of several principals, as bytes."""
    given = []
    for who, channel in (("person:ana", "person"), ("person:cyd", "person"), ("agent:pip", "agent")):
        asked = memory(app, who, channel=channel)
        given += [asked.recall(question) for question in REQUESTS if question]
        given += [asked.recall("invoices", scope=("project:payments", "environment:staging"))]
        given.append(asked.recall(QUESTION, tool="Bash", args=DEPLOY, impact="execute"))
        given.append(asked.judge("Bash", DEPLOY))  # type: ignore[arg-type]
    return [msgspec.json.encode(answer) for answer in given]


def killed(verb: str, folder: Path, file: Path, key_file: Path, stop_at: int, database: str = "") -> bool:
    """True where a process of its own was killed when it told of its progress for the `stop_at`th time."""
    ended = subprocess.run(
        [sys.executable, "-c", CHILD, verb, folder, file, key_file, str(stop_at), database],
        capture_output=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    assert ended.returncode in (0, -signal.SIGKILL), ended.stderr.decode()
    return ended.returncode != 0
