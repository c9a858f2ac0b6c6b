"""Non-interference: what a requester may not see changes no byte of what they are handed."""

from __future__ import annotations

import msgspec
from worlds import DEPLOY, FREEZE, QUESTION, World, world

from heedful.evidence.packet import packet_bytes
from heedful.kernel.times import parse_time

STEP_US = 60_000_000
INVISIBLE = 50


class CountedBytes:
    """Bytes that follow from a number alone; a test sets it before each step."""

    def __init__(self) -> None:
        self.number = 0

    def random_bytes(self, count: int) -> bytes:
        """The next bytes, as many as are asked for."""
        self.number += 1
        return self.number.to_bytes(count, "big")


def at_step(house: World, entropy: CountedBytes, step: int, *, aside: bool = False) -> None:
    """Clock and ids stand where they stand at this step in every world; steps aside have their own ids."""
    house.clock.at_us = parse_time("2026-11-28T09:00:00Z", field="start").at_us + step * STEP_US
    entropy.number = (step + (1_000 if aside else 0)) * 1_000_000


def crowd(house: World, number: int) -> None:
    """One record and claim that Cyd does not see: another scope, a higher classification, another tenant."""
    words = f"corrected invoices go live this afternoon {number}"
    where = number % 3
    if where == 0:
        house.ana.remember(words, kind=FREEZE, scope=["project:other"], source_ref=f"s/{number}")
    elif where == 1:
        house.ana.remember(words, kind=FREEZE, classification="restricted", source_ref=f"s/{number}")
    else:
        house.memory("person:ana", tenant="other").remember(words, kind=FREEZE, source_ref=f"s/{number}")


def answers(*, invisible: int, visible: int) -> tuple[bytes, bytes]:
    """Cyd's packet and verdict in a world with so many more records, without their ids."""
    entropy = CountedBytes()
    with world() as house:
        house.app.entropy = entropy
        house.app.add_tenant("other", house.ana._session.principal)
        for step, words in enumerate(("The invoices were corrected.", "The deploy of the web went well.")):
            for number in range(step, invisible, 2):
                at_step(house, entropy, step + number, aside=True)
                crowd(house, number)
            at_step(house, entropy, step)
            house.cyd.remember(words, kind=FREEZE if step else None, source_ref=f"s/{step}")
        for number in range(visible):
            at_step(house, entropy, 2 + number)
            house.ana.remember(f"seen {number}")
        at_step(house, entropy, 100)
        packet = house.cyd.recall(QUESTION, budget_tokens=4_000)
        verdict = house.cyd.judge("Bash", DEPLOY)
    found = msgspec.to_builtins(verdict)
    return packet_bytes(packet).replace(packet.packet_id.encode(), b"PACKET"), msgspec.json.encode(
        found, order="sorted"
    ).replace(verdict.verdict_id.encode(), b"VERDICT")


def test_what_is_not_visible_changes_no_byte_of_a_packet_or_a_verdict() -> None:
    """With and without fifty of other scopes, of a higher classification and of another tenant."""
    assert answers(invisible=INVISIBLE, visible=0) == answers(invisible=0, visible=0)


def test_the_control_what_is_visible_changes_both() -> None:
    """One visible record more is seen in the visible position."""
    packet, verdict = answers(invisible=0, visible=1)
    other_packet, other_verdict = answers(invisible=0, visible=0)

    assert packet != other_packet
    assert verdict != other_verdict
