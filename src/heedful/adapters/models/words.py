"""Word vectors: a text as the mean of what its words mean, with no model to run, for the router where none is.

The table (`packs/words.npz`) is distilled from multilingual-e5-small (MIT) by scripts/distil_words.py: each word's own
vector, without what all have in common, in fewer dimensions. Words that it lacks are passed over.
"""

from __future__ import annotations

import re
import zlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from heedful.kernel.errors import FaultError
from heedful.observations.text import is_function_word, words_and_runs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORDS_FILE = "words.npz"
TEXT_CHARACTERS_MAX = 4_000
FUNCTION_WEIGHT = 0.15
"""What `I`, `the` and the like weigh beside other words."""

_WORD = re.compile(r"[a-z0-9]+(?:['-][a-z0-9]+)*")


class WordVectors:
    """The table of words."""

    def __init__(self, words: list[str], vectors: NDArray[np.int8], weights: NDArray[np.float32]) -> None:
        """A table of words with their vectors, one row a word, and what each weighs."""
        self._places = {word: at for at, word in enumerate(words)}
        self._vectors = vectors
        self._weights = weights

    @staticmethod
    @cache
    def bundled() -> WordVectors:
        """The table that comes with this release.

        Raises:
            FaultError: `router_unreadable` where the installation's file is damaged.
        """
        import numpy as np  # noqa: PLC0415  # a tenth of a second that a command without recall never pays

        path = resources.files("heedful") / "packs" / WORDS_FILE
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as loaded:
                words = bytes(loaded["words"]).decode().split("\n")
                return WordVectors(words, loaded["vectors"], loaded["weights"].astype(np.float32))
        except (OSError, ValueError, KeyError, EOFError, BadZipFile, zlib.error) as error:
            raise unreadable(WORDS_FILE, "can't be read") from error

    def vector(self, text: str) -> NDArray[np.float32]:
        """The weighted mean of the vectors of the text's words; zeros where none of them is known."""
        import numpy as np  # noqa: PLC0415  # as above

        found = [at for at in map(self._places.get, dict.fromkeys(_pieces(text))) if at is not None]
        if not found:
            return np.zeros(self._vectors.shape[1], dtype=np.float32)
        weights = self._weights[found]
        mean: Any = (weights @ self._vectors[found].astype(np.float32)) / weights.sum()
        return np.asarray(mean, dtype=np.float32)


def _pieces(text: str) -> list[str]:
    """Words in lower case, then, of scripts without spaces, pairs of characters and the characters themselves."""
    cut = text[:TEXT_CHARACTERS_MAX]
    pieces: list[str] = []
    for word in _WORD.findall(cut.lower()):
        pieces.append(word)
        if "-" in word or "'" in word:
            pieces += re.split("['-]", word)
    if not cut.isascii():
        for run in words_and_runs(cut)[1]:
            pieces += [run[at : at + 2] for at in range(len(run) - 1)]
            pieces += list(run)
    return pieces


def weight_of(word: str, rows: int, rows_with: int) -> float:
    """What a word weighs: more the fewer examples have it, little where it is a function word."""
    import math  # noqa: PLC0415  # used when the table is made

    rarity = math.log((rows + 1) / (rows_with + 1)) / math.log(rows + 1)
    return rarity * (FUNCTION_WEIGHT if is_function_word(word) else 1.0)


def unreadable(file: str, what: str) -> FaultError:
    """The error of a file of the router's that `what` is wrong with."""
    return FaultError(
        "router_unreadable",
        f"{file}, of the router's weights that come with the packs, {what}",
        next_step="install heedful again",
    )
