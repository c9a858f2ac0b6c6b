"""Consent: what a person brought, or what is about them, is used no more where they say so, until they say otherwise.

Nothing is erased by it: records are withdrawn, claims that lose their evidence quarantined, and what comes later is
refused. Given again, all of that stands again which nothing else keeps away.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.lifecycle import CONSENT_GIVEN, CONSENT_WITHDRAWN, CONSENT_WITHDRAWN_EARLY, SERVICE_ACTOR
from heedful.kernel.errors import NotFoundError
from heedful.kernel.ids import ConsentId
from heedful.kernel.kept import forget_texts
from heedful.kernel.times import format_time
from heedful.ledger.erasure_events import ConsentGiven, ConsentWithdrawn
from heedful.ledger.events import ClaimTransitioned, Event, RecordConfirmed, RecordWithdrawn
from heedful.observations.record import Channel, RecordStatus
from heedful.policy.decide import is_agent, may
from heedful.policy.speaks import speaks_for
from heedful.ports.store import Reading, StoredRecord, Writing
from heedful.service.belief.activation import returned
from heedful.service.belief.claim_history import proposals
from heedful.service.belief.given_back import give_back
from heedful.service.belief.withdraw import MADE_FROM_WITHDRAWN, confirmed_with, withdrawal_of
from heedful.service.erasure.barred import barred_among, consent_key, is_without_consent
from heedful.service.erasure.closure import closure_of
from heedful.service.erasure.select import By, Seeds, Selection, seeds
from heedful.service.project import event_of
from heedful.service.session import Session, require_verb


@dataclass(frozen=True, slots=True)
class WithdrawnConsent:
    """A consent that is withdrawn: nothing that is selected by it is used.

    Attributes:
        by, name: `principal` (who brought it) or `subject` (whom it is about, with their relations).
    """

    consent_id: ConsentId
    by: str
    name: str
    withdrawn_by: str
    withdrawn_at: str


@dataclass(frozen=True, slots=True)
class ConsentChange:
    """What came of withdrawing or giving a consent.

    Attributes:
        records: how many are evidence no more, or again; None for those who may not audit, as it counts what they may
            not see.
        claims: how many were quarantined by that, or are active again; likewise.
    """

    consent: WithdrawnConsent
    records: int | None
    claims: int | None


@dataclass(slots=True)
class _Counts:
    records: int = 0
    claims: int = 0


def withdraw_consent(session: Session, selection: Selection) -> ConsentChange:
    """The consent is withdrawn when this returns: no process hands out, in any answer that begins then, what it covers.

    Asked again, nothing changes; where it was stopped half way, it goes on.

    Raises:
        ForbiddenError: `principal_may_not`: owners may, and everybody for themselves; never an agent.
        ConflictError: `dependants_too_many`.
        BusyError, UnavailableError: the store.
    """
    _require(session, selection)
    return withdraw_for(session, selection)


def withdraw_for(session: Session, selection: Selection) -> ConsentChange:
    """The same, whoever asks: where it was withdrawn before, and is again in what came out of a backup.

    Raises:
        ConflictError, BusyError, UnavailableError: as `withdraw_consent`.
    """
    counts, after = _Counts(), 0

    def work(writing: Writing) -> int | None:
        if in_force(writing, selection) is None:
            fresh = ConsentId(session.new_id())
            by, name = selection.by.value, selection.names[0]
            session.append(writing, [ConsentWithdrawn(fresh, session.principal, by, name)])
        page = seeds(writing, selection, after=after)
        _withdraw(session, writing, page.records, counts)
        return page.after

    try:
        while (last := session.store.write(work)) is not None:
            after = last
    finally:
        forget_texts()
    with session.store.read() as reading:
        consent = in_force(reading, selection)
    assert consent is not None, "it was withdrawn, and nobody else gives it"
    return _change(session, consent, counts)


def give_consent(session: Session, selection: Selection) -> ConsentChange:
    """The consent is given again: what only its withdrawal kept away is evidence again, and claims stand as they did.

    A claim that was believed is weighed against what came meanwhile.

    Raises:
        ForbiddenError: `principal_may_not`.
        NotFoundError: `consent_not_withdrawn`.
        BusyError, UnavailableError: the store.
    """
    _require(session, selection)
    counts, after = _Counts(), 0
    with session.store.read() as reading:
        found = in_force(reading, selection)
    if found is None:
        raise NotFoundError(
            "consent_not_withdrawn",
            "this consent is not withdrawn",
            next_step="`heedful consent list` shows those that are",
            details={"by": selection.by.value},
        )

    def given(writing: Writing) -> None:
        if in_force(writing, selection) is not None:
            session.append(writing, [ConsentGiven(found.consent_id, session.principal, found.by, found.name)])

    def work(writing: Writing) -> int | None:
        page = seeds(writing, selection, after=after)
        _release(session, writing, page.records, counts)
        return page.after

    session.store.write(given)
    while (last := session.store.write(work)) is not None:
        after = last
    return _change(session, found, counts)


def consents(session: Session) -> tuple[WithdrawnConsent, ...]:
    """The consents that are withdrawn, the oldest first: all, for owners and auditors, and for others their own."""
    sees_all = _may_for_all(session) or may(session.registry.policy, session.principal, "audit").allowed
    with session.store.read() as reading:
        found = all_in_force(reading)
    return tuple(each for each in found if sees_all or _is_own(session, By(each.by), each.name))


def in_force(reading: Reading, selection: Selection) -> WithdrawnConsent | None:
    """The withdrawal of this very selection, or None."""
    if not reading.erased_among((consent_key(selection.by, selection.names[0]),)):
        return None
    wanted = (selection.by.value, selection.names[0])
    return next((each for each in all_in_force(reading) if (each.by, each.name) == wanted), None)


def all_in_force(reading: Reading) -> tuple[WithdrawnConsent, ...]:
    """Every consent that is withdrawn, the oldest first."""
    given = {
        event.consent_id
        for sealed in reading.events_of("consent.given")
        if isinstance(event := event_of(sealed), ConsentGiven)
    }
    found = []
    for sealed in reading.events_of("consent.withdrawn"):
        event = event_of(sealed)
        if isinstance(event, ConsentWithdrawn) and event.consent_id not in given:
            at = format_time(sealed.envelope.recorded_at_us)
            found.append(WithdrawnConsent(event.consent_id, event.by, event.name, event.actor, at))
    return tuple(found)


def _require(session: Session, selection: Selection) -> None:
    if not _is_own(session, selection.by, selection.names[0]):
        require_verb(session.registry.policy, session.principal, session.channel, "consent")


def _may_for_all(session: Session) -> bool:
    return may(session.registry.policy, session.principal, "consent").allowed


def _is_own(session: Session, by: By, name: str) -> bool:
    """True where a person asks for themselves, or for whom they speak, through a person's door."""
    policy, principal = session.registry.policy, session.principal
    if session.channel is Channel.AGENT or is_agent(policy, principal):
        return False
    return principal == name if by is By.PRINCIPAL else speaks_for(policy, principal, name)


