"""Tenant: all of one tenant goes, its keys too; what is left is a tombstone with a receipt.

In steps, each durable, in this order: the tenant is marked as erased, from when on nobody reads or writes it; it is
buried, from when on its name is no more; its keys are destroyed; its contents, rows, files go; the receipt is signed.
Whoever asks for the same again goes on where one was stopped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

from heedful.bridges.registry import Registry
from heedful.kernel.errors import ConflictError, NotFoundError
from heedful.kernel.ids import ErasureId, PrincipalId, TenantId, uuid7
from heedful.kernel.kept import forget_texts
from heedful.kernel.times import US_A_DAY, format_time
from heedful.ledger.receipt import SignedReceipt
from heedful.ledger.tombstone import Tombstone, name_digest, tombstone_of
from heedful.observations.names import shown
from heedful.observations.record import Channel
from heedful.policy.decide import may
from heedful.ports.blobs import BlobStore
from heedful.ports.erasure import BACKUP_KEEP_DAYS, Scrubbed
from heedful.ports.keys import KeyRing
from heedful.ports.signing import Signing
from heedful.ports.store import Chain, Reading, Store, Tenant, Writing
from heedful.ports.system import Clock, Entropy
from heedful.service.erasure.receipt import Receipt, StageReached
from heedful.service.erasure.select import Because, By
from heedful.service.erasure.signed import signed_receipt
from heedful.service.requests import choice
from heedful.service.session import require_verb

_SALT_BYTES = 16
_ID_RANDOM_BYTES = 10
_US_A_MS = 1_000


@dataclass(frozen=True, slots=True)
class Eraser:
    """Who erases a tenant, through which door, and of which store."""

    store: Store
    blobs: BlobStore
    keys: KeyRing
    signing: Signing
    registry: Registry
    principal: PrincipalId
    channel: Channel
    clock: Clock
    entropy: Entropy
    backup_keep_days: float = BACKUP_KEEP_DAYS


@dataclass(frozen=True, slots=True)
class TenantPlan:
    """What erasing a tenant would take: all of it; nothing was changed.

    Attributes:
        counts: how much there is, by name, as `heedful status` has it, and `ledger_events`, `access_events`; None for
            those who may not audit, as it counts what they may not see.
        held: True where a hold would refuse it; None for those who may not hold.
    """

    by: str
    tenant_id: TenantId
    counts: dict[str, int] | None
    held: bool | None


@dataclass(frozen=True, slots=True)
class TenantKept:
    """The tenant was not erased, and nothing was changed.

    Attributes:
        because: `held`: a hold keeps something of it; `kept` says as much to those who may not know of holds.
    """

    tenant_id: TenantId
    because: Literal["held", "kept"]
    next_step: str
    outcome: Literal["refused"] = "refused"


class _Left(msgspec.Struct, frozen=True):
    """What a tombstone says: ids, categories, counts and times."""

    erasure_id: str
    actor: str
    because: str
    requested_at_us: int
    records: int
    claims: int
    others: int
    events: int
    done_at_us: int | None = None
    could_not: tuple[str, ...] = ()
    backups_expire_at_us: int | None = None
    signed: SignedReceipt | None = None


def plan_tenant(eraser: Eraser, name: str) -> TenantPlan:
    """What `forget_tenant` would take.

    Raises:
        ForbiddenError: `principal_may_not`.
        NotFoundError: `tenant_not_found`.
        ConflictError: `tenant_erased`.
    """
    _require(eraser)
    tenant = _tenant(eraser, name)
    if tenant is None:
        raise _not_found(name)
    with eraser.store.tenant_store(tenant.tenant_id).read() as reading:
        counts = {
            **reading.counts(),
            "ledger_events": reading.head(Chain.LEDGER).position,
            "access_events": reading.head(Chain.ACCESS).position,
        }
        held = bool(reading.holds())
    return TenantPlan(
        by=By.TENANT.value,
        tenant_id=tenant.tenant_id,
        counts=counts if _may(eraser, "audit") else None,
        held=held if _may(eraser, "hold") else None,
    )


def forget_tenant(eraser: Eraser, name: str, *, because: str = "request") -> Receipt | TenantKept:
    """The receipt: nothing of the tenant is left in the store but a tombstone; or why it was not erased.

    An erasure of this tenant that was interrupted is gone on with, and told with the receipt that it began with.

    Raises:
        ForbiddenError: `principal_may_not`: it takes the right to erase; never an agent's.
        InvalidInputError: `choice_unknown`.
        NotFoundError: `tenant_not_found`.
        BusyError: `store_busy` where somebody reads or writes it for too long; asking again goes on.
        UnavailableError: the store, its blobs or its keys; asking again goes on.
    """
    noted = choice(Because, because, field="because")
    _require(eraser)
    tenant = _tenant(eraser, name)
    try:
        stone = None if tenant is None else _buried(eraser, tenant, noted)
        if tenant is not None and stone is None:
            return _kept(eraser, tenant.tenant_id)
    except (NotFoundError, ConflictError) as error:
        # Somebody else erases it just now, and was quicker.
        if error.code not in {"tenant_erased", "tenant_not_found"}:
            raise
        stone = None
    stone = stone or tombstone_of(eraser.store.tombstones(), name)
    if stone is None:
        raise _not_found(name)
    if not stone.is_done:
        stone = _taken_away(eraser, stone)
    return _told(eraser, stone)


def tenant_receipts(eraser: Eraser) -> tuple[Receipt, ...]:
    """The receipts of erased tenants, for whoever had it done, and for those who may erase or audit."""
    return tuple(_told(eraser, stone) for stone in eraser.store.tombstones() if _may_see(eraser, stone))


def tenant_receipt(eraser: Eraser, erasure_id: str) -> Receipt | None:
    """The receipt of that erasure, where it was of a whole tenant and is there for this person; else None."""
    return next((each for each in tenant_receipts(eraser) if each.erasure_id == erasure_id), None)


def _buried(eraser: Eraser, tenant: Tenant, because: Because) -> Tombstone | None:
    """Its tombstone, where it is marked, by whomever, and buried now; None: a hold keeps something of it."""
    mark = eraser.store.erased_mark(tenant.tenant_id) or _marked(eraser, tenant, because)
    if mark is None:
        return None
    salt = eraser.entropy.random_bytes(_SALT_BYTES).hex()
    stone = Tombstone(tenant.tenant_id, salt, name_digest(salt, tenant.name), mark, is_done=False)
    eraser.store.bury(stone)
    return stone


def _marked(eraser: Eraser, tenant: Tenant, because: Because) -> str | None:
    """What the tenant is marked with, durably; None: a hold keeps something, and nothing was changed."""
    now_us = eraser.clock.now_us()
    erasure_id = uuid7(now_us // _US_A_MS, eraser.entropy.random_bytes(_ID_RANDOM_BYTES))

    def work(writing: Writing) -> str | None:
        if writing.holds():
            return None
        counts = _counts(writing)
        left = _Left(erasure_id, eraser.principal, because.value, now_us, *counts)
        mark = msgspec.json.encode(left).decode()
        writing.mark_erased(mark)
        return mark

    return eraser.store.tenant_store(tenant.tenant_id).write(work)


def _counts(reading: Reading) -> tuple[int, int, int, int]:
    counts = reading.counts()
    claims = sum(count for name, count in counts.items() if name.startswith("claims."))
    others = sum(count for name, count in counts.items() if "." not in name and name not in ("records", "claims"))
    events = sum(reading.head(chain).position for chain in Chain)
    return counts["records"], claims, others, events


def _taken_away(eraser: Eraser, stone: Tombstone) -> Tombstone:
    """The tombstone of a tenant of which nothing else is left."""
    tenant_id = stone.tenant_id
    eraser.keys.destroy(tenant_id)
    eraser.signing.unpin(tenant_id)
    eraser.blobs.delete_tenant(tenant_id)
    scrubbed = eraser.store.delete_tenant(tenant_id)
    forget_texts()
    done = _done(eraser, stone, scrubbed)
    receipt = _receipt(tenant_id, done, audits=True, holds=True)
    done = msgspec.structs.replace(done, signed=signed_receipt(eraser.signing, eraser.clock, receipt))
    buried = msgspec.structs.replace(stone, body=msgspec.json.encode(done).decode(), is_done=True)
    eraser.store.bury(buried)
    return buried


def _done(eraser: Eraser, stone: Tombstone, scrubbed: Scrubbed) -> _Left:
    now_us = eraser.clock.now_us()
    return msgspec.structs.replace(
        _left(stone),
        done_at_us=now_us,
        could_not=scrubbed.could_not,
        backups_expire_at_us=now_us + int(eraser.backup_keep_days * US_A_DAY),
    )


def _left(stone: Tombstone) -> _Left:
    return msgspec.json.decode(stone.body, type=_Left)


def _told(eraser: Eraser, stone: Tombstone) -> Receipt:
    audits, holds = _may(eraser, "audit"), _may(eraser, "hold")
    return _receipt(stone.tenant_id, _left(stone), audits=audits, holds=holds)


def _receipt(tenant_id: TenantId, left: _Left, *, audits: bool, holds: bool) -> Receipt:
    reached = [StageReached("logical", format_time(left.requested_at_us), None)]
    if left.done_at_us is not None:
        reached += [StageReached(each, format_time(left.done_at_us), None) for each in ("indexes", "scrubbed")]
    expires_us = left.backups_expire_at_us
    return Receipt(
        erasure_id=ErasureId(left.erasure_id),
        tenant_id=tenant_id,
        by=By.TENANT.value,
        because=left.because,
        requested_by=left.actor,
        requested_at=format_time(left.requested_at_us),
        stage=reached[-1].stage,
        reached=tuple(reached),
        records=left.records if audits else None,
        claims=left.claims if audits else None,
        others=left.others if audits else None,
        events=left.events if audits else None,
        waits_for_hold=False if holds else None,
        could_not=left.could_not,
        backups_expire_at=None if expires_us is None else format_time(expires_us),
    )


def _kept(eraser: Eraser, tenant_id: TenantId) -> TenantKept:
    if _may(eraser, "hold"):
        return TenantKept(tenant_id, "held", "`heedful hold list` shows what is held; release it, then ask again")
    return TenantKept(tenant_id, "kept", "ask somebody who may hold why it is kept")


def _tenant(eraser: Eraser, name: str) -> Tenant | None:
    return next((each for each in eraser.store.tenants() if each.name == name), None)


def _require(eraser: Eraser) -> None:
    require_verb(eraser.registry.policy, eraser.principal, eraser.channel, "erase")


def _may(eraser: Eraser, verb: Literal["erase", "audit", "hold"]) -> bool:
    return may(eraser.registry.policy, eraser.principal, verb).allowed


def _may_see(eraser: Eraser, stone: Tombstone) -> bool:
    return _may(eraser, "erase") or _may(eraser, "audit") or _left(stone).actor == eraser.principal


def _not_found(name: str) -> NotFoundError:
    return NotFoundError(
        "tenant_not_found",
        f"this store has no tenant {shown(name)!r}",
        next_step="name the one that is to be erased as it is named here",
        details={"field": "tenant"},
    )
