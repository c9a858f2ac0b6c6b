"""Power cuts at every system call of every write path: what may be left is opened and checked, state by state.

Run: python bench/power_cuts.py [--states 20000] [--fsyncs 1] [--ci] [--json] [--folder DIR]

A writer goes through every write path under strace. From its system calls the states of the disk are built that a
power cut may leave (_power_disk.py), and each is opened by the product: everything that had been acknowledged must be
there, whole, and verify. The controls are writers that promise the same and keep less: SQLite's `synchronous` set to
NORMAL and OFF, and folders that are never synced. Losses must be found there, or the run fails.

Then each fsync in turn (with `--fsyncs 5` every fifth) is made to fail once in the system itself, the writer goes on as
far as the store lets it, and the power is cut at the end. The control is a store that goes on after it.

Needs strace. States are laid out in memory where /dev/shm is.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from _crash_check import Findings
from _power_check import Heard, check_state, lay_out, remembered_registries
from _power_disk import MODES, Disk, Mode
from _power_events import Event, Said, events
from _power_fsyncs import Failed, fail_fsyncs
from _power_trace import TraceError, trace
from _report import Report, arguments_of, bench_folder, exact, machine

STATES = 20_000
STATES_CI = 5_000
CONTROL_STATES = 400
CONTROLS = ("normal", "off", "no-folder-sync")
FSYNCS_MAX = 80
"""More than the writer makes; the numbers that it does not reach are left out."""
SEEDS_MAX = 50
"""Of the random modes, until there are as many states as asked."""
THOROUGH_EVERY = 20
FINDINGS_SHOWN = 10
MEMORY = Path("/dev/shm")  # states are laid out in a folder of their own in it


@dataclass(frozen=True, slots=True)
class Planned:
    """One state: what the disk may hold if the power is cut before the event of that index."""

    index: int
    mode: Mode
    seed: int

    @property
    def rng(self) -> random.Random:
        """The coin of this state."""
        return random.Random(f"{self.index} {self.mode} {self.seed}")


@dataclass(slots=True)
class Outcome:
    """What came of one writer's power cuts.

    Attributes:
        calls: system calls of the writer that changed or synced a file.
        acknowledged: operations and transactions of which the writer said that they were done.
        findings: by the sort of state that showed them.
    """

    states: int = 0
    calls: int = 0
    acknowledged: int = 0
    seconds: float = 0.0
    modes: Counter[str] = field(default_factory=Counter)
    findings: Findings = field(default_factory=Findings)


def plan(happened: list[Event], count: int) -> list[Planned]:
    """So many different states, in order, evenly over all that there are.

    Raises:
        TraceError: there are not so many.
    """
    found: list[Planned] = []
    seen: set[object] = set()
    for seed in range(SEEDS_MAX):
        if len(found) >= count:
            break
        found += _plan_seed(happened, seed, seen)
    if len(found) < count:
        raise TraceError(f"the trace has {len(found)} different states, fewer than {count}")
    found.sort(key=lambda planned: planned.index)
    return [found[number * len(found) // count] for number in range(count)]


def _plan_seed(happened: list[Event], seed: int, seen: set[object]) -> list[Planned]:
    disk, said, found = Disk(), 0, []
    for index, event in enumerate([*happened, None]):
        # Cut after an acknowledgement rather than before: the same state must then keep more.
        if not isinstance(event, Said):
            for mode in MODES:
                if seed and not mode.is_random:
                    continue
                planned = Planned(index, mode, seed)
                key = (disk.durable, said, disk.cut(mode, planned.rng).key)
                if key not in seen:
                    seen.add(key)
                    found.append(planned)
        said += isinstance(event, Said)
        if event is not None:
            disk.apply(event)
    return found


def check_states(trace_path: Path, root: Path, planned: list[Planned]) -> Findings:
    """What is wrong with these states, which are in order; each is laid out in a folder of this process's own."""
    findings, disk, heard = Findings(), Disk(), Heard()
    waiting = iter(planned)
    following = next(waiting, None)
    memory = MEMORY if MEMORY.is_dir() else None
    with remembered_registries(), tempfile.TemporaryDirectory(prefix="heedful-power-", dir=memory) as folder:
        for index, event in enumerate([*events(trace_path, root), None]):
            while following is not None and following.index == index:
                lay_out(Path(folder) / "state", disk.state(disk.cut(following.mode, following.rng)))
                found = check_state(Path(folder) / "state", heard, thorough=_is_thorough(following))
                place = f"call {index}, data {following.mode.data}, names {following.mode.names}: "
                for names, to in (
                    (found.lost, findings.lost),
                    (found.half, findings.half),
                    (found.broken, findings.broken),
                ):
                    to += [place + text for text in names[:1]]
                following = next(waiting, None)
            if isinstance(event, Said):
                heard.hear(event.line)
            elif event is not None:
                disk.apply(event)
    return findings


