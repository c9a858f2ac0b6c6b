"""Events by registered name and version, and their payloads as bytes."""

from __future__ import annotations

import dataclasses
import re
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ledger_strategies import EVENTS, any_value

from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.errors import FaultError
from heedful.kernel.ids import PrincipalId, RecordId
from heedful.kernel.times import SourceTime
from heedful.ledger import events
from heedful.ledger.registry import EVENT_TYPES, UPCASTERS, decode_payload, encode_payload, name_of
from heedful.observations.record import BlobRef, Record, Redaction


@given(EVENTS)
@settings(max_examples=400)
def test_every_event_reads_back_from_its_bytes_as_it_was(event: events.AnyEvent) -> None:
    """Odd text, bytes, open sides and far instants included; written again it gives the same bytes."""
    name, version = name_of(event)
    payload = encode_payload(event)
    decoded = decode_payload(name, version, payload)
    assert decoded == event
    assert encode_payload(decoded) == payload


@pytest.mark.parametrize("event_class", EVENT_TYPES.values(), ids=lambda event_class: event_class.__name__)
def test_each_event_type_by_itself_reads_back(event_class: type[events.AnyEvent]) -> None:
    """No type hides behind the luck of the draw."""

    @given(any_value(event_class))
    @settings(max_examples=25)
    def reads_back(event: events.AnyEvent) -> None:
        assert decode_payload(*name_of(event), encode_payload(event)) == event

    reads_back()


@pytest.mark.parametrize("event_class", EVENT_TYPES.values(), ids=lambda event_class: event_class.__name__)
def test_each_event_type_is_written_as_rfc_8785_says(event_class: type[events.AnyEvent]) -> None:
    """However it is done quickly, the bytes are those of the slow way: odd numbers and odd text included."""

    @given(any_value(event_class))
    @settings(max_examples=50)
    def is_canonical(event: events.AnyEvent) -> None:
        assert encode_payload(event) == canonical_bytes(msgspec.to_builtins(event))

    is_canonical()


NUMBERS = st.sampled_from([0, 1, 0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 1e-7, 1e-4, 1e15, 1e16, 1e21, 2.0**53, 1e300])
INTEGERS = st.sampled_from([0, 1, -1, 2**53 - 1, 2**53, -(2**53), 10**18])
TEXTS = st.sampled_from(
    ['"confidence":1.0,', '\\"confidence":1.0,', ":1.0,", "confidence", '{"expected_utility":1.0,"b":1e7}', "1.0", "\\"]
)


@given(st.data(), st.sampled_from([events.RecordAdmitted, events.RecordPending]))
@settings(max_examples=300)
def test_a_record_is_written_as_rfc_8785_says_whatever_its_numbers_and_texts(
    data: st.DataObject, event_class: type[events.RecordAdmitted | events.RecordPending]
) -> None:
    """A number that the encoders write differently is found in every field; text that looks like one is left alone."""
    record = data.draw(any_value(Record))
    of_any_field: dict[str, st.SearchStrategy[object]] = {
        "occurred": st.builds(SourceTime, INTEGERS, st.none() | INTEGERS, st.just("second")),
        "confidence": NUMBERS,
        "expected_utility": NUMBERS,
        "sequence": INTEGERS,
        "retain_days": INTEGERS,
        "attributes": st.tuples(st.tuples(TEXTS, TEXTS | NUMBERS | INTEGERS | st.booleans())),
        "redactions": st.tuples(st.builds(Redaction, INTEGERS, INTEGERS, TEXTS)),
        "blob": st.none() | st.builds(BlobRef, TEXTS, INTEGERS),
        "content": TEXTS,
        "media_type": TEXTS,
        "flags": st.tuples(TEXTS, TEXTS),
    }
    ordinary = dataclasses.replace(record, confidence=1.0, expected_utility=0.5, occurred=SourceTime(1, None, "second"))
    fields = data.draw(st.sets(st.sampled_from(sorted(of_any_field)), min_size=1, max_size=3))
    changed = {name: data.draw(of_any_field[name], label=name) for name in sorted(fields)}
    event = event_class(dataclasses.replace(ordinary, **changed), data.draw(st.tuples(TEXTS, TEXTS)))
    assert encode_payload(event) == canonical_bytes(msgspec.to_builtins(event))


