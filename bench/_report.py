"""What every benchmark prints: the machine, both sides of each ratio, and each figure against its target.

A figure has a target and a floor. The target is what the project promises on a quiet machine; a run alone fails where
it is missed. With `--ci` the counts are smaller and a run fails only below the floor: far enough from the target that
other work on a shared machine does not reach it, near enough that a tenfold slowdown does. What must be exact (nothing
lost, no error) has a floor that is its target.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from math import ceil
from pathlib import Path
from typing import Literal

import apsw

Value = int | float | str
MISSED = 1
"""Exit code of a run in which a figure fails."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that a target is set for; `floor` is what fails a run with `--ci`."""

    name: str
    value: float
    unit: str
    relation: Literal[">=", "<=", "=="]
    target: float
    floor: float

    def holds(self, *, ci: bool) -> bool:
        """True where the number is on the right side of the target, or of the floor with `ci`."""
        bound = self.floor if ci else self.target
        if self.relation == "==":
            return self.value == bound
        return self.value >= bound if self.relation == ">=" else self.value <= bound


def exact(name: str, value: float, expected: float = 0) -> Figure:
    """A figure that holds only where the number is the expected one."""
    return Figure(name, value, "", "==", expected, expected)


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least `percent` of them do not exceed (nearest rank).

    Raises:
        ValueError: there are no values, which is no measurement.
    """
    if not values:
        raise ValueError("a percentile of nothing")
    ordered = sorted(values)
    return ordered[max(0, ceil(len(ordered) * percent / 100) - 1)]


def spread(seconds: Sequence[float], *, scale: float = 1e6, unit: str = "us") -> dict[str, Value]:
    """p50, p95 and p99 of these durations."""
    return {f"p{percent} {unit}": round(percentile(seconds, percent) * scale, 1) for percent in (50, 95, 99)}


@dataclass(slots=True)
class Report:
    """One benchmark's result."""

    title: str
    machine: dict[str, Value]
    rows: list[tuple[str, dict[str, Value]]] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    command: str = field(default_factory=lambda: " ".join(["python", *sys.argv]))

    def row(self, name: str, values: Mapping[str, Value]) -> None:
        """One line of numbers is added."""
        self.rows.append((name, dict(values)))

    def finish(self, arguments: argparse.Namespace) -> int:
        """The report is printed; the exit code is returned."""
        ci: bool = arguments.ci
        verdicts = [(figure, figure.holds(ci=False), figure.holds(ci=True)) for figure in self.figures]
        if arguments.json:
            print(json.dumps(self._as_json(verdicts), ensure_ascii=False, indent=1))
        else:
            self._print(verdicts)
        return 0 if all(figure.holds(ci=ci) for figure in self.figures) else MISSED

    def _as_json(self, verdicts: list[tuple[Figure, bool, bool]]) -> dict[str, object]:
        return {
            "title": self.title,
            "command": self.command,
            "machine": self.machine,
            "rows": [{"name": name, **values} for name, values in self.rows],
            "figures": [
                {**asdict(figure), "target_holds": target_holds, "floor_holds": floor_holds}
                for figure, target_holds, floor_holds in verdicts
            ],
            "notes": self.notes,
        }

    def _print(self, verdicts: list[tuple[Figure, bool, bool]]) -> None:
        print(f"{self.title}\n  {self.command}")
        print("  " + ", ".join(f"{name}: {value}" for name, value in self.machine.items()))
        width = max((len(name) for name, _ in self.rows), default=0)
        for name, values in self.rows:
            print(f"  {name:{width}}  " + "  ".join(f"{key} {_shown(value)}" for key, value in values.items()))
        for note in self.notes:
            print(f"  note: {note}")
        for figure, target_holds, floor_holds in verdicts:
            verdict = "PASS" if target_holds else "FAIL"
            floor = "" if floor_holds else f", and beyond the floor {_shown(figure.floor)}"
            shown = f"{_shown(figure.value)} {figure.unit}".strip()
            print(f"  {verdict}: {figure.name}: {shown} (target {figure.relation} {_shown(figure.target)}{floor})")


def arguments_of(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """The arguments that were given; `--json`, `--ci` and `--folder` are every benchmark's."""
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--ci", action="store_true", help="fewer rounds; fail only beyond the floors")
    parser.add_argument("--folder", type=Path, help="where the temporary folder is made (a disk, not memory)")
    return parser.parse_args()


@contextmanager
def bench_folder(arguments: argparse.Namespace) -> Iterator[Path]:
    """A temporary folder, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="heedful-bench-", dir=arguments.folder) as folder:
        yield Path(folder)


def machine(folder: Path) -> dict[str, Value]:
    """What the numbers were measured on."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else -1.0
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count() or 0,
        "load before": round(load, 2),
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "apsw": apsw.apsw_version(),
        "system": f"{platform.system()} {platform.release()}",
        "file system": file_system(folder),
    }


def file_system(folder: Path) -> str:
    """The type of file system that holds the folder, or `unknown` where the system keeps no list of mounts."""
    mounts = Path("/proc/mounts")
    if not mounts.exists():
        return "unknown"
    found = ("", "unknown")
    place = folder.resolve()
    for line in mounts.read_text("utf-8", "replace").splitlines():
        _device, point, kind = line.split(" ")[:3]
        if place.is_relative_to(point) and len(point) >= len(found[0]):
            found = (point, kind)
    return found[1]


def _cpu_model() -> str:
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        for line in listed.read_text("utf-8", "replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _shown(value: Value) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else value
