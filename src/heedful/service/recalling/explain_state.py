"""Explain state: which known action or verification made a state change; where none did, nothing is made up."""

from __future__ import annotations

from collections.abc import Mapping

from heedful.claims.projections.calls import Call
from heedful.claims.projections.named import HASHES, stands_in
from heedful.claims.projections.timeline import Sighting
from heedful.kernel.ids import RecordId
from heedful.kernel.ladder import Impact
from heedful.observations.record import Record, RecordType
from heedful.observations.text import query_terms
from heedful.policy.tools import match_tool_call
from heedful.ports.store import Reading, SearchFilter, Visible
from heedful.service.keeping.calls import Calls
from heedful.service.session import Session

LOOKED_AT_MAX = 200
"""Records that name the subject and are looked at for one change, those in which its name weighs most."""
_ACTS = (RecordType.ACTION, RecordType.VERIFICATION, RecordType.TOOL_CALL)


def explained_by(
    session: Session,
    reading: Reading,
    visible: Visible,
    before: Sighting,
    after: Sighting,
) -> RecordId | None:
    """The record of what changed the state between the two, or None: nothing that is known did.

    That is the call whose output told the new state, where it is known to execute something; a verification that told
    it; or the last action, verification or call between the two that names the subject and is not known as a look.
    """
    calls = Calls(session)
    told = reading.record(after.claim.evidence[-1])
    if told is not None:
        if told.record.type in (RecordType.ACTION, RecordType.VERIFICATION):
            return told.record.record_id
        call = calls.of(told.record, reading)
        if call is not None and _changes(session, call, known=True):
            source = calls.source(told.record, reading)
            return told.record.record_id if source is None else source.record_id
    acts = [each for each in _acts(reading, visible, after.claim.subject) if _is_between(before, each, after)]
    acts = [each for each in acts if each.type is not RecordType.TOOL_CALL or _is_change(session, calls, each)]
    return max(acts, key=lambda each: (each.occurred.at_us, each.sequence or 0)).record_id if acts else None


def _acts(reading: Reading, visible: Visible, subject: str) -> list[Record]:
    names = _names(subject)
    terms = query_terms(" ".join(names))
    if not terms:
        return []
    search_filter = SearchFilter("record", tuple(_ACTS), (), 0, unreviewed=False)
    hits = reading.search(visible, terms, search_filter, limit=LOOKED_AT_MAX).hits
    stored = reading.records_by_ids([RecordId(hit.item_id) for hit in hits])
    return [
        each.record
        for each in stored
        if each.is_evidence and any(stands_in(name, each.record.content or "") for name in names)
    ]


def _names(subject: str) -> tuple[str, ...]:
    """What people and commands call the subject: `deployment:shop/web@prod` is web."""
    name = subject.partition(":")[2].rpartition("@")[0] or subject.partition(":")[2] or subject
    last = name.rpartition("/")[2].casefold()
    return tuple(dict.fromkeys(each for each in (last, HASHES.sub("", last)) if each))


def _is_between(before: Sighting, record: Record, after: Sighting) -> bool:
    return _is_after(record, before) and not _is_after(record, after)


def _is_after(record: Record, sighting: Sighting) -> bool:
    sequences = record.sequence, sighting.sequence
    if record.run_id is not None and record.run_id == sighting.run_id and None not in sequences:
        return (record.sequence or 0) > (sighting.sequence or 0)
    return record.occurred.at_us > sighting.occurred_us


def _is_change(session: Session, calls: Calls, record: Record) -> bool:
    call = calls.made(record)
    return call is not None and _changes(session, call)


def _changes(session: Session, call: Call, *, known: bool = False) -> bool:
    """True where the call is known to execute something; without `known`, where it is not known as a look."""
    if call.tool is None and call.command is None:
        return False
    policy = session.registry.policy
    args: Mapping[str, object] = call.args
    tool = call.tool
    if call.command is not None and not args:
        tool = tool if tool is not None else next(iter(policy.shell_tools), "")
        args = {argument: call.command for name, argument in policy.shell_tools.items() if name == tool}
    match = match_tool_call(tool or "", args, policy)
    return match.known and match.impact is Impact.EXECUTE if known else match.impact is not Impact.READ
