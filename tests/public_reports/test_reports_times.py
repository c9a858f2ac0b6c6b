"""Public reports of relative dates, time zones, plans, clocks, and of whose words they are."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest
from report_beliefs import ANA, ana_of, believing, claims_of, recalled, write
from report_cases import BELIEF_KINDS, Step, load_cases, needs_cases
from report_store import ReportStore

from heedful.claims.claim import ClaimStatus
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.times import format_time, parse_time

pytestmark = needs_cases
SHANGHAI = "Asia/Shanghai"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReportStore]:
    with believing(tmp_path, zone=SHANGHAI) as store:
        yield store


def steps(case_id: str, op: str | None = None) -> list[Step]:
    """The case's steps, or those of one sort."""
    return [step for step in load_cases(BELIEF_KINDS)[case_id].steps if op in (None, step["op"])]


def day(at_us: int | None) -> str:
    """The instant, for a bound that is there."""
    assert at_us is not None
    return format_time(at_us)


@contextmanager
def host_zone(name: str) -> Iterator[None]:
    """The process's own zone, as the variable TZ gives it."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = name
    time.tzset()
    try:
        yield
    finally:
        os.environ.pop("TZ")
        if before is not None:
            os.environ["TZ"] = before
        time.tzset()


def test_b041_relative_words_resolve_against_the_time_of_the_message(store: ReportStore) -> None:
    """The ISO week before it was said, in the zone of the store, with the words beside; never a day of the import."""
    said = steps("B041", "write")[0]
    write(ana_of(store), said["text"], occurred_at=said["said_at"])
    (event,) = claims_of(store)
    assert event.form == "event"
    assert (day(event.valid_from_us), day(event.valid_to_us)) == ("2023-05-14T16:00:00Z", "2023-05-21T16:00:00Z")
    assert said["text"] in event.statement


def test_b043_relative_words_of_a_question_use_its_own_time(store: ReportStore) -> None:
    """The meeting is found by its date, and is none of a later tomorrow."""
    ana, (said,), (by_date, later) = ana_of(store), steps("B043", "write"), steps("B043", "search")
    write(ana, said["text"], occurred_at=said["said_at"])
    found = ana.recall(by_date["query"], scope=ANA).items
    assert [(item.occurred_at or "")[:10] for item in found if said["text"] in item.text] == ["2025-11-19"]
    asked = ana.recall(later["query"], scope=ANA, as_of=later["asked_at"]).items
    assert [item for item in asked if item.item == "claim"] == []
    assert all((item.occurred_at or "").startswith("2025-11-19") for item in asked)


@pytest.mark.parametrize("host", ["UTC", SHANGHAI, "America/Los_Angeles"])
def test_b044_an_expiry_uses_one_clock(tmp_path: Path, host: str) -> None:
    """A day is one of the store's zone: visible to its end, then gone, whatever the host's TZ says."""
    (said,), (before, after) = steps("B044", "write"), steps("B044", "search")
    with host_zone(host), believing(tmp_path, zone=SHANGHAI) as store:
        claim_id = write(ana_of(store), f"The {said['text']} holds until {said['expires']}", occurred_at="2026-08-01")
        held = [recalled(ana_of(store), "offer", step["now"]) for step in (before, after)]
        assert [[item.item_id for item in items] for items in held] == [[claim_id], []]
        assert [day(claim.valid_to_us) for claim in claims_of(store)] == ["2026-08-13T16:00:00Z"]


def test_b045_all_paths_agree_on_valid_until(tmp_path: Path) -> None:
    """Recall, the column in SQL and the sweep give one verdict around the end; a naive time is of the store's zone."""
    ends = "2026-07-23T22:40:00"
    with believing(tmp_path, zone="Europe/Copenhagen") as store:
        ana = ana_of(store)
        claim_id = write(ana, "The lane is closed", kind="said.home", value="closed", until=ends)
        (claim,) = claims_of(store)
        end_us = parse_time(f"{ends}+02:00", field="ends").at_us
        assert claim.valid_to_us == end_us
        with closing(apsw.Connection(str(store.database()))) as connection:
            column = int(str(connection.execute("SELECT valid_to_us FROM claims").fetchall()[0][0]))
        for minutes in (-120, -60, -1, 0, 1, 60, 120):
            at_us = end_us + minutes * 60_000_000
            found = [item.item_id for item in recalled(ana, "lane closed", format_time(at_us))]
            assert (found == [claim_id], column > at_us) == (minutes < 0, minutes < 0)
            naive = format_time(at_us + 7_200_000_000).removesuffix("Z")
            assert [item.item_id for item in recalled(ana, "lane closed", naive)] == found
        assert claims_of(store)[0].status is ClaimStatus.EXPIRED
        with pytest.raises(InvalidInputError) as refused:
            write(ana, "x", kind="said.home", value="x", until="2026-03-29T02:30:00")
        assert refused.value.code == "time_skipped"


