"""Collection: which claims nobody misses, and which are kept however little they are used. Pure."""

from __future__ import annotations

from collections.abc import Callable

from heedful.claims.claim import Claim, ClaimStatus, Form, Visibility
from heedful.kernel.ids import KindId
from heedful.kernel.ladder import Tier

UNUSED_DAYS = 30
CONFIDENCE_BELOW = 0.4
"""A claim is archived when it was not used for so many days, and its confidence is below this."""


def is_spared(claim: Claim, *, may_deny: Callable[[KindId], bool]) -> bool:
    """True for what no collection takes: pinned, of a person's or the system's authority, asked about, or a guard.

    A guard is a constraint, or a decision state of a kind that may deny an action or where forgetting hurts most,
    which `may_deny` tells: that it was not needed for a month is no sign that it won't be.
    """
    return (
        claim.pinned
        or claim.tier.value >= Tier.OPERATOR.value
        or claim.conflicts_open > 0
        or claim.form is Form.CONSTRAINT
        or (claim.visibility is Visibility.PRE_QUERY and may_deny(claim.kind))
    )


def is_faint(claim: Claim, *, confidence_below: float) -> bool:
    """True for an active claim of which one is not sure enough to keep it unused."""
    return claim.status is ClaimStatus.ACTIVE and claim.confidence < confidence_below
