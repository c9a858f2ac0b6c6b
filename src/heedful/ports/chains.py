"""Chains read as a whole: what verifying, checkpoints and proofs need, with as little around it as there can be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from heedful.ledger.pages import EventRow
from heedful.ports.rows import Chain


class ChainReader(Protocol):
    """Events in order, many at a time."""

    def event_pages(self, chain: Chain, *, after: int = 0) -> Iterator[Sequence[EventRow]]:
        """The events above position `after`, ascending, in pages of at most some hundreds; after 0: all that there are.

        A page is not empty.
        """
        ...

    def leaves(self, chain: Chain, first: int, end: int) -> list[bytes]:
        """The digests at the indexes from `first` (counted from 0) to before `end`; fewer where the chain ends before.

        Nothing else of the events is read.
        """
        ...
