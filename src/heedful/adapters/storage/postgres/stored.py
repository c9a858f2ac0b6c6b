"""Rows of the smaller views as the values of ports.rows: texts lie in bytes."""

from __future__ import annotations

from heedful.adapters.storage.codec import decode_record
from heedful.adapters.storage.postgres.connection import Row
from heedful.kernel.ids import PermitId, ProposalId, VerdictId
from heedful.observations.record import RecordStatus
from heedful.ports.store import StoredPermit, StoredProposal, StoredRecord


def stored_record(row: Row) -> StoredRecord:
    """The record that these columns hold."""
    body, status, position, recorded_at_us, status_reason = row
    return StoredRecord(decode_record(body), RecordStatus(status), position, recorded_at_us, status_reason.decode())


def stored_proposal(row: Row) -> StoredProposal:
    """The proposed bridge that these columns hold."""
    proposal_id, position, status, proposal_json = row
    return StoredProposal(ProposalId(proposal_id.decode()), position, status, proposal_json.decode())


def stored_permit(permit_id: PermitId, row: Row) -> StoredPermit:
    """The permit of that id, the rest of which these columns hold."""
    position, verdict_id, expires_at_us, circumstances_json, redeemed_position = row
    texts = (VerdictId(verdict_id.decode()), expires_at_us, circumstances_json.decode())
    return StoredPermit(permit_id, position, *texts, redeemed_position)
