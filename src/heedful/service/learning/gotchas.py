"""Gotchas: the same failure seen again becomes a proposal; a later success of the same thing retires it. No model.

The miner proposes, and never activates. It looks at one scope of one tenant, and at each label apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from heedful.bridges.vocabulary import Kind
from heedful.claims.claim import LIVE, Claim, ClaimStatus
from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.claims.projections.experience import (
    INDEPENDENT_MIN,
    RETIRED,
    SEEN_AGAIN,
    groups_of,
)
from heedful.kernel.errors import ForbiddenError, InvalidInputError
from heedful.kernel.ids import ClaimId, KindId, RecordId
from heedful.kernel.times import US_A_DAY
from heedful.ledger.events import ClaimProposed, ClaimTransitioned, Event
from heedful.observations.record import Record, RecordStatus, SourceGrade
from heedful.ports.store import Reading, StoredRecord, Writing
from heedful.service.belief.origins import origins_seen
from heedful.service.keeping.keep_claims import ClaimNote
from heedful.service.keeping.propose import ClaimDraft, propose
from heedful.service.learning.failures_seen import Failure, Seen, failures_among
from heedful.service.learning.gotcha_draft import gotcha_draft, property_of, spread
from heedful.service.learning.gotchas_held import ENDED, gotchas_held
from heedful.service.learning.retire import Refuted, refuted_by, retirement
from heedful.service.requests import clean_scope
from heedful.service.session import Session
from heedful.service.sight import denied_to, denies, visible_in

KIND = KindId("environment.gotcha")
"""The kind of what is proposed; a registry without it has nothing to propose."""
MINED_RECORDS_MAX = 5_000
"""Records of the scope that are looked at, the newest."""
OBSERVED_MAX = 256
"""Records of one failure that are compared with each other, the latest."""
_HIGHER = frozenset({SourceGrade.SYSTEM, SourceGrade.OPERATOR})
"""Grades that would raise a claim above what the rest of its records bear."""


@dataclass(frozen=True, slots=True)
class MinedGotcha:
    """A gotcha that was proposed.

    Attributes:
        provisional: one run alone saw it, so far.
        evidence: the supporting events.
        replaces: one of fewer observations that gives way to it.
    """

    claim: ClaimNote
    provisional: bool
    evidence: tuple[RecordId, ...]
    replaces: ClaimId | None


@dataclass(frozen=True, slots=True)
class Mined:
    """What the miner did.

    Attributes:
        looked_at: records of the scope that were looked at.
        proposed: new gotchas, none of them active.
        retired: those that nobody had approved and that no longer hold.
        to_retire: for approved ones: the proposals that they no longer hold, for a person to approve.
        is_cut: there are more records, or gotchas, than are looked at.
    """

    looked_at: int
    proposed: tuple[MinedGotcha, ...]
    retired: tuple[ClaimNote, ...]
    to_retire: tuple[ClaimNote, ...]
    is_cut: bool


def mine(session: Session, *, scope: Sequence[str]) -> Mined:
    """What was proposed and retired in this scope, durable; doing it again changes nothing until more is seen.

    Raises:
        ForbiddenError: `principal_may_not`, `scope_not_granted`, `form_not_allowed`, `kind_denied`.
        InvalidInputError: `kind_unknown` where the registry has no `environment.gotcha`, and those of the scope.
    """
    session.require("propose")
    wanted = clean_scope(scope)
    session.require_writable(wanted)
    kind = _kind(session)
    visible = visible_in(session, (wanted,))

    def work(writing: Writing) -> Mined:
        stored = writing.records(
            visible, status=RecordStatus.ADMITTED, run_id=None, attributes=(), before=None, limit=MINED_RECORDS_MAX + 1
        )
        held, is_held_cut = gotchas_held(session, writing, visible)
        is_cut = is_held_cut or len(stored) > MINED_RECORDS_MAX
        mining = _Mining(session, writing, kind, stored[:MINED_RECORDS_MAX], held)
        mining.retire()
        mining.propose()
        if mining.events:
            session.append(writing, mining.events)
        return Mined(
            len(mining.seen.records), tuple(mining.proposed), tuple(mining.retired), tuple(mining.to_retire), is_cut
        )

    return session.store.write(work)


def _kind(session: Session) -> Kind:
    kind = session.registry.vocabulary.kinds.get(KIND)
    if kind is None:
        raise InvalidInputError(
            "kind_unknown",
            f"the registry has no kind {KIND}, so there is nothing that failures could be proposed as",
            next_step="add the pack `delivery`, or a kind of that name",
            details={"field": "kind"},
        )
    if denies(session, (KIND,)):
        raise ForbiddenError(
            "kind_denied",
            f"policy denies claims of kind {KIND} to {session.principal}, who could not see what is there already",
            next_step="have somebody mine who sees them",
            details={"principal": session.principal, "kind": KIND},
        )
    return kind


class _Mining:
    """One pass over the records and gotchas of a scope; what it found is in its lists."""

    def __init__(
        self, session: Session, reading: Reading, kind: Kind, stored: Sequence[StoredRecord], held: Sequence[Claim]
    ) -> None:
        self._session = session
        self._reading = reading
        self._kind = kind
        self.seen = Seen([each.record for each in stored])
        self._held = held
        self._over: dict[ClaimId, Refuted] = {}
        self.events: list[Event] = []
        self.proposed: list[MinedGotcha] = []
        self.retired: list[ClaimNote] = []
        self.to_retire: list[ClaimNote] = []

    def retire(self) -> None:
        """Gotchas whose subject has succeeded since, for good."""
        for claim in self._held:
            if claim.status not in LIVE or claim.value is False:
                continue
            refuted = refuted_by(self._session, self._reading, self.seen, claim)
            if refuted is None:
                continue
            self._over[claim.claim_id] = refuted
            if claim.status is ClaimStatus.ACTIVE or claim.approvals:
                self._propose_end(claim, refuted)
            else:
                reason = f"{RETIRED}: {refuted.because}"
                self.events.append(_superseded(claim, reason))
                self.retired.append(ClaimNote(claim.claim_id, claim.kind, claim.statement, ClaimStatus.SUPERSEDED))

    def propose(self) -> None:
        """Failures that were seen again, as far as nothing says them yet."""
        for failure in failures_among(self.seen, self._unseen_by):
            since_us = self._refuted_since(failure)
            fresh = [record for record in failure.records if record.occurred.at_us > since_us]
            fresh = fresh[-OBSERVED_MAX:]
            groups = groups_of(fresh, origins_seen(self._session, self._reading, fresh))
            if sum(map(len, groups)) >= INDEPENDENT_MIN:
                self._propose_gotcha(failure, groups)

    def _refuted_since(self, failure: Failure) -> int:
        """The time of the last success that a gotcha of this failure was retired by; failures before it are over."""
        own = [claim for claim in self._held if self._says(claim, failure)]
        times = [self._over[claim.claim_id].at_us for claim in own if claim.claim_id in self._over]
        # One that was rejected, or had ended, is said again only by what happened since.
        ended = [claim for claim in own if claim.status in ENDED]
        times += [
            self.seen.last_us(claim.evidence) for claim in ended if not claim.status_reason.startswith(SEEN_AGAIN)
        ]
        return max(times, default=-1)

    def _propose_gotcha(self, failure: Failure, groups: Sequence[Sequence[Record]]) -> None:
        evidence = spread(groups)
        provisional = len(groups) < INDEPENDENT_MIN
        until_us = max(record.occurred.at_us for record in evidence) + int(self._session.gotcha_days * US_A_DAY)
        live = [
            claim
            for claim in self._held
            if self._says(claim, failure) and self._is_live(claim) and claim.claim_id not in self._over
        ]
        if until_us <= self._session.clock.now_us() or any(not self._gives_way(claim, provisional) for claim in live):
            return
        draft = gotcha_draft(self._kind, failure, evidence, len(groups), until_us=until_us)
        proposal = self._proposed(draft, evidence)
        if proposal is None:
            return
        replaced = live[0].claim_id if live else None
        for claim in live:
            self.events.append(_superseded(claim, f"{SEEN_AGAIN} in another run: claim {proposal.claim_id} says it"))
        note = self._add(proposal)
        self.proposed.append(MinedGotcha(note, provisional, proposal.evidence, replaced))

    def _unseen_by(self, record: Record) -> frozenset[str]:
        return denied_to(self._session, self._reading, (record.record_id,), (KIND,))

    def _says(self, claim: Claim, failure: Failure) -> bool:
        """True where the claim tells this failure, to the same readers."""
        is_label = (claim.classification, claim.consent) == (failure.classification, failure.consent)
        is_it = (claim.subject, claim.property) == (failure.subject, property_of(failure)) and claim.value is not False
        unseen_by = denied_to(self._session, self._reading, claim.evidence, (KIND,)) if is_label and is_it else None
        return unseen_by == failure.unseen_by

    def _is_live(self, claim: Claim) -> bool:
        """False for an active one whose time has passed, which is about to be moved."""
        return claim.status in LIVE and not (claim.is_reviewed and self._is_past(claim))

    def _is_past(self, claim: Claim) -> bool:
        return claim.valid_to_us is not None and claim.valid_to_us <= self._session.clock.now_us()

    def _gives_way(self, claim: Claim, provisional: bool) -> bool:  # noqa: FBT001  # what would take its place
        """True for one that nobody approved, of one observation before one of two, or whose time has passed."""
        if claim.is_reviewed or claim.approvals or (provisional and not self._is_past(claim)):
            return False
        if self._is_past(claim):
            return True
        known = [self.seen.by_id[each] for each in claim.evidence if each in self.seen.by_id]
        return len(groups_of(known, origins_seen(self._session, self._reading, known))) < INDEPENDENT_MIN

    def _propose_end(self, claim: Claim, refuted: Refuted) -> None:
        if any(each.value is False and _same(each, claim) and each.status in LIVE for each in self._held):
            return
        proposal = self._proposed(retirement(claim, refuted), refuted.records)
        if proposal is not None:
            self.to_retire.append(self._add(proposal))

    def _proposed(self, draft: ClaimDraft, evidence: Sequence[Record]) -> ClaimProposed | None:
        """None where no claim can tell it, such as of a subject with an odd name: that stops no other proposal."""
        session = self._session
        # All of them have the same label; nothing stands on a higher authority than the least of its records.
        least = min(evidence, key=lambda record: (record.grade in _HIGHER, record.confidence))
        try:
            proposal = propose(
                draft,
                least,
                session.registry,
                claim_id=ClaimId(session.new_id()),
                now_us=session.clock.now_us(),
                gotcha_days=session.gotcha_days,
            )
        except (InvalidInputError, ForbiddenError):
            return None
        ids = tuple(dict.fromkeys(record.record_id for record in evidence))
        return replace(proposal, evidence=ids, proposed_by=session.principal)

    def _add(self, proposal: ClaimProposed) -> ClaimNote:
        steps = (ClaimStatus.PROPOSED, ClaimStatus.EVIDENCE_VERIFIED)
        moved = ClaimTransitioned(proposal.claim_id, *steps, SERVICE_ACTOR, "its records are kept")
        self.events += [proposal, moved]
        return ClaimNote(proposal.claim_id, proposal.kind, proposal.statement, ClaimStatus.EVIDENCE_VERIFIED)


def _superseded(claim: Claim, reason: str) -> ClaimTransitioned:
    return ClaimTransitioned(claim.claim_id, claim.status, ClaimStatus.SUPERSEDED, SERVICE_ACTOR, reason)


def _same(left: Claim, right: Claim) -> bool:
    return (left.kind, left.subject, left.property) == (right.kind, right.subject, right.property)
