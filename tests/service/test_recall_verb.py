"""Recall: what must be in mind comes over a bridge; what may not be seen changes nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from shutters import HearsShutters
from worlds import DEPLOY, FREEZE, HIDDEN, PROJECT, QUESTION, World, code_of, house_fixture, world  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.bridges.routed import Routed
from heedful.evidence.packet import Packet
from heedful.evidence.render import render_json
from heedful.kernel.ids import PacketId
from heedful.kernel.ladder import Decision
from heedful.ledger.events import PacketAssembled
from heedful.observations.text import query_terms, search_tokens
from heedful.ports.store import Chain
from heedful.service.recalling.in_mind import CUT, DECISION_STATES_MAX, OFF, UNREVIEWED_MAX
from heedful.service.recalling.recall import RULES_CUT, RULES_MAX


def alike(packet: Packet) -> Packet:
    """The packet without what differs between two looks: its id and instant."""
    return replace(packet, packet_id=PacketId(""), as_of="")


def test_a_decision_state_comes_to_mind_for_a_question_that_shares_no_word_with_it(house: World) -> None:
    """It comes first, with the bridge that brought it and the reason."""
    claim_id = house.freeze()
    packet = house.ana.recall(QUESTION)
    item = packet.items[0]

    assert not set(query_terms(QUESTION)) & set(search_tokens(item.text))
    assert (item.item_id, item.role) == (claim_id, "rule")
    assert "deploy.freeze" in [bridge.bridge_id for bridge in item.bridges]
    assert packet.decision is Decision.REVIEW
    assert packet.action_classes == ("deploy.production",)


def test_the_control_a_question_about_something_else_brings_nothing(house: World) -> None:
    """No class, no bridge: the freeze does not follow every question."""
    house.freeze()

    assert house.ana.recall("What does idempotent mean?").items == ()


def test_not_for_silences_a_class(house: World) -> None:
    """A rollback is not held up by a freeze, also where the claim was given another not_for."""
    house.freeze()
    kept = house.ana.remember("hold", kind=FREEZE, not_for=["deploy.production"])
    for reviewer in (house.bob, house.cyd):
        reviewer.approve(kept.claims[0].claim_id)

    in_mind = [item.item_id for item in house.ana.recall(QUESTION).items]
    assert kept.claims[0].claim_id not in in_mind
    assert len(in_mind) == 1
    assert not any(item.bridges for item in house.ana.recall("Roll back the gateway").items)


def test_another_project_sees_nothing(house: World) -> None:
    """Whatever is in this project, the other's packet is what it would be without it, but for id and instant."""
    other = ["project:other"]
    before = alike(house.bob.recall(QUESTION, scope=other))
    house.freeze()
    house.ana.remember("corrected invoices go live", scope=PROJECT)

    assert alike(house.bob.recall(QUESTION, scope=other)) == before
    assert house.bob.recall(QUESTION).items != ()


def test_a_record_above_the_clearance_changes_nothing(house: World) -> None:
    """Non-interference: items, order, scores and position are what they would be if it did not exist."""
    house.ana.remember("the invoices are corrected by hand")
    before = alike(house.cyd.recall("corrected invoices"))
    for classification in ("sensitive", "restricted"):
        house.ana.remember(f"corrected invoices, {classification}", classification=classification)

    assert alike(house.cyd.recall("corrected invoices")) == before
    assert len(house.bob.recall("corrected invoices").items) == 3
    assert len(house.bob.recall("corrected invoices", clearance="normal").items) == 1
    assert len(house.agent.recall("corrected invoices").items) == 2


def test_a_higher_clearance_than_ones_own_cannot_be_asked_for(house: World) -> None:
    """The lower of the two holds."""
    house.ana.remember("corrected invoices", classification="restricted")

    assert house.cyd.recall("corrected invoices", clearance="restricted").items == ()


