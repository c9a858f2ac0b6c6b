"""Finding: what one rule of the gate says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from heedful.gate.requirements import Matter
from heedful.gate.verdict import Missing, Ruling
from heedful.kernel.ids import RecordId
from heedful.kernel.ladder import Decision, Mode


@dataclass(frozen=True, slots=True)
class Finding:
    """What one rule says.

    Attributes:
        missing: what would have to be there; None: nothing is missing.
        since_us: an approval must be at least as new as this to answer it, UTC microseconds.
    """

    ruling: Ruling
    missing: Missing | None
    since_us: int


Rule = Callable[[Matter], Iterator[Finding]]


def finding(
    rule: str,
    decision: Decision,
    reason: str,
    *,
    mode: Mode = Mode.ENFORCE,
    missing: Missing | None = None,
    claim_id: str | None = None,
    evidence: tuple[RecordId, ...] = (),
    since_us: int = 0,
) -> Finding:
    """The finding of a rule; without `mode` it counts, whatever is set."""
    return Finding(Ruling(rule, decision, mode, reason, claim_id, evidence), missing, since_us)
