"""Consents again: those withdrawn after a backup was taken are withdrawn in what came out of it, before it serves.

A register names nobody: it has digests under the tenant's key, which are matched against whom the backup tells of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heedful.kernel.digest import keyed_name
from heedful.ledger.erasure_events import ConsentWithdrawn
from heedful.ledger.erasure_register import RegisteredConsent, RegisteredTenant
from heedful.ledger.events import ClaimProposed, RecordAdmitted, RecordPending
from heedful.ports.store import Reading
from heedful.service.erasure.barred import CONSENT, consent_key, consents_needed
from heedful.service.erasure.consent import all_in_force, withdraw_for
from heedful.service.erasure.select import By, Selection
from heedful.service.project import event_of
from heedful.service.session import Session

_TELL = ("record.admitted", "record.pending", "claim.proposed", "consent.withdrawn")


@dataclass(frozen=True, slots=True)
class ConsentsAgain:
    """How many consents were withdrawn again; `unmatched`: of whom the backup tells nothing, so nobody is named."""

    withdrawn: int = 0
    unmatched: int = 0


def registered_consents(session: Session, reading: Reading) -> tuple[RegisteredConsent, ...]:
    """The consents that are withdrawn now, by digests that nobody guesses without the tenant's key."""
    found = all_in_force(reading)
    if not found:
        return ()
    key = session.keys.tenant_key(session.store.tenant.tenant_id)
    return tuple(RegisteredConsent(each.consent_id, _tag(key, consent_key(each.by, each.name))) for each in found)


def withdraw_again(session: Session, register: RegisteredTenant) -> ConsentsAgain:
    """What was withdrawn when the register was made is withdrawn here too, as far as it is known of whom.

    Raises:
        ConflictError: `dependants_too_many`.
        BusyError, UnavailableError: the store.
    """
    with session.store.read() as reading:
        there = all_in_force(reading)
        ids = {each.consent_id for each in there}
        wanted = {each.tag for each in register.consents if each.consent_id not in ids}
        key = session.keys.known_key(session.store.tenant.tenant_id) if wanted else None
        named: dict[str, str] = {}
        if key is not None:
            wanted -= {_tag(key, consent_key(each.by, each.name)) for each in there}
            named = {tag: each for each in set(_keys(reading)) if (tag := _tag(key, each)) in wanted}
    for consent in named.values():
        by, _, name = consent.removeprefix(CONSENT).partition(":")
        withdraw_for(session, Selection(By(by), (name,)))
    return ConsentsAgain(len(named), len(wanted) - len(named))


def _keys(reading: Reading) -> Iterator[str]:
    """The consents that anything in the ledger needs, and those that were ever withdrawn."""
    for kind in _TELL:
        for sealed in reading.events_of(kind):
            if sealed.payload is None:
                continue  # erased
            event = event_of(sealed)
            if isinstance(event, ConsentWithdrawn):
                yield consent_key(event.by, event.name)
            elif isinstance(event, RecordAdmitted | RecordPending | ClaimProposed):
                yield from consents_needed(event)


def _tag(key: bytes, consent: str) -> str:
    return keyed_name(key, b"withdrawn consent\x00" + consent.encode())
