"""Passages: the text of a search row that an embedder reads, the same whenever it is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from heedful.claims.claim import Claim
from heedful.kernel.ids import ClaimId, RecordId
from heedful.observations.record import Record
from heedful.ports.embedder import PASSAGE_CHARACTERS_MAX, CutText
from heedful.ports.store import Reading, SearchRow

TextOf = Callable[[Record], str | None]


def record_passage(text: str, words: tuple[str, ...] | None = None) -> str:
    """Of a record's text, as much as a model reads; `words`: its search tokens, where they were cut already."""
    if words is None or len(text) > PASSAGE_CHARACTERS_MAX or not text.isascii():
        return text[:PASSAGE_CHARACTERS_MAX]
    passage = CutText(text)
    passage.words = words
    return passage


def claim_passage(claim: Claim) -> str:
    """Of what a claim is found by, as much as a model reads."""
    return claim_search_text(claim)[:PASSAGE_CHARACTERS_MAX]


def claim_search_text(claim: Claim) -> str:
    """What a claim is found by: what it says, and of what."""
    return f"{claim.statement}\n{claim.subject} {claim.kind} {claim.property} {claim.value}"


def passages_of(text_of: TextOf, reading: Reading, rows: Sequence[SearchRow]) -> dict[int, str]:
    """Position -> passage, for those of the rows that have one.

    Raises:
        FaultError, NotFoundError, UnavailableError: see Session.text_of.
    """
    record_ids = [RecordId(row.item_id) for row in rows if row.item == "record"]
    records = {each.record.record_id: each.record for each in reading.records_by_ids(record_ids)}
    passages: dict[int, str] = {}
    for row in rows:
        if row.item == "claim":
            claim = reading.claim(ClaimId(row.item_id))
            if claim is not None:
                passages[row.position] = claim_passage(claim)
            continue
        record = records.get(RecordId(row.item_id))
        text = None if record is None else text_of(record)
        if text is not None:
            passages[row.position] = record_passage(text)
    return passages
