"""Approval of bridges: those of a store's own that matter stay in shadow until people have approved them as written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from heedful.bridges.bridge import Bridge
from heedful.bridges.registry import Registry
from heedful.bridges.request import Modes
from heedful.kernel.ids import BridgeId, PrincipalId
from heedful.kernel.ladder import Mode, lower
from heedful.policy.model import Policy

HIGH_RISK = "high"
HIGH_RISK_APPROVALS = 2
"""Of different people; one where one person runs the store."""


@dataclass(frozen=True, slots=True)
class PendingBridge:
    """A bridge that waits.

    Attributes:
        digest: of the bridge as it is written now; what was approved before it changed does not count.
        approved_by: who has approved it so far, in order.
        needed: how many people have to.
    """

    bridge_id: BridgeId
    digest: str
    risk: str
    approved_by: tuple[PrincipalId, ...]
    needed: int


def approvals_needed(bridge: Bridge, policy: Policy) -> int:
    """How many people have to approve the bridge before it leaves shadow; 0: nobody has to."""
    if bridge.digest is None:
        return 0
    if bridge.risk == HIGH_RISK:
        return 1 if policy.solo else HIGH_RISK_APPROVALS
    return 1 if policy.bridge_approval == "all" else 0


def bridges_to_approve(registry: Registry) -> tuple[Bridge, ...]:
    """The bridges that need an approval, in order of id, whether they have it or not."""
    return tuple(bridge for bridge in registry.index.own_bridges if approvals_needed(bridge, registry.policy))


def pending_of(registry: Registry, approvals: Iterable[tuple[str, PrincipalId]]) -> tuple[PendingBridge, ...]:
    """The bridges that wait for more approvals, in order of id; `approvals` are (digest, who)."""
    approved: dict[str, list[PrincipalId]] = {}
    for digest, actor in approvals:
        approved.setdefault(digest, []).append(actor)
    waiting: list[PendingBridge] = []
    for bridge in bridges_to_approve(registry):
        needed, digest = approvals_needed(bridge, registry.policy), bridge.digest or ""
        by = tuple(sorted(set(approved.get(digest, ()))))
        if len(by) < needed:
            waiting.append(PendingBridge(bridge.id, digest, bridge.risk, by, needed))
    return tuple(waiting)


def with_pending_in_shadow(modes: Modes, registry: Registry, pending: Iterable[PendingBridge]) -> Modes:
    """The modes, in which no bridge that waits is above shadow; one that is off stays off."""
    lowered = {
        each.bridge_id: lower(Mode.SHADOW, modes.bridges.get(each.bridge_id, registry.bridges[each.bridge_id].mode))
        for each in pending
    }
    return replace(modes, bridges={**modes.bridges, **lowered}) if lowered else modes
