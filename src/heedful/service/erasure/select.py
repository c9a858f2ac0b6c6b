"""Select: what an erasure or a hold is asked for by, and which items that is before anything follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from heedful.claims.claim import Claim
from heedful.claims.merge import Merge
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.digest import keyed_name
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ids import RecordId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope, require_plain_name
from heedful.observations.names import require_clean_name
from heedful.observations.record import Record
from heedful.ports.erasure import StoredHold
from heedful.ports.store import Reading, StoredRecord, Visible
from heedful.service.requests import clean_scope
from heedful.service.session import Session

MERGES_MAX = 100_000
"""Merges that are looked through for those of a selection."""
NAMES_CHARACTERS_MAX = 1_024
"""Of a subject, a principal or an id: more than any has."""
SEEDS_MAX = 500
"""Records or claims of a selection that one transaction begins with; what follows from them comes on top."""


class By(StrEnum):
    """What is selected by."""

    RECORD = "record"
    SUBJECT = "subject"
    SCOPE = "scope"
    PRINCIPAL = "principal"
    TENANT = "tenant"


class Because(StrEnum):
    """Why something is erased or held. A category and no text: a receipt holds no content."""

    REQUEST = "request"
    CONSENT = "consent"
    RETENTION = "retention"
    MISTAKE = "mistake"
    LEGAL = "legal"


@dataclass(frozen=True, slots=True)
class Selection:
    """What was asked for: ids, subjects, elements of a scope (all of them), principals; none for the whole tenant."""

    by: By
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Seeds:
    """What a selection begins with.

    Attributes:
        records, claims: a page of them; merges: all, with the first page.
        after: the position that the next page begins behind; None: there is none.
    """

    records: tuple[StoredRecord, ...]
    claims: tuple[Claim, ...]
    after: int | None
    merges: tuple[Merge, ...] = ()


def selection_of(
    record: Sequence[str] | str | None = None,
    subject: str | None = None,
    scope: Sequence[str] | str | None = None,
    principal: str | None = None,
    *,
    tenant: bool = False,
) -> Selection:
    """What was asked for.

    Raises:
        InvalidInputError: `forget_what` unless exactly one of them is named; those of names and of `clean_scope`.
    """
    given: list[Selection] = []
    if record is not None:
        given.append(Selection(By.RECORD, _ids(record)))
    if subject is not None:
        _require_name(subject, "subject")
        given.append(Selection(By.SUBJECT, (subject,)))
    if scope is not None:
        given.append(Selection(By.SCOPE, clean_scope(scope).elements))
    if principal is not None:
        _require_name(principal, "principal")
        given.append(Selection(By.PRINCIPAL, (principal,)))
    if tenant:
        given.append(Selection(By.TENANT, ()))
    if len(given) != 1 or not (given[0].names or tenant):
        raise InvalidInputError(
            "forget_what",
            "name exactly one of record, subject, scope, principal and tenant",
            next_step="for example --subject user:ana; --dry-run shows what goes",
            details={"field": "record, subject, scope, principal, tenant"},
        )
    return given[0]


def _ids(record: Any) -> tuple[str, ...]:
    is_many = isinstance(record, Iterable) and not isinstance(record, str | bytes | Mapping)
    ids = tuple(record) if is_many else (record,)
    for each in ids:
        _require_name(each, "record")
    return tuple(dict.fromkeys(ids))


def require_confirmed(name: str, confirmed: str | None) -> None:
    """Nothing, where the tenant's name was given twice: nothing brings a tenant back.

    Raises:
        InvalidInputError: `tenant_unconfirmed`.
    """
    if name != confirmed:
        raise InvalidInputError(
            "tenant_unconfirmed",
            "erasing a whole tenant wants its name twice, and the second one is missing or another",
            next_step="see with --dry-run what goes, then name it again: --tenant NAME --confirm NAME",
            details={"field": "confirm"},
        )


def _require_name(text: str, field: str) -> None:
    # What nothing can be called selects nothing: a receipt would say that it is gone.
    require_plain_name(text, field=field, characters_max=NAMES_CHARACTERS_MAX)
    require_clean_name(text, field=field)


def digest_of(session: Session, selection: Selection) -> str:
    """By what a selection is known again, and nobody without the tenant's key guesses it."""
    key = session.keys.tenant_key(session.store.tenant.tenant_id)
    return keyed_name(key, b"selection\x00" + canonical_bytes([selection.by.value, *selection.names]))


def seeds(reading: Reading, selection: Selection, *, after: int) -> Seeds:
    """The records and claims that the selection names, above that position, whoever may see them."""
    match selection.by:
        case By.RECORD:
            return Seeds(reading.records_by_ids([RecordId(each) for each in selection.names]), (), None)
        case By.PRINCIPAL:
            records, last = _named(reading, f"principal:{selection.names[0]}", after)
            return Seeds(records, (), last)
        case By.SCOPE:
            found = _in_scope(reading, selection.names, after)
        case _:
            found = _about(reading, selection.names[0], after)
    return found if after else replace(found, merges=_merges(reading, selection))


