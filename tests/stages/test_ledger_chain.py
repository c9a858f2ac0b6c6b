"""Seal and verify: what is chained, in which bytes, and that no change of it stays hidden."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import fields, replace
from typing import Any

import pytest
import rfc8785
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ledger_strategies import CHAIN_EVENTS, EVENTS, TENANT, head_of, sealed_chain

from heedful.kernel.ids import EventId, PrincipalId, TenantId
from heedful.ledger.events import TenantCreated
from heedful.ledger.registry import encode_payload, name_of
from heedful.ledger.seal import EMPTY_HEAD, Envelope, Head, SealedEvent, seal
from heedful.ledger.verify import Breach, BrokenEvent, Verification, verify_chain

CHAINS = st.lists(CHAIN_EVENTS, min_size=1, max_size=6).map(sealed_chain)
ENVELOPE_FIELDS = [field.name for field in fields(Envelope)]
BREACH_OF_FIELD = {
    "tenant_id": "foreign-tenant",
    "position": "position-gap",
    "prev_digest": "link-broken",
    "payload": "payload-mismatch",
    "salt": "payload-mismatch",
}


def broken(chain: list[SealedEvent], head: Head | None = None, *, ends_there: bool = False) -> BrokenEvent | None:
    """What verify finds."""
    return verify_chain(chain, tenant_id=TENANT, expected_head=head, ends_there=ends_there).broken


def tampered(sealed: SealedEvent, field: str, value: object) -> SealedEvent:
    """The sealed event with one field of it, or of its envelope, changed and nothing else put right."""
    changes: dict[str, Any] = {field: value}
    if field in ENVELOPE_FIELDS:
        return replace(sealed, envelope=replace(sealed.envelope, **changes))
    return replace(sealed, **changes)


@given(CHAINS)
def test_an_untouched_chain_verifies_up_to_its_head(chain: list[SealedEvent]) -> None:
    """With its own head, with an older one, and with none."""
    expected = Verification(len(chain), head_of(chain), None)
    for pinned in (None, EMPTY_HEAD, *(head_of(chain[:count]) for count in range(1, len(chain) + 1))):
        assert verify_chain(chain, tenant_id=TENANT, expected_head=pinned) == expected
    assert verify_chain(iter(chain), tenant_id=TENANT, expected_head=head_of(chain), ends_there=True) == expected


def test_the_empty_chain_verifies_against_the_empty_head_only() -> None:
    """Nothing is lost where nothing was; where something was, position 1 is named."""
    assert verify_chain([], tenant_id=TENANT) == Verification(0, EMPTY_HEAD, None)
    assert broken([], EMPTY_HEAD, ends_there=True) is None
    assert broken([], Head(3, "ab" * 32)) == BrokenEvent(1, None, "head-mismatch")


@given(CHAINS, st.data())
@settings(max_examples=300)
def test_any_change_of_any_field_is_found_where_it_was_made(chain: list[SealedEvent], draw: st.DataObject) -> None:
    """Every field of the envelope, the digest, the payload and the salt; the first bad position is named."""
    place = draw.draw(st.integers(0, len(chain) - 1))
    field = draw.draw(st.sampled_from([*ENVELOPE_FIELDS, "digest", "payload", "salt"]))
    sealed = chain[place]
    old = getattr(sealed.envelope if field in ENVELOPE_FIELDS else sealed, field)
    values = {int: st.integers(-(2**70), 2**70), bytes: st.binary(max_size=40)}.get(type(old), st.text(max_size=70))
    value = draw.draw(values)
    assume(value != old)
    chain[place] = tampered(sealed, field, value)
    found = broken(chain)
    assert found is not None
    assert found.position == place + 1
    assert found.event_id == chain[place].envelope.event_id
    assert found.breach == BREACH_OF_FIELD.get(field, "digest-mismatch")


@given(CHAINS, st.data())
def test_a_flipped_bit_of_a_payload_is_found(chain: list[SealedEvent], draw: st.DataObject) -> None:
    """One bit, anywhere."""
    place = draw.draw(st.integers(0, len(chain) - 1))
    payload = bytearray(chain[place].payload or b"")
    bit = draw.draw(st.integers(0, len(payload) * 8 - 1))
    payload[bit // 8] ^= 1 << bit % 8
    chain[place] = replace(chain[place], payload=bytes(payload))
    assert broken(chain) == BrokenEvent(place + 1, chain[place].envelope.event_id, "payload-mismatch")


@given(st.lists(CHAIN_EVENTS, min_size=2, max_size=6).map(sealed_chain), st.data())
def test_swapped_missing_and_doubled_events_are_found(chain: list[SealedEvent], draw: st.DataObject) -> None:
    """The first place where the chain is not what was sealed."""
    first, second = sorted(draw.draw(st.lists(st.integers(0, len(chain) - 1), min_size=2, max_size=2, unique=True)))
    swapped = list(chain)
    swapped[first], swapped[second] = swapped[second], swapped[first]
    assert broken(swapped) == BrokenEvent(first + 1, chain[second].envelope.event_id, "position-gap")
    without = chain[:first] + chain[first + 1 :]
    assert broken(without) == BrokenEvent(first + 1, chain[first + 1].envelope.event_id, "position-gap")
    doubled = chain[: first + 1] + chain[first:]
    assert broken(doubled) == BrokenEvent(first + 2, chain[first].envelope.event_id, "position-gap")
    exchanged = list(chain)
    for place, other in ((first, second), (second, first)):
        exchanged[place] = replace(chain[place], payload=chain[other].payload, salt=chain[other].salt)
    assert broken(exchanged) == BrokenEvent(first + 1, chain[first].envelope.event_id, "payload-mismatch")


@given(CHAINS, st.data())
def test_a_cut_tail_is_found_against_a_pinned_head(chain: list[SealedEvent], draw: st.DataObject) -> None:
    """A head that the remaining chain does not reach; without one, a shorter chain is a chain."""
    kept = draw.draw(st.integers(0, len(chain) - 1))
    assert broken(chain[:kept], head_of(chain)) == BrokenEvent(kept + 1, None, "head-mismatch")
    assert broken(chain[:kept]) is None


@given(CHAINS, CHAIN_EVENTS)
def test_a_chain_that_was_sealed_anew_is_found_against_a_pinned_head(chain: list[SealedEvent], event: Any) -> None:
    """Every link of the forgery holds; the digest at the pinned position does not."""
    forged = sealed_chain([event] * len(chain))
    assume(head_of(forged) != head_of(chain))
    assert broken(forged) is None
    assert broken(forged, head_of(chain)) == BrokenEvent(len(chain), None, "head-mismatch")


@given(CHAINS, CHAIN_EVENTS)
def test_an_event_after_the_stored_head_is_found(chain: list[SealedEvent], event: Any) -> None:
    """A row that was added behind the head's back; against an older checkpoint it is just a newer event."""
    forged = seal(event, head_of(chain), tenant_id=TENANT, event_id=EventId("forged"), recorded_at_us=1, salt=bytes(32))
    assert broken([*chain, forged], head_of(chain)) is None
    assert broken([*chain, forged], head_of(chain), ends_there=True) == BrokenEvent(
        len(chain) + 1, None, "head-mismatch"
    )


