"""Run: one job from where it stands to its end, piece by piece. A worker may die at any moment."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from heedful.claims.claim import Claim
from heedful.claims.lifecycle import SERVICE_ACTOR, require_legal
from heedful.kernel.errors import ConflictError, HeedfulError
from heedful.kernel.ids import ClaimId
from heedful.ledger.events import ClaimTransitioned
from heedful.ports.store import StoredJob, Writing
from heedful.service.belief.follow import TOO_MANY
from heedful.service.jobs.job import FOUND_LISTED_MAX, MOVES_LISTED_MAX, Job, Keep, Move, Rule, RunReport
from heedful.service.jobs.lease import LEASE_SECONDS, Taken, finish, held_job, put_piece, release, renew, take
from heedful.service.session import Session

_RENEWED_US = LEASE_SECONDS * 1_000_000 // 3


def run_job(
    session: Session, job: Job, *, always: bool, progress: Callable[[int], None]
) -> RunReport | StoredJob | None:
    """The report of the run; who holds the job (the stored job) where another does; None where nothing was due.

    A run that was stopped goes on where it stopped. `progress` is told how many claims were looked at.

    Raises:
        ConflictError: `lease_lost`: this worker took so long that another went on with it.
    """
    worker = f"{session.principal}/{session.new_id()}"
    taken = take(session, job, worker, always=always)
    if not isinstance(taken, Taken):
        return taken
    try:
        return _pieces(session, job, worker, taken, progress)
    except BaseException:
        # Whoever comes next need not wait for the lease to end. Where even that fails it does end.
        with contextlib.suppress(HeedfulError):
            release(session, job, worker)
        raise


def _pieces(session: Session, job: Job, worker: str, taken: Taken, progress: Callable[[int], None]) -> RunReport:
    if job.walk is not None:
        return _walked(session, job, worker, taken, progress)
    keep = _keeping(session, job, worker)
    rule = job.rule(session, keep)
    report, after, moved = taken.report, taken.progress, -1
    if job.before is not None:
        report = _with_left(report, job.before(session, keep))
    while True:
        progress(report.looked_at)
        with session.store.read() as reading:
            page = job.page(reading, after, session.clock.now_us())
        # Asked here first: what a rule has to look up keeps no writer waiting.
        now_us = session.clock.now_us()
        wanted = [claim.claim_id for claim in page if rule(claim, now_us) is not None]
        # A page that does not go by `after` gives the same claims again where none of them could be moved.
        if not page or (after == page[-1].claim_id and (not wanted or report.moved == moved)):
            return finish(session, job, worker, report)
        after, moved = page[-1].claim_id, report.moved
        if wanted:
            report = _halved(session, _Piece(job, worker, rule, report, len(page), after), wanted)
        else:
            report = report.with_piece(len(page), ())
            keep()


def _walked(session: Session, job: Job, worker: str, taken: Taken, progress: Callable[[int], None]) -> RunReport:
    """The report of a job that looks at no claims, piece by piece."""
    assert job.walk is not None
    report, after = taken.report, taken.progress
    while True:
        progress(report.looked_at)
        piece = job.walk(session, after)
        found = (*report.found, *piece.found)[:FOUND_LISTED_MAX]
        report = replace(report, looked_at=report.looked_at + piece.looked_at, found=found)
        if piece.after is None:
            return finish(session, job, worker, report)
        after = piece.after
        session.store.write(partial(_put_walked, session, job, _Stand(worker, piece.after, report)))


class _Stand(NamedTuple):
    """Whose run it is, and how far."""

    worker: str
    after: str
    report: RunReport


def _put_walked(session: Session, job: Job, stand: _Stand, writing: Writing) -> None:
    put_piece(session, writing, held_job(writing, job, stand.worker), stand.after, stand.report)


class _Piece(NamedTuple):
    """What one transaction of a run begins with, and where it leaves the run."""

    job: Job
    worker: str
    rule: Rule
    report: RunReport
    looked_at: int
    after: str


def _halved(session: Session, piece: _Piece, wanted: list[ClaimId]) -> RunReport:
    """The report after the piece; in two where more rests on its claims than one transaction looks at again.

    A claim on which too much rests by itself is left: nothing else waits for it.
    """
    try:
        return _piece(session, piece, wanted)
    except ConflictError as error:
        if error.code != TOO_MANY:
            raise
    if len(wanted) == 1:
        return _with_left(piece.report.with_piece(piece.looked_at, ()), wanted)
    middle = len(wanted) // 2
    report = _halved(session, piece, wanted[:middle])
    return _halved(session, piece._replace(report=report, looked_at=0), wanted[middle:])


def _with_left(report: RunReport, item_ids: Sequence[str]) -> RunReport:
    return replace(report, left=tuple(dict.fromkeys((*report.left, *item_ids)))[:MOVES_LISTED_MAX])


def _piece(session: Session, piece: _Piece, wanted: list[ClaimId]) -> RunReport:
    """The report, with the moves of these claims: moves, progress and lease are durable together, or not at all."""

    def work(writing: Writing) -> RunReport:
        stored = held_job(writing, piece.job, piece.worker)
        now_us = session.clock.now_us()
        moves = _effects(session, writing, piece.job, wanted)
        if piece.job.effect is None:
            moves = _moves(session, writing, piece.rule, wanted, now_us)
        report = piece.report.with_piece(piece.looked_at, moves)
        put_piece(session, writing, stored, piece.after, report)
        return report

    return session.store.write(work)


def _effects(session: Session, writing: Writing, job: Job, wanted: list[ClaimId]) -> tuple[Move, ...]:
    """The moves of what these claims lead to, one after another: what the one leads to may leave the next as it is."""
    moves: list[Move] = []
    for claim_id in wanted if job.effect is not None else ():
        claim = writing.claim(claim_id)
        found = None if claim is None or job.effect is None else job.effect(session, writing, claim)
        if found is not None:
            session.append(writing, found.events)
            moves += found.moves
    return tuple(moves)


def _moves(session: Session, writing: Writing, rule: Rule, wanted: list[ClaimId], now_us: int) -> tuple[Move, ...]:
    """The moves of these claims by the rule."""
    moves = tuple(filter(None, (_move(rule, claim, now_us) for claim in writing.claims_by_ids(wanted))))
    session.append(
        writing,
        [
            ClaimTransitioned(each.claim_id, each.from_status, each.to_status, SERVICE_ACTOR, each.reason)
            for each in moves
        ],
    )
    return moves


def _move(rule: Rule, claim: Claim, now_us: int) -> Move | None:
    """The move, by the claim as it is now: somebody may have pinned or ended it since it was looked at."""
    ending = rule(claim, now_us)
    if ending is None:
        return None
    require_legal(claim, ending.to_status)
    return Move(claim.claim_id, claim.status.value, ending.to_status.value, ending.reason)


def _keeping(session: Session, job: Job, worker: str) -> Keep:
    renewed_us = session.clock.now_us()

    def keep() -> None:
        nonlocal renewed_us
        if session.clock.now_us() - renewed_us >= _RENEWED_US:
            renew(session, job, worker)
            renewed_us = session.clock.now_us()

    return keep
