"""Mine workflows: runs in the ledger that went well in the same way are proposed to people, and never activated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import msgspec

from heedful.bridges.classify import INERT
from heedful.bridges.vocabulary import covers
from heedful.claims.projections.workflow_mining import Mined, MinedWorkflow, mine
from heedful.claims.projections.workflow_run import RUN_RECORDS_MAX, Run, RunEntry
from heedful.claims.projections.workflow_success import CallSort
from heedful.kernel.ids import ActionClassId, ProposalId, RunId
from heedful.ledger.workflow_events import WorkflowProposed
from heedful.observations.record import RecordStatus
from heedful.policy.model import Policy
from heedful.policy.tools import match_tool_call
from heedful.ports.store import Reading, Visible, Writing
from heedful.service.governing.propose_bridge import PROPOSALS_WALKED_MAX, WAITING, seen_proposal, told_proposal
from heedful.service.governing.proposed_workflow import PROPOSER, is_workflow, likeness_of, workflow_proposal_json
from heedful.service.learning.read_run import PAGE_RECORDS, entry_of, read_run
from heedful.service.requests import clean_scope
from heedful.service.session import Session
from heedful.service.sight import visible_for_request

MINED_RECORDS_MAX = 20_000
"""Records that are looked at, the newest of those that one may see in the scope."""
RUNS_READ_MAX = 500
"""Runs that are read each by itself where there are more records; those with the newest."""
PROPOSALS_LOOKED_AT_MAX = 2_000
"""Earlier proposals of each status, of those that one may see, that a new one is compared with: the newest."""

_STATUSES = (WAITING, "approved", "rejected")


@dataclass(frozen=True, slots=True)
class MiningReport:
    """What the runs of a scope showed.

    Attributes:
        proposed: new proposals, as JSON values; they wait in the review queue.
        known: what was proposed before and would be again, with what became of that.
        runs: how many were looked at; left_out: why those of them do not count, and how many.
        is_cut: True: there are more records than were looked at, so older runs may be missing.
    """

    proposed: tuple[dict[str, Any], ...]
    known: tuple[dict[str, Any], ...]
    runs: int
    left_out: dict[str, int]
    is_cut: bool


def workflow_mine(session: Session, *, scope: Sequence[str]) -> MiningReport:
    """What was proposed from the runs in this scope, durable. Nothing of it is a workflow before people write it.

    What waits is not proposed again; what people have decided is only where a run was added since.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: `scope_empty`, and those of `clean_scope`.
    """
    session.require("propose")
    visible = visible_for_request(session, clean_scope(scope))
    with session.store.read() as reading:
        runs, is_cut = _runs(session, reading, visible)
    mined = mine(runs, _sort_of(session.registry.policy), _shell_tools(session), at_us=session.clock.now_us())
    proposed, known = session.store.write(lambda writing: _propose(session, writing, mined))
    return MiningReport(proposed, known, len(runs), mined.left_out, is_cut)


def _shell_tools(session: Session) -> Mapping[str, str]:
    return session.registry.policy.shell_tools


def _sort_of(policy: Policy) -> Callable[[str, Mapping[str, object]], CallSort]:
    def sort_of(tool: str, args: Mapping[str, object]) -> CallSort:
        matched = match_tool_call(tool, args, policy)
        named = [name for name, _ in matched.action_classes if not covers(INERT, name)]
        narrow = [name for name in named if not any(other != name and covers(name, other) for other in named)]
        return CallSort(tuple(map(ActionClassId, sorted(narrow))), matched.impact, matched.known)

    return sort_of


def _runs(session: Session, reading: Reading, visible: Visible) -> tuple[list[Run], bool]:
    """Every run that has a record among the newest, in order of its name; and whether there are more records.

    Where there are, each run is read by itself, so that none counts of which only the end was seen.
    """
    entries: dict[RunId, list[RunEntry]] = defaultdict(list)
    before: int | None = None
    looked_at = 0
    while looked_at < MINED_RECORDS_MAX:
        page = reading.records(
            visible, status=RecordStatus.ADMITTED, run_id=None, attributes=(), before=before, limit=PAGE_RECORDS
        )
        looked_at += len(page)
        for stored in page:
            said = entry_of(session, reading, stored)
            if said is not None and stored.record.run_id is not None:
                entries[stored.record.run_id].append(said.entry)
        if len(page) < PAGE_RECORDS:
            return [
                Run(run_id, tuple(found), is_cut=len(found) > RUN_RECORDS_MAX)
                for run_id, found in sorted(entries.items())
            ], False
        before = page[-1].position
    newest = sorted(list(entries)[:RUNS_READ_MAX])
    return [read_run(session, reading, visible, run_id)[0] for run_id in newest], True


def _propose(
    session: Session, writing: Writing, mined: Mined
) -> tuple[tuple[dict[str, Any], ...], tuple[dict[str, Any], ...]]:
    earlier = _earlier(session, writing) if mined.found else []
    proposed: list[dict[str, Any]] = []
    known: list[dict[str, Any]] = []
    for workflow in mined.found:
        proposal_json = workflow_proposal_json(workflow, session.principal)
        told: dict[str, Any] = msgspec.json.decode(proposal_json)
        alike = [each for each in earlier if likeness_of(each) == likeness_of(told)]
        same = next((each for each in reversed(alike) if _stands_for(each, told)), None)
        if same is not None:
            known.append(same)
            continue
        proposal_id = ProposalId(session.new_id())
        session.append(writing, [_event(session, proposal_id, workflow, proposal_json)])
        proposed.append({"proposal_id": proposal_id, "status": WAITING, **told})
    return tuple(proposed), tuple(known)


def _event(session: Session, proposal_id: ProposalId, workflow: MinedWorkflow, proposal_json: str) -> WorkflowProposed:
    return WorkflowProposed(
        proposal_id=proposal_id,
        proposer=PROPOSER,
        asked_by=session.principal,
        registry_revision=session.registry.revision,
        evidence=workflow.evidence,
        proposal_json=proposal_json,
    )


def _stands_for(earlier: Mapping[str, Any], told: Mapping[str, Any]) -> bool:
    return earlier["status"] == WAITING or set(told["runs"]) <= set(earlier["runs"])


def _earlier(session: Session, writing: Writing) -> list[dict[str, Any]]:
    """Proposed workflows of every status, of those that this principal may see: of others nothing is told."""
    found: list[dict[str, Any]] = []
    for status in _STATUSES:
        # What others' proposals there are takes no place: the filter comes before the limit.
        stored = writing.bridge_proposals(status, limit=PROPOSALS_WALKED_MAX, newest_first=True)
        told = (each for each in map(told_proposal, stored) if is_workflow(each))
        seen = (each for each in told if seen_proposal(session, writing, each["proposal_id"]) is not None)
        found += reversed(list(islice(seen, PROPOSALS_LOOKED_AT_MAX)))
    return found
