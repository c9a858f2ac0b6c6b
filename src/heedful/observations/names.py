"""Names: what somebody typed as a name holds no secret, wherever it is kept or shown again."""

from __future__ import annotations

from heedful.kernel.errors import InvalidInputError
from heedful.observations.redact import redact

SHOWN_CHARACTERS = 80
_LOOKED_AT_CHARACTERS = 4_096


def require_clean_name(text: str, *, field: str) -> None:
    """Nothing, where no secret stands in the name. A name is never redacted: two names must not become one.

    Raises:
        InvalidInputError: `name_malformed`, without the secret.
    """
    if redact(text).redactions:
        raise InvalidInputError(
            "name_malformed",
            f"{field} holds a secret; it was not kept",
            next_step="name it without the secret, and change the secret if others could have seen it",
            details={"field": field},
        )


def shown(text: str, characters_max: int = SHOWN_CHARACTERS) -> str:
    """The beginning of a text that was not taken, for the message that says so; its secrets are cut out first."""
    return redact(text[:_LOOKED_AT_CHARACTERS]).text[:characters_max]
