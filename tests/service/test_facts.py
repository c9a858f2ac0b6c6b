"""Facts: what a message tells becomes a proposal that nobody asked for, and that nobody but a person approves."""

from __future__ import annotations

from typing import Any

import pytest
from shutters import CHATTER, FREEZE, OPEN, OURS, OWNER, SHUT, claim_of, shut, status, told
from shutters import home_fixture as home_fixture  # noqa: PLC0414  # pytest finds it here
from worlds import PROJECT, TWO_PEOPLE, World, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.claims.claim import ClaimStatus
from heedful.ledger.events import ClaimProposed
from heedful.observations.record import RecordType
from heedful.service.keeping.facts import TOLD_CHARACTERS_MAX


def test_a_message_tells_a_claim_that_waits_for_review(home: World) -> None:
    """Of its kind, with what told it, as sure as it was told, resting on the record."""
    kept = home.ana.remember(SHUT)
    (note,) = kept.claims
    claim = claim_of(home, note.claim_id)
    assert (claim.kind, claim.statement, claim.status) == (FREEZE, SHUT, ClaimStatus.EVIDENCE_VERIFIED)
    assert (claim.evidence, claim.confidence) == ((kept.record_id,), 0.9)
    (proposed,) = [event for event in home.events() if isinstance(event, ClaimProposed)]
    assert (proposed.told_by, proposed.replaces) == ("fake: 0.90", ())
    assert home.ana.verify(views=True).holds


def test_other_words_and_a_store_without_a_router_tell_nothing(home: World) -> None:
    """By phrases alone nothing is told unasked."""
    assert told(home.ana, CHATTER) == []
    home.app.router = None
    assert told(home.ana, SHUT) == []


def test_an_approval_of_an_action_tells_nothing(home: World) -> None:
    """Though its reason has words that tell something where a message has them (the control)."""
    verdict = home.agent.judge("Bash", {"command": "kubectl apply -f web.yaml"})
    home.bob.approve(verdict.verdict_id, reason=SHUT)
    assert [event for event in home.events() if isinstance(event, ClaimProposed)] == []
    assert told(home.ana, SHUT) != []


def test_what_was_told_is_never_approved_by_itself(home: World) -> None:
    """Policy approves that kind where its owner names it (the control), and not where a classifier does."""
    assert told(home.ana, OURS, kind=OWNER, consent="explicit") == [(OWNER, "active")]
    assert told(home.ana, OURS + "!", consent="explicit") == [(OWNER, "evidence-verified")]


def test_whoever_says_what_is_to_be_held_has_said_it(home: World) -> None:
    """With a kind, or a `remember:` line, the rest is not searched for more."""
    assert told(home.ana, SHUT, kind=OWNER) == [(OWNER, "evidence-verified")]
    assert told(home.ana, f"remember: {OWNER}: Ask the shutters team.") == [(OWNER, "evidence-verified")]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"grade": "tool", "record_type": RecordType.TOOL_RESULT}, [(FREEZE, "evidence-verified")]),
        ({"grade": "document", "record_type": RecordType.DOCUMENT}, [(FREEZE, "evidence-verified")]),
        ({"grade": "agent"}, []),
        ({"record_type": RecordType.TOOL_CALL}, []),
    ],
)
def test_tools_and_documents_tell_and_agents_do_not(
    home: World, fields: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    """What an agent says of itself, or does, tells nothing of the world."""
    assert told(home.ana, SHUT, **fields) == expected


def test_an_agents_own_words_at_its_own_door_tell_nothing(home: World) -> None:
    """The same words of a person are told (the first test)."""
    assert told(home.agent, SHUT) == []


def test_a_long_text_is_a_document_to_look_up(home: World) -> None:
    """At the limit it is read, beyond it is not."""
    filler = "x" * (TOLD_CHARACTERS_MAX - len(SHUT) - 2)
    assert told(home.ana, f"{SHUT}\n{filler}x") == [(FREEZE, "evidence-verified")]
    assert told(home.ana, f"{SHUT}\n{filler}xx") == []


def test_a_fact_that_policy_keeps_out_does_not_keep_the_record_out(home: World) -> None:
    """Nobody asked for the claim; who does ask (the control, test_remember) is refused."""
    rule = '\n  scopes:\n    "project:payments": {allowed_forms: [fact]}\n    "user:*"'
    home.use(TWO_PEOPLE.replace('\n  scopes:\n    "user:*"', rule))
    kept = home.ana.remember(SHUT)
    assert (kept.outcome, kept.claims, kept.problems) == ("admitted", (), ())
    assert told(home.ana, OURS) == [(OWNER, "evidence-verified")]


def test_a_scope_whose_name_is_as_long_as_may_be_tells_of_relations_too(home: World) -> None:
    """The subject is made of it; too long a subject costs the claim, and never the record."""
    scope = ["project:" + "x" * 240]
    kept = home.ana.remember("My daughter says: " + SHUT, scope=scope)
    assert kept.outcome == "admitted"


def test_what_a_tool_may_not_state_is_no_problem_to_report(home: World) -> None:
    """It is kept as less than a rule, and nobody asked for a rule."""
    kept = home.ana.remember(SHUT, grade="tool", record_type=RecordType.TOOL_RESULT)
    assert kept.problems == ()
    assert claim_of(home, kept.claims[0].claim_id).form == "inference"


def test_who_is_told_about_is_the_subject(home: World) -> None:
    """A relation of the speaker's, beside the scope; without one, the scope's own."""
    plain = claim_of(home, shut(home.ana))
    (note,) = home.ana.remember("My daughter says: " + SHUT).claims
    assert plain.subject == PROJECT[0]
    assert claim_of(home, note.claim_id).subject == f"{PROJECT[0]}/daughter"


def test_saying_the_same_again_under_its_reference_tells_nothing_twice(home: World) -> None:
    """The answer is what was told then; nothing ends again either."""
    first = home.ana.remember(SHUT, source_ref="m:1")
    again = home.ana.remember(SHUT, source_ref="m:1")
    assert again.duplicate
    assert [note.claim_id for note in again.claims] == [note.claim_id for note in first.claims]
    home.ana.remember(OPEN, source_ref="m:2")
    later = shut(home.ana, source_ref="m:3")
    home.ana.remember(OPEN, source_ref="m:2")
    assert status(home, later) == "evidence-verified"
