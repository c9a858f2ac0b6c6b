"""What people and models said of bridges: modes, approvals and proposals; see ViewReader and Writing."""

from __future__ import annotations

from typing import Any

from heedful.adapters.storage.codec import is_storable
from heedful.adapters.storage.queries import fill
from heedful.adapters.storage.sqlite.statements import Q
from heedful.kernel.ids import PrincipalId, ProposalId
from heedful.kernel.ladder import Mode
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


class BridgeWriting:
    """The part of a writer that is about bridges."""

    _run: Any

    def put_mode(self, target_type: str, target_id: str, mode: Mode | None) -> None:
        """See Writing.put_mode."""
        if mode is None:
            self._run(Q["delete_mode"], (target_type, target_id))
        else:
            self._run(Q["put_mode"], (target_type, target_id, mode.value))

    def put_bridge_approval(self, bridge_digest: str, actor: PrincipalId) -> None:
        """See Writing.put_bridge_approval."""
        self._run(Q["put_bridge_approval"], (bridge_digest, actor))

    def put_bridge_proposal(self, proposal: StoredProposal) -> None:
        """See Writing.put_bridge_proposal."""
        row = (proposal.proposal_id, proposal.position, proposal.status, proposal.proposal_json)
        self._run(Q["put_bridge_proposal"], row)
