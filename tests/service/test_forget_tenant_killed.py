"""A whole tenant forgotten by a process that is killed on the way, and while others write: gone, or not begun."""

from __future__ import annotations

import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from backing import killed_at
from believers import PEOPLE
from forgetting import ANA, told
from worlds import World, code_of, world

from heedful.kernel.errors import HeedfulError
from heedful.kernel.ids import PrincipalId
from heedful.service.erasure.receipt import Receipt
from heedful.service.erasure.tenant import forget_tenant

LONG = "planted words " * 4_000
PLANTED = (b"planted words", b"Lisbon-7731")
# The mark takes the first of them, and the last ones are of what comes after the last step.
OPERATIONS = (1, 4, 7, 9, 11, 13, 15, 17, 19, 21, 23)


@pytest.fixture(name="made", scope="module")
def made_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store with a tenant that has a claim, a large content and a packet."""
    folder = tmp_path_factory.mktemp("made") / "store"
    with world(folder, policy=PEOPLE) as home:
        home.app.add_tenant("acme", PrincipalId("person:ana"))
        memory = home.memory("person:ana", tenant="acme")
        told(memory, "Lisbon-7731")
        memory.remember(LONG, scope=ANA)
        memory.recall("Where does Ana live?", scope=ANA)
        memory.checkpoint()
    return folder


def erase(home: World) -> Receipt:
    """As the command does."""
    done = forget_tenant(home.app.eraser(principal="person:ana"), "acme")
    assert isinstance(done, Receipt)
    return done


def what_is_there(home: World) -> str:
    """How many records, or as what the tenant is refused."""
    try:
        return f"{home.memory('person:ana', tenant='acme').status().counts['records']} records"
    except HeedfulError as error:
        return error.code


def left_on_disk(folder: Path) -> bytes:
    """Every byte of every file."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_a_kill_at_any_moment_leaves_the_tenant_whole_or_closed(made: Path, tmp_path: Path) -> None:
    """Before the mark nothing is changed; from it on nobody reads it; either way asking again makes an end of it."""
    found = set()
    for operation in OPERATIONS:
        folder = tmp_path / str(operation)
        shutil.copytree(made, folder)

        def work(folder: Path = folder) -> None:
            home = World(folder, policy=PEOPLE)
            erase(home)

        was_killed = killed_at(operation, work)
        with world(folder, policy=PEOPLE) as home:
            found.add((was_killed, what_is_there(home)))
            assert erase(home).stage == "scrubbed"
            assert code_of(lambda: home.memory("person:ana", tenant="acme")) == "tenant_erased"
        assert not any(word in left_on_disk(folder) for word in PLANTED)
    assert found <= {(True, "2 records"), (True, "tenant_erased"), (False, "tenant_erased")}, "whole, or closed"
    assert {(True, "2 records"), (True, "tenant_erased")} <= found, "it was killed before the mark, and after it"


def test_what_is_written_meanwhile_is_before_it_and_gone_or_refused(made: Path, tmp_path: Path) -> None:
    """By handles of other processes: what was acknowledged is in no file, what came later was told `tenant_erased`."""
    folder = tmp_path / "store"
    shutil.copytree(made, folder)
    with world(folder, policy=PEOPLE) as home, world(folder, policy=PEOPLE) as other:
        writer = other.memory("person:ana", tenant="acme")
        kept, ended = [], []
        begun = threading.Event()

        def write() -> None:
            for number in range(10_000):
                try:
                    text = f"race-{number}-" + "x" * (40_000 if number % 3 == 0 else 10)
                    kept.append(writer.remember(text, scope=ANA).record_id)
                except HeedfulError as error:
                    ended.append(error.code)
                    return
                if number == 5:
                    begun.set()

        thread = threading.Thread(target=write)
        thread.start()
        begun.wait(60)
        done = erase(home)
        thread.join(60)
        assert ended == ["tenant_erased"]
        assert done.records == 2 + len(kept), "whatever was acknowledged was before the mark, and went"
    after = left_on_disk(folder)
    assert b"race-" not in after
    assert not any(each.encode() in after for each in kept)
    assert list((folder / "tenants").glob("*acme*")) == []
    assert os.path.exists(folder / "control.db")  # noqa: PTH110


def test_two_who_erase_it_at_once_make_one_end_of_it(made: Path, tmp_path: Path) -> None:
    """With handles of their own: one erasure, which both are told of."""
    folder = tmp_path / "store"
    shutil.copytree(made, folder)
    with world(folder, policy=PEOPLE) as home, world(folder, policy=PEOPLE) as other, ThreadPoolExecutor(2) as pool:
        one, two = pool.map(erase, (home, other))
        assert one.erasure_id == two.erasure_id
        assert home.ana.receipts()[0].stage == "scrubbed"
    assert not any(word in left_on_disk(folder) for word in PLANTED)
