"""Import: a trace file -> records in batches, and claims. Again, or after a stop, it adds only what is new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ids import RunId
from heedful.kernel.ladder import Classification, Consent
from heedful.kernel.scope import Scope
from heedful.kernel.times import SourceTime
from heedful.ledger.events import Event, ImportFinished
from heedful.ledger.opened import opened
from heedful.observations.record import Candidate, Channel
from heedful.observations.redact import redact
from heedful.ports.importer import ImportedItem, ImportProblem, TraceImporter, TraceSource
from heedful.ports.store import Chain, Writing
from heedful.service.belief.settle import look_ahead, settled
from heedful.service.belief.weigh_kept import Unsettled
from heedful.service.keeping.batch import uncollected
from heedful.service.keeping.calls import Calls
from heedful.service.keeping.contents import write_kept
from heedful.service.keeping.counted import CountedSource
from heedful.service.keeping.facts import is_heard, read_ahead
from heedful.service.keeping.keep import Prepared, kept_before, prepare
from heedful.service.keeping.keep_claims import ClaimNote
from heedful.service.keeping.references import References
from heedful.service.keeping.sources import ERASED_BEFORE, unless_erased
from heedful.service.requests import clean_scope
from heedful.service.session import Session
from heedful.service.sight import told_position

BATCH_ITEMS = 500
"""Items in one transaction: live writers wait for one batch at most."""
RUNS_NAMED_MAX = 100
FINISH_LOOKED_AT_MAX = 2_000
"""Events after the trace's last record, and events before the ledger's end, among which its end is looked for."""
_FINISHED = "import.finished"
_CONFIDENCE = 1.0
_UTILITY = 0.5


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was in the trace, and what became of it.

    Attributes:
        counts: items by kind, as the importer names them.
        erased_before: of the refused, those from where something came that was erased; `again` keeps them.
        duplicates: items that were kept before.
        problems: rows, or parts of them, that were not taken as they stood.
        position: of the last event that the import wrote; 0 where it wrote none, and for those who may not audit.
    """

    importer: str
    source_name: str
    counts: dict[str, int]
    admitted: int
    pending: int
    refused: int
    erased_before: int
    duplicates: int
    redactions: int
    claims: tuple[ClaimNote, ...]
    problems: tuple[ImportProblem, ...]
    run_ids: tuple[str, ...]
    position: int


@dataclass(slots=True)
class _Tally:
    calls: Calls
    again: bool
    counts: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    redactions: int = 0
    erased_before: int = 0
    claims: list[ClaimNote] = field(default_factory=list)
    problems: list[ImportProblem] = field(default_factory=list)
    run_ids: dict[str, None] = field(default_factory=dict)
    records: References = field(default_factory=References)
    position: int = 0
    known_to: int = 0


def import_trace(
    session: Session,
    importer: TraceImporter,
    source: TraceSource,
    *,
    scope: Sequence[str],
    progress: Callable[[int], None],
    again: bool = False,
) -> ImportReport:
    """What the trace held and what became of it, all durable. `progress` is told bytes read, of twice its size.

    `again`: what was erased of it is kept once more; it takes the right to erase.

    Raises:
        ForbiddenError: `principal_may_not`, `scope_not_granted`.
        InvalidInputError: those of `clean_scope`.
        BusyError, UnavailableError: the store; batches before stay, and importing again goes on after them.
    """
    session.require("import")
    if again:
        session.require("erase")
    parsed_scope = clean_scope(scope)
    session.require_writable(parsed_scope)
    tally = _Tally(Calls(session), again)
    rows = importer.read(CountedSource(source, progress))
    while batch := list(islice(rows, BATCH_ITEMS)):
        with uncollected():
            _take_batch(session, parsed_scope, batch, tally)
    report = _report(importer, source, tally)
    last = max(tally.position, tally.known_to)
    if last == 0:
        return report
    run_ids = tuple(RunId(run_id) for run_id in report.run_ids)
    finished = ImportFinished(importer.name, report.source_name, run_ids, report.counts)
    position = session.store.write(lambda writing: _finish(session, writing, finished, last))
    return replace(report, position=told_position(session, max(tally.position, position)))


def _finish(session: Session, writing: Writing, finished: ImportFinished, last: int) -> int:
    """The position of the event that says so; 0 where one does already, of an import that was not stopped."""
    head = writing.head(Chain.LEDGER).position
    for after in {last, max(last, head - FINISH_LOOKED_AT_MAX)}:
        for sealed in writing.events(Chain.LEDGER, after=after, limit=FINISH_LOOKED_AT_MAX):
            envelope = sealed.envelope
            if envelope.type == _FINISHED and sealed.payload is not None:
                found = opened(sealed)
                if found == finished:
                    return 0
    return session.append(writing, [finished])[-1].position


def _take_batch(session: Session, scope: Scope, batch: list[ImportedItem | ImportProblem], tally: _Tally) -> None:
    items = [row for row in batch if isinstance(row, ImportedItem)]
    tally.problems += [_clean(row) for row in batch if isinstance(row, ImportProblem)]
    for item in items:
        tally.counts[item.kind] += 1
        if len(tally.run_ids) < RUNS_NAMED_MAX:
            tally.run_ids[item.run_id] = None
    fresh, seen = _not_kept_before(session, scope, items, tally)
    read_ahead(session, (item.content for item in fresh if is_heard(item.type, item.grade, item.content)))
    # Redaction and the gate run before the transaction, so that live writers do not wait for them.
    prepared = [(item, each) for item in fresh for each in _prepared(session, scope, item, tally)]
    with session.store.read() as reading:
        prepared = [(item, unless_erased(session, reading, each, again=tally.again)) for item, each in prepared]
    ready = [each for _, each in prepared]
    look_ahead(session, ready)
    taken = write_kept(session, ready, lambda writing: _write(session, writing, scope, prepared, (seen, tally.again)))
    tally.outcomes["duplicate"] += len(prepared) - len(taken.kept)
    for item, each in taken.kept:
        _count(item, each, tally)
    tally.position = max(tally.position, taken.position)


