"""Frozen classes that are made quickly are what the dataclasses alone would be: as frozen, as equal, as strict."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace
from typing import Any

import pytest

from heedful.kernel.frozen import quickly_made
from heedful.ledger.seal import Envelope, SealedEvent
from heedful.observations.admit import Circumstances
from heedful.observations.record import Candidate, Record
from heedful.ports.store import SearchRow, StoredRecord
from heedful.service.keeping.keep import Prepared
from heedful.service.keeping.remember import Remembered

QUICK = [Candidate, Circumstances, Envelope, Prepared, Record, Remembered, SealedEvent, SearchRow, StoredRecord]


@quickly_made
@dataclass(frozen=True, slots=True)
class Place:
    """A class with defaults."""

    name: str
    row: int = 3
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlainPlace:
    """The same, made by dataclasses alone."""

    name: str
    row: int = 3
    tags: tuple[str, ...] = ()


def filled(made: Any) -> Any:
    """One whose fields all differ."""
    return made(*range(len(dataclasses.fields(made))))


@pytest.mark.parametrize("made", QUICK)
def test_every_field_is_where_it_was_given_and_stays(made: Any) -> None:
    """By position and by name; the class is its own, and nothing can be set or deleted afterwards."""
    names = [each.name for each in dataclasses.fields(made)]
    one = filled(made)
    assert [getattr(one, name) for name in names] == list(range(len(names)))
    assert type(one) is made
    by_name = made(**{name: number for number, name in reversed(list(enumerate(names)))})
    assert (by_name, hash(by_name), repr(by_name)) == (one, hash(one), repr(one))
    for name in names:
        with pytest.raises(FrozenInstanceError):
            setattr(one, name, None)
        with pytest.raises(FrozenInstanceError):
            delattr(one, name)
    with pytest.raises((FrozenInstanceError, TypeError, AttributeError)):
        one.another = 1
    assert one == filled(made)


@pytest.mark.parametrize("made", QUICK)
def test_it_is_replaced_copied_and_pickled_like_any_dataclass(made: Any) -> None:
    """Whatever dataclasses, copy and pickle do with it gives one of the same class."""
    one = filled(made)
    first = dataclasses.fields(made)[0].name
    changed = replace(one, **{first: "changed"})
    assert getattr(changed, first) == "changed"
    assert changed != one
    assert replace(changed, **{first: 0}) == one
    for again in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert again == one
        assert type(again) is made


def test_defaults_and_refusals_are_those_of_the_plain_class() -> None:
    """A default is taken where nothing is given; too little, too much and unknown names are refused."""
    assert dataclasses.astuple(Place("a")) == dataclasses.astuple(PlainPlace("a")) == ("a", 3, ())
    assert Place("a", tags=("b",)) == Place("a", 3, ("b",)) != Place("a")
    assert list(inspect.signature(Place).parameters) == list(inspect.signature(PlainPlace).parameters)
    assert inspect.get_annotations(Place.__init__) == inspect.get_annotations(PlainPlace.__init__)
    for given, named in [((), {}), (("a", 1, (), 2), {}), (("a",), {"name": "b"}), (("a",), {"column": 1})]:
        for made in (Place, PlainPlace):
            with pytest.raises(TypeError):
                made(*given, **named)  # type: ignore[arg-type]


def test_a_class_that_would_be_made_otherwise_is_not_taken() -> None:
    """What this cannot make the same is refused where it is defined, not where it is used."""

    @dataclass(frozen=True)
    class Slotless:
        name: str

    @dataclass(frozen=True, slots=True)
    class WithFactory:
        names: list[str] = field(default_factory=list)

    @dataclass(frozen=True, slots=True)
    class Judging:
        name: str

        def __post_init__(self) -> None:
            raise ValueError(self.name)

    for unfit in (Slotless, WithFactory, Judging):
        with pytest.raises(AssertionError):
            quickly_made(unfit)
