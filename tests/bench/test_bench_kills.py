"""The crash check finds what it is there to find: each sort of loss, half a write, a changed past."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from bench_modules import crash_acks, crash_check, kills, stores, texts

from heedful import Memory
from heedful.kernel.errors import UnavailableError
from heedful.ledger.seal import EMPTY_HEAD, Head

Ack = crash_acks.Ack
RUN = "0badcafe-0000-4000-8000-000000000001"
NOWHERE = "019a0000-0000-7000-8000-000000000001"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with stores.new_store(tmp_path / "store") as opened:
        yield opened


def database(tmp_path: Path) -> Path:
    return next((tmp_path / "store").rglob("tenants/*.db"))


def transcript(tmp_path: Path, items: int) -> Path:
    path = tmp_path / f"{items}.jsonl"
    texts.write_transcript(path, session_id=RUN, items=items, rng=random.Random(1), characters=200)
    return path


def wrong(findings: crash_check.Findings) -> list[str]:
    return findings.lost + findings.half + findings.broken


def test_a_line_that_was_cut_off_acknowledges_nothing() -> None:
    """Only a whole line was written."""
    assert crash_acks.heard(b'{"verb": "judge", "key": "1", "text": "", "count": 0}\n') == Ack("judge", "1")
    assert crash_acks.heard(b'{"verb": "judge", "key": "1"') is None


def test_what_was_kept_is_found(memory: Memory, tmp_path: Path) -> None:
    """Every sort of acknowledged write, made, leaves nothing to complain of."""
    memory.remember("one thing", source_ref="a/1")
    taken_back = memory.remember("another", source_ref="a/2")
    memory.reject(taken_back.record_id)
    claim = memory.remember("structured: nothing until Friday", kind="release.freeze").claims[0]
    memory.approve(claim.claim_id)
    verdict = memory.judge("Bash", {"command": "ls"})
    packet = memory.recall("Deploy to production", impact="execute")
    path = transcript(tmp_path, 8)
    memory.import_trace(path)
    said = [
        Ack("remember", "a/1", "one thing"),
        Ack("remember", "a/2", "another"),
        Ack("withdraw", "a/2"),
        Ack("claim", claim.claim_id, "structured: nothing until Friday"),
        Ack("approve", claim.claim_id),
        Ack("judge", verdict.verdict_id),
        Ack("recall", packet.packet_id),
        Ack("importing", RUN, str(path), 8),
        Ack("import", RUN, str(path), 8),
    ]
    findings, head = crash_check.check(memory, said)
    assert wrong(findings) == []
    assert wrong(crash_check.check(memory, said, before=head)[0]) == []
    assert wrong(crash_check.resume_imports(memory, said)) == []


@pytest.mark.parametrize(
    "ack",
    [
        Ack("remember", "a/1", "one thing"),
        Ack("withdraw", "a/1"),
        Ack("claim", NOWHERE, "a statement"),
        Ack("approve", NOWHERE),
        Ack("judge", NOWHERE),
        Ack("recall", NOWHERE),
        Ack("import", RUN, "nowhere", 8),
    ],
    ids=lambda ack: ack.verb,
)
def test_what_was_never_made_is_lost(memory: Memory, ack: crash_acks.Ack) -> None:
    """The control for each sort: acknowledged, and not there."""
    findings, _head = crash_check.check(memory, [ack])
    assert findings.lost == [f"{ack.verb} {ack.key}"]


def test_other_words_than_acknowledged_are_a_loss(memory: Memory) -> None:
    """A record under the right reference with the wrong content is not what was acknowledged."""
    memory.remember("one thing", source_ref="a/1")
    assert crash_check.check(memory, [Ack("remember", "a/1", "another thing")])[0].lost == ["remember a/1"]


def test_an_approval_that_did_not_last_is_a_loss(memory: Memory) -> None:
    """The claim is there, and is not active."""
    claim = memory.remember("structured: nothing until Friday", kind="release.freeze").claims[0]
    assert crash_check.check(memory, [Ack("approve", claim.claim_id)])[0].lost == [f"approve {claim.claim_id}"]


def test_a_part_of_a_batch_is_half_a_write(memory: Memory, tmp_path: Path) -> None:
    """7 of 100 records can't be whole batches of 40."""
    memory.import_trace(transcript(tmp_path, 7))
    findings, _head = crash_check.check(memory, [Ack("importing", RUN, "", 100)])
    assert len(findings.half) == 1
    assert "7 of 100" in findings.half[0]


def test_an_import_that_does_not_go_on_is_found(memory: Memory, tmp_path: Path) -> None:
    """Imported again, the trace has 8 records where 9 were announced."""
    path = transcript(tmp_path, 8)
    findings = crash_check.resume_imports(memory, [Ack("importing", RUN, str(path), 9)])
    assert len(findings.half) == 1


def test_a_statement_without_its_claim_is_half_a_write(memory: Memory) -> None:
    """The writer's structured statements come with a claim in one transaction."""
    memory.remember("structured and without a claim")
    memory.remember("something else")
    memory.remember("structured at the very end")
    assert len(crash_check.check(memory, [])[0].half) == 2


def test_another_past_is_found(memory: Memory) -> None:
    """The event that the ledger ended with must be the same at the next look; and it must be there."""
    _findings, head = crash_check.check(memory, [])
    assert len(crash_check.check(memory, [], before=Head(head.position, "0" * 64))[0].broken) == 1
    assert len(crash_check.check(memory, [], before=Head(head.position + 5, head.digest))[0].broken) == 1
    assert crash_check.check(memory, [], before=EMPTY_HEAD)[0].broken == []


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        ("UPDATE ledger_events SET payload = CAST(replace(payload, 'one', 'two') AS BLOB)", "ledger"),
        ("UPDATE records SET status_reason = 'another'", "views"),
    ],
)
def test_a_store_that_was_changed_behind_our_back_is_found(tmp_path: Path, statement: str, place: str) -> None:
    """A broken chain, and views that a refold does not give."""
    with stores.new_store(tmp_path / "store") as memory:
        memory.remember("one thing")
    with closing(sqlite3.connect(database(tmp_path))) as connection:
        connection.execute(statement)
        connection.commit()
    with stores.open_store(tmp_path / "store") as memory:
        findings, _head = crash_check.check(memory, [])
    assert any(text.startswith(place) for text in findings.half + findings.broken)


def test_views_behind_their_ledger_are_refused_by_the_store_itself(tmp_path: Path) -> None:
    """Such a store answers nobody, so a kill that left one would end the run."""
    new_store = stores.new_store(tmp_path / "store")
    new_store.close()
    with closing(sqlite3.connect(database(tmp_path))) as connection:
        connection.execute("UPDATE state SET checkpoint = checkpoint - 1")
        connection.commit()
    with pytest.raises(UnavailableError, match="not whole yet"):
        stores.open_store(tmp_path / "store")


def test_killed_writers_leave_a_whole_store(tmp_path: Path) -> None:
    """A small round of what `make bench` does a hundred times."""
    outcome = kills.kill_writers(tmp_path / "store", 3, seed=5)
    assert (outcome.troubles, wrong(outcome.findings)) == ([], [])
    assert outcome.kills >= 3
    assert outcome.writes.total() > 0


def test_an_acknowledgement_before_the_write_is_found_out(tmp_path: Path) -> None:
    """The control of the whole: with writers that acknowledge too early the check finds losses."""
    outcome = kills.kill_writers(tmp_path / "store", kills.CONTROL_KILLS_MAX, seed=5, early=True)
    assert outcome.findings.lost != []
