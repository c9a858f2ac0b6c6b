"""Sight: what a session may see; made here once, so that every verb filters alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from heedful.bridges.vocabulary import covers
from heedful.claims.claim import Claim, Visibility
from heedful.kernel.errors import InvalidInputError, NotFoundError
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.observations.names import shown
from heedful.observations.record import RecordStatus
from heedful.policy.decide import may, readable_scopes
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
    return visible_in(session, readable_scopes(session.registry.policy, session.principal, scope))


def visible_everywhere(session: Session, reading: Reading) -> Visible:
    """Every scope in use that is granted: for reviewers and auditors, who ask of no single matter."""
    return visible_in(session, tuple(scope for scope in reading.scopes() if scope_granted(session, scope)))


def visible_in(session: Session, scopes: tuple[Scope, ...]) -> Visible:
    """What the session sees in these scopes, which are granted to it."""
    return Visible(scopes, session.clearance, session.denied_kinds)


def seen_record(session: Session, reading: Reading, record_id: str) -> StoredRecord | None:
    """The record, or None where there is none or the session may not see it: the two look alike."""
    stored = reading.record(RecordId(record_id))
    # Asked of what is not there as well: the statements must not tell the two apart.
    is_denied = rests_on_denied(session, reading, (RecordId(record_id),))
    seen = stored is not None and _seen_stored(session, stored)
    return stored if seen and not is_denied else None


def seen_claim(session: Session, reading: Reading, claim_id: str) -> Claim | None:
    """The claim, or None where there is none or the session may not see it."""
    claim = reading.claim(ClaimId(claim_id))
    is_denied = rests_on_denied(session, reading, (RecordId(claim_id),) if claim is None else claim.evidence)
    seen = claim is not None and _seen_claim(session, claim)
    return claim if seen and not is_denied else None


def seen_records_of(session: Session, reading: Reading, record_ids: Sequence[RecordId]) -> tuple[StoredRecord, ...]:
    """The records of these ids that are there and that the session may see, in the order of the ids, read at once."""
    found = reading.records_by_ids(record_ids)
    # Asked of what is not there as well: the statements must not tell the two apart.
    denied = _denied_records(session, reading, record_ids)
    return tuple(each for each in found if each.record.record_id not in denied and _seen_stored(session, each))


def seen_claims_of(session: Session, reading: Reading, claim_ids: Sequence[ClaimId]) -> tuple[Claim, ...]:
    """The claims of these ids that are there and that the session may see, in the order of the ids, read at once."""
    found = {each.claim_id: each for each in reading.claims_by_ids(claim_ids)}
    evidence = {each: found[each].evidence if each in found else (RecordId(each),) for each in claim_ids}
    records = _denied_records(session, reading, [each for of_claim in evidence.values() for each in of_claim])
    denied = {each for each, of_claim in evidence.items() if not records.isdisjoint(of_claim)}
    return tuple(
        claim
        for each in claim_ids
        if (claim := found.get(each)) is not None and each not in denied and _seen_claim(session, claim)
    )


def seen_of(session: Session, reading: Reading, claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Those of the claims at hand that the session may see."""
    found = [claim for claim in claims if _seen_claim(session, claim)]
    denied = _denied_records(session, reading, [each for claim in found for each in claim.evidence])
    return tuple(claim for claim in found if denied.isdisjoint(claim.evidence))


def seen_records(session: Session, reading: Reading, stored: Iterable[StoredRecord]) -> tuple[StoredRecord, ...]:
    """Those of the records at hand that the session may see."""
    found = [each for each in stored if _seen_stored(session, each)]
    denied = _denied_records(session, reading, [each.record.record_id for each in found])
    return tuple(each for each in found if each.record.record_id not in denied)


def kinds_on(reading: Reading, record_ids: Iterable[RecordId]) -> frozenset[str]:
    """The kinds of all claims that rest on these records, whatever their status and whoever may see them."""
    return frozenset(chain.from_iterable(reading.kinds_on(list(record_ids)).values()))


def denies(session: Session, kinds: Iterable[str]) -> bool:
    """True where policy denies one of these kinds to the principal."""
    return any(covers(denied, kind) for kind in kinds for denied in session.denied_kinds)


def rests_on_denied(session: Session, reading: Reading, record_ids: Iterable[RecordId]) -> bool:
    """True where a claim of a denied kind rests on one of these records; who is denied none asks nothing."""
    return bool(session.denied_kinds) and denies(session, kinds_on(reading, record_ids))


def _denied_records(session: Session, reading: Reading, record_ids: Sequence[RecordId]) -> frozenset[RecordId]:
    """Those of the records on which a claim of a denied kind rests, in one statement; none where none is denied."""
    found = reading.kinds_on(record_ids) if session.denied_kinds and record_ids else {}
    return frozenset(each for each, kinds in found.items() if denies(session, kinds))


