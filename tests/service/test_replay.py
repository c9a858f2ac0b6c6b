"""Why then, and replay: what was believed and answered at an earlier moment, from the ledger alone, byte for byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from worlds import DEPLOY, PROJECT, QUESTION, SOLO, World, code_of, house_fixture, world  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.claims.claim import Claim, ClaimStatus
from heedful.evidence.packet import packet_bytes
from heedful.kernel.times import format_time
from heedful.ledger.events import PacketAssembled
from heedful.ports.store import Chain
from heedful.service.auditing.replay import SECRET, Replay, first_difference

ASKED: tuple[dict[str, Any], ...] = (
    {"question": QUESTION},
    {"question": "invoices 发票 كم", "task_class": "state", "clearance": "normal"},
    {"question": "ship it", "tool": "Bash", "args": DEPLOY, "impact": "execute", "scorer": "tiered"},
    {"question": "the bill of alice", "attributes": {"customer": ["alice", "bob"]}, "budget_tokens": 400},
    {"question": "invoices", "as_of": "2026-11-28T09:00:00.010Z", "known_at": "2026-11-28T09:00:00.012Z"},
)


def now(house: World) -> str:
    return format_time(house.clock.now_us())


def told(house: World, packet_id: str, **who: str) -> tuple[bool | None, str | None]:
    """Whether it is the same, and where it is not."""
    found = house.memory(who.get("principal", "person:cyd")).why(packet_id, replay=True).replay
    assert found is not None
    return found.same, found.differs


def test_a_packet_and_a_verdict_of_then_are_made_again_byte_for_byte(house: World) -> None:
    """After all of it changed: claims, approvals, records, modes, and the registry; nothing is written for it."""
    house.ana.remember("Invoices of alice go out on Friday. 发票每周五发送。", attributes={"customer": "alice"})
    freeze = house.freeze()
    house.enforce()
    packets = [house.cyd.recall(**each) for each in ASKED]
    verdict = house.cyd.judge("Bash", args=DEPLOY, run="r1")
    house.bob.reject(freeze)
    house.ana.remember("Invoices of bob too.", attributes={"customer": "bob"})
    house.ana.set_mode("deploy.freeze", "off", reason="it is over")
    house.use(SOLO)
    house.cyd.recall("anything")
    before = house.views(), len(house.events())

    assert [told(house, each.packet_id) for each in packets] == [(True, None)] * len(packets)
    assert told(house, verdict.verdict_id) == (True, None)
    assert (house.views(), len(house.events())) == before
    # The control: asked now it is another answer.
    assert house.cyd.judge("Bash", args=DEPLOY, run="r1").rulings != verdict.rulings


def test_a_difference_names_the_first_field_and_why(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another engine answers otherwise; what it has there is not told."""
    house.ana.remember("Invoices go out on Friday.")
    packet = house.cyd.recall("invoices")
    otherwise = (b"go out on Friday", b"go out on Monday")
    monkeypatch.setattr(
        "heedful.service.auditing.replay.packet_bytes", lambda made: packet_bytes(made).replace(*otherwise)
    )
    found = house.cyd.why(packet.packet_id, replay=True).replay
    assert found is not None
    assert (found.same, found.differs) == (False, "items[0].text")
    assert "Monday" not in str(found)


def test_a_secret_in_a_request_is_not_kept_and_said_so(house: World) -> None:
    """Neither in the arguments nor in a filter; the replay says why it differs, or cannot be made."""
    secret = "ghp_" + "a1B2" * 9
    house.ana.remember("Invoices go out on Friday.")
    packet = house.cyd.recall("x", tool="Bash", args={"command": f"curl -H {secret}"}, attributes={"token": secret})
    verdict = house.cyd.judge("Bash", args={"command": f"curl -H {secret}"})
    house.cyd.why(packet.packet_id)
    (event,) = [each for each in house.events(Chain.ACCESS) if isinstance(each, PacketAssembled)]
    assert event.asked_json is not None
    assert secret not in event.asked_json
    replayed = house.cyd.why(verdict.verdict_id, replay=True).replay
    assert replayed is not None
    assert (replayed.same, replayed.because) == (None, SECRET)


