"""Large contents: an erasure that comes between their two steps takes nothing that is kept, and leaves nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from believers import PEOPLE
from forgetting import ANA, BOB
from worlds import world

from heedful import Memory
from heedful.adapters.blobs.folder import FolderBlobs
from heedful.kernel.errors import ConflictError, InvalidInputError

LARGE = "Zelda" + " " * 66_000


def between(monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], object]) -> None:
    """Once, after a content was put, and before the transaction that names it."""
    put, left = FolderBlobs.put, [meanwhile]

    def patched(blobs: FolderBlobs, *given: object) -> None:
        put(blobs, *given)  # type: ignore[arg-type]
        if left:
            left.pop()()

    monkeypatch.setattr(FolderBlobs, "put", patched)


def contents(folder: Path) -> int:
    """How many contents lie in the blob store."""
    return sum(each.is_file() for each in (folder / "blobs").rglob("*"))


def one(memory: Memory, content: str | bytes) -> str:
    """By `remember`."""
    return memory.remember(content, scope=BOB).record_id


def many(memory: Memory, content: str | bytes) -> str:
    """By `remember_many`."""
    (kept,) = memory.remember_many([content], scope=BOB)
    return kept.record_id  # type: ignore[union-attr]


@pytest.mark.parametrize(("keep", "content"), [(one, LARGE), (many, b"\xff" + LARGE.encode())])
def test_what_is_kept_while_the_same_is_erased_has_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: Callable[[Memory, str | bytes], str], content: str | bytes
) -> None:
    """The job came between the blob and its record: the same bytes of another record were to go."""
    with world(tmp_path, policy=PEOPLE) as home:
        memory = home.ana
        first = memory.remember(content, scope=ANA).record_id
        memory.forget(record=first)
        between(monkeypatch, lambda: memory.maintain("erase"))
        kept = keep(memory, content)
        assert (contents(tmp_path), memory.verify(views=True).views) == (1, "equal")
        memory.forget(record=kept)
        memory.maintain("erase")
        assert contents(tmp_path) == 0


def test_what_is_refused_on_its_way_leaves_no_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its source was erased meanwhile; and of a reference that was used, nobody else's content goes."""
    with world(tmp_path, policy=PEOPLE) as home:
        memory = home.ana
        source = memory.remember(LARGE, scope=ANA, source_ref="chat:1").record_id

        def erased() -> None:
            memory.forget(record=source)
            memory.maintain("erase")

        between(monkeypatch, erased)
        assert memory.remember(LARGE, scope=ANA, derived_from=[source]).outcome == "refused"
        assert contents(tmp_path) == 0
        memory.remember("short", scope=ANA, source_ref="chat:2")
        other = memory.remember(LARGE, scope=BOB).record_id
        with pytest.raises(ConflictError, match="source reference"):
            memory.remember(LARGE, scope=ANA, source_ref="chat:2")
        with pytest.raises(ConflictError, match="source reference"):
            memory.remember(LARGE + "!", scope=ANA, source_ref="chat:2")
        with pytest.raises(InvalidInputError):
            memory.remember(LARGE + "?", scope=ANA, kind="no.kind")
        assert contents(tmp_path) == 1
        assert memory.show(other)[0] is not None
