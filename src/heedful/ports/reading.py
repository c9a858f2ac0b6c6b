"""What can be read of a tenant at one moment. Each sentence is a promise; see ports.store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from heedful.claims.claim import Claim, ClaimStatus, Visibility
from heedful.claims.conflict import Conflict
from heedful.kernel.ids import (
    ClaimId,
    ConflictId,
    EventId,
    PermitId,
    PrincipalId,
    ProposalId,
    RecordId,
    Revision,
    RunId,
    VerdictId,
)
from heedful.kernel.ladder import Classification, Tier
from heedful.kernel.scope import Scope
from heedful.ledger.seal import Head, SealedEvent
from heedful.observations.record import RecordStatus
from heedful.ports.rows import (
    AttributeFilter,
    Chain,
    FormCount,
    ModeSetting,
    NearHit,
    Over,
    SearchFilter,
    SearchResult,
    SearchRow,
    StoredJob,
    StoredPermit,
    StoredProposal,
    StoredRecord,
    StoredVerdict,
    VectorModel,
    Visible,
)


class EventReader(Protocol):
    """Sealed events in order."""

    def head(self, chain: Chain) -> Head:
        """The stored head; position 0 and the zero digest where the chain is empty."""
        ...

    def events(self, chain: Chain, *, after: int = 0, limit: int | None = None) -> Iterator[SealedEvent]:
        """Events with a position above `after`, ascending."""
        ...

    def events_of(self, event_type: str, *, after: int = 0, holding: str = "") -> Iterator[SealedEvent]:
        """Events of the ledger of that very type with a position above `after`, ascending, to where it ends.

        With `holding`, those alone whose payload has this text, compared by bytes.
        """
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
        """The record of this very scope and classification under this source reference (by bytes), or None.

        Here and in every list of what is visible, nothing is found that is `held`: it is read by its id.
        """
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
        """Every scope that a record, claim or merge ever had, in order of key bytes."""
        ...

    def claim(self, claim_id: ClaimId) -> Claim | None:
        """The claim, whatever its status and whoever asks."""
        ...

    def claims_by_ids(self, claim_ids: Sequence[ClaimId]) -> tuple[Claim, ...]:
        """The claims of these ids, as `claim` gives each, in the order of the ids; those not there are left out."""
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
        newest_first: bool = False,
        unless_over: Over | None = None,
    ) -> tuple[Claim, ...]:
        """Visible claims in ledger order, or the newest position first; filtered before `limit` cuts.

        `kinds` None is any kind; each covers its dotted descendants.
        """
        ...

    def claims_about(
        self, visible: Visible, subject: str, *, limit: int, before: int | None = None
    ) -> tuple[Claim, ...]:
        """Visible claims about this very subject (by bytes), whatever their status, the newest position first.

        `before`: of those below that position; None: of all.
        """
        ...

    def visible_position(self, visible: Visible) -> int:
        """How many visible search rows there are: what is not visible never moves it."""
        ...

    def claims_on(self, record_id: RecordId) -> tuple[Claim, ...]:
        """Every claim that rests on this record, in ledger order, whoever may see it."""
        ...

    def claims_on_any(self, record_ids: Sequence[RecordId]) -> tuple[Claim, ...]:
        """Every claim that rests on one of these records, each once, in ledger order, whoever may see it."""
        ...

    def kinds_on(self, record_ids: Sequence[RecordId]) -> dict[RecordId, frozenset[str]]:
        """Record -> the kinds of every claim that rests on it, whoever may see it; else none is there."""
        ...

    def claims_alike(
        self,
        scope: Scope,
        classification: Classification,
        subject: str,
        property_name: str,
        *,
        statuses: Sequence[ClaimStatus],
        limit: int,
    ) -> tuple[Claim, ...]:
        """Claims of this very scope, classification, subject and property, the newest position first."""
        ...

    def claims_resting_on(self, claim_id: ClaimId) -> tuple[Claim, ...]:
        """Every claim that says that it rests on this one, in ledger order, whoever may see it."""
        ...

    def claims_resting_on_any(self, claim_ids: Sequence[ClaimId]) -> tuple[Claim, ...]:
        """Every claim that says that it rests on one of these, each once, in ledger order, whoever may see it."""
        ...

    def claims_beside(self, visible: Visible, claim_ids: Sequence[ClaimId], *, limit: int) -> tuple[Claim, ...]:
        """Visible claims of the scope, classification, subject and property of one of these, whatever their status.

        These themselves among them, each once, the newest position first.
        """
        ...

    def records_from(self, record_id: RecordId) -> tuple[StoredRecord, ...]:
        """Every record that was made from this one, in ledger order, whoever may see it."""
        ...

    def conflict(self, conflict_id: ConflictId) -> Conflict | None:
        """The conflict, or None."""
        ...

    def conflicts(self, *, only_open: bool, before: int | None, limit: int) -> tuple[Conflict, ...]:
        """Conflicts of all, the newest position first, below position `before`, whoever may see them."""
        ...

    def conflicts_of(self, claim_ids: Sequence[ClaimId], *, only_open: bool) -> tuple[Conflict, ...]:
        """The conflicts that any of these claims is in, in ledger order, whoever may see them."""
        ...

    def job(self, name: str) -> StoredJob | None:
        """The job, or None where it never was put."""
        ...

    def jobs(self) -> tuple[StoredJob, ...]:
        """All of them, in order of name bytes."""
        ...

    def claims_due(self, at_us: int, *, limit: int) -> tuple[Claim, ...]:
        """Active claims whose validity ended at or before `at_us`, in ledger order."""
        ...

    def search(
        self, visible: Visible, terms: Sequence[str], search_filter: SearchFilter, *, limit: int
    ) -> SearchResult:
        """Rows that have at least one of `terms` (at most 32, any text: nothing in them is syntax)."""
        ...

    def nearest(
        self, visible: Visible, model: str, components: bytes, search_filter: SearchFilter, *, limit: int
    ) -> tuple[NearHit, ...]:
        """The visible rows with a vector of this model, nearest first, of equal ones the newest; at most `limit`.

        Exact: every visible row that passes the filter is compared. Rows whose vector has other dimensions are not.
        """
        ...

    def vector_models(self) -> tuple[VectorModel, ...]:
        """The models that this tenant has, in order of identity bytes."""
        ...

    def without_vector(self, model: str, *, after: int, limit: int) -> tuple[SearchRow, ...]:
        """Search rows above position `after` that have no vector of this model, ascending; their `tokens` are empty."""
        ...

    def modes(self) -> tuple[ModeSetting, ...]:
        """Modes that are set now, in order of target type and id."""
        ...

    def bridge_approvals(self) -> tuple[tuple[str, PrincipalId], ...]:
        """(digest of a bridge, who approved it), in order of the bytes of both."""
        ...

    def bridge_proposal(self, proposal_id: ProposalId) -> StoredProposal | None:
        """The proposal, or None."""
        ...

    def bridge_proposals(
        self, status: str, *, limit: int, newest_first: bool = False, holding: str = ""
    ) -> tuple[StoredProposal, ...]:
        """The proposals of that status whose JSON has the text `holding`, in ledger order or the newest first.

        Whoever may see them. The text is compared by bytes; the empty one is in all of them.
        """
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

    def permit(self, permit_id: PermitId) -> StoredPermit | None:
        """The permit, used or not, or None."""
        ...

    def counts(self) -> dict[str, int]:
        """Rows by name: `records`, `records.pending`, `records.withdrawn`, `claims.<status>`, `verdicts`, `packets`."""
        ...

    def forms_held(self) -> tuple[FormCount, ...]:
        """How many claims wait or are active, of each form in each scope, in order of scope key and form bytes."""
        ...

    def records_of_newest_run(self) -> int:
        """How many records are evidence of the run that the newest record is of; 0 where that one is of none."""
        ...

    def dump_views(self) -> Iterator[bytes]:
        """Every view row as canonical JSON, in a fixed order: equal dumps are equal views, byte for byte."""
        ...
