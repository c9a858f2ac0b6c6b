"""Experience: what makes two observations independent, what a failure is, and by what words two are the same."""

from __future__ import annotations

import time
from typing import Any

import pytest

from heedful.claims.claim import ClaimStatus, Form
from heedful.claims.projections.experience import groups_of, is_provisional, is_tested, observations
from heedful.claims.projections.failures import TEXT_CHARACTERS_MAX, error_line, signature, succeeded
from heedful.kernel.ids import PrincipalId, RecordId, RunId
from heedful.kernel.ladder import Tier
from heedful.kernel.times import SourceTime
from heedful.observations.record import AttributeValue, Channel, Record, SourceGrade
from heedful.testing.builders import NOON_US, build_claim, build_record, scope_of


def seen(number: int, **more: Any) -> Record:
    """What a tool said in run `number`, at second `number`."""
    fields: dict[str, Any] = {
        "grade": SourceGrade.TOOL,
        "channel": Channel.CAPTURE,
        "run_id": RunId(f"run-{number}"),
        "content": "it failed",
        "occurred": SourceTime(NOON_US + number * 1_000_000, 0, "second"),
    }
    return build_record(number, **(fields | more))


def lineage(*records: Record) -> dict[RecordId, Record]:
    """By id."""
    return {record.record_id: record for record in records}


