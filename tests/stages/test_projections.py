"""Projections: an output and declarative rules give drafts of states, within limits and without a guess."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from heedful.bridges.projecting import Projectors
from heedful.claims.projections.calls import Call
from heedful.claims.projections.project import Output, Projected, project
from heedful.claims.projections.projector import (
    JSON_DEPTH_MAX,
    LINE_CHARACTERS_MAX,
    NAME_CHARACTERS_MAX,
    OUTPUT_CHARACTERS_MAX,
    STATES_MAX,
    TEXT_CHARACTERS_MAX,
    VALUE_CHARACTERS_MAX,
)
from heedful.kernel.scope import parse_scope
from heedful.observations.record import SourceGrade

AT_US = 1_800_000_000_000_000
TEXT = {
    "description": "Whether a lamp is lit.",
    "tools": ["lamp *", "lamps.read"],
    "kind": "state.lamp",
    "pattern": r"^(?P<name>\w+) is (?P<state>\w+)",
    "subject": "lamp:{name}",
    "property": "light",
    "value": "{state}",
    "failures": ["broken"],
    "expires_seconds": 60,
    "pack": "local",
}
THINGS = {
    **{name: value for name, value in TEXT.items() if name != "pattern"},
    "schema": {"type": "object", "required": ["lamps"], "properties": {"lamps": {"type": "array"}}},
    "each": "lamps",
    "jmespath": {"name": "name", "state": "state", "since": "since"},
    "valid_from": "{since}",
}


def read(
    text: str, entry: dict[str, Any] | None = None, *, command: str | tuple[str, ...] | None = "lamp show", **more: Any
) -> Projected:
    """What the projector gives."""
    fields = {
        "record_type": "tool_result",
        "grade": SourceGrade.TOOL,
        "call": Call("Bash", command),
        "failed": False,
        "scope": parse_scope(["project:house", "environment:attic"]),
        "occurred_us": AT_US,
        **more,
    }
    return project(Output(text=text, **fields), Projectors({"lamp": {**TEXT, **(entry or {})}}).index)


def states(*arguments: Any, **more: Any) -> list[tuple[str, str, object]]:
    """(subject, property, value) of each."""
    return [(each.subject, each.property, each.value) for each in read(*arguments, **more).drafts]


def things(lamps: object, entry: dict[str, Any] | None = None, **more: Any) -> list[tuple[str, str, object]]:
    """The same of a JSON payload."""
    whole = {**THINGS, "pattern": [], **(entry or {})}
    return states(json.dumps({"lamps": lamps}), whole, **more)


def test_a_line_that_matches_gives_a_state() -> None:
    """With its time, its end, and where it stands."""
    (draft,) = read("lamps of the house\nhall is lit").drafts
    assert (draft.subject, draft.property, draft.value, draft.kind) == ("lamp:hall", "light", "lit", "state.lamp")
    assert (draft.valid_from_us, draft.valid_to_us) == (AT_US, AT_US + 60_000_000)
    assert (draft.told_by, draft.statement) == ("projector lamp: line 2", "lamp:hall: light is lit")


def test_each_thing_of_a_payload_gives_a_state_and_a_value_keeps_its_type() -> None:
    """Numbers and booleans too; what has no value gives none."""
    lamps = [{"name": "hall", "state": True}, {"name": "attic", "state": 3}, {"name": "shed"}, {"state": "lit"}, None]
    assert things(lamps) == [("lamp:hall", "light", True), ("lamp:attic", "light", 3)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        '{"lamps": 1}',
        '["lamps"]',
        '{"lamps": [{"name": "hall", "state": "lit"}]',
        '{"lamps": [1, [2], "x"]}',
    ],
)
def test_a_payload_that_is_not_of_the_schema_gives_nothing(text: str) -> None:
    """Nor does what a selector finds nothing in."""
    assert states(text, {**THINGS, "pattern": []}) == []


def test_json_lines_are_a_list() -> None:
    """As tools stream them; with a line that is none they are text."""
    entry = {**THINGS, "pattern": [], "schema": {"type": "array"}, "each": "[]"}
    lines = '{"name": "hall", "state": "lit"}\n\n{"name": "shed", "state": "dark"}\n'
    assert states(lines, entry) == [("lamp:hall", "light", "lit"), ("lamp:shed", "light", "dark")]
    assert states(lines + "done\n", entry) == []


def test_a_function_that_does_not_take_what_is_there_gives_nothing() -> None:
    """The payload is data: no error comes of it."""
    assert things([{"name": "hall", "state": 4}], {"jmespath": {"name": "name", "state": "length(state)"}}) == []


@pytest.mark.parametrize(
    "command", ["lamp show", "cd /x && lamp show", "lamp show | cat", "sudo lamp show", ("lamp", "show")]
)
def test_the_command_tells_which_output_it_is(command: str | tuple[str, ...]) -> None:
    """Also behind what prints nothing."""
    assert states("hall is lit", command=command) == [("lamp:hall", "light", "lit")]


@pytest.mark.parametrize(
    "command",
    ["cat lamps", "echo 'hall is lit'; lamp show", "lamp show && candle show", "lamp show $(", None, ""],
)
def test_output_of_another_command_or_of_two_programs_gives_nothing(command: str | None) -> None:
    """What one program prints is not taken for another's."""
    assert states("hall is lit", command=command) == []


