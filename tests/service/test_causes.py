"""Causes: the chain through a record, of what its asker may see; and no guess that the gate would take for proof."""

from __future__ import annotations

from typing import Any

import pytest
from worlds import DEPLOY, World, code_of, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful import Memory
from heedful.service.recalling.causes import CAUSAL_EDGES_MAX, CAUSAL_EVENTS_MAX, Causes

CHECKOUT = [("deployment", "checkout-7")]


def keep(memory: Memory, record_type: str, content: str, **more: Any) -> str:
    """The id of a record of what was done or seen."""
    return memory.remember(content, record_type=record_type, **{"grade": "tool", **more}).record_id


def links(found: Causes) -> list[tuple[str, str, str]]:
    """(cause, effect, link) of the explicit chain, backwards first."""
    return [(edge.cause_id, edge.effect_id, edge.link) for edge in (*found.before, *found.after)]


def rulings(memory: Memory) -> list[tuple[str, str, str]]:
    """What the gate says of a production deploy, without ids and times."""
    verdict = memory.judge("Bash", DEPLOY)
    return [(verdict.execution, ruling.rule, ruling.decision) for ruling in verdict.rulings]


def test_the_chain_runs_both_ways_from_the_middle(house: World) -> None:
    """Call, result, state, check: each by what ties it, from whichever it is asked."""
    call = keep(house.ana, "tool_call", '{"input":{}}', attributes={"tool_use_id": "t1", "tool": "ship"}, run_id="r1")
    result = keep(house.ana, "tool_result", "pushed 1f9ebeb", attributes={"tool_use_id": "t1"}, run_id="r1")
    check = keep(house.ana, "verification", "smoke test of 1f9ebeb failed")
    note = keep(house.ana, "observation", "customers see errors", attributes={"caused_by": check})
    found = house.dan.causes(result)

    assert found.start is not None
    assert found.start.record.record_id == result
    assert links(found) == [(call, result, "tool-call"), (result, check, "names"), (check, note, "caused-by")]
    assert [each.record.record_id for each in found.records] == [call, result, check, note]
    assert links(house.dan.causes(note)) == [
        (check, note, "caused-by"), (result, check, "names"), (call, result, "tool-call"),
    ]  # fmt: skip
    assert (found.missing, found.is_cut, found.hypotheses) == ((), False, ())


def test_what_only_came_next_stands_beside_the_chain(house: World) -> None:
    """As a hypothesis; it is never followed further."""
    first = keep(house.ana, "action", "deployed", subjects=CHECKOUT)
    second = keep(house.ana, "observation", "errors rise", subjects=CHECKOUT)
    keep(house.ana, "observation", "errors fall", subjects=CHECKOUT)
    found = house.dan.causes(first)

    assert (found.before, found.after) == ((), ())
    assert [(edge.sort, edge.cause_id, edge.effect_id) for edge in found.hypotheses] == [("hypothesis", first, second)]
    assert len(found.missing) == 2


def test_the_gate_takes_no_hypothesis_for_proof(house: World) -> None:
    """A deploy with a check that came next beside it, or that an agent declares, is judged as one without."""
    house.enforce()
    before = rulings(house.agent)
    done = keep(house.ana, "action", "deployed", subjects=CHECKOUT)
    keep(house.ana, "observation", "all is well", subjects=CHECKOUT)
    house.agent.remember("verified", record_type="verification", attributes={"caused_by": done})
    assert [edge.sort for edge in house.dan.causes(done).hypotheses] == ["hypothesis", "hypothesis"]
    assert rulings(house.agent) == before
    keep(house.ana, "verification", "smoke", grade="user", attributes={"verifies": "deploy", "passed": True})
    assert rulings(house.agent) != before, "the control: what the gate does take"


def test_the_subject_and_a_time_find_the_record(house: World) -> None:
    """The last one by then; none is an answer, and says what to look for."""
    first = keep(house.ana, "action", "deployed", subjects=CHECKOUT, occurred_at="2026-11-20T10:00:00Z")
    last = keep(house.ana, "action", "deployed again", subjects=CHECKOUT, occurred_at="2026-11-21T10:00:00Z")

    def started(**more: str) -> str | None:
        found = house.dan.causes(**more)
        return None if found.start is None else found.start.record.record_id

    assert started(subject="deployment/checkout-7") == last
    assert started(subject="checkout-7", at="2026-11-20T12:00:00Z") == first
    assert started(subject="deployment:checkout-7", at="2026-11-19T12:00:00Z") is None
    assert "deployment/none" in house.dan.causes(subject="deployment/none").missing[0]


