"""Runs on real stores: what is told, asked and counted is what the words say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from paired_cases import CHATTER, SETTINGS, freeze, plan, row_of, run, told, written

from heedful.evaluation.datasets import Case, load_cases
from heedful.evaluation.plan import BRIDGE_FIRST, HYBRID, arms_named
from heedful.evaluation.rows import ResultRow, write_rows
from heedful.evaluation.telling import in_order
from heedful.kernel.errors import InvalidInputError, UnavailableError, UnsupportedError


def without_latency(rows: tuple[ResultRow, ...]) -> list[ResultRow]:
    """What of the rows must be the same at every run."""
    return [replace(each, latency_ms=0.0) for each in rows]


def case_of(folder: Path, **fields: object) -> Case:
    """The case as it is read."""
    return load_cases(written(folder, freeze(**fields))).cases[0]


def test_a_memory_comes_to_mind_by_a_bridge_and_is_silent_beside_the_point(tmp_path: Path) -> None:
    """Stored, found when asked for, brought for the deploy, and not brought for what has its words or none of them."""
    rows, report = run(tmp_path, freeze())

    indirect = row_of(rows, "indirect")
    assert (indirect.stored, indirect.present, indirect.activated, indirect.bridge_valid) == (True, True, True, True)
    assert "deploy.freeze" in indirect.reason
    assert indirect.kinds == ("release.freeze 1 evidence-verified",)
    assert any(each.startswith("deploy.production 0.9") for each in indirect.classes)
    assert row_of(rows, "direct").present
    assert row_of(rows, "direct").reason == "retrieved"
    assert not row_of(rows, "topic_negative").activated
    assert not row_of(rows, "lexical_negative").activated
    assert report.arms[BRIDGE_FIRST]["indirect_activation"].value == 1.0
    assert report.cases == 1


def test_without_bridges_the_same_memory_stays_where_it_is(tmp_path: Path) -> None:
    """The pre-router is off for that arm alone: the arm after it has its bridges again, before an update and after."""
    rows, _ = run(tmp_path, freeze(), arms=(HYBRID, BRIDGE_FIRST))

    off = row_of(rows, "indirect", arm=HYBRID)
    assert (off.stored, off.activated, off.reason) == (True, False, "the pre-router is off")
    assert row_of(rows, "direct", arm=HYBRID).present
    assert row_of(rows, "indirect").activated
    assert row_of(rows, "after_update").activated
    assert not row_of(rows, "after_update", arm=HYBRID).activated


def test_every_arm_answers_every_question(tmp_path: Path) -> None:
    """Arms without bridges activate nothing, and say so by the intervals of a share of 0."""
    rows, report = run(tmp_path, freeze(expected_decision="review"), arms=arms_named(["all"], (1, 3)))

    assert list(report.arms) == list(arms_named(["all"], (1, 3)))
    for arm, metrics in report.arms.items():
        activated = metrics["indirect_activation"]
        assert activated.value == (1.0 if arm == BRIDGE_FIRST else 0.0), arm
        assert ("decision_exact" in metrics) == (arm in (HYBRID, BRIDGE_FIRST))
        assert ("stored" in metrics) == (arm in (HYBRID, BRIDGE_FIRST))
    assert report.arms["oracle"]["indirect_presence"].value == 1.0
    assert report.arms["none"]["packet_tokens_mean"].value == 0.0
    assert report.arms["always-visible"]["packet_tokens_mean"].value > report.arms["oracle"]["packet_tokens_mean"].value
    assert report.baselines["always-review"]["decision_exact"].value == 1.0
    assert {each.probe for each in rows if each.arm == "bm25"} == {
        "direct",
        "indirect",
        "topic_negative",
        "lexical_negative",
        "after_update",
    }


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"memory": "Grandmother's soup needs a pinch of salt."}, "no claim"),
        ({"indirect_query": "Tell me a story about a dragon."}, "class not recognised"),
        ({"memory": told("Nothing ships.", not_for="deploy")}, "not_for"),
        ({"memory": told("Nothing shipped.", since="2025-01-01", until="2026-01-01")}, "expired"),
        ({"memory": told("Ask the lead.", applies_to="migrate")}, "class not recognised"),
    ],
)
def test_what_does_not_come_to_mind_is_explained(tmp_path: Path, fields: dict[str, str], reason: str) -> None:
    """By the first thing that stands in its way."""
    rows, report = run(tmp_path, freeze(update=None, **fields))

    indirect = row_of(rows, "indirect")
    assert not indirect.activated
    assert indirect.reason.startswith(reason)
    (failure,) = [each for each in report.failures if each.probe == "indirect"]
    assert "state_activated" in failure.failed
    assert ("state_stored" in failure.failed) == (reason == "no claim")


def test_a_threshold_above_the_urgency_is_the_reason(tmp_path: Path) -> None:
    """And the sweep shows where the memory stops coming."""
    rows, _ = run(tmp_path, freeze(), settings=replace(SETTINGS, urgency_min=1.0))
    assert row_of(rows, "indirect").reason.startswith("below urgency: release.freeze at 0.")

    _, report = run(tmp_path, freeze(), swept=(0.1, 1.0))
    assert [point.urgency_min for point in report.curve] == [0.1, 1.0]
    assert [point.metrics["indirect_activation"].value for point in report.curve] == [1.0, 0.0]
    assert report.arms[BRIDGE_FIRST]["indirect_activation"].value == 1.0


def test_another_scope_sees_nothing_and_one_that_has_it_does(tmp_path: Path) -> None:
    """The question is asked elsewhere; the control asks it, by name, where the memory is at home."""
    hidden, _ = run(tmp_path, freeze(scope="payments", other_scope_negative=freeze()["indirect_query"]))
    row = row_of(hidden, "other_scope")
    assert (row.present, row.activated, row.reason) == (False, False, "other scope")

    at_home = {"text": freeze()["indirect_query"], "scope": ["project:payments"]}
    seen, report = run(tmp_path, freeze(scope="payments", other_scope_negative=at_home))
    assert row_of(seen, "other_scope").present
    assert report.arms[BRIDGE_FIRST]["other_scope_visible"].value == 1.0


def test_a_ticket_is_data_and_a_tool_call_is_asked(tmp_path: Path) -> None:
    """What a ticket says is a document's word; a request may be nothing but a tool call."""
    call = {"tool": "Bash", "args": {"command": "kubectl --context production apply -f web.yaml"}}
    rows, _ = run(
        tmp_path, freeze(scope="payments", source_kind="ticket", indirect_query=call, memory="The freeze is on.")
    )

    indirect = row_of(rows, "indirect")
    assert any(each.endswith(" tool") for each in indirect.classes)
    assert row_of(rows, "direct").domain == "release"


