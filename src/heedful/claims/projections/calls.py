"""Calls: which command or tool gave an output, and which projectors read it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from heedful.claims.projections.projector import Projector
from heedful.kernel.kept import keeps_texts
from heedful.policy.command_patterns import CommandForms, CommandGlob, compile_command, forms_of, is_sure_match
from heedful.policy.globs import Glob, glob
from heedful.policy.shell import parse_argv, parse_shell
from heedful.policy.shell.command import SimpleCommand
from heedful.policy.shell.wrappers import program_name

COMMANDS_KEPT_MAX = 256
"""Parsed command texts that are kept: a call is asked for by each of its outputs."""
ANY = "*"

# What the shell's reading leaves out within a word: quotes, backslashes, and blanks where a line goes on.
_LEFT_OUT = str.maketrans("", "", "'\"\\ \t\n\r")

_SILENT = frozenset(
    {
        *(
            "cd",
            ":",
            "true",
            "false",
            "exit",
            "export",
            "set",
            "unset",
            "test",
            "[",
            "[[",
            "wait",
            "sleep",
            "source",
            ".",
        ),
        *("umask", "local", "readonly", "declare", "typeset", "pushd", "popd", "mkdir"),
    }
)
_KEEPS_LINES = frozenset({"cat", "tee", "head", "tail", "grep", "egrep", "fgrep", "sort", "less", "more"})
_KEEPS_ALL = frozenset({"cat", "tee"})


@dataclass(frozen=True, slots=True)
class Call:
    """What was called.

    Attributes:
        command: what a shell tool was given: a text, or the words of one command; None: it is no shell tool.
        args: the call's arguments.
    """

    tool: str | None
    command: str | tuple[str, ...] | None = None
    args: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Matched:
    """A projector that reads an output.

    Attributes:
        commands: texts of the commands that it matched by; none: by the tool's name.
        is_literal: False: what the shell ran may have been other words.
    """

    projector: Projector
    commands: tuple[str, ...]
    is_literal: bool


@dataclass(frozen=True, slots=True)
class _Told:
    """The commands of one text that can have given its output.

    Attributes:
        forms: of each.
        is_whole: False: a filter between may have left lines out, so JSON is not what it was.
    """

    commands: tuple[SimpleCommand, ...]
    forms: tuple[CommandForms, ...]
    is_whole: bool


class ProjectorIndex:
    """Finds the projectors of a call."""

    def __init__(self, projectors: Iterable[Projector]) -> None:
        """The index of these, in their order."""
        self._by_tool: list[tuple[Glob, Projector]] = []
        self._by_program: dict[str | None, list[tuple[CommandGlob, Projector]]] = {}
        # First literal piece of a pattern -> what else of it must stand in a command for it to match.
        self._pieces: dict[str, list[tuple[str, ...]]] = {}
        self.order: dict[str, int] = {}
        self.record_types: set[str] = set()
        for projector in projectors:
            self.record_types.update(projector.record_types)
            self.order[projector.id] = len(self.order)
            for written in projector.tools:
                if " " not in written:
                    self._by_tool.append((glob(written), projector))
                if written != ANY:
                    compiled = compile_command(written)
                    self._by_program.setdefault(compiled.program, []).append((compiled, projector))
                    first, *others = _pieces_of(written) or ("",)
                    self._pieces.setdefault(first, []).append(tuple(others))

    def matching(self, call: Call | None, record_type: str) -> tuple[Matched, ...]:
        """The projectors that read an output of this call in a record of this type, in their order."""
        tool = "" if call is None or call.tool is None else call.tool
        found = {
            projector.id: Matched(projector, (), is_literal=True)
            for pattern, projector in self._by_tool
            if record_type in projector.record_types and pattern.matches(tool)
        }
        told = None
        if call is not None and call.command is not None and self._may_match(call.command):
            told = _told(call.command)
        if told is not None:
            for matched in self._by_command(told, record_type):
                found.setdefault(matched.projector.id, matched)
        return tuple(found[each] for each in sorted(found, key=self.order.__getitem__))

    def _may_match(self, command: str | tuple[str, ...]) -> bool:
        """False where no pattern stands for any command of this text, whatever the shell's parser would make of it.

        Parsing is dear. Words of a command, also of one within its quotes, are what stands in the text without what is
        left out, unless a variable or an escape code is in it.
        """
        text = command if isinstance(command, str) else " ".join(command)
        if "$" in text:
            return True
        bare = text.translate(_LEFT_OUT)
        return any(
            first in bare and any(all(piece in bare for piece in others) for others in rest)
            for first, rest in self._pieces.items()
        )

    def _by_command(self, told: _Told, record_type: str) -> Iterable[Matched]:
        by_projector: dict[str, tuple[Projector, list[SimpleCommand]]] = {}
        for command, forms in zip(told.commands, told.forms, strict=True):
            for program in (forms.program, None):
                for pattern, projector in self._by_program.get(program, ()):
                    if record_type not in projector.record_types or not is_sure_match(pattern, forms):
                        continue
                    commands = by_projector.setdefault(projector.id, (projector, []))[1]
                    if command not in commands:
                        commands.append(command)
        for projector, commands in by_projector.values():
            # What another program printed beside it could be taken for its output.
            own = {program_name(each.words[0]) for each in commands}
            is_alone = all(forms.program in own for forms in told.forms)
            if is_alone and (told.is_whole or projector.schema_json is None):
                texts = tuple(" ".join(each.words) for each in commands)
                yield Matched(projector, texts, is_literal=all(each.literal for each in commands))


def _pieces_of(pattern: str) -> tuple[str, ...]:
    """The literal pieces of a pattern's words, as they stand in a command's text once `_LEFT_OUT` is gone."""
    pieces = (piece.translate(_LEFT_OUT) for piece in pattern.replace("*", " ").split())
    return tuple(dict.fromkeys(filter(None, pieces)))


@keeps_texts(COMMANDS_KEPT_MAX)
def _told(command: str | tuple[str, ...]) -> _Told | None:
    parsed = parse_shell(command) if isinstance(command, str) else parse_argv(command)
    if parsed.problems:
        return None
    telling: list[SimpleCommand] = []
    filters: set[str] = set()
    for each in parsed.commands:
        program = program_name(each.words[0])
        if program in _SILENT:
            continue
        if telling and program in _KEEPS_LINES:
            filters.add(program)
        else:
            telling.append(each)
    forms = tuple(forms_of(each.words) for each in telling)
    return _Told(tuple(telling), forms, is_whole=filters <= _KEEPS_ALL)
