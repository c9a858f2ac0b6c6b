"""The `workflows` of a merged registry -> Workflow; and which of them a request is about."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from heedful.bridges.merge import WORKFLOWS, Merged
from heedful.bridges.request import Classified
from heedful.bridges.vocabulary import covers
from heedful.bridges.words import find_phrases, phrasebook, wording
from heedful.claims.projections.workflow import (
    Environment,
    Precondition,
    Response,
    StateProof,
    Step,
    StepCheck,
    Workflow,
)
from heedful.kernel.errors import HeedfulError
from heedful.kernel.ids import ActionClassId, KindId, WorkflowId
from heedful.kernel.ladder import Mode
from heedful.kernel.scope import parse_scope
from heedful.kernel.times import parse_time
from heedful.observations.record import Subject
from heedful.policy.parse import Problem

_Entry = Mapping[str, Any]


def workflows_of(body: _Entry) -> dict[WorkflowId, Workflow]:
    """Workflows, in order of id; a body from before there were any has none.

    Raises:
        InvalidInputError: `time_malformed`, `scope_malformed` and the like; bodies that passed `build` raise none.
    """
    return {WorkflowId(key): _workflow(key, entry) for key, entry in sorted(body.get(WORKFLOWS, {}).items())}


def malformed_workflows(merged: Merged) -> Iterator[Problem]:
    """Dates and scopes that have the schema's form and still can't be read."""
    for workflow_id, entry in merged.body.get(WORKFLOWS, {}).items():
        place = merged.places[WORKFLOWS, workflow_id]
        for name in ("reviewed_at", "expires_at"):
            try:
                parse_time(entry[name], field=name)
            except HeedfulError as error:
                yield place.problem((name,), "registry_value", error.message, error.next_step)
        try:
            parse_scope(entry["environment"].get("scope", ()))
        except HeedfulError as error:
            yield place.problem(("environment", "scope"), "registry_value", error.message, error.next_step)


def for_intent(
    workflows: Collection[Workflow], classes: Collection[ActionClassId], text: str = ""
) -> tuple[Workflow, ...]:
    """Those whose intent is one of these classes or above it, or of which the text has a phrase; in their order."""
    book = phrasebook(
        (workflow.id, written) for workflow in workflows for listed in workflow.phrases.values() for written in listed
    )
    told = {phrase.target for phrase in find_phrases(wording(text), book)} if text else set()
    return tuple(
        workflow
        for workflow in workflows
        if workflow.id in told or any(covers(workflow.intent, name) for name in classes)
    )


def _workflow(key: str, entry: _Entry) -> Workflow:
    intent = entry["intent"]
    environment = entry["environment"]
    return Workflow(
        id=WorkflowId(key),
        description=entry["description"],
        intent=ActionClassId(intent["class"]),
        phrases={language: tuple(listed) for language, listed in sorted(intent.get("phrases", {}).items())},
        environment=Environment(
            parse_scope(environment.get("scope", ())),
            tuple(Subject(*each.split(":", 1)) for each in environment.get("subjects", ())),
        ),
        preconditions=tuple(map(_precondition, entry.get("preconditions", ()))),
        steps=tuple(_step(each, intent["class"]) for each in entry["steps"]),
        exceptions=tuple(Response(each["when"], each["response"]) for each in entry.get("exceptions", ())),
        owner=entry["owner"],
        reviewed_us=parse_time(entry["reviewed_at"], field="reviewed_at").at_us,
        expires_us=parse_time(entry["expires_at"], field="expires_at").at_us,
        authority=entry["authority"],
        evidence=tuple(entry.get("evidence", ())),
        mode=Mode(entry.get("mode", Mode.ADVISE)),
        pack=entry["pack"],
    )


def _precondition(entry: _Entry) -> Precondition:
    proof = entry["proof"]
    state = proof.get("state")
    return Precondition(
        text=entry["text"],
        verification=ActionClassId(proof["verification"]) if "verification" in proof else None,
        state=None
        if state is None
        else StateProof(KindId(state["kind"]), state.get("subject"), state.get("property"), state["value"]),
    )


def _step(entry: _Entry, intent: str) -> Step:
    check = entry["verification"]
    return Step(
        tool=entry["tool"],
        input=dict(entry["input"]),
        expected_effect=entry["expected_effect"],
        check=StepCheck(
            check.get("query"), check.get("tool"), check["expected"], ActionClassId(check.get("verifies", intent))
        ),
    )


def named_subjects(
    environment: Environment, classified: Classified, args: Mapping[str, object], given: Collection[Subject] = ()
) -> frozenset[Subject]:
    """The environment's subjects that a request names.

    Given as such, as an entity of its words (`production` is an `environment`), or in an argument, as a whole word.
    """
    in_arguments = environment.named_in(args)
    return frozenset(
        subject
        for subject in environment.subjects
        if subject in given
        or any(subject.id in entity.properties.get(subject.type, ()) for entity in classified.entities)
        or subject in in_arguments
    )


def names_another(environment: Environment, classified: Classified, given: Collection[Subject] = ()) -> bool:
    """True where the words name a subject of a type that the environment names, and another than its own.

    "Copy it from staging to production" is about neither alone; whoever gives the subject says which is meant.
    """
    return any(
        set(entity.properties.get(subject.type, ())) - {subject.id}
        for subject in environment.subjects
        if subject not in given
        for entity in classified.entities
    )
