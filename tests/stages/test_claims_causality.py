"""Causality: an edge is explicit where a record says so, and a hypothesis where two things are merely near."""

from __future__ import annotations

import time
from typing import Any

import pytest

from heedful.claims.projections.causality import Edge, Sort, edges_among, in_order
from heedful.claims.projections.identifiers import (
    LISTED_MAX,
    TEXT_CHARACTERS_MAX,
    environment_of,
    identifiers_of,
    may_be_one_place,
    place_of,
)
from heedful.kernel.ids import RecordId, RunId
from heedful.kernel.times import SourceTime
from heedful.observations.record import Channel, Record, RecordType, SourceGrade, Subject
from heedful.testing.builders import NOON_US, build_record, scope_of

SHA = "1f9ebeb0c3a94d5e6f708192a3b4c5d6e7f80912"
CHECKOUT = (Subject("deployment", "checkout-7"),)


def a(number: int, record_type: RecordType, content: str = "", **more: Any) -> Record:
    """The record of a run's second `number`."""
    fields: dict[str, Any] = {
        "type": record_type,
        "grade": SourceGrade.TOOL,
        "channel": Channel.CAPTURE,
        "content": content,
        "scope": scope_of("project:payments"),
        "occurred": SourceTime(NOON_US + number * 1_000_000, 0, "second"),
    }
    return build_record(number, **(fields | more))


def told(edges: tuple[Edge, ...], *records: Record) -> set[tuple[int, int, str, str]]:
    """(place of cause, place of effect, sort, link) of each edge."""
    places = {record.record_id: place for place, record in enumerate(records)}
    return {(places[edge.cause_id], places[edge.effect_id], edge.sort.value, edge.link) for edge in edges}


CALL, RESULT, ACTION = RecordType.TOOL_CALL, RecordType.TOOL_RESULT, RecordType.ACTION
SEEN, CHECK, NOTE = RecordType.OBSERVATION, RecordType.VERIFICATION, RecordType.HUMAN_NOTE


def test_a_result_is_tied_to_its_call_by_the_calls_own_name() -> None:
    """In its run alone; another call's result is not."""
    call = a(1, CALL, attributes=(("tool_use_id", "t1"),), run_id=RunId("r1"))
    result = a(2, RESULT, attributes=(("tool_use_id", "t1"),), run_id=RunId("r1"))
    other = a(3, RESULT, attributes=(("tool_use_id", "t2"),), run_id=RunId("r1"))
    elsewhere = a(4, RESULT, attributes=(("tool_use_id", "t1"),), run_id=RunId("r2"))
    records = (call, result, other, elsewhere)
    assert told(edges_among(records), *records) == {(0, 1, "explicit", "tool-call")}


@pytest.mark.parametrize(
    ("did", "saw"),
    [
        (f"pushed {SHA}", "production runs 1f9ebeb"),
        ("image web@sha256:" + "ab12" * 16, "running sha256:ab12ab12ab12"),
        ("POST /orders request_id=req-8841aa", "500 for request id req-8841aa"),
        ("traceparent 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "trace_id=4bf92f3577b34da6a3ce929d0e0e4736"),
        ("started run #482", "run 482".replace(" ", " #") + " failed"),
        ("job number 17 queued", "job #17: exit 1"),
        ("triggered build 512", "build 512 is green"),
        ("触发构建 512", "构建 512 失败"),
        ("merged PR 231", "https://example.test/acme/web/pull/231 broke the build"),
        ("applied CHG-4411", "change CHG-4411 was rolled out"),
        ("opened INC0012345", "INC0012345: disk full"),
        ("ran migration 0042_add_currency", "migration 42: column currency is there"),
        ("flyway V12__orders.sql", "migration 12 applied"),
    ],
)  # fmt: skip
def test_a_later_state_that_names_what_an_action_named_is_its_effect(did: str, saw: str) -> None:
    """By each sort of name; what was seen before is not, and a state that names something else is not."""
    action, seen = a(2, ACTION, did), a(3, SEEN, saw)
    earlier = a(1, SEEN, saw)
    other = a(4, SEEN, "nothing of the kind, version 3 of 9")
    records = (earlier, action, seen, other)
    assert told(edges_among(records), *records) == {(1, 2, "explicit", "names")}


def test_near_in_time_on_one_subject_is_a_hypothesis() -> None:
    """The pair of seed 003: two deploys of one thing, one after the other, caused nothing of each other."""
    first = a(1, ACTION, "deployed", subjects=CHECKOUT)
    second = a(2, SEEN, "errors rise", subjects=CHECKOUT)
    (edge,) = edges_among((first, second))
    assert (edge.sort, edge.link, edge.is_proof, edge.is_relation) == (Sort.HYPOTHESIS, "adjacent", False, False)
    assert "nothing ties the two" in edge.because
    elsewhere = a(3, SEEN, "errors rise", subjects=(Subject("deployment", "search-1"),))
    assert edges_among((first, elsewhere)) == ()


def test_a_link_that_is_written_down_goes_before_a_guess_at_the_same_pair() -> None:
    """One edge a pair, the surer one."""
    did, saw = a(1, ACTION, "pushed 1f9ebeb", subjects=CHECKOUT), a(2, SEEN, "1f9ebeb is up", subjects=CHECKOUT)
    assert [edge.sort for edge in edges_among((did, saw))] == [Sort.EXPLICIT]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "explicit"),
        ({"grade": SourceGrade.USER, "channel": Channel.PERSON}, "explicit"),
        ({"grade": SourceGrade.AGENT}, "hypothesis"),
        ({"grade": SourceGrade.SUMMARY}, "hypothesis"),
        ({"grade": SourceGrade.DOCUMENT}, "hypothesis"),
        ({"grade": SourceGrade.AGENT, "channel": Channel.AGENT}, "hypothesis"),
    ],
)
def test_a_declared_cause_counts_by_who_declares_it(fields: dict[str, Any], expected: str) -> None:
    """What an agent, a summary or a document says of causes is a guess that somebody made."""
    cause = a(1, ACTION)
    effect = a(2, SEEN, attributes=(("caused_by", str(cause.record_id)),), **fields)
    assert told(edges_among((cause, effect)), cause, effect) == {(0, 1, expected, "caused-by")}
    by_reference = a(3, SEEN, attributes=(("caused_by", "source/1"),), **fields)
    assert told(edges_among((cause, by_reference)), cause, by_reference) == {(0, 1, expected, "caused-by")}