@given(CHAINS)
def test_another_tenants_chain_is_found_at_its_first_event(chain: list[SealedEvent]) -> None:
    """A chain belongs to one tenant, whole."""
    found = verify_chain(chain, tenant_id=TenantId("other"))
    assert found.broken == BrokenEvent(1, chain[0].envelope.event_id, "foreign-tenant")
    assert found.head == EMPTY_HEAD


@pytest.mark.parametrize(
    ("changes", "breach"),
    [
        ({"payload": None, "salt": None}, "payload-missing"),
        ({"payload": None}, "payload-missing"),
        ({"salt": None}, "payload-missing"),
        ({"salt": b"short"}, "payload-mismatch"),
        ({"salt": b""}, "payload-mismatch"),
    ],
)
def test_a_payload_or_salt_that_is_gone_or_cut_is_found(changes: dict[str, Any], breach: Breach) -> None:
    """Named as such, and not a crash."""
    chain = sealed_chain([TenantCreated("one", PrincipalId("p"), None), TenantCreated("two", PrincipalId("p"), None)])
    chain[1] = replace(chain[1], **changes)
    assert broken(chain) == BrokenEvent(2, EventId("event-2"), breach)


def test_a_text_without_canonical_form_is_found_and_not_a_crash() -> None:
    """Half of a surrogate pair in an envelope is tampering like any other."""
    chain = sealed_chain([TenantCreated("one", PrincipalId("p"), None)])
    chain[0] = tampered(chain[0], "type", "\ud800")
    assert broken(chain) == BrokenEvent(1, EventId("event-1"), "digest-mismatch")