def test_b047_a_plan_is_no_fact_yet_and_a_closed_interval_none_still(store: ReportStore) -> None:
    """Rome is current and Oslo a plan with its date; the pass is over. In its time the plan is valid, still as a plan."""
    ana, (rome, oslo, gym) = ana_of(store), steps("B047", "write")
    now, then, passed = steps("B047", "search")
    lives = write(ana, rome["text"], kind="said.home", value="Rome", since=rome["valid_from"])
    plan = write(
        ana,
        oslo["text"],
        kind="said.home",
        value="Oslo",
        form="plan",
        since=oslo["valid_from"],
        occurred_at=oslo["said_at"],
    )
    ana.remember(gym["text"], kind="note", scope=ANA, since=gym["valid_from"], until=gym["valid_until"])
    found = {item.item_id: item for item in recalled(ana, now["query"], now["now"])}
    assert found.keys() == {lives, plan}
    assert ("plan" in found[lives].flags, "plan" in found[plan].flags) == (False, True)
    assert (found[plan].valid_from, found[lives].valid_from) == ("2027-01-31T16:00:00Z", "2023-12-31T16:00:00Z")
    assert recalled(ana, passed["query"], passed["now"]) == []
    assert plan in {item.item_id for item in recalled(ana, then["query"], then["as_of"])}
    moved = write(ana, "I live in Oslo", kind="said.home", value="Oslo", since="2027-02-03")
    then_found = {item.item_id: "plan" in item.flags for item in recalled(ana, then["query"], then["as_of"])}
    assert then_found == {plan: True, moved: False}


def test_b050_a_clock_that_steps_back_reorders_nothing(store: ReportStore) -> None:
    """By sequence, with the times as they were given."""
    memory, rows = store.memory(), steps("B050", "append")
    for row in rows:
        at = format_time(round(row["ts"] * 1_000_000))
        memory.remember(row["id"], scope=ANA, run_id="r", sequence=row["seq"], occurred_at=at)
    stored = store.records_of("user:ana")
    assert [each.record.sequence for each in stored] == [1, 2, 3, 4]
    assert [each.record.occurred.at_us for each in stored] == [round(row["ts"] * 1_000_000) for row in rows]


def test_b050_a_time_ahead_of_the_clock_wins_nothing_by_that(store: ReportStore) -> None:
    """It is flagged; what is said after it is later, whatever it says of itself."""
    ana = ana_of(store)
    ahead = format_time(time.time_ns() // 1_000 + 86_400_000_000)
    first = ana.remember("remember: My favourite player is Ronaldo", scope=ANA, consent="explicit", occurred_at=ahead)
    assert "ahead-of-clock" in first.flags
    second = write(ana, "My favourite player is Messi")
    assert [claim.claim_id for claim in claims_of(store, ClaimStatus.ACTIVE)] == [second]


def imported(store: ReportStore, case_id: str, folder: Path) -> None:
    """The case's messages, as a log of chat completions."""
    (step,) = steps(case_id, "ingest")
    file = folder / "chat.json"
    file.write_text(json.dumps({"model": "m", "messages": step["messages"]}), "utf-8")
    report = store.memory().import_trace(file, scope=ANA)
    assert report.problems == ()


def test_b069_what_the_assistant_said_is_not_what_the_user_said(store: ReportStore, tmp_path: Path) -> None:
    """No claim about the user; the assistant's words are an agent's, under the message's own reference."""
    imported(store, "B069", tmp_path)
    assert claims_of(store) == []
    found = store.memory().recall(steps("B069", "search")[0]["query"] + " recursion loop", scope=ANA).items
    assert [("recursion" in item.text, "agent" in item.source) for item in found if "recursion" in item.text]
    said = [each.record for each in store.records_of("user:ana") if "recursion" in (each.record.content or "")]
    assert [(record.grade, record.source_ref is not None) for record in said] == [("agent", True)]


def test_b071_logs_and_prompts_are_no_durable_facts(store: ReportStore, tmp_path: Path) -> None:
    """Only what the user says of themself may become one, on their word; the rest is kept as source at most."""
    imported(store, "B071", tmp_path)
    messages = steps("B071", "ingest")[0]["messages"]
    ours = [each.record for each in store.records_of("user:ana")]
    assert claims_of(store, ClaimStatus.ACTIVE) == []
    by_user = {record.record_id for record in ours if record.grade == "user"}
    told = [claim for claim in claims_of(store) if not by_user & {*claim.evidence}]
    assert all(not claim.is_reviewed for claim in told)
    grades = {record.content: record.grade for record in ours}
    assert [grades.get(message["content"]) for message in messages if message["role"] == "user"] == ["user"]
    assert all(grades.get(message["content"], "none") != "user" for message in messages if message["role"] != "user")
    kept = write(ana_of(store), messages[-1]["content"])
    assert [claim.claim_id for claim in claims_of(store, ClaimStatus.ACTIVE)] == [kept]
