"""Across: claims of two subjects that are one, and that cannot both be so. Nothing is decided: a person is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.compare import are_comparable, are_equal
from heedful.claims.conflict import Outcome
from heedful.claims.decide import Because
from heedful.claims.merge import Merge
from heedful.kernel.ids import ClaimId, ConflictId
from heedful.ledger.belief_events import ConflictDetected
from heedful.ledger.events import ClaimProposed, ClaimTransitioned, Event
from heedful.policy.decide import readable_scopes
from heedful.ports.store import Writing
from heedful.service.belief.questions import asked
from heedful.service.belief.weigh import ALIKE_MAX, comparator_of, has_stopped
from heedful.service.merging.joined import MERGES_MAX, joins_for_all_of
from heedful.service.session import Session
from heedful.service.sight import denied_to, seen_of, visible_in

ASKED_MAX = 100
"""Questions that are asked at once."""


def asked_across(session: Session, writing: Writing, events: Sequence[Event]) -> list[ConflictDetected]:
    """The questions about claims that became active by these events, which the views have taken in.

    Nothing is read where none did, and one statement where no merge is near.
    """
    active = [e.claim_id for e in events if isinstance(e, ClaimTransitioned) and e.to_status == ClaimStatus.ACTIVE]
    if not active:
        return []
    proposed = {each.claim_id: each for each in events if isinstance(each, ClaimProposed)}
    unknown = [each for each in dict.fromkeys(active) if each not in proposed]
    stored = writing.claims_by_ids(unknown) if unknown else ()
    told = [(proposed[each].scope, proposed[each].kind) for each in active if each in proposed]
    told += [(each.scope, each.kind) for each in stored]
    kinds = session.registry.vocabulary.kinds
    scopes = {scope for scope, kind in told if kind in kinds and kinds[kind].cardinality == "one"}
    near = dict.fromkeys(
        each
        for scope in sorted(scopes, key=lambda scope: scope.key)
        for each in readable_scopes(session.registry.policy, session.principal, scope)
    )
    merges = writing.merges(visible_in(session, tuple(near)), only_joined=True, limit=MERGES_MAX) if near else ()
    if not merges:
        return []
    found: list[ConflictDetected] = []
    asked_of: set[ClaimId] = set()
    for claim in seen_of(session, writing, writing.claims_by_ids(list(dict.fromkeys(active)))):
        alike = _alike(session, writing, merges, claim)
        pairs = [(claim, each) for each in alike if each.claim_id not in asked_of]
        found += questions_of(session, writing, pairs, limit=ASKED_MAX - len(found))
        asked_of.add(claim.claim_id)
    return found


def pairs_of(session: Session, claims: Iterable[Claim], merges: Sequence[Merge]) -> Iterator[tuple[Claim, Claim]]:
    """The pairs of claims that say something of one property of two subjects which are one, in ledger order."""
    groups: dict[tuple[object, ...], list[Claim]] = {}
    for claim in sorted(claims, key=lambda claim: (claim.position, claim.claim_id)):
        groups.setdefault((claim.scope.key, claim.classification, claim.property), []).append(claim)
    for group in groups.values():
        joins = joins_for_all_of(session, merges, group[0])
        for left, right in combinations(group, 2):
            if left.subject != right.subject and joins.are_one(left.subject, right.subject):
                yield left, right


def questions_of(
    session: Session, writing: Writing, pairs: Iterable[tuple[Claim, Claim]], *, limit: int
) -> list[ConflictDetected]:
    """A question for every pair of which both claims cannot be so, at most `limit`; none that is asked already."""
    contradicting = [pair for pair in pairs if _contradict(session, *pair)]
    flagged = [each.claim_id for pair in contradicting for each in pair if each.conflicts_open]
    open_now = writing.conflicts_of(list(dict.fromkeys(flagged)), only_open=True) if flagged else ()
    known = {frozenset((each.standing_id, each.newcomer_id)) for each in open_now}
    found: list[ConflictDetected] = []
    for pair in contradicting:
        standing, newcomer = sorted(pair, key=lambda claim: (claim.position, claim.claim_id))
        if len(found) >= limit or frozenset((standing.claim_id, newcomer.claim_id)) in known:
            continue
        # Whoever sees the one sees the other, or its end would tell of what they do not see.
        if denied_to(session, writing, standing.evidence) != denied_to(session, writing, newcomer.evidence):
            continue
        question = asked(Because.MERGED_SUBJECTS, standing.claim_id, newcomer.claim_id)
        found.append(
            ConflictDetected(
                ConflictId(session.new_id()),
                standing.claim_id,
                newcomer.claim_id,
                Outcome.ASK,
                Because.MERGED_SUBJECTS,
                question,
            )
        )
    return found


def _alike(session: Session, writing: Writing, merges: Sequence[Merge], claim: Claim) -> list[Claim]:
    """The active claims of the same property of every other subject that is one with the claim's, of those in sight."""
    if claim.status is not ClaimStatus.ACTIVE or comparator_of(session, claim) is None:
        return []
    found: list[Claim] = []
    for subject in joins_for_all_of(session, merges, claim).others(claim.subject):
        found += writing.claims_alike(
            claim.scope,
            claim.classification,
            subject,
            claim.property,
            statuses=(ClaimStatus.ACTIVE,),
            limit=ALIKE_MAX,
        )
    return list(seen_of(session, writing, found))


def _contradict(session: Session, left: Claim, right: Claim) -> bool:
    comparator, now_us = comparator_of(session, left), session.clock.now_us()
    return (
        comparator is not None
        and comparator_of(session, right) is not None
        and are_comparable(replace(left, subject=right.subject), right, comparator)
        and left.valid.overlaps(right.valid)
        and not (has_stopped(left, now_us) or has_stopped(right, now_us))
        and not are_equal(left.value, right.value, comparator)
    )
