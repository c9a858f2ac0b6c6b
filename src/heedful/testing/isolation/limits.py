"""Limits of the product, made small, so that worlds of a few dozen rows meet them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from heedful.adapters.storage.sqlite import writing
from heedful.service import bearing, review
from heedful.service.acting import approve_action
from heedful.service.belief import place_states
from heedful.service.governing import propose_bridge
from heedful.service.keeping import keep
from heedful.service.learning import gotchas, gotchas_held, mine_workflows, provisional, read_run
from heedful.service.recalling import (
    candidates,
    causes,
    causes_near,
    experience,
    explain_state,
    grounds_first,
    in_mind,
    recall,
    state,
)

SMALL_LIMITS: tuple[tuple[object, str, int], ...] = (
    (candidates, "MATCHES_MAX", 12),
    (candidates, "NEAR_MAX", 8),
    (candidates, "CANDIDATES_MAX", 6),
    (candidates, "CROWDED_MAX", 10),
    (grounds_first, "PLACES_MAX", 4),
    (grounds_first, "EVENTS_SHOWN_MAX", 8),
    (in_mind, "DECISION_STATES_MAX", 1),
    (in_mind, "UNREVIEWED_MAX", 1),
    (recall, "RULES_MAX", 1),
    (in_mind, "ENDED_MAX", 2),
    (in_mind, "NEAR_CLAIMS_MAX", 2),
    (review, "QUEUE_MAX", 2),
    (approve_action, "VERDICTS_SEEN_MAX", 3),
    (approve_action, "APPROVALS_TOLD_MAX", 2),
    (bearing, "BEARING_MAX", 2),
    (bearing, "BEARING_PAGES_MAX", 2),
    (keep, "CAPTURED_LOOKED_AT_MAX", 2),
    (writing, "PENDING_ROWS_MAX", 16),
    (state, "STATES_MAX", 4),
    (explain_state, "LOOKED_AT_MAX", 2),
    (place_states, "PEERS_MAX", 4),
    (causes, "CAUSAL_EVENTS_MAX", 6),
    (causes_near, "NEWEST_MAX", 12),
    (causes_near, "RUN_RECORDS_MAX", 8),
    (causes_near, "NAMING_MAX", 4),
    (experience, "EVENTS_MAX", 16),
    (gotchas, "MINED_RECORDS_MAX", 16),
    (gotchas, "OBSERVED_MAX", 4),
    (gotchas_held, "HELD_MAX", 1),
    (provisional, "RETIRED_LOOKED_AT_MAX", 2),
    (mine_workflows, "MINED_RECORDS_MAX", 24),
    (mine_workflows, "PAGE_RECORDS", 8),
    (mine_workflows, "PROPOSALS_LOOKED_AT_MAX", 2),
    (propose_bridge, "PROPOSALS_MAX", 2),
    (read_run, "RUN_RECORDS_MAX", 24),
    (read_run, "PAGE_RECORDS", 8),
)
"""Limits of the product and what they are made, so that a world of a few dozen rows meets every one of them."""


@contextmanager
def small_limits() -> Iterator[None]:
    """Within the block the product's limits are those of SMALL_LIMITS, for one process."""
    before = [(place, name, getattr(place, name)) for place, name, _ in SMALL_LIMITS]
    try:
        for place, name, limit in SMALL_LIMITS:
            setattr(place, name, limit)
        yield
    finally:
        for place, name, limit in before:
            setattr(place, name, limit)
