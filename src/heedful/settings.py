"""Every setting, its default and its unit: one frozen class. Read once, in `Settings.from_environment`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Literal, get_args

from heedful.bridges.urgency import URGENCY_MIN
from heedful.claims.collection import CONFIDENCE_BELOW, UNUSED_DAYS
from heedful.claims.projections.experience import GOTCHA_DAYS
from heedful.gate.permit import PERMIT_SECONDS
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.times import zone_named
from heedful.kernel.vectors import DIMENSIONS_MAX
from heedful.ports.erasure import BACKUP_KEEP_DAYS
from heedful.ports.signing import CHECKPOINT_HOURS
from heedful.recall.request import Scorer
from heedful.recall.score import LinearWeights, Scoring, TieredWeights
from heedful.recall.spread import SOURCE_SHARE_MAX

VERSION = "0.1.0"
STORE_FOLDER = ".heedful"
ENVIRONMENT_PREFIX = "HEEDFUL_"
DEFAULT_TENANT = "default"
RouterChoice = Literal["bundled", "none"]
EmbedderChoice = Literal["ngrams", "local", "openai", "none"]

# The most that a number may be. Above it a setting is a mistake, and some would end in a wait or a thread without end.
SETTINGS_MAX: dict[str, int] = {
    "lock_wait_seconds": 3_600,
    "group_commit_jobs_max": 4_096,
    "write_queue_max": 65_536,
    "inline_bytes_max": 16_777_216,
    "content_bytes_max": 268_435_456,
    "packet_tokens": 200_000,
    "urgency_min": 1,
    "gotcha_days": 3_650,
    "score_relevance": 1,
    "score_recency": 1,
    "score_importance": 1,
    "score_source": 1,
    "score_conflict_penalty": 1,
    "score_half_life_days": 3_650,
    "score_corroboration_bonus": 1,
    "source_share_max": 1,
    "collect_unused_days": 3_650,
    "collect_confidence_below": 1,
    "backup_keep_days": 36_500,
    "erase_reserve_mib": 65_536,
    "checkpoint_hours": 8_760,
    "access_window_seconds": 3_600,
    "permit_seconds": 3_600,
    "embedder_dimensions": DIMENSIONS_MAX,
}
SETTINGS_CHOICES: dict[str, tuple[str, ...]] = {
    "embedder": get_args(EmbedderChoice),
    "scorer": get_args(Scorer),
    "router": get_args(RouterChoice),
}

_LINEAR, _TIERED = LinearWeights(), TieredWeights()


@dataclass(frozen=True, slots=True)
class Settings:
    """What may be set from outside; each is read from `HEEDFUL_<NAME>`. docs/settings.md describes every one.

    Attributes:
        store: the store's folder; None: looked for from the current folder upward.
        database: where PostgreSQL has the store's content, `postgresql://...`; None: the store is on SQLite.
        tenant: the tenant's name.
        principal: who asks; None: `person:<login>`.
        keys_dir: where keys are kept, outside the store; None: `~/.config/heedful/keys`.
        lock_wait_seconds: how long a write waits for the write lock.
        group_commit_jobs_max: writes that may share one commit.
        write_queue_max: writes of a tenant that may wait in one process; the next is told to come back later.
        inline_bytes_max: content above this goes to the blob store.
        content_bytes_max: content above this is refused.
        packet_tokens: a packet's budget, in estimated tokens.
        access_window_seconds: reads' access entries are sealed in groups at least this often; a power cut loses at
            most this much of them.
        permit_seconds: how long a permit can be redeemed.
        scorer: what orders retrieved items where a request names none: `linear` or `tiered`.
        score_relevance, score_recency, score_importance, score_source: weights of the linear score.
        score_conflict_penalty, score_half_life_days: see recall.score.LinearWeights.
        score_corroboration_bonus: of the tiered score, for each corroboration; see recall.score.TieredWeights.
        source_share_max: what one untrusted source may fill of what is found for a packet, above 0 to 1.
        router: what tells what requests decide and what statements tell: the `bundled` classifier, which reads the
            local model's vectors where that is the embedder, or `none`: by phrases alone, and nothing is told unasked.
        urgency_min: from here on, 0 to 1, a decision state comes to mind; higher is quieter.
        gotcha_days: how long a gotcha or premise lives where neither it nor its kind says so.
        zone: an IANA name: by whose calendar and clock words such as "next week" are read where their source names no
            offset of its own.
        collect_unused_days: a claim that was not used for so long may be archived by the weekly collection.
        collect_confidence_below: and is, where its confidence (0 to 1) is below this.
        backup_keep_days: how long whoever makes backups of the store keeps them: receipts of erasures say when the last
            one from before is to be gone.
        checkpoint_hours: so often the job `checkpoint` signs the chains as they are.
        erase_reserve_mib: how much of the disk a store on SQLite keeps, so that a full one does not stop an erasure.
        embedder: what makes vectors: `ngrams`, `local`, `openai` (any compatible endpoint) or `none`.
        embedder_url: that endpoint; None: the client's own default.
        embedder_model: the model that the endpoint is asked for.
        embedder_dimensions: of that model's vectors.
        embedder_key: the endpoint's key; from the environment alone.
        proposer_url: an endpoint that answers chats, for proposing bridges; None: the client's own default.
        proposer_model: the model that it is asked for; None: nothing is ever asked.
        proposer_key: that endpoint's key; from the environment alone.
    """

    store: str | None = None
    database: str | None = field(default=None, repr=False)  # it may hold a password
    tenant: str = DEFAULT_TENANT
    principal: str | None = None
    keys_dir: str | None = None
    lock_wait_seconds: float = 30.0
    group_commit_jobs_max: int = 64
    write_queue_max: int = 1_024
    inline_bytes_max: int = 65_536
    content_bytes_max: int = 16_777_216
    packet_tokens: int = 1_200
    access_window_seconds: float = 1.0
    permit_seconds: int = PERMIT_SECONDS
    scorer: Scorer = "linear"
    score_relevance: float = _LINEAR.relevance
    score_recency: float = _LINEAR.recency
    score_importance: float = _LINEAR.importance
    score_source: float = _LINEAR.source
    score_conflict_penalty: float = _LINEAR.conflict_penalty
    score_half_life_days: float = _LINEAR.half_life_days
    score_corroboration_bonus: float = _TIERED.corroboration_bonus
    source_share_max: float = SOURCE_SHARE_MAX
    router: RouterChoice = "bundled"
    urgency_min: float = URGENCY_MIN
    gotcha_days: float = float(GOTCHA_DAYS)
    zone: str = "UTC"
    collect_unused_days: float = float(UNUSED_DAYS)
    collect_confidence_below: float = CONFIDENCE_BELOW
    backup_keep_days: float = BACKUP_KEEP_DAYS
    erase_reserve_mib: int = 16
    checkpoint_hours: float = CHECKPOINT_HOURS
    embedder: EmbedderChoice = "ngrams"
    embedder_url: str | None = None
    embedder_model: str = "text-embedding-3-small"
    embedder_dimensions: int = 1_536
    embedder_key: str | None = field(default=None, repr=False)
    proposer_url: str | None = None
    proposer_model: str | None = None
    proposer_key: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Checked.

        Raises:
            InvalidInputError: `setting_malformed` where a number is not above 0, or above its limit in SETTINGS_MAX, or
                a word is none of SETTINGS_CHOICES, or the zone is not known.
        """
        for name, limit in SETTINGS_MAX.items():
            # So that NaN, which is on no side of anything, is refused as well.
            if not 0 < getattr(self, name) <= limit:
                raise _malformed(name, f"must be above 0 and at most {limit}", limit)
        for name, words in SETTINGS_CHOICES.items():
            if getattr(self, name) not in words:
                raise InvalidInputError(
                    "setting_malformed",
                    f"the setting {name} ({ENVIRONMENT_PREFIX}{name.upper()}) is {str(getattr(self, name))[:40]!r}",
                    next_step=f"it is one of: {', '.join(words)}",
                    details={"field": name},
                )
        zone_named(self.zone, field="zone")

    @property
    def scoring(self) -> Scoring:
        """How retrieved items are ordered."""
        return Scoring(
            self.scorer,
            LinearWeights(
                relevance=self.score_relevance,
                recency=self.score_recency,
                importance=self.score_importance,
                source=self.score_source,
                conflict_penalty=self.score_conflict_penalty,
                half_life_days=self.score_half_life_days,
            ),
            TieredWeights(corroboration_bonus=self.score_corroboration_bonus),
        )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """The settings that the environment names, the defaults for the rest.

        Raises:
            InvalidInputError: `setting_malformed` where a number is not one, or is outside of its range.
        """
        environment = os.environ if environment is None else environment
        given: dict[str, object] = {}
        for each in fields(cls):
            text = environment.get(ENVIRONMENT_PREFIX + each.name.upper())
            if text:
                given[each.name] = _parse(each.name, text, each.default)
        return cls(**given)  # type: ignore[arg-type]


def find_store(start: Path) -> Path | None:
    """The nearest `.heedful` folder from `start` upward, or None."""
    for folder in (start, *start.parents):
        if (folder / STORE_FOLDER / "store.json").is_file():
            return folder / STORE_FOLDER
    return None


def _parse(name: str, text: str, default: object) -> object:
    if not isinstance(default, int | float):
        return text
    try:
        return type(default)(text)
    except ValueError as error:
        raise _malformed(name, f"is not a number: {text[:40]!r}", SETTINGS_MAX[name]) from error


def _malformed(name: str, what: str, limit: int) -> InvalidInputError:
    return InvalidInputError(
        "setting_malformed",
        f"the setting {name} ({ENVIRONMENT_PREFIX}{name.upper()}) {what}",
        next_step=f"give a number above 0 and at most {limit}",
        details={"field": name, "limit": limit},
    )
