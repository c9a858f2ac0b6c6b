"""Vectors: by which model a tenant is searched, and the vector of a question. The texts' own are made in `project`.

A new tenant goes by the model that is configured when it is first opened; after that only `reindex` changes it, since
vectors of two models do not compare. A model that is not immediate is brought up to date in the background.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heedful.kernel.errors import UnavailableError
from heedful.ports.embedder import PASSAGE_CHARACTERS_MAX, Embedder
from heedful.ports.store import VectorModel, VectorRow
from heedful.service.passages import passages_of
from heedful.service.session import Session

BATCH_ROWS_MAX = 64
"""Rows that one background step embeds."""

NOT_MADE = "vectors: none are made yet for this store; `heedful reindex` makes them"
NOT_AT_HAND = "vectors: the model that this store goes by is not to be had here; `heedful reindex` changes it"
NO_ANSWER = "vectors: the model gave no answer, so only words were searched"
"""What a packet says was not searched."""


@dataclass(frozen=True, slots=True)
class AskedVector:
    """The question as a vector.

    Attributes:
        model: by which it was made; None where none is to be had.
        components: None where text alone is searched.
        degraded: why, in words, where that is not as configured.
    """

    model: str | None
    components: bytes | None
    degraded: tuple[str, ...] = ()


def adopt_model(session: Session) -> None:
    """A tenant that has no search row and no model yet goes by the configured model from now on."""
    embedder = session.embedder
    if embedder is None:
        return
    with session.store.read() as reading:
        if reading.vector_models() or reading.without_vector(embedder.model, after=0, limit=1):
            return
    session.store.write(lambda writing: writing.set_vector_model(embedder.model))


def waits_for_model(session: Session, models: Sequence[VectorModel]) -> bool:
    """True where the question's vector comes from a model that is not immediate."""
    embedder = _active_embedder(session, models)
    return embedder is not None and not embedder.is_immediate


def checked(asked: AskedVector, models: Sequence[VectorModel]) -> AskedVector:
    """The vector, if the tenant still goes by its model."""
    if asked.model is None or asked.components is None or VectorModel(asked.model, is_active=True) in models:
        return asked
    return AskedVector(asked.model, None, (NOT_AT_HAND,))


def vector_of_question(session: Session, models: Sequence[VectorModel], question: str) -> AskedVector:
    """The question by the model that the tenant goes by; where that cannot be, text alone, and the packet says so."""
    if session.embedder is None:
        return AskedVector(None, None)  # configured so
    embedder = _active_embedder(session, models)
    if embedder is None:
        return AskedVector(None, None, (NOT_AT_HAND if any(each.is_active for each in models) else NOT_MADE,))
    try:
        (components,) = embedder.embed([question[:PASSAGE_CHARACTERS_MAX]], purpose="query")
    except UnavailableError:
        # The store did its part: what words find is still an answer, and it says that it is half of one.
        return AskedVector(embedder.model, None, (NO_ANSWER,))
    return AskedVector(embedder.model, components if any(components) else None)


def embed_waiting(session: Session, *, after: int = 0) -> int | None:
    """The position up to which rows have vectors of the tenant's own model now; None: nothing waits.

    One bounded step, from the first row above `after` that has none. Where the tenant goes by another model than the
    configured one, or by one that is immediate, nothing is done: `reindex` is for that.

    Raises:
        UnavailableError: `embedder_unavailable`, or the store's; what was there stays.
        BusyError, FaultError, NotFoundError: see TenantStore and Session.text_of.
    """
    embedder = session.embedder
    if embedder is None or embedder.is_immediate:
        return None
    with session.store.read() as reading:
        if VectorModel(embedder.model, is_active=True) not in reading.vector_models():
            return None
        waiting = reading.without_vector(embedder.model, after=after, limit=BATCH_ROWS_MAX)
        passages = passages_of(session.text_of, reading, waiting)
    if not waiting:
        return None
    rows = embedded_rows(embedder, passages)
    session.store.write(lambda writing: writing.put_vectors(embedder.model, rows))
    return waiting[-1].position


def _active_embedder(session: Session, models: Sequence[VectorModel]) -> Embedder | None:
    if session.embedder is None:
        return None
    active = next((each.model for each in models if each.is_active), None)
    return next((each for each in (session.embedder, *session.embedders) if each.model == active), None)


def embedded_rows(embedder: Embedder, passages: Mapping[int, str]) -> list[VectorRow]:
    """The vectors of these passages, by position; none of none.

    Raises:
        UnavailableError: `embedder_unavailable`.
    """
    if not passages:
        return []
    vectors = embedder.embed(list(passages.values()), purpose="passage")
    return [VectorRow(position, components) for position, components in zip(passages, vectors, strict=True)]
