"""Conflicts as people see and answer them, and who may; promotion, and who may not."""

from __future__ import annotations

from typing import Any

import pytest
from believers import (  # noqa: F401  # pytest finds the fixtures here
    PAYMENTS,
    TEAM,
    active,
    claim,
    dan_fixture,
    eve_fixture,
    home_fixture,
    own_fixture,
    rulings,
    says,
)
from worlds import World

from heedful import Memory
from heedful.kernel.errors import HeedfulError


def question(memory: Memory) -> Any:
    (found,) = memory.conflicts(only_open=True).conflicts
    return found


def code(what: Any, *given: Any, **named: Any) -> str:
    """The code of the failure that this ends in."""
    with pytest.raises(HeedfulError) as failed:
        what(*given, **named)
    return failed.value.code


def test_a_question_waits_in_the_review_list_with_both_claims(home: World, dan: Any, eve: Any) -> None:
    """And is gone with its answer; what it was stays listed."""
    dan("Shanghai")
    eve("Beijing")
    (waits,) = home.bob.review_queue().questions
    assert (waits.a.value, waits.b.value, waits.because) == ("Shanghai", "Beijing", "peers")

    home.bob.answer(waits.conflict_id, "a", reason="I asked them")
    assert home.bob.review_queue().questions == ()
    (told,) = home.bob.conflicts().conflicts
    assert (told.resolution, told.resolved_by, told.reason) == ("a_wins", "person:bob", "I asked them")


@pytest.mark.parametrize(
    ("choice", "left", "resolution"),
    [("a", ["Shanghai"], "a_wins"), ("b", ["Beijing"], "b_wins"), ("neither", ["Shanghai", "Beijing"], "both_demoted")],
)
def test_an_answer_between_peers_ends_what_is_not_so(
    home: World, dan: Any, eve: Any, choice: str, left: list[str], resolution: str
) -> None:
    """Neither: both are believed less, and nobody is asked again."""
    first, second = dan("Shanghai", since="2026-01-01"), eve("Beijing", since="2026-01-01")

    done = home.bob.answer(question(home.bob).conflict_id, choice, reason="checked")

    assert done.resolution == resolution
    assert active(home) == left
    both = claim(home, first), claim(home, second)
    assert [each.conflicts_open for each in both] == [0, 0]
    if choice == "neither":
        assert [round(each.confidence, 3) for each in both] == [0.6, 0.3]
    else:
        assert both[choice == "a"].valid.is_empty


def test_what_waits_becomes_active_by_the_answer_and_by_nothing_else(home: World, own: Any) -> None:
    """An operator's claim leaves with the confirmation of one who may promote; a reviewer's answer is none."""
    old, new = own("Shanghai", since="2026-01-01"), own("Beijing", since="2026-02-01")
    waits = question(home.bob).conflict_id

    assert code(home.bob.answer, waits, "b", reason="yes") == "claim_operator"
    assert code(home.memory("person:dan").answer, waits, "a", reason="no") == "override_not_yours"
    assert code(home.agent.answer, waits, "a", reason="no") == "override_not_yours"
    assert active(home) == ["Shanghai"]

    done = home.ana.answer(waits, "b", reason="agreed")
    assert (done.a_status, done.b_status) == ("superseded", "active")
    assert active(home) == ["Beijing"]
    assert claim(home, old).valid_to_us == claim(home, new).valid_from_us


def test_what_waited_and_is_not_so_never_becomes_active(home: World, own: Any) -> None:
    """Nor does the standing claim change."""
    old, new = own("Shanghai"), own("Beijing")

    home.bob.answer(question(home.bob).conflict_id, "a", reason="it stays")

    assert (claim(home, old).status, claim(home, old).confidence) == ("active", 1)
    assert claim(home, new).status == "superseded"


def test_approving_what_waits_is_no_answer(home: World, dan: Any) -> None:
    """The question stands, and the reviewer is told of it."""
    pinned = dan("Shanghai")
    home.bob.pin(pinned, reason="checked")
    other = says(home.memory("person:eve"), "Beijing")
    waits = question(home.bob).conflict_id

    done = home.bob.approve(other)
    assert (done.status, done.conflicts) == ("policy-reviewed", (waits,))
    assert active(home) == ["Shanghai"]
    assert rulings(home) == [("pinned", "ask", None)]


def test_nobody_answers_for_their_own_proposal_unless_they_run_the_store_alone(home: World) -> None:
    """Ana is an owner, and one of the two who disagree; of herself she would speak."""
    says(home.memory("person:dan"), "Shanghai")
    says(home.ana, "Beijing")
    waits = question(home.ana).conflict_id
    assert code(home.ana.answer, waits, "b", reason="mine") == "approval_refused"

    home.use(home.policy.replace("solo: false", "solo: true"))
    assert home.ana.answer(waits, "b", reason="mine").resolution == "b_wins"


