"""What news is of: the same answer whatever lies beside, none without vectors, and a damaged file is told as one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from heedful.adapters.models.local import LocalEmbedder
from heedful.adapters.models.news_weights import bundled_news, likeness_of, news_weights_of
from heedful.adapters.models.router import BundledRouter, bundled_weights
from heedful.kernel.errors import FaultError, UnavailableError
from heedful.ports.embedder import Purpose

BUNDLED = Path(__file__).parents[2] / "src/heedful/packs/news.npz"


class _Hashed:
    """Vectors by hash: of the model that the weights were trained with, at no cost."""

    model = LocalEmbedder.model
    dimensions = 384
    is_immediate = True
    asked = 0

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> tuple[bytes, ...]:
        del purpose
        self.asked += len(texts)
        return tuple(hashlib.shake_128(text.encode("utf-8", "replace")).digest(self.dimensions) for text in texts)


class _Away(_Hashed):
    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> tuple[bytes, ...]:
        raise UnavailableError("model_unavailable", "no answer", next_step="wait")


class _Another(_Hashed):
    model = "another"


def test_each_statement_is_as_near_as_if_it_were_alone() -> None:
    """To the last digit; and a text's vector is made once."""
    embedder = _Hashed()
    router = BundledRouter(bundled_weights, embedder)
    statements = [f"fact {number}" for number in range(40)]
    together = router.likeness("news", statements)
    assert together is not None
    assert embedder.asked == 41
    alone = [router.likeness("news", [each]) for each in statements]
    assert embedder.asked == 41
    assert [each.near[0] for each in alone if each is not None] == list(together.near)
    nothing = router.likeness("news", [])
    assert nothing is not None
    assert (nothing.heard, nothing.near) == (together.heard, ())


@pytest.mark.parametrize("embedder", [None, _Away(), _Another()])
def test_without_vectors_of_its_model_nothing_is_known_of_meaning(embedder: _Hashed | None) -> None:
    """No embedder, one that gives no answer, and one of another model."""
    assert BundledRouter(bundled_weights, embedder).likeness("news", ["fact"]) is None


def test_a_text_of_no_direction_is_an_ordinary_one() -> None:
    """A vector of zeros divides by nothing."""
    zeros = np.zeros(384, dtype=np.float32)
    found = likeness_of(bundled_news(), [zeros, zeros])
    assert np.isfinite([found.heard, *found.near]).all()


@pytest.mark.parametrize("damage", ["empty", "cut", "no archive", "another size"])
def test_damaged_weights_are_one_fault(tmp_path: Path, damage: str) -> None:
    """Whatever is damaged. The control: the file that comes with the release."""
    path = tmp_path / "news.npz"
    whole = BUNDLED.read_bytes()
    path.write_bytes({"empty": b"", "cut": whole[:-2_000], "no archive": b"PK" * 50}.get(damage, whole))
    assert news_weights_of(BUNDLED).meaning.shape == (384, 384)
    if damage == "another size":
        with np.load(BUNDLED) as loaded:
            arrays = {name: loaded[name] for name in loaded.files}
        np.savez(path, **{**arrays, "heard": arrays["heard"][:-1]})
    with pytest.raises(FaultError) as caught:
        news_weights_of(path)
    assert caught.value.code == "router_unreadable"
