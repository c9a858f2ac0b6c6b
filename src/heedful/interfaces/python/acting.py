"""What stands around an action: the methods of Memory that judge it, use its permit, and tell what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heedful.gate.permit import PermitRefused, Redeemed
from heedful.gate.verdict import Verdict
from heedful.interfaces.python.keeping import Keeping
from heedful.service.acting import judge, outcome, redeem
from heedful.service.requests import action_request


class Acting(Keeping):
    """See Memory, which is made of this and more."""

    def judge(
        self,
        tool: str,
        args: Mapping[str, object] | None = None,
        *,
        scope: Sequence[str] | None = None,
        text: str = "",
        packet_id: str | None = None,
        run: str | None = None,
    ) -> Verdict:
        """The gate's answer to a proposed tool call; it is in the ledger before this returns.

        `run`: the run that it is part of; a workflow's steps before this one are looked for there. Where something may
        be executed, `permit.token` is what `redeem` takes.
        """
        request = action_request(self._session, tool, scope=self._scope(scope), args=args, text=text, run=run)
        return judge.judge(self._session, request, packet_id=packet_id)

    def redeem(
        self,
        token: str,
        *,
        tool: str,
        args: Mapping[str, object] | None = None,
        scope: Sequence[str] | None = None,
        run: str | None = None,
    ) -> Redeemed | PermitRefused:
        """That the call may be made now, once, by a permit that `judge` gave; or why not. An executor asks first.

        `outcome` tells the two apart: `redeemed`, or `refused` with a `reason`. A call that was judged as part of a
        `run` is redeemed as part of that run.
        """
        request = action_request(self._session, tool, scope=self._scope(scope), args=args, run=run)
        return redeem.redeem(self._session, token, request)

    def report_outcome(self, verdict_id: str, *, status: str, text: str = "") -> outcome.Reported:
        """The record of what came of an action that was judged."""
        return outcome.report_outcome(self._session, verdict_id, status=status, text=text)
