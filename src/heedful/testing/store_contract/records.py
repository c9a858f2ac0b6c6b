"""Records: whole, found by id, source, scope, status, run and attributes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heedful.kernel.errors import ConflictError
from heedful.kernel.ids import RecordId, RunId
from heedful.kernel.ladder import Classification
from heedful.observations.record import AttributeValue, BlobRef, RecordStatus, Redaction, Subject
from heedful.ports.store import AttributeFilter, Reading, StoredRecord, Visible, Writing
from heedful.testing.builders import build_id, build_record, build_stored, scope_of, visible_to
from heedful.testing.factory import StoreFactory, one_tenant

ANA = scope_of("user:ana")
BEN = scope_of("user:ben")
ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=80)
ANY_VALUE = ANY_TEXT | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)


class TestRecords:
    """ViewReader.record, records_by_ids, record_by_source and records; Writing.put_record."""

    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        content=st.none() | ANY_TEXT,
        content_base64=st.none() | st.binary(max_size=80),
        source_ref=st.none() | ANY_TEXT,
        run_id=st.none() | ANY_TEXT,
        attributes=st.lists(st.tuples(ANY_TEXT, ANY_VALUE), max_size=4),
        reason=ANY_TEXT,
    )
    def test_any_record_round_trips(
        self,
        stores: StoreFactory,
        content: str | None,
        content_base64: bytes | None,
        source_ref: str | None,
        run_id: str | None,
        attributes: list[tuple[str, AttributeValue]],
        reason: str,
    ) -> None:
        """Every field is equal and of the same type: NUL, astral characters, any bytes, 1 apart from 1.0 and True."""
        record = build_record(
            1,
            content=content,
            content_base64=content_base64,
            source_ref=source_ref,
            run_id=None if run_id is None else RunId(run_id),
            attributes=tuple(attributes),
            blob=BlobRef("name", 5),
            subjects=(Subject("deployment", "checkout-7"),),
            derived_from=(RecordId(build_id(9)),),
            redactions=(Redaction(0, 5, "aws"),),
            flags=("one-off",),
        )
        stored = StoredRecord(record, RecordStatus.PENDING, 1, 2**60, reason)
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: writing.put_record(stored))
            with tenant_store.read() as reading:
                found = reading.record(record.record_id)
                assert found == stored
                assert repr(found) == repr(stored)
                if source_ref is not None:
                    assert reading.record_by_source(source_ref, ANA, Classification.NORMAL) == stored

    def test_several_records_come_in_the_order_of_their_ids(self, stores: StoreFactory) -> None:
        """Whatever the order in which they were kept; each as often as it is asked for; absent ones are left out."""
        first, second, third = (build_stored(number) for number in (1, 2, 3))
        ids = [each.record.record_id for each in (third, first, second, first)]
        with _with_records(stores, first, second, third) as reading:
            assert reading.records_by_ids(ids) == (third, first, second, first)
            assert reading.records_by_ids([RecordId("\ud800"), RecordId(build_id(9, "record")), ids[1]]) == (first,)
            assert reading.records_by_ids([]) == ()

    def test_very_many_ids_are_no_too_many(self, stores: StoreFactory) -> None:
        """More than one statement takes: nothing is lost and nothing fails."""
        stored = build_stored(1)
        ids = [RecordId(f"absent/{number}") for number in range(33_000)]
        with _with_records(stores, stored) as reading:
            assert reading.records_by_ids([*ids, stored.record.record_id]) == (stored,)

    def test_a_record_that_is_not_there_is_none(self, stores: StoreFactory) -> None:
        """By id and by source, also for a text that no store could hold."""
        with _with_records(stores, build_stored(1)) as reading:
            assert reading.record(RecordId(build_id(2, "record"))) is None
            assert reading.record(RecordId("\ud800")) is None
            assert reading.record_by_source("source/2", ANA, Classification.NORMAL) is None
            assert reading.record_by_source("\ud800", ANA, Classification.NORMAL) is None

    def test_a_source_reference_compares_by_bytes(self, stores: StoreFactory) -> None:
        """Case, accents and Unicode forms are differences; records without one never clash."""
        references = ["a", "A", "\u00e9", "e\u0301", "", " a", "a\x00", None, None]
        stored = [build_stored(number, source_ref=reference) for number, reference in enumerate(references, 1)]
        with _with_records(stores, *stored) as reading:
            named = [reference for reference in references if reference is not None]
            found = [reading.record_by_source(reference, ANA, Classification.NORMAL) for reference in named]
            assert found == stored[:7]

    def test_a_second_record_of_one_source_is_refused(self, stores: StoreFactory) -> None:
        """`source_ref_taken`, and the first stays as it was."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: writing.put_record(build_stored(1, source_ref="s")))
            with pytest.raises(ConflictError) as caught:
                tenant_store.write(lambda writing: writing.put_record(build_stored(2, source_ref="s")))
            assert caught.value.code == "source_ref_taken"
            with tenant_store.read() as reading:
                assert reading.record_by_source("s", ANA, Classification.NORMAL) == build_stored(1, source_ref="s")

    def test_one_source_reference_may_name_a_record_in_each_scope_and_classification(
        self, stores: StoreFactory
    ) -> None:
        """Each is found where it is; in a scope or a classification that has none, nothing is."""
        mine = build_stored(1, source_ref="s")
        secret = build_stored(2, source_ref="s", classification=Classification.RESTRICTED)
        others = build_stored(3, source_ref="s", scope=BEN)
        with _with_records(stores, mine, secret, others) as reading:
            assert reading.record_by_source("s", ANA, Classification.NORMAL) == mine
            assert reading.record_by_source("s", ANA, Classification.RESTRICTED) == secret
            assert reading.record_by_source("s", BEN, Classification.NORMAL) == others
            assert reading.record_by_source("s", ANA, Classification.SENSITIVE) is None
            assert reading.record_by_source("s", scope_of("user:cy"), Classification.NORMAL) is None

    def test_a_record_may_not_take_the_source_of_another_when_it_is_replaced(self, stores: StoreFactory) -> None:
        """The replacement is refused too."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: writing.put_record(build_stored(1)))
            tenant_store.write(lambda writing: writing.put_record(build_stored(2)))
            with pytest.raises(ConflictError):
                tenant_store.write(lambda writing: writing.put_record(build_stored(2, source_ref="source/1")))

    def test_a_record_put_again_is_replaced(self, stores: StoreFactory) -> None:
        """The new status, scope and attributes hold; the old ones find it no more."""
        before = build_stored(1, attributes=(("team", "sre"),))
        after = build_stored(1, status=RecordStatus.WITHDRAWN, scope=BEN, attributes=(("team", "web"),))
        with _with_records(stores, before, after) as reading:
            assert reading.record(before.record.record_id) == after
            assert _found(reading, visible_to(ANA, BEN)) == []
            for team, count in (("sre", 0), ("web", 1)):
                wanted = (AttributeFilter("team", (team,)),)
                assert len(_found(reading, visible_to(BEN), RecordStatus.WITHDRAWN, attributes=wanted)) == count

    def test_records_come_newest_first_and_page_by_position(self, stores: StoreFactory) -> None:
        """Over several scopes; `before` is not included, and the filter comes before the limit."""
        stored = [build_stored(n, scope=(ANA, BEN, scope_of("user:cy"))[n % 3]) for n in range(1, 31)]
        with _with_records(stores, *stored) as reading:
            visible = visible_to(ANA, BEN)
            everything = _found(reading, visible)
            assert everything == [n for n in range(30, 0, -1) if n % 3 != 2]
            pages: list[int] = []
            while len(pages) < len(everything):
                pages += _found(reading, visible, before=pages[-1] if pages else None, limit=4)
            assert pages == everything
            assert _found(reading, visible, before=1) == []
            assert _found(reading, visible, limit=0) == []

    def test_records_of_other_scopes_are_not_seen(self, stores: StoreFactory) -> None:
        """Whole scopes alone: neither a prefix, nor a part, nor another case of one."""
        scopes = [
            scope_of(),
            ANA,
            scope_of("user:an"),
            scope_of("user:ana2"),
            scope_of("user:Ana"),
            scope_of("project:p", "user:ana"),
            scope_of("user:a%"),
        ]
        stored = [build_stored(n, scope=scope) for n, scope in enumerate(scopes, 1)]
        with _with_records(stores, *stored) as reading:
            for number, scope in enumerate(scopes, 1):
                assert _found(reading, visible_to(scope)) == [number]
            assert _found(reading, visible_to()) == []
            assert _found(reading, visible_to(scope_of("user:an_"), scope_of("user:%"))) == []

    def test_records_above_the_clearance_are_not_seen(self, stores: StoreFactory) -> None:
        """Each clearance sees its own classification and those below."""
        stored = [build_stored(n, classification=c) for n, c in enumerate(Classification, 1)]
        with _with_records(stores, *stored) as reading:
            for count, clearance in enumerate(Classification, 1):
                assert len(_found(reading, Visible((ANA,), clearance))) == count

    def test_records_of_one_run_and_one_status(self, stores: StoreFactory) -> None:
        """A run is compared by bytes; every status is seen apart."""
        stored = [build_stored(n, run_id=run) for n, run in enumerate(["r", "R", None, "r%", "r"], 1)]
        stored.append(build_stored(6, run_id="r", status=RecordStatus.PENDING))
        with _with_records(stores, *stored) as reading:
            assert _found(reading, visible_to(ANA), run_id=RunId("r")) == [5, 1]
            assert _found(reading, visible_to(ANA), run_id=RunId("r%")) == [4]
            assert _found(reading, visible_to(ANA), run_id=RunId("\ud800")) == []
            assert _found(reading, visible_to(ANA), RecordStatus.PENDING) == [6]
            assert _found(reading, visible_to(ANA), RecordStatus.WITHDRAWN) == []

    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            ((9,), [1]),
            ((9.0,), [1]),
            ((10, 100), [3, 2]),
            (("9",), [4]),
            ((1,), [5]),
            ((True,), [6]),
            ((False,), []),
            (("true",), []),
            (("1",), []),
            ((0.1 + 0.2,), [7]),
            ((0.3,), []),
            ((2**63,), [8]),
            ((float(2**63),), [8]),
            ((2**63 + 1,), []),
            (("a%",), [9]),
            (("A",), []),
            (("\ud800",), []),
            ((), []),
            (("a%", 9, True), [9, 6, 1]),
        ],
    )
    def test_attributes_compare_by_type_and_value(
        self, stores: StoreFactory, values: tuple[AttributeValue, ...], expected: list[int]
    ) -> None:
        """9 is 9.0 and not "9"; 1 is neither True nor "1"; LIKE characters are ordinary; big numbers are exact."""
        kept: list[AttributeValue] = [9, 10, 100, "9", 1, True, 0.1 + 0.2, 2**63, "a%"]
        stored = [build_stored(n, attributes=(("size", value),)) for n, value in enumerate(kept, 1)]
        with _with_records(stores, *stored) as reading:
            wanted = (AttributeFilter("size", values),)
            assert _found(reading, visible_to(ANA), attributes=wanted) == expected

    def test_every_attribute_filter_must_hold(self, stores: StoreFactory) -> None:
        """Names are whole; two filters are an and; a record without the attribute is not found."""
        stored = [
            build_stored(1, attributes=(("team", "sre"), ("size", 2))),
            build_stored(2, attributes=(("team", "sre"), ("size", 3))),
            build_stored(3, attributes=(("team", "sre"), ("team", "web"))),
            build_stored(4),
        ]
        with _with_records(stores, *stored) as reading:
            sre, two = AttributeFilter("team", ("sre",)), AttributeFilter("size", (2,))
            assert _found(reading, visible_to(ANA), attributes=(sre,)) == [3, 2, 1]
            assert _found(reading, visible_to(ANA), attributes=(sre, two)) == [1]
            assert _found(reading, visible_to(ANA), attributes=(sre, AttributeFilter("team", ("web",)))) == [3]
            assert _found(reading, visible_to(ANA), attributes=(AttributeFilter("tea_", ("sre",)),)) == []
            assert _found(reading, visible_to(ANA), attributes=(sre,), limit=1) == [3]


@contextmanager
def _with_records(stores: StoreFactory, *stored: StoredRecord) -> Iterator[Reading]:
    with one_tenant(stores) as tenant_store:
        for one in stored:
            tenant_store.write(partial(_put, one))
        with tenant_store.read() as reading:
            yield reading


def _put(stored: StoredRecord, writing: Writing) -> None:
    writing.put_record(stored)


def _found(
    reading: Reading,
    visible: Visible,
    status: RecordStatus = RecordStatus.ADMITTED,
    *,
    run_id: RunId | None = None,
    attributes: tuple[AttributeFilter, ...] = (),
    before: int | None = None,
    limit: int = 100,
) -> list[int]:
    found = reading.records(visible, status=status, run_id=run_id, attributes=attributes, before=before, limit=limit)
    return [stored.position for stored in found]
