"""Import: a transcript becomes evidence, batch by batch; again, or after a stop, only what is new."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from worlds import PROJECT, World, code_of, house_fixture, transcript, world  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.ledger.events import ClaimProposed, ImportFinished, RecordAdmitted
from heedful.ports.store import Chain
from heedful.service.keeping import import_, references
from heedful.service.keeping.import_ import BATCH_ITEMS

LINE = "remember: release.freeze: Nothing goes out before Friday. until=2026-12-04"
SECONDS_MAX = 60.0


def admitted(house: World) -> list[str | None]:
    """Contents of the records in ledger order."""
    return [event.record.content for event in house.events() if isinstance(event, RecordAdmitted)]


def test_a_transcript_becomes_records_and_proposals(house: World, tmp_path: Path) -> None:
    """In order, with the claims that the user's own words ask for, and a count of everything."""
    report = house.ana.import_trace(transcript(tmp_path / "t.jsonl", "hello", LINE, "password=hunter2-Zq9!"))

    assert admitted(house) == ["hello", LINE, "password=[redacted:password]"]
    assert (report.admitted, report.duplicates, report.redactions) == (3, 0, 1)
    assert [(claim.kind, claim.status) for claim in report.claims] == [("release.freeze", "evidence-verified")]
    assert isinstance(house.events()[-1], ImportFinished)
    assert report.position == len(house.events())
    assert house.ana.verify(views=True).holds


def test_importing_again_adds_nothing_and_a_longer_file_only_its_end(house: World, tmp_path: Path) -> None:
    """Source references tell; the ledger does not grow by a repetition."""
    house.ana.import_trace(transcript(tmp_path / "t.jsonl", "one", "two"))
    count = len(house.events())
    again = house.ana.import_trace(tmp_path / "t.jsonl")
    assert (again.admitted, again.duplicates, again.position, len(house.events())) == (0, 2, 0, count)

    longer = house.ana.import_trace(transcript(tmp_path / "t.jsonl", "one", "two", "three"))
    assert (longer.admitted, longer.duplicates) == (1, 2)
    assert admitted(house) == ["one", "two", "three"]


def test_a_trace_of_many_batches_is_whole(house: World, tmp_path: Path) -> None:
    """Batches leave no seam: every message once, in order; progress goes to twice the size."""
    words = [f"message {number}" for number in range(BATCH_ITEMS * 2 + 1)]
    path = transcript(tmp_path / "t.jsonl", *words)
    told: list[int] = []
    report = house.ana.import_trace(path, progress=told.append)

    assert report.admitted == len(words)
    assert admitted(house) == words
    assert told == sorted(told)
    assert told[-1] == 2 * path.stat().st_size


def test_a_trace_may_be_imported_into_two_scopes(house: World, tmp_path: Path) -> None:
    """What was kept for one project is not quietly taken for another: each scope has its own records."""
    path = transcript(tmp_path / "t.jsonl", "one")
    first = house.ana.import_trace(path)
    other = house.ana.import_trace(path, scope=["project:other"])

    assert (first.admitted, other.admitted, other.duplicates) == (1, 1, 0)
    assert admitted(house) == ["one", "one"]
    assert house.ana.import_trace(path, scope=["project:other"]).duplicates == 1
    assert house.ana.verify(views=True).holds


def finished(house: World) -> list[ImportFinished]:
    """The ends of imports in the ledger."""
    return [event for event in house.events() if isinstance(event, ImportFinished)]