def test_only_answers_are_replayed_and_only_by_whose_they_are(house: World) -> None:
    """A claim is none; another's packet is not there; a reviewer sees a verdict, and does not replay it."""
    freeze = house.freeze()
    packet, verdict = house.cyd.recall(QUESTION), house.cyd.judge("Bash", args=DEPLOY)
    assert code_of(lambda: house.cyd.why(freeze, replay=True)) == "not_replayable"
    assert code_of(lambda: house.dan.why(packet.packet_id, replay=True)) == "item_not_found"
    assert code_of(lambda: house.bob.why(verdict.verdict_id, replay=True)) == "replay_not_yours"
    assert told(house, verdict.verdict_id, principal="person:aud") == (True, None)


def test_why_then_tells_what_was_so_at_that_moment(house: World) -> None:
    """Status, approvals and steps of then; what came later is not there, nor what was not there yet."""
    start = now(house)
    freeze = house.freeze_proposed()
    waiting = now(house)
    house.bob.approve(freeze)
    house.cyd.approve(freeze)
    believed = now(house)
    house.bob.reject(freeze)

    def status(at: str) -> tuple[object, object, int]:
        found = house.ana.why(freeze, as_of=at)
        assert found.known_at is not None
        return found.found["status"], found.found["approvals"], len(found.steps)

    assert code_of(lambda: house.ana.why(freeze, as_of=start)) == "item_not_found"
    assert status(waiting) == ("evidence-verified", (), 2)
    assert status(believed)[:2] == ("active", ("person:bob", "person:cyd"))
    assert house.ana.why(freeze).found["status"] == "revoked"
    packet = house.ana.recall(QUESTION)
    assert code_of(lambda: house.ana.why(packet.packet_id, as_of=believed)) == "item_not_found"


def test_the_queue_and_what_is_shown_are_those_of_then(house: World) -> None:
    """What waited waits, and nothing that came later does; a claim of later is not there."""
    start = now(house)
    freeze = house.freeze_proposed()
    waiting = now(house)
    house.bob.approve(freeze)
    house.cyd.approve(freeze)

    assert [each.claim_id for each in house.bob.review_queue(known_at=waiting).claims] == [freeze]
    assert house.bob.review_queue(known_at=start).claims == house.bob.review_queue().claims == ()
    shown, _ = house.bob.show(freeze, known_at=waiting)
    assert isinstance(shown, Claim)
    assert shown.status is ClaimStatus.EVIDENCE_VERIFIED
    assert code_of(lambda: house.bob.show(freeze, known_at=start)) == "item_not_found"
    assert code_of(lambda: house.dan.review_queue(known_at=waiting)) == "principal_may_not"


def test_the_first_difference_is_found_in_order_of_the_bytes() -> None:
    """Of keys, places, lengths and types."""
    left = {"a": [1, {"b": True, "c": "x"}], "z": 1}
    assert first_difference(left, json.loads(json.dumps(left))) is None
    assert first_difference(left, {"a": [1, {"b": 1, "c": "y"}], "z": 2}) == "a[1].b"
    assert first_difference(left, {"a": [1, {"b": True, "c": "y"}], "z": 2}) == "a[1].c"
    assert first_difference(left, {"a": [1], "z": 1}) == "a[1]"
    assert first_difference(left, {"z": 1}) == "a"


def test_half_of_a_surrogate_pair_is_asked_as_its_escape(house: World) -> None:
    """A shell's argument that is no UTF-8 has some: it is answered and judged, and both are made again."""
    half = "\udcff"
    packet = house.ana.recall(f"what of {half}", metadata={f"who{half}": half}, tool=f"Bash{half}")
    verdict = house.ana.judge("Bash", args={"command": "ls"}, text=half)
    for answer in (packet.packet_id, verdict.verdict_id):
        assert house.ana.why(answer, replay=True).replay == Replay(same=True, differs=None, because=None)
    assert packet.question == f"what of {half}".encode("utf-8", "backslashreplace").decode()


@pytest.mark.parametrize("known_at", ["2026-11-28T09:10:00Z", "2099-01-01"])
def test_a_packet_of_what_was_known_earlier_is_made_again_as_it_was(house: World, known_at: str) -> None:
    """Under the modes of when it was asked, and of no event that came after, whatever instant it was asked for."""
    house.freeze()
    house.clock.go(seconds=1_200)
    packet = house.ana.recall(QUESTION, known_at=known_at)
    house.enforce()
    house.freeze("Another one.")

    assert house.ana.why(packet.packet_id, replay=True).replay == Replay(same=True, differs=None, because=None)
    assert house.ana.recall(QUESTION, known_at=known_at).items[0].bridges[0].mode != packet.items[0].bridges[0].mode
