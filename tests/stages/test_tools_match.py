"""What a tool call decides and changes, by the policy's patterns."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ladder import Impact
from heedful.policy.globs import glob
from heedful.policy.model import AutoApproval, Policy, ToolPattern
from heedful.policy.tools import SEARCHED_CHARACTERS_MAX, ToolMatch, match_tool_call

READ, PROPOSE, EXECUTE = Impact.READ, Impact.PROPOSE, Impact.EXECUTE


def shell(command: str, action_class: str | None, impact: Impact) -> ToolPattern:
    """A pattern on commands of the shell tool."""
    return ToolPattern("Bash", (), command, action_class, impact)


TOOLS = (
    ToolPattern("Read", (), None, None, READ),
    ToolPattern("github.*", (), None, "code.host", READ),
    ToolPattern("github.merge", (), None, "code.merge", EXECUTE),
    ToolPattern("sql", (("query", r"(?i)\bdrop\b"),), None, "data.delete", EXECUTE),
    ToolPattern("sql", (), None, "data.read", READ),
    ToolPattern("deploy", (("target", r"prod"),), None, "deploy.production", EXECUTE),
    ToolPattern("Bash", (("run_as", r"root"),), None, "access.root", EXECUTE),
    shell("ls *", None, READ),
    shell("cat *", None, READ),
    shell("grep *", None, READ),
    shell("git status", None, READ),
    shell("git st", None, READ),
    shell("git push *", "code.push", EXECUTE),
    shell("kubectl get *", "cluster.read", READ),
    shell("kubectl delete *", "cluster.delete", EXECUTE),
    shell("aws s3 rm *", "data.delete", EXECUTE),
    shell("touch *", None, PROPOSE),
    shell("rm *", "data.delete", EXECUTE),
)

POLICY = Policy(
    solo=False,
    unreviewed="hidden",
    principals={},
    scopes={},
    auto_approve=AutoApproval(enabled=False, forms=(), kind_risks=(), classifications=(), consent_explicit=True),
    require_current_verification_for=(),
    verification_max_age_seconds=600,
    deny_on_evidence_label=(),
    tools=TOOLS,
    shell_tools={"Bash": "command"},
    default_retain_days=None,
)


def bash(command: object) -> ToolMatch:
    """What a call of the shell tool is."""
    return match_tool_call("Bash", {"command": command}, POLICY)


def classes(match: ToolMatch) -> list[str]:
    """Its class ids."""
    return [action_class for action_class, _ in match.action_classes]


def test_a_tool_that_matches_is_known_and_the_highest_impact_of_all_holds() -> None:
    """`github.merge` matches two patterns: both classes, the more impactful of their impacts."""
    match = match_tool_call("github.merge", {}, POLICY)
    assert classes(match) == ["code.host", "code.merge"]
    assert (match.impact, match.known) == (EXECUTE, True)
    assert match_tool_call("github.get", {}, POLICY) == ToolMatch((("code.host", "tool `github.*`"),), READ, known=True)


@pytest.mark.parametrize("tool", ["read", "READ", "Read ", "Reader", "Rеad", "githubXget", "", "*", "Rea?", "[R]ead"])
def test_an_unknown_tool_is_unclassified_and_counts_as_execute(tool: str) -> None:
    """Case counts, only `*` is special, look-alike letters are other letters."""
    assert match_tool_call(tool, {}, POLICY) == ToolMatch((), EXECUTE, known=False)


def test_a_glob_has_no_character_classes() -> None:
    """`[ab]?` stands for itself."""
    assert glob("[ab]?*").matches("[ab]?x")
    assert not glob("[ab]?*").matches("ax")


@given(st.lists(st.sampled_from(["a", "b", "*"]), max_size=6), st.text("ab", max_size=8))
def test_a_glob_matches_what_a_regular_expression_of_it_does(pattern: list[str], text: str) -> None:
    """The linear matching is the same as the plain definition."""
    expression = "".join(".*" if part == "*" else part for part in pattern)
    assert glob("".join(pattern)).matches(text) == (re.fullmatch(expression, text) is not None)


def test_arguments_are_searched_in_text_and_in_canonical_json() -> None:
    """A text by itself, anything else by its JSON; an argument that is not there matches nothing."""
    assert classes(match_tool_call("sql", {"query": "DROP TABLE x"}, POLICY)) == ["data.delete", "data.read"]
    assert classes(match_tool_call("sql", {"query": ["a", {"b": "drop"}]}, POLICY)) == ["data.delete", "data.read"]
    assert classes(match_tool_call("sql", {"query": "select 1"}, POLICY)) == ["data.read"]
    assert match_tool_call("deploy", {"target": "staging"}, POLICY) == ToolMatch((), EXECUTE, known=False)
    assert match_tool_call("deploy", {}, POLICY) == ToolMatch((), EXECUTE, known=False)
    assert match_tool_call("deploy", {"target": "prod"}, POLICY).known


@pytest.mark.parametrize("value", ["x" * (SEARCHED_CHARACTERS_MAX + 1) + " drop", float("nan"), {1: object()}])
def test_an_argument_that_cannot_be_searched_raises_and_is_not_known(value: object) -> None:
    """Too long, or no JSON: the pattern is taken to match, and the call is unclassified."""
    match = match_tool_call("sql", {"query": value}, POLICY)
    assert "data.delete" in classes(match)
    assert (match.impact, match.known) == (EXECUTE, False)


def test_a_regular_expression_that_is_none_is_an_error() -> None:
    """Its message names the tool and the field."""
    broken = replace(POLICY, tools=(ToolPattern("x", (("a", "("),), None, None, READ),))
    with pytest.raises(InvalidInputError) as raised:
        match_tool_call("x", {"a": "b"}, broken)
    assert raised.value.code == "tool_pattern_malformed"


@pytest.mark.parametrize(
    ("command", "expected", "impact"),
    [
        ("ls", [], READ),
        ("ls -la src | grep x", [], READ),
        ("cd src && git status", [], READ),
        ("set -euo pipefail; ls", [], READ),
        ("[ -f a ] && cat a", [], READ),
        ("ls > /dev/null 2>&1", [], READ),
        ("/bin/ls x", [], READ),
        ("kubectl get pods", ["cluster.read"], READ),
        ("kubectl --context prod -n a get pods", ["cluster.read"], READ),
        ("touch a; ls", [], PROPOSE),
        ("ls > f", [], EXECUTE),
        ("git push", ["code.push"], EXECUTE),
        ("git -C x push --force", ["code.push"], EXECUTE),
        ("kubectl --context prod delete pod x", ["cluster.delete"], EXECUTE),
        ("kubectl -n x delete", ["cluster.delete"], EXECUTE),
        ("kubectl -nx --cluster=y delete a", ["cluster.delete"], EXECUTE),
        ("kubectl delete -n x pod y", ["cluster.delete"], EXECUTE),
        ("aws --profile p s3 rm s3://b", ["data.delete"], EXECUTE),
        ("sudo bash -c 'kubectl delete ns a'", ["cluster.delete"], EXECUTE),
        ("kubectl get pods && kubectl delete ns a; git push", ["cluster.delete", "cluster.read", "code.push"], EXECUTE),
    ],
)
def test_a_shell_call_is_known_where_every_command_is(command: str, expected: list[str], impact: Impact) -> None:
    """All classes are collected, the highest impact holds, known global options do not hide a subcommand."""
    match = bash(command)
    assert (classes(match), match.impact, match.known) == (expected, impact, True)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ls; unknown", []),
        ("ls $HOME", []),
        ("kubectl -n", []),
        ("ssh host 'sudo kubectl delete ns a'", ["cluster.delete"]),
        ("$X delete ns a", []),
        ("kubectl delete pod $P; ls", ["cluster.delete"]),
        ("kubectl $V ns a", []),
        ("K=kubectl; $K delete ns a", ["cluster.delete"]),
        ("kubectl --kubeconfig x delete ns a", ["cluster.delete"]),
        ("kubectl --weird delete ns a", ["cluster.delete"]),
        ("kubectl --weird value delete ns a", ["cluster.delete"]),
        ("aws s3 --region eu rm s3://b", ["data.delete"]),
        ("KUBECTL delete ns a", ["cluster.delete"]),
        ("/tmp/x/kubectl delete ns a", ["cluster.delete"]),
        ("./ls", []),
        ("/tmp/x/ls", []),
        ("git -c core.pager=x status", []),
        ("git -c alias.st=!rm st", []),
        ("ssh host kubectl delete ns a", ["cluster.delete"]),
        ("echo a | xargs rm", ["data.delete"]),
        ("find . -exec rm {} +", ["data.delete"]),
        ("kubectl delete ns a; if", ["cluster.delete"]),
        ("ls\rkubectl delete ns a", ["cluster.delete"]),
        ("PATH=/tmp/x ls", []),
        ("export PATH=/tmp/x; ls", []),
        ("l\u200bs", []),
        ("ls\u00a0", []),
        ("ls\u202e", []),
        ("lѕ", []),
        ("", []),
        ("# only a comment", []),
    ],
)
def test_one_unknown_part_makes_the_whole_call_unclassified(command: str, expected: list[str]) -> None:
    """Impact `execute`, and what the other parts decide, or may decide, is still reported."""
    match = bash(command)
    assert (classes(match), match.impact, match.known) == (expected, EXECUTE, False)


@pytest.mark.parametrize("value", [None, 3, {"a": "ls"}, [], ["ls", 3]])
def test_a_shell_call_without_its_command_is_not_known(value: object) -> None:
    """No text and no list of texts: nothing is known of it."""
    assert bash(value) == ToolMatch((), EXECUTE, known=False)
    assert match_tool_call("Bash", {}, POLICY) == ToolMatch((), EXECUTE, known=False)


def test_a_list_of_words_is_matched_as_one_command() -> None:
    """As agents pass it that call no shell."""
    assert bash(["ls", "a b"]).known
    assert classes(bash(["bash", "-lc", "kubectl delete ns a"])) == ["cluster.delete"]


def test_a_pattern_without_a_command_adds_to_a_shell_call_and_makes_nothing_known() -> None:
    """`run_as: root` raises `ls`; it does not make `unknown` known."""
    raised = match_tool_call("Bash", {"command": "ls", "run_as": "root"}, POLICY)
    assert (classes(raised), raised.impact, raised.known) == (["access.root"], EXECUTE, True)
    assert not match_tool_call("Bash", {"command": "unknown", "run_as": "root"}, POLICY).known


def test_because_names_the_pattern_and_not_the_command() -> None:
    """What is kept of a call is the pattern: the command may hold what nobody should keep."""
    (_, because), *_ = bash("kubectl delete secret hunter2").action_classes
    assert because == "tool `Bash`, command `kubectl delete *`"


SEGMENTS = st.sampled_from(
    ["ls", "ls $X", "unknown x", "kubectl get a", "kubectl delete ns a", "touch a", "rm b", "PATH=x ls", "ls > f"]
)


@given(st.lists(SEGMENTS, min_size=1, max_size=5), SEGMENTS)
def test_another_command_never_lowers_a_call(segments: list[str], more: str) -> None:
    """With one more command, the classes are at least the same, the impact no lower, known only if it was."""
    before, after = bash("; ".join(segments)), bash("; ".join([*segments, more]))
    assert set(classes(before)) <= set(classes(after))
    assert after.impact.at_least(before.impact)
    assert before.known or not after.known


@given(st.lists(st.sampled_from(TOOLS), max_size=6), SEGMENTS)
def test_another_pattern_never_takes_a_class_away(more: list[ToolPattern], command: str) -> None:
    """A longer policy reports at least the same classes."""
    fewer = replace(POLICY, tools=tuple(more))
    small, large = match_tool_call("Bash", {"command": command}, fewer), bash(command)
    assert set(classes(small)) <= set(classes(large))


@given(st.text(), st.dictionaries(st.text(max_size=8), st.text() | st.integers() | st.none(), max_size=3))
def test_no_call_makes_the_matching_fail(tool: str, args: dict[str, object]) -> None:
    """Any name, any arguments: a value."""
    for name in (tool, "Bash", "sql"):
        assert match_tool_call(name, {**args, "command": tool}, POLICY) == match_tool_call(
            name, {**args, "command": tool}, POLICY
        )


def test_a_pattern_for_every_program_adds_and_makes_nothing_known() -> None:
    """What it says of a command counts; which command it is remains for the others to say."""
    policy = replace(POLICY, tools=(*TOOLS, shell("* *.secret*", "secret.read", READ), shell("*", None, READ)))
    known = match_tool_call("Bash", {"command": "cat a.secret"}, policy)
    assert (classes(known), known.known, known.impact) == (["secret.read"], True, READ)
    unknown = match_tool_call("Bash", {"command": "frobnicate a.secret"}, policy)
    assert (classes(unknown), unknown.known, unknown.impact) == (["secret.read"], False, EXECUTE)


def test_thousands_of_options_are_compared_in_little_time() -> None:
    """The control is that the match behind them is still found."""
    policy = replace(POLICY, tools=tuple(shell(f"push *.{number}*", "x", READ) for number in range(100)))
    started = time.perf_counter()
    match_tool_call("Bash", {"command": "push " + "-a " * 5_000}, policy)
    assert time.perf_counter() - started < 1
    found = bash("git " + "-a " * 5_000 + "push x")
    assert classes(found) == ["code.push"]
