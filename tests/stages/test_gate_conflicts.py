"""The gate on ground that is contradicted: a person answers first, or approves."""

from __future__ import annotations

from dataclasses import replace

from gate_builders import RELEASE, activation, approved, classified, freeze, in_mind, matter, rules, verified

from heedful.gate.judge import judge
from heedful.gate.requirements import Matter
from heedful.kernel.ladder import Decision, Impact
from heedful.testing.builders import NOON_US

RULE = "open-conflict:freeze"


def held(since_us: int | None) -> Matter:
    """A release on a claim in mind that asks for nothing by itself, contradicted since then (None: it is not)."""
    claim = freeze()
    found = matter(RELEASE, activations=in_mind(activation(Decision.NOTICE, claim=claim)), verifications=(verified(),))
    return found if since_us is None else replace(found, disputed={claim.claim_id: since_us})


def spoken(judged: Matter) -> list[str]:
    return [decision for rule, decision in rules(judge(judged)) if rule == RULE]


def test_an_execute_on_a_contradicted_claim_is_reviewed_and_one_on_a_sure_claim_is_not() -> None:
    """Design section 9; what only reads or proposes asks."""
    assert spoken(held(NOON_US - 1)) == ["review"]
    assert judge(held(NOON_US - 1)).decision is Decision.REVIEW
    assert spoken(held(None)) == []
    assert judge(held(None)).decision is Decision.NOTICE
    assert spoken(replace(held(NOON_US - 1), classified=classified(RELEASE, impact=Impact.PROPOSE))) == ["ask"]


def test_a_persons_yes_answers_it_where_it_was_given_after_the_contradiction_was_known() -> None:
    """An earlier yes was to another world."""
    assert spoken(replace(held(0), approvals=(approved(),))) == ["notice"]
    assert spoken(replace(held(NOON_US - 1), approvals=(approved(),))) == ["review"]
