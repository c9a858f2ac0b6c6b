"""Hold: what must be kept for now, whoever would have it erased; and its release, after which erasures go on."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.kernel.errors import NotFoundError
from heedful.kernel.ids import HoldId
from heedful.kernel.times import format_time
from heedful.ledger.erasure_events import HoldPlaced, HoldReleased
from heedful.observations.names import shown
from heedful.ports.erasure import StoredHold
from heedful.ports.store import Writing
from heedful.service.erasure.due import due_now
from heedful.service.erasure.select import Because, Selection
from heedful.service.requests import choice
from heedful.service.session import Session


@dataclass(frozen=True, slots=True)
class Hold:
    """A hold that is in force, for those who may hold alone."""

    hold_id: HoldId
    by: str
    names: tuple[str, ...]
    because: str
    placed_by: str
    placed_at: str


def place_hold(session: Session, selection: Selection, *, because: str = "legal") -> Hold:
    """The hold: from now on nothing that it selects is erased, nor what comes to be selected by it later.

    What was erased before stays erased. It says nothing of whether anything is selected.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: `choice_unknown`.
    """
    session.require("hold")
    noted = choice(Because, because, field="because")
    hold_id = HoldId(session.new_id())

    def work(writing: Writing) -> Hold:
        placed = HoldPlaced(hold_id, session.principal, noted.value, selection.by.value, selection.names)
        session.append(writing, [placed])
        (found,) = (each for each in writing.holds() if each.hold_id == hold_id)
        return _told(found)

    return session.store.write(work)


def release_hold(session: Session, hold_id: str, *, because: str = "legal") -> Hold:
    """The hold that is in force no more; the job `erase` is due, and goes on with what waited for it.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: `choice_unknown`.
        NotFoundError: `hold_not_found`.
    """
    session.require("hold")
    noted = choice(Because, because, field="because")

    def work(writing: Writing) -> Hold:
        found = next((each for each in writing.holds() if each.hold_id == hold_id), None)
        if found is None:
            raise NotFoundError(
                "hold_not_found",
                f"no hold {shown(hold_id, 64)!r} is in force",
                next_step="`heedful hold list` shows those that are",
                details={"id": shown(hold_id, 64)},
            )
        session.append(writing, [HoldReleased(found.hold_id, session.principal, noted.value)])
        due_now(session, writing)
        return _told(found)

    return session.store.write(work)


def holds(session: Session) -> tuple[Hold, ...]:
    """The holds in force, the oldest first.

    Raises:
        ForbiddenError: `principal_may_not`.
    """
    session.require("hold")
    with session.store.read() as reading:
        return tuple(map(_told, reading.holds()))


def _told(hold: StoredHold) -> Hold:
    return Hold(hold.hold_id, hold.by, hold.names, hold.because, hold.actor, format_time(hold.placed_at_us))
