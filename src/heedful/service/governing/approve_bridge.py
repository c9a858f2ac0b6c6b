"""Approve a bridge: people say yes to a bridge of the store's own as it is written; until then it stays in shadow."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.bridges.approval import PendingBridge, approvals_needed, bridges_to_approve, pending_of
from heedful.bridges.registry import Registry
from heedful.kernel.errors import ConflictError, ForbiddenError, NotFoundError
from heedful.kernel.ids import BridgeId
from heedful.ledger.events import RegistryBridgeApproved
from heedful.observations.names import shown
from heedful.ports.store import Reading, Writing
from heedful.service.requests import reason_text
from heedful.service.session import Session


@dataclass(frozen=True, slots=True)
class BridgeApproved:
    """What an approval did.

    Attributes:
        approvals_missing: how many further people have to approve it; 0: it has its own mode from now on.
        solo: True: one person's is enough because one person runs this store; the ledger says so.
    """

    bridge_id: BridgeId
    digest: str
    approvals_missing: int
    solo: bool


def approve_bridge(session: Session, bridge: str, reason: str) -> BridgeApproved:
    """What the approval of a bridge, as the registry in use has it, did.

    Raises:
        ForbiddenError: `principal_may_not`; `approval_refused` where this person has approved it already.
        NotFoundError: `bridge_not_found`.
        ConflictError: `bridge_needs_none` where it is as it came with a release, or policy asks for no approval of it.
    """
    session.require("approve")
    noted = reason_text(reason)
    found = session.registry.bridges.get(BridgeId(bridge))
    if found is None:
        raise NotFoundError(
            "bridge_not_found",
            f"no bridge {shown(bridge)!r} is in the registry",
            next_step="`heedful registry pending` lists those that wait",
            details={"bridge": shown(bridge)},
        )
    needed, digest = approvals_needed(found, session.registry.policy), found.digest
    if digest is None or not needed:
        raise ConflictError(
            "bridge_needs_none",
            f"bridge {bridge} needs no approval: it came with a release, or policy asks for none",
            next_step="`heedful registry pending` lists those that wait",
            details={"bridge": bridge},
        )
    solo = session.registry.policy.solo and found.risk == "high"
    event = RegistryBridgeApproved(found.id, digest, session.principal, f"{noted} (solo)" if solo else noted)

    def approve(writing: Writing) -> int:
        by = {actor for approved, actor in writing.bridge_approvals() if approved == digest}
        if session.principal in by:
            raise ForbiddenError(
                "approval_refused",
                "this approval does not count: already-approved",
                next_step="another person has to approve",
                details={"bridge": bridge, "why": "already-approved"},
            )
        session.append(writing, [event])
        return max(0, needed - len(by) - 1)

    return BridgeApproved(found.id, digest, session.store.write(approve), solo)


def pending_bridges(session: Session) -> tuple[PendingBridge, ...]:
    """The bridges that stay in shadow until people approve them, in order of id.

    Raises:
        ForbiddenError: `principal_may_not`.
    """
    session.require("approve")
    with session.store.read() as reading:
        return pending_now(reading, session.registry)


def pending_now(reading: Reading, registry: Registry) -> tuple[PendingBridge, ...]:
    """The same, for whoever is asked; a registry in which nothing needs an approval asks nothing of the store."""
    return pending_of(registry, reading.bridge_approvals()) if bridges_to_approve(registry) else ()
