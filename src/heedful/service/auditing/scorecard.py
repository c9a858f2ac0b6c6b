"""Scorecard: how far the memory can be relied on, in numbers (seed 004); None where nothing was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.conflict import Outcome
from heedful.claims.lifecycle import POLICY_ACTOR, SERVICE_ACTOR
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ids import ClaimId, uuid7
from heedful.kernel.times import US_A_DAY, format_time
from heedful.ledger.events import ActivationMarked, ClaimTransitioned
from heedful.ports.store import Chain
from heedful.service.auditing.phantoms import Phantom, phantoms_among
from heedful.service.auditing.provenance import require_auditor
from heedful.service.recalling.must import Asked, ask, must_list
from heedful.service.session import Session
from heedful.service.sight import seen_claim
from heedful.service.walk import pages_since

DAYS = 30
DAYS_MAX = 3_650
PHANTOMS_LISTED_MAX = 100
"""Phantoms that are listed; they are all counted."""
CONFLICTS_MAX = 65_536
"""Conflicts that are looked at, the newest."""
_PAGE = 200
_RULES = (SERVICE_ACTOR, POLICY_ACTOR)
_HELP = {
    "memory_recall_reliability": "Share of what must be remembered that was, weighted by tier, 0 to 1.",
    "memory_phantoms_per_1k_writes": "Claims that their evidence does not support, for 1,000 that were written.",
    "memory_conflict_resolution_time_s": "Median time from a conflict to its end, in seconds.",
    "memory_conflict_answer_time_s": "The same of the conflicts that a person was asked about.",
    "memory_automatic_eviction_pct": "Claims that a rule archived, in percent of those that were active.",
}


@dataclass(frozen=True, slots=True)
class Scorecard:
    """Numbers over the last days, and what each was counted from.

    Attributes:
        since, until: the days; what was written, marked, resolved and archived in them counts.
        memory_recall_reliability: 0 to 1, see docs/scorecard.md.
        recall_from: `must`: of a list of questions; `marks`: of people's marks; None: of nothing.
        recall_asked: how many questions, or marks.
        memory_phantoms_per_1k_writes: of claims that were written.
        memory_conflict_resolution_time_s: the median; a rule settles most conflicts at once.
        memory_conflict_answer_time_s: the median of those that a person was asked about.
        memory_automatic_eviction_pct: active claims that a rule archived, in percent of `held`.
        written, phantoms_found, conflicts_resolved, conflicts_asked, conflicts_open, archived: what was counted.
        held: claims that were active at some time in these days.
        phantoms: the first PHANTOMS_LISTED_MAX, of those that this person may see.
    """

    since: str
    until: str
    memory_recall_reliability: float | None
    recall_from: str | None
    recall_asked: int
    memory_phantoms_per_1k_writes: float | None
    memory_conflict_resolution_time_s: float | None
    memory_conflict_answer_time_s: float | None
    memory_automatic_eviction_pct: float | None
    written: int
    phantoms_found: int
    conflicts_resolved: int
    conflicts_asked: int
    conflicts_open: int
    archived: int
    held: int
    phantoms: tuple[Phantom, ...]

    def metrics(self) -> str:
        """The numbers in the text format of Prometheus; what was not measured is left out."""
        lines = []
        for name, help_text in _HELP.items():
            value: float | None = getattr(self, name)
            if value is not None:
                lines += [f"# HELP {name} {help_text}", f"# TYPE {name} gauge", f"{name} {value:g}"]
        return "".join(f"{line}\n" for line in lines)


def scorecard(
    session: Session,
    *,
    days: int = DAYS,
    must: Sequence[Mapping[str, object]] = (),
    default_scope: tuple[str, ...] = (),
) -> Scorecard:
    """The scorecard of the last days; with `must`, recall is measured by asking these questions now.

    Raises:
        ForbiddenError: `principal_may_not`: it counts what everybody wrote, so it takes an owner or auditor.
        InvalidInputError: `days_malformed`, `must_malformed`, `must_too_many`, and those of a request.
    """
    require_auditor(session)
    if not 1 <= days <= DAYS_MAX:
        raise InvalidInputError(
            "days_malformed",
            f"days is {days}; it is 1 to {DAYS_MAX}",
            next_step="name a number of days, such as 30",
            details={"field": "days", "limit": DAYS_MAX},
        )
    questions = must_list(must)
    until_us = session.clock.now_us()
    since_us = until_us - days * US_A_DAY
    marked, moved = _from_ledger(session, since_us)
    asked = ask(session, questions, default_scope) if questions else marked
    written, found, told = _writes(session, since_us)
    ended = _conflicts(session, since_us)
    return Scorecard(
        since=format_time(since_us),
        until=format_time(until_us),
        memory_recall_reliability=_reliability(asked),
        recall_from="must" if questions else "marks" if asked else None,
        recall_asked=len(asked),
        memory_phantoms_per_1k_writes=round(1_000 * found / written, 4) if written else None,
        memory_conflict_resolution_time_s=_median_seconds((*ended.by_rule, *ended.asked)),
        memory_conflict_answer_time_s=_median_seconds(ended.asked),
        memory_automatic_eviction_pct=round(100 * moved.archived / moved.held, 4) if moved.held else None,
        written=written,
        phantoms_found=found,
        conflicts_resolved=len(ended.by_rule) + len(ended.asked),
        conflicts_asked=len(ended.asked),
        conflicts_open=ended.still_open,
        archived=moved.archived,
        held=moved.held,
        phantoms=told,
    )


def _reliability(asked: Sequence[Asked]) -> float | None:
    weight = sum(each.weight for each in asked)
    return round(sum(each.weight for each in asked if each.right) / weight, 4) if weight else None


def _median_seconds(times: Sequence[int]) -> float | None:
    return round(median(times) / 1e6, 3) if times else None


class _Moved(NamedTuple):
    """How many claims were active at some time, and how many of these a rule archived."""

    held: int
    archived: int


def _from_ledger(session: Session, since_us: int) -> tuple[tuple[Asked, ...], _Moved]:
    """People's marks, the last of each person for each item counting, and what became of active claims."""
    marks: dict[tuple[str, str, str], tuple[int, ActivationMarked]] = {}
    last: dict[ClaimId, tuple[int, str]] = {}
    left: set[ClaimId] = set()
    archived: set[ClaimId] = set()
    for page in pages_since(session, Chain.LEDGER, since_us, "activation.marked", "claim.transitioned"):
        for position, _, event in page:
            match event:
                case ActivationMarked():
                    key = (event.packet_id, event.cite, event.actor)
                    marks[key] = max(marks.get(key, (0, event)), (position, event), key=lambda each: each[0])
                case ClaimTransitioned(claim_id=claim_id):
                    last[claim_id] = max(last.get(claim_id, (0, "")), (position, event.to_status))
                    if event.from_status == ClaimStatus.ACTIVE:
                        left.add(claim_id)
                        if event.to_status == ClaimStatus.ARCHIVED and event.actor in _RULES:
                            archived.add(claim_id)
                case _:
                    pass
    with session.store.read() as reading:
        active = reading.counts()["claims.active"]
        told = reading.claims_by_ids(sorted({mark.claim_id for _, mark in marks.values()}))
        claims = {claim.claim_id: claim for claim in told}
    return tuple(
        Asked(claim.tier.value, mark.relevant)
        for _, mark in marks.values()
        if (claim := claims.get(mark.claim_id)) is not None
    ), _Moved(active + sum(last[each][1] != ClaimStatus.ACTIVE for each in left), len(archived))


