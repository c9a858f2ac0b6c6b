"""Public reports of deletions that took too much, too little, or did not last, and of crashes that tore a store apart."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest
from report_cases import DELETION_KINDS, load_cases, needs_cases, place_of
from report_steps import Answer, Steps, command_line
from report_store import OWNER, ReportStore, message_row

from heedful import Memory
from heedful.adapters.residue import FolderResidue
from heedful.kernel.errors import HeedfulError, NotFoundError
from heedful.ledger.pages import PAYLOAD
from heedful.ports.store import Chain
from heedful.service.drilling.canary import needles_of

pytestmark = needs_cases
ANA = ("user:ana",)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReportStore]:
    with ReportStore(tmp_path) as store:
        yield store


def run(store: ReportStore, case_id: str) -> list[Answer]:
    return Steps(store).run(load_cases(DELETION_KINDS)[case_id])


def leftovers(store: ReportStore, text: str) -> list[bytes]:
    """Rows of views and payloads of events that have the text."""
    session = store.app.session(tenant="t1")
    session.access.flush()
    with session.store.read() as reading:
        rows = list(reading.dump_views())
        for chain in Chain:
            rows += [row[PAYLOAD] or b"" for page in reading.event_pages(chain) for row in page]
    return [each for each in rows if text.encode() in each]


def files_with(store: ReportStore, text: str) -> tuple[str, ...]:
    """The files of the store that have the text, in any form that is looked for."""
    return FolderResidue(store.folder / ".heedful").look(needles_of(text)).places


def test_b018_deleting_one_scope_leaves_the_others_whole(store: ReportStore) -> None:
    """Ana's row is gone, Ben's and Cyd's are there and found; one receipt says by what, how many, and nothing else."""
    *_, ben, cyd, search = run(store, "B018")
    assert store.texts("t1/ana") == []
    assert (ben.texts, cyd.texts, search.texts) == (("b1",), ("c1",), ("b1",))
    assert [item.text for item in store.memory("t2").recall("c1", scope=["user:cyd"]).items] == ["c1"]
    (receipt,) = store.memory().receipts()
    assert (receipt.by, receipt.records, receipt.requested_by) == ("scope", 1, OWNER)
    assert store.memory("t2").receipts() == ()
    assert store.memory().verify(views=True).holds


def test_b020_nothing_deleted_comes_back_from_search(store: ReportStore) -> None:
    """By no leg, at once, nor after opening again. The control: before, it is found."""
    write, erase, *searches = load_cases(DELETION_KINDS)["B020"].steps
    steps = Steps(store)
    place = place_of("t1/ana")
    steps._write(write, place)
    assert steps._search(searches[0], place).texts == (write["text"],)
    steps._delete_scope(erase, place)
    for step in searches:
        if step["op"] == "reopen_store":
            store.reopen()
        else:
            assert steps._search(step, place).texts == ()


PATHS: dict[str, Callable[[ReportStore, Memory, str], object]] = {
    "record": lambda _store, memory, record_id: memory.forget(record=record_id),
    "subject": lambda _store, memory, _id: memory.forget(subject="coach:vim"),
    "scope": lambda _store, memory, _id: memory.forget(scope=ANA),
    "principal": lambda store, _memory, _id: store.memory(principal="person:ana").forget(principal="person:ana"),
    "command line": lambda store, _memory, record_id: command_line(store, "forget", "--record", record_id, "--json"),
}


def test_b022_all_deletion_paths_clean_the_same_things(store: ReportStore) -> None:
    """Record, claim, index rows, packet, events: nothing is left by any path. The control: there was a lot before."""
    text = "Ana trains with Coach Vim"
    for number, (path, erase) in enumerate(PATHS.items()):
        teller = store.memory(principal="person:ana")
        kept = teller.remember(
            text, scope=ANA, kind="note", form="fact", subjects=[("coach", "vim")], source_ref=f"m{number}"
        )
        assert teller.recall("Who trains with Coach Vim?", scope=ANA).items
        assert len(leftovers(store, text)) > 4
        erase(store, store.memory(), kept.record_id)
        # The packets go with the job.
        assert (path, [each for each in leftovers(store, text) if b'"asked_json"' not in each]) == (path, [])
        assert store.texts("t1/ana") == []
    store.memory().maintain("erase")
    assert leftovers(store, text) == []


