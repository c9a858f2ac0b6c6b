"""Tasks: a working state is in mind within its task alone, and ends by rule; told through the verbs."""

from __future__ import annotations

import pytest
from worlds import PROJECT, TWO_PEOPLE, World, code_of, house_fixture  # noqa: F401  # pytest finds the fixture here

from heedful.claims.claim import Claim
from heedful.service import review
from heedful.service.tasks.task_end import TaskEnded
from heedful.service.tasks.task_parts import TaskEntry

TASK = (*PROJECT, "task:42")
POSTGRES = "The staging database runs PostgreSQL 17."


TASKS = TWO_PEOPLE.replace('["project:payments"]}\n  scopes', '["project:payments", "task:*"]}\n  scopes').replace(
    '["project:*", "environment:*"]', '["project:*", "task:*"]'
)
"""Agents and Bob work in tasks, Dan does not."""


@pytest.fixture(autouse=True)
def tasks_are_granted(house: World) -> None:
    """To those who work in them."""
    house.use(TASKS)


def shown(house: World, **more: object) -> str:
    """The id of a tool's result that a person kept."""
    made = {"record_type": "tool_result", "grade": "tool", **more}
    return house.ana.remember("server_version | 17.2", **made).record_id  # type: ignore[arg-type]


def fates(ended: TaskEnded) -> dict[str, str]:
    """What became of each statement."""
    return {entry.statement: entry.fate.value for entry in ended.entries}


def claim_of(house: World, claim_id: str) -> Claim:
    """The claim as Ana sees it."""
    claim, _ = house.ana.show(claim_id)
    assert isinstance(claim, Claim)
    return claim


def entry(house: World, statement: str) -> TaskEntry:
    """That part of task 42."""
    (found,) = (each for each in house.ana.task_show("42").entries if each.statement == statement)
    return found


def test_a_working_state_is_in_mind_within_its_task_alone(house: World) -> None:
    """Neither the claim nor the record of it comes to a request of the project, or of another task."""
    house.agent.task_add("42", "Compare the totals of both invoices.")
    question = "Which totals of invoices are to be compared?"

    within = house.agent.recall(question, scope=TASK)
    assert any("Compare the totals" in item.text for item in within.items)
    assert house.agent.recall(question, scope=PROJECT).items == ()
    assert house.agent.recall(question, scope=(*PROJECT, "task:43")).items == ()
    (todo,) = house.agent.task_show("42").entries
    assert (todo.part, todo.done, todo.by_person, todo.status) == ("todo", False, False, "evidence-verified")


@pytest.mark.parametrize("house", ["sqlite", "postgresql"], indirect=True)
def test_a_task_ends_by_the_table_and_tells_what_was_not_done(house: World) -> None:
    """Plans and to-dos go, a person's constraint stays, an agent's word alone goes, what is shown is proposed outside."""
    ana, agent, evidence = house.ana, house.agent, shown(house)
    agent.task_add("42", "First staging, then production.", part="plan")
    done = agent.task_add("42", "Look up the version.").claims[0].claim_id
    agent.task_add("42", "Ask the auditors.")
    ana.task_add("42", "用中文写报告", part="constraint")
    agent.task_add("42", "Never ask anybody.", part="constraint")
    agent.task_add("42", "All tests pass, surely.", part="fact")
    fact = agent.task_add("42", POSTGRES, part="fact", evidence=[evidence]).claims[0].claim_id
    assert agent.task_done("42", done).done
    ended = agent.task_end("42", reason="released")

    assert fates(ended) == {
        "First staging, then production.": "dropped",
        "Ask the auditors.": "dropped",
        "用中文写报告": "kept",
        "Never ask anybody.": "dropped",
        "All tests pass, surely.": "dropped",
        POSTGRES: "promoted",
    }
    assert ended.undone == ("Ask the auditors.",)
    (promoted_as,) = (each.promoted_as for each in ended.entries if each.claim_id == fact)
    assert promoted_as is not None
    promoted = claim_of(house, promoted_as)
    assert (promoted.scope.elements, promoted.status, promoted.form) == (PROJECT, "evidence-verified", "inference")
    assert evidence in promoted.evidence
    assert f"claim {promoted_as}" in entry(house, POSTGRES).status_reason
    assert entry(house, "用中文写报告").status == "evidence-verified"
    assert (entry(house, "Look up the version.").done, entry(house, "Ask the auditors.").done) == (True, False)
    assert house.ana.verify(views=True).holds


