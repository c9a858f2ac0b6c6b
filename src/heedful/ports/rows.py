"""What the store's roles take and give: plain values, the same for every adapter."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

from heedful.claims.claim import Form
from heedful.kernel.frozen import quickly_made
from heedful.kernel.ids import PermitId, ProposalId, TenantId, VerdictId
from heedful.kernel.ladder import Classification, Mode
from heedful.kernel.scope import Scope
from heedful.observations.record import AttributeValue, Record, RecordStatus


class Chain(StrEnum):
    """A tenant has two chains: the ledger, and the access chain (who was handed what)."""

    LEDGER = "ledger"
    ACCESS = "access"


@dataclass(frozen=True, slots=True)
class Tenant:
    """A hard wall, by id; the name is for people and lies outside the chain."""

    tenant_id: TenantId
    name: str
    created_at_us: int


@quickly_made
@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record with where it stands. `position` is that of the event that brought it."""

    record: Record
    status: RecordStatus
    position: int
    recorded_at_us: int
    status_reason: str

    @property
    def is_evidence(self) -> bool:
        """True where claims may rest on the record now."""
        return self.status is RecordStatus.ADMITTED

    @property
    def is_withdrawn(self) -> bool:
        """True where it is evidence no more: somebody took it back, or had it erased and a hold keeps it."""
        return self.status in (RecordStatus.WITHDRAWN, RecordStatus.HELD)


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """A verdict as it was given. `verdict_json` is canonical."""

    verdict_id: VerdictId
    position: int
    verdict_json: str


@dataclass(frozen=True, slots=True)
class StoredPermit:
    """A permit that was issued, without its token.

    Attributes:
        position: of the event that issued it.
        circumstances_json: what its verdict rested on, canonical.
        redeemed_position: of the event that used it; None: nobody has.
    """

    permit_id: PermitId
    position: int
    verdict_id: VerdictId
    expires_at_us: int
    circumstances_json: str
    redeemed_position: int | None


@dataclass(frozen=True, slots=True)
class StoredJob:
    """What is known of a background job; it is no view, and no event tells of it.

    Attributes:
        name: of the job.
        holder: who runs it; None: nobody.
        lease_until_us: until when nobody else may.
        due_at_us: when it is to run next.
        finished_at_us: when it last ran to its end; None: it never did.
        progress: where a run that was interrupted goes on; empty: at the start.
        report_json: what its last run moved and why, canonical; None: it never ran.
    """

    name: str
    holder: str | None
    lease_until_us: int
    due_at_us: int
    finished_at_us: int | None
    progress: str
    report_json: str | None


@dataclass(frozen=True, slots=True)
class StoredProposal:
    """A proposed bridge or workflow with what became of it: `waiting`, `approved`, `rejected`. JSON is canonical."""

    proposal_id: ProposalId
    position: int
    status: str
    proposal_json: str


@dataclass(frozen=True, slots=True)
class ModeSetting:
    """A mode that was set at run time."""

    target_type: str
    target_id: str
    mode: Mode


@dataclass(frozen=True, slots=True)
class Visible:
    """What a requester may see; the storage query filters by it before anything is counted or ordered.

    Attributes:
        scopes: whole scopes: a row is seen only if its scope is one of these.
        clearance: rows up to this classification.
        denied_kinds: a claim of one of these kinds, or of a dotted descendant, is not seen; nor is a record on which
            such a claim rests, whatever its status; nor another claim that rests on such a record.
    """

    scopes: tuple[Scope, ...]
    clearance: Classification
    denied_kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AttributeFilter:
    """Equality (`values` has one) or membership. A number equals a number, never a text or a boolean."""

    name: str
    values: tuple[AttributeValue, ...]


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """What the search rows must be, besides visible.

    Attributes:
        item: `record`, `claim` or None for both.
        record_types: empty: any.
        attributes: all must hold; claims have none, so a non-empty filter leaves records only.
        valid_at_us: claims must hold at this instant; None: at any.
        unreviewed: False: claims must be active.
    """

    item: Literal["record", "claim"] | None
    record_types: tuple[str, ...]
    attributes: tuple[AttributeFilter, ...]
    valid_at_us: int | None
    unreviewed: bool


class FormCount(NamedTuple):
    """How many claims of a form are in a scope."""

    form: Form
    scope: Scope
    claims: int


@dataclass(frozen=True, slots=True)
class Over:
    """Claims that are left out: of these very kinds, where their validity ended at or before the instant."""

    kinds: tuple[str, ...]
    at_us: int


@quickly_made
@dataclass(frozen=True, slots=True)
class SearchRow:
    """One searchable item, by the position of the event that brought it.

    Attributes:
        tokens: the words to find it by, already cut (CJK bigrams included), in order.
    """

    position: int
    item: Literal["record", "claim"]
    item_id: str
    scope: Scope
    classification: Classification
    record_type: str
    unreviewed: bool
    valid_from_us: int | None
    valid_to_us: int | None
    tokens: tuple[str, ...]


class SearchHit(NamedTuple):  # there are thousands of them, and a dataclass takes three times as long to make
    """A visible row that has at least one of the terms.

    Attributes:
        terms: the terms that it has.
        token_count: how many tokens the row has.
    """

    position: int
    item: Literal["record", "claim"]
    item_id: str
    terms: tuple[str, ...]
    token_count: int


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits in falling position order, and what ranking needs, all counted over visible rows alone.

    Attributes:
        hits: at most `limit`: those whose terms weigh most (recall.score.term_weights), of equal ones the newest.
        visible_count: visible rows that pass the filter.
        term_counts: term -> how many of those have it.
    """

    hits: tuple[SearchHit, ...]
    visible_count: int
    term_counts: dict[str, int]


@quickly_made
@dataclass(frozen=True, slots=True)
class VectorRow:
    """The vector of a search row under one model.

    Attributes:
        components: one signed byte for each dimension (kernel.vectors), so that a sum of products is exact everywhere.
    """

    position: int
    components: bytes


class NearHit(NamedTuple):
    """A visible row near a query vector.

    Attributes:
        similarity: cosine, -1 to 1: kernel.vectors.cosine of the whole-number product, so equal on every engine.
    """

    position: int
    item: Literal["record", "claim"]
    item_id: str
    token_count: int
    similarity: float


@dataclass(frozen=True, slots=True)
class VectorModel:
    """A model whose vectors the tenant keeps.

    Attributes:
        model: its identity: name, version and dimensions, as `ngrams-1/384`.
        is_active: the one that answers searches; at most one is.
    """

    model: str
    is_active: bool


DropKey = tuple[int | str | bytes, ...]
"""The key of a row in a table of an adapter."""


@dataclass(frozen=True, slots=True)
class DropPoint:
    """How far the views are dropped. It serves one run of dropping: after another has folded, it is of no use.

    Attributes:
        table: how many of the adapter's tables are done.
        after: the last key that went in the table that it is at; empty: it goes on at that table's first row.
        dropped: rows that went in that table.
        share: of all that there is to drop, from 0 up to 1, roughly: for progress alone.
    """

    table: int
    after: DropKey
    dropped: int
    share: float
