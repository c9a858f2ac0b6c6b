"""The closed set of event types: what can happen in Heedful, and what each leaves in the ledger.

Payloads are erasable; nothing of them is in the chained envelope but a salted digest. Every class is registered
by name and version in registry.py, and described in docs/events.md (a test compares).
"""

from __future__ import annotations

from dataclasses import dataclass

from heedful.kernel.frozen import quickly_made
from heedful.kernel.ids import (
    ActionClassId,
    BridgeId,
    ClaimId,
    KindId,
    PacketId,
    PrincipalId,
    ProposalId,
    RecordId,
    Revision,
    RunId,
    VerdictId,
)
from heedful.kernel.ladder import Classification, Consent, Decision, Impact, Mode, Tier
from heedful.kernel.scope import Scope
from heedful.ledger.belief_events import BeliefEvent
from heedful.ledger.erasure_events import ErasureEvent
from heedful.ledger.merge_events import MergeEvent
from heedful.ledger.permit_events import PermitIssued, PermitRedeemed, RedemptionRefused
from heedful.ledger.workflow_events import WorkflowProposalDecided, WorkflowProposed
from heedful.observations.record import Record

JsonScalar = str | int | float | bool


@dataclass(frozen=True, slots=True)
class TenantCreated:
    """The first event of a tenant: who made it, and by what its key is known; None: made before keys were checked."""

    name: str
    principal: PrincipalId
    key_check: str | None


@quickly_made
@dataclass(frozen=True, slots=True)
class RecordAdmitted:
    """A record was kept, and is evidence from now on."""

    record: Record
    reasons: tuple[str, ...]


@quickly_made
@dataclass(frozen=True, slots=True)
class RecordPending:
    """A record was kept apart until a person or a second source confirms it."""

    record: Record
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecordConfirmed:
    """A pending record became evidence."""

    record_id: RecordId
    actor: PrincipalId
    reason: str


@dataclass(frozen=True, slots=True)
class RecordRefused:
    """Something was not kept; its content is not here, only why."""

    record_id: RecordId
    source_ref: str | None
    principal: PrincipalId
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecordWithdrawn:
    """A record is no evidence any more: consent was withdrawn, the source corrected, or a person rejected it."""

    record_id: RecordId
    actor: PrincipalId
    reason: str


@dataclass(frozen=True, slots=True)
class ClaimProposed:
    """A statement was proposed, with the records that it rests on.

    Times are UTC microseconds; None is open. `proposed_by` is who asked, `told_by` what found it in the record's words
    (None: somebody named its kind), `replaces` the active claims that end when it is approved, `rests_on` those that
    it is so only as long as they are.
    """

    claim_id: ClaimId
    form: str
    kind: KindId
    subject: str
    property: str
    value: JsonScalar
    statement: str
    scope: Scope
    classification: Classification
    consent: Consent
    tier: Tier
    confidence: float
    visibility: str
    applies_to: tuple[ActionClassId, ...]
    not_for: tuple[ActionClassId, ...]
    valid_from_us: int | None
    valid_to_us: int | None
    evidence: tuple[RecordId, ...]
    proposed_by: PrincipalId
    registry_revision: Revision
    told_by: str | None
    replaces: tuple[ClaimId, ...]
    rests_on: tuple[ClaimId, ...]


@dataclass(frozen=True, slots=True)
class ClaimTransitioned:
    """A claim moved from one status to another, by somebody, for a reason."""

    claim_id: ClaimId
    from_status: str
    to_status: str
    actor: PrincipalId
    reason: str


@dataclass(frozen=True, slots=True)
class ClaimApproved:
    """One of the approvals that a claim needs was given; the transition follows when all are there."""

    claim_id: ClaimId
    actor: PrincipalId
    reason: str


@dataclass(frozen=True, slots=True)
class RegistryAdopted:
    """A registry revision was seen for the first time; its body is kept by hash."""

    revision: Revision
    body_json: str


@dataclass(frozen=True, slots=True)
class RegistryModeSet:
    """A person set the mode of a bridge, an action class or the pre-router; `mode` None takes that back."""

    target_type: str
    target_id: str
    mode: Mode | None
    actor: PrincipalId
    reason: str


@dataclass(frozen=True, slots=True)
class RegistryBridgeApproved:
    """A person approved a bridge of the store's own, as it is written: `bridge_digest` is the hash of its entry."""

    bridge_id: BridgeId
    bridge_digest: str
    actor: PrincipalId
    reason: str


@dataclass(frozen=True, slots=True)
class BridgeProposed:
    """A model answered which action classes a claim matters for. It is a proposal for people, and brings nothing.

    `model` and `prompt_digest` (SHA-256 of what it was asked) say whose word it is; `proposal_json` is what is left of
    its answer after it was checked, canonical.
    """

    proposal_id: ProposalId
    claim_id: ClaimId
    model: str
    prompt_digest: str
    asked_by: PrincipalId
    registry_revision: Revision
    proposal_json: str


@dataclass(frozen=True, slots=True)
class BridgeProposalDecided:
    """A person said what becomes of a proposal. An approved one is for somebody to write into the registry."""

    proposal_id: ProposalId
    approved: bool
    actor: PrincipalId
    reason: str


@dataclass(frozen=True, slots=True)
class ActivationMarked:
    """A person said whether what bridges had brought into a packet was relevant there.

    `bridge_ids` are those that brought the claim, `registry_revision` is the packet's.
    """

    packet_id: PacketId
    cite: str
    claim_id: ClaimId
    bridge_ids: tuple[BridgeId, ...]
    registry_revision: Revision
    relevant: bool
    actor: PrincipalId
    reason: str


@dataclass(frozen=True, slots=True)
class VerdictJudged:
    """The gate answered, before anything was done. `verdict_json` is the whole verdict, canonical."""

    verdict_id: VerdictId
    principal: PrincipalId
    action_digest: str
    impact: Impact
    decision: Decision
    scope: Scope
    registry_revision: Revision
    verdict_json: str


@dataclass(frozen=True, slots=True)
class OutcomeReported:
    """What came of an action; the record holds what was said of it."""

    verdict_id: VerdictId
    record_id: RecordId
    status: str


@dataclass(frozen=True, slots=True)
class ImportFinished:
    """A file was read to its end: counts by kind, so that nothing is lost silently."""

    importer: str
    source_name: str
    run_ids: tuple[RunId, ...]
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class PacketAssembled:
    """In the access chain: who was handed what. `packet_json` is the packet, byte for byte.

    `asked_json` is the request that asked for it, without secrets, and where the ledger ended then; None: it was made
    before requests were kept, or too long to be kept.
    """

    packet_id: PacketId
    principal: PrincipalId
    scope: Scope
    packet_json: str
    asked_json: str | None


Event = (
    TenantCreated
    | RecordAdmitted
    | RecordPending
    | RecordConfirmed
    | RecordRefused
    | RecordWithdrawn
    | ClaimProposed
    | ClaimTransitioned
    | ClaimApproved
    | BeliefEvent
    | MergeEvent
    | RegistryAdopted
    | RegistryModeSet
    | RegistryBridgeApproved
    | BridgeProposed
    | BridgeProposalDecided
    | WorkflowProposed
    | WorkflowProposalDecided
    | ActivationMarked
    | VerdictJudged
    | PermitIssued
    | PermitRedeemed
    | RedemptionRefused
    | OutcomeReported
    | ImportFinished
    | ErasureEvent
)
AccessEvent = PacketAssembled
AnyEvent = Event | AccessEvent
