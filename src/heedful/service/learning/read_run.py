"""Read a run: its records, of those that one may see, as what the steps of a workflow go by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from heedful.claims.assurance import VERIFIES
from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.merge import Merge, joins_of
from heedful.claims.projections.workflow import Workflow
from heedful.claims.projections.workflow_run import RUN_RECORDS_MAX, Run, RunEntry
from heedful.kernel.ids import RunId
from heedful.kernel.ladder import Tier
from heedful.observations.record import Channel, Record, RecordStatus, RecordType, SourceGrade
from heedful.ports.store import Reading, StoredRecord, Visible
from heedful.service.bearing import sources_gone, verification_of
from heedful.service.merging.joined import MERGES_MAX
from heedful.service.session import Session

STATES_MAX = 200
"""Claims that may prove the preconditions of a call's workflows; where there are more, none of them proves anything."""
PAGE_RECORDS = 500
SAID_CHARACTERS_MAX = 300
"""Of a verification's words that are read."""

TOOL = "tool"
CALL_IDS = ("tool_use_id", "call_id")
IS_ERROR = "is_error"
QUERY = "query"
RETRY_OF = "retry_of"
VERDICT_ID, STATUS = "verdict_id", "status"
"""Attributes by which records say what they are of a run; importers and `outcome` set them."""

# A part of the conversation that was taken back, and what was copied from another run, is no step of this one.
_ASIDE = frozenset({"dead-branch", "detached", "copied"})


@dataclass(frozen=True, slots=True)
class Said:
    """What a record says of a run's steps, and what it was told by: itself, and sources of it that are gone."""

    entry: RunEntry
    records: tuple[StoredRecord, ...]


@dataclass(frozen=True, slots=True)
class StepGrounds:
    """What the steps of a workflow are judged by, besides verifications and approvals.

    Attributes:
        run: None: no run was named, or no workflow asks for one.
        records: those that the run was read from, and those that took its grounds away from a verification of it.
        merges: those by which states of another subject count for one that a workflow names.
    """

    run: Run | None
    states: tuple[Claim, ...]
    is_states_cut: bool
    records: tuple[StoredRecord, ...]
    merges: tuple[Merge, ...] = ()

    @property
    def is_cut(self) -> bool:
        """True where something of it was not looked at."""
        return self.is_states_cut or (self.run is not None and self.run.is_cut)


def grounds_of_steps(
    session: Session,
    reading: Reading,
    visible: Visible,
    workflows: Sequence[Workflow],
    run_id: RunId | None,
    *,
    at_us: int,
) -> StepGrounds:
    """The run and the states by which these workflows go; nothing is read where there is none of them."""
    if not workflows:
        return StepGrounds(None, (), is_states_cut=False, records=())
    kinds = {each.state.kind for one in workflows for each in one.preconditions if each.state is not None}
    states: tuple[Claim, ...] = ()
    if kinds:
        states = reading.claims(
            visible,
            statuses=(ClaimStatus.ACTIVE,),
            kinds=sorted(kinds),
            visibility=None,
            tier_min=Tier.UNVERIFIED,
            valid_at_us=at_us,
            limit=STATES_MAX + 1,
        )
    run, records = (None, ()) if run_id is None else read_run(session, reading, visible, run_id)
    merges = _merges(reading, visible, workflows) if states else ()
    return StepGrounds(run, states[:STATES_MAX], is_states_cut=len(states) > STATES_MAX, records=records, merges=merges)


def _merges(reading: Reading, visible: Visible, workflows: Sequence[Workflow]) -> tuple[Merge, ...]:
    """The merges, as far as they are seen, of the subjects that the workflows ask for states of; of none, nothing."""
    wanted = {each.state.subject for one in workflows for each in one.preconditions if each.state is not None} - {None}
    if not wanted:
        return ()
    merges = reading.merges(visible, only_joined=True, limit=MERGES_MAX)
    near = {subject for each in wanted if each is not None for subject in joins_of(merges).all_of(each)}
    return tuple(each for each in merges if each.subject in near)


