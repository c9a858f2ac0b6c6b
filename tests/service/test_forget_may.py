"""Forget: who may, and what can be selected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from forgetting import ANA, home_fixture, memory_fixture, told
from worlds import World

from heedful import Memory
from heedful.kernel.errors import ForbiddenError, InvalidInputError, NotFoundError

__all__ = ("home_fixture", "memory_fixture")


def test_who_may_not_erase_is_refused(home: World) -> None:
    """Agents always, whatever their roles; a person for others' words, and what they may not see is not there for them."""
    ana, dan = home.ana, home.dan
    own, others = told(dan, "Rome")[0], told(ana, "Oslo")[0]
    hidden = ana.remember("secret", scope=ANA, classification="restricted").record_id
    others_words: list[dict[str, Any]] = [{"record": others}, {"subject": "user:ana"}, {"scope": ANA}]
    for select in others_words:
        with pytest.raises(ForbiddenError, match="may not erase"):
            dan.forget(**select)
    with pytest.raises(NotFoundError):
        dan.forget(record=hidden)
    with pytest.raises(ForbiddenError, match="may not hold"):
        dan.hold(record=own)
    mine = home.agent.remember("a plan", scope=("project:payments",)).record_id
    for select in [*others_words[1:], {"record": mine}, {"principal": "agent:pip"}]:
        with pytest.raises(ForbiddenError, match="agent"):
            home.agent.forget(**select)

    receipt = dan.forget(record=own)

    assert (receipt.records, receipt.waits_for_hold) == (None, None), "counts are for who may audit"
    assert dan.receipt(receipt.erasure_id) == receipt
    with pytest.raises(NotFoundError, match="no receipt"):
        home.cyd.receipt(receipt.erasure_id)
    assert home.memory("person:aud").receipt(receipt.erasure_id).records == 1
    assert ana.show(others)[0] is not None


@pytest.mark.parametrize(
    ("select", "error"),
    [
        ({}, InvalidInputError),
        ({"subject": "user:ana", "principal": "person:bob"}, InvalidInputError),
        ({"record": []}, InvalidInputError),
        ({"record": "not there"}, NotFoundError),
        ({"subject": "user:ana", "because": "I said so"}, InvalidInputError),
        ({"tenant": "another"}, InvalidInputError),
    ],
)
def test_what_cannot_be_selected_is_refused(memory: Memory, select: dict[str, Any], error: type[Exception]) -> None:
    """And nothing is erased."""
    told(memory, "Rome")
    with pytest.raises(error):
        memory.forget(**select)
    assert memory.receipts() == ()


@pytest.mark.parametrize("wrong", [5, b"x", ["a", 5], {"a": 1}, object()])
def test_what_is_no_text_is_named(memory: Memory, wrong: Any) -> None:
    """By the error that every door knows; and a word is no yes: `tenant="acme"` would hold this one."""
    verbs: list[Callable[..., object]] = [memory.forget, memory.hold, memory.withdraw_consent, memory.give_consent]
    for verb in verbs:
        fields = ("subject", "principal") if verb in verbs[2:] else ("record", "subject", "scope", "principal")
        for field in fields:
            with pytest.raises(InvalidInputError) as error:
                verb(**{field: wrong})
            assert error.value.details["field"] == field
    asked: list[tuple[str, Callable[[], object]]] = [
        ("erasure_id", lambda: memory.receipt(wrong)),
        ("hold_id", lambda: memory.release_hold(wrong)),
        ("tenant", lambda: memory.hold(tenant=wrong)),
        ("dry_run", lambda: memory.forget(record="x", dry_run=wrong)),
        ("because", lambda: memory.forget(subject="user:ana", because=wrong)),
    ]
    for field, call in asked:
        with pytest.raises(InvalidInputError) as error:
            call()
        assert error.value.details["field"] == field
