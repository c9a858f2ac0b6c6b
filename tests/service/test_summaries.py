"""Summaries and reflections: linked to every source, known no wider than those, and believed by nobody's leave alone."""

from __future__ import annotations

from typing import Any

import pytest
from worlds import FREEZE, PROJECT, TWO_PEOPLE, World, code_of, house_fixture  # noqa: F401  # pytest finds the fixture

from heedful.claims.claim import Claim
from heedful.ledger.events import RecordRefused

SUMMARY: dict[str, Any] = {"grade": "summary"}


def kept(house: World, **more: Any) -> str:
    """The id of a record that Ana kept."""
    return house.ana.remember("The audit is on the ninth.", **more).record_id


def claim_of(house: World, claim_id: str) -> Claim:
    """The claim as Ana sees it."""
    claim, _ = house.ana.show(claim_id)
    assert isinstance(claim, Claim)
    return claim


@pytest.mark.parametrize("speaker", ["ana", "agent"])
def test_a_summary_of_nothing_named_is_refused(house: World, speaker: str) -> None:
    """By whoever tells it; with a link it is kept, and a note that is no summary needs none."""
    memory = getattr(house, speaker)
    refused = memory.remember("They prefer mornings.", **SUMMARY)

    assert (refused.outcome, refused.reasons) == ("refused", ("summary-without-sources",))
    assert [event.reasons for event in house.events() if isinstance(event, RecordRefused)] == [refused.reasons]
    linked = memory.remember("They prefer mornings.", **SUMMARY, derived_from=[kept(house)])
    assert linked.outcome == "admitted"
    assert memory.remember("They prefer mornings.").outcome == "admitted"


def test_every_source_is_evidence_in_sight_and_known_where_the_summary_is(house: World) -> None:
    """One that is hidden is answered like one that is not there."""
    good, secret = kept(house), kept(house, classification="restricted")
    narrow, withdrawn = kept(house, scope=(*PROJECT, "environment:staging")), kept(house)
    house.ana.reject(withdrawn, reason="wrong")

    for bad in (secret, narrow, withdrawn, "nothing"):
        attempt = {"derived_from": [good, bad], **SUMMARY}
        assert code_of(lambda more=attempt: house.agent.remember("In short: the ninth.", **more)) == "source_unfit"  # type: ignore[misc]
    with pytest.raises(Exception, match="is there for you") as hidden:
        house.agent.remember("x", **SUMMARY, derived_from=[secret])
    with pytest.raises(Exception, match="is there for you") as absent:
        house.agent.remember("x", **SUMMARY, derived_from=["nothing"])
    assert str(hidden.value).replace(secret, "nothing") == str(absent.value)
    assert house.ana.remember("x", **SUMMARY, derived_from=[narrow], scope=(*PROJECT, "environment:staging")).record_id


def test_a_summary_is_known_no_wider_than_its_strictest_source(house: World) -> None:
    """Whatever it says of itself; so is what is claimed of it. Saying it again keeps it once."""
    sources = [kept(house, consent="explicit"), kept(house, classification="restricted")]
    told = {**SUMMARY, "derived_from": sources, "kind": "note", "consent": "explicit", "source_ref": "s1"}
    summary = house.ana.remember("In short: the ninth.", **told)

    claim = claim_of(house, summary.claims[0].claim_id)
    assert (claim.classification, claim.consent) == ("restricted", "implicit")
    assert code_of(lambda: house.dan.show(summary.record_id)) == "item_not_found"
    assert house.ana.remember("In short: the ninth.", **told).duplicate


def test_what_a_summary_or_a_reflection_concludes_is_a_proposal(house: World) -> None:
    """Form inference, the least authority, and approved by no policy, also of operators' words; a person's own word is."""
    house.use(TWO_PEOPLE.replace("forms: [preference, fact]", "forms: [preference, fact, inference, constraint]"))
    fact: dict[str, Any] = {"kind": "note", "form": "fact", "consent": "explicit"}
    sources = [kept(house, grade="operator", consent="explicit")]
    of_summary = house.ana.remember("So it is always the ninth.", **fact, **SUMMARY, derived_from=sources)
    reflected = house.agent.remember("So it is always the ninth.", **fact, derived_from=sources)
    ruled = house.ana.remember("So never deploy on the ninth.", kind=FREEZE, **SUMMARY, derived_from=sources)
    for answer in (of_summary, reflected, ruled):
        claim = claim_of(house, answer.claims[0].claim_id)
        assert (claim.form, claim.tier.name, claim.status) == ("inference", "UNVERIFIED", "evidence-verified")

    assert house.ana.remember("It is on the ninth.", **fact).claims[0].status == "active"


def test_a_summary_goes_with_each_of_its_sources(house: World) -> None:
    """Over any number of summaries; and comes back where that source does. Control: one of other sources stays."""
    first, second = kept(house), kept(house)
    told = {"kind": "note", **SUMMARY}
    summary = house.agent.remember("In short: the ninth.", **told, derived_from=[first, second])
    shorter = house.ana.remember("The ninth.", **told, derived_from=[summary.record_id])
    other = house.ana.remember("The ninth.", **told, derived_from=[second])

    house.ana.reject(first, reason="wrong")
    statuses = [claim_of(house, each.claims[0].claim_id).status for each in (summary, shorter, other)]
    assert statuses == ["quarantined", "quarantined", "evidence-verified"]
