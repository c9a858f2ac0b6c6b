"""Export: one tenant's ledger, access chain and contents in a file that any store can import."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from heedful.kernel.digest import keyed_name
from heedful.kernel.errors import FaultError, ForbiddenError, UnavailableError
from heedful.kernel.ids import Revision, TenantId
from heedful.kernel.ladder import Classification
from heedful.ledger.bundle import write_bundle
from heedful.ledger.bundle_lines import EventLine, Trailer, header_of
from heedful.ledger.seal import Head
from heedful.observations.record import BlobRef
from heedful.policy.decide import principal_policy
from heedful.policy.model import TENANT_WIDE
from heedful.ports.bundles import BundleTarget
from heedful.ports.store import Chain, Reading
from heedful.service.erasure.stages import clean_now
from heedful.service.session import Session
from heedful.service.tenant import key_check


@dataclass(frozen=True, slots=True)
class Exported:
    """What the file holds.

    Attributes:
        ledger, access: where the chains end in it.
        blobs: contents that it holds from the blob store.
        sha256: of every byte before its last line; the last line says it too.
        key_place: where the tenant's key lies, which is not in the file; None where it has none yet.
    """

    file: str
    size_bytes: int
    tenant_id: TenantId
    tenant: str
    ledger: Head
    access: Head
    blobs: int
    sha256: str
    registry_revision: Revision
    key_place: str | None


def total(session: Session) -> int:
    """A number that `progress` of an export comes to, about: what waits in the access journal is sealed with it."""
    with session.store.read() as reading:
        return reading.head(Chain.LEDGER).position + reading.head(Chain.ACCESS).position


def export_ledger(session: Session, target: BundleTarget, progress: Callable[[int], None]) -> Exported:
    """What was written, all of one moment; others may go on writing meanwhile.

    Nothing is in it of what was erased: where an erasure waits for the job, its packets and verdicts go first.

    `progress` is told the events done, of both chains together.

    Raises:
        ForbiddenError: `principal_may_not`: it is for an owner or auditor who may see everything, and no agent's.
        ConflictError: `bundle_exists`.
        FaultError: `ledger_broken`, `blob_changed`: what does not hold is not handed on.
        NotFoundError: `blob_not_found`.
        UnavailableError: `bundle_unavailable`, `keys_missing`, or the store's.
    """
    session.require("export_ledger")
    require_whole_sight(session)
    return write_ledger(session, target, progress)


def write_ledger(session: Session, target: BundleTarget, progress: Callable[[int], None]) -> Exported:
    """As export_ledger, for whoever restores a store: nobody is asked whether they may."""
    clean_now(session)
    with session.store.read() as reading:
        return _export(session, reading, target, progress)


def _export(session: Session, reading: Reading, target: BundleTarget, progress: Callable[[int], None]) -> Exported:
    tenant = session.store.tenant
    key = session.keys.known_key(tenant.tenant_id)
    header = header_of(
        tenant_id=tenant.tenant_id,
        name=tenant.name,
        created_at_us=tenant.created_at_us,
        ledger=reading.head(Chain.LEDGER),
        access=reading.head(Chain.ACCESS),
        registry_revision=session.registry.revision,
        key_check=None if key is None else key_check(key),
    )
    trailers: list[Trailer] = []

    def lines() -> Iterator[bytes]:
        done = 0
        ledger, access = reading.events(Chain.LEDGER), reading.events(Chain.ACCESS)
        for encoded, line in write_bundle(header, ledger, access, lambda blob: _content(session, key, blob)):
            yield encoded
            if isinstance(line, EventLine):
                done += 1
                progress(done)
            elif isinstance(line, Trailer):
                trailers.append(line)

    size_bytes = target.write(lines())
    (trailer,) = trailers
    return Exported(
        file=target.name,
        size_bytes=size_bytes,
        tenant_id=tenant.tenant_id,
        tenant=tenant.name,
        ledger=header.ledger,
        access=header.access,
        blobs=trailer.blobs,
        sha256=trailer.sha256,
        registry_revision=session.registry.revision,
        key_place=None if key is None else session.keys.place(tenant.tenant_id),
    )


def require_whole_sight(session: Session) -> None:
    """Nothing, where the principal may see everything of the tenant.

    Raises:
        ForbiddenError: `principal_may_not`.
    """
    known = principal_policy(session.registry.policy, session.principal)
    is_cleared = known is not None and known.clearance is Classification.RESTRICTED and not known.denied_kinds
    if is_cleared and known is not None and TENANT_WIDE in known.grants:
        return
    raise ForbiddenError(
        "principal_may_not",
        f"{session.principal} may not export the ledger: it holds everything, and they may not see everything",
        next_step='somebody with the grant "*", the clearance `restricted` and no denied kinds does it',
        details={"principal": session.principal, "verb": "export_ledger"},
    )


def _content(session: Session, key: bytes | None, blob: BlobRef) -> bytes:
    tenant_id = session.store.tenant.tenant_id
    if key is None:
        raise UnavailableError(
            "keys_missing",
            "contents of this tenant are named under its key, and the key is not there",
            next_step=f"restore {session.keys.place(tenant_id)} from its backup",
        )
    content = session.blobs.get(tenant_id, blob.name)
    if keyed_name(key, content) != blob.name:
        raise FaultError(
            "blob_changed",
            "a content in the blob store is not what was put there; `heedful verify` names its record",
            next_step="restore the store's blobs from a backup",
        )
    return content
