"""Planted: a drill's records, claim and packet in a scope of their own, kept through the ordinary verbs."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from heedful.kernel.errors import ConflictError, ForbiddenError
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.times import format_time
from heedful.policy.decide import form_allowed
from heedful.ports.store import Chain
from heedful.service.drilling.canary import CANARY_BYTES, DIMENSION, canary_of, text_of
from heedful.service.keeping.propose import NOTE_KIND
from heedful.service.keeping.remember import Remembered, remember
from heedful.service.keeping.statements import RememberTexts
from heedful.service.recalling.recall import recall
from heedful.service.requests import clean_scope, memory_request
from heedful.service.review import approve
from heedful.service.session import Session

_FORM = "fact"
_ADMITTED = "admitted"


@dataclass(frozen=True, slots=True)
class Planted:
    """What was planted.

    Attributes:
        around: the scope elements that the drill was given; `scope` has one of its own besides.
        canary: what the first three records and the claim say; `other_canary` what the one that is held does.
        record_id, summary_id, long_id: a note, what was made from it, and one whose content lies in the blob store.
        claim_id: of the note; None where policy lets no claim be.
        dependant_id: a claim that is so only as long as that one is, of a record of its own.
        survivor_id: a record that nothing of the drill takes.
        held_id: one that is held while it is erased.
        blob_name: of the long one's content; None where it is short enough here to lie in its row.
        packet_id: of a packet that shows the note.
        ledger_from, access_from: positions of the chains before the first of it.
        known_at: when all of it was known.
    """

    drill_id: str
    around: tuple[str, ...]
    canary: str
    other_canary: str
    record_id: RecordId
    summary_id: RecordId
    long_id: RecordId
    claim_id: ClaimId | None
    dependant_id: ClaimId | None
    survivor_id: RecordId
    held_id: RecordId
    blob_name: str | None
    packet_id: str
    ledger_from: int
    access_from: int
    known_at: str

    @property
    def scope(self) -> tuple[str, ...]:
        """Where it lies."""
        return scope_of(self.drill_id, self.around)


def scope_of(drill_id: str, around: tuple[str, ...]) -> tuple[str, ...]:
    """The scope of a drill's own."""
    return (*around, f"{DIMENSION}:{drill_id}")


def question_of(drill_id: str) -> str:
    """What is asked for the planted records; nothing of the canary is in it, as packets keep their question."""
    return f"What does the note of the heedful drill {drill_id} say?"


def plant(session: Session, drill_id: str, around: tuple[str, ...]) -> Planted:
    """What was planted; all of it is durable when this returns.

    Raises:
        ForbiddenError: `principal_may_not`, `scope_not_granted`.
        BusyError, UnavailableError: the store.
    """
    session.access.flush()
    with session.store.read() as reading:
        ledger, access = reading.head(Chain.LEDGER).position, reading.head(Chain.ACCESS).position
    canary, other = (canary_of(session.entropy.random_bytes(CANARY_BYTES)) for _ in range(2))
    keep = _Keeper(session, drill_id, around)
    may_claim = form_allowed(session.registry.policy, clean_scope(keep.scope), _FORM).allowed
    note = keep(text_of(drill_id, canary, "note"), kind=NOTE_KIND if may_claim else None)
    claim_id = _active(session, note)
    second = keep(
        f"A second note of the heedful drill {drill_id} rests on the first.",
        kind=NOTE_KIND if claim_id else None,
        rests_on=(claim_id,) if claim_id else (),
    )
    summary = keep(text_of(drill_id, canary, "summary"), derived_from=(note.record_id,))
    long = keep(f"{_filling(session)}{text_of(drill_id, canary, 'long text')}")
    survivor = keep(f"The survivor of the heedful drill {drill_id} is not asked to be forgotten.")
    held = keep(text_of(drill_id, other, "held note"))
    packet = recall(session, memory_request(session, question_of(drill_id), scope=keep.scope))
    with session.store.read() as reading:
        stored = reading.record(long.record_id)
    return Planted(
        drill_id=drill_id,
        around=around,
        canary=canary,
        other_canary=other,
        record_id=note.record_id,
        summary_id=summary.record_id,
        long_id=long.record_id,
        claim_id=claim_id,
        dependant_id=_active(session, second),
        survivor_id=survivor.record_id,
        held_id=held.record_id,
        blob_name=None if stored is None or stored.record.blob is None else stored.record.blob.name,
        packet_id=packet.packet_id,
        ledger_from=ledger,
        access_from=access,
        known_at=format_time(session.clock.now_us()),
    )


def _filling(session: Session) -> str:
    """So much that the content lies in the blob store; nothing where none is taken in that is so long."""
    sentence, limits = "This is long, so that it lies in the blob store. ", session.limits
    length = limits.inline_bytes_max // len(sentence) + 1
    return sentence * length if (length + 10) * len(sentence) <= limits.content_bytes_max else ""


class _Keeper:
    """Keeps one record after another in the drill's scope, each under a source reference of its own."""

    def __init__(self, session: Session, drill_id: str, around: tuple[str, ...]) -> None:
        self._session, self._drill_id = session, drill_id
        self.scope = scope_of(drill_id, around)
        self._number = 0

    def __call__(
        self,
        text: str,
        *,
        kind: str | None = None,
        rests_on: tuple[str, ...] = (),
        derived_from: tuple[str, ...] = (),
    ) -> Remembered:
        self._number += 1
        texts = RememberTexts(
            kind=kind,
            form=None if kind is None else _FORM,
            subject=None if kind is None else f"{DIMENSION}:{self._drill_id}",
            rests_on=rests_on,
            derived_from=derived_from,
            consent="explicit",
            source_ref=source_ref_of(self._drill_id, self._number),
        )
        kept = remember(self._session, text, scope=self.scope, texts=texts)
        if kept.outcome != _ADMITTED:
            raise ConflictError(
                "drill_not_planted",
                f"this store's write gate did not admit the drill's own record: {', '.join(kept.reasons)}",
                next_step="run the drill as somebody whose word is admitted in that scope, or name another --scope",
                details={"outcome": kept.outcome},
            )
        return kept


def source_ref_of(drill_id: str, number: int) -> str:
    """By which a drill's records are known as such."""
    return f"{DIMENSION}:{drill_id}:{number}"


def _active(session: Session, kept: Remembered) -> ClaimId | None:
    """The record's claim, approved where that takes nobody else; None where there is none."""
    if not kept.claims:
        return None
    claim = kept.claims[0]
    # Where somebody else has to, it stays as it is, and whoever looks at it tells so.
    with contextlib.suppress(ForbiddenError, ConflictError):
        if claim.status != "active":
            approve(session, claim.claim_id, "planted by a drill")
    return claim.claim_id
