"""The arguments of the same calls in several runs -> templates: what differs becomes a variable."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile

from heedful.claims.projections.workflow_templates import is_step
from heedful.kernel.canonical import canonical_bytes
from heedful.policy.shell import parse_shell

INPUT_BYTES_MAX = 8_192
"""Of one call's arguments, as canonical JSON; a run with a longer one shows no workflow."""

_ENDS_OF_A_NAME = "=:/@"
_QUOTES = "'\""
_NOT_A_NAME = re.compile(r"[^a-z0-9]+")
_NAME_CHARACTERS_MAX = 24


def shape_of(tool: str, args: Mapping[str, object], shell_tools: Mapping[str, str]) -> tuple[object, ...]:
    """What calls of one step have in common: the names of their arguments, a command's programs and lengths."""
    shape: list[object] = []
    for name in sorted(args):
        value = args[name]
        if shell_tools.get(tool) == name and isinstance(value, str):
            commands = tuple((each.words[0], len(each.words)) for each in parse_shell(value).commands)
            shape.append((name, commands, len(value.split())))
        else:
            shape.append(name)
    return tuple(shape)


def generalised(
    tools: Sequence[str], runs: Sequence[Sequence[Mapping[str, object]]], shell_tools: Mapping[str, str]
) -> list[dict[str, object]] | None:
    """The template of each call, in order; None where there is none that every run's call fits.

    `runs`: of each run the arguments of its calls, of one shape at each place. What differs in the same way at two
    places is one variable.
    """
    names = _Names()
    templates: list[dict[str, object]] = []
    for place, tool in enumerate(tools):
        calls = [run[place] for run in runs]
        if any(len(canonical_bytes(dict(call))) > INPUT_BYTES_MAX for call in calls):
            return None
        shell = [shell_tools[tool]] if tool in shell_tools else []
        template = {
            name: _template(name, [call[name] for call in calls], names, is_command=name in shell)
            for name in sorted(calls[0])
        }
        if not all(is_step(template, call, shell) for call in calls):
            return None
        templates.append(template)
    return templates


class _Names:
    """Values over the runs -> the variable that stands for them."""

    def __init__(self) -> None:
        self._by_values: dict[bytes, str] = {}

    def of(self, values: Sequence[object], wanted: str) -> str:
        """The variable of these values; a new one is named after what it stands in."""
        key = canonical_bytes(list(values))
        if key not in self._by_values:
            plain = _NOT_A_NAME.sub("_", wanted.casefold()).strip("_")[:_NAME_CHARACTERS_MAX].strip("_")
            base = plain if plain[:1].isalpha() else f"value_{plain}".rstrip("_")
            taken = set(self._by_values.values())
            number = 1
            while (name := base if number == 1 else f"{base}_{number}") in taken:
                number += 1
            self._by_values[key] = name
        return f"{{{{{self._by_values[key]}}}}}"


def _template(name: str, values: Sequence[object], names: _Names, *, is_command: bool) -> object:
    if len({canonical_bytes(value) for value in values}) == 1:
        return values[0]
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < len(values):
        return names.of(values, name)
    if not is_command:
        return _word(texts, name, names)
    found: list[str] = []
    for words in zip(*(text.split() for text in texts), strict=True):
        before = found[-1] if found else ""
        found.append(_word(words, before.lstrip("-") if before.startswith("-") else name, names))
    return " ".join(found)


def _word(words: Sequence[str], name: str, names: _Names) -> str:
    """What the words have in common, as far as a name ends there, and a variable for the rest."""
    if len(set(words)) == 1:
        return words[0]
    same = (len(set(letters)) == 1 for letters in zip(*words, strict=False))
    common = words[0][: len(list(takewhile(bool, same)))]
    cut = max(common.rfind(end) for end in _ENDS_OF_A_NAME) + 1
    if cut == 0 and common[:1] in tuple(_QUOTES):
        cut = 1
    tail = words[0][-1:] if words[0][-1:] in tuple(_QUOTES) and len({word[-1:] for word in words}) == 1 else ""
    rests = [word[cut : len(word) - len(tail)] for word in words]
    if not all(rests):
        return names.of(words, name)
    head = words[0][:cut]
    told = head.rstrip(_ENDS_OF_A_NAME).lstrip("-'\"")
    return f"{head}{names.of(rests, told if head.startswith('-') else name)}{tail}"
