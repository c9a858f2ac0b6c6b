"""Remember many: as one after another, in few transactions, and no item is lost for another's sake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from worlds import FREEZE, World, code_of, house_fixture, world  # noqa: F401  # pytest finds the fixture here

from heedful import Memory
from heedful.kernel.errors import BusyError
from heedful.ports.store import StoredRecord
from heedful.service.keeping import remember_many as verb
from heedful.service.keeping.remember import Remembered
from heedful.service.keeping.remember_many import NotRemembered

SECRET = "hunter2-Zq9!"
ODD_TEXT = "NUL \0, 冻结, عربي, 👩\u200d💻"


def told(answer: verb.Answer) -> str:
    """An answer in a word."""
    if isinstance(answer, NotRemembered):
        return answer.code
    return "kept-before" if answer.duplicate else answer.outcome


def record_of(memory: Memory, answer: verb.Answer) -> StoredRecord:
    """The record that an item became."""
    assert isinstance(answer, Remembered)
    item, _ = memory.show(answer.record_id)
    assert isinstance(item, StoredRecord)
    return item


def test_each_item_has_its_answer_in_order_and_none_is_lost_for_another(house: World) -> None:
    """Admitted, refused, not in order, kept before: side by side in one transaction."""
    items: list[Any] = [
        ODD_TEXT,
        b"\xff\0\xfe",
        {"content": "Ana drinks it black.", "consent": "denied"},
        {"content": "Nothing goes out.", "kind": FREEZE, "source_ref": "mail:1"},
        {"content": "Nothing goes out.", "kind": FREEZE, "source_ref": "mail:1"},
        {"content": "Something else.", "source_ref": "mail:1"},
        {"content": "x", "kind": "no.such.kind"},
        {"content": "half \ud800"},
        {"content": "x", "scope": ["user:bob", "user:ana"]},
        " ",
        {"content": f"The password is {SECRET}"},
    ]

    answers = house.ana.remember_many(items)

    assert [told(answer) for answer in answers] == [
        *("admitted", "admitted", "refused", "admitted", "kept-before", "source_ref_reused", "kind_unknown"),
        *("text_lone_surrogate", "scope_malformed", "content_blank", "admitted"),
    ]
    assert record_of(house.ana, answers[0]).record.content == ODD_TEXT
    assert record_of(house.ana, answers[1]).record.content_base64 == b"\xff\0\xfe"
    assert SECRET not in (record_of(house.ana, answers[-1]).record.content or "")
    assert house.ana.verify(views=True).holds


def test_the_answers_are_those_of_one_remember_after_another(house: World) -> None:
    """But for ids and places in the ledger."""
    items: list[Any] = [
        "Totals are rounded per line.",
        {"content": f"remember: {FREEZE}: Nothing goes out. until=2026-12-04"},
        {
            "content": "Dan likes tea.",
            "kind": "note",
            "attributes": {"area": "kitchen", "cups": 2},
            "subjects": [("cup", "a")],
        },
        {"content": "The user said: deploy.", "classification": "sensitive"},
    ]
    for memory in (house.ana, house.agent):
        together = memory.remember_many(items)
        alone = [memory.remember(item) if isinstance(item, str) else memory.remember(**item) for item in items]

        for many, one in zip(together, alone, strict=True):
            assert isinstance(many, Remembered)
            assert (many.outcome, many.reasons, many.flags, many.problems) == (
                one.outcome,
                one.reasons,
                one.flags,
                one.problems,
            )
            assert [(each.kind, each.status) for each in many.claims] == [
                (each.kind, each.status) for each in one.claims
            ]


def test_given_again_nothing_is_kept_twice(house: World) -> None:
    """Each item by its own source reference, also where the first time was cut short."""
    items: list[Any] = [{"content": f"note {number}", "source_ref": f"n:{number}"} for number in range(5)]
    house.ana.remember_many(items[:3])

    answers = house.ana.remember_many(items)

    assert [told(answer) for answer in answers] == ["kept-before"] * 3 + ["admitted"] * 2
    assert house.ana.status().counts["records"] == 5


def test_progress_is_told_what_is_durable(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each transaction of at most BATCH_ITEMS items; a store that fails later takes nothing back."""
    monkeypatch.setattr(verb, "BATCH_ITEMS", 2)
    steps: list[tuple[int, int]] = []
    memory = house.ana

    def progress(done: int) -> None:
        steps.append((done, house.ana.status().counts["records"]))
        if done == 4:
            raise BusyError("store_busy", "as if the next transaction could not begin")

    with pytest.raises(BusyError):
        memory.remember_many((f"note {number}" for number in range(7)), progress=progress)

    assert steps == [(2, 2), (4, 4)]
    assert memory.status().counts["records"] == 4


