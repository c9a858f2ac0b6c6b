"""What matters for a request: told by the model's own vectors alone, exactly, and a damaged file is told as one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from heedful.adapters.models.local import LocalEmbedder
from heedful.adapters.models.matter_weights import bundled_matters, matter_weights_of, mattering_of
from heedful.adapters.models.router import BundledRouter, bundled_weights
from heedful.kernel.errors import FaultError
from heedful.ports.embedder import Purpose

BUNDLED = Path(__file__).parents[2] / "src/heedful/packs/matters.npz"
REQUEST = hashlib.shake_128(b"a request").digest(384)


class _Hashed:
    model = LocalEmbedder.model
    dimensions = 384
    is_immediate = True

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> tuple[bytes, ...]:
        del purpose
        return tuple(hashlib.shake_128(text.encode()).digest(self.dimensions) for text in texts)


def _cosine(one: bytes, other: bytes) -> float:
    left, right = (np.frombuffer(each, dtype=np.int8).astype(np.float64) for each in (one, other))
    return float(left @ right / np.sqrt((left @ left) * (right @ right)))


def test_the_same_request_is_compared_by_the_same_vector() -> None:
    """Of whole numbers, like those that a store keeps."""
    first, again = (mattering_of(bundled_matters(), REQUEST) for _ in range(2))
    assert first == again
    assert len(first.components) == len(REQUEST)
    assert max(abs(each) for each in np.frombuffer(first.components, dtype=np.int8).tolist()) == 127


def test_what_is_nearer_matters_more() -> None:
    """The statement that lies just there matters most, and its opposite least."""
    found = mattering_of(bundled_matters(), REQUEST)
    opposite = (-np.frombuffer(found.components, dtype=np.int8).astype(np.int16)).astype(np.int8).tobytes()
    odds = [found.odds(_cosine(found.components, each)) for each in (found.components, REQUEST, opposite)]
    assert odds == sorted(odds, reverse=True)
    assert odds[0] > odds[1] > odds[2]


def test_only_vectors_of_its_model_tell_what_matters() -> None:
    """Without an embedder, by another model's vector and by none nothing is known. The control: its own."""
    router = BundledRouter(bundled_weights, _Hashed())
    assert router.mattering(LocalEmbedder.model, REQUEST) is not None
    assert router.mattering("another/384", REQUEST) is None
    assert router.mattering(LocalEmbedder.model, bytes(384)) is None
    assert BundledRouter(bundled_weights, None).mattering(LocalEmbedder.model, REQUEST) is None


@pytest.mark.parametrize("damage", ["empty", "cut", "no archive", "another size"])
def test_damaged_weights_are_one_fault(tmp_path: Path, damage: str) -> None:
    """Whatever is damaged. The control: the file that comes with the release."""
    path = tmp_path / "matters.npz"
    whole = BUNDLED.read_bytes()
    path.write_bytes({"empty": b"", "cut": whole[:-2_000], "no archive": b"PK" * 50}.get(damage, whole))
    assert matter_weights_of(BUNDLED).straight.shape == (384, 384)
    if damage == "another size":
        with np.load(BUNDLED) as loaded:
            arrays = {name: loaded[name] for name in loaded.files}
        np.savez(path, **{**arrays, "first_start": arrays["first_start"][:-1]})
    with pytest.raises(FaultError) as caught:
        matter_weights_of(path)
    assert caught.value.code == "router_unreadable"
