"""Auto-approval: the moves that a claim makes by rule once its record is evidence, as far as policy lets it go."""

from __future__ import annotations

from itertools import pairwise

from heedful.bridges.registry import Registry
from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.lifecycle import POLICY_ACTOR, SERVICE_ACTOR
from heedful.claims.projections.experience import is_tested
from heedful.kernel.ladder import Consent
from heedful.ledger.events import ClaimProposed, ClaimTransitioned, Event
from heedful.observations.record import Channel, Record, SourceGrade

_NOT_FIRST_HAND = frozenset({"one-off", "speaks-for-another"})
"""Said for once only, or in another's name: neither is approved by itself."""
_FIRST_PARTY = (SourceGrade.USER, SourceGrade.OPERATOR, SourceGrade.SYSTEM)


def onward(proposal: ClaimProposed, record: Record, registry: Registry) -> tuple[Event, ...]:
    """The moves that follow by rule once the record is evidence: verified, and approved where policy says so.

    None for a premise that does not say where and since when it was tested: it waits.
    """
    if not is_tested(proposal.form, proposal.scope, proposal.valid_from_us):
        return ()
    steps = (ClaimStatus.PROPOSED, ClaimStatus.EVIDENCE_VERIFIED)
    moves: list[Event] = [ClaimTransitioned(proposal.claim_id, *steps, SERVICE_ACTOR, "the record is kept")]
    if auto_approved(proposal, record, registry):
        reason = (
            "low risk, first-party, explicit consent" if record.consent is Consent.EXPLICIT else "low risk, first-party"
        )
        onwards = (ClaimStatus.EVIDENCE_VERIFIED, ClaimStatus.POLICY_REVIEWED, ClaimStatus.ACTIVE)
        for from_status, to_status in pairwise(onwards):
            moves.append(ClaimTransitioned(proposal.claim_id, from_status, to_status, POLICY_ACTOR, reason))
    return tuple(moves)


def auto_approved(proposal: ClaimProposed | Claim, record: Record, registry: Registry) -> bool:
    """True where policy lets this claim become active without a person: all of its conditions hold."""
    rule = registry.policy.auto_approve
    kind = registry.vocabulary.kinds.get(proposal.kind)
    return (
        rule.enabled
        and record.grade in _FIRST_PARTY
        and record.channel is not Channel.AGENT
        and not _NOT_FIRST_HAND & {*record.flags}
        and {proposal.form, kind.form if kind else proposal.form} <= {*rule.forms}
        and (kind.risk if kind else "low") in rule.kind_risks
        and proposal.classification in rule.classifications
        and (record.consent is Consent.EXPLICIT or not rule.consent_explicit)
    )