def test_a_claim_whose_time_has_passed_is_not_in_mind(house: World) -> None:
    """Validity is judged at the instant of the request, or at the one that is asked for."""
    house.freeze()

    assert house.ana.recall(QUESTION, as_of="2026-12-06T23:59:59Z").items != ()
    assert house.ana.recall(QUESTION, as_of="2026-12-07T00:00:00Z").items == ()
    house.clock.go(seconds=10 * 86_400)
    assert house.ana.recall(QUESTION).items == ()


def test_an_unreviewed_claim_is_caution_at_most_or_hidden(house: World) -> None:
    """Advisory: marked, and never above review. Hidden: not there at all."""
    house.agent.remember("frozen", kind=FREEZE)
    advisory = house.ana.recall(QUESTION)
    house.use(HIDDEN)
    hidden = house.ana.recall(QUESTION)

    assert [item.unreviewed for item in advisory.items] == [True]
    assert Decision.REVIEW.at_least(advisory.decision)
    assert (hidden.items, hidden.decision) == ((), Decision.ALLOW)


def test_the_kill_switch_brings_nothing_and_says_so(house: World) -> None:
    """What was not looked for is not reported as not known."""
    house.freeze()
    house.ana.set_mode("pre-router", "off", reason="it blocks the release")
    off = house.ana.recall(QUESTION)
    house.ana.set_mode("pre-router", None, reason="mended")
    on = house.ana.recall(QUESTION)

    assert (off.items, off.degraded) == ((), (OFF,))
    assert on.items != ()
    assert on.degraded == ()


@pytest.mark.parametrize("target", ["deploy.freeze", "deploy.production", "pre-router"])
def test_shadow_changes_nothing_but_would_be(house: World, target: str) -> None:
    """A packet in shadow is the packet without the bridge; only would_be tells."""
    bare = alike(house.ana.recall(QUESTION))
    house.freeze()
    if target == "deploy.freeze":
        house.ana.set_mode("deploy.freeze-by-environment", "off", reason="only one at a time")
    house.ana.set_mode(target, "shadow", reason="a look")
    packet = house.ana.recall(QUESTION)

    assert packet.items == bare.items == ()
    assert packet.decision is bare.decision
    assert packet.would_be is Decision.REVIEW


def test_a_stranger_and_an_empty_scope_are_denied(house: World) -> None:
    """Deny by default; nobody asks of everything."""
    house.freeze()

    assert code_of(lambda: house.stranger.recall(QUESTION)) == "principal_may_not"
    assert code_of(house.stranger.status) == "principal_may_not"
    assert code_of(house.stranger.verify) == "principal_may_not"
    assert code_of(lambda: house.ana.recall(QUESTION, scope=[])) == "scope_empty"
    assert house.dan.recall(QUESTION).items != ()


def test_an_element_that_is_not_granted_is_left_out_of_the_scope(house: World) -> None:
    """Asking with it does not open it: what lies in it stays unseen, the rest is answered."""
    house.ana.remember("corrected invoices of Ana", scope=["user:ana"])
    house.ana.remember("corrected invoices of all", scope=PROJECT)
    wide = [*PROJECT, "user:ana"]

    assert len(house.dan.recall("corrected invoices", scope=wide).items) == 1
    assert len(house.ana.recall("corrected invoices", scope=wide).items) == 2


def test_the_budget_is_kept_and_what_is_left_out_is_named(house: World) -> None:
    """Estimated tokens never exceed it; nothing goes missing without a word."""
    for number in range(8):
        house.ana.remember(f"corrected invoices {number} " + "and more words " * 20)
    packet = house.ana.recall("corrected invoices", budget_tokens=300)

    assert packet.tokens <= 300
    assert packet.left_out != ()
    assert code_of(lambda: house.ana.recall("x", budget_tokens=1)) == "budget_too_small"
    for budget in (0, "x", True, 1.5):
        asked: Any = {"budget_tokens": budget}
        assert code_of(partial(house.ana.recall, "x", **asked)) == "budget_malformed"


