"""A proposed workflow: how the ledger keeps it, what a person decides, and the document of an approved one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from heedful.claims.projections.workflow_mining import MinedStep, MinedWorkflow
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.errors import ConflictError
from heedful.kernel.ids import PrincipalId, ProposalId, RecordId
from heedful.kernel.times import US_A_DAY, format_time
from heedful.ledger.workflow_events import WorkflowProposalDecided
from heedful.ports.store import Writing
from heedful.service.session import Session

SORT = "workflow"
PROPOSER = "workflow-miner/1"
LIFE_DAYS = 90
"""How long an approved proposal's document lets it be current; whoever finishes it may say otherwise."""

_DATE_CHARACTERS = 10
_SAY_EFFECT = "Say here what it should do."
_SAY_EXPECTED = "Say here what has to be seen."


def is_workflow(told: Mapping[str, Any]) -> bool:
    """True where a proposal, as JSON values, is of a workflow and not of a bridge."""
    return told.get("sort") == SORT


def workflow_proposal_json(mined: MinedWorkflow, asked_by: PrincipalId) -> str:
    """The proposal as the ledger keeps it, canonical."""
    proposal = {
        "sort": SORT,
        "proposer": PROPOSER,
        "asked_by": asked_by,
        "intent": mined.intent,
        "scope": list(mined.scope.elements),
        "subjects": [f"{subject.type}:{subject.id}" for subject in mined.subjects],
        "preconditions": list(mined.preconditions),
        "steps": [_step(each) for each in mined.steps],
        "runs": list(mined.run_ids),
        "evidence": list(mined.evidence),
    }
    return canonical_bytes(proposal).decode()


def likeness_of(told: Mapping[str, Any]) -> tuple[object, ...]:
    """By what two proposals are of the same workflow: intent, environment, and the tools and classes of the steps."""
    steps = tuple((each["tool"], each["action_class"]) for each in told["steps"])
    return told["intent"], tuple(told["scope"]), tuple(told["subjects"]), steps


def decide_workflow(
    session: Session, writing: Writing, told: Mapping[str, Any], reason: str, *, approved: bool
) -> str | None:
    """The YAML for the registry where it was approved; nothing of it is in force.

    Raises:
        ConflictError: `evidence_gone` where a record that it rests on is no evidence any more.
    """
    gone = [each for each in told["evidence"] if not _is_evidence(writing, RecordId(each))]
    if approved and gone:
        raise ConflictError(
            "evidence_gone",
            f"proposal {told['proposal_id']} rests on records that are no evidence now",
            next_step="reject it; `heedful workflow mine` looks at what is left",
            details={"id": told["proposal_id"], "evidence": gone},
        )
    proposal_id = ProposalId(told["proposal_id"])
    session.append(writing, [WorkflowProposalDecided(proposal_id, approved, session.principal, reason)])
    return workflow_yaml(told, at_us=session.clock.now_us()) if approved else None


def workflow_yaml(told: Mapping[str, Any], *, at_us: int) -> str:
    """The document of an approved proposal: a workflow in shadow, for somebody to finish, reviewed on that day.

    What nobody recorded is marked so: an owner, what each step should do, what has to be seen.
    """
    environment = {"scope": told["scope"], "subjects": told["subjects"]}
    workflow = {
        "description": f"Proposed from {len(told['runs'])} runs that went well; say here what it does.",
        "intent": {"class": told["intent"]},
        "environment": {name: value for name, value in environment.items() if value},
        "preconditions": [
            {"text": f"{name} is verified, as in all of those runs.", "proof": {"verification": name}}
            for name in told["preconditions"]
        ],
        "steps": [_written(each) for each in told["steps"]],
        "exceptions": [],
        "owner": "name an owner",
        "reviewed_at": _date(at_us),
        "expires_at": _date(at_us + LIFE_DAYS * US_A_DAY),
        "authority": "maintainer-approved",
        "evidence": [f"record {each}" for each in told["evidence"]],
        "mode": "shadow",
    }
    document = {"workflows": {f"{told['intent']}.proposed-{told['proposal_id'][-12:]}": workflow}}
    return yaml.safe_dump(document, allow_unicode=True, sort_keys=False, width=120)


def _is_evidence(writing: Writing, record_id: RecordId) -> bool:
    stored = writing.record(record_id)
    return stored is not None and stored.is_evidence


def _date(at_us: int) -> str:
    return format_time(at_us)[:_DATE_CHARACTERS]


def _step(step: MinedStep) -> dict[str, Any]:
    check = step.check
    return {
        "tool": step.tool,
        "action_class": step.action_class,
        "input": dict(step.input),
        "verification": None
        if check is None
        else {"verifies": check.verifies, "tool": check.tool, "query": check.query, "said": check.said},
    }


def _written(step: Mapping[str, Any]) -> dict[str, Any]:
    check = step["verification"]
    if check is None:
        told = {"query": "Say here how it is verified.", "expected": _SAY_EXPECTED, "verifies": step["action_class"]}
    else:
        told = {"query": check["query"], "tool": check["tool"], "expected": check["said"].strip() or _SAY_EXPECTED}
        told = {name: value for name, value in told.items() if value} | {"verifies": check["verifies"]}
        if "query" not in told and "tool" not in told:
            told = {"query": "As the verification in the evidence was made."} | told
    return {"tool": step["tool"], "input": step["input"], "expected_effect": _SAY_EFFECT, "verification": told}
