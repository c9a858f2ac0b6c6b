"""Blobs of erased records: which are to go stands in a job's row until they went, and nowhere after that."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from heedful.observations.record import Record
from heedful.ports.store import StoredJob, Writing
from heedful.service.keeping.contents import is_named
from heedful.service.session import Session

_ROW = "erase-blobs"


def note_blobs(writing: Writing, records: Iterable[Record]) -> None:
    """The contents of these records in the blob store are to go, where no other record has the same."""
    names = [each.blob.name for each in records if each.blob is not None]
    if names:
        _put(writing, sorted({*_noted(writing), *names}))


def unlink_blobs(session: Session) -> None:
    """What is noted is gone from the blob store, but for what a record names.

    Raises:
        UnavailableError: `blob_store_unavailable`; the rest stays noted.
    """

    def work(writing: Writing) -> None:
        names = _noted(writing)
        for name in names:
            # Inside the transaction: nobody writes a record that names it meanwhile.
            if not is_named(writing, name):
                session.blobs.delete(session.store.tenant.tenant_id, name)
        if names:
            _put(writing, [])

    session.store.write(work)


def _noted(writing: Writing) -> list[str]:
    stored = writing.job(_ROW)
    return msgspec.json.decode(stored.progress, type=list[str]) if stored is not None and stored.progress else []


def _put(writing: Writing, names: list[str]) -> None:
    progress = msgspec.json.encode(names).decode() if names else ""
    writing.put_job(StoredJob(_ROW, None, 0, 0, None, progress, None))
