"""Reindex: vectors of the configured embedder for every row that has none, in batches, resumed after any stop.

What is done lies in the store: a row has its vector or it has not. Searches go by the model that was active before
until no row lacks one of the new model; then by the new, and the old vectors go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from heedful.kernel.errors import BusyError, ConflictError, UnsupportedError
from heedful.ports.embedder import Embedder
from heedful.ports.store import Writing
from heedful.service.passages import passages_of
from heedful.service.recalling.vectors import embedded_rows
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
        BusyError: `reindex_behind` where others put rows faster than it embeds them: the model that was active before
            still answers, and running it again goes on. See TenantStore for others.
        ConflictError: `reindex_overtaken` where another reindex made another model answer before this one had ended.
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
        last = total(session)
        made = _sweep(session, embedder, progress)
        embedded += made
        if not made and _activate(session, embedder.model, last):
            break
    else:
        if not _activate(session, embedder.model, total(session)):
            raise _behind()
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
        rows = embedded_rows(embedder, passages)
        session.store.write(lambda writing, rows=rows: writing.put_vectors(embedder.model, rows))  # type: ignore[misc]
        made += len(rows)
        after = lacking[-1].position
        progress(min(after, last))
    return made


def _activate(session: Session, model: str, last: int) -> bool:
    """True where the model answers from now on: no row up to `last` lacks its vector.

    Looked at in the transaction that says so: another reindex may have dropped vectors since they were made.
    """

    def activate(writing: Writing) -> bool:
        lacking = writing.without_vector(model, after=0, limit=1)
        if lacking and lacking[0].position <= last:
            return False
        writing.set_vector_model(model)
        return True

    return session.store.write(activate)


def _behind() -> BusyError:
    return BusyError(
        "reindex_behind",
        f"rows were put faster than they were embedded: some still lack a vector after {SWEEPS_MAX} sweeps, so the "
        "model that was active before still answers",
        next_step="run it again, when less is written; it goes on where it stopped",
    )


def _drop_others(session: Session, model: str) -> int:
    """How many vectors of other models went.

    Raises:
        ConflictError: `reindex_overtaken`; the vectors of the model that answers now are all there.
    """
    dropped = 0
    with session.store.read() as reading:
        others = [each.model for each in reading.vector_models() if each.model != model]
    for other in others:
        while gone := session.store.write(lambda writing, other=other: _drop(writing, other, model)):  # type: ignore[misc]
            dropped += gone
    return dropped


def _drop(writing: Writing, other: str, model: str) -> int:
    """How many went. Where `model` answers no more, the other may: so each transaction looks at that first."""
    if not any(each.is_active and each.model == model for each in writing.vector_models()):
        raise ConflictError(
            "reindex_overtaken",
            "another reindex, to another model, ended while this one dropped old vectors: that model answers now",
            next_step="choose one embedder for all processes that use this store, then run it again with that",
        )
    return writing.drop_vectors(other, limit=DROPPED_MAX)
