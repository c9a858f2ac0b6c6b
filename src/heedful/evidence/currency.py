"""Currency: items told apart as what holds, what held, and what is out of date, with the change between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from heedful.evidence.fit import Draft
from heedful.evidence.packet import Change, Currency, PacketItem


def with_change(draft: Draft, changes: Mapping[str, Change], old: Mapping[str, Change]) -> Draft:
    """The draft whose item says what it came after; `changes` are of claims, `old` of records whose value is over."""
    change = changes.get(draft.item_id) or old.get(draft.item_id)
    if change is None:
        return draft
    is_old = draft.item_id in old
    short = None if draft.short is None else partial(_made, draft.short, change, is_old=is_old)
    return draft._replace(whole=partial(_made, draft.whole, change, is_old=is_old), short=short)


def _made(make: Callable[[], PacketItem], change: Change, *, is_old: bool) -> PacketItem:
    item = make()
    if not is_old:
        return replace(item, change=change)
    currency: Currency = "changing" if change.how == "ground" else "historical"
    return replace(item, change=change, currency=currency, flags=(*item.flags, currency))


TAKEN_BACK = "taken-back"
"""Every claim that the record tells was taken back, as far as that is seen."""


def as_taken_back(draft: Draft) -> Draft:
    """The draft whose item says that what it tells was taken back."""
    return draft._replace(whole=partial(_told_back, draft.whole))


def _told_back(make: Callable[[], PacketItem]) -> PacketItem:
    item = make()
    return replace(item, currency="historical", flags=(*item.flags, TAKEN_BACK))
