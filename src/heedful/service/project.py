"""Project: one ledger event -> the change of the views, in the event's own transaction; and the refold of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import assert_never

from heedful.claims import fold
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.ids import ProposalId, RecordId
from heedful.ledger import events
from heedful.ledger.belief_events import BeliefEvent
from heedful.ledger.erased import NOTHING_ERASED, Erased, event_there
from heedful.ledger.erasure_events import ErasureEvent
from heedful.ledger.events import Event
from heedful.ledger.merge_events import MergeEvent
from heedful.ledger.opened import opened
from heedful.ledger.permit_events import PermitIssued, PermitRedeemed, RedemptionRefused
from heedful.ledger.seal import SealedEvent
from heedful.ledger.workflow_events import WorkflowProposalDecided, WorkflowProposed
from heedful.observations.record import Record, RecordStatus
from heedful.observations.text import search_tokens
from heedful.ports.embedder import Embedder
from heedful.ports.store import (
    Chain,
    SearchRow,
    StoredPermit,
    StoredProposal,
    StoredRecord,
    StoredVerdict,
    VectorRow,
    Writing,
)
from heedful.service.dated import day_tokens
from heedful.service.passages import TextOf, record_passage
from heedful.service.project_claims import claim_there, put_belief, put_claim, put_search_row
from heedful.service.project_erasure import erased_in, project_erasure

__all__ = ["TextOf", "clear_folded", "event_of", "fold_event", "project", "refold"]


def project(  # noqa: C901, PLR0912, PLR0917  # one case an event; what it is made of
    writing: Writing, event: Event, position: int, recorded_at_us: int, text_of: TextOf, passages: dict[int, str]
) -> None:
    """The views are changed as the event says; `text_of` gives a record's text, from the blob store if it lies there.

    `passages` learns, by position, what the search rows that were put are to have vectors of; see put_row_vectors.

    Raises:
        FaultError: `ledger_inconsistent` where the event speaks of something that no earlier event brought.
    """
    if isinstance(event, BeliefEvent | MergeEvent):
        put_belief(writing, event, position, recorded_at_us, passages)
        return
    if isinstance(event, ErasureEvent):
        project_erasure(writing, event, position, recorded_at_us)
        return
    match event:
        case events.RecordAdmitted() | events.RecordPending():
            status = RecordStatus.ADMITTED if isinstance(event, events.RecordAdmitted) else RecordStatus.PENDING
            stored = StoredRecord(event.record, status, position, recorded_at_us, ", ".join(event.reasons))
            _put_record(writing, stored, text_of, passages)
        case events.RecordConfirmed(record_id=record_id, reason=reason):
            _move_record(writing, record_id, RecordStatus.ADMITTED, reason, text_of, passages)
        case events.RecordWithdrawn(record_id=record_id, reason=reason):
            _move_record(writing, record_id, RecordStatus.WITHDRAWN, reason, text_of, passages)
        case events.ClaimProposed():
            put_claim(writing, fold.propose(event, position=position, recorded_at_us=recorded_at_us), passages)
        case events.ClaimTransitioned(claim_id=claim_id):
            moved = fold.transition(claim_there(writing, claim_id), event, recorded_at_us=recorded_at_us)
            put_claim(writing, moved, passages)
        case events.ClaimApproved():
            put_claim(writing, fold.approve(claim_there(writing, event.claim_id), event), passages)
        case events.RegistryAdopted(revision=revision, body_json=body_json):
            writing.put_registry_body(revision, body_json)
        case events.RegistryModeSet(target_type=target_type, target_id=target_id, mode=mode):
            writing.put_mode(target_type, target_id, mode)
        case events.RegistryBridgeApproved(bridge_digest=bridge_digest, actor=actor):
            writing.put_bridge_approval(bridge_digest, actor)
        case events.BridgeProposed() | WorkflowProposed():
            writing.put_bridge_proposal(StoredProposal(event.proposal_id, position, "waiting", event.proposal_json))
        case events.BridgeProposalDecided() | WorkflowProposalDecided():
            _decide_proposal(writing, event.proposal_id, "approved" if event.approved else "rejected")
        case events.VerdictJudged(verdict_id=verdict_id, verdict_json=verdict_json):
            writing.put_verdict(StoredVerdict(verdict_id, position, verdict_json))
        case PermitIssued() | PermitRedeemed():
            writing.put_permit(_permit(writing, event, position))
        case (
            events.TenantCreated()
            | events.RecordRefused()
            | RedemptionRefused()
            | events.OutcomeReported()
            | events.ImportFinished()
            | events.ActivationMarked()
        ):
            pass  # these change no view: they are read from the ledger itself
        case _:
            assert_never(event)


def put_row_vectors(writing: Writing, passages: dict[int, str], embedders: Sequence[Embedder]) -> None:
    """Search rows get a vector of each immediate one of `embedders` whose model the tenant has, in this transaction."""
    immediate = [each for each in embedders if each.is_immediate]
    if not passages or not immediate:
        return
    known = {each.model for each in writing.vector_models()}
    for embedder in immediate:
        if embedder.model in known:
            vectors = embedder.embed(tuple(passages.values()), purpose="passage")
            rows = [VectorRow(position, components) for position, components in zip(passages, vectors, strict=True)]
            writing.put_vectors(embedder.model, rows)


def refold(
    writing: Writing, text_of: TextOf, progress: Callable[[int], None], embedders: Sequence[Embedder] = ()
) -> int:
    """How many events were folded: the views are dropped and made anew from the ledger, in this transaction.

    `progress` is told the position after each event. Vectors of an immediate one of `embedders` are made anew where
    searches went by it; others are gone until `reindex` makes them.
    """
    erased = erased_in(writing)
    clear_folded(writing, embedders)
    position = 0
    for sealed in writing.events(Chain.LEDGER):
        fold_event(writing, sealed, text_of, embedders, erased)
        position = sealed.envelope.position
        progress(position)
    writing.set_checkpoint(position)
    return position


def clear_folded(writing: Writing, embedders: Sequence[Embedder]) -> None:
    """Every view is empty; searches go by the model that they went by, if folding makes its vectors."""
    immediate = {each.model for each in embedders if each.is_immediate}
    active = next((each.model for each in writing.vector_models() if each.is_active and each.model in immediate), None)
    writing.clear_views()
    if active is not None:
        writing.set_vector_model(active)


def fold_event(
    writing: Writing,
    sealed: SealedEvent,
    text_of: TextOf,
    embedders: Sequence[Embedder] = (),
    erased: Erased = NOTHING_ERASED,
) -> None:
    """The views are changed as this event of the ledger says, vectors with them; see `project`. Not by what is erased.

    Raises:
        FaultError: see `event_there` and `project`.
    """
    envelope = sealed.envelope
    event = event_there(sealed, erased)
    if event is None:
        return
    passages: dict[int, str] = {}
    project(writing, event, envelope.position, envelope.recorded_at_us, text_of, passages)
    put_row_vectors(writing, passages, embedders)


def event_of(sealed: SealedEvent) -> Event:
    """The event of the ledger that was sealed.

    Raises:
        FaultError: see `opened`.
    """
    event = opened(sealed)
    assert not isinstance(event, events.PacketAssembled), "packets are never in the ledger"
    return event


def _decide_proposal(writing: Writing, proposal_id: ProposalId, status: str) -> None:
    stored = writing.bridge_proposal(proposal_id)
    if stored is None:
        raise fold.ledger_inconsistent(f"no event brought proposal {proposal_id}", proposal_id)
    writing.put_bridge_proposal(replace(stored, status=status))


def _put_record(writing: Writing, stored: StoredRecord, text_of: TextOf, passages: dict[int, str]) -> None:
    writing.put_record(stored)
    if stored.status is RecordStatus.ADMITTED:
        _put_record_search_row(writing, stored.record, stored.position, text_of(stored.record), passages)


def _move_record(  # noqa: PLR0917  # as project
    writing: Writing,
    record_id: RecordId,
    status: RecordStatus,
    reason: str,
    text_of: TextOf,
    passages: dict[int, str],
) -> None:
    stored = writing.record(record_id)
    if stored is None:
        raise fold.ledger_inconsistent(f"no event brought record {record_id}", record_id)
    if stored.status is RecordStatus.HELD:
        return  # it was erased, and only kept: nothing brings it back
    _put_record(writing, replace(stored, status=status, status_reason=reason), text_of, passages)
    if status is not RecordStatus.ADMITTED:
        writing.delete_search_row(stored.position)


def _put_record_search_row(
    writing: Writing, record: Record, position: int, text: str | None, passages: dict[int, str]
) -> None:
    if text is None:
        return  # bytes are kept, and are not searched
    tokens = search_tokens(text)
    names = search_tokens(" ".join(subject.id for subject in record.subjects)) if record.subjects else ()
    put_search_row(
        writing,
        SearchRow(
            position=position,
            item="record",
            item_id=record.record_id,
            scope=record.scope,
            classification=record.classification,
            record_type=record.type,
            unreviewed=False,
            valid_from_us=None,
            valid_to_us=None,
            tokens=(*tokens, *names, *day_tokens(record, text)),
        ),
        record.attributes,
        record_passage(text, tokens),
        passages,
    )


def _permit(writing: Writing, event: PermitIssued | PermitRedeemed, position: int) -> StoredPermit:
    if isinstance(event, PermitIssued):
        return StoredPermit(
            permit_id=event.permit_id,
            position=position,
            verdict_id=event.verdict_id,
            expires_at_us=event.expires_at_us,
            circumstances_json=canonical_bytes(list(event.circumstances)).decode(),
            redeemed_position=None,
        )
    stored = writing.permit(event.permit_id)
    if stored is None or stored.redeemed_position is not None:
        raise fold.ledger_inconsistent(f"permit {event.permit_id} is used, and was not to be used", event.permit_id)
    return replace(stored, redeemed_position=position)
