"""Asked ends: what people end by saying so: back to the default, or forget what I said. Only of their own words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from heedful.claims.asked_ends import AskedEnd, AskedLine
from heedful.claims.claim import LIVE, RULE_FORMS, UNREVIEWED, Claim, ClaimStatus
from heedful.claims.lifecycle import REJECTED, REVOKED, SERVICE_ACTOR
from heedful.claims.said import object_of, said_in
from heedful.kernel.ladder import Tier
from heedful.ledger.belief_events import ClaimBounded
from heedful.ledger.events import ClaimTransitioned, Event
from heedful.observations.record import Record
from heedful.ports.store import Writing
from heedful.service.belief.over import ended_by_words, holds_beyond
from heedful.service.keeping.facts import is_same_speaker
from heedful.service.keeping.keep import AHEAD_OF_CLOCK, Prepared
from heedful.service.keeping.keep_claims import ClaimNote
from heedful.service.session import Session
from heedful.service.sight import denied_to, seen_of, visible_in

ABOUT_MAX = 1_000
"""Claims of one subject, the newest, among which is looked for what is to be forgotten."""


def with_asked_ends(session: Session, writing: Writing, prepared: Prepared) -> Prepared:
    """The same, with the ends that its lines ask for; where a line names nothing for sure, that is a problem.

    A claim ends that its own speaker said, in the record's scope and classification, that is no rule, not pinned and
    not of an operator's authority. Back to the default: it held until then. Forgotten: it is revoked, as if never said.
    """
    record = prepared.record
    if record is None or prepared.outcome != "admitted" or not prepared.asked:
        return prepared
    unseen = denied_to(session, writing, (), [note.kind for note in prepared.claims])
    found: dict[str, tuple[AskedEnd, Claim]] = {}
    problems: list[str] = []
    for line in prepared.asked:
        claims = [
            each
            for each in _meant(session, writing, record, line)
            # Whoever does not see these words must not see either that something ended by them.
            if _is_theirs(writing, each, record) and unseen <= denied_to(session, writing, each.evidence)
        ]
        found |= {claim.claim_id: (line.end, claim) for claim in claims}
        if not claims:
            problems.append(
                "nothing that was said before is ended: `heedful retract CLAIM` takes back a claim that you name"
            )
    events = [event for end, claim in found.values() for event in _ends(end, claim, record)]
    return replace(
        prepared,
        events=(*prepared.events, *events),
        problems=(*prepared.problems, *dict.fromkeys(problems)),
        ended=(
            *prepared.ended,
            *(ClaimNote(each.claim_id, each.kind, each.statement, _after(end)) for end, each in found.values()),
        ),
    )


def _meant(session: Session, writing: Writing, record: Record, line: AskedLine) -> Sequence[Claim]:
    subject = line.subject or next(iter(record.scope.elements), "tenant")
    about = writing.claims_about(visible_in(session, (record.scope,)), subject, limit=ABOUT_MAX)
    standing = [
        claim
        for claim in about
        if claim.status in LIVE
        and claim.scope == record.scope
        and claim.classification is record.classification
        and _is_meant(claim, line)
    ]
    return seen_of(session, writing, standing)


def _is_meant(claim: Claim, line: AskedLine) -> bool:
    if line.end.how == "default":
        return claim.kind == line.kind and claim.property == (line.property_name or line.kind)
    if line.kind is not None and claim.kind != line.kind:
        return False
    wanted = line.end.about.casefold()
    said = said_in(line.end.about)
    if said is not None and (claim.property, claim.value) == (said.property, said.value):
        return True
    return wanted in (object_of(claim.statement).casefold(), claim.property.partition(": ")[2])


def _is_theirs(writing: Writing, claim: Claim, record: Record) -> bool:
    may_end = claim.tier < Tier.OPERATOR and claim.form not in RULE_FORMS and not claim.pinned
    return may_end and is_same_speaker(writing, claim, record)


def _ends(end: AskedEnd, claim: Claim, record: Record) -> Iterator[Event]:
    at_us, reason = record.occurred.at_us, ended_by_words(record.record_id)
    if end.how == "forget":
        how = REJECTED if claim.status in UNREVIEWED else REVOKED
        reason = f"{how}retracted, by what record {record.record_id} says"
    elif claim.status is ClaimStatus.ACTIVE and AHEAD_OF_CLOCK not in record.flags and holds_beyond(claim, at_us):
        yield ClaimBounded(claim.claim_id, claim.valid_from_us, at_us, SERVICE_ACTOR, reason, None)
    yield ClaimTransitioned(claim.claim_id, claim.status, _after(end), SERVICE_ACTOR, reason)


def _after(end: AskedEnd) -> ClaimStatus:
    return ClaimStatus.REVOKED if end.how == "forget" else ClaimStatus.SUPERSEDED