def test_a_filter_keeps_lines_and_no_json() -> None:
    """What it left out may have closed a brace."""
    assert states("hall is lit", command="lamp show | grep hall") == [("lamp:hall", "light", "lit")]
    assert things([{"name": "hall", "state": "lit"}], command="lamp show | head -1") == []
    assert things([{"name": "hall", "state": "lit"}], command="lamp show | tee x") == [("lamp:hall", "light", "lit")]


def test_a_tool_is_told_by_its_name_too() -> None:
    """By glob; without a call only `*` reads."""
    assert states("hall is lit", call=Call("lamps.read")) == [("lamp:hall", "light", "lit")]
    assert states("hall is lit", call=Call("lamps.write")) == []
    assert states("hall is lit", call=None) == []
    assert states("hall is lit", {"tools": ["*"]}, call=None) == [("lamp:hall", "light", "lit")]


def test_types_of_record_are_kept_to() -> None:
    """Tool results and observations where nothing is said."""
    assert states("hall is lit", record_type="observation") != []
    assert states("hall is lit", record_type="verification") == []
    assert states("hall is lit", {"record_types": ["verification"]}, record_type="verification") != []


def test_a_failed_call_gives_failures_alone_and_they_win() -> None:
    """Partial failure is no success, in whatever order it is told."""
    assert states("hall is lit", failed=True) == []
    assert states("hall is broken", failed=True) == [("lamp:hall", "light", "broken")]
    assert states("hall is broken\nhall is lit") == [("lamp:hall", "light", "broken")]
    assert states("hall is dark\nhall is lit") == [("lamp:hall", "light", "lit")]


def test_values_that_are_not_named_give_nothing() -> None:
    """A word nobody knows is no state."""
    values = {"values": {"lit": "on", "dark": False}}
    assert states("hall is lit\nshed is dark\nattic is odd", values) == [
        ("lamp:hall", "light", "on"),
        ("lamp:shed", "light", False),
    ]


def test_summaries_give_nothing_and_agents_words_are_read_as_theirs() -> None:
    """A projector of inferences reads what agents say and nothing else."""
    assert states("hall is lit", grade=SourceGrade.SUMMARY) == []
    inferred = {"assurance": "inferred"}
    assert states("hall is lit", inferred) == []
    assert states("hall is lit", inferred, grade=SourceGrade.AGENT) == [("lamp:hall", "light", "lit")]


def test_call_scope_and_defaults_fill_a_template() -> None:
    """What nothing gives gives no state."""
    entry = {"subject": "lamp:{floor}/{name}@{scope.environment}", "call": {"floor": r"--floor[ =](\w+)"}}
    assert states("hall is lit", entry, command="lamp show --floor 2") == [("lamp:2/hall@attic", "light", "lit")]
    assert states("hall is lit", entry) == []
    assert states("hall is lit", {**entry, "defaults": {"floor": "0"}}) == [("lamp:0/hall@attic", "light", "lit")]
    args = {"subject": "{args.house}:{name}", "tools": ["lamps.read"]}
    assert states("hall is lit", args, call=Call("lamps.read", None, {"house": "red"})) == [
        ("red:hall", "light", "lit")
    ]