FIRST = seen(1)
SOURCE = seen(9)


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (seen(2, run_id=RunId("run-1")), "one run: a retry"),
        (seen(2, derived_from=(FIRST.record_id,)), "made from it"),
        (seen(2, attributes=(("retry_of", str(FIRST.record_id)),)), "repeats it"),
        (seen(2, occurred=FIRST.occurred), "a copy: the same words of the same instant"),
        (seen(2, grade=SourceGrade.SUMMARY), "a summary"),
        (seen(2, grade=SourceGrade.AGENT), "an agent's word"),
        (seen(2, channel=Channel.AGENT), "through an agent's door"),
        (seen(2, flags=("copied",)), "copied from elsewhere"),
        (seen(2, derived_from=(RecordId("unseen"),)), "made from what nobody sees, which might be it"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_second_observation(second: Record, why: str) -> None:
    """Each of these; the control in another run is one."""
    assert observations([FIRST, second], lineage(FIRST, second)) == 1, why
    assert observations([FIRST, seen(2)], lineage(FIRST, seen(2))) == 2


def test_one_origin_counts_once_over_any_number_of_summaries() -> None:
    """Two copies of two summaries of one thing are one observation."""
    left = seen(2, derived_from=(SOURCE.record_id,), grade=SourceGrade.SUMMARY)
    right = seen(3, derived_from=(SOURCE.record_id,), grade=SourceGrade.SUMMARY)
    copies = [seen(4, derived_from=(left.record_id,)), seen(5, derived_from=(right.record_id,))]
    assert observations(copies, lineage(SOURCE, left, right, *copies)) == 1
    assert observations([*copies, seen(6)], lineage(SOURCE, left, right, *copies, seen(6))) == 2


def test_results_of_two_calls_in_two_runs_are_two() -> None:
    """That each was made from its call ties them to nothing in common."""
    calls = [seen(1), seen(2)]
    results = [seen(place, derived_from=(calls[place - 3].record_id,)) for place in (3, 4)]
    assert observations(results, lineage(*calls, *results)) == 2
    assert len(groups_of([*results, *calls], lineage(*calls, *results))) == 2


def test_without_runs_one_person_is_one_source() -> None:
    """Two people are two; two documents are two."""
    ana = [build_record(place, run_id=None, occurred=SourceTime(NOON_US + place, 0, "second")) for place in (1, 2)]
    bob = build_record(3, principal=PrincipalId("person:bob"))
    assert observations(ana, lineage(*ana)) == 1
    assert observations([*ana, bob], lineage(*ana, bob)) == 2
    pages = [build_record(place, grade=SourceGrade.DOCUMENT, source_ref=f"wiki:{place}") for place in (4, 5)]
    assert observations(pages, lineage(*pages)) == 2


@pytest.mark.parametrize("form", [Form.GOTCHA, Form.PREMISE])
def test_experience_is_provisional_until_a_person_or_a_second_observation(form: Form) -> None:
    """An approval counts where it is active; policy's own activation is nobody's approval. Other forms never are."""
    claim = build_claim(1, form=form)
    assert is_provisional(claim, ())
    assert not is_provisional(claim, {claim.claim_id})
    approved = build_claim(1, form=form, approvals=(PrincipalId("person:bob"),))
    assert not is_provisional(approved, ())
    assert is_provisional(
        build_claim(1, form=form, approvals=approved.approvals, status=ClaimStatus.POLICY_REVIEWED), ()
    )
    assert not is_provisional(build_claim(1, form=form, tier=Tier.OPERATOR), ())
    assert not is_provisional(build_claim(1, form=Form.FACT), ())


def test_a_premise_says_where_and_since_when_it_was_tested() -> None:
    """Both; other forms need neither."""
    here = scope_of("environment:staging")
    assert is_tested("premise", here, NOON_US)
    assert not is_tested("premise", here, None)
    assert not is_tested("premise", scope_of(), NOON_US)
    assert is_tested("gotcha", scope_of(), None)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ((("is_error", True),), False),
        ((("is_error", False),), True),
        ((("passed", True),), True),
        ((("exit_code", 2),), False),
        ((("result.exitCode", 0),), True),
        ((("status", "failed"),), False),
        ((("conclusion", "Success"),), True),
        ((("status", "completed"),), None),
        ((("is_error", False), ("exit_code", 1)), None),
        ((("passed", "yes"), ("exit_code", True)), None),
        ((), None),
    ],
)
def test_how_a_step_went_is_read_from_attributes_alone(
    attributes: tuple[tuple[str, AttributeValue], ...], expected: bool | None
) -> None:
    """Where they differ, or say nothing, nobody knows."""
    assert succeeded(build_record(1, attributes=attributes)) is expected


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Error: upload 118 timed out after 30.5 s", "error: upload 219 timed out after 31 s"),
        ("cannot open /srv/a/config.yaml", "cannot open /home/li/b.yaml"),
        ("request 5f0c1d2e-7a90-4b1e-9c35-0d8e2f6a51b7 was refused", "request 11111111-7a90-4b1e-9c35-0d8e2f6a51b7 was refused"),
        ("commit 1f9ebeb does not build", "commit 2a9ebec0 does not build"),
        ("GET https://a.test/x refused the connection", "GET https://b.test/y?z=1 refused   the connection"),
    ],
)  # fmt: skip
def test_numbers_ids_paths_and_addresses_are_masked(left: str, right: str) -> None:
    """The same failure of two things is the same."""
    assert signature(left) == signature(right)
    assert signature(left) is not None


def test_different_words_are_different_failures_and_too_few_are_none() -> None:
    """An exit code alone could be anything."""
    assert signature("connection refused by peer") != signature("permission denied by peer")
    assert signature("Error: exit code 1") is None
    assert signature("12 34 56") is None
    assert signature("上传失败：连接超时") is not None


def test_the_line_that_tells_the_error_is_read() -> None:
    """Not the exit code above it; without one, the first."""
    assert error_line(build_record(1, content="Exit code 1\nbuilding\nnpm ERR! error: peer missing\nbye")) == (
        "npm ERR! error: peer missing"
    )
    assert error_line(build_record(1, content="\n  out of luck \n")) == "out of luck"
    assert error_line(build_record(1, content=" ")) is None


@pytest.mark.parametrize("piece", ["a", "1", "0f", "/", "http://", "1.", "-", "C:\\", "1,"])
def test_masking_takes_time_in_proportion(piece: str) -> None:
    """The longest text that is read, of one piece over and over."""
    started = time.perf_counter()
    signature(piece * TEXT_CHARACTERS_MAX)
    assert time.perf_counter() - started < 2.0
