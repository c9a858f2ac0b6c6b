"""Receipts of a store: those of a tenant that is there, and those of tenants that were erased."""

from __future__ import annotations

from collections.abc import Callable

from heedful.kernel.errors import ConflictError, InvalidInputError, NotFoundError
from heedful.ledger.receipt import encode_receipt
from heedful.service.erasure.receipt import Receipt, receipt, receipts
from heedful.service.erasure.signed import signed_receipt
from heedful.service.erasure.tenant import Eraser, tenant_receipt, tenant_receipts
from heedful.service.session import Session


def all_receipts(eraser: Eraser, session_of: Callable[[], Session]) -> tuple[Receipt, ...]:
    """Those that the principal may see, the tenant's before those of erased tenants; see receipts.

    Raises:
        ConflictError, NotFoundError: `tenant_erased`, `tenant_not_found` where there is none at all.
    """
    buried = tenant_receipts(eraser)
    try:
        own = receipts(session_of())
    except (ConflictError, NotFoundError) as error:
        # Whoever erased their only tenant asks in the same way as before.
        if error.code not in {"tenant_erased", "tenant_not_found"} or not buried:
            raise
        own = ()
    return (*own, *buried)


def one_receipt(eraser: Eraser, session_of: Callable[[], Session], erasure_id: str) -> Receipt:
    """The receipt of that erasure; see receipt.

    Raises:
        NotFoundError: `receipt_not_found`.
    """
    found = tenant_receipt(eraser, erasure_id)
    return receipt(session_of(), erasure_id) if found is None else found


def signed_bytes(eraser: Eraser, found: tuple[Receipt, ...]) -> bytes:
    """The file of one receipt, signed as it was told.

    Raises:
        InvalidInputError: `receipt_which` unless it is one.
        UnavailableError: `keys_unavailable`.
    """
    if len(found) != 1:
        raise InvalidInputError(
            "receipt_which",
            f"a file holds one receipt, and there are {len(found)}",
            next_step="name the erasure whose receipt is wanted: `heedful receipt` lists their ids",
            details={"field": "erasure"},
        )
    return encode_receipt(signed_receipt(eraser.signing, eraser.clock, found[0]))
