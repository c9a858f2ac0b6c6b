"""Programs that run another command: what their inner command is. Written from their manuals (GNU, POSIX, bash)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heedful.policy.shell.words import Word

SYSTEM_FOLDERS = frozenset({"/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/opt/homebrew/bin"})
"""A program named by a path in one of these is the program of that name; in any other folder it proves nothing."""

SUFFIXES_MAX = 16
"""At most so many places in a carrier's words are looked at for an inner command."""

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Wrapper:
    """How a wrapper's own words end and the inner command begins.

    Attributes:
        flags: options without a value. values: options with one.
        lookups: options that make it run nothing.
        positionals: words of its own after the options.
        assigns: True: `NAME=value` words may follow the options.
        appends: True: it adds words that nobody can see here.
    """

    flags: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    lookups: frozenset[str] = frozenset()
    positionals: int = 0
    assigns: bool = False
    appends: bool = False


def _wrapper(
    flags: str = "",
    values: str = "",
    lookups: str = "",
    *,
    positionals: int = 0,
    assigns: bool = False,
    appends: bool = False,
) -> _Wrapper:
    return _Wrapper(
        frozenset(flags.split()), frozenset(values.split()), frozenset(lookups.split()), positionals, assigns, appends
    )


WRAPPERS = {
    "builtin": _wrapper(),
    "busybox": _wrapper(),
    "command": _wrapper("-p", lookups="-v -V"),
    "coproc": _wrapper(assigns=True, appends=True),
    "doas": _wrapper("-n", "-u"),
    "env": _wrapper("-i - -0 --ignore-environment --null", "-u --unset -C --chdir", assigns=True),
    "exec": _wrapper("-c -l", "-a"),
    "ionice": _wrapper("-t --ignore", "-c -n --class --classdata"),
    "nice": _wrapper("", "-n --adjustment"),
    "nohup": _wrapper(),
    "setsid": _wrapper("-c -f -w --ctty --fork --wait"),
    "stdbuf": _wrapper("", "-i -o -e --input --output --error"),
    "sudo": _wrapper(
        "-A -b -E -H -k -n -P -S --askpass --background --preserve-env --set-home --non-interactive --stdin",
        "-C -D -g -h -p -r -t -T -u --chdir --group --host --prompt --role --type --command-timeout --user",
        assigns=True,
    ),
    "time": _wrapper("-p -v --portability --verbose", assigns=True),
    "timeout": _wrapper(
        "-f -p -v --foreground --preserve-status --verbose", "-k -s --kill-after --signal", positionals=1
    ),
    "xargs": _wrapper(
        "-0 -r -t -x -p --null --no-run-if-empty --verbose --exit --interactive",
        "-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-lines --max-procs --max-chars --replace",
        appends=True,
    ),
}

SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "ash", "mksh", "rbash"})

CARRIERS = frozenset(
    "ssh su runuser pkexec docker podman nerdctl kubectl oc nsenter unshare chroot flock strace ltrace script screen "  # noqa: SIM905 - a list would be a page
    "tmux parallel entr watch systemd-run firejail bwrap nix-shell direnv mise doppler op aws-vault uv uvx poetry "
    "pipenv conda npx pnpm bundle hyperfine fd fdfind".split()
)
"""Programs among whose words another command may stand. What is found there only raises; it never makes known."""

_CARRY_ONLY_BY = {
    "docker": ("exec", "run"),
    "kubectl": ("exec", "run", "debug"),
    "nerdctl": ("exec", "run"),
    "oc": ("exec", "run", "debug", "rsh"),
    "podman": ("exec", "run"),
}


def program_name(text: str) -> str:
    """The program that a command word names, for finding what it might be: no folder, no case, no `.exe`."""
    return text.replace("\\", "/").rpartition("/")[2].casefold().removesuffix(".exe")


def is_trusted_path(text: str) -> bool:
    """True for a bare program name and for one in a system folder."""
    folder, slash, _ = text.rpartition("/")
    return not slash or folder in SYSTEM_FOLDERS


