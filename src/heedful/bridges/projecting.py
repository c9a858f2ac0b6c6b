"""Projectors of a registry: made from its body at once, and ready to match when first asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from heedful.claims.projections.calls import ProjectorIndex
from heedful.claims.projections.projector import Pattern, Projector
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.ids import KindId
from heedful.kernel.ladder import Assurance

RECORD_TYPES = ("tool_result", "observation")
"""What a projector reads that names no types of record."""

_Entry = Mapping[str, Any]


class Projectors(Mapping[str, Projector]):
    """The projectors by id, in order of id. Most stores are opened for something else, so each is made when asked for.

    Two are equal where they were made of equal entries.
    """

    def __init__(self, entries: Mapping[str, _Entry]) -> None:
        """Those of these entries, which have the schema's form."""
        self._entries = dict(sorted(entries.items()))
        self._made: dict[str, Projector] = {}
        self._index: ProjectorIndex | None = None

    def __getitem__(self, projector_id: str) -> Projector:
        """The projector of that id."""
        if projector_id not in self._made:
            self._made[projector_id] = projector_of(projector_id, self._entries[projector_id])
        return self._made[projector_id]

    def __iter__(self) -> Iterator[str]:
        """The ids, in order."""
        return iter(self._entries)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._entries)

    def __eq__(self, other: object) -> bool:
        """True where the entries are equal."""
        return isinstance(other, Projectors) and other._entries == self._entries

    __hash__ = None  # type: ignore[assignment]  # as of every mapping

    def __repr__(self) -> str:
        """The ids alone."""
        return f"Projectors({list(self)})"

    @property
    def index(self) -> ProjectorIndex:
        """What finds those that read an output. Two threads may make it at once; either is right."""
        if self._index is None:
            self._index = ProjectorIndex(self.values())
        return self._index


def projector_of(key: str, entry: _Entry) -> Projector:
    """The projector of a merged entry."""
    schema = entry.get("schema")
    return Projector(
        id=key,
        description=entry["description"],
        tools=tuple(entry["tools"]),
        record_types=tuple(entry.get("record_types", RECORD_TYPES)),
        kind=KindId(entry["kind"]),
        schema_json=None if "jmespath" not in entry or schema is None else canonical_bytes(schema).decode(),
        each=entry.get("each"),
        selectors=_pairs(entry, "jmespath"),
        patterns=_patterns(entry.get("pattern", ())),
        call=_pairs(entry, "call"),
        defaults=_pairs(entry, "defaults"),
        subject=entry["subject"],
        property=entry["property"],
        value=entry["value"],
        environment=entry.get("environment"),
        valid_from=entry.get("valid_from"),
        values=entry.get("values"),
        failures=tuple(entry.get("failures", ())),
        assurance=Assurance(entry.get("assurance", Assurance.REPORTED)),
        expires_seconds=entry.get("expires_seconds"),
        pack=entry["pack"],
    )


def _pairs(entry: _Entry, field: str) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(entry.get(field, {}).items()))


def _patterns(written: str | list[_Entry] | tuple[()]) -> tuple[Pattern, ...]:
    if isinstance(written, str):
        return (Pattern(written, None),)
    return tuple(Pattern(each["match"], each.get("value")) for each in written)
