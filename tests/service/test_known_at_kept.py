"""What was folded of an earlier instant is kept for who asks again: the same answer, and never for somebody else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from test_known_at import DENIED, now
from upkeep_steps import add
from worlds import PROJECT, World, house_fixture, world  # noqa: F401  # pytest finds the fixture here

from heedful.bootstrap.scratch import scratch_store
from heedful.evidence.packet import Packet
from heedful.kernel.ids import ClaimId, PacketId, PrincipalId
from heedful.kernel.kept import forget_texts
from heedful.kernel.ladder import Tier
from heedful.ledger.belief_events import ClaimCorroborated
from heedful.ports.store import Tenant, TenantStore
from heedful.service.as_known import as_known
from heedful.service.folded import KEPT_MAX
from heedful.service.recalling.recall import recall
from heedful.service.requests import memory_request
from heedful.service.sight import visible_for_request

ANA = PrincipalId("person:ana")


class Scratched:
    """Real scratch stores, counted."""

    def __init__(self) -> None:
        self.made = self.open = 0

    @contextmanager
    def __call__(self, tenant: Tenant) -> Iterator[TenantStore]:
        """See Scratch."""
        self.made, self.open = self.made + 1, self.open + 1
        try:
            with scratch_store(tenant) as store:
                yield store
        finally:
            self.open -= 1


@pytest.fixture(name="scratched")
def scratched_fixture() -> Scratched:
    """None made yet."""
    return Scratched()


def asked(
    house: World, scratched: Scratched, at: str, principal: str = "person:cyd", tenant: str = "default"
) -> Packet:
    """What this principal is handed of the invoices as known at the instant, but for the packet's id."""
    opened = house.app.session(principal=principal, tenant=tenant)
    session = replace(opened, scratch=scratched)
    request = memory_request(
        session, "the invoices of the quarter 发票", scope=PROJECT, as_of="2026-12-30", known_at=at
    )
    return replace(recall(session, request), packet_id=PacketId(""))


def test_asking_again_of_the_same_instant_folds_nothing(house: World, scratched: Scratched) -> None:
    """Until something is written: then it is folded anew, to the same answer; so is another instant."""
    house.ana.remember("The invoices of the quarter are wrong. 发票有误。")
    at = now(house)
    house.ana.remember("The invoices of the quarter are right.")

    first = asked(house, scratched, at)
    assert [item.text for item in first.items] == ["The invoices of the quarter are wrong. 发票有误。"]
    assert (asked(house, scratched, at), scratched.made) == (first, 1)
    later = asked(house, scratched, now(house))
    assert (len(later.items), scratched.made) == (2, 2)

    house.ana.remember("The canteen is closed.")
    assert (asked(house, scratched, at), scratched.made) == (first, 3)


def test_what_is_hidden_since_is_not_handed_out_from_what_was_kept(scratched: Scratched) -> None:
    """A record that a claim of a denied kind came to rest on meanwhile; the control: who may see both still does."""
    with world(policy=DENIED) as house:
        freeze = ClaimId(house.freeze_proposed())
        kept = house.ana.remember("The invoices of the quarter are wrong.")
        at = now(house)
        assert [len(asked(house, scratched, at, each).items) for each in ("person:cyd", "person:bob")] == [1, 1]

        add(house, ClaimCorroborated(freeze, kept.record_id, Tier.UNVERIFIED, ANA, "it says so too"))

        assert [len(asked(house, scratched, at, each).items) for each in ("person:cyd", "person:bob")] == [0, 1]
        assert [len(asked(house, scratched, at, each).items) for each in ("person:cyd", "person:bob")] == [0, 1]


def test_nobody_is_handed_what_was_folded_for_another(house: World, scratched: Scratched) -> None:
    """Neither another principal, who sees less, nor another tenant, whose instant is the same."""
    house.app.add_tenant("other", ANA)
    house.ana.remember("The invoices of the quarter are wrong.", classification="sensitive")
    house.memory("person:ana", tenant="other").remember("The invoices of the quarter are theirs.")
    at = now(house)

    for _ in range(2):
        seen = [
            [item.text for item in asked(house, scratched, at, *who).items]
            for who in (("person:bob", "default"), ("person:cyd", "default"), ("person:ana", "other"))
        ]
        assert seen == [["The invoices of the quarter are wrong."], [], ["The invoices of the quarter are theirs."]]


def test_few_are_kept_and_none_when_texts_are_to_be_forgotten(house: World, scratched: Scratched) -> None:
    """One that is in use goes when it comes back; closing the store closes them all."""
    house.ana.remember("The invoices of the quarter are wrong.")
    for _ in range(KEPT_MAX + 1):
        asked(house, scratched, now(house))
    assert (scratched.made, scratched.open) == (KEPT_MAX + 1, KEPT_MAX)

    session = replace(house.app.session(principal="person:cyd"), scratch=scratched)
    visible = visible_for_request(session, memory_request(session, "x", scope=PROJECT).scope)
    with as_known(session, house.clock.now_us(), visible) as then:
        forget_texts()
        assert scratched.open == 1
        with then.store.read() as reading:
            assert reading.visible_position(visible) == 1
    assert scratched.open == 0

    asked(house, scratched, now(house))
    assert scratched.open == 1
    house.close()
    assert scratched.open == 0
