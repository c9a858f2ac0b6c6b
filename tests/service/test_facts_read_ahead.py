"""What words end is weighed before the transaction: no embedder is asked while other writers wait."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from worlds import World, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.adapters.models.local import LocalEmbedder
from heedful.adapters.models.router import BundledRouter, bundled_weights
from heedful.ports.embedder import Purpose
from heedful.service.keeping import import_, remember, remember_many

FROZEN = "Nobody deploys the payments service until the audit ends, and Ana owns the ledger."
LIFTED = "The audit is over, the payments service may be deployed again."
_MODEL = LocalEmbedder()


class Watched:
    """The local model, which notes the texts that it is asked for inside of a write."""

    model, dimensions, is_immediate = LocalEmbedder.model, LocalEmbedder.dimensions, False

    def __init__(self) -> None:
        self.before: list[str] = []
        self.inside: list[str] = []

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> tuple[bytes, ...]:
        (self.inside if _is_in_a_write() else self.before).extend(texts)
        return _MODEL.embed(texts, purpose=purpose)


def _is_in_a_write() -> bool:
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_code.co_name == "write" and "storage" in frame.f_code.co_filename:
            return True
    return False


@pytest.fixture(name="watched")
def watched_model(house: World) -> Watched:
    """The house goes by the bundled router with that model."""
    watched = Watched()
    house.app.router = BundledRouter(bundled_weights, watched)
    return watched


def restart(house: World, watched: Watched) -> None:
    """Another process, which remembers no text."""
    house.app.router = BundledRouter(bundled_weights, watched)
    watched.before.clear()
    watched.inside.clear()


def ways(house: World, way: str, folder: Path) -> None:
    """The news comes in each of the ways that records come."""
    if way == "one":
        assert house.ana.remember(LIFTED).ended
    elif way == "many":
        house.ana.remember_many([LIFTED, "Lovely weather."])
    else:
        trace = folder / "trace.jsonl"
        row = {"role": "user", "content": LIFTED}
        trace.write_text(json.dumps({"messages": [row]}) + "\n", encoding="utf-8")
        house.memory("person:ana", channel="capture").import_trace(trace)


@pytest.mark.parametrize("way", ["one", "many", "trace"])
def test_no_text_is_embedded_while_the_write_lock_is_held(
    house: World, watched: Watched, way: str, tmp_path: Path
) -> None:
    """Neither the record's nor those of claims that it is weighed with, though this process never saw them."""
    house.ana.remember(FROZEN)
    restart(house, watched)
    ways(house, way, tmp_path)
    assert watched.inside == []
    assert len(watched.before) > 1


@pytest.mark.parametrize("way", ["one", "many", "trace"])
def test_control_without_looking_ahead_the_lock_is_held(
    house: World, watched: Watched, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So the watch can see what it watches for."""
    house.ana.remember(FROZEN)
    restart(house, watched)
    for module in (remember, remember_many, import_):
        monkeypatch.setattr(module, "look_ahead", lambda *_: None)
    ways(house, way, tmp_path)
    assert watched.inside != []