def test_an_answer_is_given_once_and_in_one_of_three_words(home: World, dan: Any, eve: Any) -> None:
    """And to a question that is there."""
    dan("Shanghai")
    eve("Beijing")
    waits = question(home.bob).conflict_id

    assert code(home.bob.answer, waits, "both", reason="x") == "choice_unknown"
    assert code(home.bob.answer, "no-such", "a", reason="x") == "item_not_found"
    home.bob.answer(waits, "a", reason="x")
    assert code(home.bob.answer, waits, "a", reason="x") == "conflict_closed"


def test_a_question_ends_with_one_of_its_claims(home: World, dan: Any, eve: Any) -> None:
    """However it ends: here it is taken back."""
    first = dan("Shanghai")
    eve("Beijing")
    home.bob.retract(first, reason="a slip")

    assert home.bob.conflicts(only_open=True).conflicts == ()
    assert rulings(home) == [("peers", "ask", "b_wins")]


def test_who_does_not_see_a_claim_sees_no_conflict_of_it(home: World, dan: Any, eve: Any) -> None:
    """Not its id either; and what is hidden from its writer is weighed with nothing of theirs."""
    dan("Shanghai")
    eve("Beijing")
    waits = question(home.bob).conflict_id
    stranger = home.memory("agent:pip", channel="agent")
    assert len(stranger.conflicts().conflicts) == 1

    home.use(home.policy.replace('grants: ["project:payments"]}\n  scopes', 'grants: ["project:other"]}\n  scopes'))
    stranger = home.memory("agent:pip", channel="agent")
    assert stranger.conflicts().conflicts == ()
    assert code(stranger.answer, waits, "a", reason="x") == "item_not_found"


def test_promotion_is_for_whom_policy_allows_and_never_for_ones_own(home: World, dan: Any) -> None:
    """An owner gives a colleague's claim an operator's authority; a reviewer, the proposer and an agent do not."""
    stated, own = dan("Shanghai"), says(home.ana, "Beijing", subject="service:x")

    for memory in (home.bob, home.memory("person:dan"), home.agent):
        assert code(memory.promote, stated, "OPERATOR", reason="x") == "principal_may_not"
    assert code(home.ana.promote, own, "OPERATOR", reason="x") == "promotion_refused"
    assert code(home.ana.promote, stated, "CORROBORATED", reason="x") == "tier_not_given"
    assert home.ana.promote(stated, "operator", reason="agreed").to_tier == "OPERATOR"
    assert code(home.ana.promote, stated, "OPERATOR", reason="x") == "tier_unchanged"

    says(home.memory("person:eve"), "Canton")
    assert rulings(home) == [("operator", "flag", "a_wins")]
    assert home.ana.promote(stated, "UNVERIFIED", reason="taken back").from_tier == "OPERATOR"
    assert claim(home, stated).tier_at_write == 1


def test_a_packet_tells_of_open_conflicts_and_of_none_that_is_answered(home: World, dan: Any, eve: Any) -> None:
    """Each of the two names the other; answered, neither does."""
    first, second = dan("Shanghai"), eve("Beijing")
    where = "where is it, Shanghai or Beijing?"
    told = {each.item_id: each for each in home.bob.recall(where, scope=PAYMENTS).items}
    waits = question(home.bob).conflict_id

    for own, other in ((first, second), (second, first)):
        assert [(each.conflict_id, each.claim_id) for each in told[own].conflicts] == [(waits, other)]
        assert "contradicted" in told[own].flags

    home.bob.answer(waits, "a", reason="checked")
    left = {each.item_id: each for each in home.bob.recall(where, scope=PAYMENTS).items}
    assert left[first].conflicts == ()
    assert "contradicted" not in left[first].flags


def test_peers_that_contradict_answer_nothing_until_somebody_has(home: World, dan: Any, eve: Any) -> None:
    """Both are handed out, flagged, with a sentence of advice."""
    dan("Shanghai")
    assert home.bob.recall("which city is it, Shanghai?").sufficiency == "sufficient"
    eve("Beijing")

    asked = home.bob.recall("which city is it, Shanghai or Beijing?", impact="propose")
    assert (asked.sufficiency, asked.sufficiency_reasons, asked.decision) == ("insufficient", ("open-conflict",), "ask")
    assert any("home.city of project:payments" in each for each in asked.advice)

    home.bob.answer(question(home.bob).conflict_id, "a", reason="checked")
    answered = home.bob.recall("which city is it, Shanghai or Beijing?", impact="propose")
    assert (answered.sufficiency, answered.decision, answered.advice) == ("sufficient", "allow", ())
