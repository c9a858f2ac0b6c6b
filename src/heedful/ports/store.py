"""The store, as small roles. Each sentence here is a promise, and has a test in heedful.testing.store_contract.

`store_read_only` and `commit_unknown` alone are tested beside the adapter that can fail so: the contract says where.

Guaranteed by every adapter:
  - acknowledged means durable: `write` returns after the commit is on disk;
  - all or none: what one `work` did is there whole, or not at all;
  - positions of a chain are 1, 2, 3, ... without gaps, and a reader that sees n has seen all before it,
    with any number of writers in any number of processes;
  - a `read` sees one moment: nothing that commits during it;
  - a tenant's rows are seen through that tenant's handle only;
  - identifiers compare by bytes; text and bytes come back as they went in.
Not guaranteed: that two writes commit in the order in which they were called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from heedful.claims.claim import Claim
from heedful.claims.conflict import Conflict
from heedful.claims.merge import Merge
from heedful.kernel.ids import ClaimId, PrincipalId, Revision, TenantId
from heedful.kernel.ladder import Mode
from heedful.ledger.seal import SealedEvent
from heedful.observations.record import AttributeValue
from heedful.ports.chains import ChainReader
from heedful.ports.changes import ChangeReader
from heedful.ports.erasure import ErasureReader, ErasureWriter, Scrubbed
from heedful.ports.merging import MergeReader
from heedful.ports.reading import EventReader, ViewReader
from heedful.ports.rows import (
    AttributeFilter,
    Chain,
    DropKey,
    DropPoint,
    FormCount,
    ModeSetting,
    NearHit,
    Over,
    SearchFilter,
    SearchHit,
    SearchResult,
    SearchRow,
    StoredJob,
    StoredPermit,
    StoredProposal,
    StoredRecord,
    StoredVerdict,
    Tenant,
    VectorModel,
    VectorRow,
    Visible,
)
from heedful.ports.tombstones import Burying
from heedful.ports.upkeep import UpkeepReader

T = TypeVar("T")


class Reading(EventReader, ChainReader, ViewReader, ChangeReader, MergeReader, UpkeepReader, ErasureReader, Protocol):
    """One consistent moment of one tenant."""


class Writing(Reading, ErasureWriter, Protocol):
    """One transaction of one tenant; it sees what it wrote itself."""

    def append(self, chain: Chain, sealed: SealedEvent) -> None:
        """The event becomes the chain's head.

        Raises:
            ConflictError: `position_taken` where its position is not head + 1 or its prev_digest not the head's.
        """
        ...

    def put_record(self, stored: StoredRecord) -> None:
        """The record is there as given; one with the same id is replaced.

        Raises:
            ConflictError: `source_ref_taken` where another record of its scope and classification has its reference.
        """
        ...

    def put_claim(self, claim: Claim) -> None:
        """The claim is there as given; one with the same id is replaced. Its ledger order is `claim.position`."""
        ...

    def put_conflict(self, conflict: Conflict) -> None:
        """The conflict is there as given; one with the same id is replaced."""
        ...

    def put_merge(self, merge: Merge) -> None:
        """The merge is there as given; one with the same id is replaced."""
        ...

    def put_claim_change(self, position: int, claim_id: ClaimId, by: ClaimId | None) -> None:
        """The ledger event at this position put the claim right, by the claim `by`; another at it is replaced."""
        ...

    def put_job(self, job: StoredJob) -> None:
        """The job is there as given; one of the same name is replaced. `clear_views` leaves it."""
        ...

    def put_search_row(self, row: SearchRow, attributes: Sequence[tuple[str, AttributeValue]]) -> None:
        """The row is found by its tokens; one at the same position is replaced."""
        ...

    def delete_search_row(self, position: int) -> None:
        """The row at this position is not found any more; nothing where there is none."""
        ...

    def put_vectors(self, model: str, rows: Sequence[VectorRow]) -> None:
        """The rows have these vectors of this model, in place of earlier ones; where no search row is, nothing.

        A vector goes with its search row: one that is deleted or replaced leaves none.
        """
        ...

    def set_vector_model(self, model: str | None) -> None:
        """Searches go by this model from now on (it is known even if it has no vectors yet); None: by none."""
        ...

    def drop_vectors(self, model: str, *, limit: int) -> int:
        """How many vectors of this model went, at most `limit`; with the last of them the model is unknown."""
        ...

    def put_mode(self, target_type: str, target_id: str, mode: Mode | None) -> None:
        """The mode is set; None takes it away."""
        ...

    def put_bridge_approval(self, bridge_digest: str, actor: PrincipalId) -> None:
        """That person approved the bridge of that digest; putting it again changes nothing."""
        ...

    def put_bridge_proposal(self, proposal: StoredProposal) -> None:
        """The proposal is there as given; one with the same id is replaced."""
        ...

    def put_registry_body(self, revision: Revision, body_json: str) -> None:
        """The body is kept under its revision; putting it again changes nothing."""
        ...

    def put_verdict(self, verdict: StoredVerdict) -> None:
        """The verdict is there as given."""
        ...

    def put_permit(self, permit: StoredPermit) -> None:
        """The permit is there as given; one with the same id is replaced."""
        ...

    def set_checkpoint(self, position: int) -> None:
        """The views are folded up to `position`."""
        ...

    def clear_views(self) -> None:
        """Every view is empty, no vector or model is left, and the checkpoint is 0; the ledger stays."""
        ...

    def drop_view_rows(self, start: DropPoint | None, *, limit: int) -> DropPoint | None:
        """Where the next piece goes on, after at most `limit` rows of the views went (at least 1); None: none is left.

        So that `clear_views`, which is to follow, finds little to do. `start` None begins at the first row. The models
        of vectors, modes and registry bodies are few and stay until then, as does the checkpoint. From the first piece
        on until `clear_views` nothing is promised of what is read from the views, or put into them.
        """
        ...


class TenantStore(Protocol):
    """One tenant's store; may be used from several threads."""

    @property
    def tenant(self) -> Tenant:
        """Whose it is."""
        ...

    def read(self) -> AbstractContextManager[Reading]:
        """A moment to read from.

        Raises:
            ConflictError: `tenant_erased`.
            UnavailableError: `store_unavailable`, `store_closed`.
        """
        ...

    def write(self, work: Callable[[Writing], T]) -> T:
        """What `work` returned, after its changes are durable.

        `work` may be run again from the start where the commit has to be repeated, so it has no other effects.
        What it raises is raised here, and nothing of it is kept. Several calls may share one commit.

        Raises:
            ConflictError: `tenant_erased`.
            BusyError: `store_busy` where the write lock was not to be had within `lock_wait_seconds`, too many wait
                already, or a database was too busy in another way, which the message says; `retry_after_seconds` in
                its details says when to come back.
            UnavailableError: `store_unavailable` (disk full, I/O error), `store_read_only` after a failed commit,
                `commit_unknown` where a database never answered (all of it is there, or nothing), `store_closed`.
        """
        ...

    def scrub_indexes(self) -> Scrubbed:
        """After it nothing of deleted rows is found by any index, nor kept in this process's memory.

        Raises:
            BusyError, UnavailableError: see `write`; it can be done again.
        """
        ...

    def scrub_storage(self) -> Scrubbed:
        """After it no byte of deleted rows and payloads is left in the tenant's files, as far as the store can do that.

        What it could not do is said in the answer. Others may read and write meanwhile, and may have to wait.

        Raises:
            BusyError, UnavailableError: see `write`; it can be done again.
        """
        ...


