"""Grounds: what proves an answer among events, what only looks as if it did, and what is asked for then."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.evidence.grounds.choose import Grounds, choose, gap_numbers, independent_runs, support_ids
from heedful.evidence.grounds.enough import enough
from heedful.evidence.grounds.event import FoundEvent, in_order
from heedful.evidence.grounds.features import NAMES, Asked, features_of
from heedful.evidence.grounds.places import asked_places, places_in
from heedful.evidence.grounds.weights import GAP_WEIGHTS, WEIGHTS
from heedful.evidence.packet import SufficiencyLabel
from heedful.kernel.ids import PrincipalId, RecordId, RunId
from heedful.kernel.ladder import Classification, Consent, Decision, Impact
from heedful.kernel.scope import parse_scope
from heedful.kernel.times import SourceTime
from heedful.observations.record import Channel, Record, RecordType, SourceGrade, Subject
from heedful.recall.request import TaskClass

MINUTE_US = 60_000_000
POOL = (("service", "pool"),)


@dataclass
class Log:
    """Makes events, one a minute, in the order in which they are asked for."""

    made: int = 0

    def event(
        self,
        record_type: RecordType,
        text: str,
        *,
        subjects: tuple[tuple[str, str], ...] = POOL,
        run: str = "r1",
        minute: int | None = None,
        sequence: int | None = None,
        near: float = 0.8,
        derived_from: tuple[str, ...] = (),
    ) -> FoundEvent:
        self.made += 1
        at_us = MINUTE_US * (self.made if minute is None else minute)
        record = Record(
            record_id=RecordId(f"e{self.made:02}"),
            type=record_type,
            grade=SourceGrade.TOOL,
            channel=Channel.CAPTURE,
            principal=PrincipalId("person:ana"),
            scope=parse_scope(["project:payments"]),
            source_ref=None,
            content=text,
            content_base64=None,
            blob=None,
            media_type="text/plain",
            occurred=SourceTime(at_us, 0, "second"),
            run_id=RunId(run),
            sequence=self.made if sequence is None else sequence,
            speaker=None,
            subjects=tuple(Subject(*each) for each in subjects),
            attributes=(),
            classification=Classification.NORMAL,
            consent=Consent.IMPLICIT,
            expected_utility=0.5,
            confidence=1.0,
            retain_days=None,
            derived_from=tuple(RecordId(each) for each in derived_from),
            redactions=(),
            flags=(),
        )
        return FoundEvent(record, near)


def read(log: Log, workers: int, **fields: object) -> FoundEvent:
    return log.event(RecordType.TOOL_RESULT, f'{{"pool": "main", "workers": {workers}}}', **fields)  # type: ignore[arg-type]


def asked(question: str = "How many workers does the pool have now?", task_class: TaskClass = "state") -> Asked:
    return Asked(question, task_class)


def of(grounds: Grounds, event: FoundEvent) -> str:
    """What is said of an event; `!` before that of one that is no grounds."""
    (found,) = [each for each in grounds.found if each.event is event]
    return found.because if found.supports else f"!{found.because}"


def test_the_weights_are_of_the_numbers_that_are_weighed() -> None:
    """One for each name, so that a feature added later is not weighed as another."""
    log = Log()
    ((_, numbers),) = features_of(asked(), [read(log, 4)])
    assert len(WEIGHTS) == len(NAMES) == len(numbers)
    assert len(GAP_WEIGHTS) == len(gap_numbers([numbers], [numbers]))


def test_the_newest_of_its_sort_stands_before_the_one_that_it_replaces() -> None:
    """The old value is a perfect match, and stays behind; without the new one it is the grounds."""
    log = Log()
    old = read(log, 4)
    change = log.event(RecordType.TOOL_CALL, "poolctl set workers=9")
    new = read(log, 9, run="r2")
    check = log.event(RecordType.VERIFICATION, '{"pool": "main", "workers": 9, "status": "ok"}', run="r2")
    noise = log.event(RecordType.TOOL_RESULT, "[main 1eaf906] sort imports", subjects=(("repo", "web"),), near=0.7)
    grounds = choose(asked(), [old, change, new, check, noise])
    order = [each.event for each in grounds.found]
    assert grounds.found[0].event is check
    assert order.index(new) < order.index(old)
    assert old.record.record_id not in support_ids(grounds)
    assert old.record.record_id in support_ids(choose(asked(), [old, noise]))


def test_what_is_of_another_environment_than_the_question_names_is_no_grounds() -> None:
    """However well it fits; where the question names none, it may be."""
    log = Log()
    here = log.event(RecordType.VERIFICATION, "workers=4 ok", subjects=(*POOL, ("env", "staging")), near=0.7)
    there = log.event(RecordType.VERIFICATION, "workers=9 ok", subjects=(*POOL, ("env", "production")), near=0.9)
    named = choose(asked("How many workers does the staging pool have?"), [here, there])
    assert of(named, there) == "!of another environment"
    assert support_ids(named) == {here.record.record_id}
    assert there.record.record_id in support_ids(choose(asked(), [here, there]))


@pytest.mark.parametrize(
    ("question", "subjects", "expected"),
    [
        ("How is it renewed in the EU cluster?", [("env", "eu-k8s"), ("env", "onprem")], {"eu-k8s"}),
        ("Renew it on the on-prem edge.", [("env", "eu-k8s"), ("env", "onprem")], {"onprem"}),
        ("SG 区怎么导出？", [("region", "sg"), ("region", "cn")], {"sg"}),
        ("How is it renewed?", [("env", "eu-k8s"), ("env", "onprem")], None),
    ],
)
def test_the_question_names_one_of_several_things_of_a_sort(
    question: str, subjects: list[tuple[str, str]], expected: set[str] | None
) -> None:
    """By its name, a part of it that no other has, or its name without signs; else none is asked for."""
    log = Log()
    events = [read(log, 1, subjects=(each,)) for each in subjects]
    places = asked_places(question, events)
    sorts = {subjects[0][0]}
    assert {name for sort in sorts for name in places.get(sort, ())} == (expected or set())


@pytest.mark.parametrize(
    ("text", "place"), [("prod", "production"), ("es-prod-5", "production"), ("预发环境", "staging"), ("product", None)]
)
def test_environments_go_by_several_names(text: str, place: str | None) -> None:
    """In both languages, and by whole words: a product is no production."""
    assert places_in([text]) == (frozenset() if place is None else {place})


def test_a_call_and_a_conclusion_prove_nothing() -> None:
    """What was tried is no outcome, and who jumps to a conclusion has seen no more than the others."""
    log = Log()
    call = log.event(RecordType.TOOL_CALL, "poolctl get workers", near=0.95)
    note = log.event(RecordType.HUMAN_NOTE, "The pool always has 9 workers, don't bother.", near=0.95)
    seen = read(log, 4)
    grounds = choose(asked(), [call, note, seen])
    assert of(grounds, call) == "!a call, no outcome"
    assert of(grounds, note) == "!a conclusion, no observation"
    assert support_ids(grounds) == {seen.record.record_id}


def test_what_a_person_says_may_be_the_grounds_of_a_way_of_working() -> None:
    """A duty's condition is a rule for who asks how it is done."""
    log = Log()
    duty = log.event(RecordType.HUMAN_NOTE, "Network duty: reload the pool only after I said so, never before.")
    grounds = choose(asked("How do I reload the pool?", "workflow"), [duty])
    assert support_ids(grounds) == {duty.record.record_id}


