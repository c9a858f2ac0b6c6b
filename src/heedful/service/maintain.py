"""Maintain: background work that is due is done, one worker at a time; and what the last runs moved and why."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.kernel.errors import ConflictError, NotFoundError
from heedful.kernel.ids import ClaimId
from heedful.kernel.times import format_time
from heedful.ledger.events import ClaimTransitioned
from heedful.policy.decide import may
from heedful.ports.store import Chain, Reading, StoredJob, Writing
from heedful.service.belief.follow import TOO_MANY
from heedful.service.jobs.checkpoint import CHECKPOINT
from heedful.service.jobs.collect import COLLECT
from heedful.service.jobs.consolidate import CONSOLIDATE
from heedful.service.jobs.erase import ERASE, run_erase
from heedful.service.jobs.expire import EXPIRE, over
from heedful.service.jobs.job import MOVES_LISTED_MAX, Job, Move, RunReport, decoded
from heedful.service.jobs.lease import is_due, is_held, is_unfinished
from heedful.service.jobs.recheck import RECHECK
from heedful.service.jobs.retain import RETAIN
from heedful.service.jobs.run import run_job
from heedful.service.requests import choice
from heedful.service.session import Session
from heedful.service.sight import seen_claim, seen_of
from heedful.service.walk import pages_since

DUE_MAX = 200
"""Claims that are expired in one transaction when a session opens; the next one, and the job, take the rest."""


_AMISS = "something does not hold; an auditor's `heedful verify` tells what"


class JobName(StrEnum):
    """The jobs that there are, in the order in which they run."""

    EXPIRE = "expire"
    RETAIN = "retain"
    CONSOLIDATE = "consolidate"
    COLLECT = "collect"
    RECHECK = "recheck"
    ERASE = "erase"
    CHECKPOINT = "checkpoint"


JOBS: dict[JobName, Job] = {
    JobName.EXPIRE: EXPIRE,
    JobName.RETAIN: RETAIN,
    JobName.CONSOLIDATE: CONSOLIDATE,
    JobName.COLLECT: COLLECT,
    JobName.RECHECK: RECHECK,
    JobName.ERASE: ERASE,
    JobName.CHECKPOINT: CHECKPOINT,
}


@dataclass(frozen=True, slots=True)
class ClaimMoved:
    """A claim that a run moved, as it is told to somebody who may see it.

    Attributes:
        resting: claims that say that they rest on it, of those that this person may see: they want a look.
    """

    claim_id: ClaimId
    statement: str
    from_status: str
    to_status: str
    reason: str
    resting: tuple[ClaimId, ...]


@dataclass(frozen=True, slots=True)
class JobReport:
    """What a run moved and why.

    Attributes:
        worker: the principal that ran it, and an id of the run.
        finished_at: None: it runs, or was stopped and waits for a worker.
        resumed: how often another worker went on with it.
        looked_at: claims (of `recheck` and `checkpoint`: events) that it looked at; None for those who may not audit,
            since it counts what they may not see.
        left: claims (of `retain`: records too) that it left where they are, since too much rests on them; None as
            `looked_at` is.
        moved: claims that it moved; for those who may not audit: of those that they may see.
        moves: the first of them, 1,000 at most.
        found: what it found amiss, 100 at most; for those who may not audit, that there is something.
    """

    job: str
    worker: str
    started_at: str
    finished_at: str | None
    resumed: int
    looked_at: int | None
    left: int | None
    moved: int
    moves: tuple[ClaimMoved, ...]
    found: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JobRun:
    """What came of a job in this call.

    Attributes:
        outcome: `ran`; `held`: another worker runs it; `not-due`.
        report: of the run; None where it did not run.
        held_by, held_until: who runs it, and until when nobody else will.
    """

    job: str
    outcome: Literal["ran", "held", "not-due"]
    report: JobReport | None = None
    held_by: str | None = None
    held_until: str | None = None


@dataclass(frozen=True, slots=True)
class Maintained:
    """What came of each job."""

    runs: tuple[JobRun, ...]


@dataclass(frozen=True, slots=True)
class JobStatus:
    """How a job stands.

    Attributes:
        due_at: when it is due; None: at once, since it never ran or waits to go on.
        last_finished_at: None: it never came to its end.
        held_by, held_until: who runs it now; None: nobody.
        is_unfinished: a run was begun and has not ended; whoever maintains next goes on with it.
    """

    job: str
    does: str
    due_at: str | None
    last_finished_at: str | None
    held_by: str | None
    held_until: str | None
    is_unfinished: bool


def maintain(
    session: Session, job: str | None = None, *, progress: Callable[[int], None] = lambda _done: None
) -> Maintained:
    """What came of the jobs that are due; of the one that is named, due or not. A run that was stopped goes on.

    `progress` is told how many claims the job at hand has looked at.

    Raises:
        ForbiddenError: `principal_may_not`; agents never maintain.
        InvalidInputError: `choice_unknown`.
        ConflictError: `lease_lost` where this worker took so long that another went on.
    """
    session.require("maintain")
    named = None if job is None else choice(JobName, job, field="job")
    chosen = JOBS.values() if named is None else (JOBS[named],)
    return Maintained(tuple(_run(session, each, always=named is not None, progress=progress) for each in chosen))


def report_of(session: Session, job: str) -> JobReport:
    """What the last run of the job moved and why, of what this person may see.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: `choice_unknown`.
        NotFoundError: `job_never_ran`.
    """
    session.require("maintain")
    name = choice(JobName, job, field="job")
    with session.store.read() as reading:
        stored = reading.job(name)
        if stored is None or stored.report_json is None:
            raise NotFoundError(
                "job_never_ran",
                f"the job {name} never ran here, so there is no report of it",
                next_step=f"`heedful maintain --job {name}` runs it",
                details={"job": name.value},
            )
        return _told(session, reading, decoded(stored.report_json))


def jobs_now(session: Session, reading: Reading) -> tuple[JobStatus, ...]:
    """How each job stands, for who may maintain or audit; nothing for others."""
    policy = session.registry.policy
    if not any(may(policy, session.principal, verb).allowed for verb in ("maintain", "audit")):
        return ()
    stored = {each.name: each for each in reading.jobs()}
    now_us = session.clock.now_us()
    return tuple(_status(job.as_set(session), stored.get(job.name), now_us) for job in JOBS.values())


def expire_due(session: Session) -> int:
    """How many claims expired by it; 0 costs one look at an index and writes nothing.

    Where more rests on them than one transaction looks at again, fewer expire; a claim on which too much rests by
    itself stays. Reading judges validity and waits for none of it.
    """
    with session.store.read() as reading:
        limit = len(reading.claims_due(session.clock.now_us(), limit=1)) * DUE_MAX
    while limit:
        try:
            return session.store.write(lambda writing, limit=limit: _expired(session, writing, limit))  # type: ignore[misc]
        except ConflictError as error:
            if error.code != TOO_MANY:
                raise
            limit //= 2
    return 0


def _expired(session: Session, writing: Writing, limit: int) -> int:
    now_us = session.clock.now_us()
    events = []
    for claim in writing.claims_due(now_us, limit=limit):
        ending = over(claim, now_us)
        assert ending is not None, "it is due"
        events.append(ClaimTransitioned(claim.claim_id, claim.status, ending.to_status, SERVICE_ACTOR, ending.reason))
    session.append(writing, events)
    return len(events)


def _run(session: Session, job: Job, *, always: bool, progress: Callable[[int], None]) -> JobRun:
    run = run_erase if job is ERASE else run_job
    found = run(session, job.as_set(session), always=always, progress=progress)
    match found:
        case None:
            return JobRun(job.name, "not-due")
        case StoredJob():
            return JobRun(job.name, "held", None, found.holder, format_time(found.lease_until_us))
        case RunReport():
            with session.store.read() as reading:
                return JobRun(job.name, "ran", _told(session, reading, found))


def _told(session: Session, reading: Reading, report: RunReport) -> JobReport:
    audits = may(session.registry.policy, session.principal, "audit").allowed
    listed: Iterable[Move] = report.moves if audits else _moves_since(session, report)
    seen = (told for move in listed if (told := _told_move(session, reading, move)) is not None)
    moves = tuple(itertools.islice(seen, MOVES_LISTED_MAX))
    return JobReport(
        job=report.job,
        worker=report.worker,
        started_at=format_time(report.started_at_us),
        finished_at=None if report.finished_at_us is None else format_time(report.finished_at_us),
        resumed=report.resumed,
        looked_at=report.looked_at if audits else None,
        left=len(report.left) if audits else None,
        moved=report.moved if audits else len(moves),
        moves=moves,
        found=report.found if audits else report.found and (_AMISS,),
    )


def _moves_since(session: Session, report: RunReport) -> Iterator[Move]:
    """The moves of the run from the ledger, the newest first: what a report lists is cut by what others may not see."""
    job = JOBS[JobName(report.job)]
    for page in pages_since(session, Chain.LEDGER, report.started_at_us, "claim.transitioned"):
        for _, at_us, event in reversed(page):
            is_later = report.finished_at_us is not None and at_us > report.finished_at_us
            if is_later or not isinstance(event, ClaimTransitioned) or event.actor != SERVICE_ACTOR:
                continue
            if event.reason.startswith(job.reasons):
                yield Move(event.claim_id, event.from_status, event.to_status, event.reason)


def _told_move(session: Session, reading: Reading, move: Move) -> ClaimMoved | None:
    claim = seen_claim(session, reading, move.claim_id)
    if claim is None:
        return None
    resting = tuple(each.claim_id for each in seen_of(session, reading, reading.claims_resting_on(claim.claim_id)))
    return ClaimMoved(claim.claim_id, claim.statement, move.from_status, move.to_status, move.reason, resting)


def _status(job: Job, stored: StoredJob | None, now_us: int) -> JobStatus:
    if stored is None:
        return JobStatus(job.name, job.does, None, None, None, None, is_unfinished=False)
    held = is_held(stored, now_us)
    unfinished = is_unfinished(stored)
    return JobStatus(
        job=job.name,
        does=job.does,
        due_at=None if is_due(job, stored, now_us) else format_time(stored.due_at_us),
        last_finished_at=None if stored.finished_at_us is None else format_time(stored.finished_at_us),
        held_by=stored.holder if held else None,
        held_until=format_time(stored.lease_until_us) if held else None,
        is_unfinished=unfinished,
    )
