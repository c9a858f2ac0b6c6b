"""The bundled router: a kernel over what texts mean and a linear model over their words, made of the packs' examples.

What texts mean is told by the local model's vectors where that is the configured embedder (profile `local`), else by
the means of their words' vectors (profile `words`). The weights come with the packs (`packs/router.npz`), from
scripts/train_router.py.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from heedful.adapters.models.matter_weights import MatterWeights, bundled_matters, mattering_of
from heedful.adapters.models.news_weights import NewsWeights, bundled_news, likeness_of
from heedful.adapters.models.router_features import PLACES, VERSION, feature_places
from heedful.adapters.models.router_head import Asked, Head, ask, head_of, is_whole
from heedful.adapters.models.weights_file import read_weights
from heedful.adapters.models.words import WordVectors, unreadable
from heedful.bridges.routed import NOT_ROUTED, NOTHING_TOLD, Likeness, Mattering, Routed, Told
from heedful.kernel.errors import UnavailableError
from heedful.kernel.kept import keeper
from heedful.ports.embedder import PASSAGE_CHARACTERS_MAX, Embedder, Purpose

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WEIGHTS_FILE = "router.npz"
ANSWERS_CACHED = 4_096
AHEAD_TEXTS = 256
"""Statements read together: their nearness to every landmark is held at once."""
WORDS, LOCAL = "words", "local"
STATEMENTS, REQUESTS = "S", "R"
_HEADS = {(profile, sort) for profile in (WORDS, LOCAL) for sort in (STATEMENTS, REQUESTS)}


@dataclass(frozen=True, slots=True)
class Weights:
    """The heads by profile and sort of text, and what made them."""

    digest: str
    dense_model: str
    heads: dict[tuple[str, str], Head]


class BundledRouter:
    """See Router. May be used from several threads."""

    def __init__(
        self,
        load: Callable[[], Weights],
        embedder: Embedder | None,
        news: Callable[[], NewsWeights] = bundled_news,
        matters: Callable[[], MatterWeights] = bundled_matters,
    ) -> None:
        """A router that loads its weights when first asked, and reads the vectors of `embedder` too.

        It does so where the weights were trained with that embedder's model.
        """
        self._load = load
        self._news = news
        self._matters = matters
        self._configured = embedder
        self._routed = _Recent[Routed]()
        self._told = _Recent[Told]()
        self._vectors = _Recent["NDArray[np.float32]"]()

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
            (found,) = self._tell([text])
            self._told.put(text, found)
        return found

    def read_ahead(self, texts: Sequence[str]) -> None:
        """These statements will be asked for; see Router."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._told]
        for start in range(0, len(fresh), AHEAD_TEXTS):
            some = fresh[start : start + AHEAD_TEXTS]
            for text, told in zip(some, self._tell(some), strict=True):
                self._told.put(text, told)

    def likeness(self, text: str, statements: Sequence[str]) -> Likeness | None:
        """How this text is news of these statements; see Router."""
        embedder = self._embedder
        if embedder is None or self._news().dense_model != embedder.model:
            return None
        try:
            vectors = [self._vector(embedder, each, "passage") for each in (text, *statements)]
        except UnavailableError:
            return None
        return likeness_of(self._news(), vectors)

    def mattering(self, model: str, components: bytes) -> Mattering | None:
        """How far statements matter for the request of this vector; see Router."""
        # Only where statements were read by the same model is more known of them than their words.
        if self._embedder is None or model != self._embedder.model or not any(components):
            return None
        weights = self._matters()
        return mattering_of(weights, components) if weights.dense_model == model else None

    def _vector(self, embedder: Embedder, text: str, purpose: Purpose) -> NDArray[np.float32]:
        """The text's vector; of a statement, which is asked for again, that of last time."""
        found = self._vectors.get(text) if purpose == "passage" else None
        if found is None:
            found = _local_vector(embedder, text, purpose)
            if purpose == "passage":
                self._vectors.put(text, found)
        return found

    def _route(self, text: str) -> Routed:
        ((found, method),) = self._asked([text], REQUESTS, "query")
        if found is None:
            return NOT_ROUTED
        return Routed(found.likeliest, found.questions["inert"], method)

    def _tell(self, texts: Sequence[str]) -> list[Told]:
        return [
            NOTHING_TOLD if found is None else _told(found, method)
            for found, method in self._asked(texts, STATEMENTS, "passage")
        ]

    def _asked(self, texts: Sequence[str], sort: str, purpose: Purpose) -> list[tuple[Asked | None, str]]:
        """What each text is, by the surest profile at hand, and what told it; None where it has no word."""
        places = [feature_places(text) for text in texts]
        worded = [at for at, found in enumerate(places) if found]
        answers: list[tuple[Asked | None, str]] = [(None, "")] * len(texts)
        if not worded:
            return answers
        vectors: list[NDArray[np.float32]] | None = None
        method = "router, words"
        if self._embedder is not None:
            try:
                vectors = [self._vector(self._embedder, texts[at], purpose) for at in worded]
                method = f"router, {self._weights.dense_model}"
            except UnavailableError:
                # Words alone are an answer, and this says that it is half of one.
                method += ": its model gave no answer"
        head = self._weights.heads[WORDS if vectors is None else LOCAL, sort]
        if vectors is None:
            vectors = [WordVectors.bundled().vector(texts[at]) for at in worded]
        found = ask(head, [texts[at] for at in worded], [places[at] for at in worded], vectors)
        for at, answer in zip(worded, found, strict=True):
            answers[at] = (answer, method)
        return answers


