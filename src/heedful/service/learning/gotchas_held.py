"""Gotchas held: what a scope has of them already, standing or ended, with which a miner compares what it sees."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.claims.claim import TO_ACTIVE, Claim, ClaimStatus
from heedful.claims.projections.experience import EXPERIENCE_FORMS
from heedful.kernel.ladder import Tier
from heedful.ports.store import Reading, Visible
from heedful.service.session import Session

HELD_MAX = 1_000
"""Gotchas of the scope that are compared with: so many that stand, and so many that ended, the newest of each."""
ENDED = (ClaimStatus.REVOKED, ClaimStatus.SUPERSEDED)


def gotchas_held(session: Session, reading: Reading, visible: Visible) -> tuple[tuple[Claim, ...], bool]:
    """Those that ended and then those that stand, each in ledger order; and whether there are more of either."""
    ended, live = (_newest(session, reading, visible, statuses) for statuses in (ENDED, TO_ACTIVE))
    held = (*reversed(ended[:HELD_MAX]), *reversed(live[:HELD_MAX]))
    is_cut = max(len(ended), len(live)) > HELD_MAX
    return tuple(claim for claim in held if claim.form in EXPERIENCE_FORMS), is_cut


def _newest(session: Session, reading: Reading, visible: Visible, statuses: Sequence[ClaimStatus]) -> tuple[Claim, ...]:
    kinds = (kind.id for kind in session.registry.vocabulary.kinds.values() if kind.form in EXPERIENCE_FORMS)
    return reading.claims(
        visible,
        statuses=statuses,
        kinds=sorted(kinds),
        visibility=None,
        tier_min=Tier.UNVERIFIED,
        valid_at_us=None,
        limit=HELD_MAX + 1,
        newest_first=True,
    )