def test_a_cause_that_came_later_is_no_cause() -> None:
    """Whoever declares it."""
    effect = a(1, SEEN, attributes=(("caused_by", str(a(2, ACTION).record_id)),))
    assert [edge.sort for edge in edges_among((effect, a(2, ACTION)))] == [Sort.HYPOTHESIS]


def test_what_was_made_from_a_record_is_tied_to_it() -> None:
    """Through an agent's door it is the agent's word."""
    source = a(1, RESULT)
    copy = a(2, NOTE, derived_from=(source.record_id,))
    agents = a(3, NOTE, derived_from=(source.record_id,), grade=SourceGrade.AGENT, channel=Channel.AGENT)
    records = (source, copy, agents)
    assert told(edges_among(records), *records) == {
        (0, 1, "explicit", "derived-from"),
        (0, 2, "hypothesis", "derived-from"),
    }


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"scope": scope_of("environment:staging")}, {"scope": scope_of("environment:production")}),
        ({"scope": scope_of("project:payments")}, {"scope": scope_of("project:search")}),
        ({"attributes": (("environment", "staging"),)}, {"attributes": (("environment", "production"),)}),
        ({"content": "staging: 1f9ebeb"}, {"content": "prod: 1f9ebeb"}),
        ({"content": "预发 1f9ebeb"}, {"content": "线上 1f9ebeb"}),
    ],
)
def test_nothing_is_tied_across_environments(left: dict[str, Any], right: dict[str, Any]) -> None:
    """One commit in staging and in production is two matters; in one place it is one."""
    named = {"content": "1f9ebeb"}
    did, saw = a(1, ACTION, subjects=CHECKOUT, **(named | left)), a(2, SEEN, subjects=CHECKOUT, **(named | right))
    assert edges_among((did, saw)) == ()
    here = a(3, SEEN, **(named | left))
    assert [edge.is_proof for edge in edges_among((did, here))] == [True]


def test_a_number_means_something_within_one_project_alone() -> None:
    """Run 482 of another scope is another run; a commit is the same everywhere."""
    did = a(1, ACTION, "run #482 of 1f9ebeb", scope=scope_of("project:payments"))
    number = a(2, SEEN, "run #482", scope=scope_of("team:sre"))
    commit = a(3, SEEN, "1f9ebeb", scope=scope_of("team:sre"))
    records = (did, number, commit)
    assert told(edges_among(records), *records) == {(0, 2, "explicit", "names")}


def test_looking_causes_nothing() -> None:
    """A call that only reads, and its result, are passed over for the action before them; control: without that."""
    did, looked, seen = a(1, ACTION, "pushed 1f9ebeb"), a(2, RESULT, "1f9ebeb"), a(3, CHECK, "1f9ebeb is healthy")
    records = (did, looked, seen)
    assert (0, 2, "explicit", "names") in told(edges_among(records, reads={looked.record_id}), *records)
    assert (1, 2, "explicit", "names") in told(edges_among(records), *records)


