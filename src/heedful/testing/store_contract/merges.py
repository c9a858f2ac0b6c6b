"""The store contract: merges of subjects."""

from __future__ import annotations

from dataclasses import replace

from heedful.claims.merge import Merge, MergeStanding
from heedful.kernel.ids import MergeId, PrincipalId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.ports.store import Visible, Writing
from heedful.testing.builders import NOON_US, build_id, build_tenant, scope_of
from heedful.testing.factory import StoreFactory, add_tenant, one_tenant, opened

ANA, BEN = scope_of("user:ana"), scope_of("user:ben")
ODD = "家 \u202e\U0001f600 'x' --"
EVERYTHING = Visible((ANA, BEN), Classification.RESTRICTED)


def build_merge(number: int, scope: Scope = ANA, classification: Classification = Classification.NORMAL) -> Merge:
    """A merge at position `number` that stands."""
    return Merge(
        merge_id=MergeId(build_id(number, "merge")),
        position=number,
        subject=f"user:{ODD}",
        other=f"person:{number}",
        scope=scope,
        classification=classification,
        standing=MergeStanding.JOINED,
        merged_by=PrincipalId("person:ana"),
        merged_at_us=NOON_US + number,
        reason=ODD,
    )


def as_undone(merge: Merge) -> Merge:
    """The same, undone."""
    return replace(
        merge,
        standing=MergeStanding.UNDONE,
        undone_by=PrincipalId("person:ben"),
        undone_at_us=NOON_US + 100,
        undone_reason=ODD,
    )


class TestMerges:
    """put_merge, merge and merges."""

    def test_a_merge_comes_back_as_it_was_given(self, stores: StoreFactory) -> None:
        """Standing or undone, to the last character; another id is None, and another tenant has none."""
        first, second = build_merge(1), as_undone(build_merge(2))
        with opened(stores) as store:
            ana, ben = (add_tenant(store, build_tenant(number)) for number in (1, 2))

            def work(writing: Writing) -> None:
                for each in (first, build_merge(2), second):
                    writing.put_merge(each)

            ana.write(work)
            with ana.read() as reading:
                assert [reading.merge(each.merge_id) for each in (first, second)] == [first, second]
                assert (reading.merge(MergeId("\ud800")), reading.merge(MergeId(build_id(9, "merge")))) == (None, None)
            with ben.read() as reading:
                assert reading.merge(first.merge_id) is None
                assert reading.merges(EVERYTHING, only_joined=False, limit=9) == ()

    def test_merges_are_listed_by_what_is_visible(self, stores: StoreFactory) -> None:
        """The newest first, filtered before the limit cuts; those that stand apart from the rest."""
        three = (build_merge(1), as_undone(build_merge(2)), build_merge(3))
        hidden = (build_merge(4, BEN), build_merge(5, classification=Classification.RESTRICTED))
        with one_tenant(stores) as tenant_store:

            def work(writing: Writing) -> None:
                for each in (*three, *hidden):
                    writing.put_merge(each)

            tenant_store.write(work)
            with tenant_store.read() as reading:

                def listed(visible: Visible, *, only_joined: bool = False, limit: int = 9) -> list[int]:
                    return [each.position for each in reading.merges(visible, only_joined=only_joined, limit=limit)]

                normal = Visible((ANA,), Classification.NORMAL)
                assert listed(normal) == [3, 2, 1]
                assert listed(normal, limit=2) == [3, 2]
                assert listed(normal, only_joined=True) == [3, 1]
                assert listed(EVERYTHING) == [5, 4, 3, 2, 1]
                assert listed(Visible((), Classification.RESTRICTED)) == []
                assert listed(Visible((scope_of("user:nobody"),), Classification.RESTRICTED)) == []

    def test_a_refold_begins_without_merges(self, stores: StoreFactory) -> None:
        """Clearing the views takes them; a dump tells of them."""
        with one_tenant(stores) as tenant_store:
            with tenant_store.read() as reading:
                before = list(reading.dump_views())
            tenant_store.write(lambda writing: writing.put_merge(build_merge(1)))
            with tenant_store.read() as reading:
                assert list(reading.dump_views()) != before
            tenant_store.write(lambda writing: writing.clear_views())
            with tenant_store.read() as reading:
                assert reading.merge(build_merge(1).merge_id) is None
                assert list(reading.dump_views()) == before
