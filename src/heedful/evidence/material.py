"""Material: everything that a packet is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from heedful.bridges.request import Activations
from heedful.claims.claim import Claim
from heedful.evidence.grounds.told import NOTHING_TOLD, Told
from heedful.evidence.packet import Change, ConflictNote
from heedful.evidence.sufficiency import Sufficiency
from heedful.kernel.ids import ActionClassId, ClaimId, RecordId, Revision
from heedful.kernel.ladder import Decision
from heedful.observations.record import Record
from heedful.recall.request import TaskClass
from heedful.recall.select import Selection


@dataclass(frozen=True, slots=True)
class ExperienceFound:
    """What the events around a question came to.

    Attributes:
        reasons: of each event, why it is grounds or context.
    """

    task_class: TaskClass
    decision: Decision
    support: frozenset[RecordId]
    reasons: Mapping[RecordId, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that a packet is made of; the requester may see all of it.

    Attributes:
        action_classes: that the request decides, surest first.
        rules: standing claims that bind here, found without words (SYSTEM and OPERATOR rules), in ledger order.
        selection: what retrieval found, in order.
        grounds: the records at hand that claims rest on.
        texts: of records whose content lies in the blob store.
        ledger_position: the visible position.
        degraded: parts of retrieval that failed.
        router: identity of the classifier that read the request; empty: none did.
        experience: of a question of experience, its class, what it asks for, and the records that prove its answer.
        provisional: of the claims here, gotchas and premises that one observation alone tells.
        retired: gotchas and premises that a question speaks of and that no longer hold.
        told: states and workflows that bear on the request.
        conflicts: of the claims here, those that are open.
        changing: claims that bear on it and are known to be out of date; they come last, and answer nothing.
        changes: claim -> the change that it came with; old: record -> the change by which it is over.
        taken_back: records that say only what was taken back; they come last of what was found, and answer nothing.
        held_back: claims in mind that are not shown, as their untrusted source has its share; they still ask.
    """

    action_classes: tuple[ActionClassId, ...]
    activations: Activations
    rules: tuple[Claim, ...]
    selection: Selection
    grounds: Mapping[RecordId, Record]
    texts: Mapping[RecordId, str]
    sufficiency: Sufficiency
    registry_revision: Revision
    ledger_position: int
    degraded: tuple[str, ...]
    router: str = ""
    experience: ExperienceFound | None = None
    provisional: frozenset[ClaimId] = frozenset()
    retired: tuple[Claim, ...] = ()
    told: Told = NOTHING_TOLD
    conflicts: Mapping[ClaimId, tuple[ConflictNote, ...]] = field(default_factory=dict)
    changing: tuple[Claim, ...] = ()
    changes: Mapping[str, Change] = field(default_factory=dict)
    old: Mapping[str, Change] = field(default_factory=dict)
    taken_back: frozenset[str] = frozenset()
    held_back: frozenset[ClaimId] = frozenset()