def test_two_commands_that_say_different_things_give_nothing() -> None:
    """Nor does a word that the shell may have changed."""
    entry = {"subject": "lamp:{floor}/{name}", "call": {"floor": r"--floor[ =](\S+)"}}
    assert states("hall is lit", entry, command="lamp show --floor 2; lamp show --floor 3") == []
    assert states("hall is lit", entry, command="lamp show --floor $F") == []
    assert states("hall is lit", entry, command="lamp show --floor 2; lamp test --floor 2") != []


def test_an_environment_stands_behind_the_subject_unless_the_scope_says_it() -> None:
    """And is left out where nothing gives it."""
    entry = {"pattern": r"^(?P<name>\w+)(?: \((?P<where>\w+)\))? is (?P<state>\w+)", "environment": "{where}"}
    text = "hall is lit\nshed (garden) is lit\nbeam (attic) is lit"
    assert [each[0] for each in states(text, entry)] == ["lamp:hall", "lamp:shed@garden", "lamp:beam"]


@pytest.mark.parametrize(
    ("since", "begins"),
    [
        ("2026-09-01T08:00:00Z", 1_788_249_600_000_000),
        (1_788_249_600, 1_788_249_600_000_000),
        ("2100-01-01T00:00:00Z", AT_US),
        ("soon", AT_US),
        (None, AT_US),
    ],
)
def test_a_state_begins_when_its_output_says_and_never_after_it_was_seen(since: object, begins: int) -> None:
    """What is no time is passed over."""
    entry = {**THINGS, "pattern": []}
    text = json.dumps({"lamps": [{"name": "hall", "state": "lit", "since": since}]})
    (draft,) = read(text, entry).drafts
    assert draft.valid_from_us == begins


@pytest.mark.parametrize(
    "text",
    [
        "hall is " + "x" * (VALUE_CHARACTERS_MAX + 1),
        "h" * NAME_CHARACTERS_MAX + " is lit",
        "hall is lit" + "." * LINE_CHARACTERS_MAX,
        "hall is lit\n" + "x" * TEXT_CHARACTERS_MAX,
    ],
)
def test_what_is_too_long_gives_nothing(text: str) -> None:
    """A value, a name, a line, a text: what is unread could say otherwise."""
    assert states(text) == []


def test_a_payload_too_long_or_too_deep_gives_nothing() -> None:
    """At the limit of depth it is read."""
    whole = {**THINGS, "pattern": []}
    lamp = '{"name": "hall", "state": "lit", "more": %s}'
    deep = {levels: lamp % ("[" * levels + "]" * levels) for levels in (JSON_DEPTH_MAX - 4, JSON_DEPTH_MAX, 100_000)}
    found = {levels: states(f'{{"lamps": [{text}]}}', whole) != [] for levels, text in deep.items()}
    assert found == {JSON_DEPTH_MAX - 4: True, JSON_DEPTH_MAX: False, 100_000: False}
    long = json.dumps({"lamps": [{"name": "hall", "state": "lit"}], "more": "x" * OUTPUT_CHARACTERS_MAX})
    assert states(long, whole) == []


def test_more_states_than_the_limit_are_cut_and_that_is_told() -> None:
    """The first of them are read."""
    found = read("\n".join(f"l{number} is lit" for number in range(STATES_MAX + 1)))
    assert (len(found.drafts), found.is_cut) == (STATES_MAX, True)
    found = read("\n".join(f"l{number} is lit" for number in range(STATES_MAX)))
    assert (len(found.drafts), found.is_cut) == (STATES_MAX, False)


def test_control_characters_make_no_name() -> None:
    """Of a payload, where any character may stand."""
    assert things([{"name": "hall\nroof", "state": "lit"}, {"name": "hall", "state": "lit\x1b[2J"}]) == []


def test_colours_of_a_terminal_are_passed_over() -> None:
    """As tools print them."""
    assert states("\x1b[32mhall is lit\x1b[0m") == [("lamp:hall", "light", "lit")]


def test_a_hostile_output_takes_no_long_time() -> None:
    """Long lines of what a pattern almost matches, as many as are read."""
    line = "a" * (LINE_CHARACTERS_MAX - 1)
    text = "\n".join([line] * (TEXT_CHARACTERS_MAX // LINE_CHARACTERS_MAX))
    started = time.process_time()
    assert states(text) == []
    assert time.process_time() - started < 5
