"""An fsync that fails once, and a power cut later: what was acknowledged before and after it must be there.

The real call is made to fail by strace. What it covered is gone then (_power_disk.py), as on Linux, where a second
fsync of the same file succeeds all the same. So a process that writes on has to stop acknowledging.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from _crash_check import Findings
from _power_check import Heard, check_state, lay_out, remembered_registries
from _power_disk import Disk, Mode
from _power_events import Said, SyncFailed, events
from _power_trace import trace

MODES = (Mode("none", "kept"), Mode("none", "lost"), Mode("all", "kept"), Mode("all", "lost"))


@dataclass(slots=True)
class Failed:
    """What came of some fsyncs that failed, each in a writer of its own.

    Attributes:
        struck: how many met their fault; the others had ended before their number was reached.
    """

    struck: int = 0
    states: int = 0
    findings: Findings = field(default_factory=Findings)


def fail_fsyncs(folder: Path, variant: str, call: str, numbers: Iterable[int]) -> Failed:
    """What came of it where the calls of these numbers failed, the power being cut when the writer had ended.

    `call`: `fsync`, which Python's files use, or `fdatasync`, which SQLite uses.

    Raises:
        TraceError: see cut_power.
    """
    failed = Failed()
    with remembered_registries():
        for number in numbers:
            place = folder / f"{call}-{number}"
            trace_path, _ended = trace(place, variant, inject=(f"{call}:error=EIO:when={number}",))
            _check(trace_path, place / "work", f"{call} {number}: ", failed)
    return failed


def _check(trace_path: Path, root: Path, name: str, failed: Failed) -> None:
    disk, heard, struck = Disk(), Heard(), False
    for event in events(trace_path, root):
        struck = struck or isinstance(event, SyncFailed)
        if isinstance(event, Said):
            heard.hear(event.line)
        else:
            disk.apply(event)
    failed.struck += struck
    with tempfile.TemporaryDirectory(prefix="heedful-power-", dir=root.parent) as folder:
        for mode in MODES:
            lay_out(Path(folder) / "state", disk.state(disk.cut(mode, random.Random(0))))
            found = check_state(Path(folder) / "state", heard, thorough=True)
            failed.states += 1
            failed.findings.lost += [name + text for text in found.lost[:1]]
            failed.findings.half += [name + text for text in found.half[:1]]
            failed.findings.broken += [name + text for text in found.broken[:1]]
