"""Public reports of scopes that leaked or were mixed up, and of ids that two tenants shared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from report_cases import load_cases, needs_cases
from report_steps import Answer, Steps, command_line
from report_store import OWNER, SETTINGS, ReportStore

from heedful import Memory
from heedful.adapters.file_names import file_name
from heedful.evidence.packet import Packet
from heedful.evidence.render import render_json
from heedful.kernel.errors import BusyError, ForbiddenError, HeedfulError, NotFoundError
from heedful.kernel.ids import PacketId

pytestmark = needs_cases


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReportStore]:
    with ReportStore(tmp_path) as store:
        yield store


def run(store: ReportStore, case_id: str) -> list[Answer]:
    return Steps(store).run(load_cases()[case_id])


def test_b001_every_category_of_a_result_obeys_the_scope(store: ReportStore) -> None:
    """Nothing of t2/ben in any category; the mirror image for ben; counts and positions of ana's tenant alone."""
    *_, search = run(store, "B001")
    assert search.packet is not None
    assert search.texts == ("Ana keeps bees in the north field",)
    assert "Ben" not in str(render_json(search.packet))
    assert "roof" not in str(render_json(search.packet))
    mirrored = store.memory("t2").recall("bees", scope=["user:ben"])
    assert [item.text for item in mirrored.items] == ["Ben keeps bees on a roof"]
    assert "Ana" not in str(render_json(mirrored))
    counts = store.memory("t1").status().counts
    assert counts["records"] == 1
    assert store.memory("t2").recall("bees", scope=["user:ana"]).items == ()


def test_b001_a_neighbour_in_the_same_tenant_changes_no_byte_of_a_packet(store: ReportStore) -> None:
    """Scores, order, counts and positions are those of a store in which the neighbour never wrote."""
    memory = store.memory()
    memory.remember("Ana keeps bees in the north field", scope=["user:ana"])
    memory.remember("Ana sells honey of bees on Fridays", scope=["user:ana"])

    def asked() -> Packet:
        packet = memory.recall("bees", scope=["user:ana"], as_of="2030-01-01T00:00:00Z")
        return replace(packet, packet_id=PacketId("same"))

    alone = asked()
    assert len(alone.items) == 2
    for number in range(50):
        memory.remember(f"Ben keeps bees on roof {number}", scope=["user:ben"])
    memory.remember("Bees of both", scope=["user:ana", "project:hives"])
    assert asked() == alone


def test_b001_only_a_granted_principal_sees_ana(store: ReportStore) -> None:
    """Ana reads her own; ben reads nothing of hers, may not write there, and her record is not there for him."""
    kept = store.memory(principal="person:ana").remember("Ana keeps bees", scope=["user:ana"])
    ben = store.memory(principal="person:ben")
    assert len(store.memory(principal="person:ana").recall("bees", scope=["user:ana"]).items) == 1
    assert ben.recall("bees", scope=["user:ana"]).items == ()
    assert ben.recall("bees", scope=["user:ana"]).ledger_position == 0
    with pytest.raises(ForbiddenError) as refused:
        ben.remember("Ana has no bees", scope=["user:ana"])
    assert refused.value.code == "scope_not_granted"
    with pytest.raises(NotFoundError):
        ben.show(kept.record_id)


def test_b002_an_empty_scope_is_refused_alike_however_it_is_written(store: ReportStore) -> None:
    """null, "" and [] are refused with one code, never answered with rows of both tenants."""
    *writes, null, blank, empty = run(store, "B002")
    assert [write.error for write in writes] == [None, None]
    assert [answer.code for answer in (null, blank, empty)] == ["scope_empty"] * 3
    assert [answer.texts for answer in (null, blank, empty)] == [(), (), ()]


def test_b003_a_scope_is_no_string_prefix_of_its_sibling(store: ReportStore) -> None:
    """acme never gets acme-corp; what is beneath acme is reached by naming it, and sees acme's own as well."""
    *_, descend, listed = run(store, "B003")
    assert (descend.awaits, listed.awaits) == ("Memory.recall(descend)", None)
    assert listed.texts == ("user:alice",)

    def ships(*scope: str) -> set[str]:
        return {item.text for item in store.memory().recall("ships", scope=scope).items}

    assert ships("org:acme") == {"acme ships on Mondays"}
    assert ships("org:acme", "unit:eu") == {"acme ships on Mondays", "acme eu ships on Tuesdays"}
    assert ships("org:acme-corp") == {"acme-corp ships on Fridays"}
    assert ships("org:acm") == set()
    assert ships("unit:eu") == set()


def test_b003_a_grant_is_no_suffix_of_another(store: ReportStore) -> None:
    """malice reads malice's, and nothing of alice's, whoever names the scope."""
    store.memory().remember("alice likes figs", scope=["user:alice"])
    store.memory().remember("malice likes figs", scope=["user:malice"])
    malice = store.memory(principal="person:malice")
    assert [item.text for item in malice.recall("figs", scope=["user:malice"]).items] == ["malice likes figs"]
    assert malice.recall("figs", scope=["user:alice"]).items == ()


def test_b004_pattern_characters_in_a_scope_are_literal(store: ReportStore) -> None:
    """kim_lee is not kim-lee, 50% is not 500; % and a\\b name scopes that hold nothing."""
    *_, kim, fifty, percent, backslash = run(store, "B004")
    assert kim.texts == ("allergic to fish",)
    assert fifty.texts == ("likes tea",)
    assert [(each.error, each.texts) for each in (percent, backslash)] == [(None, ()), (None, ())]