def test_what_was_promoted_goes_with_what_shows_it(house: World) -> None:
    """With the evidence, and with the record that says it outside of the task; not with anything else."""
    evidence, other = shown(house), shown(house)
    house.agent.task_add("42", POSTGRES, part="fact", evidence=[evidence])
    house.agent.task_add("42", "It answers within a second.", part="fact", evidence=[other])
    first, second = (each.promoted_as for each in house.agent.task_end("42").entries)
    assert first is not None
    assert second is not None
    house.ana.reject(evidence, reason="it was another server")
    assert [claim_of(house, each).status for each in (first, second)] == ["quarantined", "evidence-verified"]

    said_again = next(each for each in claim_of(house, second).evidence if each != other)
    house.ana.reject(said_again, reason="never said")
    assert claim_of(house, second).status == "quarantined"


def test_a_fact_whose_evidence_was_withdrawn_before_the_end_is_not_promoted(house: World) -> None:
    """It is quarantined, and no part of the working state any more; one that the task alone knows stays in it."""
    evidence, inside = shown(house), shown(house, scope=TASK)
    house.agent.task_add("42", POSTGRES, part="fact", evidence=[evidence])
    house.agent.task_add("42", "It answers.", part="fact", evidence=[inside])
    house.ana.reject(evidence, reason="it was another server")

    assert fates(house.agent.task_end("42")) == {"It answers.": "kept"}


def test_a_person_verifies_a_fact_as_a_fact_and_approves_it(house: World) -> None:
    """What an agent verifies stays an inference; either waits for review, whatever policy approves by itself."""
    fact = {"part": "fact", "evidence": [shown(house)], "subject": "database:staging", "value": "17"}
    house.ana.task_add("42", POSTGRES, **fact)  # type: ignore[arg-type]
    (ended,) = house.ana.task_end("42").entries
    assert ended.promoted_as is not None
    promoted = claim_of(house, ended.promoted_as)

    assert (promoted.form, promoted.subject, promoted.value) == ("fact", "database:staging", "17")
    assert promoted.status == "evidence-verified"
    assert house.bob.approve(promoted.claim_id, reason="looked it up").status == "active"


def test_ending_a_task_makes_nobody_elses_words_ones_own(house: World) -> None:
    """Nor commands of them: an agent's fact that a person ends is an agent's word, and asks for nothing besides."""
    words = "remember: release.freeze: frozen for ever"
    subject = {"subject": "user:ana", "value": "never"}
    house.agent.task_add("42", words, part="fact", evidence=[shown(house)], **subject)
    (ended,) = house.ana.task_end("42").entries
    assert ended.promoted_as is not None
    promoted, evidence = house.ana.show(ended.promoted_as)
    assert isinstance(promoted, Claim)

    assert (promoted.form, promoted.statement, promoted.tier.name) == ("inference", words, "UNVERIFIED")
    assert [stored.record.grade for stored in evidence] == ["agent", "tool"]
    assert {claim.kind for claim in house.ana.review_queue().claims} == {"note"}


def test_an_ended_task_takes_nothing_more(house: World) -> None:
    """Nor does it end twice; a task of that name elsewhere goes on."""
    house.ana.task_add("42", "Look it up.")
    house.ana.task_end("42")

    assert house.ana.task_show("42").ended
    assert code_of(lambda: house.ana.task_add("42", "One more.")) == "task_ended"
    assert code_of(lambda: house.ana.task_end("42")) == "task_ended"
    house.ana.task_add("42", "One more.", scope=["project:ledger"])


def test_what_was_approved_held_until_the_task_ended(house: World) -> None:
    """A plan that a person approved is history with an end."""
    claim_id = house.ana.task_add("42", "First staging.", part="plan").claims[0].claim_id
    house.bob.approve(claim_id, reason="yes")
    house.ana.task_end("42")
    claim = claim_of(house, claim_id)

    assert claim.status == "superseded"
    assert claim.valid_to_us is not None
    assert claim.valid_to_us <= house.clock.now_us()


def test_plans_and_to_dos_wait_for_nobody(house: World) -> None:
    """The review queue has what is to be believed, and no to-do list; a claim that only calls itself so is in it."""
    house.agent.task_add("42", "First staging.", part="plan")
    house.agent.task_add("42", "Look it up.")
    waits = house.agent.task_add("42", "Never on Fridays.", part="constraint").claims[0].claim_id
    also = house.agent.remember("frozen", kind="release.freeze", property_name="task.todo", scope=TASK)

    assert {claim.claim_id for claim in house.ana.review_queue().claims} == {waits, also.claims[0].claim_id}


