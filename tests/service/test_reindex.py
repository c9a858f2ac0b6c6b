"""Reindex: vectors of another model are made beside the old ones, from any stop; the old answer until all are there."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from ledger_moves import live_through, place
from worlds import code_of, world

from heedful import Memory
from heedful.bootstrap import App
from heedful.kernel.errors import BusyError, UnavailableError
from heedful.kernel.vectors import quantise
from heedful.observations.record import Channel
from heedful.ports.embedder import Embedder, Purpose
from heedful.ports.store import VectorModel
from heedful.service import reindex as module
from heedful.service.reindex import Reindexed, reindex
from heedful.service.session import Session
from heedful.testing.builders import ANYTHING, visible_to

SECONDS_MAX = 60.0
CHILD = f"""
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
from ledger_moves import place
from test_reindex import Lengths, session_with
from heedful.service import reindex as module

module.ROWS_MAX = module.DROPPED_MAX = 2
folder, stop_at = sys.argv[1], int(sys.argv[2])
done = 0

def die():
    global done
    done += 1
    if done >= stop_at:
        os.kill(os.getpid(), signal.SIGKILL)

with place(Path(folder)) as app:
    session = session_with(app, Lengths("new-2/3"))
    write = session.store.beneath.write

    def write_and_die(work):
        def dying(writing):
            result = work(writing)
            die()
            return result
        result = write(dying)
        die()
        return result

    session.store.beneath = type("Dying", (), {{
        "tenant": session.store.tenant, "read": session.store.beneath.read, "write": staticmethod(write_and_die)
    }})()
    module.reindex(session, progress=lambda _done: None)
"""


class Lengths:
    """A model that looks at how long a text is and how often it has an `e`; see Embedder."""

    dimensions = 3
    is_immediate = False

    def __init__(self, model: str = "lengths-1/3") -> None:
        self.model = model
        self.calls: list[int] = []
        self.fails_at: int | None = None

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> tuple[bytes, ...]:
        """See Embedder.embed."""
        assert purpose == "passage"
        self.calls.append(len(texts))
        if self.fails_at is not None and len(self.calls) >= self.fails_at:
            raise UnavailableError("embedder_unavailable", "as ordered")
        shift = sum(map(ord, self.model))
        return tuple(quantise([1.0 + len(text), float(text.count("e")), float(shift)]) for text in texts)


def session_with(app: App, embedder: Embedder | None, principal: str = "person:ana") -> Session:
    """A session that has this embedder."""
    session = app.session(principal=principal, adopts=False)
    return replace(session, embedder=embedder, embedders=() if embedder is None else (embedder,))


def run(session: Session) -> Reindexed:
    """A reindex."""
    return reindex(session, progress=lambda _done: None)


def vectors(session: Session, *models: str) -> tuple[object, ...]:
    """All that can be seen of these models' vectors, and which models there are."""
    asked = quantise([1.0, 2.0, 3.0])
    with session.store.read() as reading:
        visible = visible_to(*reading.scopes())
        found = tuple(reading.nearest(visible, model, asked, ANYTHING, limit=1_000) for model in models)
        return (*found, reading.vector_models())


def lacking(session: Session, model: str) -> int:
    """How many rows have no vector of this model."""
    with session.store.read() as reading:
        return len(reading.without_vector(model, after=0, limit=1_000))


@pytest.fixture(scope="module", name="lived")
def lived_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which something of everything happened, and that answers by the vectors of a first model."""
    folder = tmp_path_factory.mktemp("lived")
    with world(folder) as house:
        live_through(house, folder)
    with place(folder) as app:
        run(session_with(app, Lengths()))
    return folder


@pytest.fixture(name="folder")
def folder_fixture(lived: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(lived, tmp_path / "copy"))


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a small store takes many batches."""
    monkeypatch.setattr(module, "ROWS_MAX", 2)
    monkeypatch.setattr(module, "DROPPED_MAX", 2)


def test_every_row_gets_its_vector_and_the_model_answers(folder: Path) -> None:
    """In batches; the old model's are gone with it; again there is nothing to do."""
    with place(folder) as app:
        session = session_with(app, embedder := Lengths("new-2/3"))
        rows = lacking(session, embedder.model)
        assert rows > 6
        assert run(session) == Reindexed("new-2/3", rows, rows)
        assert max(embedder.calls) == 2
        assert sum(embedder.calls) == rows
        assert lacking(session, embedder.model) == 0
        assert vectors(session)[-1] == (VectorModel("new-2/3", is_active=True),)
        assert run(session) == Reindexed("new-2/3", 0, 0)


def test_the_old_model_answers_until_all_are_there(folder: Path) -> None:
    """At every step before the last its vectors are what they were, and it is the active one."""
    with place(folder) as app:
        session = session_with(app, Lengths("new-2/3"))
        old = vectors(session, "lengths-1/3")[0]
        told: list[int] = []

        def progress(done: int) -> None:
            told.append(done)
            seen, models = vectors(session, "lengths-1/3")
            assert seen == old
            assert VectorModel("lengths-1/3", is_active=True) in models  # type: ignore[operator]

        reindex(session, progress=progress)
        assert told == sorted(told)
        assert told[-1] <= module.total(session)
        assert VectorModel("lengths-1/3", is_active=True) not in vectors(session)[-1]  # type: ignore[operator]