def _merges(reading: Reading, selection: Selection) -> tuple[Merge, ...]:
    """What was said of the subject, or in the scope, of two being one."""
    everywhere = Visible(reading.scopes(), Classification.RESTRICTED)
    found = reading.merges(everywhere, only_joined=False, limit=MERGES_MAX)
    if selection.by is By.SCOPE:
        return tuple(each for each in found if _within(selection.names, each.scope))
    name = selection.names[0]
    return tuple(each for each in found if any(_is_below(two, name) for two in (each.subject, each.other)))


def _is_below(subject: str, name: str) -> bool:
    return subject == name or subject.startswith(f"{name}/")


def _named(reading: Reading, name: str, after: int) -> tuple[tuple[StoredRecord, ...], int | None]:
    found = reading.items_named(name, after=after, limit=SEEDS_MAX)
    last = found[-1].position if len(found) == SEEDS_MAX else None
    return reading.records_by_ids([RecordId(each.item_id) for each in found]), last


def _in_scope(reading: Reading, elements: tuple[str, ...], after: int) -> Seeds:
    wanted = frozenset(elements)
    scopes = [each for each in reading.scopes() if wanted <= frozenset(each.elements)]
    records = reading.records_in(scopes, after=after, limit=SEEDS_MAX)
    claims = reading.claims_in(scopes, after=after, limit=SEEDS_MAX)
    return _page(records, claims)


def _about(reading: Reading, subject: str, after: int) -> Seeds:
    """What is about the entity or one of its relations: records that name it, and claims with all that they rest on."""
    named, last = _named(reading, f"subject:{subject}", after)
    below = reading.items_named(f"about:{subject}", after=after, limit=SEEDS_MAX)
    claims = (
        *reading.claims_of_subject(subject, after=after, limit=SEEDS_MAX),
        *(each for item in below for each in [reading.claim(item.item_id)] if each is not None),  # type: ignore[arg-type]
    )
    cut = [found[-1].position for found in (below,) if len(found) == SEEDS_MAX]
    if len(claims) - len(below) >= SEEDS_MAX:
        cut.append(claims[SEEDS_MAX - 1].position)
    if last is not None:
        cut.append(last)
    rests = reading.records_by_ids(list(dict.fromkeys(each for claim in claims for each in claim.evidence)))
    records = {each.record.record_id: each for each in (*named, *rests)}
    return Seeds(tuple(records.values()), claims, min(cut, default=None))


def _page(records: tuple[StoredRecord, ...], claims: tuple[Claim, ...]) -> Seeds:
    cut = [found[-1].position for found in (records, claims) if len(found) == SEEDS_MAX]
    return Seeds(records, claims, min(cut, default=None))


class Held:
    """Which records and claims the holds in force keep."""

    def __init__(self, holds: Sequence[StoredHold]) -> None:
        """Those of these holds."""
        self._holds = holds

    def __bool__(self) -> bool:
        """True where there is any hold."""
        return bool(self._holds)

    def keeps_record(self, record: Record) -> bool:
        """True where a hold selects the record."""
        return any(_selects(each, record) for each in self._holds)

    def keeps_claim(self, claim: Claim) -> bool:
        """True where a hold selects the claim by its subject or its scope, and with it what it rests on."""
        return any(
            (each.by == By.SUBJECT and any(_is_below(claim.subject, name) for name in each.names))
            or (each.by == By.SCOPE and _within(each.names, claim.scope))
            or each.by == By.TENANT
            for each in self._holds
        )

    def is_in_force(self, hold_id: str) -> bool:
        """True where the hold is one of these."""
        return any(each.hold_id == hold_id for each in self._holds)

    def keeps_asked(self, scope: Scope, principal: str) -> bool:
        """True where a hold selects what was asked there, or by this person."""
        return any(
            (each.by == By.SCOPE and _within(each.names, scope))
            or (each.by == By.PRINCIPAL and principal in each.names)
            or each.by == By.TENANT
            for each in self._holds
        )


def _selects(hold: StoredHold, record: Record) -> bool:
    match hold.by:
        case By.RECORD:
            return record.record_id in hold.names
        case By.PRINCIPAL:
            return record.principal in hold.names
        case By.SCOPE:
            return _within(hold.names, record.scope)
        case By.SUBJECT:
            entities = [f"{each.type}:{each.id}" for each in record.subjects]
            return any(_is_below(each, name) for each in entities for name in hold.names)
        case _:
            return True


def _within(elements: tuple[str, ...], scope: Scope) -> bool:
    return frozenset(elements) <= frozenset(scope.elements)
