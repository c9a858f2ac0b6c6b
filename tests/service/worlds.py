"""A store with people, agents and a clock of its own, in memory or in a folder; the tests' verbs go through Memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from heedful import Memory
from heedful.adapters.blobs.folder import FolderBlobs, MemoryBlobs
from heedful.adapters.keys import FileKeyRing, MemoryKeyRing
from heedful.adapters.models.choose import embedders_of
from heedful.adapters.registry_files import pack_documents, registry_of
from heedful.adapters.signing import FileSigning
from heedful.adapters.storage.postgres.blobs import PostgresBlobs
from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.adapters.system import SystemEntropy
from heedful.bootstrap import App
from heedful.bridges.registry import Registry
from heedful.kernel.errors import HeedfulError
from heedful.kernel.ids import PrincipalId
from heedful.kernel.times import parse_time
from heedful.ledger.events import AnyEvent
from heedful.ledger.registry import decode_payload
from heedful.observations.record import Channel
from heedful.ports.blobs import BlobStore
from heedful.ports.store import Chain, Store
from heedful.settings import Settings
from heedful.testing.stores import EmptyPostgresDatabase

START = "2026-11-28T09:00:00Z"
PROJECT = ("project:payments",)
FREEZE = "release.freeze"
DEPLOY = {"command": "kubectl --context production apply -f web.yaml"}
QUESTION = "Can the corrected invoices go live this afternoon?"
TWO_PEOPLE = """
policy:
  solo: false
  unreviewed: advisory
  principals:
    "person:ana": {roles: [owner], clearance: restricted, grants: ["*"]}
    "person:bob": {roles: [reviewer], clearance: restricted, grants: ["project:*", "environment:*"]}
    "person:cyd": {roles: [reviewer], clearance: normal, grants: ["project:payments"]}
    "person:dan": {roles: [], clearance: normal, grants: ["project:payments"]}
    "person:aud": {roles: [auditor], clearance: restricted, grants: ["*"]}
    "agent:*": {roles: [agent], clearance: sensitive, grants: ["project:payments"]}
  scopes:
    "user:*": {readers: [self]}
  auto_approve:
    enabled: true
    forms: [preference, fact]
    kind_risks: [low]
    classifications: [normal]
    consent_explicit: true
  require_current_verification_for: [deploy.production]
  verification_max_age_seconds: 3600
  deny_on_evidence_label: [insufficient, stale, revoked]
