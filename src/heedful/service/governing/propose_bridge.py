"""Propose a bridge: a model is asked for which classes a claim matters, and its answer waits for a person.

Never active by itself: an approved proposal is a text for the registry's files, which people review in git.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from heedful.bridges.propose import ProposedClass, classes_in, prompt_of, proposal_json, proposal_yaml
from heedful.kernel.digest import sha256_hex
from heedful.kernel.errors import ConflictError, UnavailableError, UnsupportedError
from heedful.kernel.ids import ClaimId, ProposalId
from heedful.ledger.events import BridgeProposalDecided, BridgeProposed
from heedful.ports.proposer import Proposer
from heedful.ports.store import Reading, StoredProposal, Writing
from heedful.service.governing.proposed_workflow import decide_workflow, is_workflow
from heedful.service.session import Session
from heedful.service.sight import not_found, seen_claim, seen_record

WAITING = "waiting"
PROPOSALS_MAX = 500
"""Proposals that are shown, of claims that one sees."""
PROPOSALS_WALKED_MAX = 64_000
"""Proposals that wait and are looked at for them, whoever's claims they are of."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a model proposed for a claim.

    Attributes:
        proposal_id: None: it named no class that the registry has, so nothing waits.
        prompt_digest: SHA-256 of what the model was asked.
    """

    proposal_id: ProposalId | None
    claim_id: ClaimId
    classes: tuple[ProposedClass, ...]
    model: str
    prompt_digest: str


def propose_bridge(session: Session, proposer: Proposer | None, claim_id: str) -> Proposal:
    """What the model proposed; it is in the ledger, and in the review queue, where it named something.

    The claim's kind and statement leave this machine, so a person who may approve asks for it, claim by claim.

    Raises:
        ForbiddenError: `principal_may_not`.
        NotFoundError: `item_not_found`, also for a claim that this person may not see.
        UnsupportedError: `proposer_missing` where no model is configured.
        UnavailableError: `proposer_unavailable`, also where its answer is not of the form that was asked for.
    """
    session.require("approve")
    with session.store.read() as reading:
        claim = seen_claim(session, reading, claim_id)
    if claim is None:
        raise not_found(claim_id)
    if proposer is None:
        raise UnsupportedError(
            "proposer_missing",
            "no model is configured that could propose",
            next_step="set HEEDFUL_PROPOSER_MODEL, and HEEDFUL_PROPOSER_URL for an endpoint of your own",
        )
    prompt = prompt_of(claim, session.registry)
    digest = sha256_hex(prompt.encode("utf-8", "surrogatepass"))
    # No moment is held open while it answers.
    classes = classes_in(proposer.ask(prompt), session.registry)
    if classes is None:
        raise UnavailableError(
            "proposer_unavailable",
            f"the model {proposer.model} answered otherwise than it was asked to",
            next_step="try again, or another model",
            details={"model": proposer.model},
        )
    proposal = Proposal(ProposalId(session.new_id()), claim.claim_id, classes, proposer.model, digest)
    if not classes or proposal.proposal_id is None:
        return Proposal(None, claim.claim_id, (), proposer.model, digest)
    event = BridgeProposed(
        proposal_id=proposal.proposal_id,
        claim_id=claim.claim_id,
        model=proposer.model,
        prompt_digest=digest,
        asked_by=session.principal,
        registry_revision=session.registry.revision,
        proposal_json=proposal_json(claim, classes, model=proposer.model, prompt_digest=digest),
    )
    session.store.write(lambda writing: session.append(writing, [event]))
    return proposal


def waiting_proposals(session: Session, reading: Reading) -> tuple[tuple[dict[str, Any], ...], bool]:
    """The first PROPOSALS_MAX that wait, of claims that this person sees, as JSON values; whether there are more."""
    walked = PROPOSALS_MAX + 1
    while True:
        stored = reading.bridge_proposals(WAITING, limit=walked)
        seen = [each for each in map(told_proposal, stored) if _is_seen(session, reading, each)]
        is_all = len(stored) < walked
        if len(seen) > PROPOSALS_MAX or is_all or walked >= PROPOSALS_WALKED_MAX:
            return tuple(seen[:PROPOSALS_MAX]), len(seen) > PROPOSALS_MAX or not is_all
        # What others' claims were proposed for takes no place.
        walked *= 2


def seen_proposal(session: Session, reading: Reading, item_id: str) -> StoredProposal | None:
    """The proposal, or None where there is none, or this person may not see what it rests on."""
    stored = reading.bridge_proposal(ProposalId(item_id))
    return stored if stored is not None and _is_seen(session, reading, told_proposal(stored)) else None


def _is_seen(session: Session, reading: Reading, told: Mapping[str, Any]) -> bool:
    """A bridge's by its claim; a workflow's by every record that it rests on."""
    if is_workflow(told):
        return all(seen_record(session, reading, each) is not None for each in told["evidence"])
    return seen_claim(session, reading, told["claim_id"]) is not None


def told_proposal(stored: StoredProposal) -> dict[str, Any]:
    """The proposal as JSON values."""
    told: dict[str, Any] = msgspec.json.decode(stored.proposal_json)
    return {"proposal_id": stored.proposal_id, "status": stored.status, **told}


def decide_proposal(
    session: Session, writing: Writing, stored: StoredProposal, reason: str, *, approved: bool
) -> str | None:
    """The YAML for the registry where it was approved; nothing of it is in force.

    Raises:
        ConflictError: `proposal_decided`; `evidence_gone` for a workflow of which a record is no evidence any more.
    """
    if stored.status != WAITING:
        raise ConflictError(
            "proposal_decided",
            f"proposal {stored.proposal_id} is {stored.status} already",
            details={"id": stored.proposal_id},
        )
    told = told_proposal(stored)
    if is_workflow(told):
        return decide_workflow(session, writing, told, reason, approved=approved)
    session.append(writing, [BridgeProposalDecided(stored.proposal_id, approved, session.principal, reason)])
    return proposal_yaml(stored.proposal_id, told, session.registry) if approved else None