def test_a_packet_without_room_is_the_reason(tmp_path: Path) -> None:
    """What is left out for budget did not arrive; with room it does."""
    rows, _ = run(tmp_path, freeze(update=None), budget_tokens=85)

    assert row_of(rows, "indirect").reason == "left out for budget: release.freeze"
    assert not row_of(rows, "indirect").present


def test_a_person_approves_what_was_proposed_where_the_plan_says_so(tmp_path: Path) -> None:
    """The same case under both profiles."""
    unreviewed, _ = run(tmp_path, freeze())
    approved, report = run(tmp_path, freeze(), review="approved")

    assert row_of(unreviewed, "indirect").kinds == ("release.freeze 1 evidence-verified",)
    assert row_of(approved, "indirect").kinds == ("release.freeze 1 active",)
    assert row_of(approved, "indirect").activated
    assert report.manifest.review == "approved"


def test_together_all_memories_are_in_one_and_each_is_looked_for_by_itself(tmp_path: Path) -> None:
    """What another memory of the file brings is no activation of this one."""
    other = freeze(id="soup", about="food", memory="Soup needs salt.", direct_query="What does soup need?")
    rows, report = run(tmp_path, freeze(), other, together=True)

    assert row_of(rows, "indirect").activated
    assert not row_of(rows, "indirect", case="soup").activated
    assert row_of(rows, "indirect", case="soup").others == 1
    assert row_of(rows, "direct", case="soup").present
    assert report.arms[BRIDGE_FIRST]["other_activations_mean"].value == 0.5
    assert set(report.splits["domain"]) == {"release", "food"}


