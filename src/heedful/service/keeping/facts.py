"""Facts: what a record's own words tell, by kind -> claims that are proposed, and claims that are over.

Nothing that is read here becomes active by itself: it is proposed, as unreviewed as policy lets it be, resting on the
record, with what told it beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from heedful.bridges.news import END_MIN, news_in
from heedful.bridges.over import SOMEBODY_ELSE, Ending, endings_in, spoken_of
from heedful.bridges.sentences import is_prose, names_others, own_words
from heedful.bridges.tell import CONFIDENCE_MAX, PERSONAL, Fact, facts_of, texts_read
from heedful.claims.assurance import APPROVES
from heedful.claims.claim import TO_ACTIVE, Claim, ClaimStatus
from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.kernel.ids import ClaimId
from heedful.kernel.label import Label
from heedful.kernel.ladder import Classification, Tier
from heedful.ledger.events import ClaimTransitioned, Event
from heedful.observations.grade import SPEAKS_FOR_ANOTHER
from heedful.observations.instructions import ADDRESSES_AGENT
from heedful.observations.quoting import QUOTES_MEMORY
from heedful.observations.record import Record, RecordType, SourceGrade
from heedful.observations.speaking import is_said_by_person
from heedful.ports.store import Reading, Writing
from heedful.service.belief.meant import likeliest
from heedful.service.belief.over import ended_by_words
from heedful.service.keeping.propose import ClaimDraft
from heedful.service.session import Session
from heedful.service.sight import denied_to, visible_in

TOLD_CHARACTERS_MAX = 4_000
"""Longer texts are documents to be looked up, not somebody telling something."""
TOOL_CHARACTERS_MAX = 1_000
"""Longer output of tools is data of all sorts, and what it seems to tell is chance."""
HELD_MAX = 1_000
"""Claims, the oldest at each classification, that what is said to be over is weighed with: of the domains spoken of,
and as many of any where meaning tells what is meant."""
_READ = frozenset(
    {
        RecordType.MESSAGE,
        RecordType.HUMAN_NOTE,
        RecordType.OBSERVATION,
        RecordType.DOCUMENT,
        RecordType.TOOL_RESULT,
    }
)
# What an agent says of itself, and summaries of what is here already, tell nothing new.
_SPEAKERS = frozenset({SourceGrade.USER, SourceGrade.OPERATOR, SourceGrade.TOOL, SourceGrade.DOCUMENT})
AHEAD_TEXTS_MAX = 2_000
"""Texts read ahead of one batch: the router keeps the answers of twice as many."""


def read_ahead(session: Session, contents: Iterable[str | bytes]) -> None:
    """The router reads at once what it will be asked of these contents, one after another."""
    router = session.router
    if router is None:
        return
    texts = (each if isinstance(each, str) else each.decode("utf-8", "replace") for each in contents)
    parts = (part for text in texts if len(text) <= TOLD_CHARACTERS_MAX for part in texts_read(own_words(text)))
    router.read_ahead(list(islice(parts, AHEAD_TEXTS_MAX)))


def facts_in(session: Session, record: Record) -> tuple[Fact, ...]:
    """The facts that the record's words tell; none where nobody speaks, or a classifier is not configured."""
    router = session.router
    words = None if router is None else _words_of(record)
    if router is None or words is None:
        return ()
    return facts_of(words, session.registry, router.tell, scope=record.scope)


def endings_of(session: Session, record: Record) -> tuple[Ending, ...]:
    """What the record's words may say is over. Only a person's own words end anything."""
    router = session.router
    is_own = is_said_by_person(record) and SPEAKS_FOR_ANOTHER not in record.flags
    words = None if router is None or not is_own else _words_of(record)
    if router is None or words is None:
        return ()
    by_meaning = news_in(words, session.registry, router.tell, router.likeness)
    found = endings_in(words, session.registry, router.tell) if by_meaning is None else by_meaning
    if not any(each.startswith(PERSONAL) for each in record.scope.elements):
        return found
    # A colleague's news is news of one's project, and none of oneself.
    return tuple(
        replace(each, relation=SOMEBODY_ELSE) if each.relation is None and names_others(each.text) else each
        for each in found
    )


