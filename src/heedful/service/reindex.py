"""Reindex: vectors of the configured embedder for every row that has none, in batches, resumed after any stop.

What is done lies in the store: a row has its vector or it has not. Searches go by the model that was active before
until no row lacks one of the new model; then by the new, and the old vectors go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from heedful.kernel.errors import UnsupportedError
from heedful.ports.embedder import Embedder
from heedful.ports.store import SearchRow, VectorRow
from heedful.service.passages import passages_of
from heedful.service.session import Session

ROWS_MAX = 256
"""Rows that are embedded at once and put in one transaction."""
DROPPED_MAX = 2_000
"""Vectors that are dropped in one transaction."""
SWEEPS_MAX = 8
"""Times that the rows are gone through from the first: while it runs, others may replace some that it has passed."""


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What became of it.

    Attributes:
        model: the model that answers now.
        embedded: how many vectors were made, replaced ones included.
        dropped: how many vectors of other models went.
    """

    model: str
    embedded: int
    dropped: int


def total(session: Session) -> int:
    """A number that `progress` of a reindex comes to, about."""
    with session.store.read() as reading:
        return reading.checkpoint()


def reindex(session: Session, *, progress: Callable[[int], None]) -> Reindexed:
    """Every row has a vector of the configured embedder's model, which answers searches, and no other model has any.

    Rows that others put while it runs get theirs as they do otherwise: at once, or in the background.

    `progress` is told the ledger position of the last row of each batch.

    Raises:
        ForbiddenError: `principal_may_not`.
        UnsupportedError: `embedder_missing` where none is configured.
        UnavailableError: `embedder_unavailable`; what was made stays, and running it again goes on.
        BusyError: see TenantStore.
    """
    session.require("maintain")
    embedder = session.embedder
    if embedder is None:
        raise UnsupportedError(
            "embedder_missing",
            "no embedder is configured, so searches go by text alone",
            next_step="set HEEDFUL_EMBEDDER",
        )
    embedded = 0
    for _ in range(SWEEPS_MAX):
        made = _sweep(session, embedder, progress)
        embedded += made
        if not made:
            break
    session.store.write(lambda writing: writing.set_vector_model(embedder.model))
    return Reindexed(embedder.model, embedded, _drop_others(session, embedder.model))


def _sweep(session: Session, embedder: Embedder, progress: Callable[[int], None]) -> int:
    """How many vectors were made, from the first row that lacks one to the last."""
    made = 0
    after, last = 0, total(session)
    while after < last:
        with session.store.read() as reading:
            lacking = reading.without_vector(embedder.model, after=after, limit=ROWS_MAX)
            passages = passages_of(session.text_of, reading, lacking)
        if not lacking:
            break
        rows = _embedded(embedder, lacking, passages)
        session.store.write(lambda writing, rows=rows: writing.put_vectors(embedder.model, rows))  # type: ignore[misc]
        made += len(rows)
        after = lacking[-1].position
        progress(min(after, last))
    return made


def _embedded(embedder: Embedder, lacking: tuple[SearchRow, ...], passages: dict[int, str]) -> list[VectorRow]:
    kept = [row.position for row in lacking if row.position in passages]
    if not kept:
        return []
    vectors = embedder.embed([passages[position] for position in kept], purpose="passage")
    return [VectorRow(position, components) for position, components in zip(kept, vectors, strict=True)]


def _drop_others(session: Session, model: str) -> int:
    dropped = 0
    with session.store.read() as reading:
        others = [each.model for each in reading.vector_models() if each.model != model]
    for other in others:
        while gone := session.store.write(lambda writing, other=other: writing.drop_vectors(other, limit=DROPPED_MAX)):  # type: ignore[misc]
            dropped += gone
    return dropped
