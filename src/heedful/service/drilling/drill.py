"""Drill: an erasure or a revocation is tried out on this very store, and the report of it is signed, to be kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from heedful.kernel.times import format_time
from heedful.ports.residue import Residue
from heedful.service.drilling.erasure import drill_erasure
from heedful.service.drilling.leftovers import cleaned, only_one, planted_in
from heedful.service.drilling.planted import plant, scope_of
from heedful.service.drilling.report import FORMAT, WHAT, DrillReport
from heedful.service.drilling.revocation import drill_revocation
from heedful.service.drilling.run import Run
from heedful.service.drilling.verified import verify_chains
from heedful.service.erasure.receipt import Receipt, receipt
from heedful.service.maintain import maintain
from heedful.service.proving.keys import signed_as_named
from heedful.service.requests import choice, clean_scope
from heedful.service.session import Session


class DrillName(StrEnum):
    """The drills that there are."""

    ERASURE = "erasure"
    REVOCATION = "revocation"


def drill(session: Session, name: str, *, scope: Sequence[str] = (), residue: Residue | None = None) -> DrillReport:
    """The signed report of a drill that ran to its end; `holds` tells whether every check held.

    It plants records in a scope of its own within `scope`, takes them back through the ordinary verbs, looks for them
    as a user and in the store's files (`residue`), verifies the chains, and erases what is left. Nothing else of the
    store is changed, and others may write meanwhile. What an interrupted drill left is erased first.

    Raises:
        ForbiddenError: `principal_may_not`: it takes the rights to erase, to audit and to maintain; never an agent.
        ForbiddenError: `scope_not_granted`.
        InvalidInputError: `choice_unknown`, those of `clean_scope`.
        ConflictError: `drill_running`, `drill_not_planted`; `lease_lost` where it took so long that another began;
            `key_rotated`.
        BusyError, UnavailableError: the store; the next drill cleans up.
    """
    kind = choice(DrillName, name, field="drill")
    for verb in ("erase", "audit", "maintain"):
        session.require(verb)
    around = clean_scope(scope).elements
    drill_id = session.new_id()
    session.require_writable(clean_scope(scope_of(drill_id, around)))
    with only_one(session) as worker:
        started_us = session.clock.now_us()
        with session.store.read() as reading:
            left = len(planted_in(reading))
        cleaned(session)
        run = Run(session, worker)
        planted = run.asked("plant", lambda: plant(session, drill_id, around))
        run.keep()
        done: Receipt | None
        if kind is DrillName.ERASURE:
            done = drill_erasure(run, planted, residue)
        else:
            drill_revocation(run, planted)
            done = _erased(run, drill_id)
        audit = verify_chains(run, planted)
    report = DrillReport(
        what=WHAT,
        format=FORMAT,
        drill=kind.value,
        drill_id=drill_id,
        tenant_id=session.store.tenant.tenant_id,
        requested_by=session.principal,
        release=session.release,
        scope=planted.scope,
        started_at=format_time(started_us),
        finished_at=format_time(session.clock.now_us()),
        holds=all(each.outcome in ("held", "not-reached") for each in run.checks),
        checks=tuple(run.checks),
        took=tuple(run.took),
        erasure_id=None if done is None else done.erasure_id,
        stage=None if done is None else done.stage,
        cleaned_up=left,
        ledger_size=audit.ledger.event_count,
        ledger_head=audit.ledger.head.digest,
        keys=(),
        key_id="",
    )
    return _signed(session, report)


def _erased(run: Run, drill_id: str) -> Receipt | None:
    done = cleaned(run.session, drill_id)
    run.asked("job", lambda: maintain(run.session, "erase"))
    run.keep()
    with run.session.store.read() as reading:
        left = planted_in(reading, drill_id)
    run.check("cleaned", "nothing of the drill is left", control=done is not None, passed=not left)
    return None if done is None else receipt(run.session, done.erasure_id)


def _signed(session: Session, report: DrillReport) -> DrillReport:
    named, signature = signed_as_named(
        session.signing, "drill", lambda keys: replace(report, keys=keys, key_id=keys[-1].key_id)
    )
    return replace(named, signature=signature)
