"""Erasure: what is read and taken where something is to be forgotten. Each sentence is a promise; see ports.store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from heedful.claims.claim import Claim
from heedful.kernel.ids import (
    ClaimId,
    ConflictId,
    ErasureId,
    HoldId,
    MergeId,
    PrincipalId,
    ProposalId,
    RecordId,
    VerdictId,
)
from heedful.kernel.scope import Scope
from heedful.ports.rows import Chain, StoredRecord

BACKUP_KEEP_DAYS = 30.0
"""How long backups are kept where nothing else is set."""
Stage = Literal["logical", "indexes", "scrubbed"]


@dataclass(frozen=True, slots=True)
class Reached:
    """A stage that an erasure came to.

    Attributes:
        position: of the ledger event that says so.
        at_us: UTC microseconds.
    """

    stage: Stage
    position: int
    at_us: int


@dataclass(frozen=True, slots=True)
class StoredErasure:
    """An erasure and how far it came; nothing of what it took.

    Attributes:
        position: of the first event of it.
        actor: who had it done.
        because, by: categories.
        reached: the stages in order.
        records, claims, others: how many items went; others are conflicts, proposals, merges and verdicts.
        events: how many payloads went, of both chains.
        held_ids: records that are hidden and kept, as somebody holds them.
        could_not: what the store was not let do when it scrubbed.
        backups_expire_at_us: UTC microseconds; None before it was scrubbed.
    """

    erasure_id: ErasureId
    position: int
    actor: PrincipalId
    because: str
    by: str
    requested_at_us: int
    reached: tuple[Reached, ...]
    records: int
    claims: int
    others: int
    events: int
    held_ids: tuple[RecordId, ...]
    could_not: tuple[str, ...] = ()
    backups_expire_at_us: int | None = None

    @property
    def stage(self) -> Stage:
        """The last stage that it reached since it took something for the last time."""
        return self.reached[-1].stage

    @property
    def is_open(self) -> bool:
        """True where something is left to be done, now or when a hold is released."""
        return bool(self.held_ids) or self.stage != "scrubbed"


@dataclass(frozen=True, slots=True)
class StoredHold:
    """A hold that is in force: what is selected `by` one of these names is kept.

    Attributes:
        position: of the event that placed it.
        because: a category.
        by: `record`, `subject`, `scope`, `principal` or `tenant`.
        names: ids, subjects, elements of a scope (all of them) or principals.
    """

    hold_id: HoldId
    position: int
    actor: PrincipalId
    because: str
    by: str
    names: tuple[str, ...]
    placed_at_us: int


class NamedItem(NamedTuple):
    """An item that goes by a name; `position` is that of the event that brought it."""

    position: int
    item_id: str


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """What a store did so that nothing that was deleted is left in its files.

    Attributes:
        could_not: what it was not let do, or what nobody but the operator can: sentences for people.
    """

    could_not: tuple[str, ...] = ()


class ErasureReader(Protocol):
    """What the closure of an erasure is found by, whoever may see it."""

    def erasure(self, erasure_id: ErasureId) -> StoredErasure | None:
        """The erasure, or None."""
        ...

    def erasures(self, *, only_open: bool, limit: int) -> tuple[StoredErasure, ...]:
        """Erasures in ledger order; with `only_open` those of which something is left to be done."""
        ...

    def erased_among(self, keys: Sequence[str]) -> dict[str, ErasureId]:
        """Those of the keys (ids of items, tags of sources) that an erasure took, and which; quick where none did.

        Keys of consents that are withdrawn are among them, with the id of the withdrawal.
        """
        ...

    def any_erased(self) -> bool:
        """True where an erasure ever took something."""
        ...

    def holds(self) -> tuple[StoredHold, ...]:
        """Every hold in force, in ledger order."""
        ...

    def items_named(self, name: str, *, after: int, limit: int) -> tuple[NamedItem, ...]:
        """Items above position `after` that go by this name (by bytes), ascending.

        Records go by `principal:` and who brought them, `subject:` and each entity that they are about, `blob:` and the
        name of their content in the blob store; claims about an entity's relation (`user:ana/daughter`) by `about:` and
        that entity. An entity `a/b` goes by `a` too.
        """
        ...

    def records_due(self, at_us: int, *, limit: int) -> tuple[StoredRecord, ...]:
        """Records whose days (`retain_days`, from when they were recorded) have ended by then, the first to end first.

        Whatever their status, but for those that were erased and that a hold keeps.
        """
        ...

    def records_in(self, scopes: Sequence[Scope], *, after: int, limit: int) -> tuple[StoredRecord, ...]:
        """Records of these very scopes above position `after`, ascending, whatever their status."""
        ...

    def claims_in(self, scopes: Sequence[Scope], *, after: int, limit: int) -> tuple[Claim, ...]:
        """Claims of these very scopes above position `after`, ascending, whatever their status."""
        ...

    def claims_of_subject(self, subject: str, *, after: int, limit: int) -> tuple[Claim, ...]:
        """Claims about this very subject above position `after`, ascending, whatever their status."""
        ...

    def records_from_any(self, record_ids: Sequence[RecordId]) -> tuple[StoredRecord, ...]:
        """Every record that was made from one of these, each once, in ledger order."""
        ...


class ErasureWriter(Protocol):
    """What takes something away for good. What is not there is passed over."""

    def put_erasure(self, erasure: StoredErasure) -> None:
        """The erasure is there as given; one of the same id is replaced."""
        ...

    def put_erased(self, erasure_id: ErasureId, keys: Sequence[str]) -> None:
        """The keys are known as erased from now on."""
        ...

    def delete_erased(self, keys: Sequence[str]) -> None:
        """The keys are known as erased no more."""
        ...

    def put_hold(self, hold: StoredHold) -> None:
        """The hold is in force."""
        ...

    def delete_hold(self, hold_id: HoldId) -> None:
        """The hold is in force no more."""
        ...

    def delete_records(self, record_ids: Sequence[RecordId]) -> None:
        """The records are gone, with their attributes, names, origins, search rows and vectors."""
        ...

    def delete_claims(self, claim_ids: Sequence[ClaimId]) -> None:
        """The claims are gone, with what they rest on, their search rows and vectors."""
        ...

    def delete_conflicts(self, conflict_ids: Sequence[ConflictId]) -> None:
        """The conflicts are gone; nothing of what their claims count changes."""
        ...

    def delete_proposals(self, proposal_ids: Sequence[ProposalId]) -> None:
        """The proposals are gone."""
        ...

    def delete_merges(self, merge_ids: Sequence[MergeId]) -> None:
        """The merges are gone."""
        ...

    def delete_verdicts(self, verdict_ids: Sequence[VerdictId]) -> None:
        """The verdicts are gone, with their permits."""
        ...

    def mark_erased(self, body: str) -> None:
        """From the commit on whoever reads or writes this tenant, in any process, is told `tenant_erased`; for good.

        `body` says by which erasure, for whoever goes on with it; see ports.tombstones.
        """
        ...

    def erase_payloads(self, chain: Chain, positions: Sequence[int]) -> None:
        """The payloads and salts of the events at these positions are gone; their envelopes and digests stay."""
        ...