class Store(Burying, Protocol):
    """All tenants of one store."""

    def create_tenant(self, tenant: Tenant, *, anew: bool = False) -> None:
        """The tenant exists, with an empty ledger. `anew`: also where one of its name was erased.

        Raises:
            ConflictError: `tenant_taken` where its name or id is in use; `tenant_erased` where its id was an erased
                tenant's, or its name, unless `anew`.
        """
        ...

    def rename_tenant(self, tenant_id: TenantId, name: str) -> None:
        """The tenant has this name from now on, durably; handles that were made before go on showing the old one.

        Raises:
            ConflictError: `tenant_taken` where another has the name; `tenant_erased` where an erased one had it.
            NotFoundError: `tenant_not_found`.
        """
        ...

    def tenants(self) -> tuple[Tenant, ...]:
        """Every tenant, in order of name bytes."""
        ...

    def tenant_store(self, tenant_id: TenantId) -> TenantStore:
        """That tenant's store, migrated; the same handle at every call.

        Raises:
            NotFoundError: `tenant_not_found`.
            ConflictError: `tenant_erased`.
            UnsupportedError: `schema_newer` where a newer release wrote it.
            UnavailableError: `store_unavailable`.
        """
        ...

    def close(self) -> None:
        """Everything acknowledged is on disk, and no file is open. Calls after this raise `store_closed`."""
        ...


__all__ = [
    "AttributeFilter",
    "Chain",
    "DropKey",
    "DropPoint",
    "EventReader",
    "FormCount",
    "ModeSetting",
    "NearHit",
    "Over",
    "Reading",
    "SearchFilter",
    "SearchHit",
    "SearchResult",
    "SearchRow",
    "Store",
    "StoredJob",
    "StoredPermit",
    "StoredProposal",
    "StoredRecord",
    "StoredVerdict",
    "Tenant",
    "TenantStore",
    "VectorModel",
    "VectorRow",
    "ViewReader",
    "Visible",
    "Writing",
]
