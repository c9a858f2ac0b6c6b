"""What a peer contradicts answers nothing until somebody has said which of the two is so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from packet_builders import (
    NOW_US,
    a_claim,
    a_material,
    a_record,
    a_request,
    an_activation,
    found_claim,
    found_record,
    scored,
)

from heedful.bridges.request import Activations
from heedful.claims.claim import Form
from heedful.evidence.assemble import assemble
from heedful.evidence.contested import contested_among
from heedful.evidence.packet import ConflictNote, SufficiencyLabel
from heedful.evidence.sufficiency import Found, Sufficiency, judge_sufficiency
from heedful.kernel.ids import ClaimId, PacketId, RecordId
from heedful.kernel.ladder import Decision, Impact
from heedful.recall.select import Selection

OURS, SURE = a_claim("c1"), a_claim("c2", statement="Payments has an owner.", property="owner")
NOTES = {ClaimId("c1"): (ConflictNote("k1", "c9", "peers"),)}
WAITS = {ClaimId("c1"): (ConflictNote("k1", "c9", "confirmation-needed"),)}


def label(impact: Impact, contested: frozenset[ClaimId]) -> Sufficiency:
    grounds = {OURS.evidence[0]: a_record()}
    return judge_sufficiency(
        "state",
        impact,
        Found([], [a_claim("c1", form=Form.STATE)], [], grounds, 1.0, {}, (), contested=contested),
        subjects=(),
        as_of_us=NOW_US,
    )


def test_a_contradicted_claim_is_not_sufficient_and_one_that_nobody_contradicts_is() -> None:
    """An execution goes to a person."""
    doubtful = frozenset({ClaimId("c1")})
    assert label(Impact.READ, doubtful) == Sufficiency(SufficiencyLabel.INSUFFICIENT, ("open-conflict",))
    assert label(Impact.EXECUTE, doubtful) == Sufficiency(SufficiencyLabel.HUMAN_REVIEW_REQUIRED, ("open-conflict",))
    assert label(Impact.READ, frozenset({ClaimId("c9")})).label is SufficiencyLabel.SUFFICIENT


def test_what_is_in_mind_counts_and_what_was_found_where_nothing_beats_it() -> None:
    """A record that the claim rests on says the same once more, and beats nothing."""
    doubtful, sure = scored(found_claim(OURS, coverage=0.5)), scored(found_claim(SURE, coverage=0.6))
    its_own = scored(found_record(a_record(OURS.evidence[0]), relevance=0.9))
    other = scored(found_record(a_record(RecordId("r7")), relevance=0.9))
    assert contested_among([OURS], [], NOTES) == {"c1"}
    assert contested_among([], [doubtful, its_own], NOTES) == {"c1"}
    assert contested_among([], [doubtful, other], NOTES) == set()
    assert contested_among([], [doubtful, sure], NOTES) == set()
    assert contested_among([OURS, SURE], [sure], {}) == set()


def test_what_waits_for_a_confirmation_takes_nothing_from_what_stands() -> None:
    """Else whoever may not displace an operator's word could put it out of use."""
    assert contested_among([OURS], [], WAITS) == set()


@pytest.mark.parametrize(
    ("changes", "impact", "decision"),
    [
        ({"conflicts": NOTES}, Impact.READ, Decision.ASK),
        ({"conflicts": WAITS}, Impact.READ, Decision.NOTICE),
        ({}, Impact.READ, Decision.NOTICE),
        (
            {"sufficiency": Sufficiency(SufficiencyLabel.INSUFFICIENT, ("open-conflict",))},
            Impact.PROPOSE,
            Decision.ASK,
        ),
    ],
)
def test_a_fact_in_mind_that_is_contradicted_asks(changes: dict[str, Any], impact: Impact, decision: Decision) -> None:
    """Though its bridge only notices."""
    held = Activations((an_activation(OURS, Decision.NOTICE),), (), ())
    made = assemble(replace(a_request(), impact=impact), PacketId("p1"), a_material(activations=held, **changes))
    assert made.decision is decision
    assert any("contradict each other" in each for each in made.advice) == (changes.get("conflicts") is NOTES)


def test_advice_tells_of_what_was_found_too_once_for_a_property() -> None:
    """Both sides of one contradiction are one doubt."""
    both = tuple(scored(found_claim(a_claim(name, statement=f"It is {name}."))) for name in ("c1", "c2"))
    notes = {ClaimId(name): (ConflictNote("k1", "c9", "peers"),) for name in ("c1", "c2")}
    made = assemble(a_request(), PacketId("p1"), a_material(selection=Selection(both, (), ()), conflicts=notes))
    assert [each for each in made.advice if "contradict each other" in each] == [
        "release.freeze of project:payments: claims contradict each other, nobody has said which is so: ask."
    ]
