"""Manifest: what locks a run: two runs of one manifest give the same rows, latency aside."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.bootstrap import App
from heedful.evaluation.datasets import Dataset, Distractors
from heedful.evaluation.plan import Plan
from heedful.kernel.ids import Revision
from heedful.kernel.times import format_time
from heedful.settings import VERSION


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a run was made with.

    Attributes:
        dataset_sha256, distractors_sha256: of the files.
        packs: name -> version, those that others build on among them.
        router, embedder: identities of the models; None: none was configured.
        urgency_min: from here on a decision state came to mind.
        inject: `9/47`, or None.
    """

    heedful: str
    dataset: str
    dataset_sha256: str
    distractors: int
    distractors_sha256: tuple[str, ...]
    registry_revision: Revision
    packs: dict[str, str]
    router: str | None
    embedder: str | None
    urgency_min: float
    scorer: str
    arms: tuple[str, ...]
    places: tuple[int, ...]
    together: bool
    review: str
    inject: str | None
    budget_tokens: int
    seed: int
    as_of: str


def manifest_of(app: App, dataset: Dataset, distractors: Distractors, plan: Plan) -> Manifest:
    """The manifest of this plan with these files in that store."""
    embedder = app.embedders.configured
    return Manifest(
        heedful=VERSION,
        dataset=dataset.name,
        dataset_sha256=dataset.sha256,
        distractors=len(distractors.utterances),
        distractors_sha256=distractors.sha256,
        registry_revision=app.registry.revision,
        packs=dict(sorted(app.registry.packs.items())),
        router=None if app.router is None else app.router.model,
        embedder=None if embedder is None else embedder.model,
        urgency_min=app.settings.urgency_min,
        scorer=app.settings.scorer,
        arms=plan.arms,
        places=plan.places,
        together=plan.together,
        review=plan.review,
        inject=None if plan.inject is None else f"{plan.inject[0]}/{plan.inject[1]}",
        budget_tokens=plan.budget_tokens,
        seed=plan.seed,
        as_of=format_time(plan.as_of_us),
    )