def is_assignment(word: Word) -> bool:
    """True for `NAME=value`."""
    return _ASSIGNMENT.match(word.text) is not None


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """What a wrapper runs.

    Attributes:
        words: of the inner command; empty: it runs none.
        assignments: `NAME=value` words before it.
        certain: False: an option is not known, or words are added, so the inner command proves nothing.
    """

    words: tuple[Word, ...]
    assignments: tuple[Word, ...]
    certain: bool


def unwrap(words: Sequence[Word]) -> Unwrapped | None:
    """The inner command of a wrapper's words; None where they only look something up."""
    wrapper = WRAPPERS[program_name(words[0].text)]
    certain = is_trusted_path(words[0].text) and not wrapper.appends
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        option = words[at].text
        certain = certain and words[at].literal
        at += 1
        if option == "--":
            break
        if option in wrapper.lookups:
            return None
        takes, known = _option(option, wrapper.flags, wrapper.values)
        certain = certain and known
        at += takes
    at += wrapper.positionals
    assignments: list[Word] = []
    while wrapper.assigns and at < len(words) and is_assignment(words[at]):
        assignments.append(words[at])
        at += 1
    return Unwrapped(tuple(words[at:]), tuple(assignments), certain)


def _option(option: str, flags: frozenset[str], values: frozenset[str]) -> tuple[int, bool]:
    """How many further words an option takes, and whether it is one that we know."""
    if option in flags:
        return 0, True
    if option in values:
        return 1, True
    name, equals, _ = option.partition("=")
    if option.startswith("--"):
        return 0, bool(equals) and name in values | flags
    if option[:2] in values or option[1:].isdigit():
        return 0, True
    cluster = ["-" + letter for letter in option[1:]]
    if cluster and all(letter in flags for letter in cluster[:-1]) and cluster[-1] in flags | values:
        return int(cluster[-1] in values), True
    return 0, False


@dataclass(frozen=True, slots=True)
class Script:
    """What a shell is told to run.

    Attributes:
        text: the command text of `-c`; None where it reads its standard input.
        certain: False: an option is not known, so the text proves nothing.
    """

    text: Word | None
    certain: bool


def script_of(words: Sequence[Word]) -> Script | None:
    """The commands that a shell's words give it; None where they name a file to run."""
    certain = is_trusted_path(words[0].text)
    is_command = False
    at = 1
    while at < len(words) and words[at].text[:1] in ("-", "+") and len(words[at].text) > 1:
        option = words[at].text
        certain = certain and words[at].literal
        at += 1
        if option == "--":
            break
        if option.startswith("--"):
            at += int(option in ("--rcfile", "--init-file"))
            certain = certain and option in ("--login", "--norc", "--noprofile", "--posix")
            continue
        is_command = is_command or "c" in option
        at += option.count("o") + option.count("O")
        certain = certain and set(option[1:]) <= set("acefilnoOpuvx")
    if is_command:
        return Script(words[at], certain) if at < len(words) else Script(Word("", literal=True), certain)
    return Script(None, certain) if at >= len(words) or words[at].text == "-" else None


def find_inner(words: Sequence[Word]) -> Iterator[tuple[Word, ...]]:
    """The commands that `find` runs: the words of each `-exec` and its like."""
    at = 0
    while at < len(words):
        if words[at].text in ("-exec", "-execdir", "-ok", "-okdir"):
            end = at + 1
            while end < len(words) and words[end].text not in (";", "+"):
                end += 1
            yield tuple(words[at + 1 : end])
            at = end
        at += 1


def carries(name: str, words: Sequence[Word]) -> bool:
    """True where another command may stand among the words of the program `name`."""
    subcommands = _CARRY_ONLY_BY.get(name)
    return name in CARRIERS and (subcommands is None or any(word.text in subcommands for word in words))


def suffixes(words: Sequence[Word]) -> Iterator[tuple[Word, ...]]:
    """Every rest of the words that may be an inner command, at most SUFFIXES_MAX."""
    starts = [at for at in range(1, len(words)) if not words[at].text.startswith("-")]
    for at in starts[:SUFFIXES_MAX]:
        yield tuple(words[at:])
