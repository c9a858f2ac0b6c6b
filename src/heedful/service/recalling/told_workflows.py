"""Told workflows: how it is done here, as people reviewed it; and what runs only proposed, as context."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from heedful.bridges.activate import mode_of_class
from heedful.bridges.request import Classified
from heedful.bridges.workflows import for_intent, named_subjects
from heedful.claims.projections.workflow import Environment, Workflow
from heedful.evidence.grounds.told import NOTHING_TOLD, Told, proposal_item, workflow_item
from heedful.evidence.packet import PacketItem
from heedful.kernel.dotted import with_above
from heedful.kernel.ladder import Classification, Mode, lower
from heedful.kernel.scope import parse_scope
from heedful.kernel.times import format_time
from heedful.ports.store import Reading
from heedful.recall.request import MemoryRequest, TaskClass
from heedful.service.governing.modes import modes_now
from heedful.service.governing.propose_bridge import WAITING, told_proposal
from heedful.service.governing.proposed_workflow import is_workflow
from heedful.service.learning.workflow import subjects_of, workflows_of_environment
from heedful.service.session import Session
from heedful.service.sight import scope_granted, seen_record

WORKFLOWS_MAX = 2
PROPOSALS_MAX = 1
"""Workflows, and proposed ones, in one packet."""
PROPOSALS_WALKED = 250
"""Proposed workflows of one intent that wait and leave the store at first, whoever may see them; where none of them is
for the question, sixteen times as many, and so on to the end: a limit would tell how many are there that are hidden."""
_STEP = 16


def workflows_told(
    session: Session, reading: Reading, request: MemoryRequest, classified: Classified, task_class: TaskClass
) -> Told:
    """The workflows of the request's environment for its intent, at the instant that is asked for.

    A current one carries the answer to how something is done; one that has expired, is not current yet or is in shadow
    is context, and says so. What is proposed is context, where every record that it rests on may be seen.
    """
    text = request.features.text
    classes = tuple(match.action_class for match in classified.classes)
    items: list[PacketItem] = []
    if session.registry.workflows:
        at_home = workflows_of_environment(session, request.scope, classified, ())
        found = for_intent(at_home, classes, text)
        modes = modes_now(reading, session.registry)
        for workflow in found:
            mode = lower(workflow.mode, mode_of_class(workflow.intent, session.registry, modes))
            if mode is not Mode.OFF:
                items.append(_item(workflow, request, task_class, mode))
        items.sort(key=lambda each: not each.supports)
    proposed: list[PacketItem] = []
    if classes and task_class == "workflow":
        proposed = _proposed(session, reading, request, classified)
    return Told((*items[:WORKFLOWS_MAX], *proposed)) if items or proposed else NOTHING_TOLD


def _item(workflow: Workflow, request: MemoryRequest, task_class: TaskClass, mode: Mode) -> PacketItem:
    at_us = request.as_of_us
    said = [f"it is for {workflow.intent} in {workflow.environment}"]
    flags: tuple[str, ...] = ()
    if at_us >= workflow.expires_us:
        said.append(f"its review expired at {format_time(workflow.expires_us)}: not to be followed")
        flags = ("expired",)
    elif not workflow.is_current(at_us):
        said.append("it was not reviewed yet by then")
        flags = ("not-yet",)
    elif mode is Mode.SHADOW:
        said.append("it is in shadow: nobody relies on it yet")
        flags = ("shadow",)
    else:
        said.append(f"reviewed; {workflow.owner} answers for it")
    supports = None if task_class == "general" else task_class == "workflow" and not flags
    return workflow_item(workflow, supports=supports, flags=flags or ("reviewed",), reason="; ".join(said))


def _proposed(session: Session, reading: Reading, request: MemoryRequest, classified: Classified) -> list[PacketItem]:
    """The first PROPOSALS_MAX for what the request decides.

    Only those of an intent that covers one of its classes leave the store, the first of them first. What others may
    see alone takes no place and is not told of, however many there are.
    """
    walked = PROPOSALS_WALKED
    while True:
        waiting, goes_on = _waiting(reading, classified, walked)
        items = (_proposal(session, reading, request, classified, told) for told in waiting)
        found = list(islice((item for item in items if item is not None), PROPOSALS_MAX))
        if len(found) == PROPOSALS_MAX or not goes_on:
            return found
        walked *= _STEP


def _waiting(reading: Reading, classified: Classified, walked: int) -> tuple[list[dict[str, Any]], bool]:
    """At most `walked` of each intent, in ledger order; and True where there are more."""
    found: dict[int, dict[str, Any]] = {}
    is_cut = False
    for intent in sorted({above for each in classified.classes for above in with_above(each.action_class)}):
        stored = reading.bridge_proposals(WAITING, limit=walked + 1, holding=f'"intent":"{intent}"')
        is_cut = is_cut or len(stored) > walked
        told = ((each.position, told_proposal(each)) for each in stored[:walked])
        found.update((position, each) for position, each in told if is_workflow(each))
    return [each for _, each in sorted(found.items())], is_cut


def _proposal(
    session: Session, reading: Reading, request: MemoryRequest, classified: Classified, told: Mapping[str, Any]
) -> PacketItem | None:
    """None for one of another environment, or that rests on what may not be seen or had not happened."""
    environment = Environment(parse_scope(told["scope"]), subjects_of(told["subjects"]))
    named = named_subjects(environment, classified, {})
    if not environment.holds_for(request.scope, named) or not scope_granted(session, environment.scope):
        return None
    stored = [seen_record(session, reading, each) for each in told["evidence"]]
    records = [each.record for each in stored if each is not None]
    if len(records) < len(stored) or any(each.occurred.at_us > request.as_of_us for each in records):
        return None
    highest = max((each.classification for each in records), key=lambda each: each.rank, default=Classification.NORMAL)
    if not request.clearance.at_least(highest):
        return None
    reason = f"{len(told['runs'])} runs went well in this way; nobody has accepted it, so nothing may rest on it"
    return proposal_item(told, classification=highest, reason=reason)
