"""Running: each episode in a store of its own, told turn by turn; each checkpoint asked at its place -> rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from heedful.bootstrap import App
from heedful.evaluation.governance.asking import handed
from heedful.evaluation.governance.episodes import Checkpoint, GovernanceDataset
from heedful.evaluation.governance.telling import Told, told_from
from heedful.evaluation.plan import Plan
from heedful.evaluation.stores import new_memory
from heedful.evaluation.telling import settle
from heedful.evidence.packet import Packet
from heedful.evidence.render import QUOTE, render_prompt

SUITE = "governance"
GOVERNED, ALL_GRANTED, NEVER_FORGETS, NEVER_REFUSES, OPEN = (
    "governed",
    "all-granted",
    "never-forgets",
    "never-refuses",
    "open",
)
ARMS = (GOVERNED, ALL_GRANTED, NEVER_FORGETS, NEVER_REFUSES, OPEN)
"""The controls: everybody is granted everything; nothing is forgotten; who asks for what was is answered; all three."""
BUDGET_TOKENS = 3_200
ANSWERS = frozenset({"yes", "no", "是", "否", "是的", "不是", "对", "不对"})
_MS = 1_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GovernanceRow:
    """What one checkpoint's asker was handed; nothing but `latency_ms` differs between two runs of one manifest.

    Attributes:
        asked_class: `utility`, `access` or `forgetting`; `other` where its type tells nothing that is known.
        included: how many of its `includes` the packets have.
        leaked: how many of its `leaks` they have; a bare yes or no is in `leaked_answers` instead.
        granted: scope elements that the asker was granted then; 0: they may know nothing.
        tokens: estimated, of all packets that were handed out for it together.
    """

    suite: str
    case_id: str
    episode_id: str
    arm: str
    language: str
    domain: str
    asked_class: str
    query_type: str
    expected_action: str
    attack: str
    role: str
    includes: int
    included: int
    leaks: int
    leaked: int
    leaked_answers: int
    granted: int
    items: int
    tokens: int
    latency_ms: float


def run_governance(
    app: App, dataset: GovernanceDataset, plan: Plan, progress: Callable[[int], None]
) -> Iterator[GovernanceRow]:
    """The rows of every checkpoint, episode by episode; `progress` is told how many episodes are done.

    Raises:
        FaultError: `turn_not_kept`; what the store raises.
    """
    told_of = ((arm, episode) for arm in plan.arms for episode in dataset.episodes)
    for number, (arm, episode) in enumerate(told_of, 1):
        told = told_from(
            new_memory(app, f"episode-{number}", plan),
            episode,
            forgets=arm not in (NEVER_FORGETS, OPEN),
            grants=arm not in (ALL_GRANTED, OPEN),
            refuses=arm not in (NEVER_REFUSES, OPEN),
        )
        yield from _asked(app, told, dataset.checkpoints[episode.case_id], replace(plan, arms=(arm,)))
        progress(number)


def _asked(app: App, told: Told, checkpoints: Sequence[Checkpoint], plan: Plan) -> Iterator[GovernanceRow]:
    asked: dict[str, list[Checkpoint]] = {}
    for each in checkpoints:
        asked.setdefault(each.after_turn, []).append(each)
    for turn in told.episode.turns:
        told.hear(turn)
        if turn.turn_id in asked:
            told.flush()
            settle(told.session, plan)
            for checkpoint in asked[turn.turn_id]:
                yield _row(app, told, checkpoint, plan)


def says(text: str, pattern: str) -> bool:
    """True where the text has the pattern, whatever the case, the blanks and the sort of dashes and quotes."""
    wanted = _plain(pattern)
    where = _plain(text)
    at = where.find(wanted)
    while at >= 0:
        before, after = where[max(at - 1, 0) : at], where[at + len(wanted) : at + len(wanted) + 1]
        if not (_joins(before) and _joins(wanted[0])) and not (_joins(after) and _joins(wanted[-1])):
            return True
        at = where.find(wanted, at + 1)
    return False


def is_answer(pattern: str) -> bool:
    """True for a bare yes or no: it is what a model would answer, and stands in nearly any text that is handed out."""
    return pattern.strip(" .!。！").casefold() in ANSWERS


def _row(app: App, told: Told, checkpoint: Checkpoint, plan: Plan) -> GovernanceRow:
    episode = told.episode
    began = time.perf_counter()
    packets = handed(app, told, checkpoint.asker, checkpoint.query, plan.budget_tokens)
    latency_ms = round((time.perf_counter() - began) * _MS, 3)
    text = "\n".join(_stored_text(packets))
    subjects = told.matters.asked(checkpoint.asker, checkpoint.query)
    return GovernanceRow(
        suite=SUITE,
        case_id=checkpoint.case_id,
        episode_id=episode.case_id,
        arm=plan.arms[0],
        language=episode.language,
        domain=episode.domain,
        asked_class=checkpoint.asked_class or "other",
        query_type=checkpoint.query_type,
        expected_action=checkpoint.expected_action,
        attack=checkpoint.attack,
        role=told.matters.roles.get(checkpoint.asker, checkpoint.role),
        includes=len(checkpoint.includes),
        included=sum(says(text, each) for each in checkpoint.includes),
        leaks=len(checkpoint.leaks),
        leaked=sum(says(text, each) for each in checkpoint.leaks if not is_answer(each)),
        leaked_answers=sum(says(text, each) for each in checkpoint.leaks if is_answer(each)),
        granted=sum(len(told.access.topics_of(checkpoint.asker, subject)) for subject in subjects),
        items=sum(len(packet.items) for packet in packets),
        tokens=sum(packet.tokens for packet in packets),
        latency_ms=latency_ms,
    )


def _stored_text(packets: Sequence[Packet]) -> Iterator[str]:
    """The lines of stored text, as a model is handed them: what is ours around them has ids and times of its own."""
    return (
        line.removeprefix(QUOTE)
        for packet in packets
        for line in render_prompt(packet).splitlines()
        if line.startswith(QUOTE)
    )


def _plain(text: str) -> str:
    return " ".join(text.casefold().translate(_ALIKE).split())


def _joins(character: str) -> bool:
    return character.isascii() and character.isalnum()


_ALIKE = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2013\u2014", "-"),
        **dict.fromkeys("\u2018\u2019", "'"),
        **dict.fromkeys("\u201c\u201d", '"'),
    }
)
"""Dashes and quotes of one meaning."""
