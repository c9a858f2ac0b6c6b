"""Fields: the values of a case's line, read liberally; what cannot be read is named by file, line and field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ladder import Decision
from heedful.kernel.scope import parse_scope
from heedful.observations.names import shown
from heedful.observations.record import RecordType

TEXT_CHARACTERS_MAX = 20_000
WORD_CHARACTERS_MAX = 64

DECISIONS: Mapping[str, tuple[Decision, ...]] = {
    "answer": (Decision.ALLOW, Decision.NOTICE),
    "answer-with-notice": (Decision.NOTICE,),
    **{decision.value: (decision,) for decision in Decision},
}
"""What a case's expected decision is on the ladder: an answer is an allow, or a notice where a fact is stated."""

_TEXT_NAMES = ("text", "query", "question", "message", "memory", "content")
_SOURCES: tuple[tuple[RecordType, re.Pattern[str]], ...] = (
    (RecordType.TOOL_RESULT, re.compile(r"tool|output|log|ci|scan(ner)?|metric|monitoring|result|alert")),
    (RecordType.MESSAGE, re.compile(r"chat|message|slack|conversation|said|standup|meeting|call")),
    (RecordType.HUMAN_NOTE, re.compile(r"note|comment|decision|human")),
    (
        RecordType.DOCUMENT,
        re.compile(
            r"ticket|doc|document(ation)?|wiki|runbook|adr|policy|contract|e?mail|issue|pr|readme|calendar|spec|"
            r"postmortem|page|file|config"
        ),
    ),
)
"""Words of a source -> what its records are; the first that fits, and a message where none does."""


@dataclass(frozen=True, slots=True)
class LineField:
    """A place in a file of cases; an empty field is the whole line."""

    file: str
    line_number: int
    field: str

    def of(self, field: str) -> LineField:
        """That field of the same line."""
        return replace(self, field=field)

    def malformed(self, what: str) -> InvalidInputError:
        """The error that says what this place is not."""
        place = f" field {self.field}" if self.field else ""
        return InvalidInputError(
            "case_malformed",
            f"{self.file} line {self.line_number}:{place} {what}",
            next_step="mend the line; docs/evaluation.md lists the fields",
            details={"file": self.file, "line_number": self.line_number, "field": self.field},
        )


def first_of(fields: Mapping[str, object], names: Sequence[str], at: LineField) -> tuple[str, object]:
    """The first of these fields that is there, by its name.

    Raises:
        InvalidInputError: `case_malformed`.
    """
    for name in names:
        if fields.get(name) is not None:
            return name, fields[name]
    raise at.of(names[0]).malformed("is missing")


def text_of(value: object, at: LineField) -> str:
    """The text, or the one that an object has.

    Raises:
        InvalidInputError: `case_malformed`.
    """
    if isinstance(value, Mapping):
        value = next((value[name] for name in _TEXT_NAMES if isinstance(value.get(name), str)), None)
    if not isinstance(value, str) or not value.strip():
        raise at.malformed("is no text, and no object with a text")
    if len(value) > TEXT_CHARACTERS_MAX:
        raise at.malformed(f"has more than {TEXT_CHARACTERS_MAX} characters")
    return value


def question_of(value: object, at: LineField) -> tuple[str, str | None, Mapping[str, object], tuple[str, ...]]:
    """(text, tool, arguments, scope) of a question: a text, or an object with any of them.

    Raises:
        InvalidInputError: `case_malformed`.
    """
    if not isinstance(value, Mapping):
        return text_of(value, at), None, {}, ()
    tool, args = value.get("tool"), value.get("args")
    if tool is not None and not isinstance(tool, str):
        raise at.of(f"{at.field}.tool").malformed("is no text")
    if args is not None and not isinstance(args, Mapping):
        raise at.of(f"{at.field}.args").malformed("is no object")
    has_text = any(value.get(name) for name in _TEXT_NAMES)
    # A tool call may speak for itself.
    text = text_of(value, at) if has_text or not tool else ""
    return text, tool or None, dict(args or {}), scope_of(value.get("scope"), at.of(f"{at.field}.scope"))


def scope_of(value: object, at: LineField) -> tuple[str, ...]:
    """The scope's elements: of `dimension:value` texts, or an object; a bare word is a project. Empty of none.

    Raises:
        InvalidInputError: `case_malformed`.
    """
    if value is None:
        return ()
    if isinstance(value, Mapping):
        parts = [f"{dimension}:{each}" for dimension, each in value.items()]
    elif isinstance(value, str):
        parts = re.split(r"[,;]\s*", value)
    elif isinstance(value, list):
        parts = [str(each) for each in value]
    else:
        raise at.malformed("is no text, list or object")
    elements = [each if ":" in each else f"project:{each}" for part in parts if (each := part.strip())]
    try:
        return parse_scope(elements).elements
    except InvalidInputError as error:
        raise at.malformed(f"is no scope: {error.message}") from error


def record_type_of(value: object, at: LineField) -> RecordType:
    """What a record from this source is; a message where no source is named.

    Raises:
        InvalidInputError: `case_malformed`.
    """
    if value is None:
        return RecordType.MESSAGE
    # A plural is its word.
    words = [word.removesuffix("s") for word in re.findall(r"[a-z]+", text_of(value, at).lower())]
    return next((found for found, named in _SOURCES if any(map(named.fullmatch, words))), RecordType.MESSAGE)


def decision_named(value: object, at: LineField) -> tuple[Decision, ...]:
    """The decisions on the ladder that this word names.

    Raises:
        InvalidInputError: `case_malformed`.
    """
    found = DECISIONS.get(value) if isinstance(value, str) else None
    if found is None:
        raise at.malformed(f"is {shown(str(value), 40)!r}, and none of {', '.join(DECISIONS)}")
    return found


def given_id(fields: Mapping[str, object], names: Sequence[str], number: int, at: LineField) -> str:
    """The case's own id, else its number as text.

    Raises:
        InvalidInputError: `case_malformed`.
    """
    name = next((each for each in names if fields.get(each) is not None), None)
    if name is None:
        return str(number)
    value = fields[name]
    if not isinstance(value, str | int) or not str(value).strip():
        raise at.of(name).malformed("is no text or number")
    return str(value)


def word_of(value: object) -> str:
    """The value in one short text: of an object, its first text; of a list, the first."""
    if isinstance(value, Mapping):
        value = next((each for each in value.values() if isinstance(each, str) and each), "none")
    if isinstance(value, list):
        value = value[0] if value else "none"
    return str(value)[:WORD_CHARACTERS_MAX]
