"""Vectors as whole numbers: one signed byte a dimension, so that a sum of products is the same whoever adds it up.

Each component is divided by the largest and multiplied by LEVELS, or by less where there are so many dimensions that
a sum could pass 2^24: up to there a 32-bit float holds every whole number, in whatever order an engine adds.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence

LEVELS = 127
DIMENSIONS_MAX = 4_096
EXACT_MAX = 1 << 24


def levels(dimensions: int) -> int:
    """The largest component for so many dimensions: at most LEVELS, with dimensions * levels^2 <= 2^24."""
    return min(LEVELS, math.isqrt(EXACT_MAX // max(1, dimensions)))


def quantise(values: Sequence[float]) -> bytes:
    """The vector's components, one signed byte each; all zero where the vector has no direction.

    Raises:
        ValueError: more than DIMENSIONS_MAX values, none, or one that is not finite.
    """
    if not 0 < len(values) <= DIMENSIONS_MAX or not all(map(math.isfinite, values)):
        raise ValueError(f"a vector has 1 to {DIMENSIONS_MAX} finite values")
    largest = max(map(abs, values))
    if largest == 0:
        return bytes(len(values))
    top = levels(len(values))
    return array("b", [round(value / largest * top) for value in values]).tobytes()


def squared(components: bytes) -> int:
    """The sum of the squares of the components."""
    return sum(component * component for component in memoryview(components).cast("b"))


def cosine(product: int, squared_left: int, squared_right: int) -> float:
    """The cosine of two vectors from whole numbers, -1 to 1; 0 where one has no direction.

    Both square roots and the division are exact to the last bit (IEEE 754), so every engine gives the same.
    """
    if squared_left == 0 or squared_right == 0:
        return 0.0
    return product / math.sqrt(squared_left * squared_right)
