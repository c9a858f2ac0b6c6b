"""Provenance: what every claim came from, as rows that one can count. For people who audit, never for agents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.errors import ForbiddenError, InvalidInputError
from heedful.kernel.ids import ClaimId
from heedful.kernel.times import format_time
from heedful.observations.record import Channel
from heedful.ports.store import Reading
from heedful.ports.upkeep import ClaimSource
from heedful.service.auditing.source_calls import told_tool
from heedful.service.instants import instant_or_none
from heedful.service.session import Session
from heedful.service.sight import not_found, seen_claim, seen_of, seen_records

ROWS_MAX = 10_000
"""Rows of one answer; `next_after` says where the next one goes on."""
_PAGE_CLAIMS = 200
_SORTS = ("user", "tool", "doc", "inference")


@dataclass(frozen=True, slots=True)
class Provenance:
    """One source of one claim.

    Attributes:
        source_type: `user`, `tool:<name>`, `doc:<url>` or `inference`.
        source_id: of a tool the name of its call, of a document its record, else the run, or the record outside of one.
        tier_at_write: the tier that the claim was proposed with, 1 to 4.
        wrote_at: when the claim was proposed, or got this evidence.
    """

    claim_id: ClaimId
    source_type: str
    source_id: str
    tier_at_write: int
    wrote_at: str


@dataclass(frozen=True, slots=True)
class ProvenanceFound:
    """Rows in order of the ids of their claims, each claim's by time.

    Attributes:
        claims_by_source: source type -> how many claims of these rows have it, the most first.
        next_after: the claim after which there is more; None: that is all.
    """

    rows: tuple[Provenance, ...]
    claims_by_source: dict[str, int]
    next_after: ClaimId | None


def require_auditor(session: Session) -> None:
    """Nothing, where a person asks who may audit.

    Raises:
        ForbiddenError: `principal_may_not`; an agent's door is none for this, whatever its roles.
    """
    session.require("audit")
    if session.channel is Channel.AGENT:
        raise ForbiddenError(
            "principal_may_not",
            f"{session.principal} may not audit what everybody wrote: it is an agent, or came through an agent's door",
            next_step="a person does it, through a person's door",
            details={"principal": session.principal, "verb": "audit"},
        )


def provenance(
    session: Session,
    *,
    claim: str | None = None,
    source: str | None = None,
    known_at: str | None = None,
    after: str | None = None,
) -> ProvenanceFound:
    """What claims came from, whatever their status: of one claim, or of all that this person may see.

    What they rest on is followed to what that was made from. `source`: `tool` for every tool, `tool:Bash` for one.
    `known_at`: as far as was known then. `after`: claims with ids above this one.

    Raises:
        ForbiddenError: `principal_may_not`.
        NotFoundError: `item_not_found`, also for a claim that this person may not see.
        InvalidInputError: `choice_unknown` for another sort of source, those of `instant`.
    """
    require_auditor(session)
    _require_sort(source)
    known_us = instant_or_none(session, known_at, field="known_at")
    pages = _pages(session, claim, after, known_us)
    asked = (each for sources in pages for each in sources if _is_asked(each, source, known_us))
    found, next_after = _cut(asked)
    rows = _rows(found)
    counted = Counter(source_type for _, source_type in {(row.claim_id, row.source_type) for row in rows})
    by_source = dict(sorted(counted.items(), key=lambda each: (-each[1], each[0])))
    return ProvenanceFound(rows, by_source, next_after)


def _cut(asked: Iterable[ClaimSource]) -> tuple[list[ClaimSource], ClaimId | None]:
    """The first ROWS_MAX, to the end of a claim, and that claim where more follows: by what is seen alone."""
    found: list[ClaimSource] = []
    for each in asked:
        if len(found) >= ROWS_MAX and each.claim_id != found[-1].claim_id:
            return found, found[-1].claim_id
        found.append(each)
    return found, None


def _pages(
    session: Session, claim_id: str | None, after: str | None, known_us: int | None
) -> Iterator[tuple[ClaimSource, ...]]:
    """The sources of claims that this person may see, a page at a time; each page its own moment."""
    if claim_id is not None:
        with session.store.read() as reading:
            claim = seen_claim(session, reading, claim_id)
            if claim is None:
                raise not_found(claim_id)
            yield _sources(session, reading, (claim,), known_us)
        return
    last = None if after is None else ClaimId(after)
    while True:
        with session.store.read() as reading:
            page = reading.claims_after(last, statuses=tuple(ClaimStatus), limit=_PAGE_CLAIMS)
            sources = _sources(session, reading, seen_of(session, reading, page), known_us)
        if not page:
            return
        last = page[-1].claim_id
        yield sources


def _sources(
    session: Session, reading: Reading, claims: Sequence[Claim], known_us: int | None
) -> tuple[ClaimSource, ...]:
    """The sources of claims that this person sees, but for records that they don't see."""
    sources = reading.claim_sources([claim.claim_id for claim in claims])
    stored = reading.records_by_ids(list(dict.fromkeys(each.record_id for each in sources)))
    seen = {each.record.record_id: each.record for each in seen_records(session, reading, stored)}
    told = (each for each in sources if each.record_id in seen)
    return tuple(told_tool(session, reading, each, seen[each.record_id], known_us) for each in told)


def _is_asked(each: ClaimSource, source: str | None, known_us: int | None) -> bool:
    is_of_sort = source is None or each.source_type == source or each.source_type.startswith(f"{source}:")
    return is_of_sort and (known_us is None or each.wrote_at_us <= known_us)


def _rows(sources: Sequence[ClaimSource]) -> tuple[Provenance, ...]:
    """One row for each source of a claim, however many records are of it: the first in time."""
    first: dict[tuple[ClaimId, str, str], ClaimSource] = {}
    for each in sources:
        first.setdefault((each.claim_id, each.source_type, each.source_id), each)
    return tuple(
        Provenance(each.claim_id, each.source_type, each.source_id, each.tier_at_write, format_time(each.wrote_at_us))
        for each in first.values()
    )


def _require_sort(source: str | None) -> None:
    if source is not None and source.partition(":")[0] not in _SORTS:
        raise InvalidInputError(
            "choice_unknown",
            f"source is none of the sorts that there are: {', '.join(_SORTS)}",
            next_step="name a sort, such as tool, or one source, such as tool:Bash",
            details={"field": "source"},
        )
