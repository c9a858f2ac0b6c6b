"""Principals: who asks, where nobody says so."""

from __future__ import annotations

import getpass

from heedful.kernel.ids import PrincipalId
from heedful.kernel.scope import require_plain_name
from heedful.observations.names import require_clean_name

PRINCIPAL_CHARACTERS_MAX = 128


def default_principal() -> PrincipalId:
    """`person:<login>`, or `person:unknown` where the system names no login."""
    try:
        return PrincipalId(f"person:{getpass.getuser()}")
    except (OSError, KeyError, ImportError):
        return PrincipalId("person:unknown")


def principal_named(given: str | None, configured: str | None) -> PrincipalId:
    """The one that was given, else the configured one, else the default.

    Raises:
        InvalidInputError: `name_malformed`, `name_too_long`.
    """
    # Empty is somebody who lost their identity, never the owner.
    known = configured if given is None else given
    who = default_principal() if known is None else PrincipalId(known)
    require_plain_name(who, field="principal", characters_max=PRINCIPAL_CHARACTERS_MAX)
    require_clean_name(who, field="principal")
    return who
