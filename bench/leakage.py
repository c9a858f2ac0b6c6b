"""How much of what comes to mind rests on entries that were added after the blind commit and fit the cases.

Run: python bench/leakage.py FILE --since COMMIT [--embedder local] [--limit N] [--distractors FILE ...]
     [--listed TSV] [--retrain FOLDER | --router NPZ] [--at-random] [--ci] [--json] [--folder DIR]

An entry of the packs counts as leaked where COMMIT has it not and it shares a rare word with a case of FILE (a word of
4 letters or a pair of Chinese characters that is no function word, in less than 0.2 % of the training lines of COMMIT).
The paired evaluation is run with the packs as they are and without those entries; indirect activation may fall by at
most 3 points. Distractors are the files `distractors_*.txt` beside FILE unless others are named.

What leaked into training lines is in the weights. `--retrain FOLDER` writes the reduced packs and the script that
trains them there, and measures nothing; `--router NPZ` then measures without those entries and with those weights.
`--at-random` leaves out as many added entries by chance: what a smaller classifier loses, whatever words it has seen.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from _pack_entries import PACKS, SORTS, TRAINING, Entry, entries_of, training_digest, training_texts, tree_at, tree_of
from _pack_entries import without as tree_without
from _rare_words import case_texts, rare_words, words_of
from _report import Figure, Report, Value, arguments_of, bench_folder, exact, machine

import heedful
from heedful.evaluation.datasets import load_cases

ROOT = Path(__file__).resolve().parents[1]
FALL_POINTS_MAX = 3.0
CI_CASES = 10
NOTED_MAX = 40
"""Leaked entries that the report names; --listed has all."""
RUN_SECONDS_MAX = 7_200
ARM = "bridge-first"
METRICS = ("indirect_activation", "direct_recall", "topic_negative_activation", "lexical_negative_activation")
_VECTORS = ".cache/router_vectors.npz"
_SCRIPT = "scripts/train_router.py"
_ROWS = "scripts/router_rows.py"


@dataclass(frozen=True, slots=True)
class Leak:
    """What was added, and what of it shares a rare word with a case.

    Attributes:
        leaked: entry -> the rare words that it shares, in order.
    """

    added: frozenset[Entry]
    leaked: Mapping[Entry, tuple[str, ...]]

    @property
    def training_count(self) -> int:
        """How many training lines are leaked."""
        return sum(entry.sort == TRAINING for entry in self.leaked)


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One run of the paired evaluation.

    Attributes:
        activated: case id -> whether its memory came to mind before the indirect request.
        metrics: of the arm with bridges, as shares.
    """

    activated: Mapping[str, bool]
    metrics: Mapping[str, float]
    revision: str


def leak_of(then: Collection[Entry], now: Collection[Entry], texts: Sequence[str]) -> Leak:
    """What is now and was not then, and what of it shares with these texts a word that was rare then.

    Raises:
        ValueError: there was no training line then, so that nothing tells what is rare.
    """
    added, lines = frozenset(now) - frozenset(then), training_texts(then)
    if not lines:
        raise ValueError("that commit has no training lines, so nothing tells which words are rare")
    rare = rare_words(texts, lines)
    shared = {entry: tuple(sorted(words_of(entry.text) & rare)) for entry in sorted(added)}
    return Leak(added, {entry: words for entry, words in shared.items() if words})


def as_many(leak: Leak) -> Leak:
    """The control: as many of what was added, drawn at random, the same at every run."""
    drawn = random.Random(0).sample(sorted(leak.added), len(leak.leaked))
    return Leak(leak.added, dict.fromkeys(sorted(drawn), ()))


def fall_points(before: Mapping[str, bool], after: Mapping[str, bool]) -> float:
    """By how many points the share of cases falls; below 0 where it rises.

    Raises:
        ValueError: the two are not of the same cases, or there is none.
    """
    if not before or before.keys() != after.keys():
        raise ValueError("the two runs are not of the same cases")
    return 100 * (sum(before.values()) - sum(after.values())) / len(before)


def evaluate(package: Path, arguments: argparse.Namespace) -> Evaluated:
    """The paired evaluation, by the code and the packs in this copy of the package.

    Raises:
        RuntimeError: it failed; its own words are on standard error.
    """
    rows_file, limit = package / "rows.jsonl", CI_CASES if arguments.ci else arguments.limit
    command = [sys.executable, "-m", "heedful", "eval", "paired", str(arguments.file), "--json"]
    command += ["--rows", str(rows_file), "--embedder", arguments.embedder]
    for distractors in arguments.distractors or sorted(arguments.file.parent.glob("distractors_*.txt")):
        command += ["--distractors", str(distractors.resolve())]
    command += [] if limit is None else ["--limit", str(limit)]
    environment = {**os.environ, "PYTHONPATH": str(package)}
    ran = subprocess.run(
        command, check=False, cwd=package, env=environment, text=True, stdout=subprocess.PIPE, timeout=RUN_SECONDS_MAX
    )
    if ran.returncode:
        raise RuntimeError(f"the evaluation ended with {ran.returncode}: {ran.stdout[:2_000]}")
    told: dict[str, Any] = json.loads(ran.stdout)
    rows = [json.loads(line) for line in rows_file.read_text("utf-8").splitlines()]
    found = told["arms"][ARM]
    return Evaluated(
        {row["case_id"]: row["activated"] for row in rows if row["arm"] == ARM and row["probe"] == "indirect"},
        {name: found[name]["value"] for name in METRICS if name in found},
        told["manifest"]["registry_revision"],
    )


def copy_package(folder: Path) -> Path:
    """The folder that a copy of the package lies in, so that nothing changes between two runs."""
    shutil.copytree(
        Path(heedful.__file__).parent, folder / "heedful", ignore=shutil.ignore_patterns("__pycache__"), symlinks=True
    )
    return folder


