"""Contents: what is too large for a row lies in the blob store before the record that names it, and not without one.

An erasure deletes contents that no record names, in a transaction of its own. So what was put before a transaction is
looked after in it, as it may have gone since; and what nothing names in the end, since it was refused, goes again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TypeVar

from heedful.kernel.errors import HeedfulError
from heedful.ports.store import Reading, Writing
from heedful.service.keeping.keep import Prepared, put_blob
from heedful.service.session import Session

T = TypeVar("T")


def write_kept(session: Session, prepared: Iterable[Prepared], work: Callable[[Writing], T]) -> T:
    """What `work` gives, in a transaction in which the contents of these lie in the blob store.

    Raises:
        UnavailableError: `blob_store_unavailable`, or the store's.
        BusyError: the store's; and what `work` raises. Nothing was written.
    """
    large = [each for each in prepared if each.blob_content is not None]
    if not large:
        return session.store.write(work)

    def put() -> None:
        for each in large:
            put_blob(session, each)

    def kept(writing: Writing) -> T:
        put()
        return work(writing)

    put()  # before others wait for it
    try:
        return session.store.write(kept)
    finally:
        with suppress(HeedfulError):
            _take_out(session, large)


def _take_out(session: Session, prepared: Sequence[Prepared]) -> None:
    names = {each.record.blob.name for each in prepared if each.record is not None and each.record.blob is not None}
    with session.store.read() as reading:
        left = [each for each in sorted(names) if not is_named(reading, each)]

    def work(writing: Writing) -> None:
        for name in left:
            if not is_named(writing, name):
                session.blobs.delete(session.store.tenant.tenant_id, name)

    if left:
        session.store.write(work)


def is_named(reading: Reading, name: str) -> bool:
    """True where a record has the content of this name. Asked in a transaction, it stays so until that ends."""
    return bool(reading.items_named(f"blob:{name}", after=0, limit=1))
