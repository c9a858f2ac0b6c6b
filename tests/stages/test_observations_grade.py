"""Who speaks: the door bounds what may be claimed."""

from __future__ import annotations

import itertools

import pytest

from heedful.kernel.ids import PrincipalId
from heedful.kernel.ladder import Tier
from heedful.observations.grade import DATA_GRADES, Graded, grade_source, tier_for
from heedful.observations.record import Channel, SourceGrade


def grade(
    declared: SourceGrade,
    channel: Channel,
    *,
    principal: str = "person:ana",
    speaker: str | None = None,
    may_state_rules: bool = False,
    matches_captured: bool = False,
) -> Graded:
    """What the gate makes of it."""
    return grade_source(
        declared,
        channel,
        PrincipalId(principal),
        speaker=speaker,
        may_state_rules=may_state_rules,
        matches_captured=matches_captured,
    )


@pytest.mark.parametrize("declared", SourceGrade)
@pytest.mark.parametrize("may_state_rules", [True, False])
def test_an_agent_speaks_for_itself_whatever_it_declares(declared: SourceGrade, may_state_rules: bool) -> None:
    """Rights to state rules do not help either; only a captured message makes words the user's."""
    assert grade(declared, Channel.AGENT, may_state_rules=may_state_rules).grade is SourceGrade.AGENT
    matched = grade(declared, Channel.AGENT, may_state_rules=may_state_rules, matches_captured=True).grade
    assert matched is (SourceGrade.USER if declared is SourceGrade.USER else SourceGrade.AGENT)


def test_an_agent_that_claims_a_users_words_is_flagged() -> None:
    """And one that reports its own is not."""
    assert grade(SourceGrade.USER, Channel.AGENT).flags == ("agent-says-user-said",)
    assert grade(SourceGrade.OPERATOR, Channel.AGENT).flags == ("agent-says-user-said",)
    assert grade(SourceGrade.AGENT, Channel.AGENT).flags == ()
    assert grade(SourceGrade.USER, Channel.AGENT, matches_captured=True).flags == ()


@pytest.mark.parametrize("declared", [SourceGrade.OPERATOR, SourceGrade.SYSTEM])
def test_a_capture_is_never_a_rule(declared: SourceGrade) -> None:
    """A transcript that says it is the system's is a document."""
    answer = grade(declared, Channel.CAPTURE, may_state_rules=True, principal="system:import")
    assert answer.grade is SourceGrade.DOCUMENT
    assert answer.reasons == ("source-may-not-state-rules",)


@pytest.mark.parametrize("declared", [SourceGrade.USER, SourceGrade.AGENT, *sorted(DATA_GRADES)])
def test_a_capture_keeps_the_other_grades(declared: SourceGrade) -> None:
    """What a hook saw is taken as it was."""
    assert grade(declared, Channel.CAPTURE) == Graded(declared, (), ())


def test_a_person_states_rules_only_where_policy_lets_them() -> None:
    """Without the right an operator's word is a user's; system is for system principals."""
    assert grade(SourceGrade.OPERATOR, Channel.PERSON, may_state_rules=True).grade is SourceGrade.OPERATOR
    assert grade(SourceGrade.OPERATOR, Channel.PERSON).grade is SourceGrade.USER
    assert grade(SourceGrade.SYSTEM, Channel.PERSON, may_state_rules=True).grade is SourceGrade.OPERATOR
    assert grade(SourceGrade.SYSTEM, Channel.PERSON).grade is SourceGrade.USER
    system = "system:configuration"
    assert grade(SourceGrade.SYSTEM, Channel.PERSON, principal=system, may_state_rules=True).grade is SourceGrade.SYSTEM
    assert grade(SourceGrade.SYSTEM, Channel.PERSON, principal=system).grade is SourceGrade.USER


def test_speaking_for_another_is_flagged() -> None:
    """A user speaks for themself: the principal's own name, with or without its prefix, is no other."""
    assert grade(SourceGrade.USER, Channel.PERSON, speaker="ben").flags == ("speaks-for-another",)
    assert grade(SourceGrade.USER, Channel.PERSON, speaker="ana").flags == ()
    assert grade(SourceGrade.USER, Channel.PERSON, speaker="person:ana").flags == ()
    assert grade(SourceGrade.DOCUMENT, Channel.PERSON, speaker="ben").flags == ()


def test_nothing_raises_itself() -> None:
    """Over every door and right: the tier that holds is never above the one declared."""
    for declared, channel, rules, matches in itertools.product(SourceGrade, Channel, (True, False), (True, False)):
        for principal in ("person:ana", "agent:coder", "system:x"):
            answer = grade(declared, channel, principal=principal, may_state_rules=rules, matches_captured=matches)
            assert tier_for(answer.grade) <= tier_for(declared)
            assert tier_for(answer.grade) < Tier.OPERATOR or (rules and channel is Channel.PERSON)
            assert (answer.grade is declared) or answer.reasons


def test_tiers_follow_from_the_grade() -> None:
    """SYSTEM 4, OPERATOR 3, all others UNVERIFIED."""
    assert tier_for(SourceGrade.SYSTEM) is Tier.SYSTEM
    assert tier_for(SourceGrade.OPERATOR) is Tier.OPERATOR
    others = [grade for grade in SourceGrade if grade not in (SourceGrade.SYSTEM, SourceGrade.OPERATOR)]
    assert {tier_for(grade) for grade in others} == {Tier.UNVERIFIED}
