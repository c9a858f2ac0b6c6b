"""A process that goes through every write path once, for a trace of its system calls.

Run by _power_trace.py alone: python bench/_power_writer.py FOLDER VARIANT

Each transaction is announced before its commit (where the chains would stand after it) and acknowledged when the store
has answered; so is each operation. The lines go to standard output, where the trace sees them among the other calls.

Three variants are controls, in which losses must be found: `normal` and `off` weaken SQLite's `synchronous`,
`no-folder-sync` keeps the names of new files from the disk. With `go-on` the process is to meet a failing fsync: it
writes on, and tries once more what failed. `go-on-unlatched` does so with nothing to stop it: the control of that.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from _crash_acks import Ack, say
from _power_runs import memory_of_runs, write_runs
from _stores import PRINCIPAL, SCOPE, new_store, open_store, session_of, settings_in
from _texts import words, write_transcript

from heedful import Memory, bootstrap
from heedful.adapters import file_names, store_folder
from heedful.adapters.blobs import folder as blob_folder
from heedful.adapters.storage.sqlite import connection, store, writer
from heedful.kernel.errors import HeedfulError
from heedful.kernel.ids import PrincipalId
from heedful.ports.store import Chain, Reading, Writing
from heedful.service import rebuild
from heedful.service.keeping import import_
from heedful.service.keeping.remember import Remembered
from heedful.settings import DEFAULT_TENANT, Settings

T = TypeVar("T")
Variant = Literal["as-is", "normal", "off", "no-folder-sync", "go-on", "go-on-unlatched"]

WAL_PAGES = 60
"""Small, so that checkpoints and a log that starts over are among the calls."""
IMPORT_ITEMS = 24
IMPORT_BATCH = 10
REBUILD_EVENTS = 30
BLOB_CHARACTERS = 70_000
CLIENTS = 4
MANY = 12
ROUNDS = 9
PACKS = ("base",)
"""The smallest: a registry's body lies in the ledger, and is read again in each of thousands of states."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """Where a tenant's chains stand between two transactions: `position:digest` of each.

    Attributes:
        sort: `may-be` before the commit, `is` after it.
    """

    sort: Literal["may-be", "is"]
    tenant: str
    ledger: str
    access: str


def _boundary(sort: Literal["may-be", "is"], tenant: str, reading: Reading) -> Boundary:
    heads = [reading.head(chain) for chain in (Chain.LEDGER, Chain.ACCESS)]
    ledger, access = (f"{head.position}:{head.digest}" for head in heads)
    return Boundary(sort, tenant, ledger, access)


def _say(boundary: Boundary) -> None:
    os.write(sys.stdout.fileno(), json.dumps(asdict(boundary)).encode() + b"\n")


def announce_transactions() -> None:
    """From now on each transaction of this process is announced and acknowledged."""
    write = store.SqliteTenantStore.write

    def announcing(self: store.SqliteTenantStore, work: Callable[[Writing], T]) -> T:
        said: list[Boundary] = []

        def announced(writing: Writing) -> T:
            result = work(writing)
            said[:] = [_boundary("may-be", self.tenant.name, writing)]
            _say(said[0])
            return result

        result = write(self, announced)
        _say(Boundary("is", said[0].tenant, said[0].ledger, said[0].access))
        return result

    store.SqliteTenantStore.write = announcing  # type: ignore[method-assign]


def weaken(variant: Variant) -> None:
    """This process keeps less than it promises; nothing in the product can be set so."""
    if variant in ("normal", "off"):
        set_up = connection.Session._set_up  # noqa: SLF001  # only a test may change what a commit waits for

        def weak(self: connection.Session, *, in_file: bool) -> None:
            set_up(self, in_file=in_file)
            self.cursor.execute(f"PRAGMA synchronous = {variant}")

        connection.Session._set_up = weak  # type: ignore[method-assign]  # noqa: SLF001  # as above
    if variant == "go-on-unlatched":
        never = property(lambda _self: False, lambda _self, _value: None)
        blob_folder.FolderBlobs._is_read_only = never  # type: ignore[assignment]  # noqa: SLF001  # as above
        writer.Writer.is_read_only = never  # type: ignore[assignment]
    if variant == "no-folder-sync":
        for module in (file_names, store_folder, store, blob_folder):
            if hasattr(module, "sync_folder"):
                vars(module)["sync_folder"] = lambda _folder: None


class Work:
    """The operations, in order. Each is acknowledged when it has been answered."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._rng = random.Random(7)
        self._number = 0

    def run(self) -> None:
        """Every write path, with the store opened anew in between."""
        with new_store(self._folder, packs=PACKS) as memory:
            say(Ack("init", DEFAULT_TENANT, session_of(memory).registry.revision))
        with open_store(self._folder) as memory:
            self._records_and_claims(memory)
            self._actions(memory)
        with bootstrap.open_store(self._settings()) as app:
            write_runs(memory_of_runs(app))
        self._add_tenant("second")
        with open_store(self._folder) as memory:
            self._import(memory)
            memory.set_mode("pre-router", "advise", reason="tried out")
            self._together(memory)
            self._make_anew(memory)
        with open_store(self._folder) as memory:
            self.remember(memory, "the last of all")

    def go_on(self) -> None:
        """Small and large records, each tried twice at most, whatever fails."""
        with new_store(self._folder, packs=PACKS) as memory:
            say(Ack("init", DEFAULT_TENANT, session_of(memory).registry.revision))
        with open_store(self._folder) as memory:
            for number in range(ROUNDS):
                text = f"text {number}" if number % 3 else _large(str(number))
                for _attempt in range(2):
                    with suppress(HeedfulError):
                        memory.remember(text)
                        break

    def remember(self, memory: Memory, text: str, **fields: Any) -> str:
        """The record's id."""
        self._number += 1
        key = f"note/{self._number}"
        record_id = memory.remember(text, source_ref=key, **fields).record_id
        say(Ack("remember", key, text))
        return record_id

    def _records_and_claims(self, memory: Memory) -> None:
        taken_back = self.remember(memory, "短いメモ and a small one")
        memory.remember(_large("first"))
        memory.reject(taken_back, reason="taken back")
        say(Ack("withdraw", "note/1"))
        for number in range(3):
            text = f"structured {number}: no release before the audit of part {number}"
            claim = memory.remember(text, kind="note").claims[0]
            say(Ack("claim", claim.claim_id, text))
            if number:
                memory.approve(claim.claim_id)
                say(Ack("approve", claim.claim_id))
            else:
                memory.reject(claim.claim_id)
        for number in range(4):
            self.remember(memory, f"note {number}: {words(self._rng, 200)}")

    def _actions(self, memory: Memory) -> None:
        command = {"command": "kubectl --context production apply -f web.yaml"}
        verdict = memory.judge("Bash", command)
        say(Ack("judge", verdict.verdict_id))
        memory.approve(verdict.verdict_id)
        memory.report_outcome(verdict.verdict_id, status="succeeded", text="12 pods are ready")
        packet = memory.recall("Deploy the cart to production", impact="execute")
        say(Ack("recall", packet.packet_id))
        memory.recall("what is there to know of releases")
        memory.remember(_large("second"))

    def _add_tenant(self, name: str) -> None:
        with bootstrap.open_store(self._settings()) as app:
            app.add_tenant(name, PrincipalId(PRINCIPAL))
            say(Ack("init", name, app.registry.revision))
            memory = Memory(app, app.session(tenant=name))
            memory.remember(_large("of the second tenant"), scope=SCOPE)

    def _settings(self) -> Settings:
        return replace(settings_in(self._folder), store=str(self._folder))

    def _import(self, memory: Memory) -> None:
        run = "0000000a-0000-4000-8000-00000000000b"
        path = self._folder.parent / f"{run}.jsonl"
        write_transcript(path, session_id=run, items=IMPORT_ITEMS, rng=self._rng, characters=300)
        say(Ack("importing", run, str(path), IMPORT_ITEMS))
        memory.import_trace(path)
        say(Ack("import", run, str(path), IMPORT_ITEMS))

    def _make_anew(self, memory: Memory) -> None:
        """Many records at once, and the views and vectors from the ledger, in several transactions each."""
        texts = [f"one of many: {number}" for number in range(MANY)]
        for number, kept in enumerate(memory.remember_many([{"content": t, "source_ref": t} for t in texts])):
            assert isinstance(kept, Remembered)
            say(Ack("remember", texts[number], texts[number]))
        say(Ack("rebuilding", DEFAULT_TENANT))
        rebuild.rebuild(session_of(memory), progress=lambda _position: None)
        say(Ack("rebuilt", DEFAULT_TENANT))
        memory.reindex()

    def _together(self, memory: Memory) -> None:
        """Writes that share commits."""

        def write(client: int) -> None:
            for number in range(3):
                key, text = f"client{client}/{number}", f"together {client} {number}"
                memory.remember(text, source_ref=key)
                say(Ack("remember", key, text))

        running = [threading.Thread(target=write, args=(client,)) for client in range(CLIENTS)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()


def _large(text: str) -> str:
    """Content that goes to the blob store; that it is there is what `verify` tells."""
    return f"large, {text}: ".ljust(BLOB_CHARACTERS, "x")


def main() -> None:
    folder, variant = Path(sys.argv[1]), sys.argv[2]
    connection.WAL_PAGES_MAX = WAL_PAGES
    import_.BATCH_ITEMS = IMPORT_BATCH
    rebuild.EVENTS_MAX = REBUILD_EVENTS
    announce_transactions()
    weaken(variant)  # type: ignore[arg-type]
    work = Work(folder)
    if variant.startswith("go-on"):
        work.go_on()
    else:
        work.run()


if __name__ == "__main__":
    main()
