"""A model for the tests that knows what some words mean, and may be down; and what the tests of hybrid recall share."""

from __future__ import annotations

from collections.abc import Sequence

from worlds import World

from heedful.adapters.models.choose import Embedders
from heedful.adapters.models.ngrams import NgramEmbedder
from heedful.evidence.packet import Packet
from heedful.kernel.errors import UnavailableError
from heedful.kernel.vectors import quantise
from heedful.ports.embedder import Embedder, Purpose

SWIM = "The physiotherapist told me to swim twice a week."
SLIP = "What did the physioterapists say?"
NGRAMS = NgramEmbedder()
CONCEPTS = {"aspirin": 0, "painkiller": 0, "boiler": 1, "heating": 1, "lift": 2, "elevator": 2}


class Concepts:
    """A model that knows what some words mean, takes its time, and may be down; see Embedder."""

    dimensions = 3
    is_immediate = False

    def __init__(self, model: str = "concepts-1/3") -> None:
        self.model = model
        self.is_down = False
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> tuple[bytes, ...]:
        """See Embedder.embed."""
        if self.is_down:
            raise UnavailableError("embedder_unavailable", "it is down")
        self.texts += [f"{purpose}: {text}" for text in texts]
        return tuple(self._vector(text) for text in texts)

    def _vector(self, text: str) -> bytes:
        counts = [0.0, 0.0, 0.0]
        for word in text.lower().replace(".", " ").replace("?", " ").split():
            if word in CONCEPTS:
                counts[CONCEPTS[word]] += 1
        return quantise(counts)


def use(house: World, configured: Embedder | None, *others: Embedder) -> None:
    """From now on sessions have these embedders."""
    known = (*(() if configured is None else (configured,)), *others)
    house.app.embedders = Embedders(configured, known)


def texts(packet: Packet) -> list[str]:
    return [item.text for item in packet.items]
