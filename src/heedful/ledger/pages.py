"""Pages: events of a chain as they lie in a store, verified many at a time, in a fraction of the time.

An event is passed here only where its envelope is of the everyday form, and its digest that of the bytes which the
canonical encoder gives of that form; whatever else there is goes to `breach_of`, which judges.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final

import msgspec

from heedful.kernel.canonical import INTEGER_MAX
from heedful.kernel.digest import LEAF_PREFIX, SALT_BYTES, salted_digest
from heedful.kernel.ids import EventId, TenantId
from heedful.ledger.registry import EVENT_TYPES
from heedful.ledger.seal import EMPTY_HEAD, Envelope, Head, SealedEvent
from heedful.ledger.verify import Breach, BrokenEvent, Verification, breach_of, ended

EventRow = tuple[int, str, str, int, int, bytes, str | None, bytes, bytes, bytes | None, bytes | None]
"""position, event_id, type, version, recorded_at_us, payload_digest, key_id, prev_digest, digest, payload, salt."""

POSITION: Final = 0
EVENT_ID: Final = 1
NAME: Final = 2
DIGEST: Final = 8
PAYLOAD: Final = 9
SALT: Final = 10

# In these no character is written in another way by JSON.
_PLAIN_ID = re.compile(r"[0-9A-Za-z._-]+").fullmatch
_PLAIN_TYPES = frozenset(name for name, _ in EVENT_TYPES)


def sealed_of(row: EventRow, tenant_id: TenantId) -> SealedEvent:
    """The event that these columns hold."""
    position, event_id, name, version, recorded_at_us, payload_digest, key_id, prev_digest, digest, payload, salt = row
    envelope = Envelope(
        tenant_id=tenant_id,
        position=position,
        event_id=EventId(event_id),
        type=name,
        version=version,
        recorded_at_us=recorded_at_us,
        payload_digest=payload_digest.hex(),
        key_id=key_id,
        prev_digest=prev_digest.hex(),
    )
    return SealedEvent(envelope, digest.hex(), payload, salt)


def verify_pages(
    pages: Iterable[Sequence[EventRow]], *, tenant_id: TenantId, expected_head: Head, erased: frozenset[int]
) -> Verification:
    """As verify_chain, of pages of a chain that is to end at the head."""
    head, pinned = EMPTY_HEAD, expected_head == EMPTY_HEAD
    for page in pages:
        before = head
        head, broken = holds_to(page, head, tenant_id, erased)
        if broken is not None:
            return Verification(head.position, head, broken)
        place = expected_head.position - before.position - 1
        pinned = pinned or (0 <= place < len(page) and page[place][DIGEST].hex() == expected_head.digest)
    return ended(head, expected_head, pinned=pinned, ends_there=True)


def holds_to(
    page: Sequence[EventRow],
    head: Head,
    tenant_id: TenantId,
    erased: frozenset[int] = frozenset(),
    but: frozenset[Breach] = frozenset(),
) -> tuple[Head, BrokenEvent | None]:
    """The last event of the page up to which all hold as those after `head`, and the first that does not, or None.

    `erased`: see verify_chain. `but`: breaches that are let pass.
    """
    done = 0
    while done < len(page):
        passed = _surely_hold(page, done, head, tenant_id, erased)
        if passed > done:
            done, head = passed, Head(page[passed - 1][POSITION], page[passed - 1][DIGEST].hex())
            continue
        sealed = sealed_of(page[done], tenant_id)
        breach = breach_of(sealed, head, tenant_id, erased)
        if breach is not None and breach not in but:
            return head, BrokenEvent(head.position + 1, sealed.envelope.event_id, breach)
        done, head = done + 1, Head(sealed.envelope.position, sealed.digest)
    return head, None


def _surely_hold(page: Sequence[EventRow], first: int, head: Head, tenant_id: TenantId, erased: frozenset[int]) -> int:
    """The index in the page before which all from `first` on hold; the event there is to be looked at in full."""
    tenant_json = msgspec.json.encode(tenant_id).decode()
    expected, last_digest = head.position, bytes.fromhex(head.digest)
    for index in range(first, len(page)):
        position, event_id, name, version, at_us, payload_digest, key_id, prev_digest, digest, payload, salt = page[
            index
        ]
        expected += 1
        is_next = position == expected and prev_digest == last_digest and position <= INTEGER_MAX
        is_plain = name in _PLAIN_TYPES and _PLAIN_ID(event_id) and key_id is None
        if not (is_next and is_plain and -INTEGER_MAX <= at_us <= INTEGER_MAX):
            return index
        envelope = (
            f'{{"event_id":"{event_id}","key_id":null,"payload_digest":"{payload_digest.hex()}","position":{position}'
            f',"prev_digest":"{prev_digest.hex()}","recorded_at_us":{at_us},"tenant_id":{tenant_json}'
            f',"type":"{name}","version":{version}}}'
        )
        if sha256(LEAF_PREFIX + envelope.encode()).digest() != digest:
            return index
        if position in erased:
            if payload is not None or salt is not None:
                return index
        elif (
            payload is None or salt is None or len(salt) != SALT_BYTES or salted_digest(salt, payload) != payload_digest
        ):
            return index
        last_digest = digest
    return len(page)
