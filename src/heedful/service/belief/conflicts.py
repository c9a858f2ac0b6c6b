"""Conflicts: claims that contradict each other, as one may see them, and a person's answer to what they are asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from heedful.claims.claim import UNREVIEWED, Claim, ClaimStatus
from heedful.claims.conflict import Conflict, Resolution
from heedful.claims.decide import Side, worn
from heedful.claims.lifecycle import ANSWERED
from heedful.kernel.errors import ConflictError, ForbiddenError, InvalidInputError
from heedful.kernel.ids import ClaimId, ConflictId
from heedful.kernel.ladder import Tier
from heedful.ledger.belief_events import ClaimWeighed, ConflictResolved
from heedful.ledger.events import ClaimTransitioned, Event
from heedful.observations.names import shown
from heedful.ports.store import Reading, Writing
from heedful.service.as_known import reading_at
from heedful.service.belief.activation import activation
from heedful.service.belief.approve_claim import require_live_evidence
from heedful.service.belief.overriding import require_authority, require_override, require_rule_right, speaks_for_it
from heedful.service.belief.split import Cut, split
from heedful.service.belief.weigh import sides_of
from heedful.service.belief.weighed import ASIDE
from heedful.service.requests import reason_text
from heedful.service.session import Session
from heedful.service.sight import not_found, seen_claims_of, told_claim, told_position

CONFLICTS_MAX = 500
"""Conflicts that are listed."""
WALKED_MAX = 65_536
"""Conflicts that are walked to find them, whoever may see those."""
_PAGE = 500

Choice = Literal["a", "b", "neither"]
_RESOLUTIONS = {"a": Resolution.A_WINS, "b": Resolution.B_WINS, "neither": Resolution.BOTH_DEMOTED}


@dataclass(frozen=True, slots=True)
class ToldConflict:
    """A conflict with its two claims as they stand now.

    Attributes:
        a, b: the claim that stood, and the one that came.
        detected_at_us: UTC microseconds.
        outcome, because, resolution: see docs/conflicts.md; resolution None: it is open.
        question: what a person is asked, or was; None: nothing.
        position: of its event in the ledger; 0 for those who may not audit.
    """

    conflict_id: ConflictId
    position: int
    detected_at_us: int
    a: Claim
    b: Claim
    outcome: str
    because: str
    question: str | None
    resolution: str | None
    resolved_by: str | None
    resolved_at_us: int | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Conflicts:
    """Conflicts, the newest first, at most CONFLICTS_MAX; `cut`: there are more."""

    conflicts: tuple[ToldConflict, ...]
    cut: bool


@dataclass(frozen=True, slots=True)
class Answered:
    """What an answer did.

    Attributes:
        a_status, b_status: where the two claims stand now.
        asks: questions that wait now because b became active, or is to.
    """

    conflict_id: ConflictId
    resolution: str
    a_status: str
    b_status: str
    asks: tuple[ConflictId, ...]


def conflicts(session: Session, *, only_open: bool = False, known_at: str | None = None) -> Conflicts:
    """The conflicts of which this principal sees both claims, as known now or at that instant.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: see `instant`.
    """
    session.require("recall")
    with reading_at(session, known_at) as (then, reading):
        return conflicts_in(then, reading, only_open=only_open)


def conflicts_in(session: Session, reading: Reading, *, only_open: bool) -> Conflicts:
    """The same, of what is being read."""
    found: list[ToldConflict] = []
    before: int | None = None
    walked = 0
    while walked < WALKED_MAX:
        page = reading.conflicts(only_open=only_open, before=before, limit=_PAGE)
        found += _told(session, reading, page)
        if len(found) > CONFLICTS_MAX:
            return Conflicts(tuple(found[:CONFLICTS_MAX]), cut=True)
        if len(page) < _PAGE:
            break
        before, walked = page[-1].position, walked + len(page)
    return Conflicts(tuple(found), cut=False)


def answer(session: Session, conflict_id: str, choice: str, reason: str) -> Answered:
    """What the answer did: `a` stands, `b` takes its place, or `neither` is so, and both are believed less.

    Who speaks for the subject may answer, or who may approve; through a person's door.

    Raises:
        NotFoundError: `item_not_found`.
        ConflictError: `conflict_closed`, `evidence_gone`.
        ForbiddenError: `override_not_yours`, `claim_system`, `claim_operator`, `approval_refused`.
        InvalidInputError: `choice_unknown`; see `reason_text`.
    """
    if choice not in get_args(Choice):
        raise InvalidInputError(
            "choice_unknown",
            f"no answer {shown(choice, 64)!r}",
            next_step="answer a (the claim that stood), b (the one that came) or neither",
            details={"field": "choice"},
        )
    noted = reason_text(reason)
    return session.store.write(lambda writing: _Answering(session, writing, conflict_id, noted).done(choice))


def _told(session: Session, reading: Reading, conflicts: Sequence[Conflict]) -> list[ToldConflict]:
    """Those of which the session sees both claims; what they are is read at once."""
    sides = dict.fromkeys(side for each in conflicts for side in (each.standing_id, each.newcomer_id))
    seen = {each.claim_id: each for each in seen_claims_of(session, reading, list(sides))}
    return [
        _as_told(session, each, seen[each.standing_id], seen[each.newcomer_id])
        for each in conflicts
        if each.standing_id in seen and each.newcomer_id in seen
    ]


def _as_told(session: Session, conflict: Conflict, a: Claim, b: Claim) -> ToldConflict:
    return ToldConflict(
        conflict_id=conflict.conflict_id,
        position=told_position(session, conflict.position),
        detected_at_us=conflict.detected_at_us,
        a=told_claim(session, a),
        b=told_claim(session, b),
        outcome=conflict.outcome,
        because=conflict.because,
        question=conflict.question,
        resolution=conflict.resolution,
        resolved_by=conflict.resolved_by,
        resolved_at_us=conflict.resolved_at_us,
        reason=conflict.reason,
    )


class _Answering:
    """One answer, in the transaction that writes it.

    What the person wrote stands in the end of the conflict alone: that goes with either claim, and the other stays.
    """

    def __init__(self, session: Session, writing: Writing, conflict_id: str, reason: str) -> None:
        conflict = writing.conflict(ConflictId(conflict_id))
        claims = () if conflict is None else (conflict.standing_id, conflict.newcomer_id)
        seen = seen_claims_of(session, writing, claims)
        if conflict is None or len(seen) < len(claims):
            raise not_found(conflict_id)
        if not conflict.is_open:
            raise ConflictError(
                "conflict_closed",
                f"conflict {conflict.conflict_id} has ended: {conflict.resolution}",
                next_step="`heedful conflicts --open` lists those that wait",
                details={"conflict_id": conflict.conflict_id, "resolution": str(conflict.resolution)},
            )
        self._session = session
        self._writing = writing
        self._conflict = conflict
        self._reason = reason
        self._a, self._b = sides_of(session, writing, seen)

    def done(self, choice: str) -> Answered:
        """What it did."""
        self._require(choice)
        resolution = _RESOLUTIONS[choice]
        actor = self._session.principal
        events: list[Event] = [ConflictResolved(self._conflict.conflict_id, resolution, actor, self._reason)]
        asks: tuple[ConflictId, ...] = ()
        match choice:
            case "a":
                events += self._gives_way(self._b, self._a)
            case "b":
                events += self._gives_way(self._a, self._b)
            case _:
                events += [event for pair in ((self._a, self._b), (self._b, self._a)) for event in self._worn(*pair)]
        self._session.append(self._writing, events)
        if choice == "b" and not self._b.claim.is_reviewed:
            asks = self._activate()
        return Answered(self._conflict.conflict_id, resolution, self._status(self._a), self._status(self._b), asks)

    def _require(self, choice: str) -> None:
        session, loser = self._session, self._b if choice == "a" else self._a
        for side in (self._a, self._b):
            require_override(session, side.claim)
        require_rule_right(session, self._writing, loser.claim)
        if choice != "a" or self._b.claim.is_reviewed:
            require_authority(session, loser.claim)
        winner = {"a": self._a, "b": self._b}.get(choice)
        is_own = winner is not None and winner.claim.proposed_by == session.principal
        # An operator who says it again, and has the right to, is the confirmation that is asked for.
        asks_confirmation = self._a.claim.tier >= Tier.OPERATOR
        if is_own and not (asks_confirmation or session.registry.policy.solo or speaks_for_it(session, loser.claim)):
            raise ForbiddenError(
                "approval_refused",
                "this answer does not count: own-proposal",
                next_step="another person has to answer, or who speaks for the subject",
                details={"conflict_id": self._conflict.conflict_id, "why": "own-proposal"},
            )

    def _gives_way(self, loser: Side, winner: Side) -> list[Event]:
        """What stands gives up the time of the other; what waited never becomes active."""
        claim, actor = loser.claim, self._session.principal
        why = f"{ANSWERED}claim {winner.claim.claim_id} is so"
        if claim.status in UNREVIEWED:
            return [ClaimTransitioned(claim.claim_id, claim.status, ClaimStatus.SUPERSEDED, actor, why)]
        if not claim.is_reviewed:
            return []
        cut = Cut(winner.valid, loser.start_us, self._session.clock.now_us(), actor, why, winner.claim.claim_id)
        answered = replace(claim, conflicts_open=claim.conflicts_open - 1)
        return list(split(answered, cut, ClaimId(self._session.new_id())))

    def _worn(self, side: Side, other: Side) -> list[Event]:
        claim, actor, why = side.claim, self._session.principal, f"{ANSWERED}neither is so"
        if claim.status in UNREVIEWED:
            return [ClaimTransitioned(claim.claim_id, claim.status, ClaimStatus.SUPERSEDED, actor, why)]
        if claim.pinned:
            return []
        less, by = worn(claim.confidence), other.claim.claim_id
        return [ClaimWeighed(claim.claim_id, less, claim.conflicts_lost, actor, why, by)]

    def _activate(self) -> tuple[ConflictId, ...]:
        """What waited becomes active, as far as nothing else stands against it."""
        claim = self._writing.claim(self._b.claim.claim_id)
        if claim is None or (claim.status not in ASIDE and claim.status is not ClaimStatus.POLICY_REVIEWED):
            return ()
        require_live_evidence(self._writing, claim)
        move = ClaimTransitioned(
            claim.claim_id, claim.status, ClaimStatus.ACTIVE, self._session.principal, "answered: it is so"
        )
        events, found = activation(self._session, self._writing, claim, [move])
        self._session.append(self._writing, events)
        return () if found is None else found.asks

    def _status(self, side: Side) -> str:
        now = self._writing.claim(side.claim.claim_id)
        return side.claim.status if now is None else now.status
