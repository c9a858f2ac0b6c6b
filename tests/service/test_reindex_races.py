"""Two reindexes at once, to different models: whatever their order, the model that answers has all its vectors."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TypeVar

import pytest
from ledger_moves import bring, memory, on_postgres, place
from test_reindex import Lengths, few_rows, lacking, lived_fixture, run, session_with, vectors  # noqa: F401  # fixtures

from heedful.bootstrap import App
from heedful.kernel.errors import ConflictError
from heedful.ports.store import TenantStore, VectorModel, Writing
from heedful.service import reindex as module

A, B = "model-a/3", "model-b/3"
WRITES_MAX = 100
Opened = Callable[[], AbstractContextManager[App]]
T = TypeVar("T")


@pytest.fixture(name="opened", params=["sqlite", "postgresql"])
def opened_fixture(lived: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Opened:
    """The same store on each engine; what is called opens it."""
    folder = Path(shutil.copytree(lived, tmp_path / "sqlite"))
    if request.param == "sqlite":
        return lambda: place(folder)
    with place(lived) as app:
        memory(app).export_ledger(tmp_path / "out.jsonl")
    opened = on_postgres(request.getfixturevalue("database"))
    with place(tmp_path / "postgres", opened) as app:
        bring(app, tmp_path / "out.jsonl", keys_of=lived)
        run(session_with(app, Lengths()))
    return lambda: place(tmp_path / "postgres", opened)


class Pausing:
    """A store; just before its nth write, or just after it, something else happens. See TenantStore."""

    def __init__(self, store: TenantStore, number: int, *, is_after: bool, interlude: Callable[[], object]) -> None:
        self.tenant, self.read, self._store = store.tenant, store.read, store
        self.scrub_indexes, self.scrub_storage = store.scrub_indexes, store.scrub_storage
        self._left, self._is_after, self._interlude = number, is_after, interlude
        self.writes = 0

    def write(self, work: Callable[[Writing], T]) -> T:
        """See TenantStore.write."""
        self.writes += 1
        if self._left == self.writes and not self._is_after:
            self._interlude()
        result = self._store.write(work)
        if self._left == self.writes and self._is_after:
            self._interlude()
        return result


def _ends(app: App) -> Iterator[tuple[str, bool]]:
    """For each place at which a reindex to B can run whole within one to A: how A ended, and whether all is well then."""
    first, second = session_with(app, Lengths(A)), session_with(app, Lengths(B))
    for number, is_after in product(range(1, WRITES_MAX), (False, True)):
        run(session_with(app, Lengths()))
        store = Pausing(first.store, number, is_after=is_after, interlude=lambda: run(second))
        try:
            end = run(replace(first, store=store)).model
        except ConflictError as error:
            end = error.code if error.next_step else "no next step"
        if store.writes < number:
            return
        answering = B if end == "reindex_overtaken" else A
        # A that had ended before B began is no race.
        if is_after and store.writes == number and end == A:
            answering = B
        only = vectors(first)[-1] == (VectorModel(answering, is_active=True),)
        yield end, only and lacking(first, answering) == 0
    raise AssertionError("a reindex of this store takes fewer writes")


def test_the_model_that_answers_has_all_its_vectors_wherever_another_reindex_ran(opened: Opened) -> None:
    """Either A answers in the end and had made up what B dropped, or it is told `reindex_overtaken`; both happen."""
    with opened() as app:
        ends = list(_ends(app))
    assert {end for end, _ in ends} == {A, "reindex_overtaken"}
    assert all(is_well for _, is_well in ends)


@pytest.mark.parametrize("unguarded", ["_drop", "_activate"])
def test_control_without_either_guard_vectors_are_lost(
    lived: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unguarded: str
) -> None:
    """So the look at all places can fail."""
    guards = {
        "_drop": lambda writing, other, _model: writing.drop_vectors(other, limit=module.DROPPED_MAX),
        "_activate": lambda session, model, _last: (
            session.store.write(lambda writing: writing.set_vector_model(model)) is None
        ),
    }
    monkeypatch.setattr(module, unguarded, guards[unguarded])
    with place(Path(shutil.copytree(lived, tmp_path / "sqlite"))) as app:
        assert not all(is_well for _, is_well in _ends(app))
