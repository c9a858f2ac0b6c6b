"""Erasure drill: what was planted is forgotten; every door and file is looked through, before and after."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.policy.decide import may
from heedful.ports.residue import Residue
from heedful.service.drilling.canary import needles_of
from heedful.service.drilling.doors import (
    DOORS,
    Door,
    finds_held_payload,
    finds_outside,
    finds_packet,
    finds_survivor,
)
from heedful.service.drilling.leftovers import cleaned, planted_in
from heedful.service.drilling.planted import Planted, source_ref_of
from heedful.service.drilling.run import Run
from heedful.service.erasure.forget import forget
from heedful.service.erasure.hold import place_hold, release_hold
from heedful.service.erasure.receipt import Receipt, receipt
from heedful.service.erasure.select import By, Selection
from heedful.service.keeping.remember import remember
from heedful.service.keeping.sources import ERASED_BEFORE, SOURCE_ERASED
from heedful.service.keeping.statements import RememberTexts
from heedful.service.maintain import maintain

_IN_FILES = "no file of the store has any of it, in whatever form it was looked for"
_STAGES = ("logical", "indexes", "scrubbed")


@dataclass(frozen=True, slots=True)
class _Before:
    """What was found before anything was erased: the controls."""

    doors: dict[str, bool]
    unreached: dict[str, str]
    survivor: bool
    files: tuple[str, ...] | None


def drill_erasure(run: Run, planted: Planted, residue: Residue | None) -> Receipt:
    """The receipt of the drill's erasure as far as it came; what was found is among the run's checks."""
    before = _before(run, planted, residue)
    _outside(run, planted, before)
    _held(run, planted)
    asked = Selection(By.RECORD, (planted.record_id, planted.long_id))
    with run.timed("out of sight"):
        done = run.asked("forget", lambda: forget(run.session, asked))
        out_of_sight = not finds_packet(run.session, planted)
    run.check(
        "at-once", "nothing is shown once forget has answered", control=before.doors["recall"], passed=out_of_sight
    )
    _look(run, planted, before, "logical")
    run.check(
        "survivor",
        "what was not asked for is still found",
        control=before.survivor,
        passed=finds_survivor(run.session, planted),
    )
    _comes_back(run, planted)
    cleaned(run.session, planted.drill_id)
    run.asked("job", lambda: maintain(run.session, "erase"))
    run.keep()
    reached = receipt(run.session, done.erasure_id)
    if reached.stage == "logical":
        run.unreached("indexes", "the job took it out of indexes, packets and blobs", "another worker runs the job")
    else:
        _look(run, planted, before, "indexes")
        run.check(
            "released",
            "what was held is gone once its hold is released",
            control=before.doors["recall"],
            passed=not finds_held_payload(run.session, planted),
        )
    _files(run, planted, residue, before, reached)
    with run.session.store.read() as reading:
        left = planted_in(reading, planted.drill_id)
    run.check("cleaned", "nothing of the drill is left", control=True, passed=not left)
    return reached


def _before(run: Run, planted: Planted, residue: Residue | None) -> _Before:
    unreached = {each.name: why for each in DOORS if (why := each.reached(run.session, planted)) is not None}
    doors: dict[str, bool] = {}
    for door in DOORS:
        if door.name not in unreached:
            doors[door.name] = door.finds(run.session, planted)
            run.keep()
    files = None if residue is None else residue.look(needles_of(planted.canary)).places
    run.keep()
    return _Before(doors, unreached, finds_survivor(run.session, planted), files)


def _look(run: Run, planted: Planted, before: _Before, stage: str) -> None:
    """Every door from whose stage on nothing may be found; those of an earlier one once more."""
    for door in DOORS:
        if _STAGES.index(door.from_stage) > _STAGES.index(stage):
            continue
        name = door.name if door.from_stage == stage else f"{door.name}, {stage}"
        _through(run, planted, before, door, name)
        run.keep()


def _through(run: Run, planted: Planted, before: _Before, door: Door, name: str) -> None:
    if door.name in before.unreached:
        run.unreached(name, door.says, before.unreached[door.name])
        return
    run.check(name, door.says, control=before.doors[door.name], passed=not door.finds(run.session, planted))


def _outside(run: Run, planted: Planted, before: _Before) -> None:
    says = "no request outside of the drill's own scope is handed any of it"
    if not planted.around:
        run.unreached("scope", says, "no scope was named that others ask in")
        return
    found = finds_outside(run.session, planted)
    run.check("scope", says, control=before.doors["recall"], passed=not found)


def _held(run: Run, planted: Planted) -> None:
    """What is held is kept, though it is asked to be forgotten."""
    says = "what is held keeps its content while it is forgotten"
    if not may(run.session.registry.policy, run.session.principal, "hold").allowed:
        run.unreached("hold", says, f"{run.session.principal} may not hold")
        return
    control = finds_held_payload(run.session, planted)
    selection = Selection(By.RECORD, (planted.held_id,))
    hold = place_hold(run.session, selection)
    forget(run.session, selection)
    run.check("hold", says, control=control, passed=finds_held_payload(run.session, planted))
    release_hold(run.session, hold.hold_id)
    run.keep()


def _comes_back(run: Run, planted: Planted) -> None:
    """What is made from what was erased while it is erased, and what an importer brings again, is refused."""
    for name, reason, says, texts in (
        (
            "in-flight",
            SOURCE_ERASED,
            "what is made from it afterwards is refused",
            RememberTexts(derived_from=(planted.record_id,), source_ref=source_ref_of(planted.drill_id, 98)),
        ),
        (
            "again",
            ERASED_BEFORE,
            "what comes again from its source is refused",
            RememberTexts(source_ref=source_ref_of(planted.drill_id, 1)),
        ),
    ):
        kept = remember(run.session, f"Once more, drill {planted.drill_id}.", scope=planted.scope, texts=texts)
        # The control: both were admitted before, or there would be nothing planted.
        # Refused for another reason shows nothing of what was erased.
        passed = kept.outcome == "refused" and reason in kept.reasons
        run.check(name, says, control=True, passed=passed, detail=", ".join(kept.reasons))


def _files(run: Run, planted: Planted, residue: Residue | None, before: _Before, reached: Receipt) -> None:
    if residue is None or before.files is None:
        run.unreached("files", _IN_FILES, "what this store keeps lies in no file that this process reads")
        return
    looked = residue.look(needles_of(planted.canary))
    told = f"{looked.files} files, {looked.size_bytes} bytes read"
    if looked.unread:
        told = f"{told}; not read: {', '.join(looked.unread)}"
    if reached.stage != "scrubbed":
        run.unreached(
            "files", _IN_FILES, f"the erasure came to `{reached.stage}`: {len(looked.places)} of {told} have it"
        )
        return
    told = "; ".join((told, *reached.could_not))
    if looked.unread and not looked.places:
        run.unreached("files", _IN_FILES, told)
        return
    run.check("files", _IN_FILES, control=bool(before.files), passed=not looked.places, detail=told)
