"""Kept: what is remembered by the texts of records, in this process, so that all of it can be dropped at once.

Whatever keeps an answer under a text that may stand in a record, a claim or a question is bounded and registered here;
tests/tidy finds what is not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec, Protocol, TypeVar
from weakref import WeakValueDictionary

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Keeper(Protocol):
    """An object that keeps something by texts; it is registered as long as it lives."""

    def forget_texts(self) -> None:
        """Nothing is kept."""
        ...


_DROPS: list[Callable[[], None]] = []
_KEEPERS: WeakValueDictionary[int, Keeper] = WeakValueDictionary()


def keeps_texts(entries_max: int) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """A decorator: the last `entries_max` answers are remembered, until `forget_texts`."""

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        remembering = lru_cache(maxsize=entries_max)(function)
        _DROPS.append(remembering.cache_clear)
        # A cached function has the same parameters; typeshed tells only that they are hashable.
        return remembering  # type: ignore[return-value]

    return decorate


def drops_texts(drop: Callable[[], None]) -> None:
    """What empties something of a module, which is there as long as the process, is called by `forget_texts`."""
    _DROPS.append(drop)


def keeper(each: Keeper) -> None:
    """The object is asked by `forget_texts`."""
    _KEEPERS[id(each)] = each


def forget_texts() -> None:
    """Nothing is kept by the texts of records any more, in this process; every answer is made anew.

    Another thread that is about to keep an answer may still do so.
    """
    for drop in _DROPS:
        drop()
    for reference in _KEEPERS.valuerefs():
        found = reference()
        if found is not None:
            found.forget_texts()