@given(EVENTS, st.binary(min_size=32, max_size=32), st.integers(0, 2**53 - 1))
def test_the_envelope_is_the_nine_fields_of_the_design(event: Any, salt: bytes, recorded_at_us: int) -> None:
    """In RFC 8785 form; digest = SHA-256(0x00 || form), payload digest = HMAC-SHA-256(salt, payload), by hand."""
    head = Head(7, "5e" * 32)
    sealed = seal(event, head, tenant_id=TENANT, event_id=EventId("e"), recorded_at_us=recorded_at_us, salt=salt)
    name, version = name_of(event)
    payload = encode_payload(event)
    envelope: dict[str, Any] = {
        "tenant_id": TENANT,
        "position": 8,
        "event_id": "e",
        "type": name,
        "version": version,
        "recorded_at_us": recorded_at_us,
        "payload_digest": hmac.new(salt, payload, hashlib.sha256).hexdigest(),
        "key_id": None,
        "prev_digest": "5e" * 32,
    }
    assert {name: getattr(sealed.envelope, name) for name in ENVELOPE_FIELDS} == envelope
    assert sealed.digest == hashlib.sha256(b"\x00" + rfc8785.dumps(envelope)).hexdigest()
    assert (sealed.payload, sealed.salt) == (payload, salt)


# Written by hand and digested with another tool: not by the code under test.
GOLDEN_PAYLOAD = '{"key_check":null,"name":"grüße\\u0000","principal":"person:ana"}'
GOLDEN_ENVELOPE = (
    '{"event_id":"019a0000-0000-7000-8000-000000000001","key_id":null,'
    '"payload_digest":"9e4652c6b8ae6cd92a5fab471e300475f35e7ea4ccd08ab6b64917a0f0a22d98","position":1,'
    '"prev_digest":"0000000000000000000000000000000000000000000000000000000000000000",'
    '"recorded_at_us":1764446400000000,"tenant_id":"019a0000-0000-7000-8000-00000000000a",'
    '"type":"tenant.created","version":2}'
)
GOLDEN_DIGESTS = (
    "a1ff5b048436f33814f18c1d9c3608e673913e2a4227cccdb26d3327e6685626",
    "4549c942d1b123ee5a68185f1bbef7507774cebed39b261196732e3e2603a045",
)
# The same as version 1 of the event had it, which is read, and written no more.
FIRST_PAYLOAD = '{"name":"grüße\\u0000","principal":"person:ana"}'
FIRST_PAYLOAD_DIGEST = "a25417b112e099eb5797527d0bcc91401d018de95aed2b8f3e462d513c90da1f"
FIRST_DIGEST = "62f6a7659a3af4a40228bc2fa059fa09725f870f421ff76cc2edbe6db32017a8"


def test_the_format_is_what_it_was_on_the_first_day() -> None:
    """Fixed bytes and digests: a change here would break every ledger that was ever written."""
    tenant_id = TenantId("019a0000-0000-7000-8000-00000000000a")
    event = TenantCreated("grüße\x00", PrincipalId("person:ana"), None)
    one = seal(
        event,
        EMPTY_HEAD,
        tenant_id=tenant_id,
        event_id=EventId("019a0000-0000-7000-8000-000000000001"),
        recorded_at_us=1_764_446_400_000_000,
        salt=bytes(range(32)),
    )
    two = seal(
        event,
        Head(1, one.digest),
        tenant_id=tenant_id,
        event_id=EventId("019a0000-0000-7000-8000-000000000002"),
        recorded_at_us=1_764_446_400_000_001,
        salt=bytes(range(32, 64)),
    )
    assert one.payload == two.payload == GOLDEN_PAYLOAD.encode()
    assert hashlib.sha256(b"\x00" + GOLDEN_ENVELOPE.encode()).hexdigest() == GOLDEN_DIGESTS[0]
    assert (one.digest, two.digest) == GOLDEN_DIGESTS
    assert two.envelope.prev_digest == GOLDEN_DIGESTS[0]
    assert two.envelope.payload_digest == "b071ea51c98e24435f8f4044efe27e8d3d19cda70ae91979306f6147ac9e9f61"
    assert verify_chain([one, two], tenant_id=tenant_id, expected_head=Head(2, two.digest)).broken is None


@pytest.mark.parametrize("holds", [True, False])
def test_a_chain_that_begins_with_an_earlier_version_holds(*, holds: bool) -> None:
    """Its bytes are verified as they were written. The control: one character changed is found."""
    tenant_id = TenantId("019a0000-0000-7000-8000-00000000000a")
    envelope = Envelope(
        tenant_id=tenant_id,
        position=1,
        event_id=EventId("019a0000-0000-7000-8000-000000000001"),
        type="tenant.created",
        version=1,
        recorded_at_us=1_764_446_400_000_000,
        payload_digest=FIRST_PAYLOAD_DIGEST,
        key_id=None,
        prev_digest=EMPTY_HEAD.digest,
    )
    payload = (FIRST_PAYLOAD if holds else FIRST_PAYLOAD.replace("ana", "eve")).encode()
    sealed = SealedEvent(envelope, FIRST_DIGEST, payload, bytes(range(32)))
    verified = verify_chain([sealed], tenant_id=tenant_id, expected_head=Head(1, FIRST_DIGEST))
    assert (verified.broken is None) is holds
