"""Instants: what a door was told as a time -> UTC microseconds; without an offset it is read in the session's zone."""

from __future__ import annotations

from heedful.kernel.local_times import instant_in
from heedful.service.session import Session


def instant(session: Session, text: str, *, field: str) -> int:
    """The instant, UTC microseconds.

    Raises:
        InvalidInputError: `time_malformed`, `time_skipped`, `time_twice`, naming `field`; see instant_in.
    """
    return instant_in(text, session.zone, field=field)


def instant_or_none(session: Session, text: str | None, *, field: str) -> int | None:
    """The instant, or None of None; see `instant`."""
    return None if text is None else instant(session, text, field=field)
