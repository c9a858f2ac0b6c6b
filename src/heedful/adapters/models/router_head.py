"""A router's head: the arithmetic from a text's vector and the places of its words to probabilities.

Probabilities are rounded, so that the last bit of a machine's exponential decides nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PROBABILITY_MIN = 0.02
"""The floor: targets below it are left out."""
DECIMALS = 3
TARGETS_MAX = 24
LEVELS = 127
NEAR_LEVELS = 4_096
"""Steps of nearness. 3,000 landmarks times these times 2**15, the weights' levels, stay far below 2**53, up to where
sums are exact."""
QUESTION = "="
"""Before the names of what is asked of every text, such as whether anything is decided."""
_DENSE_SCRIPTS_SHARE = 0.25
"""From this share of characters outside ASCII on, a text's scores are read by the line for Chinese."""


@dataclass(frozen=True, slots=True)
class Head:
    """What one sort of text is asked.

    Landmarks, dense and places are whole numbers, so small that their sums are exact: in whatever
    order they are added up, for one text or many, the answer is the same to the last bit.

    Attributes:
        targets: names of the columns: ids, then questions.
        centre: what all vectors have in common; taken away.
        landmarks: (dimensions, examples); `lengths`: of each example.
        gamma: width of the kernel.
        dense, dense_scale: weights by landmark, and what one step of each column is worth.
        places, place_scale: weights by place of a word's feature.
        bias: one number a target.
        lines: language -> (slopes, intercepts) of the probability, one a target.
    """

    targets: tuple[str, ...]
    centre: NDArray[np.float32]
    landmarks: NDArray[np.float32]
    lengths: NDArray[np.float32]
    gamma: float
    dense: NDArray[np.float64]
    dense_scale: NDArray[np.float64]
    places: NDArray[np.int8]
    place_scale: NDArray[np.float32]
    bias: NDArray[np.float32]
    lines: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a text is taken to be.

    Attributes:
        likeliest: (target, probability), the likeliest first, then by name; at most TARGETS_MAX.
        questions: question -> probability.
    """

    likeliest: tuple[tuple[str, float], ...]
    questions: Mapping[str, float]


def ask(
    head: Head, texts: Sequence[str], places: Sequence[tuple[int, ...]], vectors: Sequence[NDArray[np.float32]]
) -> list[Asked]:
    """What each text is, by its vector and the places of its words (at least one)."""
    import numpy as np  # noqa: PLC0415  # a tenth of a second that a command without recall never pays

    steps, lengths = in_steps(np.stack(vectors), head.centre)
    # One text not by BLAS: its threads cost more than they do here. The sums are exact either way.
    is_one = len(texts) == 1
    along = np.einsum("ij,jk->ik", steps, head.landmarks) if is_one else steps @ head.landmarks
    near = np.exp(np.float32(head.gamma) * (along / (lengths * head.lengths) - np.float32(1.0)))
    nearness = np.rint(near * np.float32(NEAR_LEVELS)).astype(np.float64)
    dense = np.einsum("ij,jk->ik", nearness, head.dense) if is_one else nearness @ head.dense
    scores = dense * (head.dense_scale / NEAR_LEVELS) + head.bias
    answers: list[Asked] = []
    for text, row, found in zip(texts, scores, places, strict=True):
        worded = head.places[list(found)].sum(axis=0, dtype=np.int32) * head.place_scale / math.sqrt(len(found))
        slopes, intercepts = head.lines[_language(text)]
        probabilities = np.round(1.0 / (1.0 + np.exp(-((row + worded) * slopes + intercepts))), DECIMALS)
        answers.append(_answer(head.targets, probabilities))
    return answers


def _answer(targets: tuple[str, ...], probabilities: NDArray[np.float64]) -> Asked:
    # Few are likely, of hundreds.
    high = (probabilities >= PROBABILITY_MIN).nonzero()[0].tolist()
    likely = [(targets[at], probability) for at, probability in zip(high, probabilities[high].tolist(), strict=True)]
    likely = sorted((each for each in likely if not each[0].startswith(QUESTION)), key=lambda each: (-each[1], each[0]))
    # Questions come last.
    questions: dict[str, float] = {}
    for name, probability in zip(reversed(targets), reversed(probabilities.tolist()), strict=True):
        if not name.startswith(QUESTION):
            break
        questions[name.removeprefix(QUESTION)] = probability
    return Asked(tuple(likely[:TARGETS_MAX]), questions)


def in_steps(
    vectors: NDArray[np.float32], centre: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The directions of the vectors from the centre in whole steps up to LEVELS, and the length of each, (texts, 1)."""
    import numpy as np  # noqa: PLC0415  # as above

    centred = vectors / _lengths(vectors) - centre
    largest = np.maximum(np.abs(centred).max(axis=1, keepdims=True), np.float32(1e-9))
    steps = np.rint(centred * (np.float32(LEVELS) / largest))
    return steps, _lengths(steps)


