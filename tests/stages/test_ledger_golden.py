"""Payload bytes of each event type, version 1, as they were first written: a change of one changes history."""

from pathlib import Path

import msgspec
import pytest

from heedful.ledger.registry import EVENT_TYPES, decode_payload, encode_payload

GOLDEN = msgspec.json.decode((Path(__file__).parent / "golden_payloads.json").read_bytes())


def test_every_event_type_has_golden_bytes() -> None:
    """A new event type or version brings its own; none is ever taken out."""
    assert {f"{name} {version}" for name, version in EVENT_TYPES} == set(GOLDEN)


@pytest.mark.parametrize("key", sorted(GOLDEN))
def test_golden_bytes_are_read_and_written_as_they_were(key: str) -> None:
    """What this release reads from the old bytes, it writes as the same bytes."""
    name, version = key.split(" ")
    event = decode_payload(name, int(version), GOLDEN[key].encode())

    assert type(event) is EVENT_TYPES[name, int(version)]
    assert encode_payload(event).decode() == GOLDEN[key]
