"""The bundled router: a kernel over what texts mean and a linear model over their words, made of the packs' examples.

What texts mean is told by the local model's vectors where that is the configured embedder (profile `local`), else by
the means of their words' vectors (profile `words`). The weights come with the packs (`packs/router.npz`), from
scripts/train_router.py. Probabilities are rounded, so that the last bit of a machine's arithmetic decides nothing.
"""

from __future__ import annotations

import json
import math
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from zipfile import BadZipFile

from heedful.adapters.models.router_features import PLACES, VERSION, feature_places
from heedful.adapters.models.words import WordVectors, unreadable
from heedful.bridges.routed import NOT_ROUTED, NOTHING_TOLD, Routed, Told
from heedful.kernel.errors import UnavailableError
from heedful.ports.embedder import PASSAGE_CHARACTERS_MAX, Embedder, Purpose

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WEIGHTS_FILE = "router.npz"
PROBABILITY_MIN = 0.02
"""The floor: targets below it are left out."""
DECIMALS = 3
TARGETS_MAX = 24
ANSWERS_CACHED = 1_024
WORDS, LOCAL = "words", "local"
STATEMENTS, REQUESTS = "S", "R"
_QUESTION = "="
"""Before the names of what is asked of every text, such as whether anything is decided."""
_DENSE_SCRIPTS_SHARE = 0.25
"""From this share of characters outside ASCII on, a text's scores are read by the line for Chinese."""


@dataclass(frozen=True, slots=True)
class Head:
    """What one sort of text is asked.

    Attributes:
        targets: names of the columns: ids, then questions.
        centre: what all vectors have in common; taken away.
        landmarks: (examples, dimensions), unit vectors.
        gamma: width of the kernel.
        dense, places: weights by landmark and by place of a word's feature; one column a target.
        bias: one number a target.
        lines: language -> (slope, intercept) of the probability, for ids together, then for each question.
    """

    targets: tuple[str, ...]
    centre: NDArray[np.float32]
    landmarks: NDArray[np.float32]
    gamma: float
    dense: NDArray[np.float32]
    places: NDArray[np.int8]
    place_scale: NDArray[np.float32]
    bias: NDArray[np.float32]
    lines: dict[str, list[list[float]]]


@dataclass(frozen=True, slots=True)
class Weights:
    """The heads by profile and sort of text, and what made them."""

    digest: str
    dense_model: str
    heads: dict[tuple[str, str], Head]


class BundledRouter:
    """See Router. May be used from several threads."""

    def __init__(self, load: Callable[[], Weights], embedder: Embedder | None) -> None:
        """A router that loads its weights when first asked, and reads the vectors of `embedder` too.

        It does so where the weights were trained with that embedder's model.
        """
        self._load = load
        self._configured = embedder
        self._routed = _Recent[Routed]()
        self._told = _Recent[Told]()

    @cached_property
    def _weights(self) -> Weights:
        return self._load()

    @cached_property
    def _embedder(self) -> Embedder | None:
        configured = self._configured
        return configured if configured is not None and configured.model == self._weights.dense_model else None

    @property
    def model(self) -> str:
        """Its identity; see Router."""
        return f"router-{self._weights.digest[:8]}/{WORDS if self._embedder is None else self._embedder.model}"

    def route(self, text: str) -> Routed:
        """What this request decides; see Router."""
        found = self._routed.get(text)
        if found is None:
            found = self._route(text)
            self._routed.put(text, found)
        return found

    def tell(self, text: str) -> Told:
        """What this statement tells; see Router."""
        found = self._told.get(text)
        if found is None:
            found = self._tell(text)
            self._told.put(text, found)
        return found

    def _route(self, text: str) -> Routed:
        found = self._asked(text, REQUESTS, "query")
        if found is None:
            return NOT_ROUTED
        return Routed(_likeliest(found.targets), found.questions["inert"], found.method)

    def _tell(self, text: str) -> Told:
        found = self._asked(text, STATEMENTS, "passage")
        if found is None:
            return NOTHING_TOLD
        questions = found.questions
        return Told(_likeliest(found.targets), questions["durable"], questions["ended"], found.method)

    def _asked(self, text: str, sort: str, purpose: Purpose) -> _Asked | None:
        """What the text is, by the surest profile at hand; None where it has no word."""
        places = feature_places(text)
        if not places:
            return None
        vector: bytes | None = None
        method = "router, words"
        if self._embedder is not None:
            try:
                (vector,) = self._embedder.embed([text[:PASSAGE_CHARACTERS_MAX]], purpose=purpose)
                method = f"router, {self._weights.dense_model}"
            except UnavailableError:
                method += (
                    ": its model gave no answer"  # words alone are an answer, and this says that it is half of one
                )
        head = self._weights.heads[WORDS if vector is None else LOCAL, sort]
        return _Asked(*_probabilities(head, text, places, vector), method)


