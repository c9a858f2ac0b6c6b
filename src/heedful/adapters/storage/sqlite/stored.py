"""Rows of the views as the values of ports.rows."""

from __future__ import annotations

from heedful.adapters.storage.codec import decode_record
from heedful.adapters.storage.sqlite.connection import Row
from heedful.observations.record import RecordStatus
from heedful.ports.store import StoredRecord

_STATUSES = {status.value: status for status in RecordStatus}


def stored_record(row: Row) -> StoredRecord:
    """The record that these columns hold."""
    body, status, position, recorded_at_us, status_reason = row
    return StoredRecord(decode_record(body), _STATUSES[status], position, recorded_at_us, status_reason)
