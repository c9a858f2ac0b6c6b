"""The other views, and what holds for all of them: one dump, one checkpoint, all or none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from heedful.claims.claim import ClaimStatus
from heedful.kernel.ids import PermitId, PrincipalId, ProposalId, Revision, VerdictId
from heedful.kernel.ladder import Mode, Tier
from heedful.observations.record import RecordStatus
from heedful.ports.store import (
    Chain,
    ModeSetting,
    Reading,
    SearchRow,
    StoredPermit,
    StoredProposal,
    StoredVerdict,
    Tenant,
    TenantStore,
    Writing,
)
from heedful.testing.builders import (
    append_event,
    build_claim,
    build_id,
    build_record,
    build_search_row,
    build_stored,
    remember,
    scope_of,
)
from heedful.testing.factory import StoreFactory, one_tenant

VERDICT = StoredVerdict(VerdictId(build_id(1, "verdict")), 4, '{"decision":"deny","why":"\u8fc7\u654f \\u0000"}')

PERMIT = StoredPermit(PermitId(build_id(1, "permit")), 6, VERDICT.verdict_id, 7, "[]", None)

PROPOSAL = StoredProposal(ProposalId(build_id(1, "proposal")), 5, "waiting", '{"kind":"a"}')


class TestViews:
    """Modes, registry bodies, verdicts, scopes, counts, checkpoint, clear_views and dump_views."""

    def test_modes_are_set_replaced_and_taken_away(self, stores: StoreFactory) -> None:
        """In order of target type and id, by bytes."""
        with one_tenant(stores) as tenant_store:

            def work(writing: Writing) -> None:
                writing.put_mode("bridge", "b", Mode.SHADOW)
                writing.put_mode("bridge", "B", Mode.OFF)
                writing.put_mode("action_class", "food", Mode.ADVISE)
                writing.put_mode("bridge", "b", Mode.ENFORCE)
                writing.put_mode("bridge", "gone", Mode.OFF)
                writing.put_mode("bridge", "gone", None)
                writing.put_mode("bridge", "never", None)

            tenant_store.write(work)
            with tenant_store.read() as reading:
                assert reading.modes() == (
                    ModeSetting("action_class", "food", Mode.ADVISE),
                    ModeSetting("bridge", "B", Mode.OFF),
                    ModeSetting("bridge", "b", Mode.ENFORCE),
                )

    def test_a_registry_body_is_kept_under_its_revision(self, stores: StoreFactory) -> None:
        """Putting it again changes nothing; another revision is None."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: writing.put_registry_body(Revision("r1"), '{"a":"\U0001f95c"}'))
            tenant_store.write(lambda writing: writing.put_registry_body(Revision("r1"), "{}"))
            with tenant_store.read() as reading:
                assert reading.registry_body(Revision("r1")) == '{"a":"\U0001f95c"}'
                assert reading.registry_body(Revision("R1")) is None
                assert reading.registry_revisions() == (Revision("r1"),)
                assert reading.registry_body(Revision("\ud800")) is None

    def test_registry_revisions_come_oldest_first(self, stores: StoreFactory) -> None:
        """In the order in which they were seen first, not of their text; none at first."""
        with one_tenant(stores) as tenant_store:
            with tenant_store.read() as reading:
                assert reading.registry_revisions() == ()
            for revision in ("r2", "r1", "r3", "r2"):
                tenant_store.write(partial(_put_body, Revision(revision)))
            with tenant_store.read() as reading:
                assert reading.registry_revisions() == ("r2", "r1", "r3")

    def test_a_verdict_comes_back_as_it_was_given(self, stores: StoreFactory) -> None:
        """To the byte; another id is None."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: writing.put_verdict(VERDICT))
            with tenant_store.read() as reading:
                assert reading.verdict(VERDICT.verdict_id) == VERDICT
                assert reading.verdicts(limit=5) == (VERDICT,)
                assert reading.verdicts(limit=0) == ()
                assert reading.verdict(VerdictId(build_id(2, "verdict"))) is None
                assert reading.verdict(VerdictId("\ud800")) is None

    def test_scopes_are_every_one_that_a_row_ever_had(self, stores: StoreFactory) -> None:
        """Each once, in order of key bytes, the empty one first."""
        scopes = [
            scope_of("user:b"),
            scope_of(),
            scope_of("user:B"),
            scope_of("project:p", "user:b"),
            scope_of("user:b"),
        ]
        with one_tenant(stores) as tenant_store:

            def work(writing: Writing) -> None:
                for number, scope in enumerate(scopes, 1):
                    writing.put_record(build_stored(number, scope=scope))
                writing.put_claim(build_claim(9, scope=scope_of("user:claim")))

            tenant_store.write(work)
            with tenant_store.read() as reading:
                expected = [scope_of(), scopes[3], scopes[2], scopes[0], scope_of("user:claim")]
                assert reading.scopes() == tuple(expected)

    def test_counts_name_every_status(self, stores: StoreFactory) -> None:
        """Zeros included; packets are counted in the access chain."""
        with one_tenant(stores) as tenant_store:
            with tenant_store.read() as reading:
                empty = reading.counts()
            assert set(empty.values()) == {0}
            names = {"records", "records.pending", "records.withdrawn", "verdicts", "packets"}
            assert set(empty) == names | {f"claims.{status.value}" for status in ClaimStatus}
            tenant_store.write(lambda writing: _fill(writing, tenant_store.tenant))
            with tenant_store.read() as reading:
                found = {name: count for name, count in reading.counts().items() if count}
            assert found == {
                "records": 3,
                "records.pending": 1,
                "claims.active": 1,
                "claims.proposed": 1,
                "verdicts": 1,
            }

    def test_the_checkpoint_is_what_was_set(self, stores: StoreFactory) -> None:
        """0 at first."""
        with one_tenant(stores) as tenant_store:
            with tenant_store.read() as reading:
                assert reading.checkpoint() == 0
            tenant_store.write(lambda writing: writing.set_checkpoint(7))
            with tenant_store.read() as reading:
                assert reading.checkpoint() == 7

    def test_cleared_views_are_those_of_a_new_tenant(self, stores: StoreFactory) -> None:
        """Nothing is found, the dump is that of an empty store, and the ledger stays."""
        with one_tenant(stores) as tenant_store:
            empty = _dump(tenant_store)
            tenant_store.write(lambda writing: _fill(writing, tenant_store.tenant))
            with tenant_store.read() as reading:
                events = list(reading.events(Chain.LEDGER))
            assert _dump(tenant_store) != empty
            tenant_store.write(lambda writing: writing.clear_views())
            assert _dump(tenant_store) == empty
            with tenant_store.read() as reading:
                assert list(reading.events(Chain.LEDGER)) == events

    def test_views_filled_again_dump_alike(self, stores: StoreFactory) -> None:
        """Cleared and filled in one transaction or in many, after detours: the same bytes."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: _fill(writing, tenant_store.tenant))
            first = _dump(tenant_store)

            def again(writing: Writing) -> None:
                writing.clear_views()
                writing.put_search_row(build_search_row(1, ("wrong",), scope=scope_of("user:zoe")), [("x", 1)])
                writing.put_record(build_stored(1, attributes=(("wrong", True),), source_ref="other"))
                _fill_views(writing)

            tenant_store.write(again)
            assert _dump(tenant_store) == first
            tenant_store.write(lambda writing: writing.clear_views())
            for part in PARTS:
                tenant_store.write(part)
            assert _dump(tenant_store) == first
            assert tenant_store.write(lambda writing: list(writing.dump_views())) == first

    def test_whether_rows_entered_an_index_does_not_show(self, stores: StoreFactory) -> None:
        """One transaction of 300 rows and 300 of one each dump alike."""
        rows = [
            build_search_row(n, ("bees", f"w{n}", "C++", "\u8fc7\u654f"), scope=scope_of(f"user:u{n % 3}"))
            for n in range(300)
        ]
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: _put_rows(writing, rows))
            together = _dump(tenant_store)
            tenant_store.write(lambda writing: writing.clear_views())
            for row in rows:
                tenant_store.write(partial(_put_rows, rows=[row]))
            assert _dump(tenant_store) == together

    @pytest.mark.parametrize("number", range(12))
    def test_every_view_shows_in_the_dump(self, stores: StoreFactory, number: int) -> None:
        """A single difference in any view changes it."""
        changes: list[Callable[[Writing], None]] = [
            lambda writing: writing.put_record(build_stored(1, status=RecordStatus.WITHDRAWN)),
            lambda writing: writing.put_record(build_stored(1, attributes=(("team", "web"),))),
            lambda writing: writing.put_claim(build_claim(2, tier=Tier.CORROBORATED)),
            lambda writing: writing.put_search_row(build_search_row(1, ("wasps",)), [("team", "sre")]),
            lambda writing: writing.put_search_row(build_search_row(1), [("team", "web")]),
            lambda writing: writing.delete_search_row(1),
            lambda writing: writing.put_mode("bridge", "b", Mode.OFF),
            lambda writing: writing.put_bridge_approval("d", PrincipalId("person:cyd")),
            lambda writing: writing.put_bridge_proposal(replace(PROPOSAL, status="rejected")),
            lambda writing: writing.put_registry_body(Revision("r2"), "{}"),
            lambda writing: writing.put_permit(replace(PERMIT, redeemed_position=8)),
            lambda writing: writing.set_checkpoint(2),
        ]
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: _fill(writing, tenant_store.tenant))
            before = _dump(tenant_store)
            tenant_store.write(changes[number])
            assert _dump(tenant_store) != before

    def test_a_work_that_raises_leaves_nothing(self, stores: StoreFactory) -> None:
        """Not in any role, and its error comes out as it is."""
        with one_tenant(stores) as tenant_store:
            before = _dump(tenant_store)

            def work(writing: Writing) -> None:
                _fill(writing, tenant_store.tenant)
                raise LookupError("mine")

            with pytest.raises(LookupError, match="mine"):
                tenant_store.write(work)
            assert _dump(tenant_store) == before
            with tenant_store.read() as reading:
                assert reading.head(Chain.LEDGER).position == 0
                assert reading.scopes() == ()
            tenant_store.write(lambda writing: remember(writing, tenant_store.tenant, build_record(1), tokens=["bees"]))
            with tenant_store.read() as reading:
                assert reading.checkpoint() == 1


