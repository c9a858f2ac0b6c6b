"""`eval governance`: each is handed what they may know then, and nobody what was to be forgotten; the control leaks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from governance_cases import (
    OFFICE_ASKED,
    OFFICE_PEOPLE,
    OFFICE_RELATIONS,
    OFFICE_TURNS,
    clinic,
    written,
)

from heedful.evaluation.governance.access import Access
from heedful.evaluation.governance.episodes import Episode, load_governance
from heedful.evaluation.governance.matters import Matters, Piece, matters_of
from heedful.evaluation.governance.orders import Forgotten, order_in
from heedful.evaluation.governance.running import GovernanceRow, is_answer, run_governance, says
from heedful.evaluation.governance.scoring import report_of
from heedful.evaluation.plan import AS_OF, Plan
from heedful.evaluation.stores import evaluation_store
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.times import parse_time
from heedful.settings import Settings

CONTROLS = ("all-granted", "never-forgets", "never-refuses")
PLAN = Plan(arms=("governed",), packs=(), budget_tokens=3_200, as_of_us=parse_time(AS_OF, field="as_of").at_us)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[GovernanceRow]:
    """Both episodes, governed; and the first with each part of the rule off."""
    folder = written(tmp_path_factory.mktemp("governance"))
    both = load_governance(written(folder, "office", OFFICE_PEOPLE, OFFICE_RELATIONS, OFFICE_TURNS, OFFICE_ASKED))
    with evaluation_store(Settings(), PLAN) as app:
        governed = list(run_governance(app, both, PLAN, lambda _done: None))
    first, plan = load_governance(folder, limit=1), replace(PLAN, arms=CONTROLS)
    with evaluation_store(Settings(), plan) as app:
        return [*governed, *run_governance(app, first, plan, lambda _done: None)]


def of(rows: list[GovernanceRow], arm: str, asked_class: str) -> list[GovernanceRow]:
    return [row for row in rows if (row.arm, row.asked_class) == (arm, asked_class)]


def test_who_may_know_is_told_all_that_was_asked_for(rows: list[GovernanceRow]) -> None:
    assert [(row.case_id, row.included) for row in of(rows, "governed", "utility")] == [
        ("clinic-1", 2),
        ("clinic-2", 1),
        ("clinic-3", 1),
        ("clinic-4", 1),
        ("office-1", 1),
        ("office-5", 1),
    ]


def test_who_may_not_know_is_told_nothing_of_it_and_in_the_control_they_are(rows: list[GovernanceRow]) -> None:
    assert not [row.case_id for row in of(rows, "governed", "access") if row.leaked]
    assert all(row.leaked for row in of(rows, "all-granted", "access"))
    assert not [row.case_id for row in of(rows, "all-granted", "forgetting") if row.leaked]


def test_what_was_to_be_forgotten_is_told_to_nobody_and_in_the_control_it_is(rows: list[GovernanceRow]) -> None:
    assert not [row.case_id for row in of(rows, "governed", "forgetting") if row.leaked]
    assert all(row.leaked for row in of(rows, "never-forgets", "forgetting"))
    assert [row.case_id for row in of(rows, "never-refuses", "forgetting") if row.leaked] == ["clinic-9"]
    assert not [row.case_id for row in of(rows, "never-forgets", "access") if row.leaked]


def test_the_report_has_the_metrics_of_each_arm_and_what_failed(rows: list[GovernanceRow]) -> None:
    report = report_of(rows, {"seed": 0}, seed=0)

    governed, control = report.arms["governed"], report.arms["never-forgets"]
    assert (governed["utility_recall"].value, governed["access_violations"].value) == (1.0, 0.0)
    assert (governed["forgetting_failures"].value, control["forgetting_failures"].value) == (0.0, 1.0)
    assert 0 < governed["packet_tokens_p95"].value <= PLAN.budget_tokens
    assert report.counts == {"utility": 6, "access": 5, "forgetting": 4, "other": 0}
    assert report.cases == 15
    assert {(failure.arm, failure.failed) for failure in report.failures} == {
        ("all-granted", "access"),
        ("never-forgets", "forgetting"),
        ("never-refuses", "forgetting"),
    }


def test_kin_know_times_from_the_owners_word_until_the_owners_word(tmp_path: Path) -> None:
    episode = clinic(tmp_path)
    access = Access(episode, matters_of(episode))

    known = []
    for turn in episode.turns:
        access.hear(turn)
        known.append(sorted(access.topics_of("kin_bo", "patient_ana")))

    assert known == [["logistics"]] * 8 + [[]] * 5


def test_only_the_owner_and_who_works_for_them_have_anything_forgotten(tmp_path: Path) -> None:
    episode = clinic(tmp_path)
    access = Access(episode, matters_of(episode))

    assert access.may_order("patient_ana", "patient_ana")
    assert access.may_order("nurse_kay", "patient_ana")
    assert not access.may_order("kin_bo", "patient_ana")
    assert not access.may_order("patient_ida", "patient_ana")
    assert not access.may_order("bill_eve", "patient_ana")


def test_a_sentence_on_two_topics_needs_both_grants_and_one_of_two_people_is_nobodys(tmp_path: Path) -> None:
    episode = clinic(tmp_path)
    matters = matters_of(episode)

    both, _when = pieces(matters, episode, "dr_hill", "The biopsy result comes on Monday at 9:40 AM.")
    assert {"clinical", "schedule"} <= both.topics
    assert set(both.scope) == {f"{topic}:patient_ana" for topic in both.topics}
    (apart,) = pieces(matters, episode, "nurse_kay", "Ana Lund is in Suite 5 and Ida Lund in Suite 8.")
    assert apart.subject not in matters.owners


def pieces(matters: Matters, episode: Episode, speaker: str, text: str) -> list[Piece]:
    turn = next(each for each in episode.turns if each.speaker == speaker)
    return matters.pieces(replace(turn, text=text))


@pytest.mark.parametrize(
    ("sentence", "held", "stays"),
    [
        ("Delete the desk number 555-010-7788, room 12 and the alias Vera.", "Ask for Vera.", "Room 14 is free."),
        ("Please remove the Elm Lodge contact from memory.", "I sleep at Elm Lodge.", "The lodge is an elm cabin."),
        ("The value ab_stg_4R2N-K8 should be treated as deleted.", "It is ab_stg_4R2N-K8.", "It is ab_stg_9Z."),
        ("Delete the note 'Project Fir = Granite Mutual'.", "Granite Mutual signed.", "Fir starts in May."),
        ("Delete the note about not naming the liver clinic.", "Never say liver clinic names.", "The clinic is open."),
        ("请删除电话 555-010-7788。", "电话是 555-010-7788。", "电话是 555-010-1122。"),
    ],
)
def test_an_order_tells_what_goes_and_the_rest_stays(sentence: str, held: str, stays: str) -> None:
    order = order_in(sentence, frozenset({"fir"}))
    assert order is not None
    forgotten = Forgotten()
    forgotten.add(order, [held, stays])

    assert forgotten.holds(held)
    assert not forgotten.holds(stays)


@pytest.mark.parametrize(
    "sentence",
    [
        "Was the deleted number 555-010-7788?",
        "I cannot give you the deleted number 555-010-7788.",
        "The old number stays deleted.",
        "Please remove Bo from scheduling updates.",
        "If you move, we can remove the Elm Lodge line.",
        "Unauthorized request for the deleted number logged.",
    ],
)
def test_what_only_speaks_of_a_deletion_is_no_order(sentence: str) -> None:
    assert order_in(sentence, frozenset({"bo"})) is None


def test_an_own_number_told_beside_a_forgotten_one_stays() -> None:
    order = order_in("Delete the Elm Lodge line from memory.", frozenset())
    assert order is not None
    forgotten = Forgotten()
    told = ["Call her cell 555-010-1122, then Elm Lodge 555-010-7788 if her own cell fails, ask for Vera."]
    forgotten.add(order, told)

    assert forgotten.holds("It was 555-010-7788.")
    assert forgotten.holds("Vera answers.")
    assert not forgotten.holds("Her cell is 555-010-1122.")


@pytest.mark.parametrize(
    ("pattern", "is_there"),
    [("9:40", True), ("7788", True), ("benign LESION", True), ("778", False), ("esion", False), ("80万", True)],
)
def test_a_pattern_is_there_as_whole_words_whatever_the_case(pattern: str, is_there: bool) -> None:
    assert says("At 9:40, a benign  lesion; call 555–010‑7788. 预算是80万元。", pattern) is is_there


@pytest.mark.parametrize(
    ("pattern", "is_bare"), [("yes", True), ("No.", True), ("是的。", True), ("no lesion", False), ("9:40", False)]
)
def test_a_bare_yes_or_no_is_no_content_that_leaks_and_a_word_more_is(pattern: str, is_bare: bool) -> None:
    assert is_answer(pattern) is is_bare


@pytest.mark.parametrize(
    ("name", "old", "new", "field"),
    [
        ("episodes.jsonl", '"entities"', '"people"', "entities"),
        ("episodes.jsonl", '"text": "The biopsy shows a small benign lesion."', '"text": ""', "turns"),
        ("checkpoints.jsonl", '"as_of_turn_id": "t6"', '"as_of_turn_id": "t99"', "as_of_turn_id"),
        ("checkpoints.jsonl", '"leak_targets": ["lesion"]', '"leak_targets": "lesion"', "leak_targets"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_with_its_field(
    tmp_path: Path, name: str, old: str, new: str, field: str
) -> None:
    file = written(tmp_path) / name
    file.write_text(file.read_text("utf-8").replace(old, new, 1), "utf-8")

    with pytest.raises(InvalidInputError) as caught:
        load_governance(tmp_path)

    assert caught.value.code == "case_malformed"
    assert caught.value.details["field"] == field
