"""Facts that are over: what a person says ends what nobody reviewed, and for the rest asks a person."""

from __future__ import annotations

from pathlib import Path

import pytest
from shutters import CHATTER, FREEZE, OPEN, OURS, OWNER, SHUT, HearsShutters, active, claim_of, shut, status
from shutters import home_fixture as home_fixture  # noqa: PLC0414  # pytest finds it here
from worlds import World, house_fixture, transcript, world  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.claims.claim import ClaimStatus
from heedful.kernel.times import format_time
from heedful.ports.store import StoredRecord


def test_what_a_person_says_is_over_ends_what_nobody_reviewed(home: World) -> None:
    """The claim is superseded for the record that says so, and nothing new is proposed of it."""
    claim_id = shut(home.ana)
    kept = home.ana.remember(OPEN)
    ended = claim_of(home, claim_id)
    assert (ended.status, kept.claims) == (ClaimStatus.SUPERSEDED, ())
    assert [(note.claim_id, note.status) for note in kept.ended] == [(claim_id, "superseded")]
    assert kept.record_id in ended.status_reason
    assert home.ana.verify(views=True).holds


def test_an_end_is_taken_back_with_the_words_that_brought_it(home: World) -> None:
    """The claim stands where it stood, comes to mind again, and the ledger says why."""
    claim_id = shut(home.ana)
    kept = home.ana.remember(OPEN)
    assert status(home, claim_id) == "superseded"
    rejected = home.bob.reject(kept.record_id, reason="a scene of a novel")
    assert rejected.standing_again == (claim_id,)
    stands = claim_of(home, claim_id)
    assert (stands.status, kept.record_id in stands.status_reason) == ("evidence-verified", True)
    assert home.ana.verify(views=True).holds
    again = home.ana.remember(OPEN + " Really.")
    assert [note.claim_id for note in again.ended] == [claim_id]


def test_a_withdrawn_record_brings_nothing_back_that_it_did_not_end_alone(home: World) -> None:
    """An approved end, another record's end, and what was revoked since stay."""
    approved = active(home)
    first = home.ana.remember(OPEN)
    for reviewer in (home.bob, home.cyd):
        reviewer.approve(first.claims[0].claim_id)
    assert home.bob.reject(first.record_id).standing_again == ()
    assert status(home, approved) == "superseded"
    claim_id = shut(home.ana)
    ends, says_nothing = home.ana.remember(OPEN + " Now."), home.ana.remember(CHATTER)
    assert home.bob.reject(says_nothing.record_id).standing_again == ()
    assert status(home, claim_id) == "superseded"
    assert home.bob.reject(ends.record_id).standing_again == (claim_id,)


def test_other_words_end_nothing(home: World) -> None:
    """The control of the one above: not the end of it, and the end of another thing."""
    claim_id, other = shut(home.ana), home.ana.remember(OURS).claims[0].claim_id
    home.ana.remember(CHATTER)
    assert status(home, claim_id) == "evidence-verified"
    home.ana.remember(OPEN)
    assert status(home, other) == "evidence-verified"


def test_an_active_claim_ends_when_a_person_approves_that_it_is_over(home: World) -> None:
    """Until then it holds; both approvals that its kind needs are needed for its end too."""
    claim_id = active(home)
    (note,) = home.ana.remember(OPEN).claims
    assert (status(home, claim_id), note.status) == ("active", "evidence-verified")
    home.bob.approve(note.claim_id)
    assert status(home, claim_id) == "active"
    home.cyd.approve(note.claim_id)
    assert (status(home, claim_id), status(home, note.claim_id)) == ("superseded", "active")
    assert note.claim_id in claim_of(home, claim_id).status_reason
    assert home.ana.verify(views=True).holds


def test_a_claim_that_one_of_two_people_approved_is_not_ended_by_words(home: World) -> None:
    """That it is over is proposed, as for an active one."""
    claim_id = shut(home.ana)
    assert home.bob.approve(claim_id).approvals_missing
    kept = home.ana.remember(OPEN)
    assert (len(kept.claims), kept.ended) == (1, ())
    assert claim_of(home, claim_id).status is not ClaimStatus.SUPERSEDED
    for reviewer in (home.bob, home.cyd):
        reviewer.approve(kept.claims[0].claim_id)
    assert status(home, claim_id) == "superseded"


def test_a_proposed_end_that_is_rejected_ends_nothing(home: World) -> None:
    """The claim holds as before."""
    claim_id = active(home)
    (note,) = home.ana.remember(OPEN).claims
    home.bob.reject(note.claim_id)
    assert status(home, claim_id) == "active"


def test_an_end_that_comes_too_late_ends_nothing_twice(home: World) -> None:
    """The claim was revoked meanwhile; approving its end is no error."""
    claim_id = active(home)
    (note,) = home.ana.remember(OPEN).claims
    home.bob.reject(claim_id)
    for reviewer in (home.bob, home.cyd):
        reviewer.approve(note.claim_id)
    assert status(home, claim_id) == "revoked"


@pytest.mark.parametrize("scope", [["project:other"], ["project:payments", "run:r1"], []])
def test_words_in_another_scope_end_nothing(home: World, scope: list[str]) -> None:
    """Beside, below and above: only the claim's own scope does."""
    claim_id = shut(home.ana)
    home.ana.remember(OPEN, scope=scope)
    assert status(home, claim_id) == "evidence-verified"
    home.ana.remember(OPEN + " Now.")
    assert status(home, claim_id) == "superseded"


