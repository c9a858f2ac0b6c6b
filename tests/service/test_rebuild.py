"""Rebuild: the views anew from the ledger, in bounded steps; and nobody is answered from half of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from ledger_moves import memory, place
from rebuilding import (  # noqa: F401  # pytest finds the fixtures here
    dump,
    few_events_fixture,
    folder_fixture,
    head_of,
    interrupted,
    interrupted_dropping,
    lived_fixture,
    run,
    session_at,
    spoil,
)
from worlds import DEPLOY, QUESTION, code_of

from heedful.adapters.models.ngrams import NgramEmbedder
from heedful.adapters.storage.sqlite.connection import Session as Connection
from heedful.kernel.errors import FaultError, UnavailableError
from heedful.observations.record import Channel
from heedful.ports.store import Chain
from heedful.service import rebuild as module
from heedful.service.access import AccessJournal
from heedful.service.whole import beneath


def test_what_is_rebuilt_is_what_was_there(folder: Path) -> None:
    """Byte for byte, and the same packet; twice is as good as once."""
    with place(folder) as app:
        session = session_at(app)
        before = dump(session.store)
        packet = memory(app).recall(QUESTION)
        for _ in range(2):
            with session.store.read() as reading:
                head = reading.head(Chain.LEDGER).position
            rebuilt = run(session)
            assert (rebuilt.ledger_position, rebuilt.resumed_from) == (head, None)
            assert dump(session.store) == before
        again = memory(app).recall(QUESTION)
        assert [item.item_id for item in again.items] == [item.item_id for item in packet.items]
        assert memory(app).verify(views=True).holds


def test_a_whole_number_given_with_a_point_is_found_alike_after_a_refold(folder: Path) -> None:
    """The ledger writes 3.0 as 3: what is found by is made of that from the start."""
    with place(folder) as app:
        kept = memory(app).remember("There are that many rooms.", kind="note", value=3.0)
        assert kept.claims
        assert memory(app).verify(views=True).views == "equal"


def test_views_that_went_wrong_are_mended(folder: Path) -> None:
    """What no event brought is gone and what was lost is back; before that they differ (the control)."""
    with place(folder) as app:
        session = session_at(app)
        before = dump(session.store)
        assert spoil(app) != before
        run(session)
        assert dump(session.store) == before


def test_progress_goes_from_nothing_to_three_times_the_ledger(folder: Path) -> None:
    """Checked, dropped, then folded, never backwards, and to the end; each of the three in steps."""
    with place(folder) as app:
        session = session_at(app)
        told: list[int] = []
        run(session, told.append)
        assert told == sorted(told)
        assert told[-1] == module.total(session)
        head = head_of(session)
        for part in range(3):
            assert len({done for done in told if part * head < done < (part + 1) * head}) > 1


def test_what_is_written_while_the_ledger_is_checked_is_folded_too(folder: Path) -> None:
    """The views come to the end that the ledger has when they are dropped, not to the one that was looked at."""
    with place(folder) as app:
        session = session_at(app)
        ana = memory(app)
        told: list[int] = []

        def progress(done: int) -> None:
            told.append(done)
            if done <= 6:
                ana.remember(f"tea {done}")

        rebuilt = run(session, progress)
        assert told.count(6) == 1
        with session.store.read() as reading:
            assert rebuilt.ledger_position == reading.head(Chain.LEDGER).position > told[-1] // 3
        assert memory(app).verify(views=True).holds


@pytest.mark.parametrize(("name", "value", "at_once"), [("EVENTS_MAX", 3, 3), ("PAYLOAD_BYTES_MAX", 1, 1)])
def test_a_transaction_folds_a_bounded_part(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: int, at_once: int
) -> None:
    """In events and in bytes."""
    monkeypatch.setattr(module, name, value)
    with place(folder) as app:
        session = session_at(app)
        told: list[int] = []
        run(session, told.append)
        head = head_of(session)
        folded = [done - 2 * head for done in told if done > 2 * head]
        assert folded == [*range(at_once, head, at_once), head]


def test_nobody_is_answered_while_the_views_are_not_whole(folder: Path) -> None:
    """While they go and while they come back, by old and new sessions; before and after all works (the controls)."""
    with place(folder) as app:
        ana = memory(app)
        session = session_at(app)
        calls: list[Callable[[], object]] = [
            lambda: ana.recall(QUESTION),
            lambda: ana.judge("Bash", DEPLOY),
            lambda: ana.remember("tea"),
            ana.review_queue,
            ana.status,
            ana.verify,
            lambda: memory(app),
        ]
        for call in calls[:3]:
            call()
        head = head_of(session)
        codes: dict[str, list[str]] = {"dropping": [], "folding": []}

        def progress(done: int) -> None:
            if head < done < 3 * head:
                codes["dropping" if done < 2 * head else "folding"].extend(code_of(call) for call in calls)

        run(session, progress)
        for heard in codes.values():
            assert len(heard) > len(calls)
            assert set(heard) == {"views_rebuilding"}
        for call in calls:
            call()


def test_the_refusal_says_what_to_do_and_not_how_much_there_is(folder: Path) -> None:
    """An interrupted one stays refused after the store was closed and opened, with no number in it."""
    with place(folder) as app:
        interrupted(session_at(app), after=8)
    with place(folder) as app:
        with pytest.raises(UnavailableError, match="not whole") as raised:
            memory(app)
        error = raised.value
        assert error.code == "views_rebuilding"
        assert "heedful rebuild" in error.next_step
        assert not any(character.isdigit() for character in json.dumps(error.to_dict()))
        assert run(session_at(app)).resumed_from == 8
        memory(app)


def test_entries_of_reads_are_sealed_meanwhile(folder: Path) -> None:
    """They are in the access chain, which is no view: closing the store never fails for a rebuild."""
    with place(folder) as app:
        memory(app).recall(QUESTION)
        session = session_at(app)
        interrupted(session, after=4)
        journal: AccessJournal = session.access
        journal.flush()
        with beneath(session.store).read() as reading:
            assert reading.head(Chain.ACCESS).position > 0


def test_a_broken_ledger_is_found_before_the_views_go(folder: Path) -> None:
    """`ledger_broken` with the event, and everybody is answered as before."""
    (path,) = (folder / "tenants").glob("*.db")
    connection = Connection(str(path), lock_wait_seconds=5.0)
    connection.cursor.execute("UPDATE ledger_events SET payload = CAST(payload || ' ' AS BLOB) WHERE position = 5")
    connection.close()
    with place(folder) as app:
        session = session_at(app)
        before = dump(session.store)
        with pytest.raises(FaultError, match="event 5") as raised:
            run(session)
        assert raised.value.code == "ledger_broken"
        assert dump(session.store) == before
        memory(app).recall(QUESTION)


def test_content_that_is_gone_is_found_before_the_views_go(folder: Path) -> None:
    """`blob_not_found`: without the text its record could not be found again."""
    shutil.rmtree(folder / "blobs")
    with place(folder) as app:
        session = session_at(app)
        before = dump(session.store)
        assert code_of(lambda: run(session)) == "blob_not_found"
        assert dump(session.store) == before


@pytest.mark.parametrize("principal", ["person:bob", "person:dan", "person:aud", "person:nobody", "agent:pip"])
def test_only_an_owner_or_operator_rebuilds(folder: Path, principal: str) -> None:
    """Nor anybody through an agent's door; the views stay."""
    with place(folder) as app:
        before = dump(session_at(app).store)
        assert code_of(lambda: run(session_at(app, principal))) == "principal_may_not"
        assert code_of(lambda: run(session_at(app, channel=Channel.AGENT))) == "principal_may_not"
        assert dump(session_at(app).store) == before


@pytest.mark.parametrize("phase", ["dropping", "folding"])
def test_vectors_of_an_immediate_embedder_are_made_in_folding(folder: Path, phase: str) -> None:
    """Searches go by the model that they went by, with a vector for every row, also after a stop."""
    embedder = NgramEmbedder()
    with place(folder) as app:
        session = replace(session_at(app), embedder=embedder, embedders=(embedder,))
        session.store.write(lambda writing: writing.set_vector_model(embedder.model))
        if phase == "dropping":
            interrupted_dropping(session)
        else:
            interrupted(session, after=8)
        assert run(session).vector_model == embedder.model
        with session.store.read() as reading:
            assert reading.without_vector(embedder.model, after=0, limit=9) == ()
