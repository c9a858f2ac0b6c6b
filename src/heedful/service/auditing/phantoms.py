"""Phantoms: claims that nothing but an agent's own word, or no word at all, supports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from heedful.claims.claim import Claim, Form
from heedful.claims.projections.projector import TOLD_BY
from heedful.claims.support import unsupported
from heedful.kernel.ids import ClaimId, RecordId
from heedful.ledger.events import ClaimProposed
from heedful.ledger.opened import opened
from heedful.observations.record import Record, SourceGrade
from heedful.ports.store import Chain, Reading
from heedful.service.session import Session

STEPS_MAX = 32
"""So many steps what a record was made from is followed."""
_MADE = frozenset({SourceGrade.AGENT, SourceGrade.SUMMARY})
_FIRST_PARTY = frozenset({SourceGrade.USER, SourceGrade.OPERATOR, SourceGrade.SYSTEM})
OWN_WORD = "nothing but an agent's own word stands behind it"


@dataclass(frozen=True, slots=True)
class Phantom:
    """A claim that its evidence does not support, and why."""

    claim_id: ClaimId
    reason: str


def phantoms_among(session: Session, reading: Reading, claims: Sequence[Claim]) -> tuple[Phantom, ...]:
    """Those of the claims that their evidence does not support.

    What an agent or a summary says supports nothing by itself: what it was made from is read in its place. A value that
    a person gave with words of their own, or that a fixed rule read out of those, is theirs and not looked for. What a
    projector read out of a record is in the registry's words, and stands on that record.
    """
    records = _with_origins(reading, claims)
    found = []
    for claim in claims:
        grounds = list(_grounds(claim.evidence, records))
        own = any(record.grade in _FIRST_PARTY and record.principal == claim.proposed_by for record in grounds)
        texts = [text for record in grounds for text in _texts(session, record)]
        reason = OWN_WORD
        if grounds:
            reason = unsupported(claim, texts, value_is_given=own) or ""
        if reason and not (grounds and _is_projected(reading, claim)):
            found.append(Phantom(claim.claim_id, reason))
    return tuple(found)


def _is_projected(reading: Reading, claim: Claim) -> bool:
    """True where a projector read the claim out of its record, by the event that proposed it."""
    sealed = reading.event(Chain.LEDGER, claim.position) if claim.form is Form.STATE else None
    if sealed is None or sealed.payload is None:
        return False
    event = opened(sealed)
    return isinstance(event, ClaimProposed) and (event.told_by or "").startswith(TOLD_BY)


def _with_origins(reading: Reading, claims: Sequence[Claim]) -> dict[RecordId, Record]:
    """The evidence of these claims, and what that was made from, where it was made; one statement a step."""
    records: dict[RecordId, Record] = {}
    wanted = list(dict.fromkeys(each for claim in claims for each in claim.evidence))
    for _ in range(STEPS_MAX):
        stored = reading.records_by_ids(wanted)
        records |= {each.record.record_id: each.record for each in stored}
        origins = (origin for each in stored if each.record.grade in _MADE for origin in each.record.derived_from)
        wanted = [origin for origin in dict.fromkeys(origins) if origin not in records]
        if not wanted:
            break
    return records


def _grounds(evidence: Sequence[RecordId], records: Mapping[RecordId, Record]) -> Iterator[Record]:
    """The records that say something by themselves, each once."""
    waiting, seen = list(evidence), set[RecordId]()
    while waiting:
        record = records.get(waiting.pop())
        if record is None or record.record_id in seen:
            continue
        seen.add(record.record_id)
        if record.grade in _MADE:
            waiting += record.derived_from
        else:
            yield record


def _texts(session: Session, record: Record) -> Iterator[str]:
    """What a record says: its text, its attributes and subjects, and when it was."""
    yield session.text_of(record) or ""
    yield " ".join(f"{name} {value}" for name, value in record.attributes)
    yield " ".join(f"{subject.type} {subject.id}" for subject in record.subjects)
