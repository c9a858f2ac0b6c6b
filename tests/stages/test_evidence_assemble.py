"""Assembly: decision states first, each thing once, with its role and its reasons."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from packet_builders import (
    NOW_US,
    a_claim,
    a_material,
    a_record,
    a_request,
    a_scope,
    an_activation,
    found_claim,
    found_record,
    scored,
)

from heedful.bridges.request import Activations, NoBridge
from heedful.claims.claim import ClaimStatus, Form
from heedful.evidence.assemble import assemble
from heedful.evidence.grounds.told import Told
from heedful.evidence.material import Material
from heedful.evidence.packet import Packet
from heedful.evidence.render import BRIEF
from heedful.kernel.ids import ActionClassId, PacketId, RecordId
from heedful.kernel.ladder import Decision, Mode, Tier
from heedful.observations.record import BlobRef, Redaction, SourceGrade
from heedful.recall.select import Overridden, Selection

PACKET = PacketId("0190163d-8694-739b-aea5-966c26f8ad91")
TEXTS = st.text(st.characters(codec="utf-8"), max_size=400)
EFFECTS = st.sampled_from([Decision.NOTICE, Decision.ASK, Decision.REVIEW, Decision.DENY])


def packet_of(material: Material, budget_tokens: int = 1_200) -> Packet:
    return assemble(a_request(budget_tokens), PACKET, material)


def ids(packet: Packet) -> list[str]:
    return [item.item_id for item in packet.items]


def test_decision_states_stand_first_then_rules_then_what_was_found() -> None:
    """Order of the packet, whatever the scores say; roles by what each is."""
    state = a_claim("state", status=ClaimStatus.PROPOSED, approvals=())
    rules = (a_claim("operator", tier=Tier.OPERATOR), a_claim("system", tier=Tier.SYSTEM, approvals=()))
    fact = a_claim("fact", form=Form.FACT)
    found = (scored(found_record(a_record()), 0.9), scored(found_claim(fact), 0.1))
    packet = packet_of(
        a_material(
            activations=Activations((an_activation(state, Decision.ASK),), (), ()),
            rules=rules,
            selection=Selection(found, (), ()),
        )
    )
    assert ids(packet) == ["state", "system", "operator", "r1", "fact"]
    assert [item.role for item in packet.items] == ["data", "rule", "rule", "data", "fact"]
    assert [item.unreviewed for item in packet.items] == [True, False, False, False, False]
    assert [item.score for item in packet.items] == [None, None, None, 0.9, 0.1]


def test_a_constraint_binds_only_where_somebody_vouches() -> None:
    """Approved, or stated by an operator: a rule. Active by itself: a fact. Unreviewed: data, whatever its tier."""
    for changes, role in (
        ({}, "rule"),
        ({"approvals": ()}, "fact"),
        ({"approvals": (), "tier": Tier.OPERATOR}, "rule"),
        ({"tier": Tier.SYSTEM, "status": ClaimStatus.PROPOSED}, "data"),
        ({"form": Form.PREFERENCE}, "fact"),
    ):
        selection = Selection((scored(found_claim(a_claim("c", **changes))),), (), ())
        assert packet_of(a_material(selection=selection)).items[0].role == role


def test_a_claim_that_several_bridges_bring_is_there_once_with_all_of_them() -> None:
    """Also where retrieval finds it, and it stands as a rule, besides."""
    claim = a_claim(tier=Tier.OPERATOR)
    activations = Activations(
        (an_activation(claim, Decision.DENY, "b1"), an_activation(claim, Decision.ASK, "b2")), (), ()
    )
    selection = Selection((scored(found_claim(claim)),), (), ())
    packet = packet_of(a_material(activations=activations, rules=(claim,), selection=selection))
    assert ids(packet) == ["c1"]
    assert [(note.bridge_id, note.effect) for note in packet.items[0].bridges] == [("b1", "deny"), ("b2", "ask")]


def test_the_decision_is_the_strictest_in_mind_and_shadow_only_would_be() -> None:
    """A shadow bridge brings no item and changes no decision."""
    shadow = replace(an_activation(a_claim("shadow"), Decision.DENY), mode=Mode.SHADOW)
    material = a_material(activations=Activations((an_activation(a_claim(), Decision.ASK),), (shadow,), ()))
    packet = packet_of(material)
    assert (packet.decision, packet.would_be) == (Decision.ASK, Decision.DENY)
    assert ids(packet) == ["c1"]
    alone = packet_of(a_material(activations=Activations((), (shadow,), ())))
    assert (alone.decision, alone.would_be, alone.items) == (Decision.ALLOW, Decision.DENY, ())


def test_a_record_that_a_claim_rests_on_is_left_to_the_claim() -> None:
    """The claim stays and lists it; another record stays as it is."""
    claim = a_claim(evidence=(RecordId("r1"),), form=Form.FACT)
    found = (
        scored(found_record(a_record("r1"))),
        scored(found_claim(claim)),
        scored(found_record(a_record("r2", "else"))),
    )
    packet = packet_of(a_material(selection=Selection(found, (), ())))
    assert ids(packet) == ["c1", "r2"]
    assert packet.items[0].evidence == ("r1",)


def test_the_same_words_from_the_same_sort_of_source_are_there_once() -> None:
    """A repeated tool result adds nothing; the user's own words are not hidden by a tool that copies them."""
    found = (
        scored(found_record(a_record("r1", "deploy failed")), 0.9),
        scored(found_record(a_record("r2", "deploy failed")), 0.8),
        scored(found_record(a_record("r3", "deploy failed", grade=SourceGrade.USER)), 0.7),
    )
    assert ids(packet_of(a_material(selection=Selection(found, (), ())))) == ["r1", "r3"]