def _is_thorough(planned: Planned) -> bool:
    return planned.index % THOROUGH_EVERY == 0


def cut_power(folder: Path, variant: str, count: int) -> Outcome:
    """What came of so many states of one writer.

    Raises:
        TraceError: strace is missing, the writer failed, or the trace has what the model does not know.
    """
    started = time.perf_counter()
    trace_path, ended = trace(folder, variant)
    if ended.returncode:
        raise TraceError(f"the writer failed: {ended.stderr.decode(errors='replace')[-2_000:]}")
    root = folder / "work"
    happened = list(events(trace_path, root))
    _require_same(happened, root)
    planned = plan(happened, count)
    outcome = Outcome(count, sum(not isinstance(event, Said) for event in happened))
    outcome.acknowledged = sum(isinstance(event, Said) for event in happened)
    outcome.modes = Counter(f"{each.mode.data}/{each.mode.names}" for each in planned)
    workers = os.cpu_count() or 1
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        parts = [pool.submit(check_states, trace_path, root, planned[number::workers]) for number in range(workers)]
        for part in parts:
            outcome.findings.add(part.result())
    outcome.seconds = time.perf_counter() - started
    return outcome


def _require_same(happened: list[Event], root: Path) -> None:
    """The model's disk, with nothing lost, is the folder that the writer left: no call was misread."""
    disk = Disk()
    for event in happened:
        disk.apply(event)
    modelled = dict(disk.state(disk.cut(Mode("all", "kept"), random.Random(0))))
    real = {str(path.relative_to(root)): path.read_bytes() if path.is_file() else None for path in root.rglob("*")}
    if modelled != real:
        wrong = sorted(name for name in modelled.keys() | real.keys() if modelled.get(name) != real.get(name))
        raise TraceError(f"the model and the folder differ in: {', '.join(wrong[:5])}")


def _fail_fsyncs(folder: Path, variant: str, calls: tuple[str, ...], step: int) -> Failed:
    """What came of each fsync that failed, until the writer meets none any more."""
    failed = Failed()
    for call in calls:
        for number in range(1, FSYNCS_MAX, step):
            one = fail_fsyncs(folder / variant, variant, call, [number])
            if not one.struck:
                break
            failed.struck += one.struck
            failed.states += one.states
            failed.findings.add(one.findings)
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int)
    parser.add_argument("--fsyncs", type=int, help="every how many-th fsync is made to fail")
    arguments = arguments_of(parser)
    states: int = arguments.states or (STATES_CI if arguments.ci else STATES)
    step: int = arguments.fsyncs or (6 if arguments.ci else 1)
    with bench_folder(arguments) as folder:
        report = Report(f"power cuts at every system call, {states} states", machine(folder))
        cuts = {name: cut_power(folder / name, name, CONTROL_STATES) for name in CONTROLS}
        outcome = cut_power(folder / "as-is", "as-is", states)
        failed = _fail_fsyncs(folder, "go-on", ("fsync", "fdatasync"), step)
        unlatched = _fail_fsyncs(folder, "go-on-unlatched", ("fsync",), 2)
    for name, each in (("as it is", outcome), *((f"control: {name}", each) for name, each in cuts.items())):
        _row(report, name, each)
    report.row("states by data/names", outcome.modes)
    for name, each_failed in (("failed fsyncs", failed), ("control: no latch", unlatched)):
        lost = len(each_failed.findings.lost)
        report.row(name, {"fsyncs": each_failed.struck, "states": each_failed.states, "states with a loss": lost})
    found = outcome.findings
    found.add(failed.findings)
    report.notes += (found.lost + found.half + found.broken)[:FINDINGS_SHOWN]
    report.figures += [
        exact("states that lost an acknowledged write", len(found.lost)),
        exact("states with half of a write", len(found.half)),
        exact("states that are corrupt", len(found.broken)),
        *(exact(f"the control {name} loses", float(bool(each.findings.lost)), 1) for name, each in cuts.items()),
        exact("the control without a latch loses", float(bool(unlatched.findings.lost)), 1),
    ]
    return report.finish(arguments)


def _row(report: Report, name: str, outcome: Outcome) -> None:
    report.row(
        name,
        {
            "states": outcome.states,
            "calls": outcome.calls,
            "acknowledgements": outcome.acknowledged,
            "states with a loss": len(outcome.findings.lost),
            "torn": len(outcome.findings.half),
            "corrupt": len(outcome.findings.broken),
            "seconds": round(outcome.seconds, 1),
        },
    )


if __name__ == "__main__":
    sys.exit(main())