def write_tree(tree: Mapping[str, str], package: Path) -> None:
    """The packs of that copy are these."""
    for path, text in tree.items():
        (package / "heedful" / "packs" / path).write_text(text, "utf-8")


def write_for_training(tree: Mapping[str, str], folder: Path) -> str:
    """The reduced packs, the package and the script that trains them; the command to run is returned."""
    write_tree(tree, copy_package(folder / "src"))
    for name in (_SCRIPT, _ROWS, _VECTORS):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        # The vectors of a text are the same whatever is trained with it.
        if (ROOT / name).exists():
            shutil.copy2(ROOT / name, folder / name)
    return f"PYTHONPATH={folder / 'src'} uv run --group train python {folder / _SCRIPT}"


def weights_digest(package: Path) -> str:
    """The digest of the training lines that the weights were made of."""
    with np.load(package / "heedful" / "packs" / "router.npz", allow_pickle=False) as loaded:
        return str(json.loads(str(loaded["about"]))["digest"])


def add_leak(report: Report, leak: Leak) -> None:
    """A row for each sort of entry, and the first of those that leaked."""
    added, leaked = (Counter(entry.sort for entry in some) for some in (leak.added, leak.leaked))
    for sort in SORTS:
        report.row(sort, {"added": added[sort], "leaked": leaked[sort]})
    for entry, words in list(leak.leaked.items())[:NOTED_MAX]:
        report.notes.append(f"leaked {entry.sort}, {entry.place}: {entry.text!r} shares {', '.join(words)}")
    if len(leak.leaked) > NOTED_MAX:
        report.notes.append(f"and {len(leak.leaked) - NOTED_MAX} more leaked entries; --listed names all")


def add_fall(report: Report, before: Evaluated, after: Evaluated) -> None:
    """Both runs, the cases that were lost or won, and the figure."""
    for name, run in (("with", before), ("without", after)):
        values: dict[str, Value] = {metric: round(100 * value, 1) for metric, value in run.metrics.items()}
        report.row(f"{name} what leaked, %", {"cases": len(run.activated), **values})
    for name, some, other in (("lost", before, after), ("won", after, before)):
        cases = [case for case, holds in some.activated.items() if holds and not other.activated[case]]
        report.notes.append(f"{name} without what leaked: {', '.join(cases) or 'no case'}")
    fall = round(fall_points(before.activated, after.activated), 2)
    report.figures.append(Figure("fall of indirect activation", fall, "points", "<=", FALL_POINTS_MAX, FALL_POINTS_MAX))


def measure(report: Report, folder: Path, arguments: argparse.Namespace) -> None:
    """The report's rows and figures, or the folder to train in."""
    whole = copy_package(folder / "with")
    tree = tree_of(whole / "heedful" / "packs")
    texts = [text for case in load_cases(arguments.file).cases for text in case_texts(case)]
    leak = leak_of(entries_of(tree_at(arguments.since, ROOT)), entries_of(tree), texts)
    if arguments.at_random:
        leak = as_many(leak)
        report.notes.append("the control: as many entries left out, drawn at random, whatever words they share")
    reduced = tree_without(tree, leak.leaked.keys())
    add_leak(report, leak)
    if arguments.listed:
        lines = ("\t".join((each.sort, each.place, each.text, " ".join(words))) for each, words in leak.leaked.items())
        arguments.listed.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    if arguments.retrain:
        place = arguments.retrain.resolve()
        report.notes.append(f"train the reduced packs by `{write_for_training(reduced, place)}`")
        report.notes.append(f"then measure with --router {place / PACKS / 'router.npz'}")
        return
    without = copy_package(folder / "without")
    write_tree(reduced, without)
    if arguments.router:
        shutil.copy2(arguments.router, without / "heedful" / "packs" / "router.npz")
    is_trained = weights_digest(without) == training_digest(reduced)
    if arguments.router and not is_trained:
        raise RuntimeError(f"{arguments.router.name} was trained on other lines than those that are left")
    if weights_digest(whole) != training_digest(tree):
        report.notes.append("the weights of the packs as they are were trained on other lines: train them anew")
    report.figures.append(exact("leaked training lines still in the weights", 0 if is_trained else leak.training_count))
    if leak.training_count and not is_trained:
        report.notes.append("what leaked into training lines is not in the fall: see --retrain")
    before = evaluate(whole, arguments)
    after = evaluate(without, arguments) if leak.leaked else before
    if before.revision == after.revision and any(
        tree[path] != reduced[path] for path in tree if path.endswith(".yaml")
    ):
        raise RuntimeError("both runs read the same registry")
    add_fall(report, before, after)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="paired cases, one JSON object a line")
    parser.add_argument("--since", required=True, help="the commit before which no case had been looked at")
    parser.add_argument("--embedder", choices=("ngrams", "local"), default="ngrams")
    parser.add_argument("--limit", type=int, help="evaluate the first cases alone; words are those of all")
    parser.add_argument("--distractors", type=Path, nargs="+", help="utterances to put memories among")
    parser.add_argument(
        "--at-random", action="store_true", help="the control: leave out as many added entries by chance"
    )
    parser.add_argument("--listed", type=Path, help="write every leaked entry to this file")
    parser.add_argument("--retrain", type=Path, help="a new folder to write the reduced packs to, for training")
    parser.add_argument("--router", type=Path, help="weights that were trained there")
    arguments = arguments_of(parser)
    arguments.file = arguments.file.resolve()
    with bench_folder(arguments) as named:
        folder = named.resolve()
        report = Report(f"what came to {arguments.file.name} after {arguments.since[:12]}", machine(folder))
        measure(report, folder, arguments)
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
