"""Every figure, one benchmark after another. Ends with 1 where one of them fails.

Run: python bench/all.py [--ci] [--json] [--folder DIR]

With `--ci`: fewer rounds, within five minutes on two cores, and a run fails only where something is lost, half there
or wrong, or where a speed is beyond its floor: a tenth of what is promised, which other work on a shared machine does
not explain (_report.py). Each benchmark has its own limit of time.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from _report import arguments_of

TIMED_OUT = 124


@dataclass(frozen=True, slots=True)
class Bench:
    """A script, and how long it may take.

    Attributes:
        ci_seconds_max: 0: not in CI, since it only describes and decides nothing.
        has_figures: False: it takes no arguments and prints text alone.
    """

    script: str
    seconds_max: int
    ci_seconds_max: int
    has_figures: bool = True


BENCHES = (
    Bench("canonical.py", 60, 0, has_figures=False),
    Bench("secret_detectors.py", 600, 0, has_figures=False),
    Bench("single_writes.py", 600, 90),
    Bench("concurrent_writes.py", 600, 90),
    Bench("import_speed.py", 300, 60),
    Bench("registry_load.py", 300, 60),
    Bench("start_up.py", 300, 90),
    Bench("conflict_speed.py", 1_800, 60),
    Bench("recall_speed.py", 600, 90),
    Bench("retrieval_quality.py", 600, 60),
    Bench("scale.py", 3_600, 120),
    Bench("processes.py", 600, 60),
    Bench("belief_world.py", 1_800, 120),
    Bench("tampering.py", 1_800, 60),
    # Its scan and a word of each class are in CI as tests.
    Bench("residue.py", 3_600, 0),
    Bench("scrub_speed.py", 1_800, 0),
    Bench("poison.py", 1_800, 60),
    Bench("kills.py", 3_600, 120),
    Bench("backup.py", 1_800, 90),
    # Not in CI, which has 30 minutes: they tell speeds alone, and what they write others write too.
    Bench("batched_writes.py", 300, 0),
    Bench("import_memory.py", 7_200, 0),
    Bench("routing_speed.py", 300, 0),
    Bench("open_loop.py", 600, 0),
    # Not in CI: the tests do the same there.
    Bench("power_cuts.py", 3_600, 0),
    Bench("server_kills.py", 3_600, 0),
    Bench("non_interference.py", 3_600, 0),
    Bench("erasure_races.py", 7_200, 0),
    Bench("revocation_lag.py", 1_200, 0),
)


def run(bench: Bench, arguments: argparse.Namespace) -> tuple[int, str]:
    """The exit code, and what was printed where it is wanted as JSON."""
    command = [sys.executable, str(Path(__file__).with_name(bench.script))]
    if bench.has_figures:
        command += ["--ci"] if arguments.ci else []
        command += ["--json"] if arguments.json else []
        command += ["--folder", str(arguments.folder)] if arguments.folder else []
    limit = bench.ci_seconds_max if arguments.ci else bench.seconds_max
    try:
        ended = subprocess.run(
            command, timeout=limit, check=False, text=True, stdout=subprocess.PIPE if arguments.json else None
        )
    except subprocess.TimeoutExpired:
        print(f"{bench.script} took longer than {limit} s", file=sys.stderr, flush=True)
        return TIMED_OUT, ""
    return ended.returncode, ended.stdout or ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments = arguments_of(parser)
    failed, printed = [], []
    for bench in BENCHES:
        if (arguments.ci and not bench.ci_seconds_max) or (arguments.json and not bench.has_figures):
            continue
        if not arguments.json:
            print(f"\n== {bench.script}", flush=True)
        started = time.monotonic()
        code, text = run(bench, arguments)
        if not arguments.json:
            print(f"== {bench.script}: {time.monotonic() - started:.0f} s", flush=True)
        failed += [bench.script] if code else []
        printed += [json.loads(text)] if text else []
    if arguments.json:
        print(json.dumps(printed, ensure_ascii=False, indent=1))
    else:
        print(f"\nfailed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
