"""Hold: what must be kept is kept, in whatever order it is held and erased, and only those who may hold know."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from believers import CITY, PEOPLE
from worlds import World, code_of, world

from heedful import Memory
from heedful.kernel.errors import ConflictError, ForbiddenError, HeedfulError, InvalidInputError, NotFoundError
from heedful.kernel.ids import RecordId
from heedful.observations.record import RecordStatus
from heedful.ports.store import Chain
from heedful.service.erasure import receipt

ANA = ("user:ana",)
_VARIES = re.compile("[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{64}|2026-[0-9T:.Z-]+|17958[0-9]{11}|key_id='[^']*'")
"""Ids, digests and times, which differ between two stores as they do between two runs."""
SELECTIONS: list[dict[str, Any]] = [
    {"subject": "user:ana"},
    {"scope": ANA},
    {"principal": "person:dan"},
    {"tenant": True},
]


@pytest.fixture(name="home")
def home_fixture() -> Iterator[World]:
    """An empty store."""
    with world(policy=PEOPLE) as made:
        yield made


def told(home: World, value: str = "Rome") -> tuple[str, str]:
    """The ids of a record of Dan's and its claim about where Ana lives."""
    given: Any = {"kind": CITY, "subject": "user:ana", "value": value, "consent": "explicit"}
    kept = home.dan.remember(f"lives in {value}", scope=ANA, **given)
    return kept.record_id, kept.claims[0].claim_id


def payload_of(home: World, record_id: str) -> bytes | None:
    """What the ledger still has of the record."""
    with home.app.session(principal="person:ana").store.read() as reading:
        stored = reading.record(RecordId(record_id))
        assert stored is not None
        sealed = reading.event(Chain.LEDGER, stored.position)
        assert sealed is not None
        return sealed.payload


@pytest.mark.parametrize("selection", SELECTIONS)
def test_what_is_held_is_hidden_and_kept_until_it_is_released(home: World, selection: dict[str, Any]) -> None:
    """Its payload stays; nobody finds it. The release lets the erasure go on where it was, under its receipt."""
    record_id, claim_id = told(home)
    held = home.memory("person:aud").hold(**selection)
    plan = home.ana.forget(subject="user:ana", dry_run=True)
    assert (plan.records, plan.held) == (0, 1)

    receipt = home.ana.forget(subject="user:ana")

    assert (receipt.records, receipt.waits_for_hold) == (0, True)
    assert payload_of(home, record_id) is not None
    assert home.ana.show(record_id)[0].status is RecordStatus.HELD  # type: ignore[union-attr]
    assert claim_id not in {item.item_id for item in home.ana.recall("where does ana live?", scope=ANA).items}
    home.ana.maintain("erase")
    assert home.ana.receipt(receipt.erasure_id).waits_for_hold, "the job takes nothing that is held"
    assert home.ana.show(record_id)[0] is not None

    home.memory("person:aud").release_hold(held.hold_id)
    home.ana.maintain("erase")

    done = home.ana.receipt(receipt.erasure_id)
    assert (done.records, done.claims, done.waits_for_hold) == (1, 1, False)
    for gone in (record_id, claim_id):
        with pytest.raises(NotFoundError):
            home.ana.show(gone)
    assert home.ana.verify(views=True).views == "equal"


def test_a_hold_that_comes_after_an_erasure_finds_nothing(home: World) -> None:
    """What is gone stays gone; what is written later is held."""
    record_id, _ = told(home)
    home.ana.forget(subject="user:ana")
    home.ana.hold(subject="user:ana")
    with pytest.raises(NotFoundError):
        home.ana.show(record_id)
    later, _ = told(home, "Oslo")
    assert home.ana.forget(subject="user:ana").waits_for_hold
    assert payload_of(home, later) is not None


