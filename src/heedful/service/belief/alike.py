"""Alike: what waits for review and may say the same as another claim in other words: a hint to people, and no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heedful.bridges.over import REPEATED_SHARE, terms_of
from heedful.claims.claim import UNREVIEWED, Claim, ClaimStatus
from heedful.kernel.ids import ClaimId
from heedful.kernel.ladder import Tier
from heedful.ports.store import Reading, Visible

HELD_MAX = 1_000
"""Active claims of the kinds that wait, the oldest, that are looked at."""
COMPARED_MAX = 50
"""Of one kind, subject, scope and classification, the newest: so many are compared with each that waits."""


@dataclass(frozen=True, slots=True)
class Alike:
    """A claim that waits, and the one that it may be the same as; nothing is ever merged by likeness."""

    claim_id: ClaimId
    same_as: ClaimId


def likely_the_same(reading: Reading, visible: Visible, waiting: Sequence[Claim]) -> tuple[Alike, ...]:
    """For each claim that waits the nearest other one of which it has most words, of its kind, subject and scope.

    Of two that wait the later is named with the earlier. In the order of the claims; nothing is read where none waits.
    """
    told = [claim for claim in waiting if claim.status in UNREVIEWED]
    if not told:
        return ()
    held = reading.claims(
        visible,
        statuses=(ClaimStatus.ACTIVE,),
        kinds=tuple(sorted({claim.kind for claim in told})),
        visibility=None,
        tier_min=Tier.UNVERIFIED,
        valid_at_us=None,
        limit=HELD_MAX,
    )
    groups: dict[tuple[str, ...], list[Claim]] = {}
    for claim in (*held, *told):
        groups.setdefault(_group(claim), []).append(claim)
    found = ((claim, _nearest(claim, groups[_group(claim)][-COMPARED_MAX:])) for claim in told)
    return tuple(Alike(claim.claim_id, other.claim_id) for claim, other in found if other is not None)


def _group(claim: Claim) -> tuple[str, ...]:
    return (claim.kind, claim.subject, claim.property, claim.scope.key, claim.classification.value)


def _nearest(claim: Claim, others: Sequence[Claim]) -> Claim | None:
    """The one before it that has the most words of it, from REPEATED_SHARE of both on."""
    words = terms_of(claim.statement)
    best, share = None, 0.0
    for other in others:
        is_before = other.status is ClaimStatus.ACTIVE or other.position < claim.position
        if not is_before or other.claim_id == claim.claim_id or other.value != claim.value:
            continue
        theirs = terms_of(other.statement)
        common = len(words & theirs) / max(1, len(words | theirs))
        if common >= max(share, REPEATED_SHARE):
            best, share = other, common
    return best
