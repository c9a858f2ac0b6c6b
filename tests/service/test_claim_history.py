"""Whom a claim's status says that it ended for."""

from __future__ import annotations

import pytest

from heedful.claims.decide import Because
from heedful.claims.lifecycle import ANSWERED, CORRECTED, MERGED
from heedful.service.belief.claim_history import ended_by
from heedful.testing.builders import build_claim


@pytest.mark.parametrize(
    "reason",
    [
        f"{MERGED}c-1, which says the same",
        f"{CORRECTED}c-1: a typo",
        f"{ANSWERED}claim c-1 is so: I asked",
        "promoted: claim c-1 says it outside of the task",
        *(f"{because}: claim c-1 says otherwise" for because in Because),
    ],
)
def test_what_heedful_notes_tells_who_ended_a_claim(reason: str) -> None:
    """By its id."""
    assert ended_by(build_claim(status_reason=reason)) == "c-1"


@pytest.mark.parametrize(
    "reason",
    [f"{ANSWERED}neither is so: claim c-1", "fine: claim c-1 is right: replaced by c-3", "it lost 3 conflicts"],
)
def test_what_a_person_writes_tells_nobody(reason: str) -> None:
    """Or whoever gives a reason could have a claim come back with another one's end."""
    assert ended_by(build_claim(status_reason=reason)) is None
