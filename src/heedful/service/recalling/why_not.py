"""Why not: why a claim that somebody may see does not come to mind for a request of theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from heedful.bridges.links import links_of
from heedful.bridges.request import ClassMatch
from heedful.bridges.why_not import Explained, Reason, Way, explain_silence
from heedful.claims.claim import Claim
from heedful.kernel.ids import ClaimId
from heedful.ports.store import Reading
from heedful.recall.request import MemoryRequest
from heedful.service.governing.approve_bridge import pending_now
from heedful.service.governing.modes import modes_now
from heedful.service.recalling.candidates import as_it_stood
from heedful.service.recalling.in_mind import bring_to_mind
from heedful.service.requests import classify_for
from heedful.service.session import Session
from heedful.service.sight import not_found, seen_claim, seen_of, told_claim, visible_for_request


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Whether a claim comes to mind for a request, and what stands in its way.

    Attributes:
        outcome: `shadow`: it would, if what is in shadow counted; `crowded`: nothing stands in its way, and more
            decision states bear on the request than are looked at.
        reasons: what stands in the way, the claim's own first; empty where it comes to mind. A packet may still leave
            out for its budget what comes to mind, and says so.
        classes: what the request is taken for, surest first; `hints` are too unlikely to count by themselves.
        ways: from those classes, over the bridges, to the claim; the nearest first.
        urgency, urgency_min: what it comes to, and what is needed, 0 to 1.
    """

    claim: Claim
    outcome: Literal["in-mind", "shadow", "silent", "crowded"]
    reasons: tuple[Reason, ...]
    classes: tuple[ClassMatch, ...]
    hints: tuple[ClassMatch, ...]
    ways: tuple[Way, ...]
    urgency: float
    urgency_min: float


def why_not(session: Session, claim_id: str, request: MemoryRequest) -> WhyNot:
    """Why the claim does not come to mind for this request, as this session would ask it.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: `scope_empty`, `action_class_unknown`.
        NotFoundError: `item_not_found`, also for a claim that the session may not see.
    """
    session.require("recall")
    visible = visible_for_request(session, request.scope)
    classified = classify_for(session, request.features, request.scope)
    with session.store.read() as reading:
        claim = seen_claim(session, reading, claim_id)
        if claim is None:
            raise not_found(claim_id)
        beside = seen_of(session, reading, same_words(reading, claim))
        mind = bring_to_mind(session, reading, visible, request, classified)
        explained = explain_silence(
            as_it_stood(claim, request.as_of_us),
            classified,
            session.registry,
            modes_now(reading, session.registry),
            at_us=request.as_of_us,
            request_scope=request.scope,
            urgency_min=session.urgency_min,
            beside=[as_it_stood(each, request.as_of_us) for each in beside],
            links=links_of(request.features, [claim], session.registry),
            unapproved=[each.bridge_id for each in pending_now(reading, session.registry)],
        )
    is_in_mind = any(each.claim_id == claim.claim_id for each in mind.claims)
    return WhyNot(
        claim=told_claim(session, claim),
        outcome=_outcome(explained, is_in_mind=is_in_mind),
        reasons=explained.reasons,
        classes=classified.classes,
        hints=classified.hints,
        ways=explained.ways,
        urgency=explained.urgency,
        urgency_min=explained.urgency_min,
    )


def same_words(reading: Reading, claim: Claim) -> Sequence[Claim]:
    """The other claims that rest on the same records by the same words, whoever may see them."""
    found: dict[ClaimId, Claim] = {}
    for record_id in claim.evidence[:1]:  # they have all their evidence in common
        for each in reading.claims_on(record_id):
            if (
                each.claim_id != claim.claim_id
                and each.evidence == claim.evidence
                and each.statement == claim.statement
            ):
                found[each.claim_id] = each
    return tuple(found.values())


def _outcome(explained: Explained, *, is_in_mind: bool) -> Literal["in-mind", "shadow", "silent", "crowded"]:
    if is_in_mind:
        return "in-mind"
    # The two walk the same conditions; only that not all claims are looked at can part them.
    return "crowded" if explained.outcome == "in-mind" else explained.outcome
