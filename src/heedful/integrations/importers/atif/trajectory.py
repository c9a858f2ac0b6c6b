"""ATIF documents, 1.0 to 1.7, and 1.x that keeps to their outline; of another version nothing is taken, and it says so.

A continuation carries the session id of what it continues, and its steps begin at 1 again. So a step is known by its
number and its content together: the same step in two files is one, and two steps of one number are two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from heedful.integrations.importers.atif.steps import step_row
from heedful.integrations.importers.items import COPIED, RunItems
from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.run_rows import PROGRAM, Run, digest_of, list_of, object_of
from heedful.integrations.importers.values import Attributes, is_field_name, named, plain_name, time_of
from heedful.ports.importer import ImportedItem, ImportProblem

SOURCE = "atif"
SIDECHAIN = "sidechain"
_VERSION = re.compile(r"(?:ATIF-)?v?1\.\d{1,3}(?:\.\d{1,3})?", re.IGNORECASE)
_NESTED = "subagent_trajectories"
_NAME_CHARACTERS_MAX = 100
_IDS = ("session_id", "trajectory_id")
_ATTRIBUTES_MAX = 24


class AtifTrajectory:
    """ATIF. See DocumentFormat."""

    @property
    def name(self) -> str:
        """See DocumentFormat.name."""
        return SOURCE

    def recognises(self, document: object) -> bool:
        """See DocumentFormat.recognises: it names its version and has steps, and either says ATIF or has an agent."""
        fields = object_of(document)
        version = fields.get("schema_version")
        if not isinstance(version, str) or not isinstance(fields.get("steps"), list):
            return False
        if version.upper().startswith("ATIF"):
            return True
        steps = [object_of(step) for step in fields["steps"]]
        numbered = any("step_id" in step and "source" in step for step in steps)
        return bool(_VERSION.fullmatch(version)) and isinstance(fields.get("agent"), dict) and numbered

    def items(  # a renamed file is the same run
        self,
        document: object,
        source_name: str,  # noqa: ARG002
    ) -> Iterator[ImportedItem | ImportProblem]:
        """See DocumentFormat.items."""
        yield from _trajectory(object_of(document), None, {})


def _trajectory(fields: JsonObject, parent: str | None, runs: dict[str, Run]) -> Iterator[ImportedItem | ImportProblem]:
    """The trajectory, and the sub-agents' that are embedded in it, each a run of its own."""
    own_name = _run_name(fields)
    name = own_name if parent is None else f"{parent}/{own_name}"
    run = runs.setdefault(name, Run(RunItems(SOURCE, name)))
    flags = () if parent is None else (SIDECHAIN,)
    version = fields.get("schema_version")
    # An embedded trajectory may leave the version to the one around it.
    if parent is None and not (isinstance(version, str) and _VERSION.fullmatch(version)):
        # What its fields mean is anybody's guess, and half of a run would be taken for the whole.
        message = f"the version {str(version)[:40]!r} is not known, so nothing was taken; 1.0 to 1.7 are read"
        yield ImportProblem(1, "version_unknown", message)
        return
    about = {field: value for field, value in fields.items() if field not in ("steps", _NESTED)}
    row = run.row(f"about-{digest_of(about)}", about, flags=flags, attributes=_about(about))
    if not row.repeated:
        row.raw("raw", "trajectory", PROGRAM, about)
    yield from row.found
    steps = fields.get("steps")
    for place, step in enumerate(list_of(steps)):
        yield from _step(run, step, place, flags)
    if steps is not None and not isinstance(steps, list):
        row = run.row(f"steps-{digest_of(steps)}", steps, flags=flags)
        if not row.repeated:
            row.unknown("raw", "steps", steps)
        yield from row.found
    for nested in list_of(fields.get(_NESTED)):
        if isinstance(nested, dict):
            yield from _trajectory(nested, run.items.run_id, runs)
        else:
            row = run.row(f"nested-{digest_of(nested)}", nested, flags=flags)
            if not row.repeated:
                row.unknown("raw", _NESTED, nested)
            yield from row.found


def _run_name(fields: JsonObject) -> str:
    """The session, with the trajectory where it has a name of its own, and the place among continuations."""
    names = [plain_name(fields.get(field), characters_max=_NAME_CHARACTERS_MAX) for field in _IDS]
    known = list(dict.fromkeys(name for name in names if name is not None))
    if not known:
        known = [digest_of({field: fields[field] for field in fields if field != "final_metrics"})]
    index = object_of(object_of(fields.get("agent")).get("extra")).get("continuation_index")
    if isinstance(index, int) and not isinstance(index, bool) and index > 0:
        known.append(f"continuation-{index}")
    return "/".join(known)


def _about(fields: JsonObject) -> Attributes:
    agent = object_of(fields.get("agent"))
    found = named("schema_version", fields.get("schema_version"))
    found += named("agent", agent.get("name")) + named("agent_version", agent.get("version"))
    found += named("model", agent.get("model_name"))
    found += named("continued_trajectory_ref", fields.get("continued_trajectory_ref"))
    for name, value in sorted(object_of(fields.get("final_metrics")).items()):
        found += named(name, value) if is_field_name(name) else ()
    return found[:_ATTRIBUTES_MAX]


def _step(run: Run, step: Any, place: int, flags: tuple[str, ...]) -> Iterator[ImportedItem | ImportProblem]:
    fields = object_of(step)
    number = fields.get("step_id", place + 1)
    if fields.get("is_copied_context"):
        flags = (*flags, COPIED)
    occurred = time_of(fields.get("timestamp"))
    row = run.row(f"{str(number)[:20]}-{digest_of(step)}", step, occurred=occurred, flags=flags)
    if row.repeated:
        yield from row.found
        return
    if not isinstance(step, dict):
        row.unknown("raw", "step", step)
        yield from row.found
        return
    if occurred is None and fields.get("timestamp") is not None:
        row.problem(
            "time_malformed", f"the timestamp is no time: {str(fields['timestamp'])[:40]!r}; taken as not known"
        )
    row.shared = named("step_id", number)
    if number != place + 1:
        row.problem(
            "step_out_of_order", f"step {str(number)[:20]} stands where {place + 1} is due; taken where it stands"
        )
    yield from step_row(row, fields)
