"""What a call costs before it does anything: imports, `heedful --help`, and two short commands, each a process.

Run: python bench/start_up.py [--iterations N] [--ci] [--json] [--folder DIR]

Beside them an interpreter that does nothing. A process is counted by the clock and by the processor's time, which other
work on the machine lengthens less. The modules have been compiled before.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _report import Figure, Report, arguments_of, bench_folder, machine, percentile

IMPORT_TARGET_MS = 150.0
HELP_TARGET_MS = 300.0
FLOOR_TIMES = 10
HEEDFUL = ("-m", "heedful")
CALLS: dict[str, tuple[str, ...]] = {
    "python alone": ("-c", "pass"),
    "import heedful": ("-c", "import heedful"),
    "from heedful import Memory": ("-c", "from heedful import Memory"),
    "heedful --help": (*HEEDFUL, "--help"),
    "heedful init": (*HEEDFUL, "init"),
    "heedful remember": (*HEEDFUL, "remember", "The invoices go out on Friday."),
}


def milliseconds_of(call: tuple[str, ...], folder: Path) -> tuple[float, float]:
    """One process in that folder: by the clock, and by the processor's time of it."""
    before, started = _processor_seconds(), time.perf_counter()
    subprocess.run([sys.executable, *call], cwd=folder, stdout=subprocess.DEVNULL, check=True)
    taken = time.perf_counter() - started
    return taken * 1_000, (_processor_seconds() - before) * 1_000


def _processor_seconds() -> float:
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime


def measured(rounds: int, top: Path) -> dict[str, tuple[list[float], list[float]]]:
    """Each call so often, in turn, each round in a folder of its own; one round before them is not counted."""
    taken: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in CALLS}
    for number in range(rounds + 1):
        with tempfile.TemporaryDirectory(dir=top) as folder:
            for name, call in CALLS.items():
                clock, processor = milliseconds_of(call, Path(folder))
                if number:
                    taken[name][0].append(clock)
                    taken[name][1].append(processor)
    return taken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int)
    arguments = arguments_of(parser)
    rounds: int = arguments.iterations or (3 if arguments.ci else 20)
    with bench_folder(arguments) as folder:
        report = Report("start-up: what a call costs before it does anything", machine(folder))
        taken = measured(rounds, folder)
    for name, (clock, processor) in taken.items():
        report.row(name, {"p50 ms": round(percentile(clock, 50), 1), "cpu p50 ms": round(percentile(processor, 50), 1)})
    for name, target in (("import heedful", IMPORT_TARGET_MS), ("heedful --help", HELP_TARGET_MS)):
        p50 = percentile(taken[name][0], 50)
        report.figures.append(Figure(f"{name}, p50", round(p50, 1), "ms", "<=", target, target * FLOOR_TIMES))
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
