"""The modules of bench/, whose folder is no package: it is on the path from here on."""

from __future__ import annotations

import sys
from pathlib import Path

BENCH = Path(__file__).parents[2] / "bench"
sys.path.append(str(BENCH))

import _crash_acks as crash_acks  # noqa: E402
import _crash_check as crash_check  # noqa: E402
import _report as report  # noqa: E402
import _stores as stores  # noqa: E402
import _texts as texts  # noqa: E402
import import_speed  # noqa: E402
import kills  # noqa: E402
import processes  # noqa: E402
import recall_speed  # noqa: E402
import single_writes  # noqa: E402

__all__ = [
    "BENCH",
    "crash_acks",
    "crash_check",
    "import_speed",
    "kills",
    "processes",
    "recall_speed",
    "report",
    "single_writes",
    "stores",
    "texts",
]
