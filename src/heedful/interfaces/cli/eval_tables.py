"""Tables of metrics, for people."""

from __future__ import annotations

from collections.abc import Mapping

from heedful.evaluation.metrics import Interval95, Metrics
from heedful.interfaces.cli.output import table

_AMOUNTS = ("packet_tokens", "latency_ms", "other_activations")


def say_metrics(title: str, columns: Mapping[str, Metrics]) -> None:
    """A table with a row for each metric and a column for each name."""
    names = list(dict.fromkeys(name for metrics in columns.values() for name in metrics))
    cells = [(name, *(_cell(name, metrics.get(name)) for metrics in columns.values())) for name in names]
    table(title, ("", *columns), cells)


def _cell(name: str, found: Interval95 | None) -> str:
    if found is None:
        return ""
    low, high = number(name, found.low), number(name, found.high)
    return f"{number(name, found.value)} [{low.removesuffix('%')}-{high.removesuffix('%')}]"


def number(name: str, value: float) -> str:
    """A share as a percentage, else the number in as few digits as tell something."""
    return f"{value:.3g}" if name.startswith(_AMOUNTS) else f"{value * 100:.3g}%"
