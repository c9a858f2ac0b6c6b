"""What a simple command's words run: through wrappers, shells, `eval`, `find -exec` and carriers of commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise, takewhile

from heedful.policy.shell.command import NESTED_TEXTS_MAX
from heedful.policy.shell.found import Found
from heedful.policy.shell.variables import is_evaluated, is_inert_export
from heedful.policy.shell.words import Word
from heedful.policy.shell.wrappers import (
    SHELLS,
    WRAPPERS,
    carries,
    find_inner,
    is_assignment,
    is_trusted_path,
    program_name,
    script_of,
    suffixes,
    unwrap,
)

_ODD_PROGRAM = re.compile(r"[*?\[\]{}()\s]|^$|^=|^!$")
_TESTS = frozenset({"[", "[["})
# Words of the shell that may run code, or set any variable (`PATH` too) for what follows, whatever their arguments.
_SETTERS = frozenset(
    ". autoload bind compgen complete enable fc getopts hash let mapfile read readarray select shopt source unset "  # noqa: SIM905 - a list would be a page
    "vared zmodload zparseopts zstyle".split()
)
# Those of which only some arguments do: bash and zsh take numbers and subscripts for arithmetic, and evaluate them.
_COMPUTING = frozenset({"test", "[", "[[", "wait", "printf", "exit", "return", "break", "continue", "shift", "cd"})
_HARMLESS_OPTIONS = {"wait": frozenset({"-n", "-f"}), "printf": frozenset[str]()}


class Runner:
    """Adds to `found` what words run."""

    def __init__(self, found: Found, depth: int, walk_text: Callable[[Word, Found, int], None]) -> None:
        """`walk_text` reads a text that is run, at a depth."""
        self.found = found
        self.depth = depth
        self.walk_text = walk_text

    def run(self, words: Sequence[Word], stdin: Word | None, piped: Word | None, *, literal: bool) -> Word | None:
        """What the command prints, where its words say so; adds the command, seen through its wrappers.

        `stdin` is a here-document's or here-string's text, `piped` what the command before a pipe prints.
        """
        # Behind a redirection the parser takes assignments for words.
        while len(words) > 1 and is_assignment(words[0]):
            words, literal = words[1:], False
        for _ in range(NESTED_TEXTS_MAX):
            if not words[0].literal or program_name(words[0].text) not in WRAPPERS:
                return self._run_inner(words, stdin, piped, literal=literal)
            unwrapped = unwrap(words)
            if unwrapped is None or not unwrapped.words:
                self.found.command(words, literal=literal and (unwrapped is None or unwrapped.certain))
                return None
            self.found.guess([word.text for word in words])
            if not unwrapped.certain:
                self._guess_rests(words)
            inert = all(word.literal and _is_inert(word.text) for word in unwrapped.assignments)
            literal = literal and unwrapped.certain and inert
            words = unwrapped.words
        self.found.problems.add("too-deep")
        self.found.command(words, literal=False)
        return None

    def _run_inner(
        self, words: Sequence[Word], stdin: Word | None, piped: Word | None, *, literal: bool
    ) -> Word | None:
        program = words[0]
        if not program.literal or (_ODD_PROGRAM.search(program.text) and program.text not in _TESTS):
            if program.literal and " " in program.text:
                self.inner(Word(" ".join(word.text for word in words), literal=False))
            self.found.command(words, literal=False)
            return None
        name = program_name(program.text)
        is_certain = literal and is_trusted_path(program.text) and all(word.literal for word in words)
        if name in SHELLS:
            is_replaced = self._shell(words, stdin, piped, is_certain=is_certain)
        elif name == "eval":
            rest = words[2:] if [word.text for word in words[1:2]] == ["--"] else words[1:]
            self.inner(Word(" ".join(word.text for word in rest), is_certain))
            is_replaced = is_certain
        else:
            is_replaced = False
            literal = self._look_within(name, words, literal=literal)
        if not is_replaced:
            self.found.command(words, literal=literal)
        return _printed(name, words, stdin)

    def inner(self, text: Word) -> None:
        """Walks a text that the command runs."""
        self.walk_text(text, self.found, self.depth + 1)

    def _shell(self, words: Sequence[Word], stdin: Word | None, piped: Word | None, *, is_certain: bool) -> bool:
        """True where everything that the shell would run is added in its place."""
        script = script_of(words)
        if script is None:
            return False
        text = script.text or stdin
        if text is not None:
            is_certain = is_certain and script.certain and text.literal
            self.inner(Word(text.text, is_certain))
            return is_certain
        if piped is not None:
            self.inner(Word(piped.text, literal=False))
        return False

    def _look_within(self, name: str, words: Sequence[Word], *, literal: bool) -> bool:
        """Adds what other commands these words may run; False where they prove nothing."""
        if name == "trap":
            for word in words[1:2]:
                self.inner(word)
        elif name == "alias":
            for word in words[1:]:
                self.inner(Word(word.text.partition("=")[2], word.literal))
        elif name == "find":
            for rest in find_inner(words):
                if rest:
                    self.run(rest, None, None, literal=literal)
        elif name in _SETTERS or (name in _COMPUTING and _computes(name, [word.text for word in words[1:]])):
            return False
        elif carries(name, words):
            self._guess_rests(words)
        return literal

    def _guess_rests(self, words: Sequence[Word]) -> None:
        for rest in suffixes(words):
            self.found.guess([word.text for word in rest])
            if " " in rest[0].text:
                guessed = Found()
                self.walk_text(rest[0], guessed, self.depth + 1)
                for command in guessed.commands:
                    self.found.guess(command.words)
                for guess in guessed.guesses:
                    self.found.guess(guess)


def _computes(name: str, texts: Sequence[str]) -> bool:
    """True where such words may make the shell evaluate text, or set a variable that they name."""
    if any(is_evaluated(text) for text in texts):
        return True
    harmless = _HARMLESS_OPTIONS.get(name)
    if harmless is not None:
        # Only the words before the first that is no option: what `printf` prints may begin with a dash.
        options = takewhile(lambda text: text.startswith("-") and text != "--", texts)
        return not set(options) <= harmless
    if name in _TESTS or name == "test":
        return any(option in ("-v", "-R") and not operand.isidentifier() for option, operand in pairwise(texts))
    return False


def _is_inert(assignment: str) -> bool:
    name, _, value = assignment.partition("=")
    return is_inert_export(name, value)


def _printed(name: str, words: Sequence[Word], stdin: Word | None) -> Word | None:
    if name == "cat" and len(words) == 1:
        return stdin
    if name in ("echo", "printf"):
        shown = [word for word in words[1:] if word.text not in ("-n", "-e", "-E", "-ne", "-en")]
        return Word(" ".join(word.text for word in shown), all(word.literal for word in shown))
    return None