def test_classes_without_a_bridge_are_told_with_what_to_do() -> None:
    """The strictest answer first, one sentence for each."""
    no_bridge = (
        NoBridge(ActionClassId("data.delete"), "deny"),
        NoBridge(ActionClassId("push"), "retrieve"),
        NoBridge(ActionClassId("data.migrate"), "deny"),
    )
    packet = packet_of(a_material(activations=Activations((), (), no_bridge)))
    assert packet.advice == (
        "No bridge brought anything for data.delete, data.migrate: do not go on.",
        "No bridge brought anything for push: what follows is ordinary retrieval.",
    )


def test_a_name_that_is_a_sentence_is_told_as_quoted_text_alone() -> None:
    """What others named stands in advice, which is ours, where it is one word."""
    said = "nobody has to ask for this one"
    retired, wide, narrow = (a_claim(each, subject=said, property=said) for each in ("retired", "wide", "narrow"))
    selection = Selection((scored(found_claim(narrow)),), (Overridden(wide, narrow),), ())
    packet = packet_of(a_material(retired=(retired,), selection=selection))
    assert len(packet.advice) == 2
    assert not any(said in sentence for sentence in packet.advice)


def test_a_state_that_a_bridge_brought_and_that_answers_says_so_in_few_words_too() -> None:
    """Where the budget has room for few words alone."""
    claim = a_claim("state", statement="Payments is frozen. " * 40)
    brought = Activations((an_activation(claim, Decision.ASK),), (), ())
    (item,) = packet_of(a_material(activations=brought)).items
    answer = replace(item, supports=True, reason="the request names payments")
    material = a_material(activations=brought, told=Told((answer,)))
    (whole,) = packet_of(material).items
    assert (whole.supports, whole.reason) == (True, answer.reason)
    (short,) = packet_of(material, budget_tokens=160).items
    assert (BRIEF in short.flags, short.supports) == (True, True)


def test_advice_alone_keeps_within_the_budget() -> None:
    """Where nothing was found, what does not fit of it is passed over, and said so; the control has room for it."""
    classes = [NoBridge(ActionClassId(f"class.number{at}"), "deny" if at % 2 else "review") for at in range(40)]
    material = a_material(activations=Activations((), (), tuple(classes)))
    packet = packet_of(material, budget_tokens=120)
    assert packet.tokens <= 120
    assert packet.advice == ("Left out for the budget: sentences of advice 2.",)
    assert len(packet_of(material).advice) == 2


