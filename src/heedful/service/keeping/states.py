"""States: what projectors read in a tool's output -> drafts of claims. A projector proposes and never activates."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from heedful.claims.assurance import PASSED
from heedful.claims.claim import Claim, Form
from heedful.claims.projections.printed import on_screen, printed
from heedful.claims.projections.project import NOTHING, Output, Projected, StateDraft, project
from heedful.claims.projections.projector import OUTPUT_CHARACTERS_MAX
from heedful.claims.projections.timeline import Sighting
from heedful.observations.instructions import ADDRESSES_AGENT
from heedful.observations.quoting import QUOTES_MEMORY
from heedful.observations.record import Record, RecordStatus, RecordType, SourceGrade
from heedful.ports.store import Over, Reading
from heedful.service.keeping.calls import KEYSTROKES, Calls
from heedful.service.keeping.propose import ClaimDraft
from heedful.service.session import Session

_FAILED = frozenset({"is_error", "interrupted", "result.interrupted", "timed_out"})
_EXIT_CODES = frozenset({"exit_code", "exit_status", "returncode", "result.exit_code", "result.code"})


def has_failed(record: Record) -> bool:
    """True where its attributes say that the call did not succeed, or the verification did not pass."""
    return any(
        (name in _FAILED and value is True)
        or (name == PASSED and value is False)
        or (name in _EXIT_CODES and not isinstance(value, bool) and value not in (0, "0"))
        for name, value in record.attributes
    )


def states_in(session: Session, record: Record, blob_content: bytes | None, calls: Calls) -> Projected:
    """The states that the record's output tells; nothing where it orders an agent about, sums up, or quotes us."""
    if record.type is RecordType.TOOL_CALL:
        calls.note(record)
    projectors = session.registry.projectors
    is_hearsay = record.grade is SourceGrade.SUMMARY or not {ADDRESSES_AGENT, QUOTES_MEMORY}.isdisjoint(record.flags)
    if not projectors or is_hearsay:
        return NOTHING
    index = projectors.index
    if record.type not in index.record_types:
        return NOTHING
    text = _text_of(record, blob_content)
    if text is None or len(text) > OUTPUT_CHARACTERS_MAX:
        return NOTHING
    call = calls.of(record)
    if record.type is RecordType.TOOL_RESULT:
        is_typed = call is not None and isinstance(call.command, str) and KEYSTROKES in call.args
        text = on_screen(text, str(call.command)) if call is not None and is_typed else printed(text)
    if text is None:
        return NOTHING
    output = Output(
        text=text,
        record_type=record.type,
        grade=record.grade,
        call=call,
        failed=has_failed(record),
        scope=record.scope,
        occurred_us=record.occurred.at_us,
    )
    return project(output, index)


def _text_of(record: Record, blob_content: bytes | None) -> str | None:
    if record.content is not None or blob_content is None or len(blob_content) > 4 * OUTPUT_CHARACTERS_MAX:
        return record.content
    try:
        return blob_content.decode()
    except UnicodeDecodeError:
        return None


def draft_of_state(state: StateDraft) -> ClaimDraft:
    """The draft that a projected state asks for."""
    return ClaimDraft(
        kind=state.kind,
        statement=state.statement,
        subject=state.subject,
        property=state.property,
        value=state.value,
        form=Form.STATE,
        applies_to=None,
        not_for=None,
        since_us=state.valid_from_us,
        until_us=state.valid_to_us,
        told_by=state.told_by,
    )


def observed_and_over(session: Session) -> Over:
    """What projectors read, once it is too old to be taken to hold: nobody has to decide that any more."""
    kinds = {projector.kind for projector in session.registry.projectors.values()}
    return Over(tuple(sorted(kinds)), session.clock.now_us())


def sightings_of(
    reading: Reading, claims: Sequence[Claim], *, statuses: Collection[RecordStatus] = (RecordStatus.ADMITTED,)
) -> tuple[Sighting, ...]:
    """The claims, each with the last of its records of these statuses; without one, a claim is no sighting."""
    stored = {
        each.record.record_id: each.record
        for each in reading.records_by_ids([each for claim in claims for each in claim.evidence])
        if each.status in statuses
    }
    found = []
    for claim in claims:
        record = next((stored[each] for each in reversed(claim.evidence) if each in stored), None)
        if record is not None:
            found.append(Sighting(claim, record.run_id, record.sequence, record.occurred.at_us))
    return tuple(found)
