"""A store with two tenants that was backed up, went on, and had something erased since: what restores are tried on."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from heedful import Memory
from heedful.bootstrap import App, open_store
from heedful.bootstrap.restore import Restored
from heedful.kernel.ids import PrincipalId
from heedful.settings import Settings

OWNER = PrincipalId("person:ana")
SCOPE = ("user:ana",)
LONG = "The zanzibar replica keeps a copy of every invoice. 你好 🥜 " * 2_000
SECRET = bytes(range(32))


@dataclass(frozen=True)
class Lived:
    """What is in the folder.

    Attributes:
        gone: the record that was erased after `plain` and `locked` were taken; `kept`: one that was not.
        late: a record that came after the backups and was erased; `late_ref` is where it came from.
    """

    folder: Path
    settings: Settings
    gone: str
    claim: str
    kept: str
    late: str
    erasure_id: str

    @property
    def plain(self) -> Path:
        """The backup."""
        return self.folder / "plain.backup"

    @property
    def locked(self) -> Path:
        """The same, encrypted."""
        return self.folder / "locked.backup"

    @property
    def key_file(self) -> Path:
        """What that is encrypted under."""
        return self.folder / "secret.key"

    @property
    def register(self) -> Path:
        """What was erased."""
        return self.folder / "erasures.json"

    def checkpoint(self, when: str) -> Path:
        """Of the default tenant, `before` the backups or `after` all."""
        return self.folder / f"{when}.checkpoint.json"

    def restore(self, to: Path, source: Path | None = None, **choices: Any) -> Restored:
        """What came out of the plain backup, or another one, with what was erased since."""
        given = {"register": [self.register], "settings": self.settings, **choices}
        return Memory.restore(source or self.plain, to=to, **given)

    def memory(self, folder: Path | None = None, tenant: str = "default", settings: Settings | None = None) -> Memory:
        """The owner's, at the store or one that came out of a backup of it."""
        return Memory.open(folder or self.folder / "store", settings=settings or self.settings, tenant=tenant)

    def elsewhere(self, tmp_path: Path) -> Settings:
        """As on another machine that has a copy of the keys, and where nothing was pinned."""
        shutil.copytree(self.folder / "keys", tmp_path / "keys", ignore=shutil.ignore_patterns("pins"))
        return replace(self.settings, keys_dir=str(tmp_path / "keys"))

    def keyless(self, tmp_path: Path) -> Settings:
        """As on another machine: no key is there."""
        return replace(self.settings, keys_dir=str(tmp_path / "other-keys"))


_MADE: list[Lived] = []


@pytest.fixture(scope="session", name="home")
def home_fixture(tmp_path_factory: pytest.TempPathFactory) -> Lived:
    """Such a store, made once. No test changes what its tenants hold."""
    if not _MADE:
        _MADE.append(lived(tmp_path_factory.mktemp("backed-up")))
    return _MADE[0]


def opened(settings: Settings, folder: Path) -> App:
    """The store in that folder."""
    return open_store(replace(settings, store=str(folder)))


def lived(folder: Path) -> Lived:
    """Such a store."""
    settings = Settings(keys_dir=str(folder / "keys"), principal=OWNER, router="none", embedder="none")
    store = folder / "store"
    store.mkdir()
    (folder / "secret.key").write_bytes(SECRET)
    with Memory.init(store, scope=SCOPE, settings=settings) as memory:
        kept = memory.remember("I live in Lisbon", kind="said.home", value="Lisbon")
        told = memory.remember("My number is Zanzibar-Q", kind="said.home", value="Zanzibar-Q", subject="user:bob")
        memory.checkpoint(folder / "before.checkpoint.json")
        memory.remember(LONG)
    with opened(settings, store) as app:
        app.add_tenant("支付", OWNER)
    with Memory.open(store, settings=settings, tenant="支付") as memory:
        memory.remember("Nothing ships before the audit ends.", scope=SCOPE)
        memory.backup(folder / "plain.backup")
        memory.backup(folder / "locked.backup", key_file=folder / "secret.key")
    with Memory.open(store, settings=settings) as memory:
        late = memory.remember("It is Zanzibar-Q, I said", source_ref="chat:7")
        receipt = memory.forget(record=[told.record_id, late.record_id])
        memory.maintain("erase")
        memory.erasures(folder / "erasures.json")
        memory.checkpoint(folder / "after.checkpoint.json")
    return Lived(
        folder=folder,
        settings=settings,
        gone=told.record_id,
        claim=told.claims[0].claim_id,
        kept=kept.record_id,
        late=late.record_id,
        erasure_id=receipt.erasure_id,
    )


def killed_at(operation: int, work: Callable[[], object]) -> bool:
    """True where a child process was killed before its file operation of that number; False where it ended before."""
    child = os.fork()
    if child == 0:
        left = operation

        def watch(event: str, _args: object) -> None:
            nonlocal left
            if event in ("open", "os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.truncate"):
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        code = 1
        try:
            sys.addaudithook(watch)
            work()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0, "it failed before it was killed"
    return os.WIFSIGNALED(status)
