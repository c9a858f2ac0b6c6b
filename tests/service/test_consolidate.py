"""Consolidation: two independent records make one lasting claim, or its subject's word again; once does not."""

from __future__ import annotations

from typing import Any

import pytest
from worlds import TWO_PEOPLE, World, code_of, house_fixture  # noqa: F401  # pytest finds the fixture here

from heedful import Memory
from heedful.claims.claim import Claim
from heedful.kernel.ladder import Tier

CHINESE = "Reports are written in Chinese."
ANAS: dict[str, Any] = {"subject": "user:ana", "scope": ["user:ana"], "property_name": "reply.language"}


def tell(memory: Memory, value: str = "zh", words: str = CHINESE, **more: Any) -> str:
    """The id of a preference that waits."""
    fields = {"kind": "note", "form": "preference", "subject": "team:sre", "property_name": "report.language", **more}
    (claim,) = memory.remember(words, value=value, **fields).claims
    assert claim.status == "evidence-verified"
    return claim.claim_id


def claim_of(house: World, claim_id: str) -> Claim:
    """The claim as Ana sees it."""
    claim, _ = house.ana.show(claim_id)
    assert isinstance(claim, Claim)
    return claim


def moved(house: World) -> dict[str, str]:
    """What the job moved: claim -> status."""
    (run,) = house.ana.maintain("consolidate").runs
    assert run.report is not None
    return {move.claim_id: move.to_status for move in run.report.moves}


@pytest.mark.parametrize("house", ["sqlite", "postgresql"], indirect=True)
def test_two_independent_records_make_one_claim_that_rests_on_both(house: World) -> None:
    """It has a second source's authority and waits for a person; the other is merged, and doing it again does nothing."""
    first, second = tell(house.bob), tell(house.dan, "ZH ", "Write reports in Chinese, please.")
    assert moved(house) == {first: "evidence-verified", second: "superseded"}
    claim = claim_of(house, first)

    assert claim.evidence == (claim_of(house, first).evidence[0], claim_of(house, second).evidence[0])
    assert (claim.tier, claim.tier_at_write) == (Tier.CORROBORATED, Tier.UNVERIFIED)
    assert claim_of(house, second).status_reason == f"merged into claim {first}, which says the same"
    assert moved(house) == {}
    third = tell(house.ana)
    assert moved(house) == {first: "evidence-verified", third: "superseded"}
    assert len(claim_of(house, first).evidence) == 3
    assert house.ana.verify(views=True).holds


@pytest.mark.parametrize(
    "second",
    [
        {"value": "en"},
        {"property_name": "report.length"},
        {"subject": "team:web"},
        {"form": "fact"},
        {"form": "plan"},
        {"scope": ["project:payments", "task:42"]},
        {"classification": "sensitive"},
        {"until": "2026-11-01", "since": "2026-10-01"},
    ],
    ids=str,
)
def test_what_is_not_the_same_stays_apart(house: World, second: dict[str, Any]) -> None:
    """Another value, property, subject, lane, scope, label or time."""
    tell(house.bob, since="2026-11-02")
    tell(house.ana, **{"value": "zh", **second})

    assert moved(house) == {}


def test_what_one_origin_says_again_counts_once(house: World) -> None:
    """One person twice, an agent beside a person, a summary of what was said."""
    first = tell(house.bob)
    tell(house.bob, words="Again: in Chinese.")
    source = claim_of(house, first).evidence[0]
    house.agent.remember(CHINESE, kind="note", value="zh", subject="team:sre", property_name="report.language")
    tell_summary: dict[str, Any] = {"grade": "summary", "derived_from": [source], "value": "zh", "subject": "team:sre"}
    house.ana.remember(CHINESE, kind="note", property_name="report.language", **tell_summary)

    assert moved(house) == {}


