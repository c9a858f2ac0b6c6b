"""Gotcha draft: what a failure that was seen again is proposed as, and which records are its supporting events."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from heedful.bridges.vocabulary import Kind
from heedful.claims.projections.experience import INDEPENDENT_MIN
from heedful.kernel.digest import sha256_hex
from heedful.kernel.times import format_time
from heedful.observations.record import Record
from heedful.service.keeping.propose import ClaimDraft
from heedful.service.learning.failures_seen import Failure

EVIDENCE_MAX = 12
"""Supporting events that a proposal names; at least one of each independent observation goes first."""
_SURE, _UNSURE = 0.8, 0.5
"""Confidence of what two independent observations tell, and of what one run alone does. Our own figures."""


def property_of(failure: Failure) -> str:
    """With the subject, what tells this failure from others."""
    return "failure-" + sha256_hex(f"{failure.environment}/{failure.signature}".encode())[:16]


def spread(groups: Sequence[Sequence[Record]]) -> tuple[Record, ...]:
    """At most EVIDENCE_MAX records, the latest first of each group in turn."""
    latest = [sorted(group, key=lambda one: (-one.occurred.at_us, one.record_id)) for group in groups]
    rounds = (each for turn in zip_longest(*latest) for each in turn if each is not None)
    return tuple(each for each, _ in zip(rounds, range(EVIDENCE_MAX), strict=False))


def gotcha_draft(kind: Kind, failure: Failure, evidence: Sequence[Record], count: int, *, until_us: int) -> ClaimDraft:
    """The draft of a failure that `count` independent observations tell; it lives until `until_us`."""
    where = f" in {failure.environment}" if failure.environment else ""
    since_us = min(record.occurred.at_us for record in evidence)
    seen = f"seen in {count} independent runs" if count >= INDEPENDENT_MIN else "seen in one run only"
    return ClaimDraft(
        kind=kind.id,
        statement=f"{failure.subject}{where} fails with: {failure.told} ({seen}, first {format_time(since_us)})",
        subject=failure.subject,
        property=property_of(failure),
        # A gotcha's value is what would show that it does not hold.
        value=f"does {failure.subject}{where} succeed when it is tried again?",
        form=None,
        applies_to=None,
        not_for=None,
        since_us=since_us,
        until_us=until_us,
        confidence=_SURE if count >= INDEPENDENT_MIN else _UNSURE,
        told_by="gotcha miner 1",
    )
