"""Sight: what a session may see; made here once, so that every verb filters alike."""

from __future__ import annotations

from heedful.claims.claim import Claim
from heedful.kernel.errors import InvalidInputError, NotFoundError
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.observations.names import shown
from heedful.policy.decide import readable_scopes
from heedful.ports.store import Reading, StoredRecord, Visible
from heedful.service.session import Session


def visible_for_request(session: Session, scope: Scope) -> Visible:
    """The scopes that apply to the request and are granted, whatever is stored in them.

    Raises:
        InvalidInputError: `scope_empty`.
    """
    if scope.is_empty:
        raise InvalidInputError(
            "scope_empty",
            "the request names no scope",
            next_step="name one, such as --scope project:payments",
            details={"field": "scope"},
        )
    return Visible(readable_scopes(session.registry.policy, session.principal, scope), session.clearance)


def visible_everywhere(session: Session, reading: Reading) -> Visible:
    """Every scope in use that is granted: for reviewers and auditors, who ask of no single matter."""
    return Visible(tuple(scope for scope in reading.scopes() if scope_granted(session, scope)), session.clearance)


def seen_record(session: Session, reading: Reading, record_id: str) -> StoredRecord | None:
    """The record, or None where there is none or the session may not see it: the two look alike."""
    stored = reading.record(RecordId(record_id))
    seen = stored is not None and _seen(session, stored.record.scope, stored.record.classification)
    return stored if seen else None


def seen_claim(session: Session, reading: Reading, claim_id: str) -> Claim | None:
    """The claim, or None where there is none or the session may not see it."""
    claim = reading.claim(ClaimId(claim_id))
    return claim if claim is not None and _seen(session, claim.scope, claim.classification) else None


def scope_granted(session: Session, scope: Scope) -> bool:
    """True where the principal reads everything of this scope."""
    return scope in readable_scopes(session.registry.policy, session.principal, scope)


def not_found(item_id: str) -> NotFoundError:
    """The one answer for an id that is not there, or not for this principal."""
    return NotFoundError(
        "item_not_found",
        f"nothing with id {shown(item_id, 64)!r} is there for you",
        next_step="`heedful review list` and `heedful recall` show ids",
        details={"id": shown(item_id, 64)},
    )


def _seen(session: Session, scope: Scope, classification: Classification) -> bool:
    return scope_granted(session, scope) and session.clearance.at_least(classification)
