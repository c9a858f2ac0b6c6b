"""Projector: a declarative rule that reads states out of a tool's output. It proposes; it never activates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from heedful.kernel.ids import KindId
from heedful.kernel.ladder import Assurance
from heedful.kernel.scope import Scope
from heedful.ledger.events import JsonScalar

TOLD_BY = "projector "
"""How `told_by` of a projected claim begins; the projector's id and the place in the output follow."""

OUTPUT_CHARACTERS_MAX = 2_097_152
"""A longer output gives no state: what was left unread could say otherwise."""
TEXT_CHARACTERS_MAX = 262_144
"""The same for output that is read by pattern."""
LINE_CHARACTERS_MAX = 1_000
"""A longer line is matched with no pattern: an expression with one `.*` takes time by the square of the line."""
JSON_DEPTH_MAX = 60
STATES_MAX = 200
"""States of one output; where there are more, the rest is told as a problem and not projected."""
NAME_CHARACTERS_MAX = 256
VALUE_CHARACTERS_MAX = 200

_HOLE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_.:-]*)\}")
_STRAY = re.compile(r"[{}]")
SCOPE, TOOL = "scope", "tool"
SCOPE_PREFIX, ARGS_PREFIX = "scope.", "args."
"""Names in a template besides a projector's own: the scope's first element, one by its dimension, the tool's name, and
an argument of the call."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression on one line of text.

    Attributes:
        value: the value's template where this one matches; None: the projector's.
    """

    expression: str
    value: str | None


@dataclass(frozen=True, slots=True)
class Projector:
    """A rule that gives states.

    Attributes:
        tools: globs on the name of the tool, or on a simple command of a shell tool; those with a space on commands
            alone. `*` alone: any output, also one of which the call is not known.
        record_types: types of record that it reads.
        schema_json: the JSON Schema that a JSON payload must meet; None: it reads text by `patterns`.
        each: JMESPath expression that gives the things in the payload; None: the whole payload is one thing.
        selectors: name -> JMESPath expression on each thing.
        patterns: the first that matches a line tells.
        call: name -> regular expression with one group, searched in the command.
        defaults: name -> what it is where nothing else gives it.
        subject, property, value, environment, valid_from: templates.
        values: text of the value -> the value that is stated; None: any value. What is not in it states nothing.
        failures: the values that say that something failed: a call that failed gives no others, and within one output
            they win over others.
        assurance: `inferred`: it reads what agents say, and nothing else; `verified`: it may read verifications.
        expires_seconds: how long after the observation the state may still be taken to hold; None: as its kind says.
    """

    id: str
    description: str
    tools: tuple[str, ...]
    record_types: tuple[str, ...]
    kind: KindId
    schema_json: str | None
    each: str | None
    selectors: tuple[tuple[str, str], ...]
    patterns: tuple[Pattern, ...]
    call: tuple[tuple[str, str], ...]
    defaults: tuple[tuple[str, str], ...]
    subject: str
    property: str
    value: str
    environment: str | None
    valid_from: str | None
    values: Mapping[str, JsonScalar] | None
    failures: tuple[str, ...]
    assurance: Assurance
    expires_seconds: int | None
    pack: str


Fields = Mapping[str, JsonScalar]
"""Name -> what the output, the call and the scope give for it."""


def holes(template: str) -> Iterator[str]:
    """The names in a template, in order."""
    return (found[1] for found in _HOLE.finditer(template))


def is_template(text: str) -> bool:
    """False where a brace stands alone."""
    return not _STRAY.search(_HOLE.sub("", text))


def filled(template: str, fields: Fields) -> JsonScalar | None:
    """The template with its names filled in; None where one of them has nothing. A name alone keeps its type."""
    alone = _HOLE.fullmatch(template)
    if alone is not None:
        return fields.get(alone[1])
    if any(name not in fields for name in holes(template)):
        return None
    return _HOLE.sub(lambda found: text_of(fields[found[1]]), template)


def text_of(value: JsonScalar) -> str:
    """The value as a text, booleans and numbers as JSON writes them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)


def scope_fields(scope: Scope) -> dict[str, JsonScalar]:
    """What the record's scope gives: its first element, and the value of each dimension."""
    found: dict[str, JsonScalar] = {SCOPE: scope.elements[0]} if scope.elements else {}
    for element in scope.elements:
        dimension, _, value = element.partition(":")
        found[f"{SCOPE_PREFIX}{dimension}"] = value
    return found
