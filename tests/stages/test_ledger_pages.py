"""Pages of a chain are verified as its events are one by one, whatever somebody did to them."""

from __future__ import annotations

import hmac
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ledger_strategies import CHAIN_EVENTS, TENANT, head_of, sealed_chain

from heedful.adapters.storage.codec import event_row
from heedful.kernel.digest import SALT_BYTES, salted_digest
from heedful.kernel.ids import PrincipalId, RecordId
from heedful.ledger import pages
from heedful.ledger.events import RecordConfirmed
from heedful.ledger.pages import EventRow, holds_to, sealed_of, verify_pages
from heedful.ledger.seal import EMPTY_HEAD, Head
from heedful.ledger.verify import Verification, breach_of, verify_chain

CHAINS = st.lists(CHAIN_EVENTS, min_size=1, max_size=6).map(sealed_chain)


def rows_of(chain: list[Any]) -> list[EventRow]:
    """The chain as a store has it, ids as they are made there."""
    return [event_row(sealed) for sealed in chain]  # type: ignore[misc]


def by_both(
    rows: list[EventRow], width: int, head: Head, erased: frozenset[int] = frozenset()
) -> tuple[Verification, Verification]:
    """What is found page by page, and event by event."""
    cut = [rows[start : start + width] for start in range(0, len(rows), width)]
    one_by_one = (sealed_of(row, TENANT) for row in rows)
    return (
        verify_pages(cut, tenant_id=TENANT, expected_head=head, erased=erased),
        verify_chain(one_by_one, tenant_id=TENANT, expected_head=head, ends_there=True, erased=erased),
    )


@given(CHAINS, st.integers(1, 4), st.data())
@settings(max_examples=80)
def test_a_changed_page_is_judged_as_its_events_are(chain: list[Any], width: int, draw: st.DataObject) -> None:
    """One column of one event is another, or none; a row is gone; positions are erased: always the same answer."""
    rows, head = rows_of(chain), head_of(chain)
    by_pages, by_events = by_both(rows, width, head)
    assert by_pages == by_events == Verification(len(chain), head, None)
    place = draw.draw(st.integers(0, len(rows) - 1))
    column = draw.draw(st.integers(0, 10))
    old = rows[place][column]
    values: st.SearchStrategy[Any] = st.text('aé"\\', max_size=3)
    if isinstance(old, int):
        values = st.integers(-(2**60), 2**60) | st.integers(0, 7)
    elif isinstance(old, bytes):
        values = st.binary(max_size=3) | st.binary(min_size=32, max_size=32)
    if column > 8:
        values |= st.none()
    row = (*rows[place][:column], draw.draw(values), *rows[place][column + 1 :])
    changed = [*rows[:place], row, *rows[place + 1 :]] if draw.draw(st.booleans()) else rows[:place] + rows[place + 1 :]
    erased = draw.draw(st.frozensets(st.integers(1, 6), max_size=2))
    by_pages, by_events = by_both(changed, width, head, erased)
    assert by_pages == by_events


@given(CHAINS, st.booleans())
@settings(max_examples=25)
def test_what_was_erased_holds_where_an_erasure_names_it(chain: list[Any], is_named: bool) -> None:
    """Without payload and salt it holds then, and only then; to sign it is always let pass."""
    rows: list[EventRow] = [(*row[:9], None, None) for row in rows_of(chain)]
    erased = frozenset(range(1, len(rows) + 1)) if is_named else frozenset()
    by_pages, by_events = by_both(rows, 2, head_of(chain), erased)
    assert by_pages == by_events
    assert (by_pages.broken is None) is is_named
    assert holds_to(rows, EMPTY_HEAD, TENANT, but=frozenset(["payload-missing"])) == (head_of(chain), None)


def test_everyday_events_are_not_looked_at_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """That is what makes it quick. The control: a changed one is looked at in full."""
    looked_at: list[int] = []

    def counted(*given: Any) -> Any:
        looked_at.append(given[0].envelope.position)
        return breach_of(*given)

    monkeypatch.setattr(pages, "breach_of", counted)
    rows = rows_of(sealed_chain([RecordConfirmed(RecordId("r1"), PrincipalId("person:ana"), "it holds")] * 9))
    assert holds_to(rows, EMPTY_HEAD, TENANT)[1] is None
    assert looked_at == []
    rows[6] = (*rows[6][:9], b"{}", rows[6][10])
    broken = holds_to(rows, EMPTY_HEAD, TENANT)[1]
    assert broken is not None
    assert (broken.position, broken.breach) == (7, "payload-mismatch")
    assert looked_at == [7]


@given(st.binary(min_size=SALT_BYTES, max_size=SALT_BYTES), st.binary(max_size=200))
@settings(max_examples=50)
def test_the_salted_digest_is_hmac(salt: bytes, payload: bytes) -> None:
    """Of RFC 2104, as the standard library has it."""
    assert salted_digest(salt, payload) == hmac.digest(salt, payload, "sha256")