def test_two_holds_keep_until_both_are_released(home: World) -> None:
    """And what neither holds goes at once."""
    record_id, _ = told(home)
    other = home.dan.remember("nothing of her", scope=("user:bob",)).record_id
    holds = [home.ana.hold(record=record_id), home.ana.hold(scope=ANA)]
    receipt = home.ana.forget(principal="person:dan")
    assert (receipt.records, receipt.waits_for_hold) == (1, True)
    with pytest.raises(NotFoundError):
        home.ana.show(other)
    for each, still in zip(holds, (True, False), strict=True):
        home.ana.release_hold(each.hold_id)
        home.ana.maintain("erase")
        assert home.ana.receipt(receipt.erasure_id).waits_for_hold is still
    assert home.ana.holds() == ()


def test_holds_are_known_to_those_alone_who_may_hold(home: World) -> None:
    """Others learn nothing of one, in no answer."""
    record_id, _ = told(home)
    home.ana.hold(record=record_id)
    for verb in (home.dan.holds, lambda: home.dan.release_hold("x"), lambda: home.dan.hold(record=record_id)):
        with pytest.raises(ForbiddenError, match="may not hold"):
            verb()
    with pytest.raises(ForbiddenError, match="agent"):
        home.agent.hold(record=record_id)
    receipt = home.dan.forget(record=record_id)
    assert receipt.waits_for_hold is None
    assert home.dan.forget(principal="person:dan", dry_run=True).held is None


def test_what_is_held_looks_gone_to_all_who_may_not_hold(home: World) -> None:
    """At every door as where no hold kept it, then too: the same answers. The control: those who may hold see it."""
    answers = []
    for is_held in (False, True):
        with world(policy=PEOPLE) as made:
            answers.append(_answers(made, is_held=is_held))
    gone, held = answers
    assert gone == held
    record_id, claim_id = told(home)
    home.ana.hold(subject="user:ana")
    home.ana.forget(subject="user:ana")
    for auditor in (home.ana, home.memory("person:aud")):
        assert auditor.show(claim_id)[1][0].record.record_id == record_id
        assert auditor.show(record_id)[0].status is RecordStatus.HELD  # type: ignore[union-attr]
        assert not auditor.recall("where does ana live?", scope=ANA).items
    for item_id, code in ((record_id, "record_erased"), (claim_id, "evidence_gone")):
        with pytest.raises(ConflictError) as raised:
            home.ana.approve(item_id)
        assert raised.value.code == code
    assert home.ana.verify(views=True).views == "equal"


def _answers(home: World, *, is_held: bool) -> list[str]:
    """What Eve and Dan are told of what Dan had erased, ids and times apart."""
    given: Any = {"kind": CITY, "subject": "user:ana", "value": "Rome", "consent": "explicit", "source_ref": "chat:1"}
    kept = home.dan.remember("lives in Rome", scope=ANA, **given)
    home.clock.go(seconds=60)
    agreed = home.memory("person:eve").remember("lives in Rome", scope=ANA, **given | {"source_ref": "chat:2"})
    summary = home.dan.remember("of Rome", scope=ANA, grade="summary", derived_from=[kept.record_id]).record_id
    ids = [kept.record_id, kept.claims[0].claim_id, agreed.record_id, summary, *(e.claim_id for e in agreed.claims)]
    packet = home.dan.recall("where does ana live?", scope=ANA).packet_id
    home.clock.go(seconds=60)
    if is_held:
        home.ana.hold(record=kept.record_id)
    home.dan.forget(record=kept.record_id)
    said = []
    for who in (home.dan, home.memory("person:eve"), home.agent):
        for call in _doors(who, ids, packet, given):
            try:
                said.append(repr(call()))
            except HeedfulError as error:
                said.append(repr((error.code, error.message, error.details)))
    text = "\n".join(said)
    for number, each in enumerate(ids):
        text = text.replace(each, f"id-{number}")
    return [_VARIES.sub("*", line) for line in text.split("\n")]


