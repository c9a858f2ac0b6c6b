"""What the registry of both bundled packs adds to opening a store: kept compiled, beside parsed from YAML.

Run: python bench/registry_load.py [--iterations N] [--ci] [--json] [--folder DIR] [--profile]

Each time in a process of its own, as a command has it: reading the documents, their digest, the registry with its
lookups, and one request looked up in it. The figure is processor time, so that other work on the machine weighs less.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from _report import Figure, Report, arguments_of, bench_folder, exact, machine, percentile, spread

from heedful.adapters.registry_cache import CACHE_FILE, cached_registry
from heedful.adapters.registry_files import PACKS_FILE, default_policy, folder_documents, registry_of
from heedful.bridges.registry import Registry
from heedful.bridges.words import find_phrases, wording

TARGET_MS = 150.0
FLOOR_MS = 1_500.0
PACKS = ("delivery", "everyday")
REQUEST = (
    "Please book a table for four on Friday and deploy the invoice worker to production afterwards; 帮我订一家餐厅"
)
PROFILED_LINES = 30
RUN_SECONDS_MAX = 60


def lay_out(folder: Path) -> Path:
    """A registry folder with both packs, as `init` writes it."""
    registry = folder / "registry"
    registry.mkdir()
    (registry / PACKS_FILE).write_text(f"packs: [{', '.join(PACKS)}]\n", "utf-8")
    (registry / "policy.yaml").write_text(default_policy("person:bench", PACKS), "utf-8")
    return registry


def look_up(registry: Registry) -> int:
    """How many phrases one request has."""
    index, text = registry.index, wording(REQUEST)
    return sum(1 for book in (index.class_phrases, index.kind_phrases) for _ in find_phrases(text, book))


def kept(folder: Path) -> Registry:
    """As a store opens it."""
    return cached_registry(folder_documents(folder / "registry"), folder / "cache")


def parsed(folder: Path) -> Registry:
    """As where nothing is kept."""
    return registry_of(folder_documents(folder / "registry"))


WAYS: dict[str, Callable[[Path], Registry]] = {"kept": kept, "parsed": parsed}


def one_load(way: str, folder: Path) -> dict[str, float | str]:
    """The seconds of one load in this process, by the wall and by processor time, and what it gave."""
    started, cpu_started = time.perf_counter(), time.process_time()
    registry = WAYS[way](folder)
    found = look_up(registry)
    cpu, wall = time.process_time() - cpu_started, time.perf_counter() - started
    return {"cpu": cpu, "wall": wall, "revision": registry.revision, "found": found}


def in_new_process(way: str, folder: Path) -> dict[str, float | str]:
    """The same in a process of its own."""
    command = [sys.executable, __file__, "--load", way, "--folder", str(folder)]
    ran = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, timeout=RUN_SECONDS_MAX)
    loaded: dict[str, float | str] = json.loads(ran.stdout)
    return loaded


def measure(report: Report, folder: Path, iterations: int) -> None:
    """The report's rows and figures."""
    registry_folder = lay_out(folder)
    documents = folder_documents(registry_folder)
    first = kept(folder)
    loads = {
        "kept": [in_new_process("kept", folder) for _ in range(iterations)],
        "parsed": [in_new_process("parsed", folder) for _ in range(max(2, iterations // 10))],
    }
    for way, found in loads.items():
        for clock in ("cpu", "wall"):
            seconds = [float(each[clock]) for each in found]
            report.row(f"{way}, {clock}", {"loads": len(found), **spread(seconds, scale=1e3, unit="ms")})
    different = {(each["revision"], each["found"]) for found in loads.values() for each in found}
    report.row(
        "the registry",
        {
            "documents": len(documents),
            "characters": sum(len(text) for _, text in documents),
            "bridges": len(first.bridges),
            "cache bytes": (folder / "cache" / CACHE_FILE).stat().st_size,
        },
    )
    p50 = percentile([float(each["cpu"]) for each in loads["kept"]], 50)
    report.figures.append(Figure("p50 of loading the registry", p50 * 1e3, "ms", "<=", TARGET_MS, FLOOR_MS))
    report.figures.append(exact("different registries", len(different), 1))
    report.figures.append(
        exact("revisions other than the parsed one's", len({first.revision} ^ {parsed(folder).revision}))
    )


def profile(folder: Path) -> None:
    """What takes the time where the registry is kept, to standard error."""
    with cProfile.Profile() as profiled:
        kept(folder)
    pstats.Stats(profiled, stream=sys.stderr).sort_stats("tottime").print_stats(PROFILED_LINES)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int)
    parser.add_argument("--profile", action="store_true", help="print a profile to standard error")
    parser.add_argument("--load", choices=sorted(WAYS), help=argparse.SUPPRESS)
    arguments = arguments_of(parser)
    if arguments.load:
        print(json.dumps(one_load(arguments.load, Path(arguments.folder))))
        return 0
    iterations: int = arguments.iterations or (5 if arguments.ci else 30)
    with bench_folder(arguments) as folder:
        report = Report(f"the registry of {' and '.join(PACKS)} when a store is opened", machine(folder))
        measure(report, folder, iterations)
        if arguments.profile:
            profile(folder)
    report.notes.append("both ways find the same phrases in one request; the rest of opening a store is not in it")
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