@pytest.mark.parametrize(
    "value", ["%", "_", "a%", "50_", "[0-9]", "?", "a\\b", "'", '"', "a'--", "ana OR 1=1", "(ana)"]
)
def test_b004_a_scope_of_any_signs_finds_its_own_row_and_no_other(store: ReportStore, value: str) -> None:
    """Each is an ordinary name."""
    memory = store.memory()
    for other in ("ana", "500", "a5"):
        memory.remember(f"likes milk, {other}", scope=[f"user:{other}"])
    memory.remember("likes tea", scope=[f"user:{value}"])
    assert [item.text for item in memory.recall("likes", scope=[f"user:{value}"]).items] == ["likes tea"]
    assert [each.record.scope.elements for each in store.records_of(f"user:{value}")] == [(f"user:{value}",)]


def test_b005_a_star_is_not_everyone(store: ReportStore) -> None:
    """A scope of user:* is refused, for reading and for erasing; the rows of ana and ben stay where they are."""
    *_, search, erased = run(store, "B005")
    assert (search.code, search.texts) == ("scope_wildcard", ())
    assert erased.code == "scope_wildcard"
    assert store.texts("t1/ana") == ["pin code hint is a bird"]
    assert store.texts("t1/ben") == ["pin code hint is a fish"]


def test_b009_after_a_failed_write_nobody_gets_a_neighbours_rows(tmp_path: Path) -> None:
    """The write that failed says so, and a search in its scope finds nothing."""
    with ReportStore(tmp_path, replace(SETTINGS, lock_wait_seconds=0.3, access_window_seconds=600.0)) as store:
        first, failed, search = run(store, "B009")
        assert first.error is None
        assert isinstance(failed.error, BusyError)
        assert (search.error, search.texts) == (None, ())
        assert store.texts("t1/test_user1") == []
        assert store.texts("t1/test_user") == ["a plain note"]
        assert store.memory().verify(views=True).holds


def test_b010_no_cleaning_of_an_id_merges_two_people(store: ReportStore) -> None:
    """The goat alone; three scopes; file names made of such ids are three as well."""
    *_, search = run(store, "B010")
    assert search.texts == ("keeps a goat",)
    names = ("u:a.b@x", "u:a-b@x", "u:a b@x")
    assert set(store.scope_keys()) == {f"user:{name}" for name in names}
    assert len({file_name(name).lower() for name in (*names, "u:A.B@X")}) == 4


def test_b011_letter_case_counts_everywhere(store: ReportStore) -> None:
    """Foo and foo are two people on every path; what is erased of one is not of the other, and bars nothing new."""
    _, _, boat, erased, bike, _, after = run(store, "B011")
    assert boat.texts == ("owns a boat",)
    assert erased.error is None
    assert bike.texts == ("owns a bike",)
    assert after.texts == ("owns a car",)
    assert store.texts("t1/foo") == ["owns a bike"]
    assert store.scope_keys() == ["user:Foo", "user:foo"]


def test_b016_two_identity_elements_are_one_scope(store: ReportStore) -> None:
    """Found by the pair; by the user alone no row, for a record applies where all of its elements are named."""
    _, pair, user, other = run(store, "B016")
    assert pair.texts == ("call me A",)
    assert user.texts == ()
    assert other.texts == ()
    store.memory().remember("call me Ana", scope=["user:ana"])
    both = store.memory().recall("call me", scope=["user:ana", "agent:planner"])
    assert {item.text for item in both.items} == {"call me A", "call me Ana"}


def test_b082_an_id_belongs_to_its_tenant(store: ReportStore) -> None:
    """Two tenants use one id; each reads its own, and Ben's is erased without Ana's."""
    first, second, ana, erased, again = run(store, "B082")
    assert (first.error, second.error) == (None, None)
    assert (ana.texts, again.texts) == (("my plumber",), ("my plumber",))
    assert erased.error is None
    assert store.texts("t2/ben") == []
    with pytest.raises(NotFoundError):
        store.memory("t2").show(ana.stored[0].record.record_id)


@pytest.mark.parametrize("nobody", ["", " ", "\u200b"])
def test_b002_an_empty_principal_or_tenant_is_nobody(store: ReportStore, nobody: str) -> None:
    """A caller that lost its identity does not become the owner of the store."""
    store.memory().remember("the blue kettle leaks", scope=["user:ana"])
    for principal, tenant in ((nobody, "t1"), (OWNER, nobody)):
        with (
            pytest.raises(HeedfulError),
            Memory.open(store.folder, principal=principal, tenant=tenant, settings=store.settings) as memory,
        ):
            memory.recall("blue kettle", scope=["user:ana"])
    for option in ("--as", "--tenant"):
        asked = command_line(store, option, nobody, "recall", "blue kettle", "--scope=user:ana", "--json")
        assert asked in {"name_malformed", "principal_may_not", "tenant_not_found"}
    with pytest.raises(HeedfulError):
        store.memory().acting_as(nobody).recall("blue kettle", scope=["user:ana"])
    with pytest.raises(ForbiddenError):
        store.memory(principal="person:nobody").recall("blue kettle", scope=["user:ana"])
