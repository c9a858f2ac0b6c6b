"""Matter: everything that a verdict rests on, brought together at one instant from what the principal may see."""

from __future__ import annotations

from heedful.bridges.request import Classified, RequestFeatures
from heedful.claims.merge import joins_of
from heedful.claims.projections.experience import is_provisional
from heedful.evidence.packet import SufficiencyLabel
from heedful.evidence.sufficiency import Found, judge_sufficiency
from heedful.gate.action import ActionRequest
from heedful.gate.preconditions import classes_wanted
from heedful.gate.requirements import Matter
from heedful.gate.workflow_rules import stepped_in
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ids import VerdictId
from heedful.kernel.ladder import Classification, Impact
from heedful.kernel.scope import Scope
from heedful.policy.decide import Permission, may, may_write
from heedful.ports.store import Reading, Visible
from heedful.recall.request import MemoryRequest
from heedful.service.acting.approve_action import KINDS, KINDS_BUT
from heedful.service.bearing import Bearing, bearing_on
from heedful.service.belief.disputes import disputed_since
from heedful.service.governing.modes import modes_now
from heedful.service.learning.read_run import StepGrounds, grounds_of_steps
from heedful.service.recalling.in_mind import InMind, bring_to_mind
from heedful.service.recalling.recall import grounds_of
from heedful.service.session import Session
from heedful.service.sight import kinds_on, visible_for_request


def features_of(action: ActionRequest) -> RequestFeatures:
    """What the pre-router sees of the action."""
    return RequestFeatures(action.text, action.tool, action.args, None, {})


def digest_of(action: ActionRequest) -> str:
    """The action's digest.

    Raises:
        InvalidInputError: `arguments_malformed`.
    """
    try:
        return action.digest
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(
            "arguments_malformed",
            "the tool's name or arguments are no JSON: too deep, or with NaN, an infinity or half of a surrogate pair",
            next_step="send them as JSON",
            details={"field": "args"},
        ) from error


def matter_of(
    session: Session,
    reading: Reading,
    action: ActionRequest,
    classified: Classified,
    *,
    verdict_id: VerdictId,
    citations: tuple[str, ...],
    now_us: int,
) -> tuple[Matter, list[dict[str, object]]]:
    """What is judged, and the labels of all that bears on it: who may not see all of those is not told the verdict."""
    visible = visible_for_request(session, action.scope)
    mind = bring_to_mind(session, reading, visible, _request(action, now_us), classified)
    stepped = [each.workflow for each in stepped_in(action, mind.classified, session.registry)]
    classes = [match.action_class for match in mind.classified.classes]
    classes += [wanted for workflow in stepped for wanted in classes_wanted(workflow.preconditions)]
    bearing = bearing_on(session, reading, visible, classes, action.digest)
    grounds = grounds_of_steps(session, reading, visible, stepped, action.run_id, at_us=now_us)
    matter = Matter(
        action=action,
        classified=mind.classified,
        activations=mind.activations,
        permission=_permission(session, action),
        registry=session.registry,
        modes=modes_now(reading, session.registry),
        verifications=bearing.verifications,
        approvals=bearing.approvals,
        is_proof_cut=bearing.is_cut,
        sufficiency=_sufficiency(reading, mind, now_us),
        citations=citations,
        verdict_id=verdict_id,
        ledger_position=reading.visible_position(visible),
        judged_at_us=now_us,
        run=grounds.run,
        states=grounds.states,
        is_states_cut=grounds.is_states_cut,
        joins=joins_of(grounds.merges),
        disputed=disputed_since(session, reading, mind.claims),
    )
    return matter, _basis(session, reading, visible, mind, (bearing, grounds))


def _basis(
    session: Session, reading: Reading, visible: Visible, mind: InMind, proof: tuple[Bearing, StepGrounds]
) -> list[dict[str, object]]:
    """The labels, in order. Where not all was looked at, anything visible may have made the difference.

    Kinds are told, those of other claims on the same records too, where policy denies any to somebody.
    """
    bearing, grounds = proof
    denies_any = any(each.denied_kinds for each in session.registry.policy.principals.values())
    labels: dict[tuple[Scope, Classification], set[str]] = {}
    for claim in (*mind.claims, *mind.ended_claims, *grounds.states):
        near = {str(claim.kind), *kinds_on(reading, claim.evidence)} if denies_any else set()
        labels.setdefault((claim.scope, claim.classification), set()).update(near)
    for merge in grounds.merges:
        labels.setdefault((merge.scope, merge.classification), set())
    for stored in (*bearing.records, *grounds.records):
        near = {*kinds_on(reading, [stored.record.record_id])} if denies_any else set()
        labels.setdefault((stored.record.scope, stored.record.classification), set()).update(near)
    basis = [(label, {KINDS: sorted(kinds)} if denies_any else {}) for label, kinds in labels.items()]
    if mind.is_cut or bearing.is_cut or grounds.is_cut:
        but = {KINDS_BUT: list(visible.denied_kinds)} if denies_any else {}
        basis += [
            ((scope, visible.clearance), but)
            for scope in visible.scopes
            if denies_any or (scope, visible.clearance) not in labels
        ]
    ordered = sorted(basis, key=lambda each: (each[0][0].elements, each[0][1].rank, KINDS_BUT in each[1]))
    return [
        {"scope": list(scope.elements), "classification": classification.value, **kinds}
        for (scope, classification), kinds in ordered
    ]


def _request(action: ActionRequest, now_us: int) -> MemoryRequest:
    return MemoryRequest(
        features=features_of(action),
        principal=action.principal,
        scope=action.scope,
        clearance=Classification.RESTRICTED,
        task_class="general",
        impact=Impact.EXECUTE,
        as_of_us=now_us,
        record_types=(),
        attributes=(),
        budget_tokens=0,
    )


def _permission(session: Session, action: ActionRequest) -> Permission:
    asks = may(session.registry.policy, session.principal, "judge")
    return may_write(session.registry.policy, session.principal, action.scope) if asks.allowed else asks


def _sufficiency(reading: Reading, mind: InMind, now_us: int) -> SufficiencyLabel | None:
    """The label of what is in mind; None where nothing is: then the class itself says what to do without a bridge.

    Where not all could be looked at, a person must: nobody may push a freeze out of sight by proposing many others.
    """
    if mind.is_cut:
        return SufficiencyLabel.HUMAN_REVIEW_REQUIRED
    # What is provisional steers: it is no evidence that anything needs, and its want blocks nothing.
    claims = [claim for claim in mind.claims if not is_provisional(claim, mind.established)]
    if not claims and not mind.ended:
        return None
    impact = mind.classified.impact or Impact.EXECUTE
    found = Found(claims, (), (), grounds_of(reading, claims), 0.0, mind.ended, ())
    return judge_sufficiency("general", impact, found, subjects=(), as_of_us=now_us).label
