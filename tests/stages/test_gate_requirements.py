"""Verifications and approvals: which count, for what, and which never do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from gate_builders import (
    ACTION,
    REGISTRY,
    RELEASE,
    REPORT,
    SECOND_US,
    activation,
    approved,
    classified,
    in_mind,
    matter,
    missing,
    rules,
    verified,
)

from heedful.bridges.request import Modes
from heedful.gate.judge import judge
from heedful.kernel.ids import ActionClassId, PrincipalId
from heedful.kernel.ladder import Decision, Impact, Mode
from heedful.kernel.scope import parse_scope
from heedful.observations.record import Channel, SourceGrade
from heedful.testing.builders import NOON_US

ALLOW, NOTICE, ASK, REVIEW, DENY = Decision


def test_a_class_that_needs_a_current_verification_is_reviewed_without_one() -> None:
    """Named for `release`, so for `release.production`; not for a proposal, not for another class."""
    verdict = judge(matter(RELEASE))
    assert rules(verdict) == [("verification-required", "review")]
    assert missing(verdict) == ["verification"]
    assert judge(matter(classified=classified(RELEASE, impact=Impact.PROPOSE))).decision is ALLOW
    assert judge(matter("water")).decision is ALLOW


def test_a_stale_verification_is_named_and_not_enough() -> None:
    """At its greatest age it counts, a microsecond later it does not."""
    assert judge(matter(RELEASE, verifications=(verified(600),))).decision is ALLOW
    old = verified(600, occurred_at_us=NOON_US - 600 * SECOND_US - 1)
    verdict = judge(matter(RELEASE, verifications=(old,)))
    assert verdict.decision is REVIEW
    assert old.record_id in verdict.missing[0].detail
    assert verdict.rulings[0].evidence == (old.record_id,)


@pytest.mark.parametrize(
    "changes",
    [
        {"is_passed": False},
        {"occurred_at_us": NOON_US + 1},
        {"grade": SourceGrade.AGENT},
        {"grade": SourceGrade.USER, "channel": Channel.AGENT},
        {"grade": SourceGrade.DOCUMENT},
        {"grade": SourceGrade.SUMMARY},
        {"assurance": "reported"},
        {"assurance": "inferred"},
        {"assurance": "hypothesis"},
        {"assurance": ""},
        {"action_class": ActionClassId("water")},
        {"action_class": ActionClassId("release.production.eu")},
        {"scope": parse_scope(["project:other"])},
        {"scope": parse_scope([])},
    ],
)
def test_a_verification_that_does_not_bear_on_the_action_counts_for_nothing(changes: dict[str, Any]) -> None:
    """Failed, from the future, an agent's own word, of another class or scope."""
    assert judge(matter(RELEASE, verifications=(verified(**changes),))).decision is REVIEW


@pytest.mark.parametrize("grade", [SourceGrade.TOOL, SourceGrade.SYSTEM, SourceGrade.OPERATOR, SourceGrade.USER])
def test_a_verification_by_a_tool_or_a_person_counts(grade: SourceGrade) -> None:
    """The permit beside; a verification for `release` covers its descendants, and one for the project holds here."""
    wide = verified(grade=grade, action_class=ActionClassId("release"), scope=parse_scope(["project:garden"]))
    assert judge(matter(RELEASE, verifications=(wide,))).decision is ALLOW


def test_a_newer_failure_undoes_an_older_success() -> None:
    """In either order; and a newer success an older failure."""
    good, bad = verified(60), verified(30, is_passed=False)
    assert judge(matter(RELEASE, verifications=(good, bad))).decision is REVIEW
    assert judge(matter(RELEASE, verifications=(bad, good))).decision is REVIEW
    assert judge(matter(RELEASE, verifications=(verified(20), bad))).decision is ALLOW


def test_a_failure_undoes_a_success_however_it_is_known() -> None:
    """A report that it failed is enough; a report that it passed neither proves it nor undoes a failure."""
    good, bad = verified(60), verified(30, is_passed=False, assurance="reported")
    assert judge(matter(RELEASE, verifications=(good, bad))).decision is REVIEW
    assert judge(matter(RELEASE, verifications=(good,))).decision is ALLOW
    hoped = verified(10, assurance="reported")
    assert judge(matter(RELEASE, verifications=(good, bad, hoped))).decision is REVIEW
    assert judge(matter(RELEASE, verifications=(good, hoped))).decision is ALLOW


