"""A disk that fails at its N-th call, for every N: what was acknowledged stays, and what failed says so."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import apsw
import pytest
from durability_modules import (
    SCOPE,
    Ack,
    check,
    new_store,
    open_store,
    remembered_registries,
    session_of,
    settings_in,
)
from faulty_disk import Faults, Sort, faulty

from heedful import Memory
from heedful.adapters.storage.sqlite import connection
from heedful.bootstrap import open_store as open_app
from heedful.kernel.errors import HeedfulError, UnavailableError
from heedful.kernel.ids import PrincipalId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import parse_scope
from heedful.ports.store import Chain

CALLS_MAX = 1_000
LARGE = 70_000
CODES = {"store_unavailable", "store_read_only", "blob_store_unavailable", "keys_unavailable"}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that was made on a sound disk."""
    folder = tmp_path_factory.mktemp("template") / "store"
    with new_store(folder) as memory:
        memory.remember("before", source_ref="before")
    return folder


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Registries are read once, and the WAL is so short that checkpoints are among the calls."""
    monkeypatch.setattr(connection, "WAL_PAGES_MAX", 24)
    with remembered_registries():
        yield


@dataclass(slots=True)
class Lived:
    """What the operations of one run came to, in order; None: answered, else the error's code."""

    acks: list[Ack] = field(default_factory=lambda: [Ack("remember", "before", "before")])
    codes: list[str | None] = field(default_factory=list)
    after_sync: list[str | None] = field(default_factory=list)

    def attempt(self, faults: Faults, call: Callable[[], Ack | None]) -> None:
        """The call's answer or error is noted. Any error that is not ours ends the test."""
        was_synced = any(operation == "sync" and "tenants" in path for operation, path in faults.struck)
        code = None
        try:
            ack = call()
        except HeedfulError as error:
            code = error.code
        else:
            self.acks += [ack] if ack is not None else []
        self.codes.append(code)
        if was_synced:
            self.after_sync.append(code)


def _live(folder: Path, faults: Faults) -> Lived:
    lived = Lived()
    try:
        memory = open_store(folder)
    except HeedfulError as error:
        lived.codes.append(error.code)
        return lived
    # What failed while the store was opened did not fail in it: only from here on is there something to latch.
    faults.struck.clear()

    def remember(key: str, text: str) -> Ack:
        memory.remember(text, source_ref=key)
        # Large content is no text in the ledger: that it is whole is what `verify` says.
        return Ack("remember", key, text) if len(text) < LARGE else Ack("importing", key)

    def judge() -> Ack:
        return Ack("judge", memory.judge("Bash", {"command": "git push --force origin main"}).verdict_id)

    try:
        lived.attempt(faults, lambda: remember("a", "small"))
        lived.attempt(faults, lambda: remember("b", "large ".ljust(LARGE, "x")))
        lived.attempt(faults, judge)
        lived.attempt(faults, lambda: remember("c", "another " + "words " * 400))
        assert _reads(memory, faults), faults.struck
    finally:
        try:
            memory.close()
        except HeedfulError as error:
            lived.codes.append(error.code)
        except apsw.Error:
            # SQLite keeps to itself what fails in the checkpoint at close: the log stays. The driver tells what was
            # raised in Python, as these faults are.
            assert faults.struck
    return lived


def _reads(memory: Memory, faults: Faults) -> bool:
    """True where the record that was there before everything is found: whatever fails to be written, reading goes on.

    A file that cannot be opened cannot be read either, and says so.
    """
    try:
        with session_of(memory).store.read() as reading:
            stored = reading.record_by_source("before", parse_scope(SCOPE), Classification.NORMAL)
            return len(list(reading.events(Chain.LEDGER))) >= 2 and stored is not None
    except UnavailableError:
        return any(operation == "open" for operation, _path in faults.struck)


def _runs(template: Path, folder: Path, sort: Sort, *, goes_on: bool, step: int) -> Iterator[tuple[int, Lived, Faults]]:
    """A run for each N until nothing fails any more, each on a copy of the template."""
    for number in range(1, CALLS_MAX, step):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(template, folder)
        faults = Faults(sort, at=number, goes_on=goes_on)
        with faulty(faults):
            lived = _live(folder, faults)
        yield number, lived, faults
        if faults.calls < number:
            return
    pytest.fail(f"still failing after {CALLS_MAX} calls")


@pytest.mark.parametrize(
    ("sort", "goes_on", "step"),
    [("EIO", False, 1), ("ENOSPC", True, 1), ("EIO", True, 3), ("ENOSPC", False, 3)],
    ids=["EIO once", "ENOSPC from then on", "EIO from then on", "ENOSPC once"],
)
def test_whichever_call_fails_nothing_acknowledged_is_lost(
    template: Path, tmp_path: Path, sort: Sort, goes_on: bool, step: int
) -> None:
    """Each N until the work meets no fault: errors have our codes, and the next process finds all that was said."""
    struck = 0
    for number, lived, faults in _runs(template, tmp_path / "store", sort, goes_on=goes_on, step=step):
        struck += bool(faults.struck)
        failed = {code for code in lived.codes if code is not None}
        assert failed <= CODES, (number, failed, faults.struck)
        # After a failed fsync of its database a tenant is written to no more, although the disk is well again.
        refusals = CODES if goes_on else {"store_read_only"}
        assert set(lived.after_sync) <= refusals, (number, lived.codes, faults.struck)
        with open_store(tmp_path / "store") as memory:
            findings, _head = check(memory, lived.acks)
            assert findings.lost + findings.half + findings.broken == [], (number, faults.struck)
    assert lived.codes == [None] * 4
    assert struck > 30