def _told(found: Asked, method: str) -> Told:
    asked = found.questions
    return Told(found.likeliest, asked["durable"], asked["ended"], method, asked["changed"])


def _local_vector(embedder: Embedder, text: str, purpose: Purpose) -> NDArray[np.float32]:
    """By itself: beside others its last bits would depend on them."""
    import numpy as np  # noqa: PLC0415  # a tenth of a second that a command without recall never pays

    (components,) = embedder.embed([text[:PASSAGE_CHARACTERS_MAX]], purpose=purpose)
    return np.frombuffer(components, dtype=np.int8).astype(np.float32)


_Answer = TypeVar("_Answer")


class _Recent(Generic[_Answer]):
    """The last answers by text; one text is asked several times on its way."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._answers: OrderedDict[str, _Answer] = OrderedDict()
        keeper(self)

    def get(self, text: str) -> _Answer | None:
        with self._lock:
            found = self._answers.get(text)
            if found is not None:
                self._answers.move_to_end(text)
            return found

    def forget_texts(self) -> None:
        """See Keeper.forget_texts."""
        with self._lock:
            self._answers.clear()

    def __contains__(self, text: str) -> bool:
        with self._lock:
            return text in self._answers

    def put(self, text: str, answer: _Answer) -> None:
        with self._lock:
            self._answers[text] = answer
            while len(self._answers) > ANSWERS_CACHED:
                self._answers.popitem(last=False)


@cache
def bundled_weights() -> Weights:
    """The weights that come with this release.

    Raises:
        FaultError: see weights_of.
    """
    return weights_of(resources.files("heedful") / "packs" / WEIGHTS_FILE)


def weights_of(path: Traversable) -> Weights:
    """The weights in this file, which scripts/train_router.py wrote.

    Raises:
        FaultError: `router_unreadable` where it is damaged, or of another release.
    """
    found, features = read_weights(path, _router_weights)
    heads = found.heads
    if (
        features != VERSION
        or not heads.keys() >= _HEADS
        or any(each.places.shape[0] != PLACES for each in heads.values())
    ):
        raise unreadable(path.name, "is of another release")
    if not all(map(is_whole, heads.values())):
        raise unreadable(path.name, "does not fit together")
    return found


def _router_weights(arrays: Mapping[str, NDArray[Any]], about: dict[str, Any]) -> tuple[Weights, object]:
    """The weights, and the version of the features that they were trained with."""
    heads = {(each["profile"], each["sort"]): head_of(each, arrays) for each in about["heads"]}
    return Weights(str(about["digest"]), str(about["dense_model"]), heads), about["features"]