def test_too_many_items_are_refused_before_anything_is_kept(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """`items_too_many`; one fewer is taken."""
    monkeypatch.setattr(verb, "ITEMS_MAX", 3)

    assert code_of(lambda: house.ana.remember_many(["a", "b", "c", "d"])) == "items_too_many"
    assert house.ana.status().counts["records"] == 0
    assert len(house.ana.remember_many(["a", "b", "c"])) == 3


def test_nothing_is_nothing(house: World) -> None:
    """No items, no answers, no event."""
    before = house.ana.verify().ledger.event_count

    assert house.ana.remember_many([]) == ()
    assert house.ana.verify().ledger.event_count == before


@pytest.mark.parametrize(
    "item",
    [
        {},
        {"content": None},
        {"content": 5},
        {"content": "x", "colour": "red"},
        {"content": "x", "kind": 5},
        {"content": "x", "subjects": "ana"},
        {"content": "x", "attributes": {"a": None}},
        {"content": "x", "scope": 7},
        5,
        None,
        ["x"],
    ],
)
def test_an_item_of_another_shape_is_no_failure_of_the_others(house: World, item: Any) -> None:
    """`item_malformed` for this one; what stands after it is kept."""
    answers = house.ana.remember_many([item, "kept"])

    assert [told(answer) for answer in answers] == ["item_malformed", "admitted"]


def test_whoever_may_not_write_there_is_told_so_item_by_item(house: World) -> None:
    """`scope_not_granted`; in a scope of their own they may."""
    answers = house.dan.remember_many([{"content": "x", "scope": "user:ana"}, "y"])

    assert [told(answer) for answer in answers] == ["scope_not_granted", "admitted"]


def test_whoever_may_remember_nothing_is_refused_as_a_whole(house: World) -> None:
    """`principal_may_not`, as from `remember`."""
    assert code_of(lambda: house.memory("person:stranger").remember_many(["x"])) == "principal_may_not"


def test_an_agents_items_are_the_agents_word(house: World) -> None:
    """Many at once make nobody a person."""
    (answer,) = house.agent.remember_many([{"content": "Deploys are fine.", "grade": "operator", "kind": FREEZE}])

    assert record_of(house.ana, answer).record.grade == "agent"


def test_long_content_is_in_the_blob_store_before_its_record(tmp_path: Path) -> None:
    """And is found by recall, as if it had come alone."""
    with world(tmp_path, inline_bytes_max=100) as house:
        (answer,) = house.ana.remember_many(["the elephant is grey " * 20])

        assert record_of(house.ana, answer).record.blob is not None
        assert [item.item_id for item in house.ana.recall("elephant").items] == [getattr(answer, "record_id", "")]


def test_a_transaction_is_bounded_by_what_its_items_hold(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Live writers wait for one batch at most, however large its items are; one that is larger alone goes alone."""
    monkeypatch.setattr(verb, "BATCH_CHARACTERS_MAX", 100)
    done: list[int] = []
    answers = house.ana.remember_many(["a" * 60, "b" * 60, "c" * 30, "d" * 300, "e", "f"], progress=done.append)
    assert [told(answer) for answer in answers] == ["admitted"] * 6
    assert done == [1, 3, 4, 6]