def _withdraw(session: Session, writing: Writing, stored: Sequence[StoredRecord], counts: _Counts) -> None:
    """These records, and all that was made of them, are evidence no more."""
    standing = [each for each in stored if not each.is_withdrawn]
    first = {each.record.record_id for each in standing}
    made = [each for each in _made_from(writing, standing) if not each.is_withdrawn]
    done = withdrawal_of(session, writing, [*standing, *made], (), CONSENT_WITHDRAWN)
    session.append(writing, [_said(each, first) for each in done.events])
    give_back(session, writing, done.unfounded)
    counts.records += len(done.records)
    counts.claims += len(done.quarantined)


def _made_from(reading: Reading, stored: Sequence[StoredRecord]) -> list[StoredRecord]:
    known = {each.record.record_id for each in stored}
    found = closure_of(reading, Seeds(tuple(stored), (), None))
    return [each for group in (found.records, found.held) for key, each in group.items() if key not in known]


def _said(event: Event, first: Iterable[str]) -> Event:
    """The event with the reason by which giving the consent again knows it."""
    if isinstance(event, RecordWithdrawn) and event.record_id not in first:
        return replace(event, actor=SERVICE_ACTOR, reason=MADE_FROM_WITHDRAWN)
    if isinstance(event, ClaimTransitioned) and event.to_status == ClaimStatus.QUARANTINED:
        was_active = event.from_status == ClaimStatus.ACTIVE
        return replace(event, reason=CONSENT_WITHDRAWN if was_active else CONSENT_WITHDRAWN_EARLY)
    return event


def _release(session: Session, writing: Writing, stored: Sequence[StoredRecord], counts: _Counts) -> None:
    """Those that nothing else keeps away are evidence again, with what was made of them and the claims on all that."""
    away = [each for each in stored if each.status is RecordStatus.WITHDRAWN and is_without_consent(each)]
    barred = barred_among(writing, [each.record for each in away])
    back = [each for each in away if each.record.record_id not in barred]
    confirmed = [RecordConfirmed(each.record.record_id, SERVICE_ACTOR, CONSENT_GIVEN) for each in back]
    session.append(writing, confirmed)
    ids = [each.record_id for each in confirmed]
    for each in back:
        with_it = confirmed_with(writing, each)
        session.append(writing, with_it)
        ids += [event.record_id for event in with_it]
    counts.records += len(ids)
    for claim in writing.claims_on_any(ids) if ids else ():
        if _stands_again(writing, claim):
            move = ClaimTransitioned(claim.claim_id, claim.status, ClaimStatus.ACTIVE, SERVICE_ACTOR, CONSENT_GIVEN)
            session.append(writing, returned(session, writing, claim, move))
            counts.claims += 1


def _stands_again(reading: Reading, claim: Claim) -> bool:
    """True where only a withdrawn consent put it aside, and all that it was proposed with is evidence now."""
    if claim.status is not ClaimStatus.QUARANTINED or claim.status_reason != CONSENT_WITHDRAWN:
        return False
    proposed = proposals(reading, [claim])[claim.claim_id].evidence
    found = reading.records_by_ids(proposed)
    return len(found) == len(proposed) and all(each.is_evidence for each in found)


def _change(session: Session, consent: WithdrawnConsent, counts: _Counts) -> ConsentChange:
    audits = may(session.registry.policy, session.principal, "audit").allowed
    return ConsentChange(consent, counts.records if audits else None, counts.claims if audits else None)
