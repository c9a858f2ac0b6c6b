"""Claim: a statement with its validity, authority, evidence and status. Never free-floating."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from enum import StrEnum

from heedful.kernel.ids import ActionClassId, ClaimId, KindId, PrincipalId, RecordId, Revision
from heedful.kernel.intervals import Interval
from heedful.kernel.ladder import Classification, Consent, Tier
from heedful.kernel.scope import Scope
from heedful.ledger.events import JsonScalar


class Form(StrEnum):
    """A claim's shape. Forms have different lifetimes and never overwrite each other."""

    FACT = "fact"
    STATE = "state"
    PREFERENCE = "preference"
    PLAN = "plan"
    EVENT = "event"
    INFERENCE = "inference"
    CONSTRAINT = "constraint"
    WORKFLOW = "workflow"
    GOTCHA = "gotcha"
    PREMISE = "premise"


RULE_FORMS = frozenset({Form.CONSTRAINT, Form.WORKFLOW})
"""Forms that tell an agent what to do: data can never become one without a person's approval."""


class ClaimStatus(StrEnum):
    """Where a claim stands; lifecycle.py has the legal moves."""

    PROPOSED = "proposed"
    EVIDENCE_VERIFIED = "evidence-verified"
    POLICY_REVIEWED = "policy-reviewed"
    ACTIVE = "active"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    REVOKED = "revoked"
    QUARANTINED = "quarantined"
    ARCHIVED = "archived"


TO_ACTIVE = (ClaimStatus.PROPOSED, ClaimStatus.EVIDENCE_VERIFIED, ClaimStatus.POLICY_REVIEWED, ClaimStatus.ACTIVE)
"""The way of a claim to where it is believed, step by step."""
UNREVIEWED = frozenset(TO_ACTIVE[:-1])
LIVE = frozenset(TO_ACTIVE)
"""It waits, or is believed; nobody ended it, or put it aside."""

HISTORY = frozenset({ClaimStatus.EXPIRED, ClaimStatus.SUPERSEDED})
"""How a claim ends that held: a read of an instant at which it did finds it there."""


class Visibility(StrEnum):
    """`pre-query`: a decision state, seen before the question. `query`: found only when looked for.

    `held`: erased, but for a hold that keeps it; those alone see it who may hold or audit.
    """

    PRE_QUERY = "pre-query"
    QUERY = "query"
    HELD = "held"


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement that is held because of records.

    Attributes:
        position: of the ledger event that proposed it.
        subject: whom or what it is about (`user:ana`, `project:payments`).
        property: with subject, scope and form, what it says something of; by default the kind.
        value: the value of the property.
        statement: the same for people, one sentence.
        applies_to, not_for: action classes before which it must, and must not, be seen; each covers its descendants.
        valid_from_us, valid_to_us: when it holds in the world, half open, UTC microseconds; None is open.
        known_from_us: when we learned of it.
        evidence: the records that it rests on, never none.
        approvals: who has approved it so far.
        status_reason: why it stands where it stands.
        tier_at_write: the tier that it was proposed with.
        conflicts_lost, conflicts_open: how many it lost to an equal or a higher authority, and how many wait.
        pinned: a person wants it kept as it is.
        confirmed_by: who said that it is so, of those who may speak for its subject.
        rests_on: the claims that it is so only as long as they are.
        approvals_before: who had approved it before what it rests on changed; theirs again where that returns.
        ended_us: when it was superseded or expired after it had been active, known time; None: it never was, or is.
    """

    claim_id: ClaimId
    position: int
    form: Form
    kind: KindId
    subject: str
    property: str
    value: JsonScalar
    statement: str
    scope: Scope
    classification: Classification
    consent: Consent
    tier: Tier
    confidence: float
    visibility: Visibility
    applies_to: tuple[ActionClassId, ...]
    not_for: tuple[ActionClassId, ...]
    valid_from_us: int | None
    valid_to_us: int | None
    known_from_us: int
    evidence: tuple[RecordId, ...]
    proposed_by: PrincipalId
    registry_revision: Revision
    status: ClaimStatus
    status_reason: str
    approvals: tuple[PrincipalId, ...]
    tier_at_write: Tier = Tier.UNVERIFIED
    conflicts_lost: int = 0
    conflicts_open: int = 0
    pinned: bool = False
    confirmed_by: tuple[PrincipalId, ...] = ()
    rests_on: tuple[ClaimId, ...] = ()
    approvals_before: tuple[PrincipalId, ...] = ()
    ended_us: int | None = None

    @builtins.property  # a field is named property: the design's word wins
    def valid(self) -> Interval:
        """When it holds in the world."""
        return Interval(self.valid_from_us, self.valid_to_us)

    @builtins.property  # a field is named property: the design's word wins
    def in_mind(self) -> Interval:
        """When it may come to mind or be found: while it holds; a plan, called one, before that too, never after.

        What was superseded is found at an instant at which it held: in its validity, until it was ended.
        """
        if self.status is ClaimStatus.SUPERSEDED:
            return self._held
        return Interval(None, self.valid_to_us) if self.form is Form.PLAN else self.valid

    @builtins.property  # a field is named property: the design's word wins
    def _held(self) -> Interval:
        if self.ended_us is None:
            return Interval(0, 0)  # it was never believed
        ends = (self.ended_us, self.valid_to_us)
        return Interval(self.valid_from_us, min(each for each in ends if each is not None))

    @builtins.property  # a field is named property: the design's word wins
    def is_reviewed(self) -> bool:
        """True where it is active: only such a claim can deny."""
        return self.status is ClaimStatus.ACTIVE
