"""Sufficiency is a table: what each sort of question needs, and what an execution needs on top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from packet_builders import NOW_US, a_claim, a_record, a_scope

from heedful.claims.claim import Claim, ClaimStatus, Form
from heedful.claims.projections.causality import Edge, Link, Sort
from heedful.evidence.packet import SufficiencyLabel
from heedful.evidence.sufficiency import Found, Sufficiency, judge_sufficiency
from heedful.kernel.ids import PrincipalId, RecordId, RunId
from heedful.kernel.ladder import Impact, Tier
from heedful.observations.record import Record
from heedful.recall.request import TaskClass

EVIDENCE = {RecordId(name): a_record(name, f"failed in {name}", run_id=RunId(name)) for name in ("e1", "e2")}
ONE, BOTH = (RecordId("e1"),), (RecordId("e1"), RecordId("e2"))
BO = (PrincipalId("person:bo"),)


def judged(
    task_class: TaskClass,
    *retrieved: Claim,
    impact: Impact = Impact.READ,
    in_mind: Sequence[Claim] = (),
    records: Sequence[Record] = (),
    coverage: float = 1.0,
    ended: Mapping[ClaimStatus, int] | None = None,
    degraded: Sequence[str] = (),
    subjects: Sequence[str] = (),
    edges: Sequence[Edge] = (),
) -> Sufficiency:
    found = Found(in_mind, retrieved, records, EVIDENCE, coverage, ended or {}, degraded, edges)
    return judge_sufficiency(task_class, impact, found, subjects=subjects, as_of_us=NOW_US)


STATE = a_claim(form=Form.STATE, evidence=ONE, approvals=())
WORKFLOW = a_claim(form=Form.WORKFLOW, evidence=ONE, approvals=BO)
GOTCHA = a_claim(form=Form.GOTCHA, evidence=BOTH, approvals=())
PREMISE = a_claim(form=Form.PREMISE, evidence=ONE, valid_from_us=1, scope=a_scope("environment:staging"))


@pytest.mark.parametrize(
    ("task_class", "enough", "too_little", "reason"),
    [
        ("state", STATE, a_claim(form=Form.STATE, evidence=(RecordId("gone"),)), "evidence-not-at-hand"),
        ("state", STATE, a_claim(form=Form.PLAN, evidence=ONE), "no-state-claim"),
        ("state", STATE, a_claim(form=Form.STATE, evidence=ONE, valid_to_us=NOW_US), "no-state-claim"),
        ("workflow", WORKFLOW, a_claim(form=Form.WORKFLOW, approvals=()), "workflow-not-approved"),
        ("workflow", WORKFLOW, a_claim(form=Form.FACT), "no-workflow-claim"),
        ("gotcha", GOTCHA, a_claim(form=Form.GOTCHA, evidence=ONE, approvals=()), "one-source-only"),
        ("gotcha", a_claim(form=Form.GOTCHA, evidence=ONE), STATE, "no-gotcha-claim"),
        ("premise", PREMISE, a_claim(form=Form.PREMISE), "premise-without-scope-or-time"),
        ("general", STATE, a_claim(valid_to_us=NOW_US), "only-weak-matches"),
    ],
)
def test_each_class_has_its_least_proof(task_class: TaskClass, enough: Claim, too_little: Claim, reason: str) -> None:
    """The table of seed 003: with the proof it is sufficient, without it insufficient, and the gap is named."""
    assert judged(task_class, enough, coverage=0.5).label is SufficiencyLabel.SUFFICIENT
    lacking = judged(task_class, too_little, coverage=0.5 if task_class != "general" else 0.1)
    assert lacking == Sufficiency(SufficiencyLabel.INSUFFICIENT, (reason,))


def test_nothing_found_is_insufficient_and_says_so() -> None:
    """For every class; nothing is made up."""
    for task_class in ("state", "causal", "workflow", "gotcha", "premise", "general"):
        empty = judged(task_class)
        assert empty == Sufficiency(SufficiencyLabel.INSUFFICIENT, ("nothing-visible-matches",))


def an_edge(sort: Sort = Sort.EXPLICIT, link: Link = "names") -> Edge:
    return Edge(RecordId("r1"), RecordId("r2"), sort, link, "both name commit 1f9ebeb")


def test_a_cause_is_proved_by_an_explicit_relation() -> None:
    """Two things side by side are no cause and effect; a hypothesis is none either, nor an answer to a call."""
    both = [a_record("r1"), a_record("r2")]
    assert judged("causal", STATE, records=both).reasons == ("causal-relation-not-recorded",)
    guess = judged("causal", records=both, edges=[an_edge(Sort.HYPOTHESIS, "adjacent")])
    assert guess == Sufficiency(SufficiencyLabel.INSUFFICIENT, ("only-hypotheses",))
    assert judged("causal", records=both, edges=[an_edge(link="tool-call")]).label is SufficiencyLabel.INSUFFICIENT
    assert judged("causal", records=both, edges=[an_edge()]).reasons == ("causal-relation-found",)


def test_an_execution_rests_on_no_causal_relation_alone() -> None:
    """It takes what a person approved besides."""
    both = [a_record("r1"), a_record("r2")]
    alone = judged("causal", records=both, edges=[an_edge()], impact=Impact.EXECUTE)
    assert alone == Sufficiency(SufficiencyLabel.HUMAN_REVIEW_REQUIRED, ("execute-needs-an-approved-claim",))
    approved = judged("causal", WORKFLOW, records=both, edges=[an_edge()], impact=Impact.EXECUTE)
    assert approved.label is SufficiencyLabel.SUFFICIENT


def test_a_state_of_another_subject_does_not_answer() -> None:
    """The same subject, or no subject asked for."""
    assert judged("state", STATE, subjects=("project:payments",)).label is SufficiencyLabel.SUFFICIENT
    assert judged("state", STATE, subjects=("project:other",)).reasons == ("no-state-claim",)


def test_unreviewed_claims_alone_prove_nothing_of_a_state() -> None:
    """They may be shown; they do not make an answer sufficient."""
    draft = a_claim(form=Form.STATE, status=ClaimStatus.PROPOSED)
    assert judged("state", draft) == Sufficiency(SufficiencyLabel.INSUFFICIENT, ("only-unreviewed-claims",))


def test_records_that_answer_enough_of_a_general_question_suffice() -> None:
    """By how much of the question they have, not by their number."""
    assert judged("general", records=[a_record()], coverage=0.5).reasons == ("matching-evidence-found",)
    weak = judged("general", records=[a_record()] * 9, coverage=0.1)
    assert weak == Sufficiency(SufficiencyLabel.INSUFFICIENT, ("only-weak-matches",))


def test_a_decision_state_in_mind_answers_without_sharing_a_word() -> None:
    """A reviewed one does; an unreviewed one does not, and is told."""
    assert judged("general", in_mind=[STATE], coverage=0.0).reasons == ("general-claim-found",)
    draft = a_claim(status=ClaimStatus.PROPOSED)
    assert judged("general", in_mind=[draft], coverage=0.0).label is SufficiencyLabel.INSUFFICIENT
    assert judged("general", in_mind=[STATE, draft]).reasons == ("general-claim-found", "some-unreviewed")


@pytest.mark.parametrize(
    ("ended", "label"),
    [
        ({ClaimStatus.EXPIRED: 1}, SufficiencyLabel.STALE),
        ({ClaimStatus.SUPERSEDED: 2}, SufficiencyLabel.STALE),
        ({ClaimStatus.REVOKED: 1, ClaimStatus.EXPIRED: 3}, SufficiencyLabel.REVOKED),
        ({ClaimStatus.QUARANTINED: 1}, SufficiencyLabel.REVOKED),
    ],
)
def test_where_only_ended_claims_match_the_label_is_theirs(
    ended: Mapping[ClaimStatus, int], label: SufficiencyLabel
) -> None:
    """Also for an execution, and also where the record that the claim rested on still matches."""
    for impact in Impact:
        assert judged("general", impact=impact, ended=ended).label is label
        assert judged("general", impact=impact, ended=ended, records=[a_record()]).label is label
    assert judged("general", STATE, ended=ended).label is SufficiencyLabel.SUFFICIENT
    assert judged("general", ended={ClaimStatus.EXPIRED: 0}).label is SufficiencyLabel.INSUFFICIENT


def test_an_execution_on_too_little_goes_to_a_person() -> None:
    """Not insufficient, not expanded; records and unvouched claims do not carry an execution."""
    execute = Impact.EXECUTE
    for found in (
        judged("general", impact=execute),
        judged("general", impact=execute, records=[a_record()]),
        judged("general", STATE, impact=execute),
        judged("state", STATE, impact=execute),
        judged("causal", STATE, impact=execute),
    ):
        assert found.label is SufficiencyLabel.HUMAN_REVIEW_REQUIRED
    assert judged("general", impact=execute, records=[a_record()]).reasons == ("no-claim-found",)
    assert judged("state", STATE, impact=execute).reasons == ("execute-needs-an-approved-claim",)


def test_an_execution_on_a_vouched_claim_is_sufficient() -> None:
    """A person's approval or an operator's word carries it."""
    for changes in ({"approvals": BO}, {"approvals": (), "tier": Tier.OPERATOR}):
        claim = a_claim(form=Form.STATE, evidence=ONE, **changes)
        assert judged("state", claim, impact=Impact.EXECUTE).label is SufficiencyLabel.SUFFICIENT
        assert judged("general", claim, impact=Impact.EXECUTE).label is SufficiencyLabel.SUFFICIENT


def test_a_part_of_retrieval_that_failed_is_told_either_way() -> None:
    """A failure never looks like nothing known."""
    failed = judged("general", degraded=["full text"])
    assert failed == Sufficiency(SufficiencyLabel.INSUFFICIENT, ("retrieval-degraded", "nothing-visible-matches"))
    assert judged("general", STATE, degraded=["full text"]).reasons == ("general-claim-found", "retrieval-degraded")