def test_an_import_that_was_stopped_before_its_last_event_writes_it_when_it_goes_on(
    house: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once; a third time adds nothing, also where the ledger has gone on since."""
    path = transcript(tmp_path / "t.jsonl", "one", "two")
    with monkeypatch.context() as patch:
        patch.setattr(import_, "_finish", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            house.ana.import_trace(path)
    assert (admitted(house), finished(house)) == (["one", "two"], [])

    again = house.ana.import_trace(path)
    (end,) = finished(house)
    assert (again.admitted, again.duplicates, again.position) == (0, 2, len(house.events()))
    assert (end.source_name, end.counts) == ("t.jsonl", {"user.text": 2})

    for number in range(5):
        house.ana.remember(f"later {number}")
    assert house.ana.import_trace(path).position == 0
    assert finished(house) == [end]


def test_an_end_beyond_what_is_looked_at_is_written_once_more_at_most(
    house: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The looking is bounded, and what it writes is found by the next import."""
    path = transcript(tmp_path / "t.jsonl", "one")
    monkeypatch.setattr(import_, "FINISH_LOOKED_AT_MAX", 3)
    with monkeypatch.context() as patch:
        patch.setattr(import_, "_finish", lambda *_: 0)
        house.ana.import_trace(path)
    for number in range(5):
        house.ana.remember(f"later {number}")

    house.ana.import_trace(path)
    house.ana.import_trace(path)
    assert len(finished(house)) == 1


def test_a_secret_in_a_traces_names_is_in_no_report_and_no_event(house: World, tmp_path: Path) -> None:
    """The file's name, the run's id and a row's own kind: they are told with the secret cut out."""
    secret = "ghp_" + "Zx9Qw8Er7Ty6Ui5Op4As3Df2Gh1JkLmNbVc0"
    path = transcript(tmp_path / f"{secret}.jsonl", "one", session=secret)
    rows = path.read_text() + json.dumps({"type": secret, "sessionId": "s"}) + "\n"
    path.write_text(rows + transcript(tmp_path / "t.jsonl", "two").read_text())
    report = house.ana.import_trace(path)

    assert report.admitted >= 1
    assert finished(house)
    assert secret not in repr(report)
    assert secret not in repr(house.events())


@pytest.mark.parametrize("who", ["person:dan", "person:bob", "agent:pip", "person:nobody"])
def test_only_owners_and_operators_import(house: World, tmp_path: Path, who: str) -> None:
    """An import vouches for what a user said, so it is nobody else's."""
    path = transcript(tmp_path / "t.jsonl", LINE)

    assert code_of(lambda: house.memory(who).import_trace(path)) == "principal_may_not"
    house.use(house.policy.replace("roles: []", "roles: [operator]"))
    assert code_of(lambda: house.dan.import_trace(path, scope=["project:other"])) == "scope_not_granted"
    assert house.dan.import_trace(path).admitted == 1


def test_what_cannot_be_read_is_named(house: World, tmp_path: Path) -> None:
    """A file that is not there, a folder, and a format that nobody knows."""
    other = tmp_path / "other.jsonl"
    other.write_text("not a transcript\n")

    assert code_of(lambda: house.ana.import_trace(tmp_path / "none")) == "trace_unreadable"
    assert code_of(lambda: house.ana.import_trace(tmp_path)) == "trace_unreadable"
    assert code_of(lambda: house.ana.import_trace(other)) == "trace_format_unknown"


def test_a_bad_line_is_a_problem_and_the_rest_is_kept(house: World, tmp_path: Path) -> None:
    """Broken JSON and a `remember:` line that cannot be proposed are told with their line; nothing else is lost."""
    path = transcript(tmp_path / "t.jsonl", "one", "remember: no.such.kind: x", "two")
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([lines[0], b'{"type": "user", ', *lines[1:]]) + b"\n")
    report = house.ana.import_trace(path)

    assert report.admitted == 3
    assert [problem.line_number for problem in report.problems] == [2, 3]
    assert report.problems[1].code == "statement_refused"
    assert "kind_unknown" in report.problems[1].message


def test_content_over_the_limit_is_a_problem_and_over_the_inline_limit_a_blob(tmp_path: Path) -> None:
    """One row that is too long does not end the import."""
    path = transcript(tmp_path / "t.jsonl", "x" * 5_000, "y" * 500, "z")
    with world(tmp_path / "store", content_bytes_max=1_000, inline_bytes_max=100) as house:
        report = house.ana.import_trace(path)
        blobs = [event.record.blob for event in house.events() if isinstance(event, RecordAdmitted)]

    assert [problem.code for problem in report.problems] == ["content_too_long"]
    assert report.admitted == 2
    assert [blob is not None for blob in blobs] == [True, False]