def test_the_registered_set_is_closed_and_has_names_of_its_own() -> None:
    """Every class of the closed union, once; names say what happened and are no paths of Python."""
    assert set(EVENT_TYPES.values()) == set(get_args(events.Event)) | {events.AccessEvent}
    assert len(set(EVENT_TYPES.values())) == len(EVENT_TYPES)
    for (name, version), event_class in EVENT_TYPES.items():
        assert re.fullmatch(r"[a-z]+\.[a-z_]+", name)
        assert version >= 1
        assert "heedful" not in name
        assert event_class.__name__ not in name
        assert event_class.__module__ not in name


def test_events_are_frozen_and_have_no_defaults() -> None:
    """An event is stated whole, and never changes."""
    for event_class in EVENT_TYPES.values():
        assert event_class.__dataclass_params__.frozen  # type: ignore[union-attr]
        assert hasattr(event_class, "__slots__")
        for field in dataclasses.fields(event_class):
            assert field.default is field.default_factory is dataclasses.MISSING


PAYLOAD = encode_payload(events.RecordConfirmed(RecordId("r"), PrincipalId("p"), "why"))


@pytest.mark.parametrize(
    ("name", "version"),
    [("record.unheard_of", 1), ("record.confirmed", 2), ("record.confirmed", 0), ("RecordConfirmed", 1), ("", 1)],
)
def test_an_unknown_name_or_version_is_refused(name: str, version: int) -> None:
    """A newer release's event is a fault to report, never an event to pass over."""
    with pytest.raises(FaultError) as raised:
        decode_payload(name, version, PAYLOAD)
    assert raised.value.code == "event_unknown"


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"\xff"',
        PAYLOAD[:-1],
        PAYLOAD + b"x",
        b'{"actor":"p","reason":"why"}',
        b'{"actor":"p","reason":7,"record_id":"r"}',
        b"[" * 100_000,
    ],
)
def test_bytes_that_hold_no_such_event_are_refused(payload: bytes) -> None:
    """Cut, foreign, ill-typed or absurdly nested: one error, with its cause kept."""
    with pytest.raises(FaultError) as raised:
        decode_payload("record.confirmed", 1, payload)
    assert raised.value.code == "event_unreadable"
    assert raised.value.__cause__ is not None


@given(any_value(events.ClaimProposed))
@settings(max_examples=25)
def test_a_claim_may_hold_until_the_last_year(proposed: events.ClaimProposed) -> None:
    """The year 9999 is more microseconds than a double counts exactly: a text in the bytes, a number in the event."""
    proposed = dataclasses.replace(proposed, valid_to_us=253_402_300_799_999_999)
    assert decode_payload("claim.proposed", 3, encode_payload(proposed)) == proposed


def test_an_older_version_is_brought_up_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each upcaster takes one version to the next; the event that comes out is the newest."""

    def renamed(fields: dict[str, Any]) -> dict[str, Any]:
        return {"record_id": fields["id"], "actor": fields["actor"], "reason": "not given"}

    monkeypatch.setitem(UPCASTERS, ("record.confirmed", 0), renamed)
    monkeypatch.setitem(UPCASTERS, ("record.confirmed", -1), lambda fields: fields | {"actor": "p"})
    expected = events.RecordConfirmed(RecordId("r"), PrincipalId("p"), "not given")
    assert decode_payload("record.confirmed", -1, b'{"id":"r"}') == expected
    assert decode_payload("record.confirmed", 0, b'{"id":"r","actor":"p"}') == expected
