"""The store contract: what an erasure is found by, and what it takes; see ports.erasure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from heedful.claims.claim import Claim, Visibility
from heedful.kernel.ids import ErasureId, HoldId, PrincipalId, RecordId, VerdictId
from heedful.observations.record import BlobRef, RecordStatus, Subject
from heedful.ports.erasure import NamedItem, Reached, StoredErasure, StoredHold
from heedful.ports.store import Chain, Reading, SearchFilter, SearchHit, StoredRecord, StoredVerdict, Tenant, Writing
from heedful.testing.builders import (
    append_event,
    build_claim,
    build_record,
    build_search_row,
    build_tenant,
    scope_of,
    visible_to,
)
from heedful.testing.factory import StoreFactory, add_tenant, one_tenant, opened
from heedful.testing.store_contract.beliefs import put_all

_ANA, _BOB = scope_of("user:ana"), scope_of("user:bob", "project:p")
_ANY = SearchFilter(None, (), (), None, unreviewed=True)


def _stored(number: int, position: int, **changes: Any) -> StoredRecord:
    changes = {"source_ref": None, "scope": _ANA, **changes}
    return StoredRecord(build_record(number, **changes), RecordStatus.ADMITTED, position, 5, "kept")


def build_erasure(name: str, position: int, *, stage: str = "logical", held: tuple[str, ...] = ()) -> StoredErasure:
    """An erasure that came to this stage."""
    reached = (Reached("scrubbed" if stage == "scrubbed" else "logical", position, 7),)
    held_ids = tuple(RecordId(each) for each in held)
    person = PrincipalId("person:ana")
    return StoredErasure(ErasureId(name), position, person, "request", "subject", 6, reached, 1, 2, 3, 4, held_ids)


class TestErasures:
    """ErasureReader and ErasureWriter."""

    def test_items_go_by_who_brought_them_and_what_they_are_about(self, stores: StoreFactory) -> None:
        """An entity's relation goes by the entity too; page by page, and a record that is put again once."""
        about = (Subject("user", "ana/daughter"), Subject("user", "ana"))
        first = _stored(1, 3, principal=PrincipalId("person:\u00fc"), subjects=about)
        second = _stored(2, 4, principal=PrincipalId("person:\u00fc"), blob=BlobRef("b1", 9), content=None)
        claim = build_claim(1, position=5, subject="user:ana/daughter")
        with one_tenant(stores) as tenant_store:

            def work(writing: Writing) -> None:
                for each in (first, second, first):
                    writing.put_record(each)
                writing.put_claim(claim)
                writing.put_claim(claim)

            tenant_store.write(work)
            with tenant_store.read() as reading:
                ids = [each.record.record_id for each in (first, second)]
                found = reading.items_named("principal:person:\u00fc", after=0, limit=9)
                assert found == (NamedItem(3, ids[0]), NamedItem(4, ids[1]))
                assert reading.items_named("principal:person:\u00fc", after=3, limit=9) == found[1:]
                assert reading.items_named("principal:person:\u00fc", after=0, limit=1) == found[:1]
                assert reading.items_named("subject:user:ana", after=0, limit=9) == found[:1]
                assert reading.items_named("subject:user:ana/daughter", after=0, limit=9) == found[:1]
                assert reading.items_named("subject:user:an", after=0, limit=9) == ()
                assert reading.items_named("blob:b1", after=0, limit=9) == found[1:]
                assert reading.items_named("about:user:ana", after=0, limit=9) == (NamedItem(5, claim.claim_id),)

    def test_records_are_due_when_their_days_have_ended(self, stores: StoreFactory) -> None:
        """The first to end first, to the microsecond; not what is kept for good, was deleted, or is held."""
        day = 86_400_000_000
        late, early, gone, held = (_stored(n, n + 1, retain_days=4 - min(n, 2)) for n in (1, 2, 3, 4))
        always = _stored(5, 9, retain_days=None)
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: _put(writing, [late, early, gone, held, always], []))
            with tenant_store.read() as reading:
                assert reading.records_due(2 * day + 5, limit=9) == (early, gone, held)
                assert reading.records_due(2 * day + 4, limit=9) == ()
            tenant_store.write(lambda writing: writing.delete_records([gone.record.record_id]))
            tenant_store.write(lambda writing: writing.put_record(replace(held, status=RecordStatus.HELD)))
            with tenant_store.read() as reading:
                assert reading.records_due(9_999 * day, limit=9) == (early, late)
                assert reading.records_due(9_999 * day, limit=1) == (early,)

    def test_scrubbing_changes_no_answer(self, stores: StoreFactory) -> None:
        """Deleted or not, what the views say is what they said; others go on reading and writing."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: _put(writing, [_stored(1, 2), _stored(2, 3)], []))
            tenant_store.write(lambda writing: writing.delete_records([build_record(1).record_id]))
            with tenant_store.read() as reading:
                before = list(reading.dump_views())
            tenant_store.scrub_indexes()
            tenant_store.scrub_storage()
            with tenant_store.read() as reading:
                assert list(reading.dump_views()) == before
            tenant_store.write(lambda writing: writing.put_record(_stored(3, 4)))

    def test_what_is_in_a_scope_or_about_a_subject_is_found_whatever_its_status(self, stores: StoreFactory) -> None:
        """Of these very scopes, above a position, no more than asked for."""
        records = [_stored(1, 2), _stored(2, 3, scope=_BOB), _stored(3, 4)]
        claims = [build_claim(n, position=4 + n, scope=_ANA, subject=s) for n, s in ((1, "user:ana"), (2, "user:b"))]
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: _put(writing, records, claims))
            with tenant_store.read() as reading:
                assert reading.records_in([_ANA, _BOB], after=0, limit=9) == tuple(records)
                assert reading.records_in([_ANA], after=2, limit=9) == (records[2],)
                assert reading.records_in([_ANA, _BOB], after=0, limit=2) == tuple(records[:2])
                assert reading.records_in([scope_of("project:p")], after=0, limit=9) == ()
                assert reading.claims_in([_ANA], after=0, limit=9) == tuple(claims)
                assert reading.claims_in([_ANA], after=5, limit=9) == (claims[1],)
                assert reading.claims_of_subject("user:ana", after=0, limit=9) == (claims[0],)
                assert reading.claims_of_subject("user:ana", after=5, limit=9) == ()

    def test_what_was_made_from_any_of_some_records_is_found_once(self, stores: StoreFactory) -> None:
        """Records and claims, in ledger order."""
        ids = [RecordId(build_record(n).record_id) for n in (1, 2)]
        copies = [_stored(3, 8, derived_from=tuple(ids)), _stored(4, 7, derived_from=(ids[1],))]
        claims = [build_claim(n, position=10 - n, evidence=tuple(ids[:n])) for n in (1, 2)]
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: _put(writing, copies, claims))
            with tenant_store.read() as reading:
                assert reading.records_from_any(ids) == (copies[1], copies[0])
                assert reading.records_from_any([RecordId("not there")]) == ()
                assert reading.claims_on_any(ids) == (claims[1], claims[0])
                assert reading.claims_on_any([ids[1]]) == (claims[1],)
                assert reading.claims_on_any([]) == ()

    def test_what_is_deleted_is_found_by_nothing(self, stores: StoreFactory) -> None:
        """Neither by id nor by name, scope, word or what it was made from; what is beside it stays."""
        gone, kept = (
            _stored(n, n + 1, subjects=(Subject("user", "ana"),), derived_from=(RecordId("o"),)) for n in (1, 2)
        )
        claims = [build_claim(n, position=n + 5, scope=_ANA, evidence=(RecordId("r"),)) for n in (1, 2)]
        with one_tenant(stores) as tenant_store:

            def work(writing: Writing) -> None:
                _put(writing, [gone, kept], claims)
                for item_id, position in ((gone.record.record_id, 2), (claims[0].claim_id, 6), (claims[1].claim_id, 7)):
                    row = build_search_row(position, ("peanut", f"p{position}"), item_id=item_id, scope=_ANA)
                    writing.put_search_row(row, ())

            def erase(writing: Writing) -> None:
                writing.delete_records([gone.record.record_id, RecordId("not there")])
                writing.delete_claims([claims[0].claim_id])

            tenant_store.write(work)
            tenant_store.write(erase)
            tenant_store.write(erase)
            with tenant_store.read() as reading:
                assert reading.record(gone.record.record_id) is None
                assert reading.records_in([_ANA], after=0, limit=9) == (kept,)
                assert reading.records_from_any([RecordId("o")]) == (kept,)
                assert [each.item_id for each in reading.items_named("subject:user:ana", after=0, limit=9)] == [
                    kept.record.record_id
                ]
                assert reading.claims_on_any([RecordId("r")]) == (claims[1],)
                assert [hit.position for hit in _hits(reading)] == [7]

    def test_a_payload_that_is_erased_leaves_its_envelope(self, stores: StoreFactory) -> None:
        """With its digest; the salt goes too. The neighbours, the heads and the other chain keep theirs."""
        with one_tenant(stores) as tenant_store:
            tenant = tenant_store.tenant
            tenant_store.write(lambda writing: [append_event(writing, tenant) for _ in range(3)])
            with tenant_store.read() as reading:
                before = list(reading.events(Chain.LEDGER))
            tenant_store.write(lambda writing: writing.erase_payloads(Chain.LEDGER, [2, 99]))
            tenant_store.write(lambda writing: writing.erase_payloads(Chain.ACCESS, [1]))
            with tenant_store.read() as reading:
                after = list(reading.events(Chain.LEDGER))
                assert [each.payload is None for each in after] == [False, True, False]
                assert [each.salt is None for each in after] == [False, True, False]
                assert [each.envelope for each in after] == [each.envelope for each in before]
                assert [each.digest for each in after] == [each.digest for each in before]

    def test_erasures_are_there_as_given_and_open_until_nothing_is_left_to_do(self, stores: StoreFactory) -> None:
        """In ledger order; one that is put again is replaced, and one of which something is held is open."""
        first, second = build_erasure("e1", 4), build_erasure("e2", 3, stage="scrubbed")
        held = build_erasure("e3", 5, stage="scrubbed", held=("r1",))
        with one_tenant(stores) as tenant_store:

            def work(writing: Writing) -> None:
                for each in (build_erasure("e1", 4, stage="scrubbed"), first, second, held):
                    writing.put_erasure(each)

            tenant_store.write(work)
            with tenant_store.read() as reading:
                assert reading.erasures(only_open=False, limit=9) == (second, first, held)
                assert reading.erasures(only_open=True, limit=9) == (first, held)
                assert reading.erasures(only_open=True, limit=1) == (first,)
                assert reading.erasure(ErasureId("e2")) == second
                assert reading.erasure(ErasureId("e9")) is None

    def test_what_is_erased_is_known_by_its_keys(self, stores: StoreFactory) -> None:
        """Also in the transaction that says so; the first erasure of a key stands, and what was never erased is not."""
        with one_tenant(stores) as tenant_store:
            with tenant_store.read() as reading:
                assert reading.erased_among(["a"]) == {}

            def work(writing: Writing) -> None:
                assert writing.erased_among(["a"]) == {}
                writing.put_erased(ErasureId("e1"), ["a", "source:\u00fc"])
                writing.put_erased(ErasureId("e2"), ["a", "b"])
                assert writing.erased_among(["a", "c"]) == {"a": "e1"}

            tenant_store.write(work)
            with tenant_store.read() as reading:
                asked = ["a", "b", "c", "source:\u00fc"]
                assert reading.erased_among(asked) == {"a": "e1", "b": "e2", "source:\u00fc": "e1"}
                assert reading.erased_among([]) == {}
            tenant_store.write(lambda writing: writing.delete_erased(["a", "not there"]))
            with tenant_store.read() as reading:
                assert reading.erased_among(asked) == {"b": "e2", "source:\u00fc": "e1"}

    def test_holds_are_in_force_until_they_are_deleted(self, stores: StoreFactory) -> None:
        """In ledger order."""
        person = PrincipalId("person:eva")
        holds = [
            StoredHold(HoldId(name), at, person, "legal", "subject", ("user:\u00e4",), 9)
            for name, at in (("h1", 4), ("h2", 3))
        ]
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: put_all(writing.put_hold, holds))
            with tenant_store.read() as reading:
                assert reading.holds() == (holds[1], holds[0])
            tenant_store.write(lambda writing: writing.delete_hold(holds[1].hold_id))
            with tenant_store.read() as reading:
                assert reading.holds() == (holds[0],)

    def test_what_is_held_is_found_by_its_id_alone(self, stores: StoreFactory) -> None:
        """By no reference, list or clearance; another may have its place, and it may be put again meanwhile."""
        record, claim = _stored(1, 2, source_ref="chat:1"), build_claim(1, position=5, scope=_ANA)
        held, kept = replace(record, status=RecordStatus.HELD), replace(claim, visibility=Visibility.HELD)
        other = _stored(2, 6, source_ref="chat:1")
        with one_tenant(stores) as tenant_store:
            for both in (([record], [claim]), ([held], [kept]), ([other], []), ([held], [kept])):
                tenant_store.write(lambda writing, both=both: _put(writing, *both))  # type: ignore[misc]
            with tenant_store.read() as reading:
                assert reading.record(record.record.record_id) == held
                assert reading.claim(claim.claim_id) == kept
                assert reading.record_by_source("chat:1", _ANA, record.record.classification) == other
                assert reading.claims_about(visible_to(_ANA), claim.subject, limit=9) == ()
                assert reading.records_in([_ANA], after=0, limit=9) == (held, other)

    def test_verdicts_go_and_another_tenant_keeps_all(self, stores: StoreFactory) -> None:
        """Even of the same ids."""
        with opened(stores) as store:
            both: list[Tenant] = [build_tenant(number) for number in (1, 2)]
            first, second = (add_tenant(store, each) for each in both)
            stored = _stored(1, 2)

            def work(writing: Writing) -> None:
                writing.put_record(stored)
                writing.put_verdict(StoredVerdict(VerdictId("v1"), 3, "{}"))

            def erase(writing: Writing) -> None:
                writing.delete_records([stored.record.record_id])
                writing.delete_verdicts([VerdictId("v1")])
                writing.put_erased(ErasureId("e1"), ["v1"])

            for each in (first, second):
                each.write(work)
            first.write(erase)
            with first.read() as reading:
                assert reading.verdict(VerdictId("v1")) is None
                assert reading.record(stored.record.record_id) is None
            with second.read() as reading:
                assert reading.verdict(VerdictId("v1")) is not None
                assert reading.record(stored.record.record_id) == stored
                assert reading.erased_among(["v1"]) == {}


def _put(writing: Writing, records: list[StoredRecord], claims: list[Claim]) -> None:
    for each in records:
        writing.put_record(each)
    for claim in claims:
        writing.put_claim(claim)


def _hits(reading: Reading) -> tuple[SearchHit, ...]:
    return reading.search(visible_to(_ANA), ("peanut",), _ANY, limit=9).hits
