"""Values of a merged registry that have the schema's form and still can't be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from heedful.bridges.merge import Merged, Place
from heedful.bridges.projecting import projector_of
from heedful.bridges.workflows import malformed_workflows
from heedful.claims.projections.payload import line_pattern, path_expression, schema_validator
from heedful.claims.projections.projector import (
    ARGS_PREFIX,
    SCOPE,
    SCOPE_PREFIX,
    TOOL,
    Projector,
    holes,
    is_template,
)
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.times import parse_time
from heedful.policy.expressions import slow_expression
from heedful.policy.parse import Problem
from heedful.policy.yaml_values import Path


def malformed_values(merged: Merged) -> list[Problem]:
    """Expiry dates, regular expressions, JMESPath expressions, schemas, templates and workflows that are none."""
    problems = list(malformed_workflows(merged))
    for bridge_id, entry in merged.body["bridges"].items():
        place = merged.places["bridges", bridge_id]
        try:
            parse_time(entry.get("expires", "2026-01-01"), field="expires")
        except InvalidInputError as error:
            problems.append(place.problem(("expires",), "registry_value", error.message, error.next_step))
    for tool_id, entry in merged.body["tools"].items():
        place = merged.places["tools", tool_id]
        for name, pattern in entry.get("arguments", {}).items():
            problems += _expression(place, ("arguments", name), f"tools/{tool_id}", pattern)
    for projector_id, entry in merged.body["projectors"].items():
        problems += _projector(merged.places["projectors", projector_id], projector_id, entry)
    return problems


def _expression(place: Place, below: Path, where: str, pattern: str, *, groups: int | None = None) -> Iterator[Problem]:
    """The problem of a regular expression; `groups`: how many it has to have."""
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        message = f"{where}: not a regular expression: {error}"
        yield place.problem(below, "registry_regex", message, "mend the expression")
        return
    slow = slow_expression(pattern)
    if slow is not None:
        message = f"{where}: the regular expression could take very long: {slow}"
        next_step = "write it without a repeat in a repeat, such as [ab]* for (a|b)*"
        yield place.problem(below, "registry_regex_slow", message, next_step)
    if groups is not None and compiled.groups != groups:
        message = f"{where}: the regular expression has {compiled.groups} groups, not {groups}"
        yield place.problem(below, "registry_regex", message, "group what is to be found with ( ), the rest with (?: )")


def _projector(place: Place, key: str, entry: dict[str, Any]) -> Iterator[Problem]:
    where = f"projectors/{key}"
    if ("jmespath" in entry) == ("pattern" in entry):
        message = f"{where} reads either a JSON payload by jmespath: or text by pattern:"
        yield place.problem((), "projector_form", message, "write one of the two")
        return
    if "jmespath" in entry and "schema" not in entry:
        message = f"{where} reads a JSON payload that nothing has validated"
        yield place.problem((), "projector_schema", message, "add schema:")
        return
    projector = projector_of(key, entry)
    yield from _schema(place, where, projector)
    for below, text in _paths(projector):
        try:
            path_expression(text)
        except ValueError as error:
            message = f"{where}: not a JMESPath expression: {' '.join(str(error).split())[:200]}"
            yield place.problem(below, "projector_jmespath", message, "mend the expression")
    found: list[Problem] = []
    for number, line in enumerate(projector.patterns):
        below = ("pattern",) if isinstance(entry["pattern"], str) else ("pattern", number, "match")
        found += _expression(place, below, where, line.expression)
    for name, expression in projector.call:
        found += _expression(place, ("call", name), where, expression, groups=1)
    yield from found
    if not any(problem.code == "registry_regex" for problem in found):
        yield from _templates(place, where, projector)


def _paths(projector: Projector) -> Iterator[tuple[Path, str]]:
    if projector.each is not None:
        yield ("each",), projector.each
    for name, text in projector.selectors:
        yield ("jmespath", name), text


def _schema(place: Place, where: str, projector: Projector) -> Iterator[Problem]:
    if projector.schema_json is None:
        return
    if not all(reference.startswith("#") for reference in _references(projector.schema_json)):
        message = f"{where}: the schema refers to something outside of itself"
        yield place.problem(("schema",), "projector_schema", message, "write it into the schema")
        return
    try:
        schema_validator(projector.schema_json)
    except ValueError as error:
        message = f"{where}: not a JSON Schema: {' '.join(str(error).split())[:200]}"
        yield place.problem(("schema",), "projector_schema", message, "mend the schema")


def _references(schema_json: str) -> Iterator[str]:
    for found in re.finditer(r'"\$(?:ref|dynamicRef|schema)":"([^"]*)"', schema_json):
        if "json-schema.org" not in found[1]:
            yield found[1]


def _templates(place: Place, where: str, projector: Projector) -> Iterator[Problem]:
    known = {name for name, _ in (*projector.selectors, *projector.call, *projector.defaults)} | {SCOPE, TOOL}
    for line in projector.patterns:
        known |= set(line_pattern(line.expression).groupindex)
    written = {
        ("subject",): projector.subject,
        ("property",): projector.property,
        ("value",): projector.value,
        ("environment",): projector.environment,
        ("valid_from",): projector.valid_from,
    } | {("pattern", number, "value"): line.value for number, line in enumerate(projector.patterns)}
    for below, template in written.items():
        if template is None:
            continue
        if not is_template(template):
            message = f"{where}: {template!r} has a brace that belongs to no name"
            yield place.problem(below, "projector_template", message, "write names like {name}")
        for name in holes(template):
            if name not in known and not name.startswith((SCOPE_PREFIX, ARGS_PREFIX)):
                message = f"{where}: {{{name}}} is given by nothing"
                next_step = f"one of: {', '.join(sorted(known))}, scope.DIMENSION, args.NAME"
                yield place.problem(below, "projector_template", message, next_step)
