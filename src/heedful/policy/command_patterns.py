"""Patterns on simple commands: `kubectl delete *`.

How a pattern is compared, from the surest:

1. *As written*: the words, joined by one space, are what the glob stands for; `*` spans words, and a last ` *` also
   stands for nothing (`git push *` is `git push` too).
2. *Known global options left out*: between a program and its subcommand, options that only choose a place, an account
   or an output (`kubectl --context prod -n x delete ...` is `kubectl delete ...`; GLOBAL_OPTIONS lists them).
3. *Any options left out*, with or without a value, anywhere, whatever the program's folder and case. Such a match only
   raises: its classes and impact count, but it makes nothing known. `git -c alias.st='!rm' st` must not be known by
   a pattern for `git st`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from heedful.policy.globs import Glob, glob
from heedful.policy.shell.wrappers import is_trusted_path, program_name

# No word has it: a command text with a NUL is not parsed.
_BETWEEN = "\0"
_STAR = Glob(("", ""))

GLOBAL_OPTIONS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    program: (frozenset(flags.split()), frozenset(values.split()))
    for program, flags, values in (
        ("aws", "--no-cli-pager --no-paginate", "--profile --region --output --color"),
        ("az", "--only-show-errors", "--subscription --output -o"),
        ("docker", "-D --debug", "-c --context -l --log-level"),
        ("gcloud", "--quiet -q", "--project --account --format --configuration --verbosity"),
        ("gh", "", "-R --repo"),
        ("git", "--no-pager -P --no-optional-locks --literal-pathspecs", "-C"),
        ("helm", "--debug", "-n --namespace --kube-context"),
        ("kubectl", "", "-n --namespace --context --cluster --user --request-timeout -v"),
        ("make", "-s --silent --no-print-directory", "-C --directory -j --jobs"),
        ("npm", "-s --silent", "-C --prefix"),
        ("oc", "", "-n --namespace --context --cluster --user --request-timeout -v"),
        ("podman", "", "-c --connection --log-level"),
        ("systemctl", "--no-pager --user -q --quiet", "-n --lines -o --output"),
        ("terraform", "", "-chdir"),
        ("tofu", "", "-chdir"),
    )
}
"""Program -> options without a value and options with one, before its subcommand, that do not change what it is."""


@dataclass(frozen=True, slots=True)
class CommandGlob:
    """A compiled pattern.

    Attributes:
        whole: on the words joined by NUL. bare: the same without a last ` *`, or None.
        words: glob of each word, in lower case.
        required: words without a star, in lower case; a command without one of them matches in no way.
        program: the literal program name, or None where it has a star.
    """

    whole: Glob
    bare: Glob | None
    words: tuple[Glob, ...]
    required: frozenset[str]
    program: str | None


@dataclass(frozen=True, slots=True)
class CommandForms:
    """The forms of one command that patterns are compared with.

    Attributes:
        sure: texts that are the command itself.
        words: for the third comparison, in lower case.
        word_set: the same, for finding quickly what cannot match.
        may_add: False: the third comparison finds nothing that the others do not.
        program: the bare program name, for finding the patterns that may match.
    """

    sure: tuple[str, ...]
    words: tuple[str, ...]
    word_set: frozenset[str]
    may_add: bool
    program: str


def compile_command(pattern: str) -> CommandGlob:
    """The compiled form of a pattern; runs of blanks in it count as one."""
    words = pattern.split()
    whole = _BETWEEN.join(words)
    bare = glob(_BETWEEN.join(words[:-1])) if len(words) > 1 and words[-1] == "*" else None
    has_literal_program = bool(words) and "*" not in words[0]
    program = program_name(words[0]) if has_literal_program else None
    folded = [word.casefold() for word in words]
    if program is not None:
        folded[0] = program
    required = frozenset(word for word in folded if "*" not in word)
    return CommandGlob(glob(whole), bare, tuple(glob(word) for word in folded), required, program)


def forms_of(words: Sequence[str]) -> CommandForms:
    """The forms of a command's words."""
    name = program_name(words[0])
    folded = (name, *(word.casefold() for word in words[1:]))
    may_add = folded != tuple(words) or any(word.startswith("-") for word in words)
    sure = [_BETWEEN.join(words)]
    if is_trusted_path(words[0]):
        if "/" in words[0]:
            words = [words[0].rpartition("/")[2], *words[1:]]
            sure.append(_BETWEEN.join(words))
        plain = _without_global_options(words)
        if len(plain) != len(words):
            sure.append(_BETWEEN.join(plain))
    return CommandForms(tuple(sure), folded, frozenset(folded), may_add, name)


def is_sure_match(pattern: CommandGlob, forms: CommandForms) -> bool:
    """True where the pattern stands for the command itself (comparisons 1 and 2)."""
    bare = pattern.bare
    return any(pattern.whole.matches(text) or (bare is not None and bare.matches(text)) for text in forms.sure)


def is_possible_match(pattern: CommandGlob, forms: CommandForms) -> bool:
    """True where the pattern stands for the words with some options left out (comparison 3)."""
    if not forms.may_add:
        return False
    globs = pattern.words
    # Quickly, for long commands: a word of the pattern that no word of the command is.
    if not all(any(each.matches(word) for word in forms.word_set) for each in globs if each != _STAR):
        return False
    end = len(globs)
    # A state is how many of the pattern's words are found, and whether an option stood last, which may have a value.
    states = set(_past_stars(globs, ((0, False),)))
    for word in forms.words:
        found: set[tuple[int, bool]] = set()
        is_option = word.startswith("-")
        for at, after_option in states:
            if at < end and globs[at] == _STAR:
                found.add((at, False))
            elif at < end and globs[at].matches(word):
                found.add((at + 1, False))
            if at and (is_option or after_option):
                found.add((at, is_option))
        states = set(_past_stars(globs, found))
        if not states:
            return False
    return any(at == end for at, _ in states)


def _past_stars(globs: Sequence[Glob], states: Iterable[tuple[int, bool]]) -> Iterator[tuple[int, bool]]:
    for at, after_option in states:
        yield at, after_option
        past = at
        while past < len(globs) and globs[past] == _STAR:
            past += 1
            yield past, after_option


def _without_global_options(words: Sequence[str]) -> Sequence[str]:
    known = GLOBAL_OPTIONS.get(words[0])
    if known is None:
        return words
    flags, values = known
    at = 1
    while at < len(words) and words[at].startswith("-"):
        option, equals, _ = words[at].partition("=")
        if words[at] in flags or (equals and option in values):
            at += 1
        elif words[at] in values and at + 1 < len(words):
            at += 2
        elif len(option) > 2 and not option.startswith("--") and option[:2] in values:
            at += 1
        else:
            return words
    return [words[0], *words[at:]]
