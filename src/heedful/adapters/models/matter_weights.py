"""The arithmetic that tells how far statements matter for a request, from its vector and theirs, and its weights.

The weights come with the packs (`packs/matters.npz`), from scripts/train_matters.py: two layers that turn a request's
vector towards the statements that it must not be answered without. What comes out is a vector like theirs, so that a
store finds the nearest by it as by any other. All sums are of whole numbers and exact, as in router_head.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from heedful.adapters.models.router_head import in_steps
from heedful.adapters.models.weights_file import are_finite, read_weights
from heedful.adapters.models.words import unreadable
from heedful.bridges.routed import Mattering

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MATTERS_FILE = "matters.npz"
DECIMALS = 4
LEVELS = 127
FINENESS = 4_096
"""Steps of one: what is between the layers, and the statements' centre, are rounded to these."""


@dataclass(frozen=True, slots=True)
class MatterWeights:
    """What turns a request towards what matters for it. Arrays hold whole numbers.

    Attributes:
        centre: what all requests' vectors have in common; taken away.
        statements_centre: the same of statements, in steps of 1 / FINENESS.
        first, first_start: (dimensions, hidden), and in steps of 1 / FINENESS (hidden,).
        second: (hidden, dimensions); `straight`: (dimensions, dimensions), past the hidden layer.
        first_scale, second_scale, straight_scale: what one step of each is worth.
        start: logarithmic odds of a statement that lies neither way.
    """

    dense_model: str
    centre: NDArray[np.float32]
    statements_centre: NDArray[np.float64]
    first: NDArray[np.float64]
    first_start: NDArray[np.float64]
    second: NDArray[np.float64]
    straight: NDArray[np.float64]
    first_scale: float
    second_scale: float
    straight_scale: float
    start: float


def mattering_of(weights: MatterWeights, components: bytes) -> Mattering:
    """The vector that statements are compared with, and what their likeness to it is worth."""
    import numpy as np  # noqa: PLC0415  # a tenth of a second that a command without recall never pays

    given = np.frombuffer(components, dtype=np.int8).astype(np.float32).reshape(1, -1)
    steps, lengths = in_steps(given, weights.centre)
    whole, along = steps[0].astype(np.float64), float(lengths[0, 0])
    hidden = np.einsum("i,ij->j", whole, weights.first) * (weights.first_scale / along)
    active = np.maximum(0.0, np.rint((hidden + weights.first_start / FINENESS) * FINENESS))
    turned = np.einsum("i,ij->j", active, weights.second) * (weights.second_scale / FINENESS)
    turned += np.einsum("i,ij->j", whole, weights.straight) * (weights.straight_scale / along)
    step = max(float(np.abs(turned).max()), 1e-9) / LEVELS
    rounded = np.rint(turned / step)
    length = float(np.sqrt(np.einsum("i,i->", rounded, rounded)))
    common = float(np.einsum("i,i->", rounded, weights.statements_centre)) / FINENESS
    return Mattering(
        rounded.astype(np.int8).tobytes(),
        round(length * step, DECIMALS),
        round(weights.start - common * step, DECIMALS),
    )


@cache
def bundled_matters() -> MatterWeights:
    """The weights that come with this release.

    Raises:
        FaultError: see matter_weights_of.
    """
    return matter_weights_of(resources.files("heedful") / "packs" / MATTERS_FILE)


def matter_weights_of(path: Traversable) -> MatterWeights:
    """The weights in this file, which scripts/train_matters.py wrote.

    Raises:
        FaultError: `router_unreadable` where it is damaged, or does not fit together.
    """
    found = read_weights(path, _matter_weights)
    dimensions, hidden = found.centre.size, found.first_start.size
    scales = (found.first_scale, found.second_scale, found.straight_scale, found.start)
    is_whole = (
        found.centre.shape == found.statements_centre.shape == (dimensions,)
        and found.first_start.shape == (hidden,)
        and found.first.shape == (dimensions, hidden)
        and found.second.shape == (hidden, dimensions)
        and found.straight.shape == (dimensions, dimensions)
    )
    if not (is_whole and are_finite(found.centre, *scales)):
        raise unreadable(path.name, "does not fit together")
    return found


def _matter_weights(arrays: Mapping[str, NDArray[Any]], about: dict[str, Any]) -> MatterWeights:
    return MatterWeights(
        dense_model=str(about["dense_model"]),
        centre=arrays["centre"].astype("float32"),
        statements_centre=arrays["statements_centre"].astype("float64"),
        first=arrays["first"].astype("float64"),
        first_start=arrays["first_start"].astype("float64"),
        second=arrays["second"].astype("float64"),
        straight=arrays["straight"].astype("float64"),
        first_scale=float(about["first_scale"]),
        second_scale=float(about["second_scale"]),
        straight_scale=float(about["straight_scale"]),
        start=float(about["start"]),
    )
