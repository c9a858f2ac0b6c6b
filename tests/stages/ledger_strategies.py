"""Any event of any registered type, and chains of them, for the ledger's property tests."""

from __future__ import annotations

import dataclasses
import types
from enum import Enum
from typing import Any, Literal, NewType, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from heedful.kernel.ids import EventId, TenantId
from heedful.ledger import events
from heedful.ledger.events import AnyEvent
from heedful.ledger.registry import EVENT_TYPES
from heedful.ledger.seal import EMPTY_HEAD, Head, SealedEvent, seal

TENANT = TenantId("0193-tenant")

_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_PLAIN: dict[object, st.SearchStrategy[Any]] = {
    str: _TEXTS,
    int: st.integers(-(10**18), 10**18),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bool: st.booleans(),
    bytes: st.binary(max_size=12),
    type(None): st.none(),
}
# Beside texts an integer is exact only up to here; beyond, it comes back as its text (design, section 12).
_EXACT_INTEGERS = st.integers(-(2**53) + 1, 2**53 - 1)


def any_value(hint: Any) -> st.SearchStrategy[Any]:
    """Values of this type, as the events use it."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if isinstance(hint, NewType):
        return any_value(hint.__supertype__)
    if origin in (Union, types.UnionType):
        exact = str in arguments and int in arguments
        return st.one_of([_EXACT_INTEGERS if exact and item is int else any_value(item) for item in arguments])
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return st.lists(any_value(arguments[0]), max_size=3).map(tuple)
        return st.tuples(*map(any_value, arguments))
    if origin is dict:
        return st.dictionaries(any_value(arguments[0]), any_value(arguments[1]), max_size=3)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(hint)
    hints = get_type_hints(hint)
    return st.builds(hint, **{field.name: any_value(hints[field.name]) for field in dataclasses.fields(hint)})


EVENTS: st.SearchStrategy[AnyEvent] = st.sampled_from(list(EVENT_TYPES.values())).flatmap(any_value)

# Small ones, for chains: what is chained does not depend on what an event says.
CHAIN_EVENTS: st.SearchStrategy[AnyEvent] = st.one_of(
    any_value(events.TenantCreated), any_value(events.RecordConfirmed), any_value(events.ImportFinished)
)


def sealed_chain(chained: list[AnyEvent], *, tenant_id: TenantId = TENANT) -> list[SealedEvent]:
    """The events, sealed one after the other with ids, times and salts that follow from their place."""
    chain: list[SealedEvent] = []
    for place, event in enumerate(chained, 1):
        chain.append(
            seal(
                event,
                head_of(chain),
                tenant_id=tenant_id,
                event_id=EventId(f"event-{place}"),
                recorded_at_us=1_764_000_000_000_000 + place,
                salt=bytes([place % 256]) * 32,
            )
        )
    return chain


def head_of(chain: list[SealedEvent]) -> Head:
    """Where the chain ends."""
    return Head(chain[-1].envelope.position, chain[-1].digest) if chain else EMPTY_HEAD
