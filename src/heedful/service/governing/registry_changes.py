"""Registry changes: what the registry in use changes against a revision that this tenant used before."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.bridges.check import Change, registry_diff
from heedful.kernel.errors import NotFoundError
from heedful.kernel.ids import Revision
from heedful.observations.names import shown
from heedful.service.session import Session


@dataclass(frozen=True, slots=True)
class RegistryChanges:
    """The two revisions and what differs; `older` None: the tenant has used no other."""

    older: Revision | None
    newer: Revision
    changes: tuple[Change, ...]


def registry_changes(session: Session, revision: str | None) -> RegistryChanges:
    """What changed since `revision` (or its beginning), else since the last other one that the tenant used.

    Raises:
        ForbiddenError: `principal_may_not`.
        NotFoundError: `registry_revision_not_found`.
    """
    session.require("recall")
    newer = session.registry.revision
    with session.store.read() as reading:
        older = _older(reading.registry_revisions(), revision, newer)
        body = None if older is None else reading.registry_body(older)
    return RegistryChanges(older, newer, () if body is None else registry_diff(body, session.registry.body_json))


def _older(revisions: tuple[Revision, ...], named: str | None, current: Revision) -> Revision | None:
    if named is None:
        others = [each for each in revisions if each != current]
        return others[-1] if others else None
    return revision_of(revisions, named)


def revision_of(revisions: tuple[Revision, ...], named: str) -> Revision:
    """The one revision that begins so.

    Raises:
        NotFoundError: `registry_revision_not_found` where there is none, or several.
    """
    found = [each for each in revisions if each.startswith(named)]
    if len(found) != 1:
        raise NotFoundError(
            "registry_revision_not_found",
            f"{len(found)} revisions of this store begin with {shown(named, 64)!r}",
            next_step="`heedful status` shows the one in use; packets and verdicts name theirs",
            details={"revision": shown(named, 64)},
        )
    return found[0]
