"""Joined: which subjects are one, for a session or for everybody who sees a label."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.claims.claim import Claim
from heedful.claims.merge import NO_JOINS, Joins, Merge, joins_of
from heedful.ports.store import Reading, Visible
from heedful.service.session import Session
from heedful.service.sight import is_within_sight

MERGES_MAX = 500
"""Merges in one scope, and those that one request takes in, the newest."""
ALL_MAX = 10_000
"""Merges of a tenant that are taken in where one is made or undone, the newest."""


def joins_in(reading: Reading, visible: Visible) -> Joins:
    """Which subjects are one for whoever sees this; one statement."""
    merges = reading.merges(visible, only_joined=True, limit=MERGES_MAX)
    return joins_of(merges) if merges else NO_JOINS


def joins_for_all_of(session: Session, merges: Sequence[Merge], claim: Claim) -> Joins:
    """Which subjects are one, of these merges, for everybody who sees the claim: what comes of it is told to them."""
    return joins_of(
        each
        for each in merges
        if claim.classification.at_least(each.classification) and is_within_sight(session, each.scope, claim.scope)
    )
