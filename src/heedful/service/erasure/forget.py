"""Forget: what is asked for is erased, with all that was made of it; or, as a dry run, told beforehand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from heedful.kernel.errors import FaultError
from heedful.kernel.ids import ErasureId, RecordId
from heedful.kernel.kept import forget_texts
from heedful.observations.record import Channel
from heedful.policy.decide import is_agent, may
from heedful.ports.store import Reading
from heedful.service.erasure.closure import Closure, closure_of
from heedful.service.erasure.erase import Asked, erase_whole
from heedful.service.erasure.receipt import Receipt, receipt_told
from heedful.service.erasure.room import with_room
from heedful.service.erasure.select import Because, By, Seeds, Selection, digest_of, seeds
from heedful.service.governing.propose_bridge import seen_proposal
from heedful.service.merging.merge import seen_merge
from heedful.service.requests import choice
from heedful.service.session import Session
from heedful.service.sight import is_kept_from, not_found, seen_claim, seen_record

LISTED_MAX = 10_000
"""Items that a dry run lists; it counts them all."""


@dataclass(frozen=True, slots=True)
class Planned:
    """An item that goes: `record`, `claim`, `conflict`, `proposal` or `merge`, and why."""

    item: str
    item_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """What an erasure would take, as it stands now; nothing was changed.

    Attributes:
        items: those that this person may see, in the order in which they are found; the first 10,000.
        records, claims, conflicts, proposals, merges: how many of each this person may see.
        withheld: how many more go that they may not see; None for those who may not audit.
        held: records among all of them that a hold keeps; None for those who may not hold.
    """

    by: str
    items: tuple[Planned, ...]
    records: int
    claims: int
    conflicts: int
    proposals: int
    merges: int
    withheld: int | None
    held: int | None


def plan(session: Session, selection: Selection) -> ForgetPlan:
    """What `forget` would take.

    Raises:
        ForbiddenError: `principal_may_not`.
        NotFoundError: `item_not_found`.
    """
    items: dict[str, Planned] = {}
    withheld: set[str] = set()
    held: set[str] = set()
    policy = session.registry.policy
    may_hold = may(policy, session.principal, "hold").allowed
    with session.store.read() as reading:
        _require(session, reading, selection)
        for page in _pages(reading, selection):
            # Who may not know of a hold is told what would go without it: to them it will look gone.
            found = closure_of(reading, page, holds_count=may_hold)
            held.update(found.held)
            for item, item_id, is_seen in _told(session, reading, found):
                if is_seen:
                    items[item_id] = Planned(item, item_id, found.reasons[item_id])
                else:
                    withheld.add(item_id)
    counts = Counter(each.item for each in items.values())
    return ForgetPlan(
        by=selection.by.value,
        items=tuple(items.values())[:LISTED_MAX],
        records=counts["record"],
        claims=counts["claim"],
        conflicts=counts["conflict"],
        proposals=counts["proposal"],
        merges=counts["merge"],
        withheld=len(withheld) if may(policy, session.principal, "audit").allowed else None,
        held=len(held) if may_hold else None,
    )


def forget(session: Session, selection: Selection, *, because: str = "request") -> Receipt:
    """The receipt of the stage `logical`: nobody is shown any of it any more, and no rebuild brings it back.

    The other stages are the job `erase`'s. A selection of many items is taken in several transactions; where one fails,
    what went before stays gone, and asking again goes on.

    Raises:
        ForbiddenError: `principal_may_not`: it takes the right to erase, or one's own words; never an agent's.
        NotFoundError: `item_not_found`, also for what this person may not see.
        InvalidInputError: `choice_unknown`.
        ConflictError: `dependants_too_many`.
        BusyError, UnavailableError: the store.
    """
    noted = choice(Because, because, field="because")
    with session.store.read() as reading:
        _require(session, reading, selection)
    digest = digest_of(session, selection)
    erasure_id, by = ErasureId(session.new_id()), selection.by.value
    asked = Asked(erasure_id, session.principal, noted.value, by, digest, selection.names)
    with_room(session, session.access.flush)
    after: int | None = 0
    try:
        while after is not None:
            page = partial(seeds, selection=selection, after=after)
            after = erase_whole(session, asked, page, is_first=not after)
    finally:
        forget_texts()
    with session.store.read() as reading:
        erasure = reading.erasure(asked.erasure_id)
        assert erasure is not None, "its first page is always written"
        return receipt_told(session, reading, erasure)


def _pages(reading: Reading, selection: Selection) -> Iterator[Seeds]:
    after: int | None = 0
    while after is not None:
        page = seeds(reading, selection, after=after)
        yield page
        after = page.after


def _require(session: Session, reading: Reading, selection: Selection) -> None:
    """Nothing, where the principal may erase this: policy says so, or they are their own words, through their own door.

    Raises:
        ForbiddenError: `principal_may_not`.
        NotFoundError: `item_not_found`.
    """
    policy, principal = session.registry.policy, session.principal
    is_person = session.channel is not Channel.AGENT and not is_agent(policy, principal)
    own = is_person and selection.by is By.PRINCIPAL and selection.names == (principal,)
    if selection.by is By.RECORD:
        known = (each for each in seeds(reading, selection, after=0).records if not is_kept_from(session, each))
        stored = {each.record.record_id: each.record for each in known}
        for name in selection.names:
            is_own = name in stored and stored[RecordId(name)].principal == principal
            if not is_own and seen_record(session, reading, name) is None:
                raise not_found(name)
        own = is_person and all(each.principal == principal for each in stored.values())
    if not own:
        session.require("erase")
    if selection.by is By.TENANT:
        raise FaultError(
            "forget_tenant_by_page", "a whole tenant goes by service/erasure/tenant.py, and not page by page"
        )


def _told(session: Session, reading: Reading, found: Closure) -> Iterator[tuple[str, str, bool]]:
    """What goes, item by item, and whether the session may see it."""
    for record_id in found.records:
        yield "record", record_id, seen_record(session, reading, record_id) is not None
    seen = {each for each in found.claims if seen_claim(session, reading, each) is not None}
    for claim_id in found.claims:
        yield "claim", claim_id, claim_id in seen
    for conflict in found.conflicts:
        both = all(
            each in seen or seen_claim(session, reading, each) is not None
            for each in (conflict.standing_id, conflict.newcomer_id)
        )
        yield "conflict", conflict.conflict_id, both
    for merge in found.merges:
        yield "merge", merge.merge_id, seen_merge(session, reading, merge.merge_id) is not None
    for proposal in found.proposals:
        is_seen = seen_proposal(session, reading, proposal.proposal_id) is not None
        yield "proposal", proposal.proposal_id, is_seen
