"""The log: chains of events, whole, in order, without gaps."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heedful.kernel.digest import payload_digest
from heedful.kernel.errors import ConflictError
from heedful.kernel.ids import EventId, PrincipalId, RecordId
from heedful.ledger.events import RecordConfirmed
from heedful.ledger.pages import sealed_of
from heedful.ledger.seal import EMPTY_HEAD, Envelope, Head, SealedEvent
from heedful.ledger.verify import verify_chain
from heedful.ports.store import Chain, Tenant, Writing
from heedful.testing.builders import append_event, build_id, build_sealed
from heedful.testing.factory import StoreFactory, one_tenant

ANY_TEXT = st.text(st.characters(codec="utf-8"))


class TestLog:
    """EventReader and Writing.append."""

    def test_an_empty_chain_has_the_empty_head_and_no_events(self, stores: StoreFactory) -> None:
        """Position 0 and the zero digest, for both chains."""
        with one_tenant(stores) as tenant_store, tenant_store.read() as reading:
            assert [reading.head(chain) for chain in Chain] == [EMPTY_HEAD, EMPTY_HEAD]
            assert [list(reading.events(chain)) for chain in Chain] == [[], []]
            assert reading.event(Chain.LEDGER, 1) is None
            assert reading.event_by_id(Chain.LEDGER, EventId(build_id(1))) is None

    def test_events_come_back_in_order_as_they_went_in(self, stores: StoreFactory) -> None:
        """More events than a page of the store holds, each equal to what was appended."""
        with one_tenant(stores) as tenant_store:
            appended = tenant_store.write(lambda writing: _append(writing, 600, tenant_store.tenant))
            with tenant_store.read() as reading:
                assert list(reading.events(Chain.LEDGER)) == appended
                assert reading.head(Chain.LEDGER) == Head(600, appended[-1].digest)
                assert (
                    verify_chain(reading.events(Chain.LEDGER), tenant_id=tenant_store.tenant.tenant_id).broken is None
                )

    def test_events_start_after_a_position_and_stop_at_a_limit(self, stores: StoreFactory) -> None:
        """`after` is not included; `limit` cuts; 0 is none."""
        with one_tenant(stores) as tenant_store:
            appended = tenant_store.write(lambda writing: _append(writing, 600, tenant_store.tenant))
            with tenant_store.read() as reading:
                assert list(reading.events(Chain.LEDGER, after=590)) == appended[590:]
                assert list(reading.events(Chain.LEDGER, after=3, limit=300)) == appended[3:303]
                assert list(reading.events(Chain.LEDGER, limit=0)) == []
                assert list(reading.events(Chain.LEDGER, after=600)) == []

    def test_a_chain_is_read_in_pages_and_its_digests_alone(self, stores: StoreFactory) -> None:
        """Pages have all events after a position, in order; leaves are digests from an index to before another."""
        with one_tenant(stores) as tenant_store:
            appended = tenant_store.write(lambda writing: _append(writing, 600, tenant_store.tenant))
            tenant_id = tenant_store.tenant.tenant_id
            with tenant_store.read() as reading:
                for after in (0, 590, 600):
                    pages = list(reading.event_pages(Chain.LEDGER, after=after))
                    assert all(pages)
                    assert [sealed_of(row, tenant_id) for page in pages for row in page] == appended[after:]
                digests = [bytes.fromhex(each.digest) for each in appended]
                for first, end in ((0, 600), (3, 300), (599, 700), (5, 5)):
                    assert reading.leaves(Chain.LEDGER, first, end) == digests[first:end]
                assert reading.leaves(Chain.ACCESS, 0, 9) == []
                assert list(reading.event_pages(Chain.ACCESS)) == []

    def test_events_of_a_type_are_all_there_in_order(self, stores: StoreFactory) -> None:
        """Of that very type, beyond a page of the store, after a position; of another chain none."""
        with one_tenant(stores) as tenant_store:

            def work(writing: Writing) -> None:
                confirmed = RecordConfirmed(RecordId(build_id(1, "record")), PrincipalId("person:ana"), "seen")
                for number in range(600):
                    append_event(writing, tenant_store.tenant, event=confirmed if number % 2 else None)
                append_event(writing, tenant_store.tenant, chain=Chain.ACCESS, event=confirmed)

            tenant_store.write(work)
            with tenant_store.read() as reading:
                found = list(reading.events_of("record.confirmed"))
                assert [each.envelope.position for each in found] == list(range(2, 601, 2))
                assert found[0] == reading.event(Chain.LEDGER, 2)
                late = reading.events_of("record.admitted", after=595)
                assert [each.envelope.position for each in late] == [597, 599]
                assert list(reading.events_of("record", after=0)) == []
                assert list(reading.events_of("record.confirmed", after=600)) == []

    def test_an_event_is_found_by_position_and_by_id(self, stores: StoreFactory) -> None:
        """The same event either way; nothing in the other chain, beyond the head or under another id."""
        with one_tenant(stores) as tenant_store:
            appended = tenant_store.write(lambda writing: _append(writing, 3, tenant_store.tenant))
            with tenant_store.read() as reading:
                assert reading.event(Chain.LEDGER, 2) == appended[1]
                assert reading.event_by_id(Chain.LEDGER, appended[1].envelope.event_id) == appended[1]
                assert reading.event(Chain.LEDGER, 4) is None
                assert reading.event(Chain.LEDGER, 0) is None
                assert reading.event(Chain.ACCESS, 2) is None
                assert reading.event_by_id(Chain.ACCESS, appended[1].envelope.event_id) is None
                assert reading.event_by_id(Chain.LEDGER, EventId(appended[1].envelope.event_id.upper())) is None

    def test_the_two_chains_count_apart(self, stores: StoreFactory) -> None:
        """Each has its own positions, without gaps."""
        with one_tenant(stores) as tenant_store:

            def work(writing: Writing) -> None:
                for chain in (Chain.LEDGER, Chain.ACCESS, Chain.ACCESS, Chain.LEDGER, Chain.ACCESS):
                    append_event(writing, tenant_store.tenant, chain=chain, label=chain)

            tenant_store.write(work)
            with tenant_store.read() as reading:
                assert [event.envelope.position for event in reading.events(Chain.LEDGER)] == [1, 2]
                assert [event.envelope.position for event in reading.events(Chain.ACCESS)] == [1, 2, 3]

    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(payload=st.binary(max_size=300), key_id=st.none() | ANY_TEXT, name=ANY_TEXT, at_us=st.integers(0, 2**62))
    @pytest.mark.parametrize("erased", [False, True])
    def test_any_bytes_round_trip(
        self, stores: StoreFactory, payload: bytes, key_id: str | None, name: str, at_us: int, *, erased: bool
    ) -> None:
        """Payload, salt and texts are equal to the last byte: NUL, astral characters, invalid UTF-8, or nothing."""
        salt = b"\x00\xff" * 16
        with one_tenant(stores) as tenant_store:
            envelope = Envelope(
                tenant_id=tenant_store.tenant.tenant_id,
                position=1,
                event_id=EventId(build_id(1)),
                type=name,
                version=1,
                recorded_at_us=at_us,
                payload_digest=payload_digest(salt, payload),
                key_id=key_id,
                prev_digest=EMPTY_HEAD.digest,
            )
            kept = (None, None) if erased else (payload, salt)
            sealed = SealedEvent(envelope, "ab" * 32, *kept)
            tenant_store.write(lambda writing: writing.append(Chain.LEDGER, sealed))
            with tenant_store.read() as reading:
                assert reading.event(Chain.LEDGER, 1) == sealed

    @pytest.mark.parametrize("position", [0, 1, 3, 4])
    def test_a_position_that_is_not_the_next_is_refused(self, stores: StoreFactory, position: int) -> None:
        """Neither a gap nor a position that is taken; nothing of the work is kept."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: append_event(writing, tenant_store.tenant))
            with tenant_store.read() as reading:
                head = reading.head(Chain.LEDGER)
            sealed = build_sealed(head, tenant=tenant_store.tenant)
            wrong = replace(sealed, envelope=replace(sealed.envelope, position=position))
            with pytest.raises(ConflictError) as caught:
                tenant_store.write(lambda writing: writing.append(Chain.LEDGER, wrong))
            assert caught.value.code == "position_taken"
            tenant_store.write(lambda writing: writing.append(Chain.LEDGER, sealed))
            with tenant_store.read() as reading:
                assert reading.head(Chain.LEDGER).position == 2

    def test_an_event_sealed_on_a_stale_head_is_refused(self, stores: StoreFactory) -> None:
        """The right position with another digest before it does not join the chain."""
        with one_tenant(stores) as tenant_store:
            first = tenant_store.write(lambda writing: append_event(writing, tenant_store.tenant))
            stale = build_sealed(Head(1, "cd" * 32), tenant=tenant_store.tenant)
            with pytest.raises(ConflictError) as caught:
                tenant_store.write(lambda writing: writing.append(Chain.LEDGER, stale))
            assert caught.value.code == "position_taken"
            with tenant_store.read() as reading:
                assert list(reading.events(Chain.LEDGER)) == [first]

    def test_a_reading_sees_nothing_that_commits_during_it(self, stores: StoreFactory) -> None:
        """Head, events and views stay as they were when the block began."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: append_event(writing, tenant_store.tenant))
            with tenant_store.read() as reading:
                tenant_store.write(lambda writing: append_event(writing, tenant_store.tenant))
                assert reading.head(Chain.LEDGER).position == 1
                assert len(list(reading.events(Chain.LEDGER))) == 1
            with tenant_store.read() as reading:
                assert reading.head(Chain.LEDGER).position == 2

    def test_events_are_read_as_they_are_asked_for(self, stores: StoreFactory) -> None:
        """A chain may be left in the middle, and read again, in one block."""
        with one_tenant(stores) as tenant_store:
            appended = tenant_store.write(lambda writing: _append(writing, 5, tenant_store.tenant))
            with tenant_store.read() as reading:
                assert list(islice(reading.events(Chain.LEDGER), 2)) == appended[:2]
                assert list(reading.events(Chain.LEDGER)) == appended

    def test_a_work_sees_what_it_appended_itself(self, stores: StoreFactory) -> None:
        """Head and events inside the transaction include its own."""
        with one_tenant(stores) as tenant_store:

            def work(writing: Writing) -> tuple[int, int]:
                append_event(writing, tenant_store.tenant)
                append_event(writing, tenant_store.tenant)
                return writing.head(Chain.LEDGER).position, len(list(writing.events(Chain.LEDGER)))

            assert tenant_store.write(work) == (2, 2)


def _append(writing: Writing, count: int, tenant: Tenant) -> list[SealedEvent]:
    return [append_event(writing, tenant) for _ in range(count)]
