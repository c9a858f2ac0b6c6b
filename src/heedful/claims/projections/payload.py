"""Payload: the things that an output tells of, each as names and values; within limits, and never a guess."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jsonschema_rs
import msgspec

from heedful.claims.projections.projector import (
    JSON_DEPTH_MAX,
    LINE_CHARACTERS_MAX,
    OUTPUT_CHARACTERS_MAX,
    TEXT_CHARACTERS_MAX,
    Projector,
)
from heedful.ledger.events import JsonScalar

EXPRESSIONS_KEPT_MAX = 2_048
"""Compiled expressions, patterns and schemas that are kept, of each sort: each is compiled when first needed."""
_COLOURS = re.compile(r"\x1b\[[0-9;]{0,32}[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing that the output tells of.

    Attributes:
        place: where it stands, for people: `item 3`, `line 12`.
        value: the value's template; None: the projector's.
    """

    place: str
    fields: Mapping[str, JsonScalar]
    value: str | None = None


class Payload:
    """An output, parsed once for all projectors that read it."""

    def __init__(self, text: str) -> None:
        """The payload of this text."""
        self._text = text
        self._parsed: tuple[Any] | None = None
        self._is_parsed = False
        self._lines: list[str] | None = None

    def things(self, projector: Projector) -> Iterator[Thing]:
        """What the projector finds in it, in order; nothing where the payload is not of its schema, or too long."""
        if projector.schema_json is not None:
            return self._items(projector, projector.schema_json)
        return self._matches(projector)

    def _json(self) -> tuple[Any] | None:
        if not self._is_parsed:
            self._is_parsed = True
            if len(self._text) <= OUTPUT_CHARACTERS_MAX:
                self._parsed = _parsed(self._text)
        return self._parsed

    def _items(self, projector: Projector, schema_json: str) -> Iterator[Thing]:
        parsed = self._json()
        if parsed is None or not schema_validator(schema_json).is_valid(parsed[0]):
            return
        found = parsed[0] if projector.each is None else _search(projector.each, parsed[0])
        for number, item in enumerate(found if isinstance(found, list) and projector.each is not None else [found]):
            if item is not None:
                selected = ((name, _search(text, item)) for name, text in projector.selectors)
                fields = {
                    name: value for name, value in selected if isinstance(value, str | int | float) and value != ""
                }
                yield Thing(f"item {number}", fields)

    def _matches(self, projector: Projector) -> Iterator[Thing]:
        if len(self._text) > TEXT_CHARACTERS_MAX:
            return
        if self._lines is None:
            self._lines = _COLOURS.sub("", self._text).splitlines()
        patterns = [(line_pattern(each.expression), each.value) for each in projector.patterns]
        for number, line in enumerate(self._lines, 1):
            if len(line) > LINE_CHARACTERS_MAX:
                continue
            for pattern, value in patterns:
                match = pattern.search(line)
                if match is not None:
                    fields = {name: found for name, found in match.groupdict().items() if found}
                    yield Thing(f"line {number}", fields, value)
                    break


def _parsed(text: str) -> tuple[Any] | None:
    """The JSON value of the text, or the list of those of its lines; None where it is neither, or too deep."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2 or not all(line.lstrip().startswith("{") for line in lines):
            return None
        try:
            value = [msgspec.json.decode(line) for line in lines]
        except (msgspec.DecodeError, RecursionError):
            return None
    return (value,) if _is_shallow(value) else None


def _is_shallow(value: Any) -> bool:
    level = [value]
    for _ in range(JSON_DEPTH_MAX):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return True
    return False


def _search(expression: str, value: Any) -> Any:
    try:
        return path_expression(expression).search(value)
    except ValueError:  # of the payload: a function was given what it does not take
        return None


@lru_cache(maxsize=EXPRESSIONS_KEPT_MAX)
def path_expression(text: str) -> Any:
    """The JMESPath expression, compiled.

    Raises:
        ValueError: it is none.
    """
    # Most commands read no output, and loading it takes as long as some of them do.
    import jmespath  # noqa: PLC0415

    return jmespath.compile(text)


@lru_cache(maxsize=EXPRESSIONS_KEPT_MAX)
def line_pattern(text: str) -> re.Pattern[str]:
    """The regular expression, compiled.

    Raises:
        re.error: it is none.
    """
    return re.compile(text)


@lru_cache(maxsize=EXPRESSIONS_KEPT_MAX)
def schema_validator(schema_json: str) -> Any:
    """What tells whether a payload is of the schema; its patterns take time in proportion to the text.

    Raises:
        ValueError: it is no JSON Schema.
    """
    options = jsonschema_rs.RegexOptions()
    return jsonschema_rs.Draft202012Validator(msgspec.json.decode(schema_json), pattern_options=options)
