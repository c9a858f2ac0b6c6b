"""Visible: a second look, after the storage query's own filter, at whether the requester may see a candidate."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from heedful.bridges.vocabulary import covers
from heedful.kernel.errors import FaultError
from heedful.kernel.ladder import Classification, Consent
from heedful.kernel.scope import Scope
from heedful.recall.candidate import Candidate, ClaimCandidate


def require_visible(
    candidates: Iterable[Candidate],
    scopes: Iterable[Scope],
    clearance: Classification,
    denied_kinds: Collection[str],
    kinds: Mapping[str, Iterable[str]],
) -> None:
    """Nothing, where every candidate is in one of the scopes, within the clearance and not denied, by consent or kind.

    `kinds` has, by the id of a candidate, those of all claims on the records that it is or rests on; where
    `denied_kinds` has any, each candidate is there.

    The store filters before it counts or orders, so this never raises unless the store breaks its promise; then
    stopping beats answering with what was not to be seen.

    Raises:
        FaultError: `invisible_row`; it names no id, since that would tell.
    """
    allowed = frozenset([scope.elements for scope in scopes])
    rank = clearance.rank
    for candidate in candidates:
        label = candidate.claim if isinstance(candidate, ClaimCandidate) else candidate.record
        is_outside = label.scope.elements not in allowed or label.classification.rank > rank
        if is_outside or label.consent is Consent.DENIED or _is_denied(candidate, denied_kinds, kinds):
            raise FaultError(
                "invisible_row",
                "the store answered a search with a row that the requester may not see",
                next_step="run `heedful verify` and report this; nothing of the row was handed out",
            )


def _is_denied(candidate: Candidate, denied_kinds: Collection[str], kinds: Mapping[str, Iterable[str]]) -> bool:
    if not denied_kinds:
        return False
    if isinstance(candidate, ClaimCandidate):
        near: Iterable[str] = (candidate.claim.kind, *kinds[candidate.claim.claim_id])
    else:
        near = kinds[candidate.record.record_id]
    return any(covers(denied, kind) for kind in near for denied in denied_kinds)