def test_sequence_orders_a_run_whatever_the_clock_says() -> None:
    """An event whose clock lies before that of an earlier one of its run comes after that one all the same."""
    log = Log()
    first = read(log, 1, minute=9, sequence=1)
    second = read(log, 2, minute=3, sequence=2)
    other = read(log, 3, run="r2", minute=5, sequence=0)
    assert in_order([second, other, first]) == [other, first, second]


def test_retries_of_one_run_and_copies_are_one_observation() -> None:
    """Three failures of one run, and a copy of the first, count once; a failure of another run is a second one."""
    log = Log()
    retries = [log.event(RecordType.TOOL_RESULT, f"attempt={each} timeout", run="r1") for each in range(3)]
    copy = log.event(RecordType.OBSERVATION, "attempt=0 timeout", run="r2", derived_from=("e01",))
    question = asked("Does the pool always time out?", "gotcha")
    alone = choose(question, [*retries, copy])
    assert independent_runs([each for each in alone.found if each.event in (*retries, copy)]) == 1
    other = log.event(RecordType.TOOL_RESULT, "timeout", run="r3")
    both = choose(question, [*retries, other])
    assert independent_runs(both.found) == 2


def test_one_observation_is_told_as_a_hypothesis() -> None:
    """It answers, with a notice, and never as something that is so."""
    log = Log()
    once = choose(
        asked("Does the pool always time out?", "gotcha"), [log.event(RecordType.TOOL_RESULT, "ERROR pool timeout")]
    )
    told = enough("gotcha", Impact.READ, Grounds(once.found, gap=0.0))
    assert (told.decision, told.sufficiency.label) == (Decision.NOTICE, SufficiencyLabel.INSUFFICIENT)
    assert told.sufficiency.reasons == ("hypothesis-only",)


