"""Status: what a tenant's store holds. Counts are for those who may audit; others see only their own position."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.claims.layers import Layer, layer_of_form
from heedful.policy.decide import may
from heedful.ports.store import Chain, ModeSetting, Reading
from heedful.service.maintain import JobStatus, jobs_now
from heedful.service.session import Session


@dataclass(frozen=True, slots=True)
class Status:
    """What a tenant's store holds.

    Attributes:
        ledger_position, access_position: where the chains end; None for those who may not audit.
        counts: rows by name; empty for those who may not audit, since a count tells of what they may not see.
        layers: how much is in each layer of memory (docs/layers.md): records that are evidence, and claims that wait or
            are active; empty for those who may not audit.
        jobs: how background work stands; empty for those who may neither maintain nor audit.
        registry: how much of everything the registry has, one sentence.
    """

    tenant: str
    created_at_us: int
    ledger_position: int | None
    access_position: int | None
    counts: dict[str, int]
    registry_revision: str
    registry: str
    modes: tuple[ModeSetting, ...]
    layers: dict[str, int]
    jobs: tuple[JobStatus, ...] = ()


def status(session: Session) -> Status:
    """What the tenant's store holds now.

    Raises:
        ForbiddenError: `principal_may_not` for whom policy does not name.
    """
    session.require("recall")
    registry = session.registry
    audits = may(registry.policy, session.principal, "audit").allowed
    with session.store.read() as reading:
        ledger, access = reading.head(Chain.LEDGER), reading.head(Chain.ACCESS)
        counts = reading.counts() if audits else {}
        layers = _layers(reading, counts) if audits else {}
        modes = reading.modes()
        jobs = jobs_now(session, reading)
    vocabulary = registry.vocabulary
    sentence = (
        f"{len(vocabulary.action_classes)} action classes, {len(vocabulary.kinds)} kinds, "
        f"{len(registry.bridges)} bridges, {len(registry.policy.tools)} tool patterns"
    )
    return Status(
        tenant=session.store.tenant.name,
        created_at_us=session.store.tenant.created_at_us,
        ledger_position=ledger.position if audits else None,
        access_position=access.position if audits else None,
        counts=counts,
        registry_revision=registry.revision,
        registry=sentence,
        modes=modes,
        layers=layers,
        jobs=jobs,
    )


def _layers(reading: Reading, counts: dict[str, int]) -> dict[str, int]:
    layers = dict.fromkeys((layer.value for layer in Layer), 0)
    evident = counts["records"] - counts["records.pending"] - counts["records.withdrawn"]
    layers[Layer.CONTEXT] = reading.records_of_newest_run()
    layers[Layer.EPISODIC] = evident - layers[Layer.CONTEXT]
    for form, scope, count in reading.forms_held():
        layers[layer_of_form(form, scope)] += count
    return layers
