"""Provisional: which gotchas and premises two independent observations establish, and which no longer hold."""

from __future__ import annotations

from collections.abc import Iterable

from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.projections.experience import (
    EXPERIENCE_FORMS,
    INDEPENDENT_MIN,
    SEEN_AGAIN,
    is_provisional,
    observations,
)
from heedful.kernel.ids import ClaimId
from heedful.kernel.ladder import Tier
from heedful.observations.text import query_terms, search_tokens
from heedful.ports.store import Reading, Visible
from heedful.recall.request import MemoryRequest
from heedful.service.belief.origins import origins_seen
from heedful.service.session import Session

RETIRED_LOOKED_AT_MAX = 200
RETIRED_TOLD_MAX = 3
"""Experience that no longer holds: the newest so many are compared with a question, and so many are told."""
_SHARED_TERMS_MIN = 2


def established_among(session: Session, reading: Reading, claims: Iterable[Claim]) -> frozenset[ClaimId]:
    """The gotchas and premises among these that rest on two independent observations, which the session may see.

    Evidence whose origin the session does not see counts for nothing, as if that were not there.
    """
    several = [claim for claim in claims if is_provisional(claim, ()) and len(claim.evidence) >= INDEPENDENT_MIN]
    if not several:
        return frozenset()
    stored = reading.records_by_ids(list(dict.fromkeys(each for claim in several for each in claim.evidence)))
    known = {each.record.record_id: each.record for each in stored if each.is_evidence}
    founded = []
    for claim in several:
        records = [known[each] for each in claim.evidence if each in known]
        if observations(records, origins_seen(session, reading, records)) >= INDEPENDENT_MIN:
            founded.append(claim.claim_id)
    return frozenset(founded)


def retired_for(session: Session, reading: Reading, visible: Visible, request: MemoryRequest) -> tuple[Claim, ...]:
    """What no longer holds, of gotchas and premises that share words with the question; the likeliest first."""
    kinds = [kind for form in EXPERIENCE_FORMS for kind in session.registry.index.kinds_of_form.get(form, ())]
    if not kinds:
        return ()
    ended = reading.claims(
        visible,
        statuses=(ClaimStatus.SUPERSEDED,),
        kinds=sorted(kinds),
        visibility=None,
        tier_min=Tier.UNVERIFIED,
        valid_at_us=None,
        limit=RETIRED_LOOKED_AT_MAX,
        newest_first=True,
    )
    if not ended:
        return ()
    asked = {*query_terms(request.features.text)}
    shared = [
        (len(asked & {*search_tokens(f"{claim.statement} {claim.subject}")}), claim)
        for claim in ended
        if not claim.status_reason.startswith(SEEN_AGAIN)
    ]
    likely = [(count, claim) for count, claim in shared if asked and count >= min(_SHARED_TERMS_MIN, len(asked))]
    likely.sort(key=lambda each: (-each[0], -each[1].position))
    return tuple(claim for _, claim in likely[:RETIRED_TOLD_MAX])
