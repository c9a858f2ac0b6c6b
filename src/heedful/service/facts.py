"""Facts: what a record's own words tell, by kind -> claims that are proposed, and claims that are over.

Nothing that is read here becomes active by itself: it is proposed, as unreviewed as policy lets it be, resting on the
record, with what told it beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from heedful.bridges.tell import Fact, facts_of, texts_read
from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.kernel.ids import ClaimId
from heedful.kernel.ladder import Tier
from heedful.ledger.events import ClaimTransitioned, Event
from heedful.observations.instructions import ADDRESSES_AGENT
from heedful.observations.record import Record, RecordType, SourceGrade
from heedful.observations.text import query_terms
from heedful.ports.store import Writing
from heedful.service.propose import ClaimDraft
from heedful.service.session import Session
from heedful.service.sight import visible_in

TOLD_CHARACTERS_MAX = 4_000
"""Longer texts are documents to be looked up, not somebody telling something."""
TOOL_CHARACTERS_MAX = 1_000
"""Longer output of tools is data of all sorts, and what it seems to tell is chance."""
HELD_MAX = 500
"""Claims that are compared with what is said to be over."""
SAME_KIND, SAME_FAMILY = 0.5, 0.25
OVER_MIN = 0.5
"""How alike a claim and the words that end it must be: what the kind is worth, and the share of words in common."""
MAYBE_OVER_MIN = 0.15
"""Words that may say that something is over end what is of the same kind; surer ones (tell.ENDED_MIN) also what is like
it. Of everyday utterances 1 in 100 comes so far, of statements that something holds 1 in 8."""

SHARED_MIN = 0.1

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
SPEAKERS = frozenset({SourceGrade.USER, SourceGrade.OPERATOR, SourceGrade.TOOL, SourceGrade.DOCUMENT})
_HELD = (
    ClaimStatus.PROPOSED,
    ClaimStatus.EVIDENCE_VERIFIED,
    ClaimStatus.POLICY_REVIEWED,
    ClaimStatus.ACTIVE,
)
_OWN = frozenset({SourceGrade.USER, SourceGrade.OPERATOR})


def read_ahead(session: Session, contents: Iterable[str | bytes]) -> None:
    """The router reads at once what it will be asked of these contents, one after another."""
    router = session.router
    if router is None:
        return
    texts = (each if isinstance(each, str) else each.decode("utf-8", "replace") for each in contents)
    router.read_ahead([part for text in texts if len(text) <= TOLD_CHARACTERS_MAX for part in texts_read(text)])


def facts_in(session: Session, record: Record) -> tuple[Fact, ...]:
    """The facts that the record's words tell; none where nobody speaks, or a classifier is not configured."""
    router = session.router
    if router is None or record.content is None or len(record.content) > TOLD_CHARACTERS_MAX:
        return ()
    if record.type not in _READ or record.grade not in SPEAKERS or ADDRESSES_AGENT in record.flags:
        return ()
    if record.type is RecordType.TOOL_RESULT and len(record.content) > TOOL_CHARACTERS_MAX:
        return ()
    return facts_of(record.content, session.registry, router.tell, scope=record.scope)


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


def may_end(facts: tuple[Fact, ...]) -> bool:
    """True where the words may say that something is over."""
    return any(fact.over >= MAYBE_OVER_MIN for fact in facts)


def ended_claims(
    session: Session, writing: Writing, record: Record, facts: tuple[Fact, ...]
) -> tuple[tuple[Fact, Claim], ...]:
    """The claims of the record's own scope that its words say are over, each with those words; the likest to each.

    Only a person's words end anything, and nothing on a higher authority than theirs: an OPERATOR's claim leaves with
    an operator's confirmation alone.
    """
    over = [fact for fact in facts if fact.over >= MAYBE_OVER_MIN]
    if not over or record.grade not in _OWN:
        return ()
    held = writing.claims(
        visible_in(session, (record.scope,)),
        statuses=_HELD,
        kinds=None,
        visibility=None,
        tier_min=Tier.UNVERIFIED,
        valid_at_us=None,
        limit=HELD_MAX,
    )
    own = [claim for claim in held if claim.scope == record.scope and claim.tier < Tier.OPERATOR]
    ended: dict[ClaimId, tuple[Fact, Claim]] = {}
    for fact in over:
        likest = _likest(fact, own)
        if likest is not None:
            # One sentence may have told several kinds; it is over as a whole.
            same = (each for each in own if (each.statement, each.evidence) == (likest.statement, likest.evidence))
            for claim in same:
                ended.setdefault(claim.claim_id, (fact, claim))
    return tuple(ended.values())


def moves_of_ended(record: Record, ended: tuple[tuple[Fact, Claim], ...]) -> tuple[Event, ...]:
    """The moves of claims that nobody has reviewed; an active one waits for a person, see `ending_draft`."""
    reason = f"over, by what record {record.record_id} says"
    return tuple(
        ClaimTransitioned(claim.claim_id, claim.status, ClaimStatus.SUPERSEDED, SERVICE_ACTOR, reason)
        for _, claim in ended
        if claim.status is not ClaimStatus.ACTIVE
    )


def ending_draft(fact: Fact, claim: Claim) -> ClaimDraft:
    """The draft of the statement that an active claim is over; whoever approves it ends that claim."""
    return ClaimDraft(
        kind=claim.kind,
        statement=fact.statement,
        subject=claim.subject,
        property=claim.property,
        value=False,
        form=None,
        applies_to=(),
        not_for=(),
        since_us=None,
        until_us=None,
        confidence=fact.confidence,
        told_by=fact.because,
        replaces=(claim.claim_id,),
    )


def _likest(fact: Fact, own: Sequence[Claim]) -> Claim | None:
    """The claim that the words are about; None where that is not plain.

    Where no word is shared, the kind alone tells, and only while one thing of that kind is held: of two allergies it
    would be a guess which one is over.
    """
    ranked = sorted(((_likeness(fact, claim), claim.known_from_us, claim) for claim in own), key=lambda each: each[:2])
    if not ranked:
        return None
    likeness, _, claim = ranked[-1]
    least = OVER_MIN if fact.ended else OVER_MIN + SHARED_MIN
    if likeness < least:
        return None
    rivals = {each.statement for near, _, each in ranked if near > likeness - SHARED_MIN}
    return claim if len(rivals) == 1 or likeness > SAME_KIND + SHARED_MIN else None


def _likeness(fact: Fact, claim: Claim) -> float:
    same = SAME_KIND if fact.kind == claim.kind else SAME_FAMILY if _family(fact.kind) == _family(claim.kind) else 0.0
    said, stands = set(query_terms(fact.statement)), set(query_terms(claim.statement))
    return same + len(said & stands) / max(1, min(len(said), len(stands)))


def _family(kind: str) -> str:
    return kind.rpartition(".")[0] or kind