@pytest.mark.parametrize(
    ("task_class", "impact", "gap", "decision", "label"),
    [
        ("state", Impact.READ, 0.0, Decision.ALLOW, "sufficient"),
        ("state", Impact.READ, 0.9, Decision.ASK, "insufficient"),
        ("state", Impact.PROPOSE, 0.9, Decision.ASK, "insufficient"),
        ("state", Impact.EXECUTE, 0.9, Decision.DENY, "insufficient"),
        ("state", Impact.EXECUTE, 0.0, Decision.REVIEW, "human-review-required"),
        ("workflow", Impact.EXECUTE, 0.0, Decision.REVIEW, "human-review-required"),
        ("causal", Impact.EXECUTE, 0.0, Decision.ASK, "human-review-required"),
        ("causal", Impact.READ, 0.0, Decision.ALLOW, "sufficient"),
    ],
)
def test_nobody_acts_on_grounds_alone(
    task_class: TaskClass, impact: Impact, gap: float, decision: Decision, label: str
) -> None:
    """Questions are answered from grounds; orders go to a person, or are denied where their object is not there."""
    log = Log()
    found = choose(asked(task_class=task_class), [read(log, 4)]).found
    told = enough(task_class, impact, Grounds(found, gap=gap))
    assert (told.decision, told.sufficiency.label.value) == (decision, label)


def test_without_anything_seen_there_are_no_grounds() -> None:
    """Calls alone are none: a question is asked back, an order denied."""
    log = Log()
    grounds = choose(asked(), [log.event(RecordType.TOOL_CALL, "poolctl get workers")])
    assert enough("state", Impact.READ, grounds).decision is Decision.ASK
    assert enough("state", Impact.EXECUTE, grounds).decision is Decision.DENY
    assert enough("state", Impact.READ, choose(asked(), [])).sufficiency.reasons == ("no-grounds",)


@given(st.permutations(range(6)))
def test_the_order_in_which_events_come_changes_nothing(order: list[int]) -> None:
    """Arrival is no order of things."""
    log = Log()
    events = [
        read(log, 4),
        log.event(RecordType.ACTION, "poolctl set workers=9"),
        read(log, 9, run="r2"),
        log.event(RecordType.VERIFICATION, "workers=9 ok", run="r2"),
        log.event(RecordType.HUMAN_NOTE, "9 is planned from Monday."),
        log.event(RecordType.OBSERVATION, "cron cleanup done", subjects=(("job", "cron"),)),
    ]
    told = choose(asked(), [events[place] for place in order])
    assert told == choose(asked(), events)


@given(st.text(max_size=300), st.text(min_size=1, max_size=300))
def test_any_text_is_weighed(text: str, question: str) -> None:
    """Hostile, empty and odd texts give numbers, never an error."""
    log = Log()
    event = log.event(RecordType.TOOL_RESULT, text, subjects=(("sort", text or "x"),))
    (found,) = choose(Asked(question, "state"), [event]).found
    assert 0.0 <= found.sure <= 1.0


def test_a_record_that_is_unfit_is_no_grounds_however_near() -> None:
    """It stays as context, with why; without that it would be one."""
    log = Log()
    old = log.event(RecordType.TOOL_RESULT, "workers=4 ok", near=0.9)
    new = log.event(RecordType.VERIFICATION, "workers=9 ok", near=0.8)
    asked = Asked("How many workers?", "state")
    assert old.record.record_id in support_ids(choose(asked, [old, new])), "the control"
    grounds = choose(asked, [old, new], {old.record.record_id: "of another time"})
    assert support_ids(grounds) == {new.record.record_id}
    (ground,) = [each for each in grounds.found if each.event is old]
    assert (ground.because, ground.is_barred) == ("of another time", True)
