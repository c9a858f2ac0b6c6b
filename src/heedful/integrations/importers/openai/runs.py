"""Runs: pieces -> items in their order, each output bound to the call that it answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from heedful.integrations.importers.items import RunItems
from heedful.integrations.importers.openai.pieces import Piece
from heedful.integrations.importers.values import Attributes, named
from heedful.kernel.times import SourceTime
from heedful.observations.record import RecordType
from heedful.ports.importer import ImportedItem, ImportProblem

CALL_MISSING = "call-missing"
SUMMARY = "compaction-summary"
DERIVED_FROM_MAX = 1_000
"""A machine summary names at most this many of the messages that it summarises, the newest."""


@dataclass(slots=True)
class Run:
    """One run.

    Attributes:
        calls: by id, the own name and the tool of each call so far, the newest of an id.
        said: the own names of messages since the last summary of them.
    """

    items: RunItems
    calls: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    said: deque[str] = field(default_factory=lambda: deque(maxlen=DERIVED_FROM_MAX))

    def emit(
        self,
        own: str,
        pieces: Sequence[Piece],
        *,
        line_number: int = 1,
        occurred: SourceTime | None = None,
        attributes: Attributes = (),
        usage: Attributes = (),
        flags: tuple[str, ...] = (),
    ) -> Iterator[ImportedItem | ImportProblem]:
        """The items of these pieces, which come of one thing that the trace knows under the name `own`.

        `usage` is an attribute of the last of them alone, so that a sum over items counts it once.
        """
        for place, piece in enumerate(pieces):
            name = own if place == 0 else f"{own}.{place}"
            if piece.problem is not None:
                yield ImportProblem(line_number, *piece.problem)
            more = attributes + usage if place == len(pieces) - 1 else attributes
            yield self._item(name, piece, more, flags, line_number=line_number, occurred=occurred)

    def _item(
        self,
        own: str,
        piece: Piece,
        attributes: Attributes,
        flags: tuple[str, ...],
        *,
        line_number: int,
        occurred: SourceTime | None,
    ) -> ImportedItem:
        derived_from: tuple[str, ...] = ()
        link: Attributes = ()
        if piece.calls is not None:
            self.calls[piece.calls] = (own, piece.tool)
        if piece.answers is not None:
            link = named("call_id", piece.answers)
            call = self.calls.get(piece.answers)
            if call is None:
                flags = (*flags, CALL_MISSING)
            else:
                derived_from, link = (call[0],), link + named("tool", call[1])
        if piece.type is RecordType.MESSAGE:
            if SUMMARY in piece.flags:
                derived_from = tuple(self.said)
                self.said.clear()
            self.said.append(own)
        return self.items.held(
            own,
            piece.kind,
            piece.type,
            piece.grade,
            piece.content,
            media_type=piece.media_type,
            line_number=line_number,
            occurred=occurred,
            speaker=piece.speaker,
            attributes=_once(piece.attributes + link + attributes),
            subjects=piece.subjects,
            flags=piece.flags + flags,
            derived_from=derived_from,
        )


def _once(attributes: Attributes) -> Attributes:
    """Each name once, with its first value."""
    return tuple(dict(reversed(attributes)).items())[::-1]
