"""Sources: a summary loses detail, so it names every record that it was made from, and is known no wider than those."""

from __future__ import annotations

from dataclasses import replace

from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ladder import Classification, Consent
from heedful.ledger.events import RecordAdmitted, RecordPending, RecordRefused
from heedful.observations.admit import is_summary
from heedful.observations.names import shown
from heedful.observations.record import Candidate
from heedful.ports.store import Reading, StoredRecord
from heedful.service.erasure.barred import is_barred
from heedful.service.erasure.tags import was_erased
from heedful.service.keeping.keep import Prepared
from heedful.service.session import Session
from heedful.service.sight import seen_record

SOURCE_WITHDRAWN = "source-withdrawn"
"""Why a summary is refused of which a source went while it was written."""


SOURCE_ERASED = "source-erased"
"""Why something is refused that was made from a record that was erased."""
ERASED_BEFORE = "erased-before"
"""Why something is refused that comes from where something came from that was erased."""
BROUGHT_BACK = "brought-back"
"""The flag of a record that came again from there, since somebody who may erase wanted it."""


NO_CONSENT = "consent-withdrawn"
"""Why something is refused that is from, or about, somebody who does not consent to its use any more."""


def comes_again(session: Session, reading: Reading, candidate: Candidate) -> bool:
    """True where what had come from the candidate's source to the same place was erased; see was_erased."""
    source_ref = candidate.source_ref
    if source_ref is None:
        return False
    return was_erased(session, reading, source_ref, candidate.scope, candidate.classification)


def unless_erased(session: Session, reading: Reading, prepared: Prepared, *, again: bool = False) -> Prepared:
    """The same; refused where it comes from where something was erased from, or was made from what was.

    With `again` it is kept from there, and says so.
    """
    record = prepared.record
    if record is None:
        return prepared
    if is_barred(reading, prepared.events):
        return refused(prepared, NO_CONSENT)
    ref = record.source_ref
    if ref is not None and was_erased(session, reading, ref, record.scope, record.classification):
        if not again:
            return refused(prepared, ERASED_BEFORE)
        prepared = brought_back(prepared)
    if record.derived_from and reading.erased_among(record.derived_from):
        return refused(prepared, SOURCE_ERASED)
    return prepared


def labelled(session: Session, candidate: Candidate) -> Candidate:
    """The same, for a summary with a classification and consent at least as strict as those of all its sources.

    Raises:
        InvalidInputError: `source_unfit`; see `require_sources`.
    """
    if not is_summary(candidate) or not candidate.derived_from:
        return candidate
    with session.store.read() as reading:
        sources = require_sources(session, reading, candidate)
    ranked = (candidate.classification, *(each.record.classification for each in sources))
    consents = {candidate.consent, *(each.record.consent for each in sources)}
    return replace(
        candidate,
        classification=max(ranked, key=lambda each: Classification(each).rank),
        consent=candidate.consent if consents == {candidate.consent} else Consent.IMPLICIT,
    )


def require_sources(session: Session, reading: Reading, candidate: Candidate) -> tuple[StoredRecord, ...]:
    """The sources of a summary: evidence, in sight of who sums them up, and known wherever the summary is to be.

    Raises:
        InvalidInputError: `source_unfit` for another one; one that is not there looks like one that is not to be seen.
    """
    sources = []
    for record_id in dict.fromkeys(candidate.derived_from):
        stored = seen_record(session, reading, record_id)
        if stored is None:
            raise _unfit(record_id, "no record of that id is there for you")
        if not stored.is_evidence:
            raise _unfit(record_id, f"it is {stored.status}")
        if not stored.record.scope.applies_to(candidate.scope):
            raise _unfit(record_id, f"it is known in {shown(str(stored.record.scope), 200)} alone")
        sources.append(stored)
    return tuple(sources)


def all_are_evidence(reading: Reading, candidate: Candidate) -> bool:
    """True where every source of the summary is evidence now."""
    stored = reading.records_by_ids(list(dict.fromkeys(candidate.derived_from)))
    there = sum(each.is_evidence for each in stored)
    return there == len({*candidate.derived_from})


def brought_back(prepared: Prepared) -> Prepared:
    """The same, whose record says that somebody had it kept although what came from there was erased."""
    record = prepared.record
    if record is None or BROUGHT_BACK in record.flags:
        return prepared
    record = replace(record, flags=(*record.flags, BROUGHT_BACK))
    first, *others = prepared.events
    assert isinstance(first, RecordAdmitted | RecordPending), "it has a record, so that is what it begins with"
    return replace(prepared, record=record, events=(replace(first, record=record), *others))


def refused(prepared: Prepared, reason: str) -> Prepared:
    """The same, refused for this reason; nothing of it is kept."""
    record = prepared.record
    if record is None:
        return prepared
    # Where it came from is what was erased, too.
    source_ref = None if reason == ERASED_BEFORE else record.source_ref
    event = RecordRefused(prepared.record_id, source_ref, record.principal, (reason,))
    return Prepared("refused", prepared.record_id, None, None, (reason,), (event,), (), ())


def _unfit(record_id: str, why: str) -> InvalidInputError:
    return InvalidInputError(
        "source_unfit",
        f"derived_from names a record that this can't be a summary of: {why}",
        next_step="name records that are evidence, in a scope that applies where the summary is to be",
        details={"field": "derived_from", "id": shown(record_id, 64)},
    )