def read_run(
    session: Session, reading: Reading, visible: Visible, run_id: RunId
) -> tuple[Run, tuple[StoredRecord, ...]]:
    """The run, and the records that say something of its steps; the newest RUN_RECORDS_MAX are looked at."""
    looked_at = 0
    before: int | None = None
    found: list[Said] = []
    while looked_at <= RUN_RECORDS_MAX:
        page = reading.records(
            visible, status=RecordStatus.ADMITTED, run_id=run_id, attributes=(), before=before, limit=PAGE_RECORDS
        )
        looked_at += len(page)
        each_said = (entry_of(session, reading, stored) for stored in page)
        found += [said for said in each_said if said is not None]
        if len(page) < PAGE_RECORDS:
            break
        before = page[-1].position
    run = Run(run_id, tuple(said.entry for said in found), is_cut=looked_at > RUN_RECORDS_MAX)
    return run, tuple({each.record.record_id: each for said in found for each in said.records}.values())


def entry_of(session: Session, reading: Reading, stored: StoredRecord) -> Said | None:
    """What the record says of a run's steps; None where it says nothing, or stands in a part that was taken back."""
    record = stored.record
    if record.grade is SourceGrade.SUMMARY or not _ASIDE.isdisjoint(record.flags):
        return None
    attributes = dict(record.attributes)
    said = _said(stored, attributes)
    if said is None:
        return None
    gone: list[StoredRecord] = []
    if said.get("counts") and said["passed"]:  # as in `bearing`
        gone = sources_gone(session, reading, stored)
        said["counts"] = not gone
    entry = RunEntry(
        record_id=record.record_id,
        sequence=record.sequence,
        position=stored.position,
        occurred_at_us=record.occurred.at_us,
        scope=record.scope,
        subjects=record.subjects,
        by_agent=record.channel is Channel.AGENT,
        derived_from=record.derived_from,
        retry_of=_text(attributes, RETRY_OF) or None,
        **said,
    )
    return Said(entry, (stored, *gone))


def _said(stored: StoredRecord, attributes: Mapping[str, Any]) -> dict[str, Any] | None:
    record = stored.record
    call_id = next((told for name in CALL_IDS if (told := _text(attributes, name))), None)
    match record.type:
        case RecordType.TOOL_CALL | RecordType.ACTION if isinstance(attributes.get(TOOL), str):
            return {"sort": "call", "tool": attributes[TOOL], "args": _args(record), "call_id": call_id}
        case RecordType.TOOL_RESULT if attributes.get(IS_ERROR) is True:
            return {"sort": "error", "call_id": call_id}
        case RecordType.VERIFICATION if isinstance(attributes.get(VERIFIES), str):
            verification = verification_of(stored)
            return {
                "sort": "check",
                "verifies": verification.action_class,
                "passed": verification.is_passed,
                "counts": verification.may_count,
                "tool": _text(attributes, TOOL),
                "said": ((record.content or "")[:SAID_CHARACTERS_MAX], _text(attributes, QUERY)),
            }
        case RecordType.ACTION if VERDICT_ID in attributes and isinstance(attributes.get(STATUS), str):
            return {"sort": "outcome", "status": attributes[STATUS]}
        case _:
            return None


def _text(attributes: Mapping[str, Any], name: str) -> str:
    found = attributes.get(name)
    return found if isinstance(found, str) else ""


def _args(record: Record) -> Mapping[str, object] | None:
    """The arguments of a call: the `input` of its JSON object, or the object itself; None where it is none."""
    if record.content is None:
        return None
    try:
        told = msgspec.json.decode(record.content.encode("utf-8", "surrogatepass"))
    except (msgspec.DecodeError, RecursionError):
        return None
    if not isinstance(told, dict):
        return None
    given = told.get("input", told)
    if isinstance(given, str):  # some formats hold the arguments as the JSON text that the model wrote
        try:
            given = msgspec.json.decode(given.encode("utf-8", "surrogatepass"))
        except (msgspec.DecodeError, RecursionError):
            return None
    return given if isinstance(given, dict) else None