def _lengths(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np  # noqa: PLC0415  # as above

    squares: NDArray[np.float32] = np.einsum("ij,ij->i", vectors, vectors)
    return np.maximum(np.sqrt(squares), np.float32(1e-9)).reshape(-1, 1)


def _language(text: str) -> str:
    outside = sum(not character.isascii() for character in text)
    return "zh" if outside > _DENSE_SCRIPTS_SHARE * len(text) else "en"


def head_of(about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Head:
    """The head that the file of the weights describes.

    Raises:
        KeyError, ValueError: it lacks a part.
    """
    import numpy as np  # noqa: PLC0415  # as above

    key = f"{about['profile']}.{about['sort']}"
    landmarks = arrays[f"{key}.landmarks"].astype(np.float32)
    targets = tuple(about["targets"])
    return Head(
        targets=targets,
        centre=arrays[f"{key}.centre"],
        landmarks=np.ascontiguousarray(landmarks.T),
        lengths=_lengths(landmarks).reshape(1, -1),
        gamma=float(about["gamma"]),
        dense=arrays[f"{key}.dense"].astype(np.float64),
        dense_scale=arrays[f"{key}.dense_scale"].astype(np.float64),
        places=arrays[f"{key}.places"],
        place_scale=arrays[f"{key}.place_scale"],
        bias=arrays[f"{key}.bias"],
        lines={language: _lines(targets, lines) for language, lines in about["lines"].items()},
    )


def is_whole(head: Head) -> bool:
    """True where all parts are of one size and finite, so that every text has an answer."""
    import numpy as np  # noqa: PLC0415  # as above

    dimensions, landmarks = head.landmarks.shape
    count = len(head.targets)
    columns: tuple[NDArray[Any], ...] = (
        head.dense_scale,
        head.place_scale,
        head.bias,
        *(each for line in head.lines.values() for each in line),
    )
    return (
        head.centre.shape == (dimensions,)
        and head.dense.shape == (landmarks, count)
        and head.places.shape[1:] == (count,)
        and all(each.shape == (count,) and bool(np.isfinite(each).all()) for each in columns)
        and bool(np.isfinite(head.centre).all())
        and head.lines.keys() >= {"en", "zh"}
    )


def _lines(
    targets: tuple[str, ...], lines: Sequence[Sequence[float]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Slope and intercept by target, from those of the ids together and of each question."""
    import numpy as np  # noqa: PLC0415  # as above

    ids, *questions = lines
    last = [name.startswith(QUESTION) for name in targets[len(targets) - len(questions) :]]
    if not all(last) or sum(name.startswith(QUESTION) for name in targets) != len(questions):
        raise ValueError("questions come last, each with a line")
    asked = iter(questions)
    both = np.array([next(asked) if name.startswith(QUESTION) else ids for name in targets], dtype=np.float64)
    return both[:, 0], both[:, 1]
