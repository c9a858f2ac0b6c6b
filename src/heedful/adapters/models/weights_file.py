"""Weights file: the arrays of an archive that comes with the packs, read whole; what is wrong with it is one fault."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any, TypeVar
from zipfile import BadZipFile

from heedful.adapters.models.words import unreadable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DAMAGE = (OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, BadZipFile, zlib.error, RuntimeError)
"""What a damaged archive, or what is written in it, is found by: an unknown compression and too deep JSON among it."""

Read = TypeVar("Read")


def read_weights(path: Traversable, read: Callable[[Mapping[str, NDArray[Any]], dict[str, Any]], Read]) -> Read:
    """What `read` makes of the arrays and of the JSON object that stands beside them as `about`.

    Raises:
        FaultError: `router_unreadable` where the file is damaged, or `read` finds something missing or of another type.
    """
    import numpy as np  # noqa: PLC0415  # a tenth of a second that a command without recall never pays

    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as loaded:
            arrays = {name: loaded[name] for name in loaded.files}
        return read(arrays, json.loads(str(arrays["about"])))
    except _DAMAGE as error:
        raise unreadable(path.name, "can't be read") from error


def are_finite(*numbers: NDArray[np.float32] | float) -> bool:
    """True where each number, and each of an array, is one."""
    import numpy as np  # noqa: PLC0415  # as above

    return all(bool(np.isfinite(each).all()) for each in numbers)
