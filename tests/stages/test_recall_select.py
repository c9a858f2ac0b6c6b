"""Selection: the narrower scope wins where it may, and no untrusted source fills a result alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from packet_builders import a_claim, a_record, a_scope, a_vocabulary, found_claim, found_record, scored

from heedful.claims.claim import Claim, ClaimStatus, Form
from heedful.claims.merge import joins_of
from heedful.kernel.errors import FaultError
from heedful.kernel.ids import KindId, PrincipalId, RecordId, RunId
from heedful.kernel.ladder import Classification, Consent, Tier
from heedful.observations.record import SourceGrade
from heedful.recall.candidate import Candidate, Scored
from heedful.recall.select import SOURCE_PLACES_MIN, contradicted_claims, overridden_claims, select
from heedful.recall.visible import require_visible
from heedful.testing.store_contract.merges import build_merge

LANGUAGE = a_vocabulary(("report.language", "one"))


def language(claim_id: str, value: str, *scope: str, tier: Tier = Tier.UNVERIFIED) -> Claim:
    return a_claim(
        claim_id,
        form=Form.PREFERENCE,
        kind=KindId("report.language"),
        subject="user:ana",
        property="report.language",
        value=value,
        scope=a_scope(*scope),
        tier=tier,
    )


def kept_ids(*claims: Claim, beside: tuple[Claim, ...] = (), places: int = 10) -> list[str]:
    selection = select(
        [scored(found_claim(claim)) for claim in claims],
        beside=beside,
        vocabulary=LANGUAGE,
        grounds={},
        places=places,
    )
    return [one.candidate.item_id for one in selection.kept]


CHINESE = language("m17", "zh", "user:ana")
ENGLISH = language("m42", "en", "user:ana", "project:P")


def test_inside_the_project_the_narrower_preference_wins() -> None:
    """Seed 002: reports in Chinese stays true, while project P in English wins inside P, and the pair is told."""
    selection = select(
        [scored(found_claim(CHINESE), 0.9), scored(found_claim(ENGLISH), 0.1)],
        beside=(),
        vocabulary=LANGUAGE,
        grounds={},
        places=10,
    )
    assert [one.candidate.item_id for one in selection.kept] == ["m42"]
    assert [(pair.general.claim_id, pair.specific.claim_id) for pair in selection.overridden] == [("m17", "m42")]


def test_outside_of_the_project_the_wider_preference_stands() -> None:
    """Where only the wider one is visible nothing is overridden."""
    assert kept_ids(CHINESE) == ["m17"]


def test_the_narrower_claim_takes_the_place_even_with_one_place_left() -> None:
    """The wider one never pushes out the one that it gives way to."""
    assert kept_ids(CHINESE, a_claim("other"), ENGLISH, places=1) == ["m42"]


def test_a_narrower_claim_stands_in_for_one_in_mind_before_all_others() -> None:
    """A claim in mind that gives way to a retrieved one is replaced by it, whatever its score."""
    assert kept_ids(a_claim("other"), ENGLISH, beside=(CHINESE,), places=1) == ["m42"]


@pytest.mark.parametrize(
    ("general", "specific"),
    [
        (replace(CHINESE, tier=Tier.SYSTEM), ENGLISH),
        (CHINESE, replace(ENGLISH, status=ClaimStatus.PROPOSED)),
        (CHINESE, replace(ENGLISH, form=Form.PLAN)),
        (CHINESE, replace(ENGLISH, subject="user:bo")),
        (CHINESE, language("m42", "en", "project:P")),
        (CHINESE, replace(ENGLISH, scope=CHINESE.scope)),
    ],
    ids=["higher tier", "unreviewed", "other form", "other subject", "no superset", "same scope"],
)
def test_nothing_gives_way_without_every_condition(general: Claim, specific: Claim) -> None:
    """A narrower scope is no authority; unlike claims stand side by side."""
    assert kept_ids(general, specific) == ["m17", "m42"]


def test_values_of_a_kind_with_many_values_stand_side_by_side() -> None:
    """Two allergies do not conflict, and neither hides the other."""
    many = a_vocabulary(("report.language", "many"))
    assert overridden_claims([CHINESE, ENGLISH], many) == ()
    assert overridden_claims([CHINESE, ENGLISH], a_vocabulary()) == ()
    assert len(overridden_claims([CHINESE, ENGLISH], LANGUAGE)) == 1


def test_of_three_scopes_the_narrowest_wins() -> None:
    """Both wider ones give way to it."""
    narrowest = language("m99", "fr", "user:ana", "project:P", "task:1")
    pairs = overridden_claims([CHINESE, ENGLISH, narrowest], LANGUAGE)
    assert [(pair.general.claim_id, pair.specific.claim_id) for pair in pairs] == [("m17", "m99"), ("m42", "m99")]


def test_of_two_subjects_that_are_one_the_narrower_scope_wins_as_well() -> None:
    """While nobody merged them, both stand (the control)."""
    other = replace(ENGLISH, subject="person:anna")
    joins = joins_of([replace(build_merge(1), subject=CHINESE.subject, other=other.subject)])
    assert overridden_claims([CHINESE, other], LANGUAGE) == ()
    assert len(overridden_claims([CHINESE, other], LANGUAGE, joins)) == 1


def test_a_contradiction_takes_one_scope_one_time_and_two_values() -> None:
    """True and 1 are two values; the same value twice, or at another time, is no contradiction."""
    other = language("m58", "en", "user:ana")
    assert contradicted_claims([CHINESE, other], LANGUAGE) == {"m17", "m58"}
    assert contradicted_claims([CHINESE, replace(other, value="zh")], LANGUAGE) == frozenset()
    assert (
        contradicted_claims([replace(CHINESE, valid_to_us=5), replace(other, valid_from_us=5)], LANGUAGE) == frozenset()
    )
    assert contradicted_claims([replace(CHINESE, value=1), replace(other, value=True)], LANGUAGE) == {"m17", "m58"}


def fill(count: int, **changes: object) -> list[Scored]:
    return [scored(found_record(a_record(f"r{at}", f"text {at}", **changes))) for at in range(count)]


def test_one_untrusted_run_fills_at_most_its_share() -> None:
    """Of ten places a run of tool results gets four; the rest goes on, and what was held back is told."""
    others = [scored(found_record(a_record("other", run_id=RunId("run-2"))), 0.1)]
    selection = select([*fill(9), *others], beside=(), vocabulary=LANGUAGE, grounds={}, places=10)
    assert [one.candidate.item_id for one in selection.kept] == ["r0", "r1", "r2", "r3", "other"]
    assert selection.held_back == ("r4", "r5", "r6", "r7", "r8")


def test_a_source_always_gets_its_least_places() -> None:
    """A share of few places does not round down to nothing."""
    selection = select(fill(5), beside=(), vocabulary=LANGUAGE, grounds={}, places=3)
    assert len(selection.kept) == SOURCE_PLACES_MIN


def test_a_persons_own_words_have_no_cap() -> None:
    """The control: the same records by a user fill every place."""
    selection = select(fill(12, grade=SourceGrade.USER), beside=(), vocabulary=LANGUAGE, grounds={}, places=10)
    assert len(selection.kept) == 10
    assert selection.held_back == ()


def test_unreviewed_claims_count_for_the_source_that_they_rest_on() -> None:
    """A run cannot fill a result with proposals made from its own output; reviewed claims are not capped."""
    grounds = {RecordId(f"e{at}"): a_record(f"e{at}") for at in range(8)}
    claims = [
        a_claim(f"c{at}", evidence=(RecordId(f"e{at}"),), status=ClaimStatus.PROPOSED, approvals=()) for at in range(8)
    ]
    found = [scored(found_claim(claim)) for claim in claims]
    reviewed = [scored(found_claim(replace(claim, status=ClaimStatus.ACTIVE))) for claim in claims]
    assert len(select(found, beside=(), vocabulary=LANGUAGE, grounds=grounds, places=10).kept) == 4
    assert len(select(found, beside=(), vocabulary=LANGUAGE, grounds={}, places=10).kept) == 4
    assert len(select(reviewed, beside=(), vocabulary=LANGUAGE, grounds=grounds, places=10).kept) == 8


def test_a_document_is_one_source_whoever_brings_it() -> None:
    """The same document in many runs still gets one share; without a run the principal counts."""
    by_runs = [
        scored(
            found_record(
                a_record(f"r{at}", f"t{at}", grade=SourceGrade.DOCUMENT, source_ref="doc-1", run_id=RunId(f"run-{at}"))
            )
        )
        for at in range(8)
    ]
    no_run = fill(8, run_id=None, principal=PrincipalId("agent:x"))
    for found in (by_runs, no_run):
        assert len(select(found, beside=(), vocabulary=LANGUAGE, grounds={}, places=10).kept) == 4


def test_a_row_that_may_not_be_seen_stops_everything() -> None:
    """A store that breaks its promise is a fault, for scope, classification and consent alike."""
    scopes = [a_scope("project:payments")]
    require_visible([found_record(a_record()), found_claim(a_claim())], scopes, Classification.NORMAL, (), {})
    for record in (
        a_record(scope=a_scope("project:other")),
        a_record(classification=Classification.RESTRICTED),
        a_record(consent=Consent.DENIED),
    ):
        with pytest.raises(FaultError, match="may not see") as caught:
            require_visible([found_record(record)], scopes, Classification.SENSITIVE, (), {})
        assert record.record_id not in caught.value.message


def test_a_row_of_a_denied_kind_stops_everything() -> None:
    """A claim of the kind or below it, and what a claim of it rests on; not what merely begins alike."""
    scopes = [a_scope("project:payments")]
    record, claim = a_record(), a_claim(kind=KindId("health.diet"))
    rows: list[Candidate] = [found_record(record), found_claim(claim)]
    rest: dict[str, list[str]] = {record.record_id: [], claim.claim_id: []}
    for denied in ((), ("healthy",), ("healt",), ("health.diet.nuts",)):
        require_visible(rows, scopes, Classification.NORMAL, denied, rest)
    under = {record.record_id: ["note", "health"], claim.claim_id: ["money"]}
    for denied, found in ((("health",), rows[1]), (("health",), rows[0]), (("money",), rows[1])):
        with pytest.raises(FaultError, match="may not see"):
            require_visible([found], scopes, Classification.NORMAL, denied, under)
