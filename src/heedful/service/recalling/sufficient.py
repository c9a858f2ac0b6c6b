"""Sufficient: whether what is in mind and what was found are enough for a request, and what speaks for that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.lifecycle import is_changing
from heedful.claims.projections.causality import edges_among
from heedful.evidence.sufficiency import Found, Sufficiency, judge_sufficiency
from heedful.kernel.ids import ClaimId, RecordId
from heedful.observations.record import Record
from heedful.recall.candidate import ClaimCandidate, RecordCandidate
from heedful.recall.request import MemoryRequest, TaskClass
from heedful.recall.select import Selection
from heedful.service.recalling.causes_near import reads_among
from heedful.service.recalling.in_mind import InMind
from heedful.service.session import Session


def sufficiency_of(
    session: Session,
    request: MemoryRequest,
    mind: InMind,
    selection: Selection,
    *,
    grounds: Mapping[RecordId, Record],
    degraded: Sequence[str],
    established: Collection[ClaimId],
    retired: Sequence[Claim],
    stale: int = 0,
    contested: Collection[ClaimId] = (),
    taken_back: Collection[str] = (),
    is_of_experience: bool = False,
) -> Sufficiency:
    """The label for what is in mind and was found, and for what no longer holds or is known to be out of date."""
    ended = Counter(mind.ended)
    # What is out of date was not taken back: it is stale.
    ended[ClaimStatus.QUARANTINED] -= sum(map(is_changing, mind.ended_claims))
    ended[ClaimStatus.SUPERSEDED] += stale
    if request.task_class in ("gotcha", "premise"):
        ended[ClaimStatus.SUPERSEDED] += len(retired)
    ended[ClaimStatus.REVOKED] += 0 if is_of_experience else len(taken_back)
    # What says only what was taken back is shown, and answers nothing.
    kept = tuple(one for one in selection.kept if one.candidate.item_id not in taken_back)
    records = [one.candidate.record for one in kept if isinstance(one.candidate, RecordCandidate)]
    related = (*records, *grounds.values()) if request.task_class == "causal" else ()
    found = Found(
        in_mind=mind.claims,
        # A claim without a word of the question may be worth reading, but it answers nothing.
        retrieved=[
            one.candidate.claim for one in kept if isinstance(one.candidate, ClaimCandidate) and one.candidate.terms
        ],
        records=records,
        grounds=grounds,
        coverage=max((one.candidate.coverage for one in kept), default=0.0),
        ended=ended,
        degraded=degraded,
        established=established,
        contested=contested,
        edges=edges_among(related, reads=reads_among(related, session.registry.policy)),
    )
    # Where nothing was done or seen that bears on it, a question that was not said to be of a class is a general one.
    task_class: TaskClass = "general" if request.task_class == "auto" else request.task_class
    return judge_sufficiency(task_class, request.impact, found, subjects=(), as_of_us=request.as_of_us)
