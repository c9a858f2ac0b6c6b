"""The modules of bench/, whose folder is no package: it is on the path from here on."""

from __future__ import annotations

import sys
from pathlib import Path

BENCH = Path(__file__).parents[2] / "bench"
sys.path.append(str(BENCH))

import _crash_acks as crash_acks  # noqa: E402
import _crash_check as crash_check  # noqa: E402
import _pack_entries as pack_entries  # noqa: E402
import _peer_systems as peer_systems  # noqa: E402
import _peer_texts as peer_texts  # noqa: E402
import _peer_worker as peer_worker  # noqa: E402
import _races as races  # noqa: E402
import _rare_words as rare_words  # noqa: E402
import _report as report  # noqa: E402
import _residue_scan as residue_scan  # noqa: E402
import _stores as stores  # noqa: E402
import _texts as texts  # noqa: E402
import batched_writes  # noqa: E402
import concurrent_writes  # noqa: E402
import erasure_races  # noqa: E402
import import_memory  # noqa: E402
import import_speed  # noqa: E402
import kills  # noqa: E402
import leakage  # noqa: E402
import peers  # noqa: E402
import processes  # noqa: E402
import recall_speed  # noqa: E402
import residue  # noqa: E402
import routing_speed  # noqa: E402
import single_writes  # noqa: E402

__all__ = [
    "BENCH",
    "batched_writes",
    "concurrent_writes",
    "crash_acks",
    "crash_check",
    "erasure_races",
    "import_memory",
    "import_speed",
    "kills",
    "leakage",
    "pack_entries",
    "peer_systems",
    "peer_texts",
    "peer_worker",
    "peers",
    "processes",
    "races",
    "rare_words",
    "recall_speed",
    "report",
    "residue",
    "residue_scan",
    "routing_speed",
    "single_writes",
    "stores",
    "texts",
]
