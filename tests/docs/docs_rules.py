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


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block of a page: its language, the words after it, and its text."""

    language: str
    words: str
    body: str


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


def console_lines(body: str) -> list[tuple[str, int]]:
    """The `$ heedful ...` lines of a console block with the exit code that each must have; `\\` joins lines."""
    found = []
    for line in re.sub(r"\\\n(?:> )?\s*", "", body).splitlines():
        if line.startswith("$ heedful"):
            text, _, exit_code = line.removeprefix("$ ").partition("# exit ")
            found.append((text.strip(), int(exit_code or "0")))
    return found


def _constants(node: ast.expr) -> Iterator[str | None]:
    if isinstance(node, ast.IfExp):
        yield from _constants(node.body)
        yield from _constants(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _CODE.fullmatch(node.value):
        yield node.value
    else:
        yield None
