"""Bundles without a file: what is written is read again, and both sides hold the chains to what they say."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ledger_strategies import CHAIN_EVENTS, TENANT, any_value, head_of, sealed_chain

from heedful.kernel.digest import payload_digest
from heedful.kernel.errors import HeedfulError
from heedful.kernel.ids import EventId, PacketId, PrincipalId, RecordId, TenantId
from heedful.kernel.scope import Scope
from heedful.ledger import bundle, events
from heedful.ledger.bundle import Blob, ChainedEvent, Item, read_bundle, write_bundle
from heedful.ledger.bundle_lines import (
    BLOB_PIECE_BYTES,
    ChainName,
    EventLine,
    Header,
    Trailer,
    encode_line,
    header_of,
)
from heedful.ledger.events import AnyEvent, TenantCreated
from heedful.ledger.seal import Envelope, SealedEvent
from heedful.observations.record import BlobRef
from heedful.testing.builders import build_record

FIRST = TenantCreated("default", PrincipalId("person:ana"), None)
LATER: st.SearchStrategy[AnyEvent] = CHAIN_EVENTS.filter(lambda event: not isinstance(event, events.TenantCreated))
LEDGERS = st.lists(LATER, max_size=5).map(lambda later: sealed_chain([FIRST, *later]))
ACCESSES = st.lists(any_value(events.PacketAssembled), max_size=3).map(sealed_chain)


def header(ledger: list[SealedEvent], access: list[SealedEvent]) -> Header:
    """The header of these chains."""
    return header_of(
        tenant_id=TENANT,
        name="過敏 🥜",
        created_at_us=1_764_000_000_000_000,
        ledger=head_of(ledger),
        access=head_of(access),
        registry_revision="ab" * 32,
        key_check=None,
    )


def written(
    ledger: list[SealedEvent], access: list[SealedEvent] | None = None, contents: dict[str, bytes] | None = None
) -> list[bytes]:
    """The lines of these chains."""
    access = access or []
    return [
        line for line, _ in write_bundle(header(ledger, access), ledger, access, lambda ref: (contents or {})[ref.name])
    ]


def code_of(items: Iterable[Item]) -> str:
    """The code of the error that reading them ends in."""
    with pytest.raises(HeedfulError) as raised:
        list(items)
    return raised.value.code


def keeping(number: int, content: bytes) -> events.RecordAdmitted:
    """A record whose content lies in the blob store, named here by what it is."""
    blob = BlobRef(hashlib.sha256(content).hexdigest(), len(content))
    return events.RecordAdmitted(build_record(number, content=None, blob=blob), ())


@settings(max_examples=60)
@given(LEDGERS, ACCESSES)
def test_what_is_written_is_read_again(ledger: list[SealedEvent], access: list[SealedEvent]) -> None:
    """Header, events of both chains in order, trailer; the same chains give the same bytes."""
    lines = written(ledger, access)
    first, *middle, last = list(read_bundle(lines))

    assert first == header(ledger, access)
    assert [item.sealed for item in middle if isinstance(item, ChainedEvent)] == [*ledger, *access]
    assert isinstance(last, Trailer)
    assert last.sha256 == hashlib.sha256(b"".join(lines[:-1])).hexdigest()
    assert lines == written(ledger, access)
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in lines)


def test_a_content_stands_before_the_first_event_that_names_it() -> None:
    """In pieces, once, whole again when read; whoever names it later finds it said."""
    big, small = bytes(range(256)) * (2 * BLOB_PIECE_BYTES // 256) + b"end", b"small"
    ledger = sealed_chain([FIRST, keeping(1, big), keeping(2, small), keeping(3, big)])
    contents = {hashlib.sha256(each).hexdigest(): each for each in (big, small)}
    lines = written(ledger, contents=contents)

    kinds = [json.loads(line)["line"] for line in lines]
    assert kinds == ["header", "event", "blob", "blob", "blob", "event", "blob", "event", "event", "trailer"]
    blobs = [item for item in read_bundle(lines) if isinstance(item, Blob)]
    assert blobs == [Blob(name, content) for name, content in contents.items()]


def test_a_content_is_repeated_once_too_many_others_came(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that neither side remembers more than so many names; a reader that remembers more refuses the repetition."""
    monkeypatch.setattr(bundle, "BLOB_NAMES_MAX", 2)
    texts = [b"a", b"b", b"c", b"a", b"c"]
    ledger = sealed_chain([FIRST, *(keeping(number, text) for number, text in enumerate(texts))])
    lines = written(ledger, contents={hashlib.sha256(text).hexdigest(): text for text in texts})

    assert [item.content for item in read_bundle(lines) if isinstance(item, Blob)] == [b"a", b"b", b"c", b"a"]
    monkeypatch.setattr(bundle, "BLOB_NAMES_MAX", 3)
    assert code_of(read_bundle(lines)) == "bundle_damaged"


