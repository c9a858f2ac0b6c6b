"""Project: an output and the projectors that read it -> drafts of states. No I/O, and nothing is believed yet."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass

from heedful.claims.projections.calls import Call, Matched, ProjectorIndex
from heedful.claims.projections.payload import Payload, Thing, line_pattern
from heedful.claims.projections.projector import (
    ARGS_PREFIX,
    NAME_CHARACTERS_MAX,
    STATES_MAX,
    TOLD_BY,
    TOOL,
    VALUE_CHARACTERS_MAX,
    Projector,
    filled,
    scope_fields,
    text_of,
)
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.frozen import quickly_made
from heedful.kernel.ids import KindId
from heedful.kernel.ladder import Assurance
from heedful.kernel.scope import Scope
from heedful.kernel.times import US_A_SECOND, parse_time
from heedful.ledger.events import JsonScalar
from heedful.observations.names import as_distinct
from heedful.observations.record import SourceGrade

ENVIRONMENT = "environment"
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@quickly_made
@dataclass(frozen=True, slots=True)
class Output:
    """What a tool gave, as the engine reads it.

    Attributes:
        call: what was called; None: not known.
        failed: True: the call did not succeed (an error, an exit code, a verification that did not pass).
        occurred_us: when it was observed, UTC microseconds.
    """

    text: str
    record_type: str
    grade: SourceGrade
    call: Call | None
    failed: bool
    scope: Scope
    occurred_us: int


@dataclass(frozen=True, slots=True)
class StateDraft:
    """A state that was read.

    Attributes:
        valid_from_us, valid_to_us: when it holds, UTC microseconds; the end None: as its kind says.
        told_by: which projector read it, and where in the output.
    """

    projector: str
    kind: KindId
    subject: str
    property: str
    value: JsonScalar
    valid_from_us: int
    valid_to_us: int | None
    told_by: str

    @builtins.property  # a field is named property: the design's word wins
    def statement(self) -> str:
        """The same for people."""
        return f"{self.subject}: {self.property} is {text_of(self.value)}"


@dataclass(frozen=True, slots=True)
class Projected:
    """What was read of one output: each subject and property once; and whether there was more than STATES_MAX."""

    drafts: tuple[StateDraft, ...]
    is_cut: bool


NOTHING = Projected((), is_cut=False)


def project(output: Output, index: ProjectorIndex) -> Projected:
    """The states that the projectors read in the output, in the order of their projectors and places.

    Of several values of one property of one subject the last counts, but a failure wins over what is none: partial
    failure is no success.
    """
    if output.grade is SourceGrade.SUMMARY:
        return NOTHING  # a copy of evidence is no new evidence
    payload = Payload(output.text)
    found: dict[tuple[str, str], tuple[StateDraft, bool]] = {}
    for matched in index.matching(output.call, output.record_type):
        if matched.projector.assurance is Assurance.INFERRED and output.grade is not SourceGrade.AGENT:
            continue
        for draft, is_failure in _drafts(output, payload, matched):
            key = draft.subject, draft.property
            before = found.get(key)
            if before is None and len(found) == STATES_MAX:
                return Projected(tuple(each for each, _ in found.values()), is_cut=True)
            if before is None or is_failure or not before[1]:
                found[key] = draft, is_failure
    return Projected(tuple(each for each, _ in found.values()), is_cut=False)


def _drafts(output: Output, payload: Payload, matched: Matched) -> Iterator[tuple[StateDraft, bool]]:
    projector = matched.projector
    around = _around(output, matched)
    if around is None:
        return
    for thing in payload.things(projector):
        fields = {**around, **thing.fields}
        value = _value(projector, thing, fields)
        subject = _subject(projector, fields, output.scope)
        property_name = filled(projector.property, fields)
        if value is None or not subject or not isinstance(property_name, str):
            continue
        property_name = as_distinct(property_name)
        is_failure = text_of(value) in projector.failures
        if output.failed and not is_failure:
            continue
        start_us = _start(projector, fields, output.occurred_us)
        until_us = None
        if projector.expires_seconds is not None:
            until_us = output.occurred_us + projector.expires_seconds * US_A_SECOND
        draft = StateDraft(
            projector=projector.id,
            kind=projector.kind,
            subject=subject,
            property=property_name,
            value=value,
            valid_from_us=start_us,
            valid_to_us=until_us,
            told_by=f"{TOLD_BY}{projector.id}: {thing.place}",
        )
        if len(property_name) <= NAME_CHARACTERS_MAX and not _CONTROLS.search(subject + property_name):
            yield draft, is_failure


def _around(output: Output, matched: Matched) -> dict[str, JsonScalar] | None:
    """What defaults, scope and call give; None where several commands say different things, or the shell chose."""
    projector = matched.projector
    fields: dict[str, JsonScalar] = {**dict(projector.defaults), **scope_fields(output.scope)}
    if output.call is not None:
        if output.call.tool is not None:
            fields[TOOL] = output.call.tool
        for name, value in output.call.args.items():
            if isinstance(value, str | int | float):
                fields[f"{ARGS_PREFIX}{name}"] = value
    for name, expression in projector.call:
        found = {match[1] if match else None for match in map(line_pattern(expression).search, matched.commands)}
        if len(found) > 1:
            return None
        text = next(iter(found), None)
        if text is not None and not matched.is_literal:
            return None
        if text:
            fields[name] = text.strip("'\"")
    return fields


def _value(projector: Projector, thing: Thing, fields: dict[str, JsonScalar]) -> JsonScalar | None:
    value = filled(thing.value or projector.value, fields)
    if value is not None and projector.values is not None:
        value = projector.values.get(text_of(value))
    if isinstance(value, str) and (len(value) > VALUE_CHARACTERS_MAX or _CONTROLS.search(value)):
        return None
    return value


def _subject(projector: Projector, fields: dict[str, JsonScalar], scope: Scope) -> str | None:
    subject = filled(projector.subject, fields)
    if subject is None:
        return None
    environment = None if projector.environment is None else filled(projector.environment, fields)
    text = as_distinct(text_of(subject))
    if environment is not None and f"{ENVIRONMENT}:{text_of(environment)}" not in scope.elements:
        text = f"{text}@{text_of(environment)}"
    return text if len(text) <= NAME_CHARACTERS_MAX and text == text.strip() else None


def _start(projector: Projector, fields: dict[str, JsonScalar], occurred_us: int) -> int:
    """Since when it holds, as the output says; what it says of the time after the observation is not believed."""
    written = None if projector.valid_from is None else filled(projector.valid_from, fields)
    start_us = occurred_us
    if isinstance(written, str):
        try:
            start_us = parse_time(written, field="valid_from").at_us
        except InvalidInputError:
            return occurred_us
    elif isinstance(written, int | float) and not isinstance(written, bool) and 0 < written < occurred_us:
        start_us = int(written * US_A_SECOND)
    return min(start_us, occurred_us)
