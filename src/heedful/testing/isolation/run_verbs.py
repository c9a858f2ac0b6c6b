"""The verbs of worlds of runs, as a play does them: state, causes, mining, workflows, permits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from heedful.kernel.ids import ClaimId
from heedful.service.acting.redeem import redeem
from heedful.service.learning import gotchas
from heedful.service.learning.gotchas import mine
from heedful.service.learning.mine_workflows import workflow_mine
from heedful.service.learning.workflow import workflow_list, workflow_next, workflow_show
from heedful.service.recalling.causes import causes
from heedful.service.recalling.state import state
from heedful.service.requests import action_request, memory_request
from heedful.service.session import Session
from heedful.testing.isolation.dispute_verbs import Disputed, do_dispute_verb
from heedful.testing.isolation.steps import Made, Step

NO_TOKEN = "heedful_permit_1.none"


class Mined(Disputed, Protocol):
    """Where a play notes what its steps made.

    Attributes:
        rests_on: step number -> the records that each thing rests on which it mined.
    """

    rests_on: dict[int, list[Sequence[str]]]


def do_run_verb(
    session: Session,
    step: Step,
    item_id: str,
    played: Mined,
    tokens: Mapping[int, str],
    made: Mapping[tuple[Made, int], str],
) -> object:
    """What the verb answers; what it made is noted in `played`."""
    fields, number, ids = step.fields, step.number, played.ids
    match step.verb:
        case "state":
            return state(session, **fields, scope=step.scope)
        case "causes":
            return causes(session, None if "subject" in fields else item_id, **fields, scope=step.scope)
        case "mine":
            report = workflow_mine(session, scope=step.scope)
            played.rests_on[number] = [each["evidence"] for each in report.proposed]
            if report.proposed:
                ids["proposal", number] = report.proposed[0]["proposal_id"]
            return report
        case "gotchas":
            mined = mine(session, scope=step.scope)
            played.rests_on[number] = _evidence(session, mined)
            if mined.proposed:
                ids["gotcha", number] = mined.proposed[0].claim.claim_id
            return mined
        case "redeem":
            token = tokens.get(0 if step.target is None else step.target.step, NO_TOKEN)
            return redeem(session, token, action_request(session, scope=step.scope, **fields))
        case "flow":
            return _flow(session, step)
        case _:
            return do_dispute_verb(session, step, item_id, played, made)


def _evidence(session: Session, mined: gotchas.Mined) -> list[Sequence[str]]:
    """What each claim that was proposed or moved rests on."""
    notes = (*(each.claim for each in mined.proposed), *mined.retired, *mined.to_retire)
    claims = [ClaimId(note.claim_id) for note in notes]
    claims += [each.replaces for each in mined.proposed if each.replaces is not None]
    with session.store.read() as reading:
        found = [reading.claim(claim_id) for claim_id in claims]
    return [claim.evidence for claim in found if claim is not None]


def _flow(session: Session, step: Step) -> object:
    asked = memory_request(session, "ship the web server", scope=step.scope)
    match step.fields["what"]:
        case "list":
            return workflow_list(session, asked)
        case "show":
            return workflow_show(session, "web.staging", asked)
        case _:
            return workflow_next(session, step.fields["run"], asked)
