"""The nearest vectors, exactly: every visible row that passes the filter is compared. Imported when first needed.

Products are sums of whole numbers below 2^24, which a 32-bit float holds whatever the order of adding; the cosine is
made of them in 64 bits, as kernel.vectors.cosine makes it, to the last bit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from heedful.adapters.storage.sqlite.filtered import FilteredRows, Row
from heedful.adapters.storage.sqlite.matrices import ENTRY_BYTES_MAX, Shelf
from heedful.adapters.storage.sqlite.statements import Q, Run, json_list
from heedful.kernel.vectors import EXACT_MAX
from heedful.ports.store import NearHit

# Components that become 32-bit floats at once: they stay in a processor's cache, and numpy starts no threads for so few
# (OpenBLAS does from 460,800 on, and on a busy machine these wait for each other forty times as long as they work).
BLOCK_BYTES = 128 * 1024
# Of the best rows so many more than asked for are tried, first and then, before all that pass the filter are looked up.
SPARE_ROWS = 8
SPARE_ROWS_MAX = 64
# Claims in sight are few, and so many are looked up as they are.
CLAIMS_AT_ONCE_MAX = 256
# So few similarities are sorted at once.
SORTED_MAX = 512

Floats = NDArray[np.float64]
Positions = NDArray[np.int64]
# The positions of some rows and their similarities, side by side.
Near = tuple[Positions, Floats]
Number = TypeVar("Number", np.int64, np.float64)


@dataclass(frozen=True, slots=True)
class Block:
    """Some vectors, side by side.

    Attributes:
        components: one row a vector.
        squares: the sum of the squares of each row's components.
        least, largest: of the squares.
    """

    positions: Positions
    components: NDArray[np.int8]
    squares: Floats
    least: float
    largest: float

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return self.positions.nbytes + self.components.nbytes + self.squares.nbytes


def nearest(query: FilteredRows, near: Near, *, limit: int) -> tuple[NearHit, ...]:
    """See ViewReader.nearest; `near` is what `compare` made of the rows in sight."""
    positions, similarities = near
    # Tries tell by their number how many near rows are denied, so where a kind is, none is made. Claims are
    # few among many rows.
    for spare in () if query.denies or query.is_of_claims else (SPARE_ROWS, SPARE_ROWS_MAX):
        tried = _best(positions, similarities, limit + spare)
        hits = _hits(query, near, tried, limit)
        if len(hits) == limit or len(tried) == len(positions):
            return hits
    if query.is_of_claims:
        rows = query.rows("filtered_rows", after=(CLAIMS_AT_ONCE_MAX + 1,))
        if len(rows) <= CLAIMS_AT_ONCE_MAX:
            return _hits_among(rows, near, limit)
    # The filter is narrow, or must not be seen at work: rank only what passes it.
    (listed,) = query.rows("filtered_positions")[0]
    if not listed:
        return ()
    passing = np.sort(np.array(json.loads(f"[{listed}]"), dtype=np.int64))
    near = positions, similarities = _those_at(passing, near)
    return _hits(query, near, _best(positions, similarities, limit), limit)


def compare(query: FilteredRows, shelf: Shelf | None, model_id: int, components: bytes) -> Near:
    """The position and similarity of every vector in sight, whether its row passes the filter or not.

    Without a `shelf` no vector is kept in memory, nor taken from there.
    """
    asked = np.frombuffer(components, dtype=np.int8)
    whole = asked.astype(np.int64)
    square = int(np.dot(whole, whole))
    positions: list[Positions] = []
    similarities: list[Floats] = []
    groups = (
        ((model_id, scope_id, classification, len(components)), changed)
        for scope_id, classification, changed in query.groups(model_id)
    )
    for block in _joined(block for group, changed in groups for block in _blocks(query.run, shelf, group, changed)):
        positions.append(block.positions)
        similarities.append(_cosines(block, asked, square))
    if not positions:
        return np.empty(0, dtype=np.int64), np.empty(0)
    # Most users' vectors are one block, and each call costs as much as a hundred of them.
    return _together(positions), _together(similarities)


def _together(arrays: Sequence[NDArray[Number]]) -> NDArray[Number]:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _joined(blocks: Iterable[Block]) -> Iterator[Block]:
    """The same rows in fewer blocks: thousands of small scopes would each cost more in calls than in products."""
    waiting: list[Block] = []
    size = 0
    for block in blocks:
        waiting.append(block)
        size += block.components.nbytes
        if size >= BLOCK_BYTES:
            yield _one(waiting)
            waiting, size = [], 0
    if waiting:
        yield _one(waiting)


def _one(blocks: Sequence[Block]) -> Block:
    if len(blocks) == 1:
        return blocks[0]
    return Block(
        np.concatenate([block.positions for block in blocks]),
        np.concatenate([block.components for block in blocks]),
        np.concatenate([block.squares for block in blocks]),
        min(block.least for block in blocks),
        max(block.largest for block in blocks),
    )


def _cosines(block: Block, asked: NDArray[np.int8], square: int) -> Floats:
    # By Cauchy and Schwarz no partial sum is beyond this; kernel.vectors keeps to it, whoever else put vectors may not.
    is_exact = square * block.largest <= float(EXACT_MAX) ** 2
    wide = np.float32 if is_exact else np.float64
    products = np.matmul(block.components.astype(wide), asked.astype(wide)).astype(np.float64)
    lengths = np.sqrt(block.squares * float(square))
    # Adding 0.0 makes the sum of nothing but negative zeros an ordinary zero.
    cosines: Floats
    if square and block.least:
        cosines = products / lengths + 0.0
    else:
        cosines = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0) + 0.0
    return cosines


def _blocks(run: Run, shelf: Shelf | None, group: tuple[int, ...], changed: int) -> Iterator[Block]:
    kept: tuple[Block, ...] | None = None if shelf is None else shelf.get(group, changed)
    if kept is not None:
        yield from kept
        return
    loaded: list[Block] = []
    size = 0
    for block in _load(run, group):
        yield block
        size += block.size
        if size <= ENTRY_BYTES_MAX:
            loaded.append(block)
        else:
            loaded.clear()
    if shelf is not None and size <= ENTRY_BYTES_MAX:
        shelf.put(group, changed, tuple(loaded), size)


def _load(run: Run, group: tuple[int, ...]) -> Iterator[Block]:
    dimensions = group[-1]
    rows: Iterator[Row] = iter(run(Q["vectors_in_group"], group))
    while page := list(islice(rows, max(1, BLOCK_BYTES // dimensions))):
        joined = b"".join([each for _, each in page])
        components = np.frombuffer(joined, dtype=np.int8).reshape(len(page), dimensions)
        wide = components.astype(np.float64)
        squares: Floats = np.einsum("ij,ij->i", wide, wide)
        positions = np.array([position for position, _ in page], dtype=np.int64)
        yield Block(positions, components, squares, float(squares.min()), float(squares.max()))


def _best(positions: Positions, similarities: Floats, count: int) -> NDArray[np.intp]:
    """The places of the `count` nearest, the nearest first, of equal ones the newest."""
    if count <= 0:
        return np.empty(0, dtype=np.intp)
    if len(similarities) <= SORTED_MAX:
        return np.lexsort((-positions, -similarities))[:count]
    places = np.arange(len(similarities))
    if count < len(similarities):
        # All that equal the last one taken are looked at: which of them is the newest decides.
        last = np.partition(similarities, len(similarities) - count)[len(similarities) - count]
        places = np.flatnonzero(similarities >= last)
    order = np.lexsort((-positions[places], -similarities[places]))
    return places[order][:count]


def _those_at(passing: Positions, near: Near) -> Near:
    """The rows at these positions, which are in order and not none."""
    positions, similarities = near
    # What numpy.isin does, without its choosing how, which takes longer than the rows of most users.
    places = np.minimum(np.searchsorted(passing, positions), len(passing) - 1)
    left = np.flatnonzero(passing[places] == positions)
    return positions[left], similarities[left]


def _hits_among(rows: Sequence[Row], near: Near, limit: int) -> tuple[NearHit, ...]:
    """The `limit` nearest of these rows."""
    if not rows:
        return ()
    of = {row[0]: row for row in rows}
    positions, similarities = _those_at(np.array(sorted(of), dtype=np.int64), near)
    places = _best(positions, similarities, limit)
    nearest_of = zip(positions[places].tolist(), similarities[places].tolist(), strict=True)
    return tuple([NearHit._make((*of[position], similarity)) for position, similarity in nearest_of])


def _hits(query: FilteredRows, near: Near, places: NDArray[np.intp], limit: int) -> tuple[NearHit, ...]:
    """The first `limit` that pass the filter, in the order given."""
    positions, similarities = near
    chosen: list[int] = positions[places].tolist()
    rows = {row[0]: row for row in query.rows("filtered_rows_at", json_list(chosen))}
    tried = zip(chosen, similarities[places].tolist(), strict=True)
    passing = [(*rows[position], similarity) for position, similarity in tried if position in rows]
    return tuple(map(NearHit._make, passing[:limit]))