@pytest.mark.parametrize("words", ["Just this once, keep it short.", "这次要求简洁"])
def test_what_is_said_for_once_is_no_lasting_preference(house: World, words: str) -> None:
    """However many say it; control: the same said without that."""
    for memory in (house.bob, house.dan, house.ana):
        tell(memory, "short", words)
    assert moved(house) == {}

    for memory in (house.bob, house.dan):
        tell(memory, "short", "Keep reports short.")
    assert "superseded" in moved(house).values()


def test_its_subject_says_it_again_in_another_session(house: World) -> None:
    """That confirms it and is no second source; in one session, or without one, it is said once."""
    first = tell(house.ana, words="默认用中文回复", **ANAS, run_id="monday")
    tell(house.ana, words="默认用中文回复", **ANAS, run_id="monday")
    tell(house.ana, words="默认用中文回复", **ANAS)
    assert moved(house) == {}

    again = tell(house.ana, words="以后都用中文", **ANAS, run_id="tuesday")
    assert moved(house) == {first: "evidence-verified", again: "superseded"}
    claim = claim_of(house, first)
    assert (claim.confirmed_by, claim.tier) == (("person:ana",), Tier.UNVERIFIED)


def test_policy_approves_it_as_far_as_it_approves_anything(house: World) -> None:
    """Where it asks for consent, the consent of all; where it asks for none, first-party words alone."""
    first, second = tell(house.bob), tell(house.dan)
    documents = [tell(house.ana, "en", f"See page {n}.", grade="document", source_ref=f"page:{n}") for n in (1, 2)]
    house.use(TWO_PEOPLE.replace("consent_explicit: true", "consent_explicit: false"))

    found = moved(house)
    assert (found[first], found[second]) == ("active", "superseded")
    assert all(claim_of(house, each).status != "active" for each in documents)


def test_what_is_active_by_it_is_weighed_like_anything_else(house: World) -> None:
    """An operator's word stands, and what two say otherwise has lost to it; control: without that word it is active."""
    said: dict[str, Any] = {"kind": "service.owner", "form": "fact", "property_name": "service.owner"}
    house.use(TWO_PEOPLE.replace("consent_explicit: true", "consent_explicit: false"))
    web = {**said, "subject": "service:web"}
    standing = house.ana.remember("Sre owns it.", value="team:sre", grade="operator", **web)
    assert standing.claims[0].status == "active"
    house.use(TWO_PEOPLE)
    first, second = (tell(memory, "team:web", **web) for memory in (house.bob, house.dan))
    free, other = (tell(memory, "team:web", **{**said, "subject": "service:api"}) for memory in (house.bob, house.dan))
    house.use(TWO_PEOPLE.replace("consent_explicit: true", "consent_explicit: false"))

    assert moved(house) == {first: "superseded", second: "superseded", free: "active", other: "superseded"}
    assert claim_of(house, standing.claims[0].claim_id).status == "active"
    assert claim_of(house, first).status_reason.startswith("operator")
    assert house.ana.verify(views=True).holds


def test_a_person_who_may_not_maintain_runs_nothing(house: World) -> None:
    """Nor does an agent."""
    assert code_of(lambda: house.dan.maintain("consolidate")) == "principal_may_not"
    assert code_of(lambda: house.agent.maintain("consolidate")) == "principal_may_not"


def test_what_was_consolidated_falls_back_with_either_record(house: World) -> None:
    """To what the other is worth alone; with both it is quarantined."""
    records: dict[str, tuple[str, ...]] = {}
    for subject in ("team:sre", "team:web"):
        first, second = tell(house.bob, subject=subject), tell(house.dan, subject=subject)
        records[subject] = (first, claim_of(house, first).evidence[0], claim_of(house, second).evidence[0])
    assert len(moved(house)) == 4
    for subject, gone, left in (("team:sre", 2, 1), ("team:web", 1, 2)):
        claim_id = records[subject][0]
        house.ana.reject(records[subject][gone], reason="never said")
        claim = claim_of(house, claim_id)
        assert (claim.status, claim.tier) == ("evidence-verified", Tier.UNVERIFIED)
        house.ana.reject(records[subject][left], reason="never said either")
        assert claim_of(house, claim_id).status == "quarantined"
