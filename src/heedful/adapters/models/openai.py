"""Any endpoint that speaks the embeddings call of OpenAI. What is embedded leaves this machine."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

import msgspec

from heedful.kernel.errors import UnavailableError
from heedful.kernel.vectors import quantise
from heedful.ports.embedder import PASSAGE_CHARACTERS_MAX, Purpose

if TYPE_CHECKING:
    from openai import OpenAI

BATCH_TEXTS_MAX = 64
"""Texts in one call; with PASSAGE_CHARACTERS_MAX each, that is far below what endpoints take."""
QUERY_SECONDS_MAX = 5.0
"""A recall waits this long for its question's vector, once; then it goes on with text alone."""
PASSAGE_SECONDS_MAX = 30.0
PASSAGE_RETRIES_MAX = 2
"""With growing pauses between; nobody waits for these."""

_NO_KEY = "none"  # the client insists on one; endpoints on one's own machine often want none


class _Row(msgspec.Struct):
    index: int
    embedding: list[float]


class _Answer(msgspec.Struct):
    data: list[_Row]


class OpenAiEmbedder:
    """See Embedder. Not immediate; may be used from several threads."""

    is_immediate = False

    def __init__(self, *, url: str | None, name: str, dimensions: int, key: str | None) -> None:
        """An embedder that connects when first used; `url` None is the client's own default."""
        self._url, self._name, self._key = url, name, key
        self.dimensions = dimensions
        self._lock = Lock()
        self._client: OpenAI | None = None

    @property
    def model(self) -> str:
        """See Embedder. The address is no part of it: one model may move."""
        return f"openai:{self._name}/{self.dimensions}"

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> tuple[bytes, ...]:
        """One vector a text; see Embedder. Of each, PASSAGE_CHARACTERS_MAX characters are sent.

        Raises:
            UnavailableError: `embedder_unavailable` where the endpoint does not answer in time, refuses, or answers
                otherwise than with one vector of `dimensions` finite numbers for each text.
        """
        clean = [_clean(text) for text in texts]
        wanted = [text for text in clean if text]
        vectors: list[bytes] = []
        for start in range(0, len(wanted), BATCH_TEXTS_MAX):
            vectors.extend(self._batch(wanted[start : start + BATCH_TEXTS_MAX], purpose))
        made = iter(vectors)
        return tuple(next(made) if text else bytes(self.dimensions) for text in clean)

    def _batch(self, texts: list[str], purpose: Purpose) -> list[bytes]:
        answer = self._ask(texts, purpose)
        rows = sorted(answer.data, key=lambda row: row.index)
        if [row.index for row in rows] != list(range(len(texts))):
            raise self._unavailable("it answered without one vector for each text")
        if any(len(row.embedding) != self.dimensions for row in rows):
            told = len(rows[0].embedding)
            raise self._unavailable(f"its vectors have {told} dimensions, not {self.dimensions}", dimensions=told)
        try:
            return [quantise(row.embedding) for row in rows]
        except ValueError as error:
            raise self._unavailable("its vectors are not finite") from error

    def _ask(self, texts: list[str], purpose: Purpose) -> _Answer:
        try:
            import openai  # noqa: PLC0415  # an extra, and slow to load
        except ImportError as error:
            raise self._unavailable("the package openai is not installed") from error
        is_query = purpose == "query"
        try:
            with self._lock:
                if self._client is None:
                    self._client = openai.OpenAI(base_url=self._url, api_key=self._key or _NO_KEY)
            client = self._client.with_options(
                timeout=QUERY_SECONDS_MAX if is_query else PASSAGE_SECONDS_MAX,
                max_retries=0 if is_query else PASSAGE_RETRIES_MAX,
            )
            # As the bytes that came: the client's own reading takes an error page for an answer.
            raw = client.embeddings.with_raw_response.create(input=texts, model=self._name, encoding_format="float")
            return msgspec.json.decode(raw.content, type=_Answer)
        except openai.APIStatusError as error:
            raise self._unavailable(f"it refused with status {error.status_code}") from error
        except openai.OpenAIError as error:
            raise self._unavailable(f"it gave no answer ({type(error).__name__})") from error
        except msgspec.DecodeError as error:
            raise self._unavailable("its answer is not that of an embeddings call") from error

    def _unavailable(self, what: str, **details: object) -> UnavailableError:
        return UnavailableError(
            "embedder_unavailable",
            f"the endpoint for the model {self._name} makes no vectors: {what}",
            next_step="look at embedder_url, embedder_model and embedder_dimensions, and whether the endpoint runs",
            details={"model": self.model, **details},
        )


def _clean(text: str) -> str:
    head = text[:PASSAGE_CHARACTERS_MAX].replace("\0", " ").strip()
    return head.encode("utf-8", "replace").decode("utf-8")
