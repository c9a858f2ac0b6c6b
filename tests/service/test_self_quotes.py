"""A memory that quotes itself: what it handed out bears nothing out when it comes back, and is found behind all else."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from believers import (  # noqa: F401  # pytest finds the fixtures here
    CITY,
    PAYMENTS,
    TEAM,
    claim,
    dan_fixture,
    eve_fixture,
    home_fixture,
)
from worlds import World, house_fixture  # noqa: F401

from heedful.evidence.packet import Packet
from heedful.evidence.render import render_json, render_prompt, render_text
from heedful.observations.quoting import QUOTES_MEMORY, quotes_memory

WORDS = "The team moved to Shanghai."
ASKED = "Where is the team now?"


def as_json(packet: Packet) -> str:
    return json.dumps(render_json(packet), ensure_ascii=False)


RENDERINGS: dict[str, Callable[[Packet], str]] = {
    "prompt": render_prompt,
    "text": lambda packet: "\n".join(render_text(packet)),
    "json": as_json,
    "escaped": lambda packet: json.dumps({"stdout": as_json(packet)}),
    "within": lambda packet: f"工具的输出：\n{render_prompt(packet)}\n完",
}


def brought(home: World, words: str, run_id: str, **more: Any) -> tuple[str, ...]:
    """The flags of a page that Eve brings, of whose claim Bob approves."""
    fields: dict[str, Any] = {"value": "Shanghai", "subject": TEAM, "scope": PAYMENTS, "grade": "document", **more}
    kept = home.memory("person:eve").remember(words, kind=CITY, run_id=run_id, **fields)
    home.bob.approve(kept.claims[0].claim_id)
    return kept.flags


def held(home: World) -> str:
    """The id of Dan's claim."""
    kept = home.memory("person:dan").remember(
        WORDS, kind=CITY, value="Shanghai", subject=TEAM, scope=PAYMENTS, consent="explicit"
    )
    return kept.claims[0].claim_id


@pytest.mark.parametrize("rendering", list(RENDERINGS))
def test_a_packet_that_comes_back_corroborates_nothing(home: World, rendering: str) -> None:
    """In whatever rendering, as a document or as a tool's output; the same page without it does (the control)."""
    claim_id = held(home)
    packet = home.memory("person:dan").recall(ASKED, scope=PAYMENTS)
    assert WORDS in render_prompt(packet)
    said = RENDERINGS[rendering](packet)
    for number, more in enumerate(({}, {"grade": "tool", "record_type": "tool_result"})):
        assert QUOTES_MEMORY in brought(home, said, f"run-{number}", **more)
    assert (claim(home, claim_id).tier, len(claim(home, claim_id).evidence)) == (1, 1)
    assert brought(home, "Their door says Shanghai.", "run-9") == ()
    assert (claim(home, claim_id).tier, len(claim(home, claim_id).evidence)) == (2, 2)


def test_a_recalled_text_without_its_frame_is_a_copy(home: World) -> None:
    """Its words within others: eight of them, or as many Chinese signs, are nobody's own."""
    words = "the team has been in Shanghai for as long as anybody remembers"
    kept = home.memory("person:dan").remember(
        words, kind=CITY, value="Shanghai", subject=TEAM, scope=PAYMENTS, consent="explicit"
    )
    assert brought(home, f"Recalled: {words.upper()}!", "run-1") == ()
    assert claim(home, kept.claims[0].claim_id).tier == 1
    brought(home, "the team has been in Shanghai for long", "run-2")
    assert claim(home, kept.claims[0].claim_id).tier == 2


def test_a_packet_that_comes_back_is_found_behind_what_it_quotes(house: World) -> None:
    """Though it has every word of the question, and says it three times; it is no event that proves anything either."""
    house.ana.remember(
        "The nightly backup runs at three.", record_type="document", grade="document", source_ref="doc:1"
    )
    asked = "When does the nightly backup run, and what failed?"
    before = house.ana.recall(asked)
    for number in range(3):
        echo = f"{asked} {number}\n{render_prompt(house.ana.recall(asked))}"
        house.agent.remember(echo, record_type="tool_result", run_id=f"run-{number}")
    after = house.ana.recall(asked, budget_tokens=4_000)
    assert after.items[0].text == before.items[0].text
    assert after.items[0].source == before.items[0].source
    assert all(QUOTES_MEMORY in item.flags for item in after.items[1:])
    assert len(after.items) > 1
    assert not any(item.supports for item in after.items[1:])


@pytest.mark.parametrize(
    "text",
    [
        "the packet as of 2026-01-01 was lost in the mail",
        "Packet 12, as of 2026-11-28T09:00:00Z",
        '{"packet_id": "12", "as_of": "now"}',
        "TCP packet 01981f6e-0000-7000-8000-000000000000 dropped",
        "",
        "包裹",
    ],
)
def test_control_other_packets_are_no_quotes(text: str) -> None:
    """Of the post, of a network, of another product."""
    assert not quotes_memory(text)
