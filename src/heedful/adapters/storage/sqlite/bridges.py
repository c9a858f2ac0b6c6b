"""What people and models said of bridges: approvals and proposals; see ViewReader."""

from __future__ import annotations

from typing import Any

from heedful.adapters.storage.codec import is_storable
from heedful.adapters.storage.queries import fill
from heedful.adapters.storage.sqlite.statements import Q
from heedful.kernel.ids import PrincipalId, ProposalId
from heedful.ports.store import StoredProposal


class BridgeReading:
    """The part of a reader that is about bridges."""

    _run: Any

    def bridge_approvals(self) -> tuple[tuple[str, PrincipalId], ...]:
        """See ViewReader.bridge_approvals."""
        return tuple(self._run(Q["bridge_approvals"]).fetchall())

    def bridge_proposal(self, proposal_id: ProposalId) -> StoredProposal | None:
        """See ViewReader.bridge_proposal."""
        rows = self._run(Q["bridge_proposal"], (proposal_id,)).fetchall() if is_storable(proposal_id) else ()
        return next((StoredProposal(*row) for row in rows), None)

    def bridge_proposals(
        self, status: str, *, limit: int, newest_first: bool = False, holding: str = ""
    ) -> tuple[StoredProposal, ...]:
        """See ViewReader.bridge_proposals."""
        statement = fill(Q["bridge_proposals"], down=" DESC" if newest_first else "")
        return tuple(StoredProposal(*row) for row in self._run(statement, (status, holding, limit)).fetchall())
