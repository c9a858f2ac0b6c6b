"""Contested: which claims answer nothing yet, because an equal says otherwise and nobody has said which is so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from heedful.claims.claim import Claim
from heedful.claims.decide import Because
from heedful.evidence.packet import ConflictNote
from heedful.kernel.ids import ClaimId
from heedful.recall.candidate import ClaimCandidate, RecordCandidate, Scored

_DOUBTFUL = frozenset({Because.PEERS, Because.MERGED_SUBJECTS})


def contested(claims: Iterable[Claim], conflicts: Mapping[ClaimId, tuple[ConflictNote, ...]]) -> tuple[Claim, ...]:
    """Those of the claims that have an open conflict with a peer, or across a merge of subjects, in order.

    Where a confirmation is waited for, the standing claim holds meanwhile, and is not contested.
    """
    if not conflicts:
        return ()
    return tuple(
        claim for claim in claims if any(note.because in _DOUBTFUL for note in conflicts.get(claim.claim_id, ()))
    )


def contested_among(
    in_mind: Sequence[Claim], kept: Sequence[Scored], conflicts: Mapping[ClaimId, tuple[ConflictNote, ...]]
) -> frozenset[ClaimId]:
    """The contested claims that what was asked hangs on: all in mind, and of those found what nothing beats.

    What was found answers by the share of the question that it has. A contested claim that something else beats there,
    a record that it does not rest on too, spoils no answer.
    """
    if not conflicts:
        return frozenset()
    held = contested(in_mind, conflicts)
    doubtful = contested((one.candidate.claim for one in kept if isinstance(one.candidate, ClaimCandidate)), conflicts)
    ids = {claim.claim_id for claim in (*held, *doubtful)}
    resting = {record_id for claim in (*held, *doubtful) for record_id in claim.evidence}
    best = {False: 0.0, True: 0.0}
    for one in kept:
        candidate = one.candidate
        if isinstance(candidate, RecordCandidate) and candidate.record.record_id in resting:
            continue
        is_doubtful = candidate.item_id in ids
        best[is_doubtful] = max(best[is_doubtful], candidate.coverage)
    found = doubtful if best[True] >= best[False] else ()
    return frozenset(claim.claim_id for claim in (*held, *found))
