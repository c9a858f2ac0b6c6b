"""Told: what a state or a workflow may stand for beside events, and what it may not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from heedful.evidence.grounds.choose import Grounds
from heedful.evidence.grounds.enough import enough
from heedful.evidence.grounds.told import Told, carries, standing_of
from heedful.evidence.packet import PacketItem, SufficiencyLabel
from heedful.kernel.ladder import Classification, Decision, Impact

NOTHING = Grounds((), 0.0)


@pytest.mark.parametrize(
    ("told", "impact", "decision", "label", "reason"),
    [
        (Told(), Impact.READ, Decision.ASK, SufficiencyLabel.INSUFFICIENT, "no-grounds"),
        (Told(too_old=True), Impact.READ, Decision.ASK, SufficiencyLabel.STALE, "state-too-old"),
        (Told(too_old=True), Impact.EXECUTE, Decision.REVIEW, SufficiencyLabel.STALE, "state-too-old"),
        (Told(), Impact.EXECUTE, Decision.DENY, SufficiencyLabel.INSUFFICIENT, "no-grounds"),
        (Told(no_effect=True), Impact.EXECUTE, Decision.DENY, SufficiencyLabel.INSUFFICIENT, "state-not-in-effect"),
    ],
)
def test_states_that_hold_no_more_make_no_answer_sufficient(
    told: Told, impact: Impact, decision: Decision, label: SufficiencyLabel, reason: str
) -> None:
    """What is too old is told as stale, and what has no effect as that; neither lowers what is asked for."""
    judged = enough("state", impact, NOTHING, told)
    assert (judged.decision, judged.sufficiency.label) == (decision, label)
    assert reason in judged.sufficiency.reasons


def test_a_state_that_carries_the_answer_stands_in_for_events() -> None:
    """Whoever asks is answered; whoever would act still goes to a person."""
    answers = Told(items=(answering(),))
    assert enough("state", Impact.READ, NOTHING, answers).decision is Decision.ALLOW
    assert enough("state", Impact.EXECUTE, NOTHING, answers).decision is Decision.REVIEW
    context = Told(items=(replace(answering(), supports=False),))
    assert enough("state", Impact.READ, NOTHING, context).decision is Decision.ASK


def answering() -> PacketItem:
    """A workflow as an item that carries the answer."""
    return PacketItem(
        cite="1", item="workflow", item_id="web.staging", role="fact", kind="workflow", text="Ship it.", source="registry",
        evidence=(), scope=(), classification=Classification.NORMAL, tier=None, confidence=1.0, valid_from=None,
        valid_to=None, occurred_at=None, unreviewed=False, flags=(), bridges=(), score=None, supports=True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("question", "carried"),
    [
        ("Is web ready?", True),
        ("How does web stand?", True),
        ("web现在正常吗？", True),
        ("How many replicas does web have?", False),
        ("Who owns web?", False),
        ("web有多少个副本？", False),
        ("Which release does web run?", True),
    ],
)
def test_a_state_carries_what_it_tells_and_no_other_number_or_name(question: str, carried: bool) -> None:
    """One that asks for a value is answered by the property that it names alone."""
    assert carries(question, "release", "1.4") is carried


@pytest.mark.parametrize(
    ("value", "standing"),
    [
        ("ready", "holds"),
        ("in-effect", "holds"),
        ("enabled-not-in-effect", "not-in-effect"),
        ("rolled-back", "not-in-effect"),
        ("not-ready", "not-in-effect"),
        ("crash-looping", "not-in-effect"),
        (True, "holds"),
    ],
)
def test_what_failed_or_was_taken_back_is_not_in_effect(value: str | bool, standing: str) -> None:
    """By its own word, or as its projector says; what nobody knows any more is too old, whatever it was."""
    assert standing_of(value, ("crash-looping",), known=True, seen=True) == standing
    assert standing_of(value, (), known=False, seen=True) == "too-old"
    assert standing_of(value, (), known=False, seen=False) == "not-yet"
