"""Failures: a sentence or JSON, a stable exit code for each category, and never a trace."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import CommandLine, bare_fixture, heedful_fixture, transcript  # noqa: F401  # pytest finds the fixtures here

from heedful.adapters.storage.sqlite.connection import Session
from heedful.interfaces.problems import EXIT_CODES, EXIT_NO

CALLS: dict[str, tuple[tuple[str, ...], str]] = {
    "invalid_input": (("remember", "x", "--scope", "payments"), "scope_malformed"),
    "forbidden": (("--as", "person:nobody", "remember", "x"), "principal_may_not"),
    "not_found": (("why", "nothing"), "item_not_found"),
    "conflict": (("init",), "store_exists"),
    "unsupported": (("import", "{folder}/notes.txt"), "trace_format_unknown"),
    "busy": (("remember", "x"), "store_busy"),
    "unavailable": (("import", "none.jsonl"), "trace_unreadable"),
    "fault": (("verify", "--views"), "payload_missing"),
}


def test_the_exit_codes_are_stable() -> None:
    """Scripts branch on them; a new category gets a new number."""
    assert EXIT_CODES == {
        "invalid_input": 2,
        "forbidden": 3,
        "not_found": 4,
        "conflict": 5,
        "unsupported": 6,
        "busy": 7,
        "unavailable": 8,
        "fault": 9,
    }
    assert EXIT_NO == 1


@pytest.mark.parametrize("category", [name for name in CALLS if name not in ("busy", "fault")])
def test_each_category_has_its_exit_code_and_shape(heedful: CommandLine, category: str) -> None:
    """A sentence with the code and the next step on standard error; the same as JSON on standard output."""
    (heedful.folder / "notes.txt").write_text("not a transcript\n")
    args, code = CALLS[category]
    args = tuple(arg.format(folder=heedful.folder) for arg in args)
    told, programs = heedful(*args), heedful(*args, "--json")

    assert told.code == programs.code == EXIT_CODES[category]  # type: ignore[index]
    assert told.out == programs.err == ""
    assert f"[{code}]" in told.err
    error = programs.json["error"]
    assert (error["category"], error["code"]) == (category, code)
    assert set(error) == {"category", "code", "message", "next_step", "details"}
    assert error["message"] in " ".join(told.err.split())


def test_a_locked_store_is_busy(heedful: CommandLine) -> None:
    """Another process holds the write lock for longer than this one waits."""
    heedful("status")
    (database,) = (heedful.folder / ".heedful" / "tenants").glob("*.db")
    other = Session(str(database), lock_wait_seconds=1.0)
    other.cursor.execute("BEGIN IMMEDIATE")
    answer = heedful("remember", "x", "--json", env={"HEEDFUL_LOCK_WAIT_SECONDS": "0.1"})
    other.cursor.execute("ROLLBACK")
    other.close()

    assert (answer.code, answer.json["error"]["code"]) == (7, "store_busy")
    assert heedful("remember", "x").code == 0


def test_a_ledger_that_does_not_add_up_is_a_fault(heedful: CommandLine) -> None:
    """What the ledger says of a claim can't be read any more: a fault of the store, not an empty history."""
    claim_id = heedful("remember", "x", "-k", "release.freeze", "--json").json["claims"][0]["claim_id"]
    (database,) = (heedful.folder / ".heedful" / "tenants").glob("*.db")
    other = Session(str(database), lock_wait_seconds=1.0)
    other.cursor.execute("UPDATE ledger_events SET payload = x'7b7d' WHERE type = 'claim.proposed'")
    other.close()
    answer = heedful("why", claim_id, "--json")

    assert (answer.code, answer.json["error"]["category"]) == (9, "fault")
    assert heedful("verify").code == 1


def test_usage_errors_exit_2_with_a_hint(heedful: CommandLine) -> None:
    """An unknown command or option, a missing argument: told on standard error."""
    for args in (("rember",), ("recall",), ("recall", "x", "--colour"), ("registry", "mode", "x")):
        answer = heedful(*args)
        assert answer.code == 2
        assert answer.out == ""
        assert "Usage:" in answer.err