def is_heard(record_type: RecordType, grade: SourceGrade, content: str | bytes) -> bool:
    """True where somebody may tell something there: not what an agent says, nor data."""
    text = content if isinstance(content, str) else content.decode("utf-8", "replace")
    if record_type not in _READ or grade not in _SPEAKERS or len(text) > TOLD_CHARACTERS_MAX:
        return False
    if grade is SourceGrade.TOOL or record_type is RecordType.TOOL_RESULT:
        return len(text) <= TOOL_CHARACTERS_MAX and is_prose(text)
    return True


def _words_of(record: Record) -> str | None:
    """What is read; None where nobody speaks, what speaks is data or an agent, orders an agent about, or quotes us."""
    if record.content is None or not {ADDRESSES_AGENT, QUOTES_MEMORY}.isdisjoint(record.flags):
        return None
    if any(name == APPROVES for name, _ in record.attributes):
        return None  # that an action may be done tells nothing that would bear on it
    return own_words(record.content) if is_heard(record.type, record.grade, record.content) else None


def draft_of_fact(fact: Fact, record: Record) -> ClaimDraft:
    """The draft that a fact asks for."""
    speaker = record.scope.elements[0] if record.scope.elements else "tenant"
    return ClaimDraft(
        kind=fact.kind,
        statement=fact.statement,
        subject=speaker if fact.relation is None else f"{speaker}/{fact.relation}",
        property=None,
        value=None,
        form=None,
        applies_to=None,
        not_for=None,
        since_us=None,
        until_us=None,
        confidence=fact.confidence,
        told_by=fact.because,
    )


def ended_claims(
    session: Session, writing: Writing, record: Record, told: Collection[str], endings: tuple[Ending, ...]
) -> tuple[tuple[Ending, Claim], ...]:
    """The claims of the record's own scope that its words say are over, each with those words; the likeliest to each.

    Each ends as it would if all were gone that not everybody sees who sees it: words of a label that its own does not
    dominate end nothing, and no such claim is a rival. `told` are the kinds of what the record itself tells.
    Nothing ends on a higher authority than theirs: an OPERATOR's claim leaves with an operator's confirmation alone.
    """
    words_unseen = denied_to(session, writing, (), told)
    return tuple(
        (ending, claim)
        for rivals in rivals_of(session, writing, record, endings)
        for ending, claim in likeliest(session, endings, rivals.claims)
        if (claim.classification, rivals.unseen[claim.claim_id]) == (rivals.classification, rivals.unseen_by)
        and _label(claim).dominates(_label(record))
        and words_unseen <= rivals.unseen_by
    )


@dataclass(frozen=True, slots=True)
class Rivals:
    """Claims of one record's scope that words may end, as one label sees them.

    Attributes:
        unseen_by: the principals to whom all that is denied is.
        unseen: of each claim, those to whom it is.
    """

    classification: Classification
    unseen_by: frozenset[str]
    claims: list[Claim]
    unseen: Mapping[ClaimId, frozenset[str]]


def rivals_of(session: Session, reading: Reading, record: Record, endings: tuple[Ending, ...]) -> Iterator[Rivals]:
    """What the endings are weighed with, label by label; nothing is weighed here, so no embedder is asked."""
    domains = spoken_of(endings)
    by_meaning = any(each.heard is not None for each in endings)
    if not domains and not by_meaning:
        return
    unseen: dict[ClaimId, frozenset[str]] = {}
    for classification in Classification:
        if not session.clearance.at_least(classification):
            break
        held = _held(session, reading, record, domains, classification) if domains else []
        if by_meaning:
            held += _held(session, reading, record, None, classification)
            held = list({claim.claim_id: claim for claim in held}.values())
        for claim in held:
            if claim.claim_id not in unseen:
                unseen[claim.claim_id] = denied_to(session, reading, claim.evidence)
        for unseen_by in sorted({unseen[claim.claim_id] for claim in held}, key=sorted):
            alike = [claim for claim in held if unseen[claim.claim_id] <= unseen_by]
            yield Rivals(classification, unseen_by, alike, unseen)