@pytest.mark.parametrize("why", ["scope", "classification", "kind", "withdrawn"])
def test_what_one_may_not_see_is_in_no_chain(house: World, why: str) -> None:
    """Another project's, one above the clearance, one of a denied kind, one that was withdrawn: as if it were not."""
    if why == "kind":
        house.use(house.policy.replace('"person:dan": {', '"person:dan": {denied_kinds: [release.freeze], '))
    seen = keep(house.ana, "verification", "1f9ebeb is up")
    empty = house.dan.causes(seen)
    more: dict[str, dict[str, Any]] = {
        "scope": {"scope": ["project:other"]},
        "classification": {"classification": "restricted"},
        "kind": {"kind": "release.freeze"},
        "withdrawn": {},
    }
    did = keep(house.ana, "action", "pushed 1f9ebeb", occurred_at="2026-11-27T09:00:00Z", **more[why])
    keep(house.ana, "observation", "x", attributes={"caused_by": seen}, **more[why])
    if why == "withdrawn":
        house.ana.reject(did)
        assert links(house.dan.causes(seen))[0][2] == "caused-by"
        return
    assert house.dan.causes(seen) == empty
    assert code_of(lambda: house.dan.causes(did)) == "item_not_found"
    if why == "scope":
        return
    assert links(house.ana.causes(seen))[0] == (did, seen, "names")


def test_a_missing_link_says_what_to_look_for(house: World) -> None:
    """By what the record names, or that it names nothing."""
    seen = keep(house.ana, "verification", "1f9ebeb is up")
    result = keep(house.ana, "tool_result", "done")
    copy = keep(house.ana, "human_note", "done", derived_from=["01981f6e-0000-7000-8000-000000000001"])
    assert "an earlier action or tool result that names commit 1f9ebeb" in house.dan.causes(seen).missing[0]
    assert "the call that it answers" in house.dan.causes(result).missing[0]
    assert "caused_by" in house.dan.causes(result).missing[1]
    assert "which is not there for you" in house.dan.causes(copy).missing[0]


def test_chains_end_at_their_limits_and_say_so(house: World) -> None:
    """Four edges each way, twelve records; exactly four are whole."""
    ids = [keep(house.ana, "action", "step 0")]
    for place in range(1, CAUSAL_EDGES_MAX + 1):
        ids.append(keep(house.ana, "action", f"step {place}", attributes={"caused_by": ids[-1]}))
    assert (len(house.dan.causes(ids[-1]).before), house.dan.causes(ids[-1]).is_cut) == (CAUSAL_EDGES_MAX, False)
    ids.append(keep(house.ana, "action", "one more", attributes={"caused_by": ids[-1]}))
    found = house.dan.causes(ids[-1])
    assert (len(found.before), found.is_cut) == (CAUSAL_EDGES_MAX, True)
    many = keep(house.ana, "action", "pushed", subjects=[("a", str(place)) for place in range(CAUSAL_EVENTS_MAX)])
    for place in range(CAUSAL_EVENTS_MAX):
        keep(house.ana, "observation", "x", subjects=[("a", str(place))])
    crowded = house.dan.causes(many)
    assert (len(crowded.records), crowded.is_cut) == (CAUSAL_EVENTS_MAX, True)


def test_a_question_about_a_cause_is_answered_by_a_relation(house: World) -> None:
    """Two records that name one commit suffice; the same two that name none do not."""
    keep(house.ana, "action", "deploy of checkout pushed 1f9ebeb")
    keep(house.ana, "observation", "checkout fails since 1f9ebeb")
    found = house.dan.recall("why does the checkout fail since the deploy?", task_class="causal")
    assert (found.sufficiency, found.sufficiency_reasons) == ("sufficient", ("causal-relation-found",))
    executing = house.dan.recall("why does the checkout fail?", task_class="causal", impact="execute")
    assert executing.sufficiency == "human-review-required"
    guess = house.dan.recall(
        "search deploy fails?", task_class="causal", scope=["project:payments"], attributes={"x": 1}
    )
    assert guess.sufficiency == "insufficient"


def test_one_of_record_and_subject_is_named(house: World) -> None:
    """Neither, or both, asks nothing; an unknown principal may not ask at all."""
    assert code_of(house.dan.causes) == "causes_of_what"
    assert code_of(lambda: house.dan.causes("x", subject="a/b")) == "causes_of_what"
    assert code_of(lambda: house.dan.causes("x", at="2026-11-29")) == "causes_of_what"
    assert code_of(lambda: house.dan.causes("x")) == "item_not_found"
    assert code_of(lambda: house.stranger.causes("x")) == "principal_may_not"
    assert code_of(lambda: house.dan.causes(subject="a/b", scope=[])) == "scope_empty"