@pytest.mark.parametrize("args", ["[]", "{", "NaN", '{"a": NaN}', '{"a": 1e999}', '{"a": 1, "a": 2}', "[" * 99_999])
def test_arguments_that_are_no_json_object_are_refused(heedful: CommandLine, args: str) -> None:
    """Read strictly: what is judged must be what is run, so no key is there twice."""
    for command in (("judge", "Bash"), ("recall", "x", "--tool", "Bash")):
        answer = heedful(*command, "--args", args, "--json")
        assert (answer.code, answer.json["error"]["code"]) == (2, "json_malformed")


def test_no_store_is_said_with_what_to_do(bare: CommandLine) -> None:
    """The commonest mistake has the plainest answer."""
    for args in (("status",), ("remember", "x"), ("verify",), ("registry", "show"), ("registry", "check")):
        answer = bare(*args)
        assert (answer.code, "[store_not_found]" in answer.err, "heedful init" in answer.err) == (4, True, True)


@pytest.mark.parametrize("setting", ["LOCK_WAIT_SECONDS", "PACKET_TOKENS", "INLINE_BYTES_MAX"])
def test_a_setting_that_is_no_number_is_named(heedful: CommandLine, setting: str) -> None:
    """It is not silently the default."""
    for value in ("many", "0", "-1", "nan"):
        answer = heedful("status", "--json", env={f"HEEDFUL_{setting}": value})
        assert (answer.code, answer.json["error"]["code"]) == (2, "setting_malformed")


@pytest.mark.parametrize(
    "args",
    [
        ("remember", "{}"),
        ("remember", "x", "--source-ref", "{}"),
        ("remember", "x", "-k", "{}"),
        ("remember", "x", "-k", "release.freeze", "--subject", "{}"),
        ("remember", "x", "-k", "release.freeze", "--value", "{}"),
        ("remember", "x", "-k", "release.freeze", "--until", "{}"),
        ("remember", "x", "--attribute", "a={}"),
        ("remember", "x", "--attribute", "{}=a"),
        ("remember", "x", "--scope", "project:{}"),
        ("remember", "x", "--type", "{}"),
        ("recall", "x", "--impact", "{}"),
        ("recall", "x", "--action-class", "{}"),
        ("recall", "x", "--args", "{}"),
        ("judge", "{}"),
        ("judge", "Bash", "--packet", "{}"),
        ("outcome", "x", "--status", "{}"),
        ("why", "{}"),
        ("review", "show", "{}"),
        ("review", "approve", "{}"),
        ("review", "reject", "x", "--reason", "{}"),
        ("registry", "mode", "{}", "off"),
        ("registry", "mode", "pre-router", "{}"),
        ("registry", "mode", "pre-router", "off", "--reason", "{}"),
        ("registry", "show", "{}"),
        ("registry", "show", "kinds", "{}"),
        ("registry", "diff", "{}"),
        ("import", "{}"),
        ("--as", "{}", "status"),
        ("--tenant", "{}", "status"),
        ("--store", "{}", "status"),
    ],
    ids=" ".join,
)
def test_an_argument_that_is_no_text_is_refused_like_any_other(heedful: CommandLine, args: tuple[str, ...]) -> None:
    """A byte that is no UTF-8 arrives as half of a surrogate pair: an error in JSON and in words, never a trace."""
    hostile = tuple(arg.replace("{}", "a\udcff\x1b[31m") for arg in args)
    told, programs = heedful(*hostile), heedful(*hostile, "--json")

    assert told.code == programs.code
    assert told.code in EXIT_CODES.values()
    assert programs.json["error"]["code"]
    assert "\x1b" not in told.err + told.out + programs.out


def test_what_the_import_refuses_names_the_file_safely(heedful: CommandLine, tmp_path: Path) -> None:
    """A name with control characters reaches no terminal."""
    path = transcript(tmp_path / "a\x1b[31mb.jsonl", "x")

    assert "\x1b" not in heedful("import", str(path)).out
