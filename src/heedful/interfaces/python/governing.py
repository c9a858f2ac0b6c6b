"""What people look after: the methods of Memory for bridges, the registry, and why nothing came to mind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from heedful.bootstrap import RegistryFolder
from heedful.bridges.approval import PendingBridge
from heedful.interfaces.python.asking import Asking
from heedful.service.governing import approve_bridge, coverage, disable, mark, propose_bridge
from heedful.service.governing.roll_back import EarlierRegistry, earlier_registry
from heedful.service.learning import gotchas
from heedful.service.recalling import causes, why_not
from heedful.service.requests import memory_request


class Governing(Asking):
    """See Memory, which is made of this and more."""

    def why_not(
        self,
        item_id: str,
        request: str = "",
        *,
        scope: Sequence[str] | None = None,
        tool: str | None = None,
        args: Mapping[str, object] | None = None,
        as_of: str | None = None,
    ) -> why_not.WhyNot:
        """Why a claim does not come to mind for a request, by what stands in its way, and all ways to it.

        Raises:
            NotFoundError: `item_not_found`, also for a claim that this principal may not see.
        """
        asked = memory_request(self._session, request, scope=self._scope(scope), tool=tool, args=args, as_of=as_of)
        return why_not.why_not(self._session, item_id, asked)

    def causes(
        self,
        item_id: str | None = None,
        *,
        subject: str | None = None,
        at: str | None = None,
        scope: Sequence[str] | None = None,
    ) -> causes.Causes:
        """What led to a record and what it led to; or to the last record on a subject (`type/id`), at or before `at`.

        Raises:
            InvalidInputError: `causes_of_what`.
            NotFoundError: `item_not_found`, also for a record that this principal may not see.
        """
        return causes.causes(self._session, item_id, subject=subject, at=at, scope=self._scope(scope))

    def mine_gotchas(self, *, scope: Sequence[str] | None = None) -> gotchas.Mined:
        """What was proposed of failures that were seen again in this scope, and which gotchas no longer hold.

        Nothing becomes active by it.

        Raises:
            ForbiddenError: `kind_denied`.
            InvalidInputError: `kind_unknown` where the registry has no `environment.gotcha`.
        """
        return gotchas.mine(self._session, scope=self._scope(scope))

    def disable_bridge(self, bridge: str, *, reason: str, quarantine: bool = False) -> disable.Disabled:
        """What it did: the bridge is off at once everywhere; with `quarantine`, its claims are set apart.

        Raises:
            NotFoundError: `bridge_not_found`.
        """
        return disable.disable_bridge(self._session, bridge, reason, quarantine=quarantine)

    def enable_bridge(self, bridge: str, *, reason: str) -> bool:
        """True where the bridge had a mode set, which is taken back; quarantined claims stay so.

        Raises:
            NotFoundError: `bridge_not_found`.
        """
        return disable.enable_bridge(self._session, bridge, reason)

    def roll_back_registry(
        self, revision: str, *, to: str | Path | None = None
    ) -> tuple[EarlierRegistry, RegistryFolder | None]:
        """An earlier registry with what going back changes, and what was written to the folder `to`, for git.

        Nothing else is written, and the registry in use stays.

        Raises:
            ConflictError: `registry_folder_taken`.
            FaultError: `registry_not_restored`.
            NotFoundError: `registry_revision_not_found`.
            UnavailableError: `registry_folder_unavailable`.
        """
        earlier = earlier_registry(self._session, revision)
        written = None if to is None else self._app.registry_folder(earlier.body_json, earlier.packs, Path(to))
        return earlier, written

    def mark(self, packet_id: str, cite: str, *, relevant: bool, reason: str) -> mark.Marked:
        """What was marked: whether an item that bridges had brought into a packet was relevant there.

        Raises:
            NotFoundError: `item_not_found`, also for a packet that this person may not see.
            InvalidInputError: `citation_unknown`.
        """
        return mark.mark(self._session, packet_id, cite, relevant=relevant, reason=reason)

    def coverage(self) -> coverage.Coverage:
        """What the bridges leave open, what they brought, and how often people found that relevant."""
        return coverage.coverage(self._session)

    def approve_bridge(self, bridge: str, *, reason: str) -> approve_bridge.BridgeApproved:
        """What the approval of a bridge of the store's own, as it is written now, did.

        Raises:
            ConflictError: `bridge_needs_none`.
            ForbiddenError: `approval_refused` where this person has approved it already.
            NotFoundError: `bridge_not_found`.
        """
        return approve_bridge.approve_bridge(self._session, bridge, reason)

    def pending_bridges(self) -> tuple[PendingBridge, ...]:
        """The bridges that stay in shadow until people approve them."""
        return approve_bridge.pending_bridges(self._session)

    def propose_bridge(self, claim: str) -> propose_bridge.Proposal:
        """What the configured model proposes for a claim; it waits in the review queue, and brings nothing to mind.

        Raises:
            NotFoundError: `item_not_found`.
            UnsupportedError: `proposer_missing`.
            UnavailableError: `proposer_unavailable`.
        """
        return propose_bridge.propose_bridge(self._session, self._app.proposer, claim)
