"""Seed 002's story, in its own language and in English: a default, a project that differs, back again, and forgotten."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from worlds import SOLO, World, world

from heedful import Memory
from heedful.claims.claim import Claim
from heedful.ledger.belief_events import ClaimBounded, ConflictDetected, ConflictResolved

ANA, PROJECT = ("user:ana",), ("user:ana", "project:p")


class Told(NamedTuple):
    """What was said in m17, m42 and m58, and what is asked."""

    m17: str
    m42: str
    m58: str
    question: str


STORIES = {
    "zh": Told("报告默认中文。", "这个项目的报告必须英文。", "P 的报告也恢复中文。", "报告用什么语言?"),
    "en": Told(
        "Reports are in Chinese by default.",
        "Reports of this project must be in English.",
        "Reports of P are back to Chinese too.",
        "In which language are the reports?",
    ),
}


def says(memory: Memory, words: str, value: str, scope: tuple[str, ...], source: str, **more: Any) -> tuple[str, str]:
    """The ids of the record and its claim."""
    kept = memory.remember(
        words,
        kind="report.language",
        value=value,
        subject="user:ana",
        scope=scope,
        source_ref=source,
        consent="explicit",
        **more,
    )
    return kept.record_id, kept.claims[0].claim_id


def answer(memory: Memory, question: str, scope: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    """What is handed out as so, with the scope that it holds in; what gives way to a narrower scope is not."""
    packet = memory.recall(question, scope=scope)
    return [
        (each.text, each.scope)
        for each in packet.items
        if each.item == "claim" and each.role == "fact" and "narrower-holds" not in each.flags
    ]


def claim(memory: Memory, claim_id: str) -> Claim:
    item, _ = memory.show(claim_id)
    assert isinstance(item, Claim)
    return item


@pytest.mark.parametrize("told", STORIES.values(), ids=STORIES)
def test_the_language_story(told: Told) -> None:
    """Both sentences are remembered; m42 holds within P alone, m58 ends it there, and the default was never touched."""
    with world(policy=SOLO) as home:
        ana = home.memory("person:ana")
        r17, m17 = says(ana, told.m17, "Chinese", ANA, "m17", confidence=0.8)
        _, m42 = says(ana, told.m42, "English", PROJECT, "m42")

        assert answer(ana, told.question, PROJECT) == [(told.m42, ("project:p", "user:ana"))]
        assert answer(ana, told.question, ANA) == [(told.m17, ANA)]
        assert not [each for each in home.events() if isinstance(each, ConflictDetected)]

        r58, m58 = says(ana, told.m58, "Chinese", PROJECT, "m58")
        assert answer(ana, told.question, PROJECT) == [(told.m58, ("project:p", "user:ana"))]
        assert answer(ana, told.question, ANA) == [(told.m17, ANA)]
        assert [claim(ana, each).status for each in (m17, m42, m58)] == ["active", "superseded", "active"]
        assert _decided(home) == [(m42, m58, "later-word", "b_wins")]
        assert any(isinstance(each, ClaimBounded) and each.claim_id == m42 for each in home.events())

        for claim_id, record_id in ((m17, r17), (m58, r58)):
            ana.retract(claim_id, reason="forget it")
            ana.reject(record_id, reason="forget it")
        assert answer(ana, told.question, PROJECT) == answer(ana, told.question, ANA) == []


def _decided(home: World) -> list[tuple[str, str, str, str]]:
    found = {each.conflict_id: each for each in home.events() if isinstance(each, ConflictDetected)}
    ended = {each.conflict_id: each.resolution for each in home.events() if isinstance(each, ConflictResolved)}
    return [(each.standing_id, each.newcomer_id, each.because, ended[key]) for key, each in found.items()]
