"""What the other benchmarks count: each count can fail."""

from __future__ import annotations

import random
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from bench_modules import import_memory, import_speed, processes, recall_speed, routing_speed, stores, texts

from heedful.service.recalling import recall as recalling

SESSION = "00c0ffee-0000-4000-8000-000000000000"


def test_texts_have_their_size_and_come_from_their_seed() -> None:
    """A record of 1 KB is one, and two runs write the same."""
    for make in (texts.prose, texts.code):
        assert len(make(random.Random(3))) == texts.KILOBYTE
        assert make(random.Random(3)) == make(random.Random(3)) != make(random.Random(4))


def test_an_import_admits_every_item_and_no_file_holds_a_secret(tmp_path: Path) -> None:
    """40 items with a secret in every fifth; the transcript itself is the control that the search finds them."""
    transcript = tmp_path / "session.jsonl"
    planted = texts.write_transcript(transcript, session_id=SESSION, items=40, rng=random.Random(7), secret_every=5)
    imported = import_speed.import_once(tmp_path / "store", transcript, planted)
    assert len(planted.secrets) == 8
    assert {found for _path, found in texts.files_with(tmp_path, planted.secrets)} == set(planted.secrets)
    assert (imported.report.admitted, imported.report.redactions, imported.leaked) == (40, 8, 0)
    assert len(imported.events) == 40


def test_a_secret_in_a_store_is_counted(tmp_path: Path) -> None:
    """A secret that is no secret's shape stays in the records, and the search through the files says so."""
    transcript = tmp_path / "session.jsonl"
    planted = texts.write_transcript(transcript, session_id=SESSION, items=8, rng=random.Random(7))
    unplanted = replace(planted, secrets=("sessionId-is-no-secret", SESSION))
    assert import_speed.import_once(tmp_path / "store", transcript, unplanted).leaked == 1


@pytest.mark.skipif(sys.platform != "linux", reason="no other system tells the most memory of a process so")
@pytest.mark.parametrize("sort", import_memory.FORMATS)
def test_an_import_tells_its_memory_and_admits_every_item(
    sort: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a process of its own; what was there before is told apart."""
    monkeypatch.setattr(import_memory, "WARM_ITEMS", 40)
    seen = import_memory.measured(tmp_path, sort, 60)
    assert seen.admitted == 60
    assert 0 < seen.before_mb <= seen.most_mb
    assert max(seen.at_share) <= seen.most_mb


def test_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    """A small round of what `make bench` does."""
    stores.new_store(tmp_path).close()
    reports = processes.run_all(tmp_path, 3)
    assert [report.errors for report in reports] == [[]] * processes.PROCESSES
    with stores.open_store(tmp_path) as memory:
        checked = processes.check(memory, reports)
    assert (checked.lost, checked.gaps, checked.doubled, checked.does_not_hold) == (0, 0, 0, 0)
    assert sum(len(report.kept) for report in reports) == 3 * processes.PROCESSES


def test_a_lost_write_and_a_doubled_position_are_counted(tmp_path: Path) -> None:
    """Not there, there with other words, there at another position, and two at one position."""
    with stores.new_store(tmp_path) as memory:
        kept = memory.remember("marker0x0 and more")
        nowhere = "019a0000-0000-7000-8000-000000000001"
        right = processes.Told(kept={kept.record_id: (kept.position, "marker0x0")})
        for wrong in ((nowhere, kept.position + 1, "marker0x1"), (kept.record_id, kept.position + 1, "marker0x0")):
            told = processes.Told(kept={wrong[0]: wrong[1:]})
            assert processes.check(memory, [told]).lost == 1
        assert processes.check(memory, [processes.Told(kept={kept.record_id: (kept.position, "other")})]).lost == 1
        twice = processes.Told(kept={nowhere: (kept.position, "marker0x1")})
        assert processes.check(memory, [right, twice]).doubled == 1
        assert processes.check(memory, [right]).lost == 0


def test_a_gap_in_the_ledger_is_counted(tmp_path: Path) -> None:
    """An event that was taken out leaves a gap, and the chain does not hold."""
    with stores.new_store(tmp_path) as memory:
        kept = memory.remember("one")
        memory.remember("two")
    with closing(sqlite3.connect(next(tmp_path.rglob("tenants/*.db")))) as connection:
        connection.execute("DELETE FROM ledger_events WHERE position = ?", (kept.position,))
        connection.commit()
    with stores.open_store(tmp_path) as memory:
        checked = processes.check(memory, [])
    assert (checked.gaps, checked.does_not_hold) == (1, 1)


def test_a_process_that_can_not_work_is_an_error(tmp_path: Path) -> None:
    """Without a store every process reports why."""
    reports = processes.run_all(tmp_path, 1)
    assert [report.errors for report in reports] == [["store_not_found"]] * processes.PROCESSES


def test_a_packet_without_its_decision_states_is_wrong(tmp_path: Path) -> None:
    """In an empty store each of the users' packets is; with one user's memories that user's is right."""
    with stores.new_store(tmp_path) as memory:
        assert recall_speed.wrong_packets(memory) == recall_speed.USERS
        recall_speed.fill_user(memory, 0)
        assert recall_speed.wrong_packets(memory) == recall_speed.USERS - 1


def test_the_bare_queries_are_those_of_the_recall(tmp_path: Path) -> None:
    """The full-text statements are seen with their values, and run by themselves; the recall is as before afterwards."""
    with stores.new_store(tmp_path) as memory:
        recall_speed.fill_user(memory, 0)
        statements = recall_speed.statements_of(memory, 0)
        assert any("search_terms MATCH" in statement for statement, _values in statements)
        assert recall_speed.bare_seconds(memory, statements[:1]) > 0
        before = dict(vars(recalling))
        parts = recall_speed.breakdown(memory, 2)
        assert {"search", "assemble", "journal", "the rest"} <= set(parts)
        assert all(seconds > 0 for seconds in parts.values())
        assert dict(vars(recalling)) == before


def test_the_requests_to_route_are_training_lines_each_once() -> None:
    """Folders beside the files of a pack, and lines of other sorts, are no requests."""
    texts_of_requests = routing_speed.requests(50)
    assert len(texts_of_requests) == len(set(texts_of_requests)) == 50
    assert all(text.strip() and "\t" not in text for text in texts_of_requests)