def test_b024_deleted_stays_deleted(store: ReportStore, tmp_path: Path) -> None:
    """Imported again, rebuilt, without the table of what was erased, restored from before: no row comes back."""
    file = tmp_path / "session.jsonl"
    rows = [message_row(f"m{number}", f"the gate code is number {number}", second=number) for number in range(3)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    memory = store.memory()
    assert memory.import_trace(file, scope=ANA).admitted == 3
    memory.backup(tmp_path / "before.backup")
    memory.forget(record=[each.record.record_id for each in store.records_of(*ANA)])
    memory.maintain("erase")
    for _ in range(2):
        again = store.memory().import_trace(file, scope=ANA)
        assert (again.admitted, again.refused) == (0, 3)
        assert [problem.code for problem in again.problems] == ["erased_before"] * 3
        assert command_line(store, "rebuild", "--json") == "ok"
        assert store.texts("t1/ana") == []
        database = store.database()
        store.app.close()
        connection = apsw.Connection(str(database))
        connection.execute("DELETE FROM erased_keys")
        connection.close()
        store.reopen()
        assert command_line(store, "rebuild", "--json") == "ok"
    assert store.texts("t1/ana") == []
    assert store.memory().recall("gate code", scope=ANA).items == ()
    Memory.restore(
        tmp_path / "before.backup",
        to=tmp_path / "restored",
        since=store.folder,
        stale_ok=True,
        settings=store.settings,
    )
    with Memory.open(tmp_path / "restored", principal=OWNER, tenant="t1", settings=store.settings) as restored:
        assert restored.status().counts["records"] == 0
        assert restored.recall("gate code", scope=ANA).items == ()


def test_b025_two_strengths_of_deletion_are_named(store: ReportStore) -> None:
    """Withdrawn it is not found and still there; erased and scrubbed no file has it, and the receipt has no text."""
    text = "sentinel-7f3a9c"
    long = f"{text} lies in the drawer of the hall"
    memory = store.memory()
    kept = memory.remember(long, scope=ANA)
    hidden = memory.reject(kept.record_id, reason="a mistake")
    assert hidden.status == "withdrawn"
    assert memory.recall("what lies in the drawer?", scope=ANA).items == ()
    assert memory.show(kept.record_id)[0].record.content == long  # type: ignore[union-attr]
    assert files_with(store, text) != ()
    receipt = memory.forget(record=kept.record_id, because="mistake")
    memory.maintain("erase")
    with pytest.raises(NotFoundError):
        memory.show(kept.record_id)
    told = memory.receipt(receipt.erasure_id)
    assert (told.stage, told.because, told.requested_by, told.could_not) == ("scrubbed", "mistake", OWNER, ())
    assert files_with(store, text) == ()
    assert text not in str(told)


def test_b078_a_torn_last_record_does_not_kill_the_rest(store: ReportStore, tmp_path: Path) -> None:
    """Of a transcript whose last line is half there the rest is taken, and the line is named."""
    file = tmp_path / "torn.jsonl"
    lines = [json.dumps(message_row(f"m{number}", f"note {number}", second=number)) for number in range(100)]
    file.write_text("\n".join(lines)[: -len(lines[-1]) // 2], "utf-8")
    report = store.memory().import_trace(file, scope=ANA)
    assert report.admitted == 99
    assert [problem.line_number for problem in report.problems] == [100]
    assert len(store.texts("t1/ana")) == 99


def test_b078_a_torn_log_loses_its_last_write_alone(store: ReportStore) -> None:
    """The store opens with 99 of 100, and the pinned checkpoint tells that one is missing, and where."""
    memory = store.memory()
    memory.remember_many([f"note {number}" for number in range(98)], scope=ANA)
    for number in (98, 99):
        memory.remember(f"note {number}", scope=ANA)
    memory.checkpoint()
    database = store.database()
    copies = {each: each.with_name(f"{each.name}.copy") for each in (database, Path(f"{database}-wal"))}
    for path, copy in copies.items():
        shutil.copy(path, copy)
    size = memory.verify().ledger.head.position
    store.app.close()
    for path, copy in copies.items():
        shutil.move(copy, path)
    log = Path(f"{database}-wal")
    log.write_bytes(log.read_bytes()[:-100])
    store.reopen()
    assert len(store.texts("t1/ana")) == 99
    broken = store.memory().verify().ledger.broken
    assert broken is not None
    assert (broken.breach, broken.to_position or broken.position) == ("checkpoint-mismatch", size)


def test_b079_what_is_answered_as_kept_is_kept(store: ReportStore) -> None:
    """The third vector cannot be written: that write says so, the others are there, and found; nothing is half there.

    That a kill at any moment leaves whole writes alone is tests/durability's, and b077's here.
    """
    step = load_cases(DELETION_KINDS)["B079"].steps[0]
    connection = apsw.Connection(str(store.database()))
    connection.execute(
        "CREATE TRIGGER broken BEFORE INSERT ON vectors WHEN (SELECT count(*) FROM vectors) = 2 "
        "BEGIN SELECT RAISE(ABORT, 'no room'); END"
    )
    kept: dict[str, str] = {}
    failed = []
    for number in range(step["n"]):
        try:
            kept[f"bee hive {number}"] = store.memory().remember(f"bee hive {number}", scope=ANA).record_id
        except HeedfulError as error:
            failed.append(error.code)
    connection.execute("DROP TRIGGER broken")
    connection.close()
    assert sorted(store.texts("t1/ana")) == sorted(kept)
    assert len(kept) + len(failed) == step["n"]
    store.reopen()
    found = {item.text for item in store.memory().recall("bee hive", scope=ANA).items}
    assert found == set(kept)
    assert all(store.memory().show(each) for each in kept.values())
    audit = store.memory().verify(views=True)
    assert (audit.holds, audit.views) == (True, "equal")
    assert failed
