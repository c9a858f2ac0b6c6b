"""Coverage: what the bridges leave open, what they did, and how often people found that relevant."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import msgspec

from heedful.bridges.coverage import Gaps, gaps_of
from heedful.bridges.registry import Registry
from heedful.bridges.vocabulary import covers
from heedful.kernel.ids import ActionClassId, BridgeId, Revision
from heedful.ledger.events import ActivationMarked, PacketAssembled
from heedful.ports.store import Chain
from heedful.service.session import Session
from heedful.service.walk import pages

DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Use:
    """What a bridge did under one registry revision.

    Attributes:
        activations: items of packets that it brought.
        marked, relevant: marks by people, and those of them that say relevant.
        precision: relevant / marked; None: nobody has marked anything.
    """

    revision: Revision
    activations: int
    marked: int
    relevant: int
    precision: float | None


@dataclass(frozen=True, slots=True)
class BridgeUse:
    """What a bridge did, over all registries; `revisions` has each apart, in order of their first use."""

    bridge_id: BridgeId
    in_registry: bool
    activations: int
    marked: int
    relevant: int
    precision: float | None
    revisions: tuple[Use, ...]


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what may hurt the bridges cover, and how well.

    Attributes:
        packets: how many were looked at: all of the access chain.
        classes_never_hit: no packet was taken for them, or for one below.
        bridges_never_hit: of the registry, those that brought nothing into any packet.
        bridges_only_wrong: people marked what they brought, and each time as irrelevant.
        bridges: that brought something or were marked, the most active first.
    """

    revision: Revision
    gaps: Gaps
    packets: int
    classes_never_hit: tuple[ActionClassId, ...]
    bridges_never_hit: tuple[BridgeId, ...]
    bridges_only_wrong: tuple[BridgeId, ...]
    bridges: tuple[BridgeUse, ...]


@dataclass(slots=True)
class _Counts:
    """Counted while walking; `marks` holds the last of each person for each item."""

    packets: int = 0
    classes: set[str] = field(default_factory=set)
    activations: Counter[tuple[BridgeId, Revision]] = field(default_factory=Counter)
    marks: dict[tuple[str, str, str], ActivationMarked] = field(default_factory=dict)
    revisions: dict[Revision, None] = field(default_factory=dict)


def coverage(session: Session) -> Coverage:
    """The report for the registry in use, over every packet and mark of the tenant.

    Raises:
        ForbiddenError: `principal_may_not`: it counts what others were handed, so it takes an owner or auditor.
    """
    session.require("audit")
    session.access.flush()
    counts = _Counts()
    for page in pages(session, Chain.ACCESS, "packet.assembled"):
        for _, event in page:
            assert isinstance(event, PacketAssembled)
            _count_packet(counts, msgspec.json.decode(event.packet_json))
    for page in pages(session, Chain.LEDGER, "activation.marked"):
        for _, event in page:
            assert isinstance(event, ActivationMarked)
            counts.marks[event.packet_id, event.cite, event.actor] = event
            counts.revisions.setdefault(event.registry_revision)
    return _report(session.registry, counts)


def _count_packet(counts: _Counts, packet: dict[str, Any]) -> None:
    revision = Revision(packet["registry_revision"])
    counts.packets += 1
    counts.classes.update(packet["action_classes"])
    counts.revisions.setdefault(revision)
    for item in packet["items"]:
        for bridge_id in {BridgeId(note["bridge_id"]) for note in item["bridges"]}:
            counts.activations[bridge_id, revision] += 1


def _report(registry: Registry, counts: _Counts) -> Coverage:
    marked: Counter[tuple[BridgeId, Revision]] = Counter()
    relevant: Counter[tuple[BridgeId, Revision]] = Counter()
    for mark in counts.marks.values():
        for bridge_id in mark.bridge_ids:
            marked[bridge_id, mark.registry_revision] += 1
            relevant[bridge_id, mark.registry_revision] += mark.relevant
    named = {bridge_id for bridge_id, _ in (*counts.activations, *marked)}
    uses = [_bridge_use(registry, bridge_id, counts, marked, relevant) for bridge_id in named]
    return Coverage(
        revision=registry.revision,
        gaps=gaps_of(registry),
        packets=counts.packets,
        classes_never_hit=tuple(
            name
            for name in sorted(registry.vocabulary.action_classes)
            if not any(covers(name, each) for each in counts.classes)
        ),
        bridges_never_hit=tuple(
            bridge_id
            for bridge_id in sorted(registry.bridges)
            if bridge_id not in {each for each, _ in counts.activations}
        ),
        bridges_only_wrong=tuple(sorted(use.bridge_id for use in uses if use.marked and not use.relevant)),
        bridges=tuple(sorted(uses, key=lambda use: (-use.activations, use.bridge_id))),
    )


def _bridge_use(
    registry: Registry,
    bridge_id: BridgeId,
    counts: _Counts,
    marked: Counter[tuple[BridgeId, Revision]],
    relevant: Counter[tuple[BridgeId, Revision]],
) -> BridgeUse:
    revisions = tuple(
        Use(
            revision,
            counts.activations[key],
            marked[key],
            relevant[key],
            _precision(relevant[key], marked[key]),
        )
        for revision in counts.revisions
        if counts.activations[key := (bridge_id, revision)] or marked[key]
    )
    total, right = sum(use.marked for use in revisions), sum(use.relevant for use in revisions)
    return BridgeUse(
        bridge_id=bridge_id,
        in_registry=bridge_id in registry.bridges,
        activations=sum(use.activations for use in revisions),
        marked=total,
        relevant=right,
        precision=_precision(right, total),
        revisions=revisions,
    )


def _precision(relevant: int, marked: int) -> float | None:
    return round(relevant / marked, DECIMALS) if marked else None