def test_an_operators_claim_ends_on_no_ones_word_alone(home: World) -> None:
    """It leaves with an operator's confirmation; a user's of the same kind is ended."""
    operators, users = shut(home.ana, grade="operator"), shut(home.ana, grade="user", source_ref="m:1")
    home.ana.remember(OPEN)
    assert (status(home, operators), status(home, users)) == ("evidence-verified", "superseded")
    home.ana.remember(OPEN, source_ref="m:2")
    assert status(home, operators) == "evidence-verified"


@pytest.mark.parametrize("grade", ["tool", "document", "agent"])
def test_what_is_no_persons_word_ends_nothing(home: World, grade: str) -> None:
    """A poisoned document could else take every warning away."""
    claim_id = shut(home.ana)
    home.ana.remember(OPEN, grade=grade)
    home.agent.remember(OPEN)
    assert status(home, claim_id) == "evidence-verified"


def test_a_claim_above_the_speakers_clearance_is_not_ended_by_them(home: World) -> None:
    """Dan does not see it, so his words do nothing to it; Ana's do."""
    claim_id = shut(home.ana, classification="restricted")
    home.dan.remember(OPEN)
    assert status(home, claim_id) == "evidence-verified"
    home.ana.remember(OPEN)
    assert status(home, claim_id) == "superseded"


def test_in_one_batch_a_later_message_ends_what_an_earlier_one_told(home: World) -> None:
    """As one after another; a second end of the same finds nothing left to end."""
    answers = home.ana.remember_many([SHUT, CHATTER, OPEN, OPEN + " Yes."])
    (note,) = [note for answer in answers for note in getattr(answer, "claims", ())]
    assert status(home, note.claim_id) == "superseded"
    assert home.ana.verify(views=True).holds


def test_in_a_batch_what_comes_after_the_end_holds(home: World) -> None:
    """Shut, opened, shut: the last is what holds."""
    answers = home.ana.remember_many([SHUT, OPEN, SHUT + " Truly."])
    first, last = [note for answer in answers for note in getattr(answer, "claims", ())]
    assert (status(home, first.claim_id), status(home, last.claim_id)) == ("superseded", "evidence-verified")


def test_a_transcript_tells_and_ends_as_messages_do(home: World, tmp_path: Path) -> None:
    """In its own order; importing it again changes nothing."""
    path = transcript(tmp_path / "t.jsonl", SHUT, OURS, OPEN)
    report = home.ana.import_trace(path)
    assert [(note.kind, status(home, note.claim_id)) for note in report.claims] == [
        (FREEZE, "superseded"),
        (OWNER, "evidence-verified"),
    ]
    count = len(home.events())
    home.ana.import_trace(path)
    assert len(home.events()) == count
    assert home.ana.verify(views=True).holds


def test_a_message_that_waits_itself_ends_nothing(home: World, tmp_path: Path) -> None:
    """What an agent quotes of a captured message is the user's word; while it is pending it is no evidence."""
    home.ana.import_trace(transcript(tmp_path / "t.jsonl", OPEN))
    claim_id = shut(home.ana)
    kept = home.agent.remember(OPEN, grade="user", classification="sensitive")
    record = home.ana.show(kept.record_id)[0]
    assert isinstance(record, StoredRecord)
    assert (kept.outcome, record.record.grade) == ("pending", "user")
    assert status(home, claim_id) == "evidence-verified"


def test_what_was_told_is_rebuilt_as_it_was(tmp_path: Path) -> None:
    """In a folder, with its ends: views made anew are the same bytes."""
    with world(tmp_path / "store") as home:
        home.app.router = HearsShutters()
        shut(home.ana)
        home.ana.remember(OPEN)
        active(home, source_ref="m:9")
        home.ana.remember(OPEN + " Now.")
        assert home.ana.verify(views=True).holds


def test_the_words_of_another_speaker_end_no_proposal(home: World) -> None:
    """Bob's do not end what Ana said; the control is that her own do."""
    claim_id = shut(home.ana)
    assert home.bob.remember(OPEN).ended == ()
    assert status(home, claim_id) == "evidence-verified"
    assert [note.claim_id for note in home.ana.remember(OPEN).ended] == [claim_id]


def test_what_was_over_when_it_was_said_held_until_then(home: World) -> None:
    """Whenever its end is approved: as of before the words it is found, as of after them it is not."""
    claim_id = active(home)
    said = home.clock.now_us() // 1_000_000 * 1_000_000
    home.clock.go(seconds=86_400)
    (note,) = home.ana.remember(OPEN, occurred_at=format_time(said)).claims
    for reviewer in (home.bob, home.cyd):
        reviewer.approve(note.claim_id)
    ended = claim_of(home, claim_id)
    assert (ended.status, ended.valid_to_us) == (ClaimStatus.SUPERSEDED, said)
    assert home.ana.verify(views=True).holds


def test_an_end_says_nothing_of_the_time_before_it_was_said(home: World) -> None:
    """A read of then finds what held, and not already that it is over."""
    claim_id = active(home)
    (note,) = home.ana.remember(OPEN).claims
    for reviewer in (home.bob, home.cyd):
        reviewer.approve(note.claim_id)
    ended, end = claim_of(home, claim_id), claim_of(home, note.claim_id)
    assert end.valid_from_us is not None
    assert end.valid_from_us == ended.valid_to_us