def test_a_wider_claim_that_gives_way_is_noted() -> None:
    """Not among the items, but told; a decision state that asks stays, with a mark, since it can only narrow."""
    wide = a_claim("wide", scope=a_scope("user:ana"))
    narrow = a_claim("narrow", scope=a_scope("user:ana", "project:P"))
    selection = Selection((scored(found_claim(narrow)),), (Overridden(wide, narrow),), ())
    noticed = a_material(
        activations=Activations((an_activation(wide, Decision.NOTICE),), (), ()), rules=(wide,), selection=selection
    )
    packet = packet_of(noticed)
    assert ids(packet) == ["narrow"]
    assert "overrides-wider-scope" in packet.items[0].flags
    assert packet.advice == (
        "release.freeze of project:payments: what holds for project:P, user:ana stands here before what holds for user:ana.",
    )
    asked = packet_of(replace(noticed, activations=Activations((an_activation(wide, Decision.ASK),), (), ())))
    assert ids(asked) == ["wide", "narrow"]
    assert "narrower-scope-holds-otherwise" in asked.items[0].flags


def test_records_without_text_say_so_and_blobs_are_excerpted() -> None:
    """Bytes that are no text, a blob that was not read, a blob that was, a secret that was cut."""
    blob = BlobRef("name", 3_000_000)
    found = (
        scored(found_record(a_record("binary", None, content_base64=b"\xff\x00"))),
        scored(found_record(a_record("unread", None, blob=blob))),
        scored(found_record(a_record("read", None, blob=blob))),
        scored(
            found_record(
                a_record(
                    "cut", "token was [aws-key]", redactions=(Redaction(10, 19, "aws-key"),), flags=("addresses-agent",)
                )
            )
        ),
    )
    texts = {RecordId("read"): "Quiet. " * 200 + "Then deploy failed."}
    packet = packet_of(a_material(selection=Selection(found, (), ()), texts=texts))
    assert [item.flags for item in packet.items] == [
        ("no-text",),
        ("no-text",),
        ("cut-before",),
        ("addresses-agent", "redacted"),
    ]
    assert "Then deploy failed." in packet.items[2].text


def test_the_source_of_a_claim_is_its_first_evidence_at_hand() -> None:
    """Who said it, where; without evidence at hand, who proposed it."""
    said = a_record("e1", grade=SourceGrade.USER, speaker="ana", sequence=None)
    claim = a_claim(evidence=(RecordId("e0"), RecordId("e1")))
    selection = Selection((scored(found_claim(claim)),), (), ())
    with_evidence = packet_of(a_material(selection=selection, grounds={said.record_id: said}))
    assert with_evidence.items[0].source == "user ana, tool_result, run run-1, and 1 more"
    assert packet_of(a_material(selection=selection)).items[0].source == "proposed by person:ana"


def test_a_packet_depends_on_nothing_but_what_it_is_given() -> None:
    """Position, revision and time are the caller's visible ones; a lone surrogate in the question is escaped."""
    packet = assemble(a_request(text="ship\ud800?"), PACKET, a_material())
    assert (packet.ledger_position, packet.packet_id, packet.question) == (17, PACKET, "ship\\ud800?")
    assert packet.as_of == "2024-10-04T00:00:00Z"
    assert NOW_US == 20_000 * 86_400_000_000


def test_what_a_person_approved_of_a_sentence_is_not_marked_by_what_nobody_did() -> None:
    """One sentence told two kinds; the unreviewed one came first. The control: nobody has approved either."""
    waiting = a_claim("waiting", status=ClaimStatus.PROPOSED, approvals=())
    for approved, expected in (
        (a_claim("approved"), ("rule", False, "approved")),
        (waiting, ("data", True, "waiting")),
    ):
        same = replace(approved, statement=waiting.statement, evidence=waiting.evidence)
        brought = (an_activation(waiting, Decision.REVIEW), an_activation(same, Decision.ASK))
        (item,) = packet_of(a_material(activations=Activations(brought, (), ()))).items
        assert (item.role, item.unreviewed, item.item_id) == expected
        assert [note.claim_id for note in item.bridges] == [expected[2], "waiting"]
