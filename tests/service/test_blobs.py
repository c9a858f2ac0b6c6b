"""Content over the inline limit lies in the blob store, and is found, shown and checked all the same."""

import pytest
from worlds import House

from heedful.kernel.errors import FaultError

LONG = "The zanzibar replica keeps a copy of every invoice. " + "filler words " * 8_000
