"""Lease: one worker at a time runs a job. Each piece's transaction proves that the lease is still its worker's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from heedful.kernel.errors import ConflictError
from heedful.ports.store import Reading, StoredJob, Writing
from heedful.service.jobs.job import Job, RunReport, decoded, encoded
from heedful.service.session import Session

LEASE_SECONDS = 60
"""So long nobody else takes the job of a worker that died; a living one renews its lease with each piece."""
_LEASE_US = LEASE_SECONDS * 1_000_000
_CLOCKS_APART_US = _LEASE_US
"""So far the clocks of two workers may be apart; a time that is farther ahead is of a clock that went back since."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A job that this worker runs now: where it goes on, and the report so far."""

    progress: str
    report: RunReport


def is_due(job: Job, stored: StoredJob | None, at_us: int) -> bool:
    """True where a run is due, or one that was begun waits for a worker; what never ran is due.

    So is what a clock that was ahead put off for longer than a run is ever put off.
    """
    if stored is None or is_unfinished(stored):
        return True
    return not at_us < stored.due_at_us <= at_us + job.every_us + _CLOCKS_APART_US


def is_held(stored: StoredJob | None, at_us: int) -> bool:
    """True while somebody's lease on it lasts; one of a clock that was ahead lasts no longer than others."""
    ends_at_us = at_us + _LEASE_US + _CLOCKS_APART_US
    return stored is not None and stored.holder is not None and at_us < stored.lease_until_us <= ends_at_us


def is_unfinished(stored: StoredJob) -> bool:
    """True where a run was begun and did not end: it goes on where it stopped."""
    return stored.holder is not None or bool(stored.progress)


def take(session: Session, job: Job, worker: str, *, always: bool) -> Taken | StoredJob | None:
    """The job, this worker's now; else who holds it (the stored job); None where nothing is due and not `always`."""

    def work(writing: Writing) -> Taken | StoredJob | None:
        stored, now_us = writing.job(job.name), session.clock.now_us()
        if stored is not None and is_held(stored, now_us):
            return stored
        if not always and not is_due(job, stored, now_us):
            return None
        taken = _taken(job, stored, worker, now_us)
        writing.put_job(
            StoredJob(
                name=job.name,
                holder=worker,
                lease_until_us=now_us + _LEASE_US,
                due_at_us=now_us if stored is None else stored.due_at_us,
                finished_at_us=None if stored is None else stored.finished_at_us,
                progress=taken.progress,
                report_json=encoded(taken.report),
            )
        )
        return taken

    return session.store.write(work)


def _taken(job: Job, stored: StoredJob | None, worker: str, now_us: int) -> Taken:
    if stored is None or not is_unfinished(stored) or stored.report_json is None:
        return Taken("", RunReport(job.name, worker, now_us))
    report = decoded(stored.report_json)
    return Taken(stored.progress, replace(report, worker=worker, resumed=report.resumed + 1))


def held_job(writing: Writing, job: Job, worker: str) -> StoredJob:
    """The job, in the transaction of a piece.

    Raises:
        ConflictError: `lease_lost` where another worker took it meanwhile; then nothing of the piece is kept.
    """
    stored = writing.job(job.name)
    if stored is None or stored.holder != worker:
        raise ConflictError(
            "lease_lost",
            f"the job {job.name} was taken over by another worker, since this one's lease had ended",
            next_step="nothing is lost: that worker goes on; `heedful status` shows which",
            details={"job": job.name},
        )
    return stored


def renew(session: Session, job: Job, worker: str) -> None:
    """The lease lasts from now on again.

    Raises:
        ConflictError: `lease_lost`.
    """

    def work(writing: Writing) -> None:
        stored = held_job(writing, job, worker)
        writing.put_job(replace(stored, lease_until_us=session.clock.now_us() + _LEASE_US))

    session.store.write(work)


def put_piece(session: Session, writing: Writing, stored: StoredJob, progress: str, report: RunReport) -> None:
    """In the transaction of a piece: how far the run is, with its lease renewed."""
    lease_until_us = session.clock.now_us() + _LEASE_US
    writing.put_job(replace(stored, lease_until_us=lease_until_us, progress=progress, report_json=encoded(report)))


def finish(
    session: Session, job: Job, worker: str, report: RunReport, *, wait_us: Callable[[Reading], int] | None = None
) -> RunReport:
    """The report of a run that came to its end; the job is nobody's now, and due again in its time, or in `wait_us`.

    Raises:
        ConflictError: `lease_lost`.
    """

    def work(writing: Writing) -> RunReport:
        stored, now_us = held_job(writing, job, worker), session.clock.now_us()
        ended = replace(report, finished_at_us=now_us)
        writing.put_job(
            replace(
                stored,
                holder=None,
                lease_until_us=0,
                due_at_us=now_us + (job.every_us if wait_us is None else wait_us(writing)),
                finished_at_us=now_us,
                progress="",
                report_json=encoded(ended),
            )
        )
        return ended

    return session.store.write(work)


def release(session: Session, job: Job, worker: str) -> None:
    """The job is nobody's, with its progress: whoever comes next goes on. Nothing where it is another's already."""

    def work(writing: Writing) -> None:
        stored = writing.job(job.name)
        if stored is not None and stored.holder == worker:
            writing.put_job(replace(stored, holder=None, lease_until_us=0))

    session.store.write(work)
