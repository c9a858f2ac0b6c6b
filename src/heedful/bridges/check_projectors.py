"""What is wrong with projectors: kinds, assurance, expiry, and examples, which are run for real."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from heedful.bridges.check_vocabulary import execution_relevant
from heedful.bridges.merge import Merged, Place
from heedful.bridges.projecting import projector_of
from heedful.bridges.registry import Registry
from heedful.claims.assurance import assurance_by
from heedful.claims.claim import Form
from heedful.claims.projections.calls import Call, ProjectorIndex
from heedful.claims.projections.project import Output, StateDraft, project
from heedful.claims.projections.projector import Projector
from heedful.kernel.errors import HeedfulError
from heedful.kernel.ladder import Assurance
from heedful.kernel.scope import parse_scope
from heedful.kernel.times import US_A_SECOND, parse_time
from heedful.observations.record import RecordType, SourceGrade
from heedful.policy.parse import Problem

EXAMPLE_AT_US = 1_790_000_000_000_000
"""When an example's output was observed: in September 2026."""
_SAID_FIELDS = ("description", "authority", "owner")


def check_projectors(merged: Merged, registry: Registry | None) -> Iterator[Problem]:
    """Every problem of every projector; examples are run only where there is a registry to run them in."""
    relevant = set(execution_relevant(merged.body))
    for projector_id, entry in merged.body["projectors"].items():
        place = merged.places["projectors", projector_id]
        for name in _SAID_FIELDS:
            if not entry[name].strip():
                message = f"{projector_id} has a blank {name}"
                yield place.problem((name,), "projector_unsaid", message, f"write the {name}")
        yield from _kind(projector_id, entry, place, merged)
        yield from _assurance(projector_id, entry, place)
        yield from _expiry(projector_id, entry, place, is_relevant=entry["kind"] in relevant)
        for name in ("must", "must_not"):
            if not entry.get("examples", {}).get(name):
                message = f"{projector_id} has no example of what it {name.replace('_', ' ')} give"
                yield place.problem(("examples",), "projector_example_missing", message, f"add one under {name}:")
        if registry is not None:
            yield from _examples(projector_of(projector_id, entry), entry, place)


def _kind(projector_id: str, entry: Mapping[str, Any], place: Place, merged: Merged) -> Iterator[Problem]:
    kind = merged.body["kinds"].get(entry["kind"])
    if kind is not None and kind["form"] != Form.STATE:
        message = f"{projector_id} gives states, and {entry['kind']} is of form {kind['form']}"
        yield place.problem(("kind",), "projector_kind", message, "name a kind of form state")


def _assurance(projector_id: str, entry: Mapping[str, Any], place: Place) -> Iterator[Problem]:
    reads = RecordType.VERIFICATION in entry.get("record_types", ())
    verified = entry.get("assurance", Assurance.REPORTED) == Assurance.VERIFIED
    if reads != verified:
        message = f"{projector_id} is verified only where it reads verifications, and reads them only as verified"
        yield place.problem((), "projector_assurance", message, "let assurance: and record_types: say the same")


def _expiry(projector_id: str, entry: Mapping[str, Any], place: Place, *, is_relevant: bool) -> Iterator[Problem]:
    if not is_relevant:
        return
    if "expires_seconds" not in entry:
        message = f"{projector_id} gives states that decide executions, and never says when they are too old"
        yield place.problem((), "projector_expiry_missing", message, "add expires_seconds:")
    elif not any("after_seconds" in each for each in entry.get("examples", {}).get("must_not", ())):
        message = f"{projector_id} gives states that decide executions, and no example shows one expire"
        next_step = "add an example with after_seconds: under examples/must_not"
        yield place.problem(("examples",), "projector_expiry_example_missing", message, next_step)


def _examples(projector: Projector, entry: Mapping[str, Any], place: Place) -> Iterator[Problem]:
    written = entry.get("examples", {})
    for number, example in enumerate(written.get("must", ())):
        path = ("examples", "must", number)
        if "subject" not in example or "property" not in example or "value" not in example:
            message = f"{projector.id} has an example that does not say which state must come of it"
            yield place.problem(path, "projector_example_unsaid", message, "add subject:, property: and value:")
        elif not _gives(projector, example):
            message = f"{projector.id} must give {_shown(example)}, and gives {_given(projector, example)}"
            yield place.problem(path, "projector_example_silent", message, "mend the selectors or the example")
    for number, example in enumerate(written.get("must_not", ())):
        if _gives(projector, example):
            message = f"{projector.id} must not give {_shown(example)}, and does"
            path = ("examples", "must_not", number)
            yield place.problem(path, "projector_example_gives", message, "narrow the schema or the pattern")


def states_of(projector: Projector, example: Mapping[str, Any]) -> tuple[StateDraft, ...]:
    """What the projector gives for an example, by the engine itself."""
    tool = example.get("tool", "Bash" if "command" in example else None)
    call = Call(tool, example.get("command"), example.get("args", {}))
    output = Output(
        text=example["output"],
        record_type=example.get("type", RecordType.TOOL_RESULT),
        grade=SourceGrade(example.get("grade", SourceGrade.TOOL)),
        call=call,
        failed=example.get("failed", False),
        scope=parse_scope(example.get("scope", ["project:example"])),
        occurred_us=EXAMPLE_AT_US,
    )
    return project(output, ProjectorIndex([projector])).drafts


def _gives(projector: Projector, example: Mapping[str, Any]) -> bool:
    wanted = {name: example[name] for name in ("subject", "property", "value") if name in example}
    at_us = EXAMPLE_AT_US + example.get("after_seconds", 0) * US_A_SECOND
    begins_us = _time(example.get("valid_from"))
    assurance = example.get("assurance")
    return any(
        all(_same(getattr(draft, name), value) for name, value in wanted.items())
        and (draft.valid_to_us is None or at_us < draft.valid_to_us)
        and begins_us in (None, draft.valid_from_us)
        and assurance in (None, _assurance_in(example))
        for draft in states_of(projector, example)
    )


def _same(left: object, right: object) -> bool:
    """Equal, and of one type: true is not 1."""
    return left == right and isinstance(left, bool) == isinstance(right, bool)


def _time(written: str | None) -> int | None:
    if written is None:
        return None
    try:
        return parse_time(written, field="valid_from").at_us
    except HeedfulError:
        return -1


def _assurance_in(example: Mapping[str, Any]) -> Assurance:
    return assurance_by(
        RecordType(example.get("type", RecordType.TOOL_RESULT)),
        SourceGrade(example.get("grade", SourceGrade.TOOL)),
        passed=not example.get("failed", False),
    )


def _shown(example: Mapping[str, Any]) -> str:
    if "subject" not in example:
        return "any state"
    after = f" after {example['after_seconds']} seconds" if "after_seconds" in example else ""
    return f"{example['subject']}: {example.get('property', '...')} is {example.get('value', '...')}{after}"


def _given(projector: Projector, example: Mapping[str, Any]) -> str:
    return "; ".join(each.statement for each in states_of(projector, example)[:3]) or "nothing"