def test_the_access_chain_has_the_packet_byte_for_byte(house: World) -> None:
    """For a read in its group, for propose and execute before the answer."""
    packets = [house.ana.recall(QUESTION, impact="read")]
    waiting = len(house.events(Chain.ACCESS))
    packets += [house.ana.recall(QUESTION, impact=impact) for impact in ("propose", "execute")]
    events = house.events(Chain.ACCESS)

    assert waiting == 0
    assert [event.packet_id for event in events if isinstance(event, PacketAssembled)] == [
        packet.packet_id for packet in packets
    ]
    assert [json.loads(event.packet_json) for event in events if isinstance(event, PacketAssembled)] == [
        json.loads(json.dumps(render_json(packet))) for packet in packets
    ]


def test_filters_by_type_and_attribute_hold_before_anything_is_counted(house: World) -> None:
    """A number is no text; one of several values is enough."""
    house.ana.remember("corrected invoices", attributes={"severity": 3})
    house.ana.remember("corrected invoices", attributes={"severity": "3"})
    house.ana.remember("corrected invoices", record_type="document")

    def found(**filters: object) -> int:
        return len(house.ana.recall("corrected invoices", **filters).items)  # type: ignore[arg-type]

    # Records with the same words are handed out once, so each filter leaves at most one.
    assert found() == 1
    assert found(attributes={"severity": 3}) == 1
    assert found(attributes={"severity": [3, "4"]}) == 1
    assert found(attributes={"severity": 4}) == 0
    assert found(record_types=["document"]) == 1
    assert found(record_types=["verification"]) == 0


def test_proposals_never_push_an_approved_claim_out_of_mind(house: World) -> None:
    """A flood of an agent's proposals is cut, the packet says so, and the approved freeze stands."""
    for number in range(UNREVIEWED_MAX + 1):
        house.agent.remember(f"noise {number}", kind=FREEZE)
    claim_id = house.freeze()
    packet = house.ana.recall(QUESTION, budget_tokens=100_000)

    assert claim_id in [item.item_id for item in packet.items]
    assert packet.degraded == (CUT,)
    assert DECISION_STATES_MAX > UNREVIEWED_MAX


def test_more_standing_rules_than_are_shown_are_told() -> None:
    """Their number is bounded, and the packet says that there are more."""
    policy = HIDDEN.replace("solo: false", "solo: true")
    with world(policy=policy) as house:
        for number in range(RULES_MAX + 1):
            kept = house.ana.remember(f"rule {number}", kind="note", form="constraint")
            house.ana.approve(kept.claims[0].claim_id)
        packet = house.ana.recall("anything", budget_tokens=100_000)

    assert packet.degraded == (RULES_CUT,)
    assert len(packet.items) == RULES_MAX


def test_a_tool_call_is_classified_with_the_question(house: World) -> None:
    """The call alone brings the freeze to mind, whatever the words are."""
    claim_id = house.freeze()

    assert house.ana.recall("go on", tool="Bash", args=DEPLOY).items[0].item_id == claim_id
    assert house.ana.recall("go on", tool="Bash", args={"command": "ls"}).items == ()


def test_what_nobody_reviewed_is_a_notice_in_an_answer_and_more_before_something_is_done(house: World) -> None:
    """By the impact that the request names, or by its tool call."""
    house.ana.remember("Nothing ships before the audit ends.", kind=FREEZE)
    decisions = [
        house.ana.recall(QUESTION, **more).decision
        for more in ({}, {"impact": "propose"}, {"tool": "Bash", "args": {"command": "kubectl apply -f prod/"}})
    ]
    assert decisions == ["notice", "review", "review"]


def test_a_packet_names_the_classifier_that_read_its_request(house: World) -> None:
    """And none where there is none, or it could make nothing of the words."""
    assert house.ana.recall(QUESTION).router == ""
    house.app.router = HearsShutters()
    assert house.ana.recall(QUESTION).router == ""
    house.app.router = ReadsRequests()
    assert house.ana.recall(QUESTION).router == ReadsRequests.model


class ReadsRequests(HearsShutters):
    """A router that reads every request, and finds nothing in it."""

    model = "reads"

    def route(self, text: str) -> Routed:
        """That it may decide something or not."""
        del text
        return Routed((), 0.5, "fake")
