"""Templates of a step's input: which calls are that step. `{{name}}` stands for what differs from run to run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.kept import keeps_texts
from heedful.policy.shell import parse_shell

ARGUMENT_CHARACTERS_MAX = 8_192
"""A longer argument is no step's, unless a variable stands for all of it."""
COMMANDS_KEPT = 4_096
"""Commands that are remembered as parsed: those of a run of 2,000 records, and of the steps of 50 workflows."""
INPUT_DEPTH_MAX = 8
"""Lists and mappings in one another; what lies deeper is no step's."""

VARIABLE = re.compile(r"\{\{([a-z][a-z0-9_]{0,31})\}\}")
# Of a word, or of several that no template language would read; or with an end that is not both braces.
_MEANT_AS_VARIABLE = re.compile(
    r"\{\{\s*\w[\w-]*\s*\}\}|\{\{\s*\w[\w-]*\s*\}(?!\})|\{\{\s*\w[\w-]*(?=[^\w{}-][^{}]*$|$)"
)
# Stands for a variable in a command while the shell's grammar is read: a character of no word of the shell.
_HOLE = "\ue000"
_SAMPLE = "value"


def variables_of(value: object) -> frozenset[str]:
    """The names of the variables in a template, however deep."""
    return frozenset(name for text in _texts(value) for name in VARIABLE.findall(text))


def misspelt_variables(value: object) -> tuple[str, ...]:
    """What looks like a variable in a template and is none: `{{ Name }}`, `{{a-b}}`, `{{tag`. Other braces are text."""
    return tuple(
        found for text in _texts(value) for found in _MEANT_AS_VARIABLE.findall(text) if not VARIABLE.fullmatch(found)
    )


def sample_of(template: Mapping[str, object]) -> dict[str, object]:
    """The input with some word in each variable's place, to see what such a call is."""
    return {name: _filled(value) for name, value in template.items()}


def is_open(text: object) -> bool:
    """True for a text that is one variable: it stands for anything."""
    return isinstance(text, str) and VARIABLE.fullmatch(text) is not None


def is_step(template: Mapping[str, object], args: Mapping[str, object], shell_arguments: Sequence[str]) -> bool:
    """True where a call with these arguments is this step; further arguments do not matter.

    Of a shell argument, the template's simple commands must be among the call's in their order, word for word: what
    is run beside them (`cd x && ...`) makes the call no other step. A variable stands for a part of one word there,
    for any part of another text, and for any value where it is the whole template.
    """
    return all(
        name in args
        and (
            _is_command(value, args[name])
            if name in shell_arguments and isinstance(value, str)
            else _is_value(value, args[name], INPUT_DEPTH_MAX)
        )
        for name, value in template.items()
    )


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)


def _filled(value: object) -> object:
    if isinstance(value, str):
        return VARIABLE.sub(_SAMPLE, value)
    if isinstance(value, Mapping):
        return {name: _filled(each) for name, each in value.items()}
    return [_filled(each) for each in value] if isinstance(value, list | tuple) else value


def _is_value(template: object, given: object, depth: int) -> bool:
    if depth <= 0:
        return False
    if isinstance(template, str) and isinstance(given, str):
        return is_open(template) or _is_text(VARIABLE.sub(_HOLE, template), given)
    if isinstance(template, str):
        return is_open(template)
    if isinstance(template, Mapping) and isinstance(given, Mapping):
        return template.keys() == given.keys() and all(
            _is_value(each, given[name], depth - 1) for name, each in template.items()
        )
    if isinstance(template, list | tuple) and isinstance(given, list | tuple):
        return len(template) == len(given) and all(
            _is_value(*pair, depth - 1) for pair in zip(template, given, strict=True)
        )
    return _is_same(template, given)


def _is_same(template: object, given: object) -> bool:
    try:
        return canonical_bytes(template) == canonical_bytes(given)
    except (ValueError, TypeError, RecursionError):
        return False


def _is_text(holed: str, given: str) -> bool:
    """True where the text is the template with one character or more in each hole.

    Each literal is taken at its first place, which finds a way wherever there is one, without going back.
    """
    if len(given) > ARGUMENT_CHARACTERS_MAX:
        return False
    first, *others = holed.split(_HOLE)
    if not others:
        return first == given
    if not given.startswith(first):
        return False
    at = len(first)
    for literal in others[:-1]:
        at = given.find(literal, at + 1)
        if at < 0:
            return False
        at += len(literal)
    return at + 1 + len(others[-1]) <= len(given) and given.endswith(others[-1])


def _is_command(template: str, given: object) -> bool:
    if not isinstance(given, str) or len(given) > ARGUMENT_CHARACTERS_MAX:
        return False
    wanted = _commands(VARIABLE.sub(_HOLE, template))
    found = iter(_commands(given))
    # Each wanted one is looked for after the one before it.
    return bool(wanted) and all(any(_is_words(words, each) for each in found) for words in wanted)


@keeps_texts(COMMANDS_KEPT)
def _commands(text: str) -> tuple[tuple[str, ...], ...]:
    """The words of each simple command; a call is compared with every step, and parsed once."""
    return tuple(tuple(command.words) for command in parse_shell(text).commands)


def _is_words(template: tuple[str, ...], given: tuple[str, ...]) -> bool:
    return len(template) == len(given) and all(_is_text(*pair) for pair in zip(template, given, strict=True))
