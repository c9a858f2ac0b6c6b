"""What was erased and comes again: refused from the same source, and kept only where somebody who may erase says so."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from believers import PEOPLE
from forgetting import ANA, BOB
from worlds import PROJECT, World, code_of, transcript, world

from heedful import Memory
from heedful.adapters.storage.sqlite.erasure import ErasureWriting
from heedful.observations.record import Record
from heedful.service.keeping.sources import BROUGHT_BACK, ERASED_BEFORE

WORDS = ("hello", "里斯本 is where I live", "and goodbye")


@pytest.fixture(name="home")
def home_fixture(tmp_path: Path) -> World:  # type: ignore[misc]
    """An empty store in memory."""
    with world(policy=PEOPLE) as made:
        yield made


def kept(memory: Memory) -> dict[str | None, Record]:
    """What is evidence now, by its content."""
    with memory._session.store.read() as reading:
        stored = reading.records_in(reading.scopes(), after=0, limit=99)
    return {each.record.content: each.record for each in stored}


def erase_the_second(home: World, path: Path) -> None:
    """The trace is imported, and its second message erased."""
    home.ana.import_trace(path, scope=PROJECT)
    home.ana.forget(record=kept(home.ana)[WORDS[1]].record_id)


def test_an_import_that_runs_again_brings_nothing_back(home: World, tmp_path: Path) -> None:
    """However often, and from a longer file too; what was not erased is known, and what is new is kept."""
    path = transcript(tmp_path / "t.jsonl", *WORDS)
    erase_the_second(home, path)
    for _ in range(2):
        again = home.ana.import_trace(path, scope=PROJECT)
        assert (again.admitted, again.refused, again.erased_before, again.duplicates) == (0, 1, 1, 2)
    longer = home.ana.import_trace(transcript(path, *WORDS, "more"), scope=PROJECT)
    assert (longer.admitted, longer.erased_before) == (1, 1)
    assert kept(home.ana).keys() == {WORDS[0], WORDS[2], "more"}
    assert home.ana.verify(views=True).holds


def test_the_control_without_the_tombstone_it_would_come_back(
    home: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The very same import, where an erasure leaves no tag of the source: what was erased is there again."""
    path = transcript(tmp_path / "t.jsonl", *WORDS)
    monkeypatch.setattr(ErasureWriting, "put_erased", lambda *_arguments: None)
    erase_the_second(home, path)
    assert WORDS[1] not in kept(home.ana)
    assert home.ana.import_trace(path, scope=PROJECT).admitted == 1
    assert WORDS[1] in kept(home.ana)


def test_who_may_erase_brings_it_back_expressly_and_the_record_says_so(home: World, tmp_path: Path) -> None:
    """Only what was erased is flagged; a third time it is known; erased once more, it stays away once more."""
    path = transcript(tmp_path / "t.jsonl", *WORDS)
    erase_the_second(home, path)

    back = home.ana.import_trace(path, scope=PROJECT, again=True)

    assert (back.admitted, back.refused, back.erased_before) == (1, 0, 0)
    record = kept(home.ana)[WORDS[1]]
    assert (record.flags, record.principal) == ((BROUGHT_BACK,), "person:ana")
    assert kept(home.ana)[WORDS[0]].flags == ()
    assert home.ana.import_trace(path, scope=PROJECT).duplicates == 3
    home.ana.forget(record=record.record_id)
    assert home.ana.import_trace(path, scope=PROJECT).erased_before == 1
    assert home.ana.verify(views=True).holds


def test_a_statement_that_comes_again_is_kept_on_purpose_alone(home: World) -> None:
    """Each of `remember` and `remember_many`; another scope or reference was never refused, and is not flagged."""
    ana = home.ana
    ana.forget(record=ana.remember("I live in Rome", scope=ANA, source_ref="chat:1").record_id)
    refused = ana.remember("I live in Rome", scope=ANA, source_ref="chat:1")
    assert (refused.outcome, refused.reasons) == ("refused", (ERASED_BEFORE,))
    assert BROUGHT_BACK not in ana.remember("I live in Rome", scope=BOB, source_ref="chat:1", again=True).flags
    item = {"content": "I live in Rome", "scope": ANA, "source_ref": "chat:1"}
    (still,) = ana.remember_many([item])  # type: ignore[list-item]
    (back,) = ana.remember_many([{**item, "again": True}])  # type: ignore[list-item]
    assert (still.outcome, back.outcome, back.flags) == ("refused", "admitted", (BROUGHT_BACK,))  # type: ignore[union-attr]
    assert ana.remember("I live in Rome", scope=ANA, source_ref="chat:1").duplicate


def test_who_may_not_erase_may_not_bring_it_back(home: World, tmp_path: Path) -> None:
    """Whether or not anything was erased: the refusal tells nothing. The control: without `again` they may remember."""
    path = transcript(tmp_path / "t.jsonl", *WORDS)
    for who in (home.dan, home.agent):
        asked: tuple[Callable[[], object], ...] = (
            partial(who.remember, "new", scope=PROJECT, source_ref="chat:9", again=True),
            partial(who.import_trace, path, scope=PROJECT, again=True),
        )
        assert {code_of(call) for call in asked} == {"principal_may_not"}
        (answer,) = who.remember_many([{"content": "new", "scope": PROJECT, "source_ref": "chat:9", "again": True}])
        assert answer.code == "principal_may_not"  # type: ignore[union-attr]
    assert home.dan.remember("new", scope=PROJECT, source_ref="chat:9").outcome == "admitted"
