"""The arithmetic that tells how far statements matter for a request, from its vector and theirs, and its weights.

The weights come with the packs (`packs/matters.npz`), from scripts/train_matters.py: two layers that turn a request's
vector towards the statements that it must not be answered without. What comes out is a vector like theirs, so that a
store finds the nearest by it as by any other. All sums are of whole numbers and exact, as in router_head.py.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING
from zipfile import BadZipFile

from heedful.adapters.models.router_head import in_steps
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
_SCALES = ("first_scale", "second_scale", "straight_scale", "start")
_DAMAGE = (OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, BadZipFile, zlib.error, RuntimeError)


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
    import numpy as np  # noqa: PLC0415  # as above

    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as loaded:
            about = json.loads(str(loaded["about"]))
            scales = [float(about[name]) for name in _SCALES]
            found = MatterWeights(
                str(about["dense_model"]),
                loaded["centre"].astype(np.float32),
                *(
                    loaded[name].astype(np.float64)
                    for name in ("statements_centre", "first", "first_start", "second", "straight")
                ),
                *scales,
            )
        dimensions, hidden = found.centre.shape[0], found.first_start.shape[0]
        is_whole = (
            found.statements_centre.shape == (dimensions,)
            and found.first.shape == (dimensions, hidden)
            and found.second.shape == (hidden, dimensions)
            and found.straight.shape == (dimensions, dimensions)
            and bool(np.isfinite(found.centre).all())
            and bool(np.isfinite(scales).all())
        )
    except _DAMAGE as error:
        raise unreadable(path.name, "can't be read") from error
    if not is_whole:
        raise unreadable(path.name, "does not fit together")
    return found
