"""Sufficiency: whether what was found is enough for what was asked; a table, never a reader's confidence (seed 003)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from heedful.claims.claim import Claim, ClaimStatus, Form
from heedful.claims.projections.causality import Edge
from heedful.claims.projections.experience import INDEPENDENT_MIN, is_tested, observations
from heedful.evidence.packet import SufficiencyLabel
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.ladder import Impact, Tier
from heedful.observations.record import Record
from heedful.recall.request import TaskClass
from heedful.recall.select import forms_asked

# A general question is met by retrieval alone only from this share of what it asks: below, words merely coincide.
# Our own figure, to be measured by the evaluation.
COVERAGE_MIN = 0.2
OPEN_CONFLICT = "open-conflict"
"""The reason where what answers is contradicted by an equal, and nobody has said yet which is so."""

_STALE = frozenset({ClaimStatus.EXPIRED, ClaimStatus.SUPERSEDED, ClaimStatus.ARCHIVED})
_REVOKED = frozenset({ClaimStatus.REVOKED, ClaimStatus.QUARANTINED})


@dataclass(frozen=True, slots=True)
class Found:
    """What the requester can see that answers the request. Standing rules that match nothing are no answer.

    Attributes:
        in_mind: claims that bridges brought.
        retrieved: claims that were looked for and found; active or unreviewed.
        records: retrieved ones.
        grounds: the records at hand that the claims rest on.
        coverage: the best of the retrieved hits, 0 to 1.
        ended: how many visible matching claims have each status that ends a claim.
        degraded: parts of retrieval that failed.
        edges: between the records at hand, hypotheses among them.
        established: gotchas and premises that two independent observations tell.
        contested: claims that answer it, and that a peer contradicts: nobody has said yet which is so.
    """

    in_mind: Sequence[Claim]
    retrieved: Sequence[Claim]
    records: Sequence[Record]
    grounds: Mapping[RecordId, Record]
    coverage: float
    ended: Mapping[ClaimStatus, int]
    degraded: Sequence[str]
    edges: Sequence[Edge] = ()
    established: Collection[ClaimId] = ()
    contested: Collection[ClaimId] = ()


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """The label and what speaks for it: stable words such as `nothing-visible-matches`, never none."""

    label: SufficiencyLabel
    reasons: tuple[str, ...]


def judge_sufficiency(
    task_class: TaskClass, impact: Impact, found: Found, *, subjects: Sequence[str], as_of_us: int
) -> Sufficiency:
    """The label for what was found, by the table of seed 003; no expansion is done here.

    state: a reviewed, valid claim of the subject with its evidence at hand. causal: two records and an explicit
    relation between them; a hypothesis is none. workflow: a reviewed one that a person approved. gotcha: two
    independent observations, even if nobody has reviewed it, or a person's approval. premise: a reviewed one, as well
    founded, with a scope and since when. general: a reviewed claim in mind, or hits that answer enough of the
    question. `subjects` empty: any subject.
    What a peer contradicts answers nothing until somebody has said which of the two is so (seed 002).
    Where claims that ended match and no reviewed one does, the label is theirs, whatever records say: a record does
    not end with what was made of it. An `execute` needs a claim that a person approved or an operator stated, else it
    goes to a person; ended claims keep their own label there too, on which policy denies.
    """
    answering = [] if task_class == "causal" else _answering(task_class, found, subjects, as_of_us)
    standing = found.established if task_class == "gotcha" else ()
    reviewed = [claim for claim in answering if claim.is_reviewed or claim.claim_id in standing]
    missing = _missing(task_class, impact, found, answering, reviewed)
    if not reviewed:
        for label, statuses in ((SufficiencyLabel.REVOKED, _REVOKED), (SufficiencyLabel.STALE, _STALE)):
            if any(found.ended.get(status, 0) for status in statuses):
                return Sufficiency(label, (f"only-{label}-claims-match", *missing))
    if not missing:
        return Sufficiency(SufficiencyLabel.SUFFICIENT, _met(task_class, found, reviewed))
    reasons = ("retrieval-degraded", *missing) if found.degraded else missing
    if impact is Impact.EXECUTE:
        return Sufficiency(SufficiencyLabel.HUMAN_REVIEW_REQUIRED, reasons)
    return Sufficiency(SufficiencyLabel.INSUFFICIENT, reasons)


def _missing(
    task_class: TaskClass, impact: Impact, found: Found, answering: Sequence[Claim], reviewed: Sequence[Claim]
) -> tuple[str, ...]:
    """What the table still demands, in words; empty where it is met."""
    if not (found.in_mind or found.retrieved or found.records):
        return ("nothing-visible-matches",)
    if any(claim.claim_id in found.contested for claim in answering):
        return (OPEN_CONFLICT,)
    if task_class == "causal":
        return _missing_of_cause(impact, found)
    if task_class == "general" and not any(claim in reviewed for claim in found.in_mind):
        if found.coverage < COVERAGE_MIN:
            return ("only-weak-matches",)
        if impact is not Impact.EXECUTE:
            return ()
    if not answering:
        return ("no-claim-found",) if task_class == "general" else (f"no-{task_class}-claim",)
    if not reviewed:
        return ("only-unreviewed-claims",)
    if impact is Impact.EXECUTE and not any(_vouched(claim) for claim in reviewed):
        return ("execute-needs-an-approved-claim",)
    return _missing_of_class(task_class, reviewed, found)


def _missing_of_cause(impact: Impact, found: Found) -> tuple[str, ...]:
    if not any(edge.is_relation for edge in found.edges):
        return ("only-hypotheses" if found.edges else "causal-relation-not-recorded",)
    approved = any(claim.is_reviewed and _vouched(claim) for claim in (*found.in_mind, *found.retrieved))
    return () if approved or impact is not Impact.EXECUTE else ("execute-needs-an-approved-claim",)


def _missing_of_class(task_class: TaskClass, reviewed: Sequence[Claim], found: Found) -> tuple[str, ...]:
    if task_class == "state":
        at_hand = any(record_id in found.grounds for claim in reviewed for record_id in claim.evidence)
        return () if at_hand else ("evidence-not-at-hand",)
    if task_class == "workflow":
        return () if any(_vouched(claim) for claim in reviewed) else ("workflow-not-approved",)
    if task_class == "gotcha":
        return () if any(_founded(claim, found) for claim in reviewed) else ("one-source-only",)
    if task_class == "premise":
        tested = [claim for claim in reviewed if is_tested(claim.form, claim.scope, claim.valid_from_us)]
        if not tested:
            return ("premise-without-scope-or-time",)
        return () if any(_founded(claim, found) for claim in tested) else ("one-source-only",)
    return ()


def _founded(claim: Claim, found: Found) -> bool:
    if _vouched(claim) or claim.claim_id in found.established:
        return True
    at_hand = [found.grounds[each] for each in claim.evidence if each in found.grounds]
    return observations(at_hand, found.grounds) >= INDEPENDENT_MIN


def _answering(task_class: TaskClass, found: Found, subjects: Sequence[str], as_of_us: int) -> list[Claim]:
    """Valid claims of the forms that answer; words that merely coincide answer no general question."""
    forms = forms_asked(task_class) or frozenset(Form)
    by_chance = task_class == "general" and found.coverage < COVERAGE_MIN
    return [
        claim
        for claim in (*found.in_mind, *(() if by_chance else found.retrieved))
        if claim.form in forms and claim.valid.contains(as_of_us) and (not subjects or claim.subject in subjects)
    ]


def _vouched(claim: Claim) -> bool:
    return claim.tier >= Tier.OPERATOR or claim.approvals != ()


def _met(task_class: TaskClass, found: Found, reviewed: Sequence[Claim]) -> tuple[str, ...]:
    met = f"{task_class}-claim-found" if reviewed else "matching-evidence-found"
    met = "causal-relation-found" if task_class == "causal" else met
    unreviewed = any(not claim.is_reviewed for claim in (*found.in_mind, *found.retrieved))
    notes = (("some-unreviewed", unreviewed), ("retrieval-degraded", bool(found.degraded)))
    return (met, *(note for note, holds in notes if holds))
