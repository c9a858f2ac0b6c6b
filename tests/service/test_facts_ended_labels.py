"""Facts that are over, and labels: words end only what everybody who sees it sees those words too."""

from __future__ import annotations

import pytest
from shutters import FREEZE, NOT_OURS, OPEN, OURS, OWNER, SHUT, active, shut, status
from shutters import home_fixture as home_fixture  # noqa: PLC0414  # pytest finds it here
from worlds import TWO_PEOPLE, World, code_of, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

SHUT_TOO = "The shutters stay down until the tenth."
APART = TWO_PEOPLE.replace(
    '"person:dan":',
    '"person:zoe": {roles: [reviewer], clearance: restricted, grants: ["*"]}\n    "person:dan":',
)
DENYING = APART.replace(
    'clearance: normal, grants: ["project:payments"]}',
    'clearance: normal, grants: ["project:payments"], denied_kinds: [service]}',
    1,
).replace(
    'clearance: sensitive, grants: ["project:payments"]}',
    'clearance: sensitive, grants: ["project:payments"], denied_kinds: [release]}',
)
"""Cyd is denied what is said of services, and agents what is said of releases; Bob and Zoe see all."""


@pytest.mark.parametrize(
    ("said", "held", "becomes"),
    [
        ("normal", "normal", "superseded"),
        ("normal", "restricted", "superseded"),
        ("sensitive", "sensitive", "superseded"),
        ("sensitive", "normal", "evidence-verified"),
        ("restricted", "sensitive", "evidence-verified"),
    ],
)
def test_words_end_what_is_classified_as_they_are_or_higher(home: World, said: str, held: str, becomes: str) -> None:
    """What is lower is seen by some who do not see the words, and who would learn of them by its end."""
    claim_id = shut(home.ana, classification=held)
    home.ana.remember(OPEN, classification=said)
    assert status(home, claim_id) == becomes


@pytest.mark.parametrize(("said", "ends"), [("normal", True), ("sensitive", False)])
def test_of_an_active_claim_too_nothing_higher_says_that_it_is_over(home: World, said: str, ends: bool) -> None:
    """The end is proposed, or it is not."""
    active(home)
    assert bool(home.ana.remember(OPEN, classification=said).claims) is ends


def test_words_that_consent_refuses_end_nothing(home: World) -> None:
    """Implicit consent is enough."""
    claim_id = shut(home.ana)
    assert home.ana.remember(OPEN, consent="denied").outcome == "refused"
    assert status(home, claim_id) == "evidence-verified"
    home.ana.remember(OPEN, consent="implicit")
    assert status(home, claim_id) == "superseded"


@pytest.mark.parametrize(("other", "becomes"), [("normal", "evidence-verified"), ("restricted", "superseded")])
def test_of_two_it_is_a_guess_only_for_whom_both_are_there(home: World, other: str, becomes: str) -> None:
    """A higher one saves no lower one; it stands itself, for beside the lower one it is a guess."""
    claim_id, rival = shut(home.ana), home.ana.remember(SHUT_TOO, classification=other).claims[0].claim_id
    home.ana.remember(OPEN)
    assert (status(home, claim_id), status(home, rival)) == (becomes, "evidence-verified")


def test_that_something_is_over_is_classified_as_that_is(home: World) -> None:
    """Dan sees the words and neither the claim nor that it is over; Bob, who sees the claim, sees all."""
    home.use(APART)
    approved(home, shut(home.ana, classification="restricted"))
    kept = home.ana.remember(OPEN)
    (note,) = kept.claims
    assert home.dan.show(kept.record_id)
    assert code_of(lambda: home.dan.show(note.claim_id)) == "item_not_found"
    assert home.bob.show(note.claim_id)


@pytest.mark.parametrize(("policy", "becomes"), [(APART, "superseded"), (DENYING, "evidence-verified")])
def test_words_under_a_denied_kind_end_nothing_of_another(home: World, policy: str, becomes: str) -> None:
    """What is told of an owner beside hides the words from Cyd, who sees the freeze."""
    home.use(policy)
    claim_id = shut(home.ana)
    home.ana.remember(f"{OURS} {OPEN}")
    assert status(home, claim_id) == becomes
    home.ana.remember(OPEN + " Now.")
    assert status(home, claim_id) == "superseded"


@pytest.mark.parametrize(("policy", "becomes"), [(APART, "evidence-verified"), (DENYING, "superseded")])
def test_a_rival_under_a_denied_kind_saves_nothing_of_another(home: World, policy: str, becomes: str) -> None:
    """One freeze was told with an owner, so Cyd sees the other alone."""
    home.use(policy)
    claim_id = shut(home.ana)
    home.ana.remember(f"{OURS} {SHUT_TOO}")
    home.ana.remember(OPEN)
    assert status(home, claim_id) == becomes


@pytest.mark.parametrize(("policy", "told"), [(APART, [FREEZE]), (DENYING, [])])
def test_that_something_hidden_is_over_is_not_told_to_more(home: World, policy: str, told: list[str]) -> None:
    """The freeze was told with an owner, and is hidden from Cyd with it; that it is over would be hers to see."""
    home.use(policy)
    for note in home.ana.remember(f"{OURS} {SHUT}").claims:
        approved(home, note.claim_id)
    assert [note.kind for note in home.ana.remember(OPEN).claims] == told


@pytest.mark.parametrize(
    ("policy", "said", "ends"), [(APART, "normal", 1), (DENYING, "normal", 0), (DENYING, "restricted", 1)]
)
def test_what_is_too_high_for_somebody_hides_no_words_from_others(
    home: World, policy: str, said: str, ends: int
) -> None:
    """A claim of a denied kind hides its record also from agents who are not cleared for it: they would learn of it."""
    home.use(policy)
    approved(home, shut(home.ana, classification="restricted"))
    assert len(home.ana.remember(OPEN, classification=said).claims) == ends


@pytest.mark.parametrize(("policy", "becomes"), [(APART, "superseded"), (DENYING, "active")])
def test_an_approved_end_ends_only_what_is_seen_by_no_more(home: World, policy: str, becomes: str) -> None:
    """One message says of two that they are over: Cyd does not see it, for the owner, and sees the freeze."""
    home.use(policy)
    claim_id, owner = shut(home.ana), home.ana.remember(OURS).claims[0].claim_id
    approved(home, claim_id)
    approved(home, owner)
    notes = home.ana.remember(f"{OPEN} {NOT_OURS}").claims
    assert {note.kind for note in notes} == {FREEZE, OWNER}
    for note in notes:
        approved(home, note.claim_id)
    assert (status(home, claim_id), status(home, owner)) == (becomes, becomes)


def approved(home: World, claim_id: str) -> None:
    """Bob and Zoe approve it, as far as it needs."""
    for reviewer in (home.bob, home.memory("person:zoe")):
        if status(home, claim_id) != "active":
            reviewer.approve(claim_id)
    assert status(home, claim_id) == "active"
