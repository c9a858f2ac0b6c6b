"""Visible: a second look, after the storage query's own filter, at whether the requester may see a candidate."""

from __future__ import annotations

from collections.abc import Iterable

from heedful.kernel.errors import FaultError
from heedful.kernel.ladder import Classification, Consent
from heedful.kernel.scope import Scope
from heedful.recall.candidate import Candidate, ClaimCandidate


def require_visible(candidates: Iterable[Candidate], scopes: Iterable[Scope], clearance: Classification) -> None:
    """Nothing, where every candidate is in one of the scopes, within the clearance and not denied.

    The store filters before it counts or orders, so this never raises unless the store breaks its promise; then
    stopping beats answering with what was not to be seen.

    Raises:
        FaultError: `invisible_row`; it names no id, since that would tell.
    """
    allowed = frozenset(scopes)
    for candidate in candidates:
        label = candidate.claim if isinstance(candidate, ClaimCandidate) else candidate.record
        if (
            label.scope not in allowed
            or not clearance.at_least(label.classification)
            or label.consent is Consent.DENIED
        ):
            raise FaultError(
                "invisible_row",
                "the store answered a search with a row that the requester may not see",
                next_step="run `heedful verify` and report this; nothing of the row was handed out",
            )
