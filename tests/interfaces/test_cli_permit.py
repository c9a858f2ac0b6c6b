"""`permit redeem` from the command line: for programs, for people, its exit codes, and where a token is not shown."""

from __future__ import annotations

from typing import Any

import pytest
from command_line import DEPLOY, CommandLine, bare_fixture, heedful_fixture  # noqa: F401  # pytest finds the fixtures here

REDEEM = ("permit", "redeem", "-", "--tool", "Bash", "--args", DEPLOY)


@pytest.fixture(name="ready")
def ready_fixture(heedful: CommandLine) -> CommandLine:
    """A store in which Ana may deploy: verified, and approved by herself, who is alone there."""
    proof = ("--type", "verification", "--attribute", "verifies=deploy", "--attribute", "passed=true")
    assert heedful("remember", "Staging is green.", *proof).code == 0
    verdict = heedful("judge", "Bash", "--args", DEPLOY, "--json").json
    assert heedful("review", "approve", verdict["verdict_id"]).code == 0
    return heedful


def permit_of(ready: CommandLine) -> Any:
    """The permit in the JSON of a verdict."""
    verdict = ready("judge", "Bash", "--args", DEPLOY, "--json")
    assert verdict.code == 0
    return verdict.json["permit"]


def test_a_permit_is_redeemed_from_standard_input_or_the_command_line(ready: CommandLine) -> None:
    """Exit 0 once, then 1; as JSON and for people."""
    first, second = permit_of(ready), permit_of(ready)
    done = ready(*REDEEM, "--json", stdin=f"{first['token']}\n".encode())
    assert (done.code, done.json["outcome"], done.json["permit_id"]) == (0, "redeemed", first["permit_id"])
    again = ready(*REDEEM, "--json", stdin=first["token"].encode())
    assert (again.code, again.json["outcome"], again.json["reason"]) == (1, "refused", "redeemed")

    named = ready("permit", "redeem", second["token"], "--tool", "Bash", "--args", DEPLOY)
    assert (named.code, named.out.split()[:3]) == (0, ["redeemed:", "permit", second["permit_id"]])
    assert ready(*REDEEM, stdin=second["token"].encode()).out.startswith("refused: redeemed\n  next: ")


def test_what_changed_is_named(ready: CommandLine) -> None:
    """And the permit is good again when that is taken back."""
    token = permit_of(ready)["token"].encode()
    assert ready("registry", "mode", "pre-router", "off", "--reason", "mending").code == 0
    refused = ready(*REDEEM, stdin=token)
    assert refused.code == 1
    assert "  now: pre-router off\n" in refused.out
    assert "  no longer: pre-router enforce\n" in refused.out
    assert ready("registry", "mode", "pre-router", "default", "--reason", "mended").code == 0
    assert ready(*REDEEM, stdin=token).code == 0


def test_a_permit_of_a_run_is_redeemed_with_that_run(ready: CommandLine) -> None:
    """A call that was judged with `--run` is not the one that is redeemed without it, or with another."""
    deploy = ("judge", "Bash", "--args", DEPLOY, "--run", "build-41", "--json")
    assert ready("review", "approve", ready(*deploy).json["verdict_id"]).code == 0
    token = ready(*deploy).json["permit"]["token"].encode()
    for named in ((), ("--run", "build-42")):
        refused = ready(*REDEEM, *named, "--json", stdin=token)
        assert (refused.code, refused.json["reason"]) == (1, "other-action")
    assert ready(*REDEEM, "--run", "build-41", stdin=token).code == 0


@pytest.mark.parametrize("stdin", [b"", b"\xff\xfe", b"x" * 100_000, b"heedful_permit_1.x.y"])
def test_what_is_no_permit_is_refused(ready: CommandLine, stdin: bytes) -> None:
    """Nothing, bytes that are no text, far too much: exit 1 and `signature`, or wrong input; never a fault."""
    answer = ready(*REDEEM, "--json", stdin=stdin)
    assert (answer.code, answer.json["reason"]) == (1, "signature")


def test_arguments_of_another_shape_are_wrong_input(ready: CommandLine) -> None:
    """Exit 2, and the permit is still good."""
    token = permit_of(ready)["token"]
    assert ready("permit", "redeem", token, "--tool", "Bash", "--args", "no json").code == 2
    assert ready("permit", "redeem", token, "--args", DEPLOY).code == 2
    assert ready(*REDEEM, stdin=token.encode()).code == 0


def test_a_token_is_shown_in_json_alone(ready: CommandLine) -> None:
    """For people it is said that there is one; `why`, `show` and the queue have none."""
    told = ready("judge", "Bash", "--args", DEPLOY).out
    assert "With --json it has a permit" in told
    permit = permit_of(ready)
    verdict_id = ready("judge", "Bash", "--args", DEPLOY, "--json").json["verdict_id"]
    shown = [told]
    for command in (("why", verdict_id), ("review", "show", verdict_id), ("review", "list"), ("status",)):
        shown += [ready(*command).out, ready(*command, "--json").out]
    assert not any("heedful_permit_" in each or permit["token"] in each for each in shown)
    assert "permit.issued" in ready("why", verdict_id).out


def test_how_long_it_holds_is_a_setting(ready: CommandLine) -> None:
    """Read from the environment; a number that is none, or beyond its limit, is wrong input."""
    for seconds, code in (("1", 0), ("3600", 0), ("0", 2), ("3601", 2), ("x", 2)):
        answer = ready("judge", "Bash", "--args", DEPLOY, env={"HEEDFUL_PERMIT_SECONDS": seconds})
        assert answer.code == code
