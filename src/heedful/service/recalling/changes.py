"""Changes: what was before the claims of an answer, and what became of the grounds of those that are out of date.

One statement for all of them, and none where no claim can have changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.compare import are_comparable, are_equal
from heedful.claims.lifecycle import is_changing
from heedful.evidence.items import currency_of, value_text
from heedful.evidence.packet import Change
from heedful.kernel.times import format_time
from heedful.ports.store import Reading, Visible
from heedful.service.belief.weigh import comparator_of
from heedful.service.session import Session
from heedful.service.sight import visible_in

BESIDE_MAX = 200
"""Claims beside those of an answer that are looked at, the newest."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What is known of changes.

    Attributes:
        of: claim -> the change that it came with, or that left it out of date.
        old_records: record -> the change by which what it tells is no longer so.
    """

    of: Mapping[str, Change] = field(default_factory=dict)
    old_records: Mapping[str, Change] = field(default_factory=dict)


NO_CHANGES = Changes()


def changes_among(session: Session, reading: Reading, visible: Visible, claims: Iterable[Claim]) -> Changes:
    """The changes of these claims, as far as what was before, and what they rest on, is visible."""
    known = {claim.claim_id: claim for claim in claims}
    current = [
        each for each in known.values() if each.ended_us is None and not is_changing(each) and _compares(session, each)
    ]
    changing = [each for each in known.values() if is_changing(each)]
    asked = [each.claim_id for each in current] + [ground for each in changing for ground in each.rests_on]
    if not asked:
        return NO_CHANGES
    beside = reading.claims_beside(visible, asked, limit=BESIDE_MAX)
    found: dict[str, Change] = {}
    old: dict[str, Change] = {}
    live = {
        record_id for each in (*beside, *current) if each.status is ClaimStatus.ACTIVE for record_id in each.evidence
    }
    for claim in current:
        before = _before(session, claim, beside)
        if before:
            found[claim.claim_id] = _change(before[0], claim)
            # Each of the earlier values is told by its own records; all of them are over by what holds now.
            old |= {each: _change(one, claim) for one in before for each in one.evidence if each not in live}
    for claim in changing:
        found[claim.claim_id] = _ground_change(session, claim, beside)
        old |= {each: found[claim.claim_id] for each in claim.evidence if each not in live}
    return Changes(found, old)


def currency_told(session: Session, reading: Reading, claim: Claim) -> dict[str, object]:
    """Whether the claim holds now, and the change that it came with or left it out of date, as JSON values."""
    if claim.status is ClaimStatus.ACTIVE or claim.ended_us is not None or is_changing(claim):
        change = changes_among(session, reading, visible_in(session, (claim.scope,)), [claim]).of.get(claim.claim_id)
        return {"currency": currency_of(claim), "change": None if change is None else msgspec.to_builtins(change)}
    return {"currency": None, "change": None}


def _compares(session: Session, claim: Claim) -> bool:
    return comparator_of(session, claim) is not None


def _before(session: Session, claim: Claim, beside: Sequence[Claim]) -> list[Claim]:
    """The claims of another value that it took the place of, the last first."""
    comparator = comparator_of(session, claim)
    if comparator is None:
        return []
    found = [
        each
        for each in beside
        if each.ended_us is not None
        and are_comparable(each, claim, comparator)
        and not are_equal(each.value, claim.value, comparator)
    ]
    return sorted(found, key=lambda each: (not each.valid.is_empty, each.ended_us or 0, each.position), reverse=True)


def _change(old: Claim, new: Claim) -> Change:
    is_corrected = old.valid.is_empty
    at_us = new.known_from_us if is_corrected or new.valid_from_us is None else new.valid_from_us
    return Change(
        how="corrected" if is_corrected else "changed",
        subject=new.subject,
        property=new.property,
        old_value=value_text(old.value),
        new_value=value_text(new.value),
        at=format_time(at_us),
        record_id=new.evidence[0],
        old_claim_id=old.claim_id,
    )


def _ground_change(session: Session, claim: Claim, beside: Sequence[Claim]) -> Change:
    """What it rested on that stands no longer, and what holds there now, as far as both are seen."""
    grounds = [each for each in beside if each.claim_id in claim.rests_on and each.status is not ClaimStatus.ACTIVE]
    if not grounds:
        return Change("ground", "", "", None, None, None, None, None)
    ground = grounds[0]
    comparator = comparator_of(session, ground)
    now = next(
        (
            each
            for each in beside
            if each.status is ClaimStatus.ACTIVE
            and comparator is not None
            and are_comparable(ground, each, comparator)
            and not are_equal(ground.value, each.value, comparator)
        ),
        None,
    )
    told = None if now is None else _change(ground, now)
    return Change(
        how="ground",
        subject=ground.subject,
        property=ground.property,
        old_value=value_text(ground.value),
        new_value=None if told is None else told.new_value,
        at=None if told is None else told.at,
        record_id=None if told is None else told.record_id,
        old_claim_id=ground.claim_id,
    )