def test_a_content_that_no_event_names_is_refused() -> None:
    """Before another event, before the trailer, and one whose size is not what the event says."""
    ledger = sealed_chain([FIRST, keeping(1, b"x")])
    lines = written(ledger, contents={hashlib.sha256(b"x").hexdigest(): b"x"})
    header_line, first, blob, event, trailer = lines

    assert code_of(read_bundle([header_line, blob, first, event, trailer])) == "bundle_damaged"
    assert code_of(read_bundle([header_line, first, event, blob, trailer])) == "bundle_damaged"
    assert code_of(read_bundle([header_line, first, event, trailer])) == "bundle_damaged"
    larger = blob.replace(b'"size_bytes":1', b'"size_bytes":2')
    assert code_of(read_bundle([header_line, first, larger, event, trailer])) == "bundle_damaged"
    huge = blob.replace(b'"size_bytes":1', b'"size_bytes":99999999999')
    assert code_of(read_bundle([header_line, first, huge, event, trailer])) == "bundle_damaged"


def broken_chains() -> list[tuple[list[SealedEvent], list[SealedEvent], Header]]:
    """Chains that do not hold, each in its way, with a header that does not tell."""
    ledger, access = sealed_chain([FIRST, FIRST_CONFIRMED, FIRST_CONFIRMED]), sealed_chain([PACKET])
    whole = header(ledger, access)
    salted = replace(ledger[1], salt=bytes(32))
    twice = sealed_chain([FIRST, FIRST])
    headless = sealed_chain([FIRST_CONFIRMED])
    astray = sealed_chain([FIRST, PACKET])
    foreign = sealed_chain([FIRST], tenant_id=TenantId("0193-other"))
    return [
        (ledger[:2], access, whole),
        (ledger, [], whole),
        ([*ledger[:1], *ledger[2:]], access, whole),
        ([ledger[0], salted, ledger[2]], access, whole),
        ([replace(ledger[0], payload=None, salt=None), *ledger[1:]], access, whole),
        ([], [], header([], [])),
        (twice, [], header(twice, [])),
        (headless, [], header(headless, [])),
        (astray, [], header(astray, [])),
        (foreign, [], header(foreign, [])),
        (ledger, ledger, header(ledger, ledger)),
    ]


FIRST_CONFIRMED = events.RecordConfirmed(RecordId("r"), PrincipalId("person:ana"), "said so")
PACKET = events.PacketAssembled(PacketId("p"), PrincipalId("person:ana"), Scope(("project:x",)), "{}", None)


@pytest.mark.parametrize("number", range(11))
def test_chains_that_do_not_hold_are_neither_written_nor_read(number: int) -> None:
    """`ledger_broken` where they come from; `bundle_damaged` where somebody wrote them all the same."""
    ledger, access, first = broken_chains()[number]
    assert code_of(line for _, line in write_bundle(first, ledger, access, _no_content)) == "ledger_broken"  # type: ignore[misc]
    assert code_of(read_bundle(forged(first, ledger, access))) == "bundle_damaged"


def test_control_a_forged_file_of_chains_that_hold_is_read() -> None:
    """The refusals above are of the chains."""
    ledger, access = sealed_chain([FIRST, FIRST_CONFIRMED]), sealed_chain([PACKET])
    assert forged(header(ledger, access), ledger, access) == written(ledger, access)
    assert len(list(read_bundle(forged(header(ledger, access), ledger, access)))) == 5


def test_an_event_that_this_release_does_not_know_is_a_newer_ones() -> None:
    """`bundle_newer`, though it is sealed as it should be."""
    first = sealed_chain([FIRST])[0]
    envelope = Envelope(
        TENANT, 2, EventId("e"), "record.dreamt", 1, 1, payload_digest(bytes(32), b"{}"), None, first.digest
    )
    ledger = [first, SealedEvent(envelope, envelope.digest, b"{}", bytes(32))]
    assert code_of(read_bundle(forged(header(ledger, []), ledger, []))) == "bundle_newer"


def forged(first: Header, ledger: list[SealedEvent], access: list[SealedEvent]) -> list[bytes]:
    """The lines that somebody would write who checks nothing."""
    lines = [encode_line(first)]
    for chain, sealed_events in (("ledger", ledger), ("access", access)):
        lines += [
            encode_line(EventLine(cast("ChainName", chain), each.envelope, each.digest, each.salt, each.payload))
            for each in sealed_events
        ]
    return [*lines, encode_line(Trailer(0, len(ledger), len(access), hashlib.sha256(b"".join(lines)).hexdigest()))]


def _no_content(ref: BlobRef) -> bytes:
    raise AssertionError(ref)


def test_a_line_that_nobody_could_read_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """`bundle_line_too_long`, at the same limit on both sides."""
    ledger = sealed_chain([FIRST, FIRST_CONFIRMED])
    longest = max(map(len, written(ledger)))
    monkeypatch.setattr(bundle, "LINE_BYTES_MAX", longest)
    assert len(written(ledger)) == 4
    monkeypatch.setattr(bundle, "LINE_BYTES_MAX", longest - 1)
    first = header(ledger, [])
    assert code_of(line for _, line in write_bundle(first, ledger, [], _no_content)) == "bundle_line_too_long"  # type: ignore[misc]