def test_an_import_that_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    """kill -9 in the middle: whole batches stay, nothing is half there, and importing again completes it once."""
    words = [f"message {number}" for number in range(BATCH_ITEMS * 12)]
    words[BATCH_ITEMS * 11] = LINE
    path, folder = transcript(tmp_path / "t.jsonl", *words), tmp_path / "store"
    with world(folder):
        pass
    program = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from pathlib import Path\nfrom worlds import world\n"
        f"with world(Path({str(folder)!r})) as house:\n"
        f"    print('ready', flush=True)\n    house.ana.import_trace({str(path)!r})\n"
    )
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    _wait_for_batches(folder, BATCH_ITEMS * 2)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()

    with world(folder) as house:
        kept = len(admitted(house))
        assert house.ana.verify(views=True).holds
        report = house.ana.import_trace(path)
        assert admitted(house) == words
        assert len([event for event in house.events() if isinstance(event, ClaimProposed)]) == 1
        assert house.ana.verify(views=True).holds
    assert 0 < kept < len(words), "the control: it was stopped in the middle"
    assert kept % BATCH_ITEMS == 0
    assert (report.admitted, report.duplicates) == (len(words) - kept, kept)


def _wait_for_batches(folder: Path, positions: int) -> None:
    """Until the ledger has so many events."""
    store = SqliteStore.open(folder)
    tenant = store.tenant_store(store.tenants()[0].tenant_id)
    deadline = time.monotonic() + SECONDS_MAX
    while True:
        with tenant.read() as reading:
            if reading.head(Chain.LEDGER).position > positions:
                break
        assert time.monotonic() < deadline, "the import did not begin"
        time.sleep(0.005)
    store.close()


def test_two_imports_of_one_file_keep_it_once(tmp_path: Path) -> None:
    """Whoever comes second finds what the first wrote, in whatever order their batches meet."""
    words = [f"message {number}" for number in range(BATCH_ITEMS * 2)]
    path = transcript(tmp_path / "t.jsonl", *words)
    with world(tmp_path / "store") as house:
        memories = [house.ana, house.ana]
        with ThreadPoolExecutor(2) as pool:
            reports = list(pool.map(lambda memory: memory.import_trace(path, scope=PROJECT), memories))
        assert sorted(str(each) for each in admitted(house)) == sorted(words)
        assert house.ana.verify(views=True).holds

    assert sum(report.admitted for report in reports) == len(words)
    assert sum(report.duplicates for report in reports) == len(words)


def rows_of_a_long_trace(count: int) -> str:
    """A plain file: many notes, then one that was made from the first and the last, and the first once more."""
    rows = [{"id": f"n{number}", "run_id": "r", "content": f"note {number}"} for number in range(count)]
    summary = {"id": "sum", "run_id": "r", "content": "all of it", "derived_from": ["n0", f"n{count - 1}", "nowhere"]}
    return "".join(json.dumps(row) + "\n" for row in [*rows, summary, rows[0]])


def test_an_item_is_made_from_records_that_a_long_import_has_forgotten(
    house: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are looked for in the store; with all of them at hand the control gives the same."""
    count = BATCH_ITEMS + 30
    path = tmp_path / "long.jsonl"
    path.write_text(rows_of_a_long_trace(count), encoding="utf-8")
    monkeypatch.setattr(references, "REFERENCES_HELD_MIN", 20)
    report = house.ana.import_trace(path)
    records = [event.record for event in house.events() if isinstance(event, RecordAdmitted)]

    assert (report.admitted, len(records)) == (count + 1, count + 1)
    assert [problem.code for problem in report.problems] == ["row_repeated"]
    assert records[-1].derived_from == (records[0].record_id, records[-2].record_id)
    held = references.References()
    for number in range(100):
        held.note(f"heedful:r:other{number}", records[0].record_id)
    assert "heedful:r:other0" not in held
    with house.ana._session.store.read() as reading:
        held.look_for(reading, ["heedful:r:n0", "heedful:r:nowhere"], records[0].scope)
    assert held.get("heedful:r:n0") == records[0].record_id
    assert held.get("heedful:r:nowhere") is None
