"""Heedful: long-term memory for AI agents that is heeded.

`Memory` is the whole Python API; everything else is reached through it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heedful.interfaces.python.memory import Memory

__all__ = ["Memory", "__version__"]  # __version__ comes from __getattr__


def __getattr__(name: str) -> object:
    """`Memory` and `__version__`, imported when first asked for, so that `import heedful` stays cheap."""
    if name == "__version__":
        from heedful.settings import VERSION  # noqa: PLC0415

        return VERSION
    if name == "Memory":
        from heedful.interfaces.python.memory import Memory  # noqa: PLC0415

        return Memory
    raise AttributeError(f"module 'heedful' has no attribute {name!r}")
