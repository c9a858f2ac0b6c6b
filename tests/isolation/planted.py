"""Planting: one place of the real product broken for the length of a block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.ports.rows import Visible
from heedful.service.recalling import candidates

Breakage = tuple[object, str, Callable[[Any], object]]
"""An object, the name of its attribute, and what makes the broken one of the sound one."""


@dataclass(frozen=True, slots=True)
class Engine:
    """What a fault may break of an adapter."""

    reading: type[Any]
    store: type[Any]


@dataclass(frozen=True, slots=True)
class Fault:
    """A way in which isolation could be broken.

    Attributes:
        tells: what a requester learns by it.
        breakages: the places that it breaks, given the engine.
        is_behind_second_look: the candidates are looked at once more (recall.visible), and that look alone would stop
            this fault; it is switched off here, so that it is the differential that must see.
    """

    name: str
    tells: str
    breakages: Callable[[Engine], Sequence[Breakage]]
    is_behind_second_look: bool = False

    @contextmanager
    def planted(self, engine: Engine, *, second_look: bool = False) -> Iterator[None]:
        """The product with this fault within the block; by itself, unless `second_look`."""
        with ExitStack() as stack:
            for place, name, broken in self.breakages(engine):
                stack.enter_context(replaced(place, name, broken))
            if self.is_behind_second_look and not second_look:
                stack.enter_context(replaced(candidates, "require_visible", lambda _sound: lambda *_args: None))
            yield


def at(*breakages: Breakage) -> Callable[[Engine], Sequence[Breakage]]:
    """These places, on every engine."""
    return lambda _engine: breakages


def always(answer: object) -> Callable[[Any], object]:
    """Of any function, one that gives this answer to everything."""
    return lambda _sound: lambda *_args, **_more: answer


@contextmanager
def replaced(place: object, name: str, broken: Callable[[Any], object]) -> Iterator[None]:
    """The attribute is what `broken` makes of it, within the block."""
    # Through the class's own dictionary, so that an inherited method is given back as inherited.
    own = vars(place)
    before = own.get(name)
    setattr(place, name, broken(getattr(place, name)))
    try:
        yield
    finally:
        if name in own and before is None:
            delattr(place, name)
        else:
            setattr(place, name, before)


def everywhere(reading: Any, visible: Visible) -> Visible:
    """The same clearance in every scope there is."""
    return replace(visible, scopes=tuple(dict.fromkeys((*visible.scopes, *reading.scopes()))))


def uncleared(_reading: Any, visible: Visible) -> Visible:
    """The same scopes up to every classification."""
    return replace(visible, clearance=Classification.RESTRICTED)


def undenied(_reading: Any, visible: Visible) -> Visible:
    """The same scopes and clearance, of every kind."""
    return replace(visible, denied_kinds=())


def everything(reading: Any, visible: Visible) -> Visible:
    """All that the tenant has, but for denied kinds."""
    return uncleared(reading, everywhere(reading, visible))


def seen_as(wider: Callable[[Any, Visible], Visible]) -> Callable[[Any], object]:
    """Of a reading's method, one that sees what is wider than it was told to."""

    def broken(sound: Any) -> object:
        def method(self: Any, visible: Visible, *args: Any, **more: Any) -> Any:
            return sound(self, wider(self, visible), *args, **more)

        return method

    return broken


def labelled_within(visible: Visible, scope: Scope, classification: Classification) -> bool:
    """True where this label is among what is visible."""
    return scope in visible.scopes and visible.clearance.at_least(classification)
