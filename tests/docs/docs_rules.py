"""What the documentation must name, read from the sources, and what it names, read from the pages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_HEADING = re.compile(r"^(#{2,4}) (.+?)\s*$", re.MULTILINE)
_TABLE_ROW = re.compile(r"^\|(.+)\|\s*$", re.MULTILINE)
_FENCE = re.compile(r"^```(?P<language>[a-z]+)(?P<words>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"[a-z][a-z0-9_]*")


_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_VARIES = re.compile(rf"(?:{_ID.pattern}|\d{{4}}-\d\d-\d\dT[\d:.]+Z|\b[0-9a-f]{{12,64}}\b|#\d+|…)")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block of a page: its language, the words after it, and its text."""

    language: str
    words: str
    body: str


@dataclass(frozen=True, slots=True)
class Command:
    """A line of a console block: what is run, how it must end, and the lines that it must print, in order."""

    line: str
    exit_code: int
    shown: list[str]


def sections(page: str) -> dict[str, str]:
    """Heading -> the text below it, down to the next heading; code marks around a heading are taken off."""
    found = list(_HEADING.finditer(page))
    ends = [match.start() for match in found[1:]] + [len(page)]
    return {match[2].replace("`", ""): page[match.end() : end] for match, end in zip(found, ends, strict=True)}


def rows(page: str) -> dict[str, list[str]]:
    """First cell -> the other cells, of every table row whose first cell is one code word."""
    found: dict[str, list[str]] = {}
    for match in _TABLE_ROW.finditer(page):
        first, *others = (cell.strip() for cell in re.split(r"(?<!\\)\|", match[1]))
        if re.fullmatch(r"`[^`]+`", first):
            found[first.strip("`")] = others
    return found


def fences(page: str) -> list[Fence]:
    """The fenced blocks of a page, in order."""
    return [Fence(match["language"], match["words"].strip(), match["body"]) for match in _FENCE.finditer(page)]


def broken_links(path: Path) -> list[str]:
    """Links of a page to files that are not there; addresses of the web and places in the page are not followed."""
    targets = (match[1] for match in _LINK.finditer(re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)))
    files = [target.split("#")[0] for target in targets if not re.match(r"[a-z]+:|#", target)]
    return [target for target in files if not (path.parent / target).exists()]


def error_classes(sources: list[str]) -> set[str]:
    """Names of HeedfulError and of every class below it, in any of the sources."""
    bases = {
        node.name: {ast.unparse(base).split(".")[-1] for base in node.bases}
        for source in sources
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef)
    }
    found = {"HeedfulError"}
    while new := {name for name, parents in bases.items() if parents & found} - found:
        found |= new
    return found


def error_codes(source: str, classes: set[str]) -> set[str]:
    """The codes that this source raises: the first argument of each call of an error class.

    Raises:
        ValueError: a code is not written out where it is raised, so that no reader and no test can find it.
    """
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in classes:
            codes = list(_constants(node.args[0])) if node.args else [None]
            if None in codes:
                raise ValueError(f"line {node.lineno}: the code is not a literal: {ast.unparse(node)[:80]}")
            found |= {str(code) for code in codes}
    return found


def missing_and_stale(named: set[str], needed: set[str]) -> tuple[list[str], list[str]]:
    """What is needed and not named, and what is named and not there."""
    return sorted(needed - named), sorted(named - needed)


def command_names(command: object, prefix: str) -> Iterator[str]:
    """`heedful init` and the like: every command that can be run, however deep; hidden ones too."""
    children: dict[str, object] | None = getattr(command, "commands", None)
    if children is None:
        yield prefix
        return
    for name, child in sorted(children.items()):
        yield from command_names(child, f"{prefix} {name}")


def console_commands(body: str) -> list[Command]:
    """The `$ heedful ...` lines of a console block, each with what is shown below it; `\\` joins lines.

    A line of `…` alone stands for lines that are left out; other commands, and what they print, are left alone.
    """
    found: list[Command] = []
    shown: list[str] = []
    for line in re.sub(r"\\\n(?:> )?\s*", "", body).splitlines():
        if line.startswith("$ heedful"):
            text, _, exit_code = line.removeprefix("$ ").partition("# exit ")
            shown = []
            found.append(Command(text.strip(), int(exit_code or "0"), shown))
        elif line.startswith("$ "):
            shown = []
        elif line.strip(" …"):
            shown.append(line)
    return found


def with_ids(line: str, ids: dict[str, str]) -> str:
    """The line with each id of the page as the run gave it."""
    return _ID.sub(lambda match: ids.get(match[0], match[0]), line)


def lines_not_printed(shown: list[str], printed: str, ids: dict[str, str]) -> list[str]:
    """The shown lines that were not printed, in that order; ids that are new to the page are learnt from the run.

    Ids, times, digests and positions differ from run to run; `…` in a line stands for any text.
    """
    missing: list[str] = []
    left = [line.rstrip() for line in printed.splitlines()]
    for line in shown:
        new: list[str] = []
        pattern = re.compile(_pattern(line.rstrip(), ids, new))
        matches = [(place, match) for place, text in enumerate(left) if (match := pattern.fullmatch(text))]
        if not matches:
            missing.append(line)
            continue
        place, match = matches[0]
        left = left[place + 1 :]
        ids |= {name: match[number] for number, name in enumerate(new, start=1)}
    return missing


def _pattern(line: str, ids: dict[str, str], new: list[str]) -> str:
    parts: list[str] = []
    end = 0
    for match in _VARIES.finditer(line):
        parts.append(re.escape(line[end : match.start()]))
        text, end = match[0], match.end()
        if not _ID.fullmatch(text):
            parts.append(".*" if text == "…" else _VARIES.pattern)
        elif text in ids:
            parts.append(re.escape(ids[text]))
        else:
            new.append(text)
            parts.append(f"({_ID.pattern})")
    return "".join(parts) + re.escape(line[end:])


def _constants(node: ast.expr) -> Iterator[str | None]:
    if isinstance(node, ast.IfExp):
        yield from _constants(node.body)
        yield from _constants(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _CODE.fullmatch(node.value):
        yield node.value
    else:
        yield None
