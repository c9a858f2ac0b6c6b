"""Register of erasures: what was erased of a store's tenants, by ids and positions alone, signed. Pure.

Whoever restores a backup from before them erases the same again by it. Nothing in it tells what was erased.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from heedful.kernel.errors import InvalidInputError, UnsupportedError
from heedful.kernel.ids import TenantId
from heedful.ledger.erasure_events import ErasureEvent, ErasureRequested, ErasureStaged, HoldReleased
from heedful.ledger.signed import SignedText
from heedful.ledger.tombstone import Tombstone

WHAT = "heedful erasures"
FORMAT = 1
FILE_BYTES_MAX = 268_435_456


class RegisteredErasure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An erasure. See ErasureRequested; its items are all that it took, in any of its stages.

    Attributes:
        item_ids: of claims, conflicts, proposals, merges and verdicts.
        held_ids: records that were hidden and kept, as they were held when the register was made.
    """

    erasure_id: str
    because: str
    by: str
    selector_digest: str
    record_ids: tuple[str, ...]
    item_ids: tuple[str, ...]
    held_ids: tuple[str, ...]
    source_tags: tuple[str, ...]
    ledger_positions: tuple[int, ...]
    access_positions: tuple[int, ...]


class RegisteredConsent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A consent that is withdrawn; `tag` is the digest, under the tenant's key, of whose it is."""

    consent_id: str
    tag: str


class RegisteredTenant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tenant's erasures up to a position of its ledger, in order, the holds that were released, and who withdrew."""

    tenant_id: TenantId
    position: int
    erasures: tuple[RegisteredErasure, ...]
    released_hold_ids: tuple[str, ...]
    consents: tuple[RegisteredConsent, ...] = ()


class Register(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was erased in a store up to a moment.

    Attributes:
        made_at_us: UTC microseconds; what was erased later is not in it.
        erased_tenants: those that were erased as a whole.
    """

    what: str
    format: int
    store_id: str
    made_at_us: int
    tenants: tuple[RegisteredTenant, ...]
    erased_tenants: tuple[Tombstone, ...]

    @property
    def tenant_ids(self) -> frozenset[TenantId]:
        """The tenants that it tells of, those that were erased as a whole among them."""
        whole = {each.tenant_id for each in self.erased_tenants}
        return frozenset(whole | {each.tenant_id for each in self.tenants})

    def tenant(self, tenant_id: TenantId) -> RegisteredTenant | None:
        """What is in it of that tenant, or None."""
        return next((each for each in self.tenants if each.tenant_id == tenant_id), None)


def registered(
    tenant_id: TenantId,
    position: int,
    events: Iterable[ErasureEvent],
    held: frozenset[str],
    consents: tuple[RegisteredConsent, ...] = (),
) -> RegisteredTenant:
    """The tenant's erasures by their events, in ledger order; `held` are the records that are held now."""
    found: dict[str, RegisteredErasure] = {}
    released: list[str] = []
    for event in events:
        if isinstance(event, ErasureRequested):
            found[event.erasure_id] = _requested(found.get(event.erasure_id), event, held)
        elif isinstance(event, ErasureStaged) and event.erasure_id in found:
            found[event.erasure_id] = _staged(found[event.erasure_id], event)
        elif isinstance(event, HoldReleased):
            released.append(event.hold_id)
    return RegisteredTenant(tenant_id, position, tuple(found.values()), tuple(released), consents)


def encode_register(register: Register) -> str:
    """The text that is signed."""
    return msgspec.json.encode(register).decode()


def decode_register(content: bytes) -> tuple[Register, SignedText]:
    """The register in a file, and its signature, which is that of the keys in the file.

    Raises:
        InvalidInputError: `register_malformed`, `register_unsigned`.
        UnsupportedError: `register_newer`.
    """
    try:
        signed = msgspec.json.decode(content, type=SignedText)
        begun = msgspec.json.decode(signed.text, type=_Begun)
        if begun.what == WHAT and begun.format > FORMAT:
            raise UnsupportedError("register_newer", "a newer release wrote this register", next_step="upgrade heedful")
        register = msgspec.json.decode(signed.text, type=Register)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _malformed() from error
    if (register.what, register.format) != (WHAT, FORMAT):
        raise _malformed()
    if not signed.is_signed("receipt", None):
        raise unsigned()
    return register, signed


class _Begun(msgspec.Struct):
    what: str
    format: int


def unsigned() -> InvalidInputError:
    """The error of a register that the store's keys did not sign."""
    return InvalidInputError(
        "register_unsigned",
        "the register's signature is not that of the store's keys: it was changed, or put together",
        next_step="use the file as `heedful erasures --out` wrote it",
    )


def _requested(before: RegisteredErasure | None, event: ErasureRequested, held: frozenset[str]) -> RegisteredErasure:
    items = (*event.claim_ids, *event.conflict_ids, *event.proposal_ids, *event.merge_ids)
    if before is None:
        before = RegisteredErasure(
            erasure_id=event.erasure_id,
            because=event.because,
            by=event.by,
            selector_digest=event.selector_digest,
            record_ids=(),
            item_ids=(),
            held_ids=(),
            source_tags=(),
            ledger_positions=(),
            access_positions=(),
        )
    return msgspec.structs.replace(
        before,
        record_ids=_joined(before.record_ids, event.record_ids),
        item_ids=_joined(before.item_ids, items),
        held_ids=_joined(before.held_ids, (each for each in event.held_ids if each in held)),
        source_tags=_joined(before.source_tags, event.source_tags),
        ledger_positions=(*before.ledger_positions, *event.ledger_positions),
    )


def _staged(before: RegisteredErasure, event: ErasureStaged) -> RegisteredErasure:
    return msgspec.structs.replace(
        before,
        item_ids=_joined(before.item_ids, event.verdict_ids),
        ledger_positions=(*before.ledger_positions, *event.ledger_positions),
        access_positions=(*before.access_positions, *event.access_positions),
    )


def _joined(before: tuple[str, ...], more: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*before, *more)))


def _malformed() -> InvalidInputError:
    return InvalidInputError(
        "register_malformed",
        "this is no register of erasures, or it was cut or changed",
        next_step="name a file that `heedful erasures --out` wrote",
    )