@dataclass(frozen=True, slots=True)
class _Taken:
    kept: list[tuple[ImportedItem, Prepared]]
    position: int


def _not_kept_before(
    session: Session, scope: Scope, items: list[ImportedItem], tally: _Tally
) -> tuple[list[ImportedItem], int]:
    """The items that are new, each reference once, and the ledger position at which that was so."""
    fresh: dict[str, ImportedItem] = {}
    with session.store.read() as reading:
        for item in items:
            before = kept_before(reading, item.source_ref, scope, Classification.NORMAL)
            if before is not None:
                tally.records.note(item.source_ref, before.record.record_id)
                tally.known_to = max(tally.known_to, before.position)
            if before is None and item.source_ref not in tally.records and item.source_ref not in fresh:
                fresh[item.source_ref] = item
            else:
                tally.outcomes["duplicate"] += 1
        tally.records.look_for(reading, (ref for item in fresh.values() for ref in item.derived_from_refs), scope)
        return list(fresh.values()), reading.head(Chain.LEDGER).position


def _prepared(session: Session, scope: Scope, item: ImportedItem, tally: _Tally) -> Iterator[Prepared]:
    try:
        prepared = prepare(session, _candidate(session, scope, item, tally), flags=item.flags, calls=tally.calls)
    except InvalidInputError as error:
        tally.problems.append(_clean(ImportProblem(item.line_number, error.code, f"{item.kind}: {error.message}")))
        return
    tally.records.note(item.source_ref, prepared.record_id)
    yield prepared


def _write(
    session: Session,
    writing: Writing,
    scope: Scope,
    prepared: list[tuple[ImportedItem, Prepared]],
    looked: tuple[int, bool],
) -> _Taken:
    """Another writer may have come first: what it kept of the same trace is left out here."""
    kept = prepared
    seen, again = looked
    if writing.head(Chain.LEDGER).position != seen:
        place = (scope, Classification.NORMAL)
        kept = [
            (item, unless_erased(session, writing, each, again=again))
            for item, each in prepared
            if kept_before(writing, item.source_ref, *place) is None
        ]
    position, whole, waiting, unsettled = 0, [], list[Event](), Unsettled(session)
    for item, each in kept:
        if unsettled.must_append_before(each) and waiting:
            # So that what it says is over, follows or contradicts, is found.
            position = session.append(writing, waiting)[-1].position
            waiting = []
        done = settled(session, writing, each)
        waiting += done.events
        whole.append((item, done))
    if waiting:
        position = session.append(writing, waiting)[-1].position
    return _Taken(whole, position)


def _clean(problem: ImportProblem) -> ImportProblem:
    """The problem without a secret that the trace had in a name."""
    return replace(problem, message=redact(problem.message).text)


def _count(item: ImportedItem, prepared: Prepared, tally: _Tally) -> None:
    tally.outcomes[prepared.outcome] += 1
    tally.erased_before += ERASED_BEFORE in prepared.reasons
    tally.claims += prepared.claims
    tally.redactions += len(prepared.record.redactions) if prepared.record else 0
    tally.problems += [ImportProblem(item.line_number, "statement_refused", text) for text in prepared.problems]
    if ERASED_BEFORE in prepared.reasons:
        tally.problems.append(ImportProblem(item.line_number, "erased_before", "it was erased, and is kept out"))


def _candidate(session: Session, scope: Scope, item: ImportedItem, tally: _Tally) -> Candidate:
    sources = (tally.records.get(source_ref) for source_ref in item.derived_from_refs)
    return Candidate(
        type=item.type,
        grade=item.grade,
        channel=Channel.CAPTURE,
        principal=session.principal,
        scope=scope,
        source_ref=item.source_ref,
        content=item.content,
        media_type=item.media_type,
        occurred=item.occurred or SourceTime(session.clock.now_us(), None, "unknown"),
        run_id=RunId(item.run_id),
        sequence=item.sequence,
        speaker=item.speaker,
        subjects=item.subjects,
        attributes=item.attributes,
        classification=Classification.NORMAL,
        consent=Consent.IMPLICIT,
        expected_utility=_UTILITY,
        confidence=_CONFIDENCE,
        retain_days=session.registry.policy.default_retain_days,
        derived_from=tuple(each for each in sources if each is not None),
    )


def _report(importer: TraceImporter, source: TraceSource, tally: _Tally) -> ImportReport:
    counts: Counter[str] = Counter()
    for kind, count in tally.counts.items():
        counts[redact(kind).text] += count
    return ImportReport(
        importer=importer.name,
        source_name=redact(source.name).text,
        counts=dict(sorted(counts.items())),
        admitted=tally.outcomes["admitted"],
        pending=tally.outcomes["pending"],
        refused=tally.outcomes["refused"],
        erased_before=tally.erased_before,
        duplicates=tally.outcomes["duplicate"],
        redactions=tally.redactions,
        claims=tuple(tally.claims),
        problems=tuple(tally.problems),
        run_ids=tuple(dict.fromkeys(redact(each).text for each in tally.run_ids)),
        position=tally.position,
    )