def test_apart_the_memories_do_not_know_of_each_other(tmp_path: Path) -> None:
    """The control of the above."""
    rows, _ = run(tmp_path, freeze(), freeze(id="soup", memory="Soup needs salt."))

    assert row_of(rows, "indirect", case="soup").others == 0


def test_a_run_gives_the_same_rows_again(tmp_path: Path) -> None:
    """All of them, latency aside; what was evaluated before a case changes nothing of it."""
    first, _ = run(tmp_path, freeze(id="a"), freeze(), arms=arms_named(["all"], (2,)))
    again, _ = run(tmp_path, freeze(id="a"), freeze(), arms=arms_named(["all"], (2,)))
    assert without_latency(first) == without_latency(again)

    alone, _ = run(tmp_path, freeze(id="a"), arms=arms_named(["all"], (2,)))
    assert without_latency(alone) == without_latency(tuple(each for each in first if each.case_id == "a"))


def test_the_seed_decides_where_the_memory_stands(tmp_path: Path) -> None:
    """Somewhere among the distractors, and at the same place for the same seed."""
    case = case_of(tmp_path)

    places = {
        seed: [each.case is not None for each in in_order([case], CHATTER, plan(seed=seed))].index(True)
        for seed in range(20)
    }

    assert len(set(places.values())) > 2
    assert in_order([case], CHATTER, plan(seed=3)) == in_order([case], CHATTER, plan(seed=3))


def test_injected_the_memory_ends_its_round_and_the_other_rounds_follow(tmp_path: Path) -> None:
    """Distractors are spread evenly over the rounds, each of which is a run of its own."""
    order = in_order([case_of(tmp_path)], [f"utterance {each}" for each in range(94)], plan(inject=(9, 47)))

    place = next(place for place, each in enumerate(order) if each.case is not None)
    assert place == 18
    assert order[place].run_id == order[place - 1].run_id == "round-9"
    assert order[place + 1].run_id == "round-10"
    assert order[-1].run_id == "round-47"
    assert len(order) == 95


def test_rows_are_written_as_they_are(tmp_path: Path) -> None:
    """One JSON object a line; a folder that is not there is an error."""
    rows, _ = run(tmp_path, freeze())
    write_rows(rows, tmp_path / "rows.jsonl")

    assert len((tmp_path / "rows.jsonl").read_text("utf-8").splitlines()) == len(rows) == 5
    with pytest.raises(UnavailableError, match="can't be written"):
        write_rows(rows, tmp_path / "gone" / "rows.jsonl")


def test_the_manifest_says_with_what(tmp_path: Path) -> None:
    """Files by their digests, models by their identities, and the registry by its revision."""
    _, report = run(tmp_path, freeze(), inject=(1, 2), seed=7)

    manifest = report.manifest
    assert len(manifest.dataset_sha256) == len(manifest.distractors_sha256[0]) == 64
    assert (manifest.router, manifest.embedder, manifest.inject, manifest.seed) == (None, "ngrams-1/384", "1/2", 7)
    assert manifest.as_of == "2026-11-28T09:00:00Z"
    assert "delivery" in manifest.packs
    assert len(manifest.registry_revision) == 64


def test_an_error_names_its_case(tmp_path: Path) -> None:
    """So that a long run need not be searched for it."""
    call = {"text": "Ship it.", "tool": "Bash", "args": {"command": "x" * 300_000}}

    with pytest.raises(InvalidInputError) as raised:
        run(tmp_path, freeze(id="good"), freeze(id="long", topic_negative=call))

    assert (raised.value.code, raised.value.details["case"]) == ("arguments_too_long", "long")


def test_vectors_need_a_model(tmp_path: Path) -> None:
    """Without one the run ends; it does not count nothing as not found."""
    with pytest.raises(UnsupportedError, match="no model"):
        run(tmp_path, freeze(), arms=("vectors-5",), settings=replace(SETTINGS, embedder="none"))
