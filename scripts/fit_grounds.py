"""Fit the weights of grounds from the packs' trajectories -> src/heedful/evidence/grounds/weights.py.

    uv run --group train python scripts/fit_grounds.py [--check]

Logistic regression over the numbers of evidence/grounds/features.py, for each event whether it proves the answer (what
must not be grounds counts threefold), and over `choose.gap_numbers` whether the answer is not there at all. `--check`
prints, by quarters kept apart (twins together), the share of grounds that are found, how many that are marked are
right, in how many cases one is marked that must not be; how many gaps are told, and how many where there is none.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from heedful.adapters.models.local import LocalEmbedder
from heedful.evaluation.trajectories.cases import TrajectoryCase, load_trajectories
from heedful.evidence.grounds import choose as chosen
from heedful.evidence.grounds.enough import GAP_MIN
from heedful.evidence.grounds.event import FoundEvent
from heedful.evidence.grounds.features import NAMES, Asked, features_of
from heedful.kernel.ids import PrincipalId, RecordId, RunId
from heedful.kernel.ladder import Classification, Consent
from heedful.kernel.scope import parse_scope
from heedful.kernel.times import parse_time
from heedful.kernel.vectors import cosine, squared
from heedful.observations.record import Channel, Record, SourceGrade, Subject

HERE = Path(__file__).parent.parent
TRAJECTORIES = sorted((HERE / "src/heedful/packs").glob("*/training/trajectories_*.jsonl"))
WEIGHTS = HERE / "src/heedful/evidence/grounds/weights.py"
SOFTNESS, FORBIDDEN_WEIGHT, QUARTERS = 0.1, 3.0, 4
GAP_SOFTNESS = 8.0

Weighed = list[tuple[FoundEvent, list[float]]]


def record_of(event: Any) -> Record:
    return Record(
        record_id=RecordId(event.event_id), type=event.type, grade=SourceGrade.TOOL, channel=Channel.CAPTURE,
        principal=PrincipalId("person:author"), scope=parse_scope(event.scope), source_ref=None, content=event.text,
        content_base64=None, blob=None, media_type="text/plain",
        occurred=parse_time(event.occurred_at, field="occurred_at"), run_id=RunId(event.run_id),
        sequence=event.sequence, speaker=None, subjects=tuple(Subject(*each) for each in event.subjects),
        attributes=(), classification=Classification.NORMAL, consent=Consent.IMPLICIT, expected_utility=0.5,
        confidence=1.0, retain_days=None, derived_from=(), redactions=(), flags=(),
    )  # fmt: skip


def nearness(asked: bytes, vector: bytes) -> float:
    left, right = (np.frombuffer(each, dtype=np.int8).astype(np.int64) for each in (asked, vector))
    return cosine(int(left @ right), squared(asked), squared(vector))


def weighed(case: TrajectoryCase, embedder: LocalEmbedder) -> Weighed:
    own = [each for each in case.events if each.event_id not in case.foreign]
    (asked,) = embedder.embed([case.question], purpose="query")
    vectors = embedder.embed([each.text[:2_000] for each in own], purpose="passage")
    pairs = zip(own, vectors, strict=True)
    events = [FoundEvent(record_of(each), nearness(asked, vector)) for each, vector in pairs]
    return features_of(Asked(case.question, case.task_class), events)  # type: ignore[arg-type]


def fitted(cases: Sequence[tuple[TrajectoryCase, Weighed]]) -> LogisticRegression:
    rows, truths, counts = [], [], []
    for case, events in cases:
        for event, numbers in events:
            if chosen.barred(case.task_class, numbers) is None:
                rows.append(numbers)
                truths.append(event.record.record_id in case.support)
                counts.append(FORBIDDEN_WEIGHT if event.record.record_id in case.forbidden else 1.0)
    model = LogisticRegression(C=SOFTNESS, max_iter=3_000)
    return model.fit(np.array(rows), np.array(truths), sample_weight=np.array(counts))


def set_weights(model: LogisticRegression) -> None:
    chosen.START, chosen.WEIGHTS = float(model.intercept_[0]), tuple(map(float, model.coef_[0]))  # type: ignore[misc]
    nothing = [[0.0] * len(NAMES)]
    chosen.GAP_WEIGHTS = (0.0,) * len(chosen.gap_numbers(nothing, nothing))  # type: ignore[misc]


def told(cases: Sequence[tuple[TrajectoryCase, Weighed]]) -> list[float]:
    found = []
    for case, events in cases:
        support = chosen.support_ids(chosen.chosen(case.task_class, events))
        right = len(support & case.support)
        found.append(
            (right / max(1, len(case.support)), right / max(1, len(support)), float(bool(support & case.forbidden)))
        )
    return [round(float(each), 3) for each in np.mean(found, axis=0)]


def gap_model(cases: Sequence[tuple[TrajectoryCase, Weighed]]) -> LogisticRegression:
    rows, truths = gap_rows(cases)
    model = LogisticRegression(C=GAP_SOFTNESS, class_weight={False: 1.0, True: 2.0}, max_iter=3_000)
    return model.fit(np.array(rows), np.array(truths))


def gap_rows(cases: Sequence[tuple[TrajectoryCase, Weighed]]) -> tuple[list[list[float]], list[bool]]:
    """What is weighed of a gap, with the weights that are set, and whether there is one; of classes with gaps."""
    rows, truths = [], []
    for case, events in cases:
        if case.task_class in ("causal", "workflow"):
            continue
        taken = chosen.support_ids(chosen.chosen(case.task_class, events))
        support = [numbers for event, numbers in events if event.record.record_id in taken]
        rows.append(chosen.gap_numbers(support, [numbers for _, numbers in events]))
        truths.append(case.group == "isolation" and all(each.rank > 1 for each in case.expected))
    return rows, truths


def gaps_told(learned: LogisticRegression, cases: Sequence[tuple[TrajectoryCase, Weighed]]) -> list[float]:
    rows, truths = gap_rows(cases)
    said = learned.predict_proba(np.array(rows))[:, 1] >= GAP_MIN
    truth = np.array(truths)
    return [round(float(said[truth].mean()), 3), round(float(said[~truth].mean()), 3)]


def written(model: LogisticRegression, gaps: LogisticRegression) -> str:
    lines = [f"    {value:.3f},  # {name}" for name, value in zip(NAMES, model.coef_[0], strict=True)]
    gap_lines = [f"    {value:.3f}," for value in gaps.coef_[0]]
    return "\n".join([
        '"""Weights of grounds, as scripts/fit_grounds.py made them."""', "", "from __future__ import annotations", "",
        f"START = {model.intercept_[0]:.3f}", "WEIGHTS: tuple[float, ...] = (", *lines, ")",
        '"""In the order of features.NAMES."""', f"GAP_START = {gaps.intercept_[0]:.3f}",
        "GAP_WEIGHTS: tuple[float, ...] = (", *gap_lines, ")", '"""In the order of choose.gap_numbers."""', "",
    ])  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    embedder = LocalEmbedder()
    cases = [(case, weighed(case, embedder)) for path in TRAJECTORIES for case in load_trajectories(path).cases]
    if arguments.check:
        for quarter in range(QUARTERS):
            is_apart = [place // 2 % QUARTERS == quarter for place in range(len(cases))]
            apart = [each for each, out in zip(cases, is_apart, strict=True) if out]
            rest = [each for each, out in zip(cases, is_apart, strict=True) if not out]
            set_weights(fitted(rest))
            print("found, right, false:", *told(apart))
            print("gaps told, and where is none:", *gaps_told(gap_model(rest), apart))
    model = fitted(cases)
    set_weights(model)
    print("all, as learned: found, right, false:", *told(cases))
    WEIGHTS.write_text(written(model, gap_model(cases)), "utf-8")


if __name__ == "__main__":
    main()
