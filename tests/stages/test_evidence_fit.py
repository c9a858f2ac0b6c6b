"""Fitting: never a token over the budget, decision states before all else, and nothing left out in silence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packet_builders import (
    a_claim,
    a_material,
    a_record,
    a_request,
    an_activation,
    found_claim,
    found_record,
    scored,
)

from heedful.bridges.request import Activations, NoBridge
from heedful.claims.claim import ClaimStatus, Form
from heedful.evidence.assemble import assemble
from heedful.evidence.material import Material
from heedful.evidence.packet import Packet
from heedful.evidence.render import render_json, render_prompt
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ids import ActionClassId, PacketId
from heedful.kernel.ladder import Decision, Tier
from heedful.kernel.tokens import estimate_tokens
from heedful.recall.select import Selection

PACKET = PacketId("0190163d-8694-739b-aea5-966c26f8ad91")
TEXTS = st.text(st.characters(codec="utf-8"), max_size=400)
EFFECTS = st.sampled_from([Decision.NOTICE, Decision.ASK, Decision.REVIEW, Decision.DENY])


def packet_of(material: Material, budget_tokens: int = 1_200) -> Packet:
    return assemble(a_request(budget_tokens), PACKET, material)


def ids(packet: Packet) -> list[str]:
    return [item.item_id for item in packet.items]


@st.composite
def materials(draw: st.DrawFn) -> Material:
    """In mind, shadow, rules, claims and records in any number, with any text."""
    in_mind = [
        an_activation(a_claim(f"m{at}", statement=draw(TEXTS)), draw(EFFECTS), f"b{at}")
        for at in range(draw(st.integers(0, 4)))
    ]
    rules = [a_claim(f"s{at}", statement=draw(TEXTS), tier=Tier.OPERATOR) for at in range(draw(st.integers(0, 2)))]
    claims = [scored(found_claim(a_claim(f"c{at}", form=Form.FACT, statement=draw(TEXTS)))) for at in range(2)]
    records = [scored(found_record(a_record(f"r{at}", draw(TEXTS)))) for at in range(draw(st.integers(0, 5)))]
    no_bridge = tuple(NoBridge(ActionClassId(f"class.{at}"), "ask") for at in range(draw(st.integers(0, 3))))
    return a_material(
        activations=Activations(tuple(in_mind), (), no_bridge),
        rules=tuple(rules),
        selection=Selection((*claims, *records), (), ()),
        degraded=draw(st.sampled_from([(), ("full text",)])),
    )


def least_budget(material: Material) -> int:
    """The budget from which on a packet of this is never refused."""
    with pytest.raises(InvalidInputError) as caught:
        packet_of(material, 1)
    limit = caught.value.details["limit"]
    assert isinstance(limit, int)
    return limit


@given(materials(), st.integers(0, 700))
@settings(max_examples=150)
def test_the_prompt_never_exceeds_the_budget(material: Material, room_tokens: int) -> None:
    """Counted exactly as rendered; keys are dense; every item is in the packet or named as left out, once."""
    budget_tokens = least_budget(material) + room_tokens
    packet = packet_of(material, budget_tokens)
    assert packet.tokens == estimate_tokens(render_prompt(packet)) <= budget_tokens
    assert [item.cite for item in packet.items] == [str(at + 1) for at in range(len(packet.items))]
    everything = packet_of(material, 1_000_000)
    assert sorted([*ids(packet), *packet.left_out]) == sorted(ids(everything))
    assert everything.left_out == ()
    assert packet.decision == everything.decision


@given(materials(), st.integers(150, 900))
def test_assembling_twice_gives_the_same_bytes(material: Material, budget_tokens: int) -> None:
    """Same input, same bytes, in JSON and in the prompt."""
    first, second = packet_of(material, budget_tokens), packet_of(material, budget_tokens)
    assert canonical_bytes(render_json(first)) == canonical_bytes(render_json(second))
    assert render_prompt(first) == render_prompt(second)


@given(materials(), st.integers(0, 300), st.integers(0, 300))
def test_a_larger_budget_never_loses_the_first_decision_state(material: Material, room: int, more: int) -> None:
    """What bridges brought has the first claim on the budget, before rules, advice and what was found."""
    small, large = (packet_of(material, least_budget(material) + tokens) for tokens in (room, room + more))
    states = [each.claim.claim_id for each in material.activations.in_mind]
    if states and states[0] in ids(small):
        assert states[0] in ids(large)


def test_many_short_decision_states_beat_one_long_one() -> None:
    """Where the whole of all does not fit, each is shown in short before any is shown whole."""
    long = "Freeze the release. " * 30
    states = tuple(an_activation(a_claim(f"m{at}", statement=f"{at} {long}"), bridge_id=f"b{at}") for at in range(3))
    material = a_material(activations=Activations(states, (), ()))
    packet = packet_of(material, 500)
    assert ids(packet) == ["m0", "m1", "m2"]
    assert ["cut-after" in item.flags for item in packet.items] == [False, True, True]
    assert all("cut-after" not in item.flags for item in packet_of(material, 5_000).items)


def test_decision_states_go_before_everything_and_are_shortened_before_they_are_dropped() -> None:
    """With little room the long state is cut, says so, and the found records wait outside."""
    state = an_activation(
        a_claim("state", statement="Freeze. " + "Because of the audit of the year. " * 25), Decision.DENY
    )
    records = tuple(scored(found_record(a_record(f"r{at}", f"{at} " + "word " * 60))) for at in range(4))
    material = a_material(activations=Activations((state,), (), ()), selection=Selection(records, (), ()))
    packet = packet_of(material, 220)
    assert ids(packet) == ["state"]
    assert "cut-after" in packet.items[0].flags
    assert packet.left_out == ("r0", "r1", "r2", "r3")
    assert packet.advice == ("Left out for the budget: items 4.",)


def test_a_decision_state_that_cannot_fit_is_named_and_still_counts() -> None:
    """Never dropped silently: in left_out, in advice by number, in the decision."""
    states = tuple(
        an_activation(a_claim(f"m{at}", statement=f"{at} " + "long words " * 30), effect, f"b{at}")
        for at, effect in enumerate([Decision.DENY, Decision.REVIEW, Decision.NOTICE])
    )
    material = a_material(activations=Activations(states, (), ()))
    packet = packet_of(material, least_budget(material))
    assert packet.items == ()
    assert packet.decision is Decision.DENY
    assert packet.left_out == ("m0", "m1", "m2")
    assert packet.advice == ("Left out for the budget: items 3, of them decision states 3.",)
    assert "! Left out for the budget: items 3" in render_prompt(packet)


def test_a_decision_state_is_brief_before_it_is_left_out() -> None:
    """Brief: a flag, what brought it and no reason, in JSON and in the prompt; with room, the whole with its reason."""
    material = a_material(activations=Activations((an_activation(a_claim("m", statement="No deploys.")),), (), ()))
    whole = packet_of(material)
    brief = packet_of(material, whole.tokens - 1)
    assert [
        ("brief" in item.flags, [note.reason for note in item.bridges]) for item in (*whole.items, *brief.items)
    ] == [
        (False, ["a deploy during a freeze breaks it"]),
        (True, [""]),
    ]
    assert "a deploy during a freeze breaks it" in render_prompt(whole)
    assert "a deploy during a freeze breaks it" not in render_prompt(brief)
    assert "No deploys." in render_prompt(brief)
    assert [note.bridge_id for note in brief.items[0].bridges] == [note.bridge_id for note in whole.items[0].bridges]
    assert brief.items[0].bridges[0].bridge_id not in render_prompt(brief)


def test_two_claims_of_one_sentence_are_one_item_that_names_what_each_bridge_brought() -> None:
    """So that a bridge's own claim is found again; whole or brief, every bridge is there."""
    claims = [
        a_claim(each, statement="No deploys, and Ana is away.", kind=f"kind.{each}", evidence=("r1",))
        for each in ("m", "n")
    ]
    brought = tuple(an_activation(claim, bridge_id=f"bridge-{claim.claim_id}") for claim in claims)
    material = a_material(activations=Activations(brought, (), ()))
    whole = packet_of(material)
    for packet in (whole, packet_of(material, whole.tokens - 1)):
        (item,) = packet.items
        assert [(note.bridge_id, note.claim_id) for note in item.bridges] == [("bridge-m", "m"), ("bridge-n", "n")]