def test_a_list_of_many_names_is_about_none_of_them() -> None:
    """A log of commits caused none of them; a few are named still."""
    few = " ".join(f"1f9ebe{place:x}" for place in range(LISTED_MAX))
    many = f"{few} 2f9ebeb"
    assert len(identifiers_of(a(1, RESULT, few))) == LISTED_MAX
    assert identifiers_of(a(1, RESULT, many)) == frozenset()


@pytest.mark.parametrize(
    "text",
    [
        "version 1.2.3 of 12 tests", "defaced accede", "1234567", "UTF-8 and SHA-256, CVE-2024", "run 3 of 5 tests",
        "request id missing", "5f0c1d2e-7a90-4b1e-9c35-0d8e2f6a51b7", "the job took 17 minutes", "order 66",
    ],
)  # fmt: skip
def test_ordinary_words_and_numbers_name_nothing(text: str) -> None:
    """A tie that is not there is worse than one that is missed."""
    assert identifiers_of(a(1, RESULT, text)) == frozenset()


def test_within_a_run_the_sequence_orders_whatever_the_clock_says() -> None:
    """A clock that was set back turns no effect into a cause."""
    run = {"run_id": RunId("r1")}
    did = a(9, ACTION, "pushed 1f9ebeb", sequence=1, **run)
    saw = a(2, SEEN, "1f9ebeb", sequence=2, **run)
    assert [record.record_id for record in in_order((saw, did))] == [did.record_id, saw.record_id]
    assert told(edges_among((did, saw)), did, saw) == {(0, 1, "explicit", "names")}


def test_the_environment_is_told_by_scope_attribute_subject_or_the_only_one_named() -> None:
    """Two that are named tell none."""
    assert environment_of(a(1, SEEN, "x", scope=scope_of("environment:prod"))) == "production"
    assert environment_of(a(1, SEEN, "x", subjects=(Subject("environment", "qa"),))) == "qa"
    assert environment_of(a(1, SEEN, "from staging to production")) is None
    assert environment_of(a(1, SEEN, "no place")) is None
    assert may_be_one_place(place_of(a(1, SEEN, "no place")), place_of(a(2, SEEN, "staging")))
    assert not may_be_one_place(place_of(a(1, SEEN, "in production")), place_of(a(2, SEEN, "staging")))


@pytest.mark.parametrize(
    "piece", ["a", "1", "0f", "run #", "request_id=", "sha256:", "A-", "V1__", "migration ", "/pull/", "-"]
)
def test_reading_takes_time_in_proportion(piece: str) -> None:
    """The longest text that is read, of one piece over and over, is read at once."""
    record = a(1, RESULT, piece * TEXT_CHARACTERS_MAX)
    started = time.perf_counter()
    identifiers_of(record)
    assert time.perf_counter() - started < 2.0


def _alike(count: int) -> list[Record]:
    """So many steps that name one ticket, in turn of two environments, each with a long text."""
    kinds = (ACTION, RESULT, SEEN)
    places = "staging", "production"
    words = "the output goes on and names nothing more " * 45
    return [a(n, kinds[n % 3], f"CHG-4411 in {places[n % 2]} {words}") for n in range(1, count + 1)]


@pytest.mark.parametrize("count", [250, 1_000])
def test_each_text_is_read_for_its_place_once_however_many_name_one_thing(
    monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """Counted, so that no clock decides it: 1,000 records that named one ticket once took half a minute."""
    from heedful.claims.projections import identifiers  # noqa: PLC0415

    read: list[RecordId] = []
    sound = identifiers.environment_of

    def counted(record: Record) -> str | None:
        read.append(record.record_id)
        return sound(record)

    monkeypatch.setattr(identifiers, "environment_of", counted)
    edges = edges_among(_alike(count))
    assert len(read) == len(set(read)) <= count
    # The control: the places were looked at, and tell the two environments apart.
    assert len(edges) > count / 4
    numbers = {record.record_id: n for n, record in enumerate(_alike(count))}
    assert all((numbers[edge.cause_id] - numbers[edge.effect_id]) % 2 == 0 for edge in edges)


def test_the_same_records_in_any_order_give_the_same_edges() -> None:
    """Byte for byte."""
    records = [
        a(place, kind, "1f9ebeb", subjects=CHECKOUT) for place, kind in enumerate((ACTION, RESULT, SEEN, CHECK), 1)
    ]
    assert edges_among(records) == edges_among(reversed(records)) == edges_among([*records, *records])
    assert all(edge.cause_id != edge.effect_id for edge in edges_among(records))
    assert edges_among(()) == ()
    assert RecordId(records[0].record_id) in {edge.cause_id for edge in edges_among(records)}