"""
SOLO = TWO_PEOPLE.replace("solo: false", "solo: true")
HIDDEN = TWO_PEOPLE.replace("unreviewed: advisory", "unreviewed: hidden")


class TickingClock:
    """A clock that a test sets; it goes on by a millisecond at each look."""

    def __init__(self, start: str = START) -> None:
        self.at_us = parse_time(start, field="start").at_us

    def now_us(self) -> int:
        """UTC microseconds since 1970."""
        self.at_us += 1_000
        return self.at_us

    def go(self, *, seconds: int) -> None:
        """Time passes."""
        self.at_us += seconds * 1_000_000


@cache
def registry(policy: str) -> Registry:
    """The bundled pack with this policy."""
    return registry_of((*pack_documents("delivery"), ("policy.yaml", policy)))


def _content(
    folder: Path | None, database: EmptyPostgresDatabase | None, settings: Settings
) -> tuple[Store, BlobStore]:
    if database is not None:
        store = database.open_store()
        return store, PostgresBlobs(store)
    if folder is not None:
        return SqliteStore.open(folder, lock_wait_seconds=settings.lock_wait_seconds), FolderBlobs(folder / "blobs")
    return SqliteStore.in_memory(), MemoryBlobs()


class World:
    """One store with the tenant `default`, made by Ana."""

    def __init__(
        self,
        folder: Path | None = None,
        *,
        policy: str = TWO_PEOPLE,
        database: EmptyPostgresDatabase | None = None,
        **settings: Any,
    ) -> None:
        self.clock = TickingClock()
        self.policy = policy
        self.folder = folder
        # The sealer thread must not seal a group while a test looks at what waits.
        given = Settings(**{"access_window_seconds": 3_600.0, **settings})
        store, blobs = _content(folder, database, given)
        self.app = App(
            settings=given,
            store=store,
            blobs=blobs,
            keys=MemoryKeyRing() if folder is None else FileKeyRing(folder / "keys"),
            signing=None if folder is None else FileSigning(folder / "keys", self.clock),
            clock=self.clock,
            entropy=SystemEntropy(),
            registry=registry(policy),
            default_scope=PROJECT,
            folder=None,
            embedders=embedders_of(given),
        )
        if not self.app.store.tenants():
            self.app.add_tenant("default", PrincipalId("person:ana"))

    def use(self, policy: str) -> None:
        """From now on sessions use this policy."""
        self.app.registry = registry(policy)

    def memory(self, principal: str, *, channel: str = "person", tenant: str = "default") -> Memory:
        """The memory of this principal through this door."""
        session = self.app.session(tenant=tenant, principal=principal, channel=Channel(channel))
        return Memory(self.app, session, owns_app=False)

    @property
    def ana(self) -> Memory:
        """The owner."""
        return self.memory("person:ana")

    @property
    def bob(self) -> Memory:
        """A reviewer of every project, cleared for everything."""
        return self.memory("person:bob")

    @property
    def cyd(self) -> Memory:
        """A reviewer of one project, cleared for what is normal."""
        return self.memory("person:cyd")

    @property
    def dan(self) -> Memory:
        """Somebody who may remember and recall, and no more."""
        return self.memory("person:dan")

    @property
    def agent(self) -> Memory:
        """An agent at an agent's door."""
        return self.memory("agent:pip", channel="agent")

    @property
    def stranger(self) -> Memory:
        """Somebody whom policy does not name."""
        return self.memory("person:nobody")

    def events(self, chain: Chain = Chain.LEDGER, tenant: str = "default") -> list[AnyEvent]:
        """Every event of a chain, in order."""
        store = self.app.session(tenant=tenant, principal="person:ana", adopts=False).store
        with store.read() as reading:
            return [
                decode_payload(sealed.envelope.type, sealed.envelope.version, sealed.payload or b"")
                for sealed in reading.events(chain)
            ]

    def views(self) -> list[bytes]:
        """Every row of the views."""
        with self.app.session(principal="person:ana", adopts=False).store.read() as reading:
            return list(reading.dump_views())

    def freeze_proposed(self) -> str:
        """The id of a freeze that waits for review."""
        return self.ana.remember("frozen", kind=FREEZE).claims[0].claim_id

    def freeze(self, statement: str = "Nothing leaves the house until the quarter is closed.", **more: Any) -> str:
        """The id of an active freeze: Ana proposed it, Bob and Cyd approved it."""
        claim_id = self.ana.remember(statement, kind=FREEZE, until="2026-12-07", **more).claims[0].claim_id
        for reviewer in (self.ana,) if self.app.registry.policy.solo else (self.bob, self.cyd):
            reviewer.approve(claim_id)
        return claim_id

    def enforce(self) -> None:
        """The freeze's bridge and the classes of a production deploy are enforced."""
        for target in ("deploy", "deploy.production", "deploy.freeze"):
            self.ana.set_mode(target, "enforce", reason="the test shows what enforcing does")

    def close(self) -> None:
        """Closed."""
        self.app.close()


def transcript(path: Path, *messages: str, session: str = "5d0e4a3c-1b2f-4c6d-8e7f-90a1b2c3d4e5") -> Path:
    """A recorded run in which a user says these messages, one after the other."""
    rows = []
    for number, words in enumerate(messages):
        rows.append(
            {
                "type": "user",
                "uuid": f"{session}-{number}",
                "parentUuid": f"{session}-{number - 1}" if number else None,
                "timestamp": f"2026-11-20T10:{number // 60 % 60:02d}:{number % 60:02d}.000Z",
                "sessionId": session,
                "isSidechain": False,
                "message": {"role": "user", "content": words},
            }
        )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@contextmanager
def world(folder: Path | None = None, **more: Any) -> Iterator[World]:
    """A world that is closed at the end."""
    made = World(folder, **more)
    try:
        yield made
    finally:
        made.close()


def code_of(call: Callable[[], object]) -> str:
    """The code of the error that the call raises."""
    with pytest.raises(HeedfulError) as raised:
        call()
    assert raised.value.message
    return raised.value.code


def on_both_engines(metafunc: pytest.Metafunc) -> None:
    """For a module that imports it as `pytest_generate_tests`: each of its tests in the house runs on both engines."""
    if "house" in metafunc.fixturenames:
        metafunc.parametrize("house", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture(name="house")
def house_fixture(request: pytest.FixtureRequest) -> Iterator[World]:
    """An empty store with the two-person policy, in memory where no engine is chosen. pytest finds it in modules that import it."""
    is_shared = getattr(request, "param", "sqlite") == "postgresql"
    with world(database=request.getfixturevalue("emptied_database") if is_shared else None) as made:
        yield made
