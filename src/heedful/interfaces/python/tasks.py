"""Tasks: the methods of Memory about the working state of one task."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.interfaces.python.keeping import Keeping
from heedful.ledger.events import JsonScalar
from heedful.service.keeping.remember import Remembered
from heedful.service.tasks import task as service
from heedful.service.tasks.task_end import TaskEnded, end
from heedful.service.tasks.task_parts import TaskEntry


class Tasks(Keeping):
    """See Memory, which is made of this and more."""

    def task_add(
        self,
        task: str,
        text: str,
        *,
        part: str = "todo",
        kind: str | None = None,
        subject: str | None = None,
        property_name: str | None = None,
        value: JsonScalar | None = None,
        since: str | None = None,
        until: str | None = None,
        evidence: Sequence[str] = (),
        scope: Sequence[str] | None = None,
    ) -> Remembered:
        """What was kept as a `plan`, `todo`, `constraint` or `fact` of the task; kind to evidence are a fact's.

        Raises:
            ConflictError: `task_ended`.
            InvalidInputError: `choice_unknown`, `fact_only`, `evidence_unfit`, those of `remember`.
            NotFoundError: `item_not_found` for evidence.
        """
        fact = service.FactTexts(
            kind=kind,
            subject=subject,
            property_name=property_name,
            value=value,
            since=since,
            until=until,
            evidence=tuple(evidence),
        )
        return service.add(self._session, task, text, part=part, scope=self._scope(scope), fact=fact)

    def task_done(self, task: str, claim: str, *, scope: Sequence[str] | None = None) -> TaskEntry:
        """The to-do, which is done from now on.

        Raises:
            NotFoundError: `item_not_found`.
            ConflictError: `todo_over`.
        """
        return service.done(self._session, task, claim, scope=self._scope(scope))

    def task_show(self, task: str, *, scope: Sequence[str] | None = None) -> service.TaskState:
        """The task's plan, to-do list, constraints and facts."""
        return service.show(self._session, task, scope=self._scope(scope))

    def task_end(self, task: str, *, reason: str = "finished", scope: Sequence[str] | None = None) -> TaskEnded:
        """What was dropped, kept and promoted by rule, and what was not done. [Layers](docs/layers.md)

        Raises:
            ConflictError: `task_ended`.
        """
        return end(self._session, task, reason, scope=self._scope(scope))
