"""Known then: a read at an earlier instant of knowing answers as it would have then, of what one may see now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from worlds import DEPLOY, QUESTION, TWO_PEOPLE, World, code_of, house_fixture, world  # noqa: F401  # pytest finds the fixture here

from heedful.evidence.packet import Packet
from heedful.evidence.render import render_prompt, render_text
from heedful.kernel.ids import PacketId
from heedful.kernel.times import format_time, parse_time
from heedful.ports.store import Chain, EventReader
from heedful.service.as_known import position_known

ASKED: tuple[dict[str, Any], ...] = (
    {"question": QUESTION},
    {"question": "invoices 发票", "task_class": "state"},
    {"question": "ship it", "tool": "Bash", "args": DEPLOY, "impact": "execute"},
)
DENIED = TWO_PEOPLE.replace('grants: ["project:payments"]}\n    "person:dan"', 'grants: ["project:payments"], denied_kinds: [release]}\n    "person:dan"')  # fmt: skip


def now(house: World) -> str:
    return format_time(house.clock.now_us())


def handed(house: World, at: str, **asked: Any) -> list[Packet]:
    """What Cyd is handed, but for ids, and for the instant of knowing, which only who asks later names, in some words."""
    packets = [house.cyd.recall(as_of=at, **asked, **each) for each in ASKED]
    return [replace(each, packet_id=PacketId(""), known_at=None, tokens=0) for each in packets]


def history(house: World) -> Iterator[str]:
    """An instant after each step: records, a freeze, its approvals, a withdrawal, a rejection."""
    steps = ["Invoices go out on Friday. 发票每周五发送。", "The invoice page is slow.", "发票要盖章"]
    kept = [house.ana.remember(each).record_id for each in steps]
    yield now(house)
    claim_id = house.ana.remember("Nothing leaves the house.", kind="release.freeze").claims[0].claim_id
    house.bob.approve(claim_id)
    yield now(house)
    house.cyd.approve(claim_id)
    yield now(house)
    house.bob.reject(kept[1])
    yield now(house)
    house.bob.reject(claim_id)


def test_recall_hands_out_again_what_it_handed_out_then(house: World) -> None:
    """Items, order, scores, decision, sufficiency; whatever came later, of any sort. Nothing is written for it."""
    then = {at: handed(house, at) for at in history(house)}
    before = house.views(), len(house.events())

    for at, packets in then.items():
        assert handed(house, at, known_at=at) == packets
    assert (house.views(), len(house.events())) == before
    # The control: it did change from step to step.
    answers = {repr([replace(each, as_of="") for each in packets]) for packets in then.values()}
    assert len(answers) == len(then)


def test_what_one_may_not_see_now_is_not_there_then_either() -> None:
    """A record on which a claim of a denied kind came to rest later is hidden at an instant before that too."""
    with world(policy=DENIED) as house:
        house.ana.remember("The invoices of the quarter are wrong.", kind="release.freeze")
        with house.ana._session.store.read() as reading:
            (kept,) = reading.events_of("record.admitted")
            (proposed,) = reading.events_of("claim.proposed")
        at = format_time(kept.envelope.recorded_at_us)
        assert kept.envelope.recorded_at_us < proposed.envelope.recorded_at_us

        hidden = house.cyd.recall("invoices of the quarter", known_at=at)
        seen = house.bob.recall("invoices of the quarter", known_at=at)

    assert (hidden.items, hidden.ledger_position) == ((), 0)
    assert ([item.item for item in seen.items], seen.ledger_position) == (["record"], 1)


def test_a_packet_says_as_far_as_what_was_known(house: World) -> None:
    """In each of its renderings; one that was asked of now says nothing."""
    at = now(house)
    packet = house.ana.recall("what is known?", known_at=at)
    assert packet.known_at == at
    assert all(at in text for text in (render_prompt(packet), "\n".join(render_text(packet))))
    assert "was known" not in render_prompt(house.ana.recall("what is known?"))


def test_times_without_an_offset_are_read_in_the_zone_of_the_setting() -> None:
    """By every verb alike; one that its clocks never or twice showed is refused, one with an offset never is."""
    with world(zone="Europe/Berlin") as house:
        assert house.ana.recall("x", as_of="2026-07-01T09:00", known_at="2026-11-28").known_at == "2026-11-27T23:00:00Z"
        assert house.ana.recall("x", as_of="2026-07-01T09:00").as_of == "2026-07-01T07:00:00Z"
        assert house.ana.state("pod:x", as_of="2026-07-01T09:00").as_of == "2026-07-01T07:00:00Z"
        assert code_of(lambda: house.ana.recall("x", as_of="2026-03-29T02:30")) == "time_skipped"
        assert code_of(lambda: house.ana.state("pod:x", known_at="2026-10-25T02:30")) == "time_twice"
        assert code_of(lambda: house.ana.conflicts(known_at="2026-10-25T02:30")) == "time_twice"
        assert code_of(lambda: house.ana.provenance(known_at="2026-10-25T02:30")) == "time_twice"
        assert code_of(lambda: house.ana.causes(subject="pod/x", at="2026-10-25T02:30")) == "time_twice"
        fact: dict[str, Any] = {"part": "fact", "kind": "note", "since": "2026-10-25T02:30"}
        assert code_of(lambda: house.ana.task_add("t1", "It rains.", **fact)) == "time_twice"
        assert house.ana.recall("x", as_of="2026-03-29T02:30+01:00").as_of == "2026-03-29T01:30:00Z"


def test_the_position_of_an_instant_is_found_by_halving(house: World) -> None:
    """Few events are looked at; before the first is 0, and after the last is the head."""
    for number in range(40):
        house.ana.remember(f"note {number}")
    looked: list[int] = []
    with house.ana._session.store.read() as reading:  # what is counted lies beneath the verbs
        recorded = [each.envelope.recorded_at_us for each in reading.events(Chain.LEDGER)]
        at = {each: position_known(_Counted(reading, looked), each) for each in recorded}
        assert list(at.values()) == list(range(1, len(recorded) + 1))
        assert position_known(reading, recorded[0] - 1) == 0
        assert position_known(reading, parse_time("9999-01-01", field="at").at_us) == len(recorded)
    assert len(looked) <= len(recorded) * len(recorded).bit_length()


class _Counted:
    """A reading that counts the events which it is asked for."""

    def __init__(self, reading: EventReader, looked: list[int]) -> None:
        self._reading = reading
        self._looked = looked

    def __getattr__(self, name: str) -> Any:
        if name == "event":
            self._looked.append(1)
        return getattr(self._reading, name)