def test_what_retrieval_found_best_comes_before_the_seventh_decision_state() -> None:
    """It may be what was asked for, and a crowd of states does not push it out; the control is the second best."""
    states = tuple(
        an_activation(
            a_claim(f"m{at}", statement=f"Freeze {at}. " + "Because of the audit. " * 8), Decision.ASK, f"b{at}"
        )
        for at in range(24)
    )
    found = tuple(
        scored(found_record(a_record(f"r{at}", "The Friday deploy is at nine. " * (4 + 12 * at)))) for at in range(2)
    )
    material = a_material(activations=Activations(states, (), ()), selection=Selection(found, (), ()))
    packet = packet_of(material, 550)
    assert set(ids(packet)) >= {f"m{at}" for at in range(6)}
    assert "m11" in packet.left_out
    assert "r0" in ids(packet)
    assert "r1" in packet.left_out


def test_what_is_approved_is_shown_whole_before_a_crowd_is_shown_at_all() -> None:
    """Its reason stands there. The control: unreviewed, it is brief like the rest."""
    crowd = tuple(
        an_activation(
            a_claim(f"m{at}", statement=f"Freeze {at}. " + "Because of the audit. " * 4), Decision.ASK, f"b{at}"
        )
        for at in range(24)
    )
    first = an_activation(a_claim("rule", statement="No deploys."), Decision.ASK, "b")
    waiting = replace(first, claim=replace(first.claim, status=ClaimStatus.POLICY_REVIEWED))
    unreviewed = tuple(replace(one, claim=replace(one.claim, status=ClaimStatus.POLICY_REVIEWED)) for one in crowd)
    for leading, is_brief in ((first, False), (waiting, True)):
        packet = packet_of(a_material(activations=Activations((leading, *unreviewed), (), ())), 600)
        assert packet.items[0].item_id == "rule"
        assert ("brief" in packet.items[0].flags) is is_brief
        assert packet.left_out


def test_a_budget_in_which_nothing_fits_is_refused() -> None:
    """The error names the field and the least budget; that budget works."""
    with pytest.raises(InvalidInputError) as caught:
        packet_of(a_material(), 10)
    assert caught.value.code == "budget_too_small"
    assert caught.value.details["field"] == "budget_tokens"
    assert packet_of(a_material(), least_budget(a_material())).items == ()


def test_what_does_not_fit_does_not_stop_what_does() -> None:
    """A long record is passed over; the short one behind it goes in."""
    found = (
        scored(found_record(a_record("long", "word " * 110))),
        scored(found_record(a_record("short", "checkout is down"))),
    )
    packet = packet_of(a_material(selection=Selection(found, (), ())), 170)
    assert (ids(packet), packet.left_out) == (["short"], ("long",))