def test_a_failed_fsync_in_a_checkpoint_latches_as_well(template: Path, tmp_path: Path) -> None:
    """The commit before it is durable and stays acknowledged; nothing more is written, and reading goes on."""
    shutil.copytree(template, tmp_path / "store")
    # Only a checkpoint syncs the database itself; a commit syncs its log.
    faults = Faults(at=1, only=frozenset({"sync"}), where=lambda path: path.endswith(".db"))
    with faulty(faults):
        memory = open_store(tmp_path / "store")
        keys = iter(range(50))
        acks = []
        while not faults.struck:
            key = str(next(keys))
            memory.remember(f"text {key}", source_ref=key)
            acks.append(Ack("remember", key, f"text {key}"))
        faults.heal()
        with pytest.raises(UnavailableError, match="nothing more is written"):
            memory.remember("again")
        assert _reads(memory, faults)
        memory.close()
    assert [path.rpartition(".")[2] for _operation, path in faults.struck] == ["db"]
    with open_store(tmp_path / "store") as memory:
        findings, _head = check(memory, acks)
        assert findings.lost + findings.half + findings.broken == []


def test_a_checkpoint_without_room_is_put_off(template: Path, tmp_path: Path) -> None:
    """The database cannot grow: commits go on in the log, nothing latches, and with room again it is moved."""
    shutil.copytree(template, tmp_path / "store")
    faults = Faults("ENOSPC", at=1, goes_on=True, only=frozenset({"write"}), where=lambda path: path.endswith(".db"))
    with faulty(faults), open_store(tmp_path / "store") as memory:
        for number in range(20):
            memory.remember(f"text {number}", source_ref=str(number))
        assert faults.struck != []
        faults.heal()
        memory.remember("at last")
    with open_store(tmp_path / "store") as memory:
        acks = [Ack("remember", str(number), f"text {number}") for number in range(20)]
        assert check(memory, acks)[0].lost == []


@pytest.mark.parametrize("place", ["blobs", "blobs/x", "file"])
def test_after_a_blob_could_not_be_synced_none_is_written(template: Path, tmp_path: Path, place: str) -> None:
    """The blob folder's own name, a folder in it, or the content: later blobs are refused, small records are not."""
    shutil.copytree(template, tmp_path / "store")
    large = "large ".ljust(LARGE, "x")
    faults = Faults(only=frozenset({"sync"}))
    with faulty(faults), open_store(tmp_path / "store") as memory:
        # The fsyncs of one put, in order: three folders' names, the content, its name.
        memory.remember("first")
        faults.calls, faults.at = 0, {"blobs": 1, "blobs/x": 3, "file": 4}[place]
        with pytest.raises(UnavailableError) as caught:
            memory.remember(large)
        assert caught.value.code == "blob_store_unavailable"
        assert "blobs" in faults.struck[0][1] or place == "blobs"
        faults.heal()
        with pytest.raises(UnavailableError) as caught:
            memory.remember(large)
        assert caught.value.code == "store_read_only"
        memory.remember("small", source_ref="small")
    with open_store(tmp_path / "store") as memory:
        assert check(memory, [Ack("remember", "small", "small")])[0].lost == []
        memory.remember(large)
        assert memory.verify(views=True).holds


def test_after_the_list_of_tenants_could_not_be_synced_none_is_made(template: Path, tmp_path: Path) -> None:
    """`control.db` latches like a tenant's database; the tenants that are there are written to."""
    shutil.copytree(template, tmp_path / "store")
    faults = Faults(only=frozenset({"sync"}))
    settings = replace(settings_in(tmp_path / "store"), store=str(tmp_path / "store"))
    with faulty(faults), open_app(settings) as app:
        faults.at, faults.goes_on, faults.where = 1, True, lambda path: "control.db" in path
        assert _code_of(lambda: app.add_tenant("second", PrincipalId("person:ana"))) == "store_unavailable"
        assert "control.db" in faults.struck[-1][1]
        faults.heal()
        assert _code_of(lambda: app.add_tenant("third", PrincipalId("person:ana"))) == "store_read_only"
        Memory(app, app.session()).remember("goes on", scope=SCOPE)
    with open_app(settings) as app:
        app.add_tenant("third", PrincipalId("person:ana"))
        assert [tenant.name for tenant in app.store.tenants()] == ["default", "third"]


def test_on_a_sound_disk_all_of_it_succeeds(template: Path, tmp_path: Path) -> None:
    """The control of the tests above: the same calls through the same layer, and nothing fails."""
    shutil.copytree(template, tmp_path / "store")
    faults = Faults()
    with faulty(faults):
        lived = _live(tmp_path / "store", faults)
    assert (lived.codes, faults.struck) == ([None] * 4, [])
    assert faults.calls > 30


def _code_of(call: Callable[[], object]) -> str:
    with pytest.raises(HeedfulError) as caught:
        call()
    return caught.value.code
