"""Frozen dataclasses of many fields, made several times as fast.

A frozen dataclass sets each field by a call of `object.__setattr__`, some 150 ns; a record has 27. Here the new object
is of an open twin class while its fields are set, plainly, and of its own frozen class from then on.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, TypeVar

T = TypeVar("T")


def quickly_made(frozen_class: type[T]) -> type[T]:
    """The same dataclass (frozen, with slots, all fields given to `__init__`, no `__post_init__`), quicker to make.

    It is not to be inherited from: what a subclass makes would be of this class.
    """
    own: Any = frozen_class
    names = [each.name for each in fields(own)]
    defaults = {f"_default_{each.name}": each.default for each in fields(own) if each.default is not MISSING}
    assert "__slots__" in own.__dict__
    assert not hasattr(own, "__post_init__")
    assert all(each.init and not each.kw_only and each.default_factory is MISSING for each in fields(own))
    twin = type(own.__name__, (), {"__slots__": tuple(names)})
    parameters = [f"{name}=_default_{name}" if f"_default_{name}" in defaults else name for name in names]
    lines = [
        f"def __init__(self, {', '.join(parameters)}):",
        "    _set(self, '__class__', _twin)",
        *(f"    self.{name} = {name}" for name in names),
        "    self.__class__ = _own",
    ]
    scope: dict[str, Any] = {"_set": object.__setattr__, "_twin": twin, "_own": own, **defaults}
    exec("\n".join(lines), scope)  # noqa: S102  # as dataclasses itself makes one; names of fields are ours
    made = scope["__init__"]
    made.__annotations__ = own.__init__.__annotations__
    made.__qualname__, made.__module__ = own.__init__.__qualname__, own.__module__
    own.__init__ = made
    return frozen_class
