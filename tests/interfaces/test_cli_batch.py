"""`remember --batch`: each line of a file has its fate told, by its number."""

from __future__ import annotations

import json

import pytest
from command_line import CommandLine, bare_fixture, heedful_fixture  # noqa: F401  # pytest finds the fixtures here

from heedful.interfaces.cli import batch

SECRET = "hunter2-Zq9!"
LINES = (
    json.dumps("Lunch is at noon, 冻结."),
    "",
    json.dumps({"content": "Ana drinks it black.", "consent": "denied"}),
    json.dumps({"content": "Nothing goes out.", "kind": "release.freeze", "source_ref": "mail:1"}),
    json.dumps({"content": "Nothing goes out.", "kind": "release.freeze", "source_ref": "mail:1"}),
    "{not json",
    '{"content": "\\ud800"}',
    json.dumps({"content": "x", "colour": "red"}),
    json.dumps(f"password: {SECRET}"),
    "[1]",
)


def written(heedful: CommandLine, *lines: str) -> str:
    """A file with these lines, in the store's folder."""
    (heedful.folder / "notes.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return "notes.jsonl"


def test_every_line_is_kept_or_told(heedful: CommandLine) -> None:
    """In JSON by line number, with the reason; a secret stands neither in the answer nor in the store."""
    answer = heedful("remember", "--batch", written(heedful, *LINES), "--json")

    assert answer.code == 1
    told = answer.json
    assert {name: told[name] for name in ("admitted", "pending", "refused", "duplicates", "not_in_order")} == {
        "admitted": 3,
        "pending": 0,
        "refused": 1,
        "duplicates": 1,
        "not_in_order": 4,
    }
    assert (told["claims"], told["redactions"]) == (1, 1)
    assert [(each["line_number"], each["code"]) for each in told["problems"]] == [
        *((3, "refused"), (6, "json_malformed"), (7, "json_malformed")),
        *((8, "item_malformed"), (10, "item_malformed")),
    ]
    assert SECRET not in answer.out
    assert heedful("status", "--json").json["status"]["counts"]["records"] == 3


def test_for_people_the_first_problems_are_shown(heedful: CommandLine) -> None:
    """With their numbers; the sum stands first."""
    answer = heedful("remember", "--batch", written(heedful, *LINES))

    assert answer.code == 1
    assert answer.out.startswith("3 records kept, 0 pending, 1 refused, 1 known before, 4 not in order\n")
    assert "line 3: consent-denied [refused]" in answer.out
    assert "1 claim was proposed" in answer.out


def test_a_file_in_order_ends_with_0_and_again_adds_nothing_under_source_references(heedful: CommandLine) -> None:
    """More lines than are read at a time."""
    count = batch.LINES_AT_ONCE + 3
    file = written(
        heedful, *(json.dumps({"content": f"note {each}", "source_ref": f"n:{each}"}) for each in range(count))
    )

    first, again = heedful("remember", "--batch", file, "--json"), heedful("remember", "--batch", file, "--json")

    assert (first.code, first.json["admitted"]) == (0, count)
    assert (again.code, again.json["duplicates"], again.json["admitted"]) == (0, count, 0)


@pytest.mark.parametrize("more", [("text",), ("--kind", "note"), ("--consent", "explicit")])
def test_with_a_batch_each_line_speaks_for_itself(heedful: CommandLine, more: tuple[str, ...]) -> None:
    """Exit code 2, and nothing is kept: an option that was left aside unsaid would be a trap."""
    assert heedful("remember", "--batch", written(heedful, '"kept"'), *more).code == 2
    assert heedful("status", "--json").json["status"]["counts"].get("records", 0) == 0


def test_no_text_and_no_batch_is_nothing_to_remember(heedful: CommandLine) -> None:
    """Exit code 2."""
    assert heedful("remember").code == 2


def test_a_scope_given_beside_is_the_scope_of_lines_without_one(heedful: CommandLine) -> None:
    """One with a scope of its own keeps it."""
    file = written(heedful, '"a note"', '{"content": "another", "scope": ["user:ana"]}')

    assert heedful("remember", "--batch", file, "--scope", "project:x", "--json").json["admitted"] == 2
    found = heedful("recall", "note", "--scope", "project:x", "--json").json
    assert len(found["items"]) == 1


def test_each_line_that_is_not_in_order_says_what_to_do_next(heedful: CommandLine) -> None:
    """What `remember` would say of it, in JSON and for people. The control: a refusal has no next step."""
    lines = (json.dumps({"content": "x", "kind": "release.freez"}), "{not json", json.dumps({"content": "x", "colour": 1}),
             json.dumps({"content": "Ana drinks it black.", "consent": "denied"}))  # fmt: skip
    alone = heedful("remember", "x", "--kind", "release.freez", "--json").json["error"]

    answer = heedful("remember", "--batch", written(heedful, *lines), "--json")
    kind, no_json, item, refused = answer.json["problems"]
    told = heedful("remember", "--batch", written(heedful, *lines))

    assert kind["next_step"] == alone["next_step"] != ""
    assert "`content`" in no_json["next_step"]
    assert "an item is a text" in item["next_step"]
    assert refused["next_step"] == ""
    assert told.out.count("\n    next: ") == 3
    assert f"[kind_unknown]\n    next: {kind['next_step']}"[:60] in told.out


@pytest.mark.parametrize("name", ["none.jsonl", "."])
def test_a_file_that_cannot_be_read_is_unavailable_and_no_trace(heedful: CommandLine, name: str) -> None:
    """`batch_unreadable`, exit code 8. The control: the transcript of an import is a trace."""
    answer = heedful("remember", "--batch", name, "--json")
    error = answer.json["error"]

    assert (answer.code, error["code"]) == (8, "batch_unreadable")
    assert "trace" not in error["message"]
    assert "--batch -" in error["next_step"]
    assert heedful("import", name, "--json").json["error"]["code"] == "trace_unreadable"


def test_a_minus_names_standard_input(heedful: CommandLine) -> None:
    """`--batch -`: the same answers as from a file, also of bytes that are no UTF-8 and of no line at all."""
    content = "\n".join(LINES).encode() + b'\n"\xff"'
    (heedful.folder / "-").write_text('"of a file that is named so"', encoding="utf-8")

    piped = heedful("remember", "--batch", "-", "--json", stdin=content).json
    (heedful.folder / "notes.jsonl").write_bytes(content)
    of_file = heedful("remember", "--batch", "notes.jsonl", "--json").json

    assert [(each["line_number"], each["code"]) for each in piped["problems"]] == [
        (each["line_number"], each["code"]) for each in of_file["problems"]
    ]
    assert piped["admitted"] == 3
    assert (piped["problems"][-1]["line_number"], piped["problems"][-1]["code"]) == (11, "json_malformed")
    assert heedful("remember", "--batch", "-", "--json", stdin=b"").json["admitted"] == 0
    assert heedful("remember", "--batch", "./-", "--json").json["admitted"] == 1


def test_more_lines_than_are_read_at_a_time_come_through_a_pipe(heedful: CommandLine) -> None:
    """Of a process of its own, each of them once."""
    count = batch.LINES_AT_ONCE + 3
    lines = "".join(f'{{"content": "note {each}", "source_ref": "n:{each}"}}\n' for each in range(count))

    done = heedful.process("remember", "--batch", "-", "--json", stdin=lines.encode())

    assert (done.returncode, json.loads(done.stdout)["admitted"]) == (0, count)


def test_a_standard_input_that_is_closed_is_unavailable(heedful: CommandLine) -> None:
    """`batch_unreadable`; nothing is kept. The control: an open one that is empty is in order."""
    closed = heedful.shell("heedful remember --batch - --json <&-")
    is_open = heedful.shell("heedful remember --batch - --json </dev/null")

    assert (closed.returncode, json.loads(closed.stdout)["error"]["code"]) == (8, "batch_unreadable")
    assert is_open.returncode == 0
