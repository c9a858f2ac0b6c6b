"""The modules of bench/ that these tests run at a smaller size; its folder is no package, so it is on the path."""

from __future__ import annotations

import sys
from pathlib import Path

BENCH = Path(__file__).parents[2] / "bench"
sys.path.append(str(BENCH))

import _power_check as power_check  # noqa: E402
import _power_disk as power_disk  # noqa: E402
import _power_events as power_events  # noqa: E402
import _power_fsyncs as power_fsyncs  # noqa: E402
import _power_runs as power_runs  # noqa: E402
import _power_trace as power_trace  # noqa: E402
import power_cuts  # noqa: E402
import server_kills  # noqa: E402
from _crash_acks import Ack  # noqa: E402
from _crash_check import Findings, check  # noqa: E402
from _power_check import remembered_registries  # noqa: E402
from _stores import SCOPE, new_store, open_store, session_of, settings_in  # noqa: E402

__all__ = [
    "SCOPE",
    "Ack",
    "Findings",
    "check",
    "new_store",
    "open_store",
    "power_check",
    "power_cuts",
    "power_disk",
    "power_events",
    "power_fsyncs",
    "power_runs",
    "power_trace",
    "remembered_registries",
    "server_kills",
    "session_of",
    "settings_in",
]