def _writes(session: Session, since_us: int) -> tuple[int, int, tuple[Phantom, ...]]:
    """Claims that were written, how many of them are phantoms, and the first of those that this person may see."""
    written = found = 0
    told: list[Phantom] = []
    for page in _claims_since(session, since_us):
        with session.store.read() as reading:
            phantoms = phantoms_among(session, reading, page)
            room = phantoms if len(told) < PHANTOMS_LISTED_MAX else ()
            told += [each for each in room if seen_claim(session, reading, each.claim_id) is not None]
        written += len(page)
        found += len(phantoms)
    return written, found, tuple(told[:PHANTOMS_LISTED_MAX])


def _claims_since(session: Session, since_us: int) -> Iterator[tuple[Claim, ...]]:
    """Claims that are known since then. Ids begin with their time, which a day's difference of clocks can put off."""
    earliest_ms = max(0, (since_us - US_A_DAY) // 1_000)
    last = ClaimId(uuid7(earliest_ms, bytes(10)))
    while True:
        with session.store.read() as reading:
            page = reading.claims_after(last, statuses=tuple(ClaimStatus), limit=_PAGE)
        if not page:
            return
        last = page[-1].claim_id
        yield tuple(claim for claim in page if claim.known_from_us >= since_us)


class _Ended(NamedTuple):
    """How long each conflict took that ended, in microseconds, as a rule had it or somebody was asked."""

    by_rule: tuple[int, ...]
    asked: tuple[int, ...]
    still_open: int


def _conflicts(session: Session, since_us: int) -> _Ended:
    """The conflicts that ended since then, and how many are open."""
    by_rule: list[int] = []
    asked: list[int] = []
    still_open = looked_at = 0
    before: int | None = None
    with session.store.read() as reading:
        while looked_at < CONFLICTS_MAX:
            page = reading.conflicts(only_open=False, before=before, limit=_PAGE)
            if not page:
                break
            looked_at += len(page)
            before = page[-1].position
            for each in page:
                still_open += each.is_open
                if each.resolved_at_us is not None and each.resolved_at_us >= since_us:
                    times = asked if each.outcome is Outcome.ASK else by_rule
                    times.append(each.resolved_at_us - each.detected_at_us)
    return _Ended(tuple(by_rule), tuple(asked), still_open)
