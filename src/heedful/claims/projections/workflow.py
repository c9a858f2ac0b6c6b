"""Workflow: a reviewed order of steps for one intent in one environment. It is read step by step, never replayed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from heedful.kernel.ids import ActionClassId, KindId, WorkflowId
from heedful.kernel.ladder import Mode
from heedful.kernel.scope import Scope
from heedful.observations.record import Subject

ARGUMENTS_MAX = 32
ARGUMENT_CHARACTERS_MAX = 8_192
"""Of a call, in which a subject is looked for, and of each."""

ProofBy = Literal["verification", "state", "approval"]


@dataclass(frozen=True, slots=True)
class StateProof:
    """A state that proves a precondition: what a claim in force must say.

    Attributes:
        kind: of the claim, or one above it.
        subject, property: of the claim; None: any, and the kind's own.
    """

    kind: KindId
    subject: str | None
    property: str | None
    value: str | int | float | bool


@dataclass(frozen=True, slots=True)
class Precondition:
    """What must hold before any step that executes, and the one way to prove it.

    Attributes:
        verification: the class of which a current verification that passed proves it.
        state: the state that proves it. Where both are None a person's approval of the very call does.
    """

    text: str
    verification: ActionClassId | None
    state: StateProof | None

    @property
    def proved_by(self) -> ProofBy:
        """What sort of proof it takes."""
        if self.verification is not None:
            return "verification"
        return "approval" if self.state is None else "state"


@dataclass(frozen=True, slots=True)
class StepCheck:
    """How one sees that a step has had its effect.

    Attributes:
        query, tool: what to ask, and of which tool; at least one is there.
        expected: what the answer has to be, for people.
        verifies: the class that the verification record names.
    """

    query: str | None
    tool: str | None
    expected: str
    verifies: ActionClassId


@dataclass(frozen=True, slots=True)
class Step:
    """One call, as a template (workflow_templates), with what it should do and how that is verified."""

    tool: str
    input: Mapping[str, object]
    expected_effect: str
    check: StepCheck


@dataclass(frozen=True, slots=True)
class Response:
    """What to do where something goes otherwise."""

    when: str
    response: str


@dataclass(frozen=True, slots=True)
class Environment:
    """Where a workflow holds. It holds nowhere else: what is right in staging may do harm in production.

    Attributes:
        scope: every element must be one of the request's.
        subjects: each must be named by the request, in its scope or besides.
    """

    scope: Scope
    subjects: tuple[Subject, ...]

    def holds_for(self, scope: Scope, named: Collection[Subject]) -> bool:
        """True where this is the request's environment.

        A subject is named by an element `type:id` of the scope too; an element of that type with another value says
        that the request is about something else, whatever is named besides.
        """
        if not self.scope.applies_to(scope):
            return False
        elements = dict(element.split(":", 1) for element in scope.elements)
        return all(
            elements[subject.type] == subject.id if subject.type in elements else subject in named
            for subject in self.subjects
        )

    def has_record(self, scope: Scope, subjects: Collection[Subject]) -> bool:
        """True where a record of this scope and these subjects is surely of this environment.

        Its scope has every element of this one's; of a type that this one names, it names that subject or none. Where
        this one is subjects alone, the record has to name them.
        """
        if not set(self.scope.elements) <= set(scope.elements):
            return False
        named = [*subjects, *(Subject(*element.split(":", 1)) for element in scope.elements)]
        if self.scope.is_empty and not set(self.subjects) <= set(named):
            return False
        of_type = [[each for each in named if each.type == subject.type] for subject in self.subjects]
        return all(not others or subject in others for subject, others in zip(self.subjects, of_type, strict=True))

    def named_in(self, args: Mapping[str, object]) -> frozenset[Subject]:
        """Its subjects that a call's arguments name, each as a whole word."""
        texts = [value for value in list(args.values())[:ARGUMENTS_MAX] if isinstance(value, str)]
        return frozenset(
            subject
            for subject in self.subjects
            if any(_word(subject.id).search(text[:ARGUMENT_CHARACTERS_MAX]) for text in texts)
        )

    def __str__(self) -> str:
        """Its scope elements and subjects, for people."""
        return ", ".join((*self.scope.elements, *(f"{each.type}:{each.id}" for each in self.subjects)))


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)")


@dataclass(frozen=True, slots=True)
class Workflow:
    """A workflow of the registry, written and reviewed by people.

    Attributes:
        intent: the action class that it is for, with what is below it.
        phrases: language code -> how people ask for it besides the class's own phrases.
        reviewed_us, expires_us: it is current from the first until before the second, UTC microseconds.
        evidence: where it was learnt: record ids, titles, addresses.
        mode: the mode that it ships in; the gate takes the lower of it and the class's.
    """

    id: WorkflowId
    description: str
    intent: ActionClassId
    phrases: Mapping[str, tuple[str, ...]]
    environment: Environment
    preconditions: tuple[Precondition, ...]
    steps: tuple[Step, ...]
    exceptions: tuple[Response, ...]
    owner: str
    reviewed_us: int
    expires_us: int
    authority: str
    evidence: tuple[str, ...]
    mode: Mode
    pack: str

    def is_current(self, at_us: int) -> bool:
        """True where it is reviewed and has not expired at that instant."""
        return self.reviewed_us <= at_us < self.expires_us