def denied_to_each(session: Session, reading: Reading, claims: Sequence[Claim]) -> dict[ClaimId, frozenset[str]]:
    """Claim -> what `denied_to` says of its evidence, read at once."""
    policy = session.registry.policy.principals.values()
    found = (
        reading.kinds_on([each for claim in claims for each in claim.evidence])
        if any(each.denied_kinds for each in policy) and claims
        else {}
    )
    kinds = {
        claim.claim_id: frozenset(chain.from_iterable(found.get(each, ()) for each in claim.evidence))
        for claim in claims
    }
    return {claim_id: denied_to(session, reading, (), told) for claim_id, told in kinds.items()}


def denied_to(
    session: Session, reading: Reading, record_ids: Iterable[RecordId], kinds: Iterable[str] = ()
) -> frozenset[str]:
    """Those of policy's principals to whom one of these kinds is denied, or of those on these records.

    By it two labels are compared: what is denied to nobody more is seen by whoever sees the other.
    """
    known = session.registry.policy.principals
    denying = {name: each.denied_kinds for name, each in known.items() if each.denied_kinds}
    if not denying:
        return frozenset()
    asked = list(record_ids)
    told = {*kinds, *(kinds_on(reading, asked) if asked else ())}
    return frozenset(
        name for name, denied in denying.items() if any(covers(each, kind) for kind in told for each in denied)
    )


def seen_with(session: Session, reading: Reading, claim: Claim, other: Claim) -> bool:
    """True where whoever sees the claim sees the other of the same scope too, which may then be what ended it."""
    unseen = denied_to(session, reading, other.evidence)
    return claim.classification.at_least(other.classification) and unseen <= denied_to(session, reading, claim.evidence)


def is_within_sight(session: Session, scope: Scope, around: Scope) -> bool:
    """True where the scope is part of this other one, and whoever reads that one by policy reads it too.

    The empty scope is part of every one, and is read by the grant of everything alone.
    """
    if not scope.applies_to(around):
        return False
    policy = session.registry.policy
    readers = (name for name in policy.principals if around in readable_scopes(policy, name, around))
    return not scope.is_empty or all(scope in readable_scopes(policy, name, scope) for name in readers)


def scope_granted(session: Session, scope: Scope) -> bool:
    """True where the principal reads everything of this scope."""
    return scope in readable_scopes(session.registry.policy, session.principal, scope)


def told_position(session: Session, position: int) -> int:
    """The ledger position for who may audit; 0 for others: it counts what they may not see as well."""
    return position if may(session.registry.policy, session.principal, "audit").allowed else 0


def told_record(session: Session, stored: StoredRecord) -> StoredRecord:
    """The record as it is handed out: with its position for who may audit alone."""
    record = replace(stored.record, source_ref=stored.record.told_source_ref)
    return replace(stored, record=record, position=told_position(session, stored.position))


def told_claim(session: Session, claim: Claim) -> Claim:
    """The claim as it is handed out: with its position for who may audit alone.

    And what it rests on for whom no kind is denied: the others may not learn that those claims are there.
    """
    rests_on = () if session.denied_kinds else claim.rests_on
    return replace(claim, position=told_position(session, claim.position), rests_on=rests_on)


def not_found(item_id: str, *, then: bool = False) -> NotFoundError:
    """The one answer for an id that is not there, or not for this one; `then`: or was not known at that instant."""
    return NotFoundError(
        "item_not_found",
        f"nothing with id {shown(item_id, 64)!r} is there for you",
        next_step="ask without --as-of: it may have become known later"
        if then
        else "`heedful review list`, `heedful recall --json` and `heedful conflicts` show ids",
        details={"id": shown(item_id, 64)},
    )


def sees_held(session: Session) -> bool:
    """True for who may hold or audit: to all others what was erased is gone, though a hold may keep it."""
    policy = session.registry.policy
    return any(may(policy, session.principal, verb).allowed for verb in ("hold", "audit"))


def is_kept_from(session: Session, stored: StoredRecord) -> bool:
    """True where the record was erased, and a hold keeps it that the session may not know of: it looks gone."""
    return stored.status is RecordStatus.HELD and not sees_held(session)


def _seen_stored(session: Session, stored: StoredRecord) -> bool:
    return not is_kept_from(session, stored) and _seen(session, stored.record.scope, stored.record.classification)


def _seen_claim(session: Session, claim: Claim) -> bool:
    there = claim.visibility is not Visibility.HELD or sees_held(session)
    return there and _seen(session, claim.scope, claim.classification) and not denies(session, (claim.kind,))


def _seen(session: Session, scope: Scope, classification: Classification) -> bool:
    return scope_granted(session, scope) and session.clearance.at_least(classification)
