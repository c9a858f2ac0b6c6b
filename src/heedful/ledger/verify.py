"""Verify: the first event whose link, digest or payload does not hold, or none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from heedful.kernel.digest import SALT_BYTES, payload_digest
from heedful.kernel.ids import TenantId
from heedful.ledger.seal import EMPTY_HEAD, Envelope, Head, SealedEvent

Breach = Literal[
    "position-gap",
    "foreign-tenant",
    "link-broken",
    "digest-mismatch",
    "payload-missing",
    "payload-kept",
    "payload-mismatch",
    "head-mismatch",
    "beginning-missing",
    "checkpoint-mismatch",
]
"""`beginning-missing`: a ledger that does not begin with `tenant.created`; `checkpoint-mismatch`: a chain that holds in
itself, and is not the one that a checkpoint was signed of; the others are found by `verify_chain`. `payload-missing`:
no erasure names the event; `payload-kept`: one does, and what it was to take is still there."""


@dataclass(frozen=True, slots=True)
class BrokenEvent:
    """The first place where the chain does not hold, and in which way.

    Attributes:
        to_position: the place is among the events from `position` to this one; None: it is `position`.
    """

    position: int
    event_id: str | None
    breach: Breach
    to_position: int | None = None


@dataclass(frozen=True, slots=True)
class Verification:
    """What a walk over a chain found. `broken` None: every event up to `head` holds."""

    event_count: int
    head: Head
    broken: BrokenEvent | None


def verify_chain(
    sealed_events: Iterable[SealedEvent],
    *,
    tenant_id: TenantId,
    expected_head: Head | None = None,
    ends_there: bool = False,
    erased: frozenset[int] = frozenset(),
) -> Verification:
    """The first broken event of a chain read from position 1 in order, or none.

    `expected_head` is what is known from elsewhere (the stored head, a pinned checkpoint): a chain that does not
    reach it, or has another digest there, is broken. A cut tail is found only so. With `ends_there` (the stored head,
    not an older checkpoint) an event after it is a breach too. `erased`: positions whose payload an erasure took.
    """
    head = EMPTY_HEAD
    pinned = expected_head is None or expected_head == EMPTY_HEAD
    for broken, sealed in _walk(sealed_events, tenant_id, erased):
        if broken is not None:
            return Verification(head.position, head, broken)
        head = Head(sealed.envelope.position, sealed.digest)
        pinned = pinned or head == expected_head
    return ended(head, expected_head, pinned=pinned, ends_there=ends_there)


def ended(head: Head, expected_head: Head | None, *, pinned: bool, ends_there: bool) -> Verification:
    """What is said of a chain whose events all hold up to `head`; `pinned`: the expected head was among them."""
    if expected_head is None or (pinned and not (ends_there and head != expected_head)):
        return Verification(head.position, head, None)
    position = expected_head.position + 1 if pinned else min(expected_head.position, head.position + 1)
    return Verification(head.position, head, BrokenEvent(position, None, "head-mismatch"))


def _walk(
    sealed_events: Iterable[SealedEvent], tenant_id: TenantId, erased: frozenset[int]
) -> Iterator[tuple[BrokenEvent | None, SealedEvent]]:
    head = EMPTY_HEAD
    for sealed in sealed_events:
        breach = breach_of(sealed, head, tenant_id, erased)
        expected_position = head.position + 1
        yield (BrokenEvent(expected_position, sealed.envelope.event_id, breach) if breach else None), sealed
        head = Head(sealed.envelope.position, sealed.digest)


def breach_of(
    sealed: SealedEvent, head: Head, tenant_id: TenantId, erased: frozenset[int] = frozenset()
) -> Breach | None:
    """In which way the event does not hold as the next after `head`, or None; `erased`: see verify_chain."""
    envelope = sealed.envelope
    if envelope.position != head.position + 1:
        return "position-gap"
    if envelope.tenant_id != tenant_id:
        return "foreign-tenant"
    if envelope.prev_digest != head.digest:
        return "link-broken"
    if _digest(envelope) != sealed.digest:
        return "digest-mismatch"
    return _payload_breach(sealed, is_erased=envelope.position in erased)


def _payload_breach(sealed: SealedEvent, *, is_erased: bool) -> Breach | None:
    if is_erased:
        return None if sealed.payload is None and sealed.salt is None else "payload-kept"
    if sealed.payload is None or sealed.salt is None:
        return "payload-missing"
    if len(sealed.salt) != SALT_BYTES or payload_digest(sealed.salt, sealed.payload) != sealed.envelope.payload_digest:
        return "payload-mismatch"
    return None


def _digest(envelope: Envelope) -> str | None:
    try:
        return envelope.digest
    except ValueError:  # a tampered text may hold what has no canonical form, half of a surrogate pair, say
        return None
