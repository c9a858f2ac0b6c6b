"""Erase: what was asked to be forgotten goes through its stages; see service/erasure/stages.py."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from heedful.claims.claim import Claim
from heedful.kernel.errors import HeedfulError
from heedful.kernel.times import US_A_DAY
from heedful.ports.store import Reading, StoredJob
from heedful.service.erasure.due import ERASE_JOB
from heedful.service.erasure.room import with_room
from heedful.service.erasure.stages import run_stages
from heedful.service.erasure.there import OPEN_MAX
from heedful.service.jobs.job import Ending, Job, Keep, Rule, RunReport
from heedful.service.jobs.lease import Taken, finish, release, renew, take
from heedful.service.session import Session

AGAIN_US = 3_600_000_000
"""Until it is tried again where the store could not be scrubbed."""


def _page(_reading: Reading, _after: str, _at_us: int) -> tuple[Claim, ...]:
    return ()


def _rule(_session: Session, _keep: Keep) -> Rule:
    def rule(_claim: Claim, _at_us: int) -> Ending | None:
        return None

    return rule


ERASE = Job(ERASE_JOB, "Erasures go on, to where nothing of them is left.", US_A_DAY, _page, _rule)


def _wait_us(reading: Reading) -> int:
    """Until the next run: none where something was asked for during this one, little where files are to be scrubbed."""
    stages = {each.stage for each in reading.erasures(only_open=True, limit=OPEN_MAX) if each.stage != "scrubbed"}
    if "logical" in stages:
        return 0
    return AGAIN_US if stages else ERASE.every_us


def run_erase(
    session: Session, job: Job, *, always: bool, progress: Callable[[int], None]
) -> RunReport | StoredJob | None:
    """As run_job; its report moves no claim: how far each erasure came is in its receipt.

    Raises:
        ConflictError: `lease_lost`.
        BusyError, UnavailableError: the store, or its blobs; the next run goes on.
    """
    worker = f"{session.principal}/{session.new_id()}"
    taken = with_room(session, lambda: take(session, job, worker, always=always))
    if not isinstance(taken, Taken):
        return taken
    try:
        run_stages(session, lambda: renew(session, job, worker), progress)
        report = finish(session, job, worker, taken.report, wait_us=_wait_us)
    except BaseException:
        # As run_job: whoever comes next need not wait for the lease to end.
        with contextlib.suppress(HeedfulError):
            release(session, job, worker)
        raise
    # What was freed for an erasure is kept for the next.
    session.reserve.keep()
    return report
