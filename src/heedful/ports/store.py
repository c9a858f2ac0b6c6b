"""The store, as small roles. Each sentence here is a promise, and has a test in heedful.testing.store_contract.

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

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from heedful.claims.claim import Claim, ClaimStatus, Visibility
from heedful.kernel.ids import ClaimId, EventId, RecordId, Revision, RunId, TenantId, VerdictId
from heedful.kernel.ladder import Classification, Mode, Tier
from heedful.kernel.scope import Scope
from heedful.ledger.seal import Head, SealedEvent
from heedful.observations.record import AttributeValue, RecordStatus
from heedful.ports.rows import (
    AttributeFilter,
    Chain,
    ModeSetting,
    SearchFilter,
    SearchHit,
    SearchResult,
    SearchRow,
    StoredRecord,
    StoredVerdict,
    Tenant,
    Visible,
)

T = TypeVar("T")


class EventReader(Protocol):
    """Sealed events in order."""

    def head(self, chain: Chain) -> Head:
        """The stored head; position 0 and the zero digest where the chain is empty."""
        ...

    def events(self, chain: Chain, *, after: int = 0, limit: int | None = None) -> Iterator[SealedEvent]:
        """Events with a position above `after`, ascending."""
        ...

    def event_by_id(self, chain: Chain, event_id: EventId) -> SealedEvent | None:
        """The event of that id, or None."""
        ...

    def event(self, chain: Chain, position: int) -> SealedEvent | None:
        """The event there, or None."""
        ...


class ViewReader(Protocol):
    """What was folded from the ledger."""

    def checkpoint(self) -> int:
        """The ledger position up to which the views are folded; equals the head's outside of a refold."""
        ...

    def record(self, record_id: RecordId) -> StoredRecord | None:
        """The record, whatever its status and whoever asks: visibility is the service's to judge."""
        ...

    def records_by_ids(self, record_ids: Sequence[RecordId]) -> tuple[StoredRecord, ...]:
        """The records of these ids, as `record` gives each, in the order of the ids; those not there are left out."""
        ...

    def record_by_source(self, source_ref: str, scope: Scope, classification: Classification) -> StoredRecord | None:
        """The record of this very scope and classification under this source reference (by bytes), or None."""
        ...

    def records(
        self,
        visible: Visible,
        *,
        status: RecordStatus,
        run_id: RunId | None,
        attributes: Sequence[AttributeFilter],
        before: int | None,
        limit: int,
    ) -> tuple[StoredRecord, ...]:
        """Visible records, newest position first, below position `before`, filtered before `limit` cuts."""
        ...

    def scopes(self) -> tuple[Scope, ...]:
        """Every scope that a record or claim ever had, in order of key bytes."""
        ...

    def claim(self, claim_id: ClaimId) -> Claim | None:
        """The claim, whatever its status and whoever asks."""
        ...

    def claims(
        self,
        visible: Visible,
        *,
        statuses: Sequence[ClaimStatus],
        kinds: Sequence[str] | None,
        visibility: Visibility | None,
        tier_min: Tier,
        valid_at_us: int | None,
        limit: int,
    ) -> tuple[Claim, ...]:
        """Visible claims in ledger order. `kinds` None is any kind; each covers its dotted descendants."""
        ...

    def visible_position(self, visible: Visible) -> int:
        """How many visible search rows there are: what is not visible never moves it."""
        ...

    def claims_on(self, record_id: RecordId) -> tuple[Claim, ...]:
        """Every claim that rests on this record, in ledger order, whoever may see it."""
        ...

    def claims_due(self, at_us: int, *, limit: int) -> tuple[Claim, ...]:
        """Active claims whose validity ended at or before `at_us`, in ledger order."""
        ...

    def search(
        self, visible: Visible, terms: Sequence[str], search_filter: SearchFilter, *, limit: int
    ) -> SearchResult:
        """Rows that have at least one of `terms` (at most 32, any text: nothing in them is syntax)."""
        ...

    def modes(self) -> tuple[ModeSetting, ...]:
        """Modes that are set now, in order of target type and id."""
        ...

    def registry_body(self, revision: Revision) -> str | None:
        """The canonical JSON of that revision, or None where this tenant never saw it."""
        ...

    def registry_revisions(self) -> tuple[Revision, ...]:
        """Every revision that this tenant saw, the oldest first."""
        ...

    def verdict(self, verdict_id: VerdictId) -> StoredVerdict | None:
        """The verdict, or None."""
        ...

    def verdicts(self, *, limit: int) -> tuple[StoredVerdict, ...]:
        """The newest verdicts, newest first, whoever may see them."""
        ...

    def counts(self) -> dict[str, int]:
        """Rows by name: `records`, `records.pending`, `records.withdrawn`, `claims.<status>`, `verdicts`, `packets`."""
        ...

    def dump_views(self) -> Iterator[bytes]:
        """Every view row as canonical JSON, in a fixed order: equal dumps are equal views, byte for byte."""
        ...


class Reading(EventReader, ViewReader, Protocol):
    """One consistent moment of one tenant."""


class Writing(Reading, Protocol):
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

    def put_search_row(self, row: SearchRow, attributes: Sequence[tuple[str, AttributeValue]]) -> None:
        """The row is found by its tokens; one at the same position is replaced."""
        ...

    def delete_search_row(self, position: int) -> None:
        """The row at this position is not found any more; nothing where there is none."""
        ...

    def put_mode(self, target_type: str, target_id: str, mode: Mode | None) -> None:
        """The mode is set; None takes it away."""
        ...

    def put_registry_body(self, revision: Revision, body_json: str) -> None:
        """The body is kept under its revision; putting it again changes nothing."""
        ...

    def put_verdict(self, verdict: StoredVerdict) -> None:
        """The verdict is there as given."""
        ...

    def set_checkpoint(self, position: int) -> None:
        """The views are folded up to `position`."""
        ...

    def clear_views(self) -> None:
        """Every view is empty and the checkpoint 0; the ledger stays."""
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
            UnavailableError: `store_unavailable`, `store_closed`.
        """
        ...

    def write(self, work: Callable[[Writing], T]) -> T:
        """What `work` returned, after its changes are durable.

        `work` may be run again from the start where the commit has to be repeated, so it has no other effects.
        What it raises is raised here, and nothing of it is kept. Several calls may share one commit.

        Raises:
            BusyError: `store_busy` where the write lock was not to be had within `lock_wait_seconds`.
            UnavailableError: `store_unavailable` (disk full, I/O error), `store_read_only` after a failed commit,
                `store_closed`.
        """
        ...


class Store(Protocol):
    """All tenants of one store."""

    def create_tenant(self, tenant: Tenant) -> None:
        """The tenant exists, with an empty ledger.

        Raises:
            ConflictError: `tenant_taken` where its name or id is in use.
        """
        ...

    def tenants(self) -> tuple[Tenant, ...]:
        """Every tenant, in order of name bytes."""
        ...

    def tenant_store(self, tenant_id: TenantId) -> TenantStore:
        """That tenant's store, migrated; the same handle at every call.

        Raises:
            NotFoundError: `tenant_not_found`.
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
    "EventReader",
    "ModeSetting",
    "Reading",
    "SearchFilter",
    "SearchHit",
    "SearchResult",
    "SearchRow",
    "Store",
    "StoredRecord",
    "StoredVerdict",
    "Tenant",
    "TenantStore",
    "ViewReader",
    "Visible",
    "Writing",
]