def _held(
    session: Session, reading: Reading, record: Record, domains: tuple[str, ...] | None, classification: Classification
) -> list[Claim]:
    """Those that words may end, of these domains or, where that is None, of any; the oldest HELD_MAX."""
    held = reading.claims(
        replace(visible_in(session, (record.scope,)), clearance=classification),
        statuses=TO_ACTIVE,
        kinds=domains,
        visibility=None,
        tier_min=Tier.UNVERIFIED,
        valid_at_us=None,
        limit=HELD_MAX,
    )
    return [claim for claim in held if claim.scope == record.scope and claim.tier < Tier.OPERATOR]


def _label(of: Claim | Record) -> Label:
    return Label(of.scope, None, of.classification, of.consent)


def is_approved(claim: Claim) -> bool:
    """True where a person has approved it, if only the first of two: words alone end it no more."""
    return claim.status is ClaimStatus.ACTIVE or bool(claim.approvals)


def moves_of_ended(
    session: Session,
    writing: Writing,
    record: Record,
    told: Collection[str],
    ended: tuple[tuple[Ending, Claim], ...],
) -> tuple[Event, ...]:
    """The moves of claims that nobody has approved and their own speaker proposed.

    Another that somebody approved waits for a person, see `ending_draft`; what somebody else said stays.

    `told` are the kinds of all that now rests on the record, of the drafts too.
    """
    reason = ended_by_words(record.record_id)
    unseen = denied_to(session, writing, (), told)
    return tuple(
        ClaimTransitioned(claim.claim_id, claim.status, ClaimStatus.SUPERSEDED, SERVICE_ACTOR, reason)
        for _, claim in ended
        if not is_approved(claim)
        and is_same_speaker(writing, claim, record)
        and unseen <= denied_to(session, writing, claim.evidence)
    )


def is_same_speaker(reading: Reading, claim: Claim, record: Record) -> bool:
    """True where the claim rests on words of the record's own speaker alone."""
    return claim.proposed_by == record.principal and all(
        each.record.speaker == record.speaker for each in reading.records_by_ids(claim.evidence)
    )


def may_tell_end(session: Session, writing: Writing, record: Record, told: Collection[str], claim: Claim) -> bool:
    """True for an approved claim where whoever does not see it does not see either what would say that it is over.

    Nor may that change who sees the record: a claim of a denied kind hides what it rests on, also from whom the claim
    would be too high.
    """
    before = denied_to(session, writing, (), told)
    unseen = denied_to(session, writing, (), (claim.kind, *told))
    is_apart = denied_to(session, writing, claim.evidence) <= unseen
    is_level = claim.classification is record.classification or unseen == before
    return is_approved(claim) and is_apart and is_level


def ending_draft(ending: Ending, claim: Claim) -> ClaimDraft:
    """The draft of the statement that an approved claim is over; whoever approves it ends that claim.

    It tells that the claim is there, so it is classified as that is.
    """
    return ClaimDraft(
        kind=claim.kind,
        statement=ending.text,
        subject=claim.subject,
        property=claim.property,
        value=False,
        form=None,
        applies_to=(),
        not_for=(),
        since_us=None,
        until_us=None,
        confidence=min(CONFIDENCE_MAX, ending.news if ending.heard is None else max(END_MIN, ending.news)),
        told_by=ending.because,
        replaces=(claim.claim_id,),
        classification=claim.classification,
    )