def test_a_model_that_fails_leaves_what_was_made_and_the_old_one_active(folder: Path) -> None:
    """Run again it makes the rest alone."""
    with place(folder) as app:
        session = session_with(app, embedder := Lengths("new-2/3"))
        rows = lacking(session, embedder.model)
        embedder.fails_at = 3
        assert code_of(lambda: run(session)) == "embedder_unavailable"
        assert lacking(session, embedder.model) == rows - 4
        assert VectorModel("lengths-1/3", is_active=True) in vectors(session)[-1]  # type: ignore[operator]
        embedder.fails_at = None
        assert run(session).embedded == rows - 4


def test_one_that_is_killed_goes_on_when_it_is_run_again(lived: Path, tmp_path: Path) -> None:
    """Within and between transactions: in the end all is as if it had never been stopped."""
    with place(Path(shutil.copytree(lived, tmp_path / "whole"))) as app:
        session = session_with(app, Lengths("new-2/3"))
        rows = lacking(session, "new-2/3")
        run(session)
        expected = vectors(session, "new-2/3", "lengths-1/3")
    for stop_at in (1, 2, 5, rows, rows + 3, 2 * rows):
        folder = Path(shutil.copytree(lived, tmp_path / str(stop_at)))
        ended = subprocess.run(
            [sys.executable, "-c", CHILD, folder, str(stop_at)],
            capture_output=True,
            timeout=SECONDS_MAX,
            check=False,
        )
        assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
        with place(folder) as app:
            session = session_with(app, Lengths("new-2/3"))
            run(session)
            assert vectors(session, "new-2/3", "lengths-1/3") == expected


def test_rows_that_come_meanwhile_are_not_forgotten(folder: Path) -> None:
    """One that is remembered while it runs has its vector in the end, and it ends."""
    with place(folder) as app:
        session = session_with(app, embedder := Lengths("new-2/3"))
        others = Memory(app, replace(session, embedder=None, embedders=()), owns_app=False)
        count = 0

        def progress(_done: int) -> None:
            nonlocal count
            count += 1
            if count <= 5:
                others.remember(f"tea {count}")

        reindex(session, progress=progress)
        assert count > 5
        assert lacking(session, embedder.model) == 0


@pytest.mark.parametrize("is_quiet_at_last", [False, True])
def test_where_others_write_faster_than_it_embeds_the_old_model_goes_on_answering(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, is_quiet_at_last: bool
) -> None:
    """`reindex_behind` after SWEEPS_MAX sweeps with rows that lack a vector, and nothing was dropped; again, it ends.

    The control: where the last sweep left none that lacks one, the new model answers.
    """
    monkeypatch.setattr(module, "SWEEPS_MAX", 3)
    with place(folder) as app:
        session = session_with(app, embedder := Lengths("new-2/3"))
        others = Memory(app, replace(session, embedder=None, embedders=()), owns_app=False)
        old = vectors(session, "lengths-1/3")[0]
        sweep = module._sweep
        sweeps = 0

        def overtaken(*arguments: object) -> int:
            nonlocal sweeps
            made = sweep(*arguments)  # type: ignore[arg-type]
            sweeps += 1
            if not (is_quiet_at_last and sweeps == module.SWEEPS_MAX):
                others.remember(f"tea {sweeps}")
            return made

        with monkeypatch.context() as patched:
            patched.setattr(module, "_sweep", overtaken)
            if is_quiet_at_last:
                run(session)
                assert vectors(session)[-1] == (VectorModel("new-2/3", is_active=True),)
                return
            with pytest.raises(BusyError) as caught:
                run(session)
        assert (caught.value.code, sweeps) == ("reindex_behind", module.SWEEPS_MAX)
        assert caught.value.next_step
        assert lacking(session, embedder.model) > 0
        seen, models = vectors(session, "lengths-1/3")
        assert seen == old
        assert VectorModel("lengths-1/3", is_active=True) in models  # type: ignore[operator]
        run(session)
        assert lacking(session, embedder.model) == 0
        assert vectors(session)[-1] == (VectorModel("new-2/3", is_active=True),)


def test_without_an_embedder_nothing_is_done(folder: Path) -> None:
    """`embedder_missing`; the vectors that are there stay."""
    with place(folder) as app:
        before = vectors(session_with(app, Lengths()), "lengths-1/3")
        assert code_of(lambda: run(session_with(app, None))) == "embedder_missing"
        assert vectors(session_with(app, Lengths()), "lengths-1/3") == before


@pytest.mark.parametrize("principal", ["person:bob", "person:dan", "person:aud", "person:nobody", "agent:pip"])
def test_only_an_owner_or_operator_reindexes(folder: Path, principal: str) -> None:
    """Nor anybody through an agent's door."""
    with place(folder) as app:
        assert code_of(lambda: run(session_with(app, Lengths("new-2/3"), principal))) == "principal_may_not"
        agents = replace(session_with(app, Lengths("new-2/3")), channel=Channel.AGENT)
        assert code_of(lambda: run(agents)) == "principal_may_not"
        assert lacking(session_with(app, None), "new-2/3") > 0