@dataclass(frozen=True, slots=True)
class _Asked:
    targets: dict[str, float]
    questions: dict[str, float]
    method: str


def _probabilities(
    head: Head, text: str, places: tuple[int, ...], components: bytes | None
) -> tuple[dict[str, float], dict[str, float]]:
    import numpy as np  # noqa: PLC0415  # a tenth of a second that a command without recall never pays

    if components is None:
        vector = WordVectors.bundled().vector(text)
    else:
        vector = np.frombuffer(components, dtype=np.int8).astype(np.float32)
    centred = _unit(_unit(vector) - head.centre)
    # Not by BLAS: its threads cost more than they do here, and add up in an order of their own.
    near = np.exp(head.gamma * (np.einsum("ij,j->i", head.landmarks, centred) - 1.0))
    worded = head.places[list(places)].sum(axis=0, dtype=np.int32) * head.place_scale / math.sqrt(len(places))
    scores = (np.einsum("i,ij->j", near, head.dense) + worded + head.bias).astype(np.float64)
    ids, *questions = head.lines[_language(text)]
    lines = np.array([ids if not name.startswith(_QUESTION) else questions.pop(0) for name in head.targets])
    probabilities = 1.0 / (1.0 + np.exp(-(scores * lines[:, 0] + lines[:, 1])))
    found = dict(zip(head.targets, np.round(probabilities, DECIMALS).tolist(), strict=True))
    asked = {name: found.pop(name) for name in head.targets if name.startswith(_QUESTION)}
    return found, {name.removeprefix(_QUESTION): value for name, value in asked.items()}


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np  # noqa: PLC0415  # as above

    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length > 0 else vector


def _language(text: str) -> str:
    outside = sum(not character.isascii() for character in text)
    return "zh" if outside > _DENSE_SCRIPTS_SHARE * len(text) else "en"


_Answer = TypeVar("_Answer")


class _Recent(Generic[_Answer]):
    """The last answers by text; one text is asked several times on its way."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._answers: OrderedDict[str, _Answer] = OrderedDict()

    def get(self, text: str) -> _Answer | None:
        with self._lock:
            found = self._answers.get(text)
            if found is not None:
                self._answers.move_to_end(text)
            return found

    def put(self, text: str, answer: _Answer) -> None:
        with self._lock:
            self._answers[text] = answer
            while len(self._answers) > ANSWERS_CACHED:
                self._answers.popitem(last=False)


@cache
def bundled_weights() -> Weights:
    """The weights that come with this release.

    Raises:
        FaultError: `router_unreadable` where the installation's file is damaged, or of another release.
    """
    import numpy as np  # noqa: PLC0415  # as above

    path = resources.files("heedful") / "packs" / WEIGHTS_FILE
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as loaded:
            arrays = {name: loaded[name] for name in loaded.files}
        about = json.loads(str(arrays["about"]))
        heads = {(each["profile"], each["sort"]): _head(each, arrays) for each in about["heads"]}
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, zlib.error) as error:
        raise unreadable(WEIGHTS_FILE, "can't be read") from error
    if about["features"] != VERSION or any(head.places.shape[0] != PLACES for head in heads.values()):
        raise unreadable(WEIGHTS_FILE, "is of another release")
    return Weights(about["digest"], about["dense_model"], heads)


def _head(about: dict[str, Any], arrays: dict[str, Any]) -> Head:
    import numpy as np  # noqa: PLC0415  # as above

    key = f"{about['profile']}.{about['sort']}"
    landmarks = arrays[f"{key}.landmarks"].astype(np.float32)
    return Head(
        targets=tuple(about["targets"]),
        centre=arrays[f"{key}.centre"],
        landmarks=landmarks / np.linalg.norm(landmarks, axis=1, keepdims=True),
        gamma=float(about["gamma"]),
        dense=np.ascontiguousarray(arrays[f"{key}.dense"].astype(np.float32) * arrays[f"{key}.dense_scale"]),
        places=arrays[f"{key}.places"],
        place_scale=arrays[f"{key}.place_scale"],
        bias=arrays[f"{key}.bias"],
        lines=about["lines"],
    )


def _likeliest(probabilities: dict[str, float]) -> tuple[tuple[str, float], ...]:
    kept: Iterable[tuple[str, float]] = (each for each in probabilities.items() if each[1] >= PROBABILITY_MIN)
    return tuple(sorted(kept, key=lambda each: (-each[1], each[0]))[:TARGETS_MAX])
