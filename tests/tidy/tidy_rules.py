"""The tidy rules as functions over source text, so that each can be tried on a bad sample."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator

MODULE_LINES_MAX = 300
FUNCTION_LINES_MAX = 60
DEPENDENCIES_MAX = 12
BANNED_WORDS = frozenset({"manager", "helper", "util", "common", "engine", "handler", "data", "info"})
ADR_SECTIONS = ("Status", "Context", "Decision", "Consequences", "Rejected alternatives")

_BROAD = frozenset({"Exception", "BaseException"})
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError)\b|pragma: no cover")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def too_long_module(source: str) -> list[str]:
    """One complaint where the module has more lines than allowed."""
    count = len(source.splitlines())
    return [f"{count} lines; at most {MODULE_LINES_MAX}"] if count > MODULE_LINES_MAX else []


def too_long_functions(source: str) -> list[str]:
    """The functions with more lines than allowed, signature and docstring counted."""
    return [
        f"{node.name} has {count} lines; at most {FUNCTION_LINES_MAX}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, _Function) and (count := (node.end_lineno or 0) - node.lineno + 1) > FUNCTION_LINES_MAX
    ]


def swallowed_exceptions(source: str) -> list[str]:
    """Broad `except` clauses that never raise, and `suppress` of everything."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ExceptHandler) and _is_broad(node.type) and not _raises(node):
            found.append(f"line {node.lineno}: a broad except that does not raise")
        if isinstance(node, ast.Call) and _last_name(node.func) == "suppress" and any(map(_is_broad, node.args)):
            found.append(f"line {node.lineno}: suppress of everything")
    return found


def banned_names(stem: str, source: str) -> list[str]:
    """Names of the module, its classes and functions that have a banned word, in snake or camel case."""
    names = [stem]
    names += [node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef | _Function)]
    return [name for name in names if BANNED_WORDS & {word.lower() for word in _WORD.findall(name)}]


def undocumented(source: str) -> list[str]:
    """Public names without a docstring: the module, and classes, functions and methods that are reached by name."""
    module = ast.parse(source)
    found = [] if ast.get_docstring(module) else ["the module"]
    return found + list(_undocumented_in(module))


def driver_imports(source: str) -> list[str]:
    """Imports of the SQLite drivers."""
    found = []
    for node in ast.walk(ast.parse(source)):
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules = [node.module]
        found += [name for name in modules if name.split(".")[0] in {"apsw", "sqlite3"}]
    return found


def unfinished(source: str) -> list[str]:
    """Words that mark unfinished work."""
    return [
        f"line {number}: {line.strip()}"
        for number, line in enumerate(source.splitlines(), 1)
        if _UNFINISHED.search(line)
    ]


def too_many_dependencies(pyproject: str) -> list[str]:
    """One complaint where the core has more direct dependencies than allowed."""
    count = len(tomllib.loads(pyproject)["project"]["dependencies"])
    return [f"{count} direct dependencies; at most {DEPENDENCIES_MAX}"] if count > DEPENDENCIES_MAX else []


def missing_adr_sections(text: str) -> list[str]:
    """The sections that a decision record lacks."""
    headings = set(re.findall(r"^## (.+?)\s*$", text, re.MULTILINE))
    return [section for section in ADR_SECTIONS if section not in headings]


def _is_broad(node: ast.expr | None) -> bool:
    if isinstance(node, ast.Tuple):
        return any(_is_broad(item) for item in node.elts)
    return node is None or _last_name(node) in _BROAD


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _raises(clause: ast.ExceptHandler) -> bool:
    return any(isinstance(node, ast.Raise) for node in ast.walk(clause))


def _undocumented_in(parent: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[str]:
    for node in parent.body:
        if not isinstance(node, ast.ClassDef | _Function) or node.name.startswith("_"):
            continue
        decorators = {_last_name(item) for item in node.decorator_list}
        if not ast.get_docstring(node) and not decorators & {"overload", "setter"}:
            yield prefix + node.name
        if isinstance(node, ast.ClassDef):
            yield from _undocumented_in(node, f"{prefix}{node.name}.")
