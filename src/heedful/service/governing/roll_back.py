"""Roll back: what it takes to go back to a registry that this tenant used before. Git stays the source."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from heedful.bridges.check import Change, registry_diff
from heedful.kernel.ids import Revision
from heedful.service.governing.registry_changes import revision_of
from heedful.service.session import Session


@dataclass(frozen=True, slots=True)
class EarlierRegistry:
    """A registry that the ledger keeps.

    Attributes:
        changes: what going back to it changes against the registry in use.
        packs: names of the packs that it draws on.
    """

    revision: Revision
    in_use: Revision
    changes: tuple[Change, ...]
    packs: tuple[str, ...]
    body_json: str


def earlier_registry(session: Session, revision: str) -> EarlierRegistry:
    """The registry of that revision (or its beginning), to be restored by a person; nothing is changed by asking.

    Raises:
        ForbiddenError: `principal_may_not`.
        NotFoundError: `registry_revision_not_found`.
    """
    session.require("set_mode")
    in_use = session.registry.revision
    with session.store.read() as reading:
        found = revision_of(reading.registry_revisions(), revision)
        body = reading.registry_body(found)
    assert body is not None, "a revision that is listed has its body"
    packs = tuple(sorted(msgspec.json.decode(body)["packs"]))
    return EarlierRegistry(found, in_use, registry_diff(session.registry.body_json, body), packs, body)
