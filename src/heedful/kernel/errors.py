"""Failures: eight categories by whose move is next, each with a stable code and a message that is safe to show.

    HeedfulError
    ├── InvalidInputError   the caller's: mend the input
    ├── ForbiddenError      the caller's: ask somebody who may
    ├── NotFoundError       the caller's: nothing by that name, or not for you (the two look alike)
    ├── ConflictError       the caller's: the world has moved; look again
    ├── UnsupportedError    nobody's: this cannot be done here
    ├── BusyError           wait and try again
    ├── UnavailableError    the operator's: something that we need is not there
    └── FaultError          ours: a promise of Heedful itself is broken

A refusal or a verdict is not a failure: those are values.
"""

from __future__ import annotations

from typing import ClassVar, Literal

Category = Literal["invalid_input", "forbidden", "not_found", "conflict", "unsupported", "busy", "unavailable", "fault"]


class HeedfulError(Exception):
    """The base of every failure that Heedful raises on purpose.

    Attributes:
        code: stable snake_case name; docs/errors.md lists every one.
        message: what happened, safe to show to the caller.
        next_step: what to do about it; may be empty.
        details: JSON values: the field, the limit, the place.
    """

    category: ClassVar[Category]

    def __init__(
        self, code: str, message: str, *, next_step: str = "", details: dict[str, object] | None = None
    ) -> None:
        """An error with its stable code."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.next_step = next_step
        self.details = details or {}

    def to_dict(self) -> dict[str, object]:
        """The one JSON shape of an error at every door."""
        return {
            "error": {
                "category": self.category,
                "code": self.code,
                "message": self.message,
                "next_step": self.next_step,
                "details": self.details,
            }
        }


class InvalidInputError(HeedfulError):
    """The input is not of the form that is asked for; mend it and call again."""

    category = "invalid_input"


class ForbiddenError(HeedfulError):
    """The principal may not do this; somebody whom policy allows must."""

    category = "forbidden"


class NotFoundError(HeedfulError):
    """Nothing by that name is there for this principal."""

    category = "not_found"


class ConflictError(HeedfulError):
    """What the caller assumed is no longer so; read again and decide anew."""

    category = "conflict"


class UnsupportedError(HeedfulError):
    """This cannot be done by this installation."""

    category = "unsupported"


class BusyError(HeedfulError):
    """Somebody else holds what is needed; the same call may succeed later."""

    category = "busy"


class UnavailableError(HeedfulError):
    """Something that Heedful needs (a disk, a key, a file) is not there; the operator must act."""

    category = "unavailable"


class FaultError(HeedfulError):
    """A promise of Heedful is broken (a digest does not match, say); stop and look."""

    category = "fault"
