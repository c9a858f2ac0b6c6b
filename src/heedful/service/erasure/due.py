"""Due: the job that takes an erasure through its stages is to run now."""

from __future__ import annotations

from dataclasses import replace

from heedful.ports.store import StoredJob, Writing
from heedful.service.session import Session

ERASE_JOB = "erase"


def due_now(session: Session, writing: Writing) -> None:
    """The job is due at once; whoever runs it goes on meanwhile."""
    stored, now_us = writing.job(ERASE_JOB), session.clock.now_us()
    if stored is None:
        stored = StoredJob(ERASE_JOB, None, 0, now_us, None, "", None)
    writing.put_job(replace(stored, due_at_us=min(stored.due_at_us, now_us)))