def test_no_number_of_to_dos_hides_a_proposal(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """They may come before it; where more than a limit is to be looked at, the queue says that it is cut."""
    for number in range(6):
        house.agent.task_add("42", f"Look it up ({number}).")
    waits = house.agent.task_add("42", "Never on Fridays.", part="constraint").claims[0].claim_id
    monkeypatch.setattr(review, "QUEUE_MAX", 1)
    queue = house.ana.review_queue()
    assert ([claim.claim_id for claim in queue.claims], queue.cut) == ([waits], False)

    monkeypatch.setattr(review, "LOOKED_AT_MAX", 3)
    queue = house.ana.review_queue()
    assert (queue.claims, queue.cut) == ((), True)


def test_only_a_to_do_that_is_live_is_done(house: World) -> None:
    """Not a plan, not twice, not one of another task, and not by whom the task is not granted."""
    todo = house.ana.task_add("42", "Look it up.").claims[0].claim_id
    plan = house.ana.task_add("42", "First staging.", part="plan").claims[0].claim_id
    house.ana.task_done("42", todo)

    assert code_of(lambda: house.ana.task_done("42", todo)) == "todo_over"
    assert code_of(lambda: house.ana.task_done("42", plan)) == "todo_over"
    assert code_of(lambda: house.ana.task_done("43", todo)) == "item_not_found"
    assert code_of(lambda: house.dan.task_done("42", todo)) == "scope_not_granted"
    assert code_of(lambda: house.dan.task_show("42")) == "scope_not_granted"


@pytest.mark.parametrize("part", ["plan", "todo", "constraint"])
def test_only_a_fact_has_a_kind_and_evidence(house: World, part: str) -> None:
    """And the evidence is there for the one who names it, and known in the task."""
    assert code_of(lambda: house.ana.task_add("42", "x", part=part, kind="release.freeze")) == "fact_only"
    assert code_of(lambda: house.ana.task_add("42", "x", part="goal")) == "choice_unknown"
    elsewhere = shown(house, scope=["project:ledger"])
    secret = shown(house, classification="restricted")
    for memory, evidence, code in (
        (house.ana, elsewhere, "evidence_unfit"),
        (house.agent, elsewhere, "item_not_found"),
        (house.agent, secret, "item_not_found"),
        (house.agent, "nothing", "item_not_found"),
    ):
        assert code_of(lambda m=memory, e=evidence: m.task_add("42", "x", part="fact", evidence=[e])) == code  # type: ignore[misc]


def test_a_fact_is_known_as_narrowly_as_what_shows_it(house: World) -> None:
    """Also where it is proposed outside of the task."""
    house.ana.task_add("42", POSTGRES, part="fact", evidence=[shown(house, classification="restricted")])
    assert house.agent.task_show("42").entries == ()
    (ended,) = house.ana.task_end("42").entries
    assert ended.promoted_as is not None

    promoted = claim_of(house, ended.promoted_as)
    assert promoted.classification == "restricted"
    assert code_of(lambda: house.dan.show(ended.promoted_as or "")) == "item_not_found"
    assert code_of(lambda: house.dan.show(promoted.evidence[0])) == "item_not_found"


def test_what_one_may_not_see_of_a_task_changes_nothing_of_what_one_is_told(house: World) -> None:
    """Its end is the same with a hidden fact in it as without; whoever sees that ends it as well, and then it is over."""
    house.agent.task_add("42", "Look it up.")
    house.agent.task_add("43", "Look it up.")
    hidden = shown(house, classification="restricted")
    house.ana.task_add("42", POSTGRES, part="fact", evidence=[hidden])

    told = [
        [(each.part, each.statement, each.fate, each.because) for each in house.agent.task_end(task).entries]
        for task in ("42", "43")
    ]
    assert told[0] == told[1]
    assert len(told[0]) == 1
    for task in ("42", "43"):
        assert (house.agent.task_show(task).ended, len(house.agent.task_show(task).entries)) == (True, 1)
        assert code_of(lambda name=task: house.agent.task_end(name)) == "task_ended"  # type: ignore[misc]
    assert fates(house.ana.task_end("42")) == {POSTGRES: "promoted"}
    assert code_of(lambda: house.ana.task_end("42")) == "task_ended"


def test_what_the_whole_tenant_was_told_shows_nothing_to_those_who_do_not_read_that(house: World) -> None:
    """The agent reads the task, and not what is of no scope: the fact would name evidence that it does not see."""
    everywhere = shown(house, scope=())
    assert code_of(lambda: house.agent.show(everywhere)) == "item_not_found"
    add = lambda: house.ana.task_add("42", POSTGRES, part="fact", evidence=[everywhere])  # noqa: E731
    assert code_of(add) == "evidence_unfit"
