"""How well recall finds what a direct question asks for: each leg, each way to fuse them, and recall on a store.

Run: python bench/retrieval_quality.py [--local] [--ci] [--json] [--folder DIR] [--misses]

Of our own sets (identifiers that look alike, slips of the pen), and of the shared cases where they are (HEEDFUL_CASES,
or ../shared/cases): each memory among everyday utterances (`alone`), and with all other memories of its language
(`pool`). `--local` adds the local model, which takes two minutes.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from _report import Figure, Report, arguments_of, bench_folder, machine
from _retrieval_cases import (
    LANGUAGES,
    Question,
    cases_folder,
    distractors,
    gatemem_questions,
    own_questions,
    paired_questions,
    trajectory_questions,
)
from _retrieval_legs import (
    Found,
    Legs,
    Rule,
    as_shipped,
    by_ranks,
    larger,
    text_alone,
    vectors_alone,
    weighted,
    without_identifiers,
)
from _retrieval_sets import IDENTIFIERS, SLIPS, UNANSWERED
from _stores import new_store

from heedful.adapters.models.local import LocalEmbedder
from heedful.adapters.models.ngrams import NgramEmbedder
from heedful.ports.embedder import Embedder
from heedful.recall.fuse import Leg, leg_of

TARGET = 0.97
FLOOR = 0.9
WEIGHTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
ANY_BUDGET = 50_000
PLACES = 12


def ranks(found: Found, order: Sequence[int]) -> list[int]:
    """The place in the order of each part of the answer, from 1; 0 where it is not there."""
    places = {position - 1: rank for rank, position in enumerate(order, 1)}
    return [min((places[each] for each in part if each in places), default=0) for part in found.question.parts]


def quality(told: Iterable[list[int]]) -> dict[str, float | int]:
    """hit@1, hit@5 and MRR of the best part; the share of all parts among the first PLACES."""
    every = list(told)
    best = [min((rank for rank in each if rank), default=0) for each in every]
    parts = [rank for each in every for rank in each]
    return {
        "n": len(every),
        "hit@1": round(sum(rank == 1 for rank in best) / len(every), 3),
        "hit@5": round(sum(0 < rank <= 5 for rank in best) / len(every), 3),
        "MRR": round(sum(1 / rank for rank in best if rank) / len(every), 3),
        f"parts@{PLACES}": round(sum(0 < rank <= PLACES for rank in parts) / len(parts), 3),
    }


def by_group(every: Iterable[Found], rule: Rule) -> dict[str, list[list[int]]]:
    """Group -> the ranks of each of its questions."""
    told: dict[str, list[list[int]]] = defaultdict(list)
    for found in every:
        told[found.question.group].append(ranks(found, rule(found)))
    return told


def rules_of(leg: Leg) -> Mapping[str, Rule]:
    """Every way to fuse that is compared."""
    return {
        "vectors alone": vectors_alone,
        "as shipped": as_shipped(leg),
        "no identifiers first": without_identifiers(leg),
        "the larger": larger(leg, leg.weight),
        "equal ranks": by_ranks(leg, 0.5),
        "weighted ranks": by_ranks(leg, leg.weight),
    }


def mean_reciprocal(every: Sequence[Found], rule: Rule) -> float:
    """The mean over the groups of their MRR, so that no large group decides alone."""
    groups = [quality(told)["MRR"] for told in by_group(every, rule).values()]
    return sum(groups) / len(groups)


def add_folds(report: Report, name: str, every: Sequence[Found], leg: Leg) -> None:
    """The weight that is best on one half of the questions, and how it does on the other."""
    for half in (0, 1):
        chosen_on = [found for found in every if found.question.half == half]
        told_on = [found for found in every if found.question.half != half]
        best = max(WEIGHTS, key=lambda weight: mean_reciprocal(chosen_on, weighted(leg, weight)))
        report.row(
            f"{name}: weight chosen on half {half}",
            {
                "weight": best,
                "MRR of the other half": round(mean_reciprocal(told_on, weighted(leg, best)), 3),
                "as shipped": round(mean_reciprocal(told_on, as_shipped(leg)), 3),
                "text alone": round(mean_reciprocal(told_on, text_alone), 3),
            },
        )


def add_model(report: Report, name: str, embedder: Embedder, questions: Sequence[Question], shows_misses: bool) -> None:
    """Rows for one model: each rule by group, the folds, and what is near where nothing answers."""
    legs, leg = Legs(embedder), leg_of(embedder.model)
    every = [legs.found(question) for question in questions]
    for rule_name, rule in rules_of(leg).items():
        for group, told in by_group(every, rule).items():
            report.row(f"{name}, {rule_name}: {group}", quality(told))
    add_folds(report, name, every, leg)
    texts = [text for text, _ in IDENTIFIERS + SLIPS] + [text for found in every for text in found.question.texts[:1]]
    chance = sorted(legs.best_similarity(asked, texts) for asked in UNANSWERED)
    report.row(
        f"{name}: nearest where nothing answers",
        {
            "median": round(chance[len(chance) // 2], 3),
            "most": round(chance[-1], 3),
            "floor": leg.floor,
            "share above it": round(sum(each >= leg.floor for each in chance) / len(chance), 2),
        },
    )
    if shows_misses:
        for found in every:
            rank = min((each for each in ranks(found, as_shipped(leg)(found)) if each), default=0)
            if not 0 < rank <= 5:
                report.notes.append(f"{name} missed {found.question.group} {found.question.question_id}: {rank}")


def through_a_store(folder: Path, cases: Path) -> dict[str, dict[str, float | int]]:
    """Group -> quality of `recall` itself, retrieved items only, on real stores with their default settings."""
    told: dict[str, list[list[int]]] = defaultdict(list)
    questions = [each for each in paired_questions(cases) if each.group.startswith("alone")]
    with new_store(folder) as memory:
        for language in LANGUAGES:
            for text in distractors(cases, language):
                memory.remember(text, scope=(f"project:alone-{language}",))
                memory.remember(text, scope=(f"project:pool-{language}",))
        for question in questions:
            language = question.group.split()[1]
            place = (f"project:alone-{language}", f"task:{question.question_id}")
            memory.remember(question.texts[0], scope=place)
            memory.remember(question.texts[0], scope=(f"project:pool-{language}",))
        for question in questions:
            language = question.group.split()[1]
            for kind, scope in (
                ("alone", (f"project:alone-{language}", f"task:{question.question_id}")),
                ("pool", (f"project:pool-{language}",)),
            ):
                packet = memory.recall(question.text, scope=scope, budget_tokens=ANY_BUDGET)
                items = [item for item in packet.items if not item.bridges]
                rank = next((n for n, item in enumerate(items, 1) if item.text in question.texts[0]), 0)
                told[f"{kind} {language}"].append([rank])
    return {group: quality(each) for group, each in told.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--local", action="store_true", help="the local model as well")
    parser.add_argument("--misses", action="store_true", help="name every question that is missed")
    arguments = arguments_of(parser)
    cases = cases_folder()
    questions = own_questions() + (paired_questions(cases) if cases else [])
    more = trajectory_questions(cases) + gatemem_questions(cases) if cases and not arguments.ci else []
    with bench_folder(arguments) as folder:
        report = Report("what recall finds for direct questions", machine(folder))
        if cases is None:
            report.notes.append("the shared cases are not here, so only our own sets were measured")
        every = [Legs(None).found(question) for question in questions + more]
        for group, told in by_group(every, text_alone).items():
            report.row(f"text alone: {group}", quality(told))
        add_model(report, "n-grams", NgramEmbedder(), questions + more, arguments.misses)
        if arguments.local:
            add_model(report, "local", LocalEmbedder(), questions, arguments.misses)
        for group, told_of in (through_a_store(folder / "store", cases) if cases else {}).items():
            report.row(f"through a store: {group}", told_of)
            if group.startswith("alone"):
                figure = float(told_of["hit@5"])
                report.figures.append(Figure(f"hit@5 without a model, {group}", figure, "", ">=", TARGET, FLOOR))
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
