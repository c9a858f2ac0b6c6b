"""Progress bars for long work, on standard error, and only where a person watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from heedful.interfaces.cli.output import console

_STEP = 256
"""Positions between two redraws: drawing each would cost more than the work."""


@contextmanager
def counting(title: str, total: int, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """A function that is told how far the work is, of `total`; it draws where `shown` and a terminal is there."""
    if not shown or not sys.stderr.isatty():
        yield lambda _done: None
        return
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=console(error=True), transient=True) as progress:
        task = progress.add_task(title, total=total or None)
        drawn = 0

        def advance(done: int) -> None:
            nonlocal drawn
            if done - drawn >= _STEP or done >= total:
                drawn = done
                progress.update(task, completed=done)

        yield advance
