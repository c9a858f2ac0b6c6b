"""Erase: what was asked to be forgotten goes through its stages; see service/erasure/stages.py."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from heedful.claims.claim import Claim
from heedful.kernel.errors import HeedfulError
from heedful.ports.store import Reading, StoredJob
from heedful.service.erasure.due import ERASE_JOB
from heedful.service.erasure.stages import run_stages
from heedful.service.jobs.job import US_A_DAY, Ending, Job, Keep, Rule, RunReport
from heedful.service.jobs.lease import Taken, finish, release, renew, take
from heedful.service.session import Session


def _page(_reading: Reading, _after: str, _at_us: int) -> tuple[Claim, ...]:
    return ()


def _rule(_session: Session, _keep: Keep) -> Rule:
    def rule(_claim: Claim, _at_us: int) -> Ending | None:
        return None

    return rule


ERASE = Job(ERASE_JOB, "Erasures go on, to where nothing of them is left.", US_A_DAY, _page, _rule)


def run_erase(
    session: Session, job: Job, *, always: bool, progress: Callable[[int], None]
) -> RunReport | StoredJob | None:
    """As run_job; its report moves no claim: how far each erasure came is in its receipt.

    Raises:
        ConflictError: `lease_lost`.
        BusyError, UnavailableError: the store, or its blobs; the next run goes on.
    """
    worker = f"{session.principal}/{session.new_id()}"
    taken = take(session, job, worker, always=always)
    if not isinstance(taken, Taken):
        return taken
    try:
        run_stages(session, lambda: renew(session, job, worker), progress)
        return finish(session, job, worker, taken.report)
    except BaseException:
        # As run_job: whoever comes next need not wait for the lease to end.
        with contextlib.suppress(HeedfulError):
            release(session, job, worker)
        raise
