"""What happens to workflows that runs have shown: the part of the closed set in events.py that is about those."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.kernel.ids import PrincipalId, ProposalId, RecordId, Revision


@dataclass(frozen=True, slots=True)
class WorkflowProposed:
    """Runs that went well alike, seen by `proposer`, as `asked_by` had it look: a proposal for people.

    `evidence` are the runs' calls and verifications, `proposal_json` is what they have in common, canonical.
    """

    proposal_id: ProposalId
    proposer: str
    asked_by: PrincipalId
    registry_revision: Revision
    evidence: tuple[RecordId, ...]
    proposal_json: str


@dataclass(frozen=True, slots=True)
class WorkflowProposalDecided:
    """A person said what becomes of it. An approved one is for somebody to write into the registry."""

    proposal_id: ProposalId
    approved: bool
    actor: PrincipalId
    reason: str
