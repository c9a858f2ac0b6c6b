"""Packet: the labelled, budgeted answer of recall. Answers cite its keys."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from heedful.kernel.canonical import canonical_fields
from heedful.kernel.frozen import quickly_made
from heedful.kernel.ids import ActionClassId, PacketId, Revision
from heedful.kernel.ladder import Classification, Decision, Mode


class SufficiencyLabel(StrEnum):
    """Whether what was found is enough for what was asked (seed 003)."""

    SUFFICIENT = "sufficient"
    SUFFICIENT_AFTER_EXPANSION = "sufficient-after-expansion"
    INSUFFICIENT = "insufficient"
    STALE = "stale"
    REVOKED = "revoked"
    HUMAN_REVIEW_REQUIRED = "human-review-required"


@quickly_made
@dataclass(frozen=True, slots=True)
class BridgeNote:
    """What brought a decision state to mind.

    Attributes:
        claim_id: the claim that it brought; of one item's words several may rest, each of another kind.
        reason, via: empty where the item is brief.
    """

    claim_id: str
    bridge_id: str
    action_class: str
    effect: Decision
    mode: Mode
    reason: str
    via: str


Currency = Literal["current", "historical", "changing"]
"""Whether a claim holds now (`current`), held once and has ended (`historical`), or is known to be out of date while
nothing tells what holds instead (`changing`)."""


@dataclass(frozen=True, slots=True)
class Change:
    """The change between an old value and a new one: neither of the two, but what lies between them.

    Attributes:
        how: `changed` (the old one held until then), `corrected` (it never held), `ground` (what it rests on changed).
        subject, property: of what changed; empty where the requester may not see that.
        old_value, new_value: as texts; None: not known, or not seen.
        at: since when the new one holds, or when it became known, ISO 8601; None: not known.
        record_id: by which the new one is known; None: not known, or not seen.
        old_claim_id: of the claim that ended; None: not seen.
    """

    how: Literal["changed", "corrected", "ground"]
    subject: str
    property: str
    old_value: str | None
    new_value: str | None
    at: str | None
    record_id: str | None
    old_claim_id: str | None


@dataclass(frozen=True, slots=True)
class ConflictNote:
    """Another claim says otherwise, and nobody has said yet which is so; see docs/conflicts.md.

    Attributes:
        claim_id: the other one.
        because: the rule by which a person is asked.
    """

    conflict_id: str
    claim_id: str
    because: str


@quickly_made
@dataclass(frozen=True, slots=True)
class PacketItem:
    """One thing to know.

    Attributes:
        cite: the key that an answer cites, `[1]` is `1`.
        item: a claim or a record with its id; a workflow of the registry, or one that is proposed, with its.
        role: `rule` binds, `fact` is held to be so, `data` is what somebody or something said.
        text: the exact statement or excerpt.
        source: who said it, where, when; for people.
        evidence: ids of the records behind a claim.
        tier: 1 to 4 for a claim, None for a record.
        valid_from, valid_to, occurred_at: ISO 8601, or None.
        unreviewed: True: never more than caution.
        supports: for a question of experience, whether it proves the answer (True) or is context; None elsewhere.
        bridges: empty for what ordinary retrieval found.
        score: of retrieval, rounded to 6 places; None for what came over a bridge or by rank. It orders; it is no
            probability.
        reason: why it is here, for people, where no bridge says so; empty where it was merely found.
        conflicts: of a claim, those that are open; its flag `contradicted` says so too.
        currency: of a claim, and of a record that tells an old value alone; None: nothing says.
        value: of a claim, as text; None where the statement alone says it.
        change: from what was before, where that is known and may be seen; of a changing one, what it rested on.
    """

    cite: str
    item: Literal["claim", "record", "workflow", "proposal"]
    item_id: str
    role: Literal["rule", "fact", "data"]
    kind: str
    text: str
    source: str
    evidence: tuple[str, ...]
    scope: tuple[str, ...]
    classification: Classification
    tier: int | None
    confidence: float
    valid_from: str | None
    valid_to: str | None
    occurred_at: str | None
    unreviewed: bool
    flags: tuple[str, ...]
    bridges: tuple[BridgeNote, ...]
    score: float | None
    supports: bool | None = None
    reason: str = ""
    conflicts: tuple[ConflictNote, ...] = ()
    currency: Currency | None = None
    value: str | None = None
    change: Change | None = None


@dataclass(frozen=True, slots=True)
class Packet:
    """The answer of recall.

    Attributes:
        decision: what the decision states in mind ask for, in modes above shadow.
        would_be: the same with shadow ones counted; equal to `decision` where there are none.
        ledger_position: the visible position: how many searchable things the requester could see.
        left_out: cite-less item ids that did not fit the budget, in order.
        tokens: estimated, of the prompt rendering.
        degraded: parts of retrieval that failed; never empty silently.
        advice: sentences for the agent: no bridge, what the class says to do then.
        task_class: of the question, as asked or recognised.
        router: identity of the classifier that read the request's words; empty: none did.
        known_at: as far as was known at this instant, ISO 8601; None: all that was known when it was asked.
    """

    packet_id: PacketId
    question: str
    scope: tuple[str, ...]
    action_classes: tuple[ActionClassId, ...]
    registry_revision: Revision
    ledger_position: int
    as_of: str
    sufficiency: SufficiencyLabel
    sufficiency_reasons: tuple[str, ...]
    decision: Decision
    would_be: Decision
    items: tuple[PacketItem, ...]
    left_out: tuple[str, ...]
    budget_tokens: int
    tokens: int
    degraded: tuple[str, ...]
    advice: tuple[str, ...]
    router: str = ""
    task_class: str = "general"
    known_at: str | None = None


def packet_bytes(packet: Packet) -> bytes:
    """The canonical bytes of the packet's fields."""
    # All its numbers: the texts are long, and need not be searched for any.
    of_items = (number for item in packet.items for number in (item.tier, item.confidence, item.score))
    return canonical_fields(packet, (packet.ledger_position, packet.budget_tokens, packet.tokens, *of_items))
