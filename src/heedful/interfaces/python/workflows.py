"""Workflows: the methods of Memory that read them, and that propose one from runs."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.claims.projections.workflow import Workflow
from heedful.interfaces.python.governing import Governing
from heedful.service.learning import workflow as service
from heedful.service.learning.mine_workflows import MiningReport, workflow_mine
from heedful.service.requests import memory_request


class Workflows(Governing):
    """See Memory, which is made of this and more."""

    def workflow_list(
        self,
        request: str = "",
        *,
        intent: str | None = None,
        subjects: Sequence[str] = (),
        scope: Sequence[str] | None = None,
    ) -> service.WorkflowsFound:
        """The reviewed workflows for a request or an action class in this environment, else what is missing.

        `subjects`: `type:id` texts, such as `cluster:eu-1`. Without request and intent: all of this environment.

        Raises:
            InvalidInputError: `scope_empty`, `action_class_unknown`, `subject_malformed`.
        """
        asked = memory_request(self._session, request, scope=self._scope(scope), action_class=intent)
        return service.workflow_list(self._session, asked, service.subjects_of(subjects))

    def workflow_show(
        self, workflow: str, *, subjects: Sequence[str] = (), scope: Sequence[str] | None = None
    ) -> Workflow:
        """The workflow of that id, where it is of this environment; also one that has expired.

        Raises:
            NotFoundError: `workflow_not_found`, also for one of another environment.
        """
        asked = memory_request(self._session, "", scope=self._scope(scope))
        return service.workflow_show(self._session, workflow, asked, service.subjects_of(subjects))

    def workflow_mine(self, *, scope: Sequence[str] | None = None) -> MiningReport:
        """What the runs in this scope show: workflows are proposed to people, and none is in force by it.

        Raises:
            InvalidInputError: `scope_empty`.
        """
        return workflow_mine(self._session, scope=self._scope(scope))

    def workflow_next(
        self,
        run: str,
        request: str = "",
        *,
        workflow: str | None = None,
        intent: str | None = None,
        subjects: Sequence[str] = (),
        scope: Sequence[str] | None = None,
    ) -> service.NextStep:
        """The step that a run is to do now, by its records, or what is missing. It makes no call.

        Raises:
            NotFoundError: `workflow_not_found` for one that is named.
        """
        asked = memory_request(self._session, request, scope=self._scope(scope), action_class=intent)
        return service.workflow_next(
            self._session, run, asked, workflow=workflow, subjects=service.subjects_of(subjects)
        )
