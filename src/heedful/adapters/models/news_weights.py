"""The arithmetic that tells how a text is news of statements, from their vectors, and its weights.

The weights come with the packs (`packs/news.npz`), from scripts/train_news.py: one number a dimension for whether a
text is news, and a matrix that turns what news is about towards the statements that it is news of. All sums are of
whole numbers and exact, as in router_head.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from heedful.adapters.models.router_head import in_steps
from heedful.adapters.models.weights_file import are_finite, read_weights
from heedful.adapters.models.words import unreadable
from heedful.bridges.routed import Likeness

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEWS_FILE = "news.npz"
DECIMALS = 3


@dataclass(frozen=True, slots=True)
class NewsWeights:
    """What tells news, and what it is about.

    Attributes:
        centre: what all vectors have in common; taken away.
        heard, heard_scale, heard_start: whole numbers by dimension, what one step is worth, and one number more.
        meaning, meaning_scale: whole numbers, (dimensions of the news, dimensions of a statement), and their step.
    """

    dense_model: str
    centre: NDArray[np.float32]
    heard: NDArray[np.float64]
    heard_scale: float
    heard_start: float
    meaning: NDArray[np.float64]
    meaning_scale: float


def likeness_of(weights: NewsWeights, vectors: Sequence[NDArray[np.float32]]) -> Likeness:
    """How the text of the first vector is news of the statements of the others."""
    import numpy as np  # noqa: PLC0415  # a tenth of a second that a command without recall never pays

    steps, lengths = in_steps(np.stack(vectors), weights.centre)
    whole, along = steps.astype(np.float64), lengths.astype(np.float64).reshape(-1)
    heard = float(whole[0] @ weights.heard) * weights.heard_scale / float(along[0]) + weights.heard_start
    about = np.einsum("i,ij->j", whole[0], weights.meaning)
    near = np.einsum("ij,j->i", whole[1:], about) * (weights.meaning_scale / along[0]) / along[1:]
    return Likeness(round(heard, DECIMALS), tuple(np.round(near, DECIMALS).tolist()))


@cache
def bundled_news() -> NewsWeights:
    """The weights that come with this release.

    Raises:
        FaultError: see news_weights_of.
    """
    return news_weights_of(resources.files("heedful") / "packs" / NEWS_FILE)


def news_weights_of(path: Traversable) -> NewsWeights:
    """The weights in this file, which scripts/train_news.py wrote.

    Raises:
        FaultError: `router_unreadable` where it is damaged, or does not fit together.
    """
    found = read_weights(path, _news_weights)
    dimensions = found.centre.size
    is_whole = found.centre.shape == found.heard.shape == (dimensions,) and found.meaning.shape == (
        dimensions,
        dimensions,
    )
    if not (is_whole and are_finite(found.centre, found.heard_scale, found.heard_start, found.meaning_scale)):
        raise unreadable(path.name, "does not fit together")
    return found


def _news_weights(arrays: Mapping[str, NDArray[Any]], about: dict[str, Any]) -> NewsWeights:
    return NewsWeights(
        dense_model=str(about["dense_model"]),
        centre=arrays["centre"].astype("float32"),
        heard=arrays["heard"].astype("float64"),
        heard_scale=float(about["heard_scale"]),
        heard_start=float(about["heard_start"]),
        meaning=arrays["meaning"].astype("float64"),
        meaning_scale=float(about["meaning_scale"]),
    )
