"""The store contract: what people and models said of bridges."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from heedful.kernel.ids import PrincipalId, ProposalId
from heedful.ports.store import StoredProposal, Writing
from heedful.testing.factory import StoreFactory, one_tenant


class TestBridges:
    """Approvals and proposals."""

    def test_approvals_of_bridges_are_kept_once_each(self, stores: StoreFactory) -> None:
        """In order of digest and person, by bytes; the same again changes nothing."""
        with one_tenant(stores) as tenant_store:

            def work(writing: Writing) -> None:
                for digest, actor in (
                    ("b", "person:bob"),
                    ("a", "person:\u00fc"),
                    ("b", "person:Bob"),
                    ("b", "person:bob"),
                ):
                    writing.put_bridge_approval(digest, PrincipalId(actor))

            tenant_store.write(work)
            with tenant_store.read() as reading:
                assert reading.bridge_approvals() == (("a", "person:\u00fc"), ("b", "person:Bob"), ("b", "person:bob"))

    def test_a_proposed_bridge_is_there_as_given(self, stores: StoreFactory) -> None:
        """By its id, and by its status in ledger order; one with the same id is replaced."""
        with one_tenant(stores) as tenant_store:
            later, earlier = (
                StoredProposal(ProposalId(name), at, "waiting", "{}") for name, at in (("a", 3), ("b", 2))
            )
            decided = replace(later, status="approved", proposal_json='{"\u8fc7":"\U0001f95c"}')
            for each in (later, earlier):
                tenant_store.write(partial(_put_proposal, each))
            with tenant_store.read() as reading:
                assert reading.bridge_proposals("waiting", limit=9) == (earlier, later)
                assert reading.bridge_proposals("waiting", limit=1) == (earlier,)
                assert reading.bridge_proposals("waiting", limit=9, newest_first=True) == (later, earlier)
                assert reading.bridge_proposals("waiting", limit=1, newest_first=True) == (later,)
            tenant_store.write(partial(_put_proposal, decided))
            with tenant_store.read() as reading:
                assert reading.bridge_proposals("waiting", limit=9) == (earlier,)
                assert reading.bridge_proposals("approved", limit=9, holding='"\u8fc7":') == (decided,)
                assert reading.bridge_proposals("approved", limit=9, holding="\U0001f95d") == ()
                assert reading.bridge_proposal(ProposalId("a")) == decided
                assert [reading.bridge_proposal(ProposalId(name)) for name in ("A", "c", "\ud800")] == [None] * 3


def _put_proposal(proposal: StoredProposal, writing: Writing) -> None:
    writing.put_bridge_proposal(proposal)