def test_in_advise_every_execute_needs_verification_and_approval() -> None:
    """Both are missing; with both it goes ahead; a proposal needs neither."""
    looked = verified(action_class=ActionClassId(REPORT))
    verdict = judge(matter(REPORT))
    assert rules(verdict) == [("advise-needs-approval", "review"), ("verification-required", "review")]
    assert missing(verdict) == ["approval", "verification"]
    assert judge(matter(REPORT, approvals=(approved(),))).decision is REVIEW
    assert judge(matter(REPORT, verifications=(looked,))).decision is REVIEW
    assert judge(matter(REPORT, verifications=(looked,), approvals=(approved(),))).execution == "execute"
    assert judge(matter(classified=classified(REPORT, impact=Impact.PROPOSE))).decision is ALLOW


def test_a_mode_that_was_set_holds_before_the_shipped_one() -> None:
    """On the class or on one above it."""
    enforced = Modes({}, {ActionClassId(REPORT): Mode.ENFORCE}, Mode.ENFORCE)
    assert judge(matter(REPORT, modes=enforced)).decision is ALLOW
    above = Modes({}, {ActionClassId("release"): Mode.SHADOW}, Mode.ENFORCE)
    verdict = judge(matter(RELEASE, modes=above))
    assert (verdict.decision, verdict.would_be) == (ALLOW, REVIEW)


def test_an_approval_answers_a_person_and_never_a_denial() -> None:
    """An ask or review becomes a notice that names who approved; a denial and a missing verification stay."""
    for effect in (ASK, REVIEW):
        verdict = judge(matter("water", activations=in_mind(activation(effect)), approvals=(approved(),)))
        assert verdict.decision is NOTICE
        assert "person:rae" in verdict.rulings[0].reason
        assert verdict.missing == ()
    assert judge(matter("water", activations=in_mind(activation()), approvals=(approved(),))).decision is DENY
    assert judge(matter(RELEASE, approvals=(approved(),))).decision is REVIEW


@pytest.mark.parametrize(
    "changes",
    [
        {"action_digest": "0" * 64},
        {"approved_by": PrincipalId("person:bo")},
        {"approved_by": PrincipalId("agent:other")},
        {"approved_by": PrincipalId("person:nobody")},
        {"approved_by": ACTION.principal},
        {"expires_at_us": NOON_US},
        {"granted_at_us": NOON_US + 1},
        {"granted_at_us": NOON_US - 61 * SECOND_US},
    ],
)
def test_an_approval_that_does_not_count_answers_nothing(changes: dict[str, Any]) -> None:
    """Of another action, by somebody who may not approve, expired, from the future, or older than the claim."""
    judged = judge(matter("water", activations=in_mind(activation(REVIEW)), approvals=(approved(**changes),)))
    assert judged.decision is REVIEW


def test_nobody_approves_their_own_action_unless_policy_is_for_one_person() -> None:
    """An owner who acts needs somebody else; in the solo profile not."""
    owner = PrincipalId("person:ana")
    action = replace(ACTION, principal=owner)
    own = approved(approved_by=owner, action_digest=action.digest)
    asked = matter("water", action=action, activations=in_mind(activation(ASK)), approvals=(own,))
    assert judge(asked).decision is ASK
    solo = replace(REGISTRY, policy=replace(REGISTRY.policy, solo=True))
    assert judge(replace(asked, registry=solo)).decision is NOTICE


def test_an_agents_verification_takes_no_persons_place() -> None:
    """Not a failed one of a passed one, nor the other way round, although its words bear a person's grade."""
    agents = {"grade": SourceGrade.USER, "channel": Channel.AGENT}
    for is_passed in (True, False):
        forged = verified(10, is_passed=not is_passed, **agents)
        real = verified(60, is_passed=is_passed, channel=Channel.PERSON, grade=SourceGrade.USER)
        allowed = judge(matter(RELEASE, verifications=(forged, real))).decision is ALLOW
        assert allowed is is_passed


def test_proof_that_was_not_all_looked_at_is_reviewed_and_answered_by_a_person() -> None:
    """A verification that failed may be among the rest; a proposal needs none of it."""
    cut = matter(RELEASE, verifications=(verified(),), is_proof_cut=True)
    assert rules(judge(cut))[0] == ("proof-cut", "review")
    assert missing(judge(cut)) == ["approval"]
    assert judge(replace(cut, approvals=(approved(),))).decision is NOTICE
    proposal = classified(RELEASE, impact=Impact.PROPOSE)
    assert judge(replace(cut, classified=proposal)).decision is ALLOW
