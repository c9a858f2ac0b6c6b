"""Batch: what holds for the time in which many records are made at once."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """The block runs without searches for unreachable cycles, where nobody else has them off already.

    What a batch makes lives until it is written, so that each search in between would look through it in vain. A block
    is to be short: one batch.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
