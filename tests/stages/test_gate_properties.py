"""Nothing grants: what can be handed to the gate only raises a decision, or answers exactly what asked for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gate_builders import (
    FREEZE,
    LOW,
    RELEASE,
    REPORT,
    STAGING,
    activation,
    approved,
    classified,
    freeze,
    in_mind,
    matter,
    verified,
)
from hypothesis import given
from hypothesis import strategies as st

from heedful.bridges.request import Activation, Activations, Modes
from heedful.claims.claim import ClaimStatus
from heedful.evidence.packet import SufficiencyLabel
from heedful.gate.judge import counts, judge
from heedful.gate.requirements import Matter
from heedful.gate.rules import APPROVAL_ANSWERS
from heedful.kernel.ids import ActionClassId
from heedful.kernel.ladder import Decision, Impact, Mode, Tier
from heedful.observations.record import SourceGrade
from heedful.policy.decide import Permission

CLASSES = st.sampled_from([RELEASE, REPORT, STAGING, "water", "idle", "inert"])
ACTIVATIONS = st.builds(
    activation,
    st.sampled_from([Decision.NOTICE, Decision.ASK, Decision.REVIEW, Decision.DENY]),
    st.sampled_from([Mode.SHADOW, Mode.ADVISE, Mode.ENFORCE]),
    bridge_id=st.sampled_from([FREEZE, LOW]),
    claim=st.builds(
        freeze,
        st.integers(1, 3),
        status=st.sampled_from(ClaimStatus),
        tier=st.sampled_from(Tier),
    ),
)
VERIFICATIONS = st.builds(
    verified,
    st.integers(1, 1_200),
    grade=st.sampled_from(SourceGrade),
    action_class=CLASSES.map(ActionClassId),
    is_passed=st.just(True),
)
APPROVALS = st.builds(approved, st.integers(1, 120))


@st.composite
def matters(draw: Any) -> Matter:
    """A matter of any sort."""
    classes = draw(st.lists(CLASSES, max_size=3, unique=True))
    return matter(
        classified=classified(*classes, impact=draw(st.sampled_from([*Impact, None])), known=draw(st.booleans())),
        activations=in_mind(*draw(st.lists(ACTIVATIONS, max_size=3))),
        permission=Permission(draw(st.booleans()), "because"),
        modes=Modes({}, {}, draw(st.sampled_from(Mode))),
        verifications=tuple(draw(st.lists(VERIFICATIONS, max_size=3))),
        approvals=tuple(draw(st.lists(APPROVALS, max_size=2))),
        sufficiency=draw(st.sampled_from([*SufficiencyLabel, None])),
    )


def with_more(given_matter: Matter, more: Activation) -> Matter:
    """The matter with one more claim in mind."""
    both = given_matter.activations
    added = in_mind(*both.in_mind, *both.shadow, more)
    return replace(given_matter, activations=Activations(added.in_mind, added.shadow, both.no_bridge))


@given(matters(), ACTIVATIONS)
def test_another_claim_in_mind_never_lowers_the_decision(judged: Matter, more: Activation) -> None:
    """Whatever its effect, mode, status and tier; one in shadow changes nothing but `would_be`."""
    before, after = judge(judged), judge(with_more(judged, more))
    assert after.decision.at_least(before.decision)
    assert after.would_be.at_least(before.would_be)
    if more.mode is Mode.SHADOW:
        assert after.decision is before.decision


@given(matters(), VERIFICATIONS)
def test_a_verification_removes_only_the_need_of_one(judged: Matter, more: Any) -> None:
    """Every other ruling stays, word for word."""
    before, after = judge(judged), judge(replace(judged, verifications=(*judged.verifications, more)))
    about = {"verification-required", "verification-current"}
    others = [[ruling for ruling in each.rulings if ruling.rule not in about] for each in (before, after)]
    assert others[0] == others[1]


@given(matters(), APPROVALS)
def test_an_approval_removes_only_the_need_of_a_person(judged: Matter, more: Any) -> None:
    """Rules that ask for something else stay, word for word, and no denial is lifted."""
    before, after = judge(judged), judge(replace(judged, approvals=(*judged.approvals, more)))
    others = [
        [
            ruling
            for ruling in each.rulings
            if ruling.rule.partition(":")[0] not in APPROVAL_ANSWERS or ruling.decision is Decision.DENY
        ]
        for each in (before, after)
    ]
    assert others[0] == others[1]
    assert before.decision.at_least(after.decision)


@given(matters())
def test_the_decision_is_the_strictest_ruling_that_counts(judged: Matter) -> None:
    """And `would_be` the strictest of all; the same matter gives the same verdict."""
    verdict = judge(judged)
    assert verdict == judge(judged)
    counted = [ruling.decision for ruling in verdict.rulings if counts(ruling)]
    assert verdict.decision is max(counted, key=lambda each: each.rank, default=Decision.ALLOW)
    ranks = [ruling.decision.rank for ruling in verdict.rulings]
    assert ranks == sorted(ranks, reverse=True)
    assert verdict.would_be.rank == max(ranks, default=0)


@given(matters())
def test_a_denial_or_review_always_names_what_is_missing(judged: Matter) -> None:
    """Every decision above notice can be explained by what would have to be there."""
    verdict = judge(judged)
    if verdict.decision.at_least(Decision.ASK):
        assert verdict.missing
    else:
        assert not verdict.missing


@given(matters())
def test_only_a_reviewed_claim_or_an_operator_denies(judged: Matter) -> None:
    """Among rulings that rest on a claim."""
    claims = {each.claim.claim_id: [] for each in (*judged.activations.in_mind, *judged.activations.shadow)}  # type: dict[str, list[bool]]
    for each in (*judged.activations.in_mind, *judged.activations.shadow):
        claims[each.claim.claim_id].append(each.claim.is_reviewed or each.claim.tier >= Tier.OPERATOR)
    for ruling in judge(judged).rulings:
        if ruling.claim_id is not None and ruling.decision is Decision.DENY:
            assert any(claims[ruling.claim_id])