def _doors(who: Memory, ids: list[str], packet: str, given: dict[str, Any]) -> list[Callable[[], object]]:
    """What somebody may ask of the items of these ids, and write of them."""
    return [
        *(partial(who.show, each) for each in ids),
        *(partial(who.why, each) for each in ids),
        *(partial(who.show, each, known_at="2026-11-28T09:00:30Z") for each in ids),
        partial(who.why, packet),
        partial(who.forget, record=ids[0]),
        partial(who.remember, "of it", scope=ANA, derived_from=[ids[0]]),
        partial(who.remember, "lives in Rome", scope=ANA, **given),
        partial(who.recall, "where does ana live?", scope=ANA),
        partial(who.state, "user:ana", CITY, scope=ANA),
    ]


def test_what_cannot_be_held_or_released_is_refused(home: World) -> None:
    """With what to do instead."""
    with pytest.raises(InvalidInputError, match="exactly one"):
        home.ana.hold()
    with pytest.raises(InvalidInputError):
        home.ana.hold(record="r", because="she said so")
    with pytest.raises(NotFoundError, match="no hold"):
        home.ana.release_hold("not there")


def test_a_dry_run_tells_nothing_of_a_hold_to_who_may_not_hold(home: World) -> None:
    """They are told what would go without it; the control: who may hold is told that it stays."""
    record_id, claim_id = told(home)
    without = home.dan.forget(record=record_id, dry_run=True)
    home.ana.hold(subject="user:ana")
    assert home.dan.forget(record=record_id, dry_run=True) == without
    assert {each.item_id for each in without.items} == {record_id, claim_id}
    assert home.ana.forget(record=record_id, dry_run=True).items == ()


def test_what_a_hold_kept_is_looked_for_from_where_it_was_said(home: World) -> None:
    """Released before the job ran, beside an erasure of something later, and with a later part that nobody held."""
    record_id, claim_id = told(home)
    home.ana.pin(claim_id, reason="Rome-it-is")
    later, _ = told(home, "Oslo")
    hold = home.ana.hold(record=record_id)
    home.ana.forget(record=[record_id, later])
    home.ana.release_hold(hold.hold_id)
    home.ana.maintain("erase")
    with home.app.session(principal="person:ana").store.read() as reading:
        left = [each.payload or b"" for each in reading.events(Chain.LEDGER)]
    assert not [each for each in left if b"Rome" in each]


@pytest.mark.parametrize("name", ["", " ", "a\0b", "\ud800", "x" * 2_000])
def test_what_nothing_is_called_selects_nothing(home: World, name: str) -> None:
    """It is refused: a receipt would say that it is gone, and a hold that it is kept."""
    for by in ("record", "subject", "principal"):
        for verb in (home.ana.forget, home.ana.hold):
            assert code_of(partial(verb, **{by: name})) in {"name_malformed", "name_too_long"}  # type: ignore[arg-type]


def test_a_receipt_tells_nobody_else_that_a_hold_was_released(home: World) -> None:
    """Stages that came again, and their times, are for those who may hold: to Dan it is done as it was."""
    record_id, _ = told(home)
    held = home.ana.hold(record=record_id)
    erasure_id = home.dan.forget(record=record_id).erasure_id
    home.ana.maintain("erase")
    before = home.dan.receipt(erasure_id)
    home.ana.release_hold(held.hold_id)
    home.ana.maintain("erase")
    assert home.dan.receipt(erasure_id) == before
    assert [each.stage for each in before.reached] == ["logical", "indexes", "scrubbed"]
    assert [each.stage for each in home.ana.receipt(erasure_id).reached][-3:] == ["logical", "indexes", "scrubbed"]
    assert len(home.ana.receipt(erasure_id).reached) == 6


def test_the_newest_receipts_are_listed_whatever_others_erased(home: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose place in the list is taken by what they may not see?"""
    monkeypatch.setattr(receipt, "RECEIPTS_MAX", 2)
    mine = [home.dan.forget(record=told(home, city)[0]).erasure_id for city in ("Rome", "Oslo", "Bern")]
    others = [home.ana.forget(record=told(home, city)[0]).erasure_id for city in ("Riga", "Graz")]
    assert [each.erasure_id for each in home.dan.receipts()] == mine[1:]
    assert [each.erasure_id for each in home.ana.receipts()] == others
