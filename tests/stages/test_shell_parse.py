"""What a shell command would run: written plainly, wrapped, nested, and hidden on purpose."""

from __future__ import annotations

import pytest

from heedful.policy.shell import parse_argv, parse_shell
from heedful.policy.shell.command import COMMAND_CHARACTERS_MAX, COMMANDS_MAX, NESTED_TEXTS_MAX, ShellCommand


def literal(parsed: ShellCommand) -> list[str]:
    """The commands that are literal, words joined by a space."""
    return [" ".join(command.words) for command in parsed.commands if command.literal]


def doubtful(parsed: ShellCommand) -> list[str]:
    """The commands that are not."""
    return [" ".join(command.words) for command in parsed.commands if not command.literal]


PLAIN: list[tuple[str, list[str]]] = [
    ("kubectl get pods", ["kubectl get pods"]),
    ("a; b", ["a", "b"]),
    ("a && b || c", ["a", "b", "c"]),
    ("a | b |& c", ["a", "b", "c"]),
    ("a & b", ["a", "b"]),
    ("a\nb\n\nc", ["a", "b", "c"]),
    ("(a; (b))", ["a", "b"]),
    ("{ a; b; }", ["a", "b"]),
    ("! a", ["a"]),
    ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
    ("while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]),
    ("for f in x y; do rm z; done", ["rm z"]),
    ("case x in (b) c;; d|e) f;; esac", ["c", "f"]),
    ("f() { rm x; }; f", ["rm x", "f"]),
    ("function g { rm y; }", ["rm y"]),
    ("diff <(a) b", ["a"]),
    ("tee >(rm x)", ["rm x"]),
    ("a # rm b", ["a"]),
    ("a \\\n  b", ["a b"]),
    ("git log --oneline -- 'a b' \"c d\"", ["git log --oneline -- a b c d"]),
    ("echo 修复 '测试'", ["echo 修复 测试"]),
    ("ls src/*.py ~/x", ["ls src/*.py ~/x"]),
    ("git stash show 'stash@{0}'", ["git stash show stash@{0}"]),
    ("LANG=C NO_COLOR=1 ls", ["ls"]),
    ("[ -f a ] && [[ -d b ]]", ["[ [ -f a ]", "[[ [[ -d b ]]"]),
    ("test -f a", ["test -f a"]),
    ("cat <<'EOF'\nrm -rf /\nEOF\nls", ["cat", "ls"]),
    ("cat <<-EOF\n\trm x\n\tEOF\nls", ["cat", "ls"]),
    ("git commit -m \"$(cat <<'EOF'\nfix: rm the cache\nEOF\n)\"", ["git commit -m fix: rm the cache", "cat"]),
    ("command -v kubectl", ["command -v kubectl"]),
]

SEEN_THROUGH: list[tuple[str, list[str]]] = [
    ("'r'm x", ["rm x"]),
    ("\\rm x", ["rm x"]),
    ('r"m" x', ["rm x"]),
    ("'kubectl' \"delete\" ns", ["kubectl delete ns"]),
    ("sudo rm x", ["rm x"]),
    ("sudo -nH rm x", ["rm x"]),
    ("sudo -nu root rm x", ["rm x"]),
    ("sudo -- rm x", ["rm x"]),
    ("bash --norc -c 'rm x'", ["rm x"]),
    ("a && (rm x) > f", ["rm x"]),
    ("LANG=C; rm x", ["rm x"]),
    ("sudo -u root -E rm x", ["rm x"]),
    ("env -i LANG=C rm x", ["rm x"]),
    ("time rm x", ["rm x"]),
    ("nohup rm x &", ["rm x"]),
    ("timeout 5 rm x", ["rm x"]),
    ("timeout -k 5 --signal=KILL 10 rm x", ["rm x"]),
    ("nice -n 5 rm x", ["rm x"]),
    ("nice -10 rm x", ["rm x"]),
    ("command rm x", ["rm x"]),
    ("exec rm x", ["rm x"]),
    ("builtin cd x", ["cd x"]),
    ("stdbuf -oL rm x", ["rm x"]),
    ("busybox rm x", ["rm x"]),
    ("/usr/bin/sudo /bin/rm x", ["/bin/rm x"]),
    ("sudo timeout 5 nice rm x", ["rm x"]),
    ("bash -c 'rm x; ls'", ["rm x", "ls"]),
    ("sh -ec 'rm x'", ["rm x"]),
    ('bash -lc "kubectl delete ns a"', ["kubectl delete ns a"]),
    ("bash -o pipefail -c 'rm x'", ["rm x"]),
    ("sudo bash -c 'sh -c \"rm x\"'", ["rm x"]),
    ("eval 'rm x'", ["rm x"]),
    ("eval rm x", ["rm x"]),
    ("bash <<'EOF'\nrm x\nEOF", ["rm x"]),
    ("bash <<< 'rm x'", ["rm x"]),
    ("find . -exec rm {} \\;", ["rm {}", "find . -exec rm {} ;"]),
    ("find . -exec bash -c 'rm x' \\;", ["rm x", "find . -exec bash -c rm x ;"]),
    ("trap 'rm x' EXIT", ["rm x", "trap rm x EXIT"]),
    ("alias ls='rm x'", ["rm x", "alias ls=rm x"]),
    ("kubectl > out delete ns a", ["kubectl delete ns a"]),
    ("> out kubectl delete ns a", ["kubectl delete ns a"]),
    ("a | kubectl > out delete ns a", ["a", "kubectl delete ns a"]),
    ("kubectl delete <<EOF ns a\nEOF\n", ["kubectl delete ns a"]),
]

NOT_LITERAL: list[tuple[str, str]] = [
    ("$X rm", "$X rm"),
    ("ls $HOME", "ls $HOME"),
    ('ls "$HOME"', "ls $HOME"),
    ("${X:-rm} y", "${X:-rm} y"),
    ("`echo rm` y", "`echo rm` y"),
    ("$(echo rm) y", "$(echo rm) y"),
    ("ls {a,b}", "ls {a,b}"),
    ("ls *.py", "ls *.py"),
    ("kubectl d* ns", "kubectl d* ns"),
    ("$'\\x72m' x", "rm x"),
    ("K=kubectl; $K delete ns a", "kubectl delete ns a"),
    ("X='rm -rf'; $X /", "rm -rf /"),
    ("for c in rm; do $c x; done", "rm x"),
    ("PATH=/tmp/evil ls", "ls"),
    ("LD_PRELOAD=x ls", "ls"),
    ("LANG=/etc ls", "ls"),
    ("PATH=/tmp/evil; ls", "PATH=/tmp/evil"),
    ("export PATH=/tmp/evil", "export PATH=/tmp/evil"),
    ("for PATH in /tmp/evil; do ls; done", "for PATH"),
    ("http_proxy=evil; ls", "http_proxy=evil"),
    ("ls | xargs rm", "rm"),
    ("ls | xargs -I{} -n 1 rm {}", "rm {}"),
    ("sudo --weird rm x", "rm x"),
    ("env FOO=1 rm x", "rm x"),
    ("coproc rm x", "rm x"),
    ('bash -c "rm $X"', "rm $X"),
    ("bash <<EOF\nrm $X\nEOF", "rm $X"),
    ("echo 'rm x' | sh", "rm x"),
    ("cat <<'EOF' | bash\nrm x\nEOF", "rm x"),
    ('eval "$X"', "eval $X"),
    ("echo `a \\`rm x\\``", "rm x"),
    ("(( i++ ))", "(( (( i++ ))"),
    ("[[ 'a[$(rm)]' -eq 1 ]]", "[[ [[ 'a[$(rm)]' -eq 1 ]]"),
    ("[[ x -eq 1 ]]", "[[ [[ x -eq 1 ]]"),
    ("/tmp/x/sudo rm x", "rm x"),
    ("'a b' c", "a b c"),
    ("=rm x", "=rm x"),
    ("$'\\162m\\tx' y", "rm\tx y"),
    ("bash --rcfile f -c 'rm x'", "rm x"),
    ("sudo -Z rm x", "rm x"),
    (">| f V=a rm x", "rm x"),
    ("let 'a[$(rm)]'", "let a[$(rm)]"),
    ("X=1; X+=2 ls", "ls"),
    ("declare -x a=b", "declare -x a=b"),
    ('git commit -m "$(cat <<EOF\n$X\nEOF\n)"', "git commit -m $(cat <<EOF\n$X\nEOF\n)"),
    ('git commit -m "$(cat f)"', "git commit -m $(cat f)"),
    ("git commit -m \"$(cat f <<'E'\nx\nE\n)\"", "git commit -m $(cat f <<'E'\nx\nE\n)"),
]

PROBLEMS: list[tuple[str, str]] = [
    ("ls &&", "syntax-error"),
    ("ls 'a", "syntax-error"),
    ("if a; then b", "syntax-error"),
    ("exec 3<>/dev/tcp/a/80", "syntax-error"),
    ("ls\rrm x", "control-character"),
    ("ls\x00rm", "control-character"),
    ("ls\x0brm", "control-character"),
    ("l\\\ns", "joined-line"),
    ("if ls\\\nrm; then b; fi", "joined-line"),
    ("cat <<EOF\nx\n EOF\nls\nEOF\nrm", "here-document"),
    ('cat <<"E F"\nx\nE F\n', "here-document"),
    ("ls \ud800", "not-text"),
    ("a" * (COMMAND_CHARACTERS_MAX + 1), "too-long"),
    ("a;" * (COMMANDS_MAX + 1), "too-many-commands"),
    ("a|" * 600 + "b", "too-many-commands"),
    ("(" * 200 + "a" + ")" * 200, "too-deep"),
    ("{} | ls", "unread-text"),
    ("sudo " * 7 + "rm x", "too-deep"),
    ("a && " * 150 + "b > f", "too-deep"),
    ("".join(f"ssh h a b c d e f g h i j k l m n {number}\n" for number in range(100)), "too-many-commands"),
    ("bb -c2>&1cc x", "unread-text"),
    ("set#<>f\n =", "unread-text"),
    ("aa >| bb `` -c", "unread-text"),
    ('aa $"b c"', "unread-text"),
    ("a >& -n b", "unread-text"),
    ("cc > $ then", "unread-text"),
    ("aa -x<<'EOF'\n\nEOF\n", "unread-text"),
    ("bash 3<<EOF\nls\nEOF\n", "unread-text"),
    ("bash 3<<< ls", "syntax-error"),
    ("[] a", "unread-text"),
    ("aa =~{ b", "unread-text"),
    ("!'a' b", "unread-text"),
    ("x y | z > f w } }", "unread-text"),
]


@pytest.mark.parametrize(("text", "expected"), PLAIN)
def test_every_command_of_a_plain_text_is_found(text: str, expected: list[str]) -> None:
    """Lists, pipes, blocks, loops, functions and substitutions hide nothing, and all of it is literal."""
    parsed = parse_shell(text)
    assert set(expected) <= set(literal(parsed))
    assert parsed.problems == ()


@pytest.mark.parametrize(("text", "expected"), SEEN_THROUGH)
def test_wrappers_quotes_and_inner_texts_are_seen_through(text: str, expected: list[str]) -> None:
    """What runs in the end is what is reported, and it is literal."""
    parsed = parse_shell(text)
    assert [command for command in literal(parsed) if command != "a"] == [each for each in expected if each != "a"]
    assert doubtful(parsed) == []
    assert parsed.problems == ()


@pytest.mark.parametrize(("text", "expected"), NOT_LITERAL)
def test_what_the_shell_may_still_change_is_not_literal(text: str, expected: str) -> None:
    """Expansions, assignments that reach programs, added words: reported with the best guess, proving nothing."""
    assert expected in doubtful(parse_shell(text))


@pytest.mark.parametrize(("text", "problem"), PROBLEMS)
def test_what_is_not_understood_is_a_problem(text: str, problem: str) -> None:
    """Syntax errors, limits, and every place where the grammar and bash are known to differ."""
    assert problem in parse_shell(text).problems


@pytest.mark.parametrize(
    ("text", "writes"),
    [
        ("ls > f", ("f",)),
        ("while a; do b; done > f", ("f",)),
        ("cat <<EOF > f\nx\nEOF", ("f",)),
        ("{ a; } <<EOF\nx\nEOF", ()),
        ("ls >> f", ("f",)),
        ("ls >| f", ("f",)),
        ("ls &> f", ("f",)),
        ("ls >& f", ("f",)),
        ("2> f ls", ("f",)),
        ("> f", ("f",)),
        ("ls > $X", ("$X",)),
        ("{ a; b; } > f", ("f",)),
        ("f() { a; } > g", ("g",)),
        ("cat > f <<'EOF'\nx\nEOF", ("f",)),
        ("cat < /dev/tcp/a/80", ("/dev/tcp/a/80",)),
        ("echo a > b c > d", ("b", "d")),
        ("ls > /dev/null", ()),
        ("ls 2>&1", ()),
        ("ls 2> /dev/null >&2", ()),
        ("ls < f", ()),
        ("ls 2>&-", ()),
        ("tee > >(cat)", ()),
    ],
)
def test_a_redirection_that_writes_is_reported(text: str, writes: tuple[str, ...]) -> None:
    """Every form that opens a file (or a network address), and none that does not."""
    parsed = parse_shell(text)
    assert parsed.writes == writes
    assert parsed.problems == ()


@pytest.mark.parametrize(
    ("text", "guess"),
    [
        ("ssh prod kubectl delete ns a", ("kubectl", "delete", "ns", "a")),
        ("ssh prod 'cd x; kubectl delete ns a'", ("kubectl", "delete", "ns", "a")),
        ("docker exec -it c rm x", ("rm", "x")),
        ("uv run pytest tests", ("pytest", "tests")),
        ("sudo rm x", ("sudo", "rm", "x")),
        ("kubectl delete ns a; if", ("kubectl", "delete", "ns", "a")),
        ("kubectl delete ns a\rls", ("kubectl", "delete", "ns", "a")),
        ("kubectl delete ns a; " + "x" * COMMAND_CHARACTERS_MAX, ("kubectl", "delete", "ns", "a")),
    ],
)
def test_what_may_run_inside_is_guessed(text: str, guess: tuple[str, ...]) -> None:
    """Carriers of commands, wrapped commands as written, and texts with problems still raise what they hold."""
    assert guess in parse_shell(text).guesses


def test_a_word_of_a_search_is_no_guess() -> None:
    """The control: a command that only names another one carries nothing."""
    assert parse_shell("rg 'kubectl delete' docs").guesses == ()


def test_inner_texts_are_followed_to_a_limit() -> None:
    """One more `eval` than the limit, and the call has a problem; at the limit it has none."""
    inside = "rm x"
    for _ in range(NESTED_TEXTS_MAX):
        inside = "eval " + inside
    assert literal(parse_shell(inside)) == ["rm x"]
    assert "too-deep" in parse_shell("eval eval " + inside).problems


def test_a_list_of_words_is_not_split_by_a_shell() -> None:
    """`["rm", "a; b"]` is one command with one argument; `["bash", "-lc", ...]` is what the shell makes of it."""
    assert literal(parse_argv(["rm", "a; b $X"])) == ["rm a; b $X"]
    assert literal(parse_argv(["bash", "-lc", "rm a; ls"])) == ["rm a", "ls"]
    assert parse_argv([]).commands == ()
    assert parse_argv(["x" * (COMMAND_CHARACTERS_MAX + 1)]).problems == ("too-long",)
