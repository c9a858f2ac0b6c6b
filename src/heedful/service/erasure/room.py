"""Room: what erases goes through on a full disk, since some of it is kept for that."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from heedful.kernel.errors import UnavailableError
from heedful.service.session import Session

T = TypeVar("T")
_FULL = "store_unavailable"


def with_room(session: Session, action: Callable[[], T]) -> T:
    """What the action returned; where the disk had no room, it is done again after what was kept for that is free.

    Raises:
        UnavailableError: `store_unavailable` where nothing was kept, or it was not enough.
    """
    try:
        return action()
    except UnavailableError as error:
        if error.code != _FULL or not session.reserve.release():
            raise
    return action()
