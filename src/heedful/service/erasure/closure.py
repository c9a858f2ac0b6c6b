"""Closure: everything that goes with what is to be erased, and why; whoever may see it.

Records that were made from those that go, at any depth; claims that were proposed with one of them, whoever else says
the same; conflicts of those claims; proposals that name any of it. What a hold keeps stays, and is set apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from heedful.claims.claim import Claim
from heedful.claims.conflict import Conflict
from heedful.claims.merge import Merge
from heedful.kernel.ids import ClaimId, RecordId
from heedful.ledger.events import ClaimProposed
from heedful.ports.store import Chain, Reading, StoredProposal, StoredRecord
from heedful.service.erasure.select import Held, Seeds
from heedful.service.erasure.shown import ids_of_proposal
from heedful.service.project import event_of

RECORDS_MAX = 5_000
"""Records that one transaction takes, over any number of steps; where more go, they are several. See erase_whole."""
PROPOSALS_MAX = 100_000
_STATUSES = ("waiting", "approved", "rejected")
SELECTED = "selected"
MADE_FROM = "made from what goes"
RESTS_ON = "proposed with what goes"
ABOUT = "about what is selected"
CONFLICT = "a conflict of a claim that goes"
NAMES = "names what goes"


@dataclass(slots=True)
class Closure:
    """What goes, each with its reason.

    Attributes:
        held: records that would go, and that a hold keeps.
        kept: claims that would go, and that a hold keeps, or a record of theirs.
        is_cut: there are more records than are to go at once; nothing else was looked for then.
    """

    records: dict[RecordId, StoredRecord] = field(default_factory=dict)
    claims: dict[ClaimId, Claim] = field(default_factory=dict)
    conflicts: tuple[Conflict, ...] = ()
    proposals: tuple[StoredProposal, ...] = ()
    merges: tuple[Merge, ...] = ()
    held: dict[RecordId, StoredRecord] = field(default_factory=dict)
    kept: dict[ClaimId, Claim] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    is_cut: bool = False

    @property
    def positions(self) -> tuple[int, ...]:
        """Those of the ledger events that brought what goes."""
        brought = (self.records.values(), self.claims.values(), self.conflicts, self.proposals, self.merges)
        return tuple(sorted({each.position for group in brought for each in group}))


def closure_of(reading: Reading, seeds: Seeds, *, holds_count: bool = True, records_max: int | None = None) -> Closure:
    """What goes with these; nothing is changed. Without `holds_count` as if there were no hold.

    With `records_max` no more is looked for where they are more records.
    """
    found = Closure()
    held = Held(reading.holds() if holds_count else ())
    _take_records(reading, found, seeds.records, held, records_max)
    if found.is_cut:
        return found
    _take_claims(reading, found, seeds.claims, held)
    found.conflicts = reading.conflicts_of(list(found.claims), only_open=False) if found.claims else ()
    found.reasons |= {each.conflict_id: CONFLICT for each in found.conflicts}
    found.merges = seeds.merges
    found.reasons |= {each.merge_id: ABOUT for each in found.merges}
    gone = {*found.records, *found.claims}
    found.proposals = tuple(
        each for each in _proposals(reading) if each.proposal_id in gone or ids_of_proposal(each.proposal_json) & gone
    )
    found.reasons |= {each.proposal_id: NAMES for each in found.proposals}
    return found


def made_from(reading: Reading, first: Iterable[RecordId]) -> tuple[RecordId, ...]:
    """The records that were made from these, at any depth, and these: the newest first, so each before its sources."""
    found: dict[RecordId, int] = {}
    asked = list(dict.fromkeys(first))
    while asked:
        for start in range(0, len(asked), RECORDS_MAX):
            page = reading.records_by_ids(asked[start : start + RECORDS_MAX])
            found |= {each.record.record_id: each.position for each in page}
        made = reading.records_from_any(asked)
        asked = [each.record.record_id for each in made if each.record.record_id not in found]
    return tuple(sorted(found, key=lambda each: -found[each]))


def _take_records(
    reading: Reading, found: Closure, first: Iterable[StoredRecord], held: Held, records_max: int | None
) -> None:
    asked = {each.record.record_id: each for each in first}
    reason = SELECTED
    while asked:
        if records_max is not None and len(found.records) + len(asked) > records_max:
            found.is_cut = True
            return
        for record_id, stored in asked.items():
            is_held = bool(held) and held.keeps_record(stored.record)
            (found.held if is_held else found.records)[record_id] = stored
            found.reasons[record_id] = reason
        made = reading.records_from_any(list(asked))
        asked = {
            each.record.record_id: each
            for each in made
            if each.record.record_id not in found.records and each.record.record_id not in found.held
        }
        reason = MADE_FROM
    if held:
        _hold_grounds(reading, found, held)


def _hold_grounds(reading: Reading, found: Closure, held: Held) -> None:
    """What a held claim rests on is held with it."""
    for claim in reading.claims_on_any(list(found.records)):
        if held.keeps_claim(claim):
            for each in claim.evidence:
                if each in found.records:
                    found.held[each] = found.records.pop(each)


def _take_claims(reading: Reading, found: Closure, selected: Iterable[Claim], held: Held) -> None:
    for claim in selected:
        found.reasons[claim.claim_id] = ABOUT
        found.claims[claim.claim_id] = claim
    for claim in reading.claims_on_any([*found.records, *found.held]):
        if claim.claim_id not in found.claims and proposed_with(reading, claim, {*found.records, *found.held}):
            found.claims[claim.claim_id] = claim
            found.reasons[claim.claim_id] = RESTS_ON
    for claim in list(found.claims.values()):
        rests_on_held = bool(found.held) and proposed_with(reading, claim, found.held.keys())
        if rests_on_held or (held and held.keeps_claim(claim)):
            found.kept[claim.claim_id] = found.claims.pop(claim.claim_id)


def proposed_with(reading: Reading, claim: Claim, records: Iterable[RecordId]) -> bool:
    """True where one of the records was among what the claim was proposed with; not where it only corroborated it."""
    among = frozenset(records)
    if among.isdisjoint(claim.evidence):
        return False
    if among.issuperset(claim.evidence):
        return True
    sealed = reading.event(Chain.LEDGER, claim.position)
    event = None if sealed is None or sealed.payload is None else event_of(sealed)
    return not isinstance(event, ClaimProposed) or not among.isdisjoint(event.evidence)


def _proposals(reading: Reading) -> Iterable[StoredProposal]:
    for status in _STATUSES:
        yield from reading.bridge_proposals(status, limit=PROPOSALS_MAX)
