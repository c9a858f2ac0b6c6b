"""Gotchas and premises: what they may do before they are proved, how long they live, who sees them."""

from __future__ import annotations

from functools import cache
from typing import Any

from experience_steps import GOTCHA, PREMISE, STAGING, claim_of, mined, seen_twice, step
from worlds import TWO_PEOPLE, World, code_of, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.adapters.registry_files import pack_documents, registry_of
from heedful.bridges.registry import Registry
from heedful.kernel.times import format_time

TESTS = {"command": "pytest tests/unit"}
DENYING = """\
bridges:
  team.gotcha:
    from: [run]
    activates: [environment.gotcha]
    effect: deny
    risk: medium
    authority: maintainer-approved
    evidence: the handbook
    source_opened: true
    reason: It fails here.
    owner: team
    mode: enforce
"""


@cache
def denying(policy: str = TWO_PEOPLE) -> Registry:
    """The bundled pack with a bridge that denies by a gotcha."""
    return registry_of((*pack_documents("delivery"), ("ours.yaml", DENYING), ("policy.yaml", policy)))


def test_a_provisional_gotcha_steers_and_never_blocks(house: World) -> None:
    """Before a bridge that denies: it asks at most, and a person's approval makes it deny. No label blocks for it."""
    house.app.registry = denying()
    house.ana.set_mode("run", "enforce", reason="the test shows what enforcing does")
    bare = house.agent.judge("Bash", TESTS)
    kept = house.ana.remember("The unit tests hang without a display.", kind=GOTCHA, grade="tool")
    claim_id = kept.claims[0].claim_id
    steered = house.agent.judge("Bash", TESTS)
    packet = house.agent.recall("run the unit tests", tool="Bash", args=TESTS, impact="propose")

    assert {ruling.decision for ruling in steered.rulings if ruling.claim_id == claim_id} <= {"notice", "ask"}
    assert any(ruling.claim_id == claim_id for ruling in steered.rulings)
    assert steered.execution != "deny"
    assert bare.execution != "deny"
    (item,) = [each for each in packet.items if each.item_id == claim_id]
    assert "provisional" in item.flags
    house.bob.approve(claim_id)
    assert house.agent.judge("Bash", TESTS).execution == "deny", "the control: approved, the bridge denies"


def test_policys_own_activation_is_no_second_observation(house: World) -> None:
    """Active without a person, it is provisional still."""
    house.app.registry = denying(TWO_PEOPLE.replace("forms: [preference, fact]", "forms: [preference, fact, gotcha]"))
    house.ana.set_mode("run", "enforce", reason="the test shows what enforcing does")
    kept = house.ana.remember("The unit tests hang without a display.", kind=GOTCHA, consent="explicit")
    assert kept.claims[0].status == "active"
    assert house.agent.judge("Bash", TESTS).execution != "deny"


def test_two_runs_suffice_for_a_question_and_never_for_an_execution(house: World) -> None:
    """One run does not; an execution takes a person."""
    step(house.ana, "r1", day=20)
    step(house.ana, "r1", day=21)
    mined(house)
    question = "why is the image of the upload not transcoded?"
    asked: dict[str, Any] = {"scope": STAGING, "task_class": "gotcha"}
    assert house.ana.recall(question, **asked).sufficiency == "insufficient"
    step(house.ana, "r2", day=22)
    (found,) = mined(house).proposed
    packet = house.ana.recall(question, **asked)
    assert (packet.sufficiency, packet.sufficiency_reasons[0]) == ("sufficient", "gotcha-claim-found")
    assert all("provisional" not in item.flags for item in packet.items)
    assert house.ana.recall(question, **asked, impact="execute").sufficiency == "human-review-required"
    house.ana.reject(found.evidence[0])
    left = house.ana.recall(question, **asked)
    assert found.claim.claim_id not in {item.item_id for item in left.items}, "it lost its second observation"


def test_a_gotcha_lives_as_long_as_the_setting_says(house: World) -> None:
    """Two weeks where nothing says otherwise; its own until goes first."""
    told = house.ana.remember("The cache lies.", kind=GOTCHA)
    own = house.ana.remember("The cache lies.", kind=GOTCHA, until="2026-12-01")
    assert format_time(claim_of(house, told.claims[0].claim_id).valid_to_us or 0).startswith("2026-12-12T")
    assert format_time(claim_of(house, own.claims[0].claim_id).valid_to_us or 0).startswith("2026-12-01T")


def test_a_premise_waits_until_it_says_where_and_since_when(house: World) -> None:
    """It comes to nobody's mind, and nobody can approve it; said again in full it can be."""
    kept = house.ana.remember("Staging has the indexes of production.", kind=PREMISE, scope=STAGING)
    claim_id = kept.claims[0].claim_id
    assert (kept.claims[0].status, len(kept.problems)) == ("proposed", 1)
    assert code_of(lambda: house.bob.approve(claim_id)) == "premise_untested"
    whole = house.ana.remember(
        "Staging has the indexes of production.", kind=PREMISE, scope=STAGING, since="2026-11-27T10:00:00Z"
    ).claims[0]
    assert whole.status == "evidence-verified"
    house.bob.approve(whole.claim_id)
    question = "does staging have the indexes of production?"
    packet = house.ana.recall(question, scope=STAGING, task_class="premise")
    assert (packet.sufficiency, [item.item_id for item in packet.items if item.item == "claim"]) == (
        "sufficient",
        [whole.claim_id],
    )
    assert house.ana.recall(question, scope=["environment:production"], task_class="premise").items == ()


def test_an_agents_premise_is_an_inference(house: World) -> None:
    """On an agent's word nothing is a premise, tested or not."""
    kept = house.agent.remember("the queue is fifo", kind=PREMISE, since="2026-11-27T10:00:00Z")
    assert claim_of(house, kept.claims[0].claim_id).form == "inference"


def test_who_may_not_write_or_see_there_mines_nothing(house: World) -> None:
    """A scope that is not granted, a principal that nobody knows, a kind that is denied."""
    seen = seen_twice(house)
    assert code_of(lambda: mined(house, house.dan)) == "scope_not_granted"
    assert code_of(lambda: mined(house, house.stranger)) == "principal_may_not"
    house.use(house.policy.replace('"person:bob": {', f'"person:bob": {{denied_kinds: [{GOTCHA}], '))
    assert code_of(lambda: mined(house, house.bob)) == "kind_denied"
    assert code_of(lambda: house.bob.show(seen)) == "item_not_found"


def test_a_gotcha_carries_the_label_of_its_events(house: World) -> None:
    """Who is not cleared for them sees neither it nor a packet that it changes."""
    more: dict[str, Any] = {"scope": ["project:payments"], "classification": "restricted"}
    before = house.dan.recall("run the unit tests of the upload").items
    step(house.ana, "r1", day=20, **more)
    step(house.ana, "r2", day=21, **more)
    (found,) = mined(house, scope=["project:payments"]).proposed
    assert claim_of(house, found.claim.claim_id).classification == "restricted"
    assert house.dan.recall("run the unit tests of the upload").items == before
    assert code_of(lambda: house.dan.show(found.claim.claim_id)) == "item_not_found"
    assert mined(house, house.dan, ["project:payments"]).looked_at == 0
