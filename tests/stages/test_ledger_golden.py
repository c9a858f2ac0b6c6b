"""Payload bytes of each event type and version, as they were first written: a change of one changes history."""

from pathlib import Path

import msgspec
import pytest

from heedful.kernel.ids import PrincipalId
from heedful.ledger.events import TenantCreated
from heedful.ledger.registry import EVENT_TYPES, UPCASTERS, decode_payload, encode_payload, is_known, name_of

GOLDEN = msgspec.json.decode((Path(__file__).parent / "golden_payloads.json").read_bytes())


def test_every_event_type_has_golden_bytes() -> None:
    """A new event type or version brings its own; none is ever taken out."""
    assert {f"{name} {version}" for name, version in (*EVENT_TYPES, *UPCASTERS)} == set(GOLDEN)


def test_versions_that_are_read_are_known_and_no_others() -> None:
    """Those that are written, and those that an upcaster takes."""
    assert all(is_known(*key) for key in (*EVENT_TYPES, *UPCASTERS))
    assert not any(is_known(name, version) for name, version in (("tenant.created", 3), ("tenant.made", 1)))


@pytest.mark.parametrize("key", sorted(f"{name} {version}" for name, version in UPCASTERS))
def test_golden_bytes_of_an_earlier_version_are_read_as_the_newest(key: str) -> None:
    """What it could not say is None; the same event is written as the newest version from now on."""
    name, version = key.split(" ")
    event = decode_payload(name, int(version), GOLDEN[key].encode())

    written_as, newest = name_of(event)
    assert (written_as, newest > int(version)) == (name, True)
    assert decode_payload(name, newest, encode_payload(event)) == event


def test_a_tenant_of_version_1_has_no_key_check() -> None:
    """The control: one of version 2 has its own."""
    old, new = (
        decode_payload("tenant.created", version, GOLDEN[f"tenant.created {version}"].encode()) for version in (1, 2)
    )
    assert old == TenantCreated("default", PrincipalId("person:ana"), None)
    assert new == TenantCreated("default", PrincipalId("person:ana"), "5e" * 32)


@pytest.mark.parametrize("key", sorted(f"{name} {version}" for name, version in EVENT_TYPES))
def test_golden_bytes_are_read_and_written_as_they_were(key: str) -> None:
    """What this release reads from the old bytes, it writes as the same bytes."""
    name, version = key.split(" ")
    event = decode_payload(name, int(version), GOLDEN[key].encode())

    assert type(event) is EVENT_TYPES[name, int(version)]
    assert encode_payload(event).decode() == GOLDEN[key]
