"""Items of one run, in their order: what every importer hands out, made the same way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

from heedful.integrations.importers.values import JSON_MEDIA, TEXT_MEDIA, Attributes, plain_name, short_name
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.digest import sha256_hex
from heedful.kernel.times import SourceTime
from heedful.observations.record import RecordType, SourceGrade, Subject
from heedful.ports.importer import ImportedItem

COPIED = "copied"
"""The flag of context that was copied from elsewhere: no new evidence, nor anybody's word here."""
_OWN_CHARACTERS_MAX = 128
_DIGEST_CHARACTERS = 32


class Fields(TypedDict, total=False):
    """What an item may have besides; `derived_from` are the trace's own names of other items of the run."""

    line_number: int
    occurred: SourceTime | None
    speaker: str | None
    attributes: Attributes
    subjects: Sequence[Subject]
    flags: Sequence[str]
    derived_from: Sequence[object]


@dataclass(slots=True)
class RunItems:
    """Makes the items of one run, numbered by the order in which they are made.

    `own` is the trace's own name of an item, unique in its run: a second import must find it again.

    Attributes:
        source: the format's name, the beginning of every reference.
        run_id: the trace's own name of the run; a digest of it where it may not stand as a name.
        sequence: of the next item, from 0.
    """

    source: str
    run_id: str
    sequence: int = 0

    def __post_init__(self) -> None:
        """The run's name may be anything in the trace."""
        self.run_id = _named(self.run_id)

    def ref(self, own: object) -> str:
        """The stable reference of what the trace itself calls so, unique in the tenant."""
        return f"{self.source}:{self.run_id}:{_named(own)}"

    def text(
        self,
        own: object,
        kind: str,
        record_type: RecordType,
        grade: SourceGrade,
        text: str,
        **fields: Unpack[Fields],
    ) -> ImportedItem:
        """The next item, of plain text."""
        content = text.encode("utf-8", "backslashreplace")
        return self.held(own, kind, record_type, grade, content, media_type=TEXT_MEDIA, **fields)

    def raw(
        self,
        own: object,
        kind: str,
        record_type: RecordType,
        grade: SourceGrade,
        value: Any,
        **fields: Unpack[Fields],
    ) -> ImportedItem:
        """The next item, kept as canonical JSON."""
        return self.held(own, kind, record_type, grade, canonical_bytes(value), media_type=JSON_MEDIA, **fields)

    def unknown(self, own: object, sort: object, value: Any, **fields: Unpack[Fields]) -> ImportedItem:
        """The next item: something of a type that is not known, kept raw under `unknown:<type>`."""
        kind = f"unknown:{short_name(sort)}"
        return self.raw(own, kind, RecordType.OBSERVATION, SourceGrade.TOOL, value, **fields)

    def held(
        self,
        own: object,
        kind: str,
        record_type: RecordType,
        grade: SourceGrade,
        content: bytes,
        *,
        media_type: str,
        **fields: Unpack[Fields],
    ) -> ImportedItem:
        """The next item, of any bytes, such as a picture."""
        place, self.sequence = self.sequence, self.sequence + 1
        flags = fields.get("flags", ())
        return ImportedItem(
            line_number=fields.get("line_number", 1),
            source_ref=self.ref(own),
            kind=kind,
            type=record_type,
            grade=SourceGrade.SUMMARY if COPIED in flags else grade,
            speaker=fields.get("speaker"),
            content=content,
            media_type=media_type,
            occurred=fields.get("occurred"),
            run_id=self.run_id,
            sequence=place,
            subjects=tuple(fields.get("subjects", ())),
            attributes=fields.get("attributes", ()),
            derived_from_refs=tuple(self.ref(each) for each in fields.get("derived_from", ())),
            flags=tuple(sorted(set(flags))),
        )


def _named(value: object) -> str:
    """The value as a name, or a digest of it where it may not be one."""
    text = str(value)
    digest = sha256_hex(text.encode("utf-8", "surrogatepass"))[:_DIGEST_CHARACTERS]
    return plain_name(text, characters_max=_OWN_CHARACTERS_MAX) or digest
