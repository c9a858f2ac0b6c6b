"""Must: facts that must be remembered, as questions; whether a packet hands over what each of them needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from heedful.evidence.packet import Packet
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ids import ClaimId
from heedful.kernel.ladder import Tier
from heedful.kernel.texts import folded
from heedful.ledger.events import AccessEvent
from heedful.service.access import AccessJournal
from heedful.service.recalling.recall import recall
from heedful.service.requests import memory_request
from heedful.service.session import Session
from heedful.service.sight import seen_claim

MUST_MAX = 1_000
"""Questions of one list."""


class MustRemember(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fact that must be remembered.

    Attributes:
        question: what is asked.
        scope: where; empty: the store's default.
        tool, args: the tool call that is asked about, if any.
        claim: the claim that the packet must hand over; or
        expects: words that something in the packet must have.
        tier: how much it counts, 1 to 4; None: as much as the claim's tier, or 1.
    """

    question: str
    scope: list[str] = []
    tool: str | None = None
    args: dict[str, Any] | None = None
    claim: str | None = None
    expects: str | None = None
    tier: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """One answer: how much it counts, and whether it was right."""

    weight: int
    right: bool


def must_list(items: Sequence[Mapping[str, object]]) -> tuple[MustRemember, ...]:
    """The questions that these mappings are.

    Raises:
        InvalidInputError: `must_malformed`, naming which; `must_too_many`.
    """
    if len(items) > MUST_MAX:
        raise InvalidInputError(
            "must_too_many",
            f"the list has {len(items)} questions; at most {MUST_MAX} are asked",
            next_step="ask in several lists",
            details={"field": "must", "limit": MUST_MAX},
        )
    return tuple(_must(number, item) for number, item in enumerate(items, start=1))


def ask(session: Session, items: Sequence[MustRemember], default_scope: tuple[str, ...]) -> tuple[Asked, ...]:
    """Whether each is remembered: its packet is made as for anybody, and nobody is handed it."""
    unheard = replace(session, access=_Unheard(session))
    return tuple(_asked(unheard, item, default_scope) for item in items)


class _Unheard(AccessJournal):
    """A journal of a packet that nobody was handed: that something was asked for here is no use of it."""

    def __init__(self, session: Session) -> None:
        super().__init__(session.store, clock=session.clock, entropy=session.entropy, window_us=1)

    def add(self, event: AccessEvent, *, durable: bool) -> None:
        """Nothing."""


def _asked(session: Session, item: MustRemember, default_scope: tuple[str, ...]) -> Asked:
    scope = tuple(item.scope) or default_scope
    asked = memory_request(session, item.question, scope=scope, tool=item.tool, args=item.args, task_class="auto")
    right = _hands_over(recall(session, asked), item)
    if item.tier is not None:
        return Asked(item.tier, right)
    claim = None
    if item.claim is not None:
        with session.store.read() as reading:
            claim = seen_claim(session, reading, ClaimId(item.claim))
    return Asked(Tier.UNVERIFIED.value if claim is None else claim.tier.value, right)


def _hands_over(packet: Packet, item: MustRemember) -> bool:
    held = [each for each in packet.items if not each.unreviewed]
    if item.claim is not None:
        return any(each.item == "claim" and each.item_id == item.claim for each in held)
    wanted = folded(item.expects or "")
    return any(wanted in folded(each.text) for each in held)


def _must(number: int, item: Mapping[str, object]) -> MustRemember:
    try:
        must = msgspec.convert(item, MustRemember)
    except msgspec.ValidationError as error:
        raise must_malformed(number, str(error)) from error
    if (must.claim is None) == (must.expects is None):
        raise must_malformed(number, "it names either `claim` or `expects`")
    if must.tier is not None and must.tier not in {tier.value for tier in Tier}:
        raise must_malformed(number, "`tier` is 1 to 4")
    return must


def must_malformed(number: int, what: str) -> InvalidInputError:
    """The error of the question of this number, from 1."""
    return InvalidInputError(
        "must_malformed",
        f"question {number} of the list is not in order: {what}",
        next_step='write {"question": "...", "expects": "..."}, or "claim" with an id in place of "expects"',
        details={"field": "must", "number": number},
    )
