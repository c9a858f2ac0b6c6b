"""Registry documents: YAML text -> validated values, every problem at once, each with its file and line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import jsonschema_rs
import yaml

from heedful.policy.schema import REGISTRY_SCHEMA
from heedful.policy.yaml_values import Path, line_of, read_yaml

PROBLEMS_MAX = 1_000
"""Problems listed for one document; the rest are counted in a last one."""

_CLOSE_EDITS_MAX = 2
_VALIDATOR = jsonschema_rs.Draft202012Validator(REGISTRY_SCHEMA)

_NEXT_STEPS = {
    "yaml_malformed": "mend the YAML at this line",
    "yaml_too_large": "split the document",
    "yaml_too_deep": "flatten the document",
    "yaml_tag": "write the value without a tag",
    "yaml_key": "write the key as a text",
    "yaml_duplicate_key": "keep one of the two",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that must be mended in a registry document.

    Attributes:
        line: 1-based.
        path: keys from the top, joined by a slash; list items by their 0-based number.
        code: stable snake_case name.
    """

    file: str
    line: int
    path: str
    code: str
    message: str
    next_step: str

    def __str__(self) -> str:
        """`file:line: message (code); next step`, one line."""
        hint = f"; {self.next_step}" if self.next_step else ""
        return f"{self.file}:{self.line}: {self.message} ({self.code}){hint}"


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """One document that has the schema's form.

    Attributes:
        name: the file's name as it was given, with forward slashes; its folder tells the pack.
        content: plain JSON values.
    """

    name: str
    content: dict[str, Any]
    root: yaml.Node | None = field(repr=False, compare=False)

    def problem(self, path: Path, code: str, message: str, next_step: str) -> Problem:
        """A problem at that place of this document."""
        line = line_of(self.root, path)
        return Problem(self.name, line, "/".join(str(step) for step in path), code, message, next_step)


def parse_documents(
    documents: Iterable[tuple[str, str]],
) -> tuple[tuple[ParsedDocument, ...], tuple[Problem, ...]]:
    """The documents that can be used, in order of name, and every problem in any of them.

    A document with a flaw in its form is left out whole; the others are still read.
    """
    parsed: list[ParsedDocument] = []
    problems: list[Problem] = []
    for name, text in sorted(documents):
        document, found = _parse(name, text)
        problems += found
        if document is not None:
            parsed.append(document)
    return tuple(parsed), tuple(problems)


def sorted_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Each problem once, by file, line, path, code and message."""
    return tuple(sorted(set(problems), key=lambda one: (one.file, one.line, one.path, one.code, one.message)))


def _parse(name: str, text: str) -> tuple[ParsedDocument | None, list[Problem]]:
    value, root, flaws = read_yaml(text)
    problems = [
        Problem(name, flaw.line, "/".join(map(str, flaw.path)), flaw.code, flaw.message, _NEXT_STEPS[flaw.code])
        for flaw in flaws
    ]
    if problems and (root is None or any(problem.code.startswith("yaml_too_") for problem in problems)):
        return None, problems
    if not isinstance(value, dict):
        message = "the document must be a mapping of sections"
        problems.append(Problem(name, 1, "", "registry_form", message, "start it with a section such as bridges:"))
        return None, problems
    document = ParsedDocument(name, value, root)
    if not _VALIDATOR.is_valid(value):
        problems += _schema_problems(document)
    return (None if problems else document), problems


def _schema_problems(document: ParsedDocument) -> list[Problem]:
    problems: list[Problem] = []
    for error in _VALIDATOR.iter_errors(document.content):
        if len(problems) >= PROBLEMS_MAX:
            message = f"there are more than {PROBLEMS_MAX} problems; the rest are not listed"
            problems.append(document.problem((), "registry_problems_max", message, "mend these first"))
            break
        problems += _schema_problem(document, error)
    return problems


def _schema_problem(document: ParsedDocument, error: jsonschema_rs.ValidationError) -> list[Problem]:
    path: Path = tuple(error.instance_path)
    kind = error.kind
    if isinstance(kind, jsonschema_rs.ValidationErrorKind.AdditionalProperties):
        return [_unknown_key(document, path, key, error.schema_path) for key in kind.unexpected]
    if isinstance(kind, jsonschema_rs.ValidationErrorKind.Required):
        message = f"{_place(path)} lacks {kind.property!r}"
        return [document.problem(path, "registry_field_missing", message, f"add {kind.property}:")]
    if isinstance(kind, jsonschema_rs.ValidationErrorKind.PropertyNames):
        bad = str(kind.error.instance)
        message = f"the key {bad[:80]!r} in {_place(path)} is not of the right form"
        return [document.problem((*path, bad), "registry_id_malformed", message, "see packs/registry.schema.json")]
    if isinstance(kind, jsonschema_rs.ValidationErrorKind.Enum):
        return [_unknown_word(document, path, error.instance, kind.options)]
    message = f"{_place(path)}: {error.message[:200]}"
    return [document.problem(path, "registry_value", message, "see packs/registry.schema.json")]


def _unknown_key(document: ParsedDocument, path: Path, key: str, schema_path: Sequence[str | int]) -> Problem:
    schema: Any = REGISTRY_SCHEMA
    for step in schema_path[:-1]:
        schema = schema[step]
    known = sorted(schema.get("properties", {}))
    message = f"{_place(path)} has an unknown key {key[:80]!r}"
    return document.problem((*path, key), "registry_key_unknown", message, _suggestion(key, known))


def _unknown_word(document: ParsedDocument, path: Path, word: object, options: Sequence[object]) -> Problem:
    known = [str(option) for option in options]
    message = f"{_place(path)} is {str(word)[:80]!r}, which is none of its words"
    return document.problem(path, "registry_word_unknown", message, _suggestion(str(word), known))


def _suggestion(word: str, known: list[str]) -> str:
    close = closest(word, known)
    listed = ", ".join(known)
    return f"did you mean {close}? ({listed})" if close else f"one of: {listed}"


def _place(path: Path) -> str:
    return "/".join(str(step) for step in path) or "the document"


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is at most two edits away, the nearest first, then by name; None where there is none."""
    ranked = sorted((_edits(word, other), other) for other in known)
    return ranked[0][1] if ranked and ranked[0][0] <= min(_CLOSE_EDITS_MAX, len(word) // 2) else None


def _edits(left: str, right: str) -> int:
    """Levenshtein distance; far apart where the lengths already are."""
    if abs(len(left) - len(right)) > _CLOSE_EDITS_MAX:
        return _CLOSE_EDITS_MAX + 1
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        last, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]
