"""Tags: by what is known that something that was erased comes again; none is guessed back without the tenant's key."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.digest import keyed_name
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.observations.record import Record
from heedful.ports.store import Reading
from heedful.service.session import Session

_SOURCE = "source:"


def source_tags(session: Session, records: Sequence[Record]) -> tuple[str, ...]:
    """The tags of where these records came from; none for one without a source reference."""
    return tuple(
        sorted(
            _tag(session, each.source_ref, each.scope, each.classification)
            for each in records
            if each.source_ref is not None
        )
    )


def was_erased(
    session: Session, reading: Reading, source_ref: str, scope: Scope, classification: Classification
) -> bool:
    """True where what had come from there was erased, as far as the session may know what was there.

    Who is not cleared for it, or is denied a kind, might not have known that it was there: they are told nothing.
    """
    if session.denied_kinds or not session.clearance.at_least(classification):
        return False
    tag = _tag(session, source_ref, scope, classification)
    return bool(reading.erased_among((tag,)))


def _tag(session: Session, source_ref: str, scope: Scope, classification: Classification) -> str:
    key = session.keys.tenant_key(session.store.tenant.tenant_id)
    place = canonical_bytes([source_ref, scope.key, str(classification)])
    return _SOURCE + keyed_name(key, b"erased source\x00" + place)