def _put_rows(writing: Writing, rows: list[SearchRow]) -> None:
    for row in rows:
        writing.put_search_row(row, ())


def _put_body(revision: Revision, writing: Writing) -> None:
    writing.put_registry_body(revision, "{}")


def _fill(writing: Writing, tenant: Tenant) -> None:
    append_event(writing, tenant)
    _fill_views(writing)


def _fill_views(writing: Writing) -> None:
    for part in PARTS:
        part(writing)


PARTS: list[Callable[[Writing], None]] = [
    lambda writing: writing.put_record(build_stored(1, attributes=(("team", "sre"), ("size", 2.5)))),
    lambda writing: writing.put_search_row(build_search_row(1), [("team", "sre")]),
    lambda writing: writing.put_record(build_stored(2, status=RecordStatus.PENDING, scope=scope_of("user:ben"))),
    lambda writing: writing.put_record(build_stored(3, scope=scope_of())),
    lambda writing: writing.put_claim(build_claim(2)),
    lambda writing: writing.put_claim(build_claim(3, status=ClaimStatus.PROPOSED)),
    lambda writing: writing.put_search_row(build_search_row(3, ("a", "b", "a"), item="claim", record_type=""), ()),
    lambda writing: writing.put_mode("bridge", "b", Mode.SHADOW),
    lambda writing: writing.put_bridge_approval("d", PrincipalId("person:bob")),
    lambda writing: writing.put_bridge_proposal(PROPOSAL),
    lambda writing: writing.put_registry_body(Revision("r1"), '{"a":1}'),
    lambda writing: writing.put_verdict(VERDICT),
    lambda writing: writing.put_permit(PERMIT),
    lambda writing: writing.set_checkpoint(1),
]


def _dump(tenant_store: TenantStore) -> list[bytes]:
    with tenant_store.read() as reading:
        return _lines(reading)


def _lines(reading: Reading) -> list[bytes]:
    return list(reading.dump_views())
