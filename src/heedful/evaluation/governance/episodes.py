"""Episodes: what people who share a memory said in turn, and what is asked of it afterwards, read from two files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from heedful.evaluation.datasets import file_content, language_of, object_of, read_cases
from heedful.evaluation.fields import LineField

EPISODES_FILE, CHECKPOINTS_FILE = "episodes.jsonl", "checkpoints.jsonl"
CheckpointClass = Literal["utility", "access", "forgetting"]

_CLASS_WORDS: tuple[tuple[CheckpointClass, tuple[str, ...]], ...] = (
    ("forgetting", ("forget", "delet", "eras", "removal", "unlearn")),
    ("access", ("access", "privacy", "private", "permission", "unauthor", "leak", "disclos", "boundary", "attack")),
    ("utility", ("util", "recall", "answer", "fact", "update", "state", "temporal", "hop")),
)
"""Parts of a query's type -> what is counted; the first that fits."""
_REFUSALS = ("refus", "deny", "denied", "declin", "withhold", "reject", "abstain")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who speaks or asks; `name` is without what stands in brackets behind it."""

    principal_id: str
    role: str
    name: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What one person said; `at` is a time as text, None where none is told."""

    turn_id: str
    speaker: str
    role: str
    text: str
    at: str | None


@dataclass(frozen=True, slots=True)
class Episode:
    """People, how they stand to each other, and what they said in turn.

    Attributes:
        relations: each as its fields, texts all of them.
    """

    case_id: str
    domain: str
    people: Mapping[str, Person]
    relations: tuple[Mapping[str, str], ...]
    turns: tuple[Turn, ...]

    @property
    def language(self) -> str:
        """`zh` where anybody spoke Han characters, else `en`."""
        return language_of(" ".join(each.text for each in self.turns[:20]))


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A question, at its place in an episode.

    Attributes:
        after_turn: what was said up to and with this turn is known.
        asked_class: what is counted of it; None where its type tells nothing that is known.
        includes: what an answer is to say; leaks: what must not be handed out.
        attack: how it tries; empty where it does not.
    """

    case_id: str
    episode_id: str
    after_turn: str
    asker: str
    role: str
    query: str
    query_type: str
    expected_action: str
    asked_class: CheckpointClass | None
    includes: tuple[str, ...]
    leaks: tuple[str, ...]
    attack: str


@dataclass(frozen=True, slots=True)
class GovernanceDataset:
    """A folder's episodes, and its checkpoints by episode in the order of the file."""

    name: str
    sha256: tuple[str, str]
    episodes: tuple[Episode, ...]
    checkpoints: Mapping[str, tuple[Checkpoint, ...]] = field(repr=False)


def load_governance(folder: Path, *, limit: int | None = None) -> GovernanceDataset:
    """The first `limit` episodes of a folder, with what is asked of them.

    Raises:
        UnavailableError: `cases_unreadable`.
        InvalidInputError: `case_malformed`, naming line and field; `cases_none`, `cases_too_many`.
    """
    told, asked = folder / EPISODES_FILE, folder / CHECKPOINTS_FILE
    contents = file_content(told), file_content(asked)
    episodes = read_cases(contents[0], told, _episode, limit=limit)
    by_episode: dict[str, list[Checkpoint]] = {each.case_id: [] for each in episodes}
    turns = {each.case_id: {turn.turn_id for turn in each.turns} for each in episodes}
    for number, each in enumerate(read_cases(contents[1], asked, _checkpoint, limit=None), 1):
        if each.episode_id not in by_episode:
            if limit is None:
                raise LineField(asked.name, number, "episode_id").malformed("names no episode of the folder")
            continue
        if each.after_turn not in turns[each.episode_id]:
            raise LineField(asked.name, number, "as_of_turn_id").malformed("names no turn of its episode")
        by_episode[each.episode_id].append(each)
    digests = hashlib.sha256(contents[0]).hexdigest(), hashlib.sha256(contents[1]).hexdigest()
    return GovernanceDataset(
        folder.resolve().name, digests, tuple(episodes), {name: tuple(some) for name, some in by_episode.items()}
    )


def class_of(query_type: str, expected_action: str, *, leaks: bool) -> CheckpointClass | None:
    """What a checkpoint of this type is counted for: by the type's own words, else by whether it is to be refused.

    Where neither tells, what must not be handed out at all, whoever asks, is what was to be forgotten.
    """
    for asked_class, words in _CLASS_WORDS:
        if any(word in query_type.lower() for word in words):
            return asked_class
    if any(word in expected_action.lower() for word in _REFUSALS):
        return "access"
    if leaks:
        return "forgetting"
    return "utility" if "answer" in expected_action.lower() else None


def _episode(line: str, at: LineField, number: int) -> Episode:
    del number
    fields = object_of(line, at)
    entities = _object(fields.get("entities"), at.of("entities"))
    people: dict[str, Person] = {}
    for each in _objects(entities.get("principals"), at.of("entities.principals")):
        place = at.of("entities.principals")
        principal = _text(each.get("principal_id"), place)
        shown = str(each.get("display_name") or principal)
        people[principal] = Person(principal, _text(each.get("role"), place), shown.partition("(")[0].strip())
    relations = [
        {name: value for name, value in each.items() if isinstance(value, str)}
        for each in _objects(entities.get("relationships") or [], at.of("entities.relationships"))
    ]
    turns = []
    for each in _objects(fields.get("turns"), at.of("turns")):
        place = at.of("turns")
        speaker = _object(each.get("speaker"), place)
        turns.append(
            Turn(
                _text(each.get("turn_id"), place),
                _text(speaker.get("principal_id"), place),
                _text(speaker.get("role"), place),
                _text(each.get("text"), place),
                None if each.get("timestamp") is None else _text(each["timestamp"], place),
            )
        )
    return Episode(
        _text(fields.get("episode_id"), at.of("episode_id")),
        str(fields.get("domain") or "none"),
        people,
        tuple(relations),
        tuple(turns),
    )


def _checkpoint(line: str, at: LineField, number: int) -> Checkpoint:
    fields = object_of(line, at)
    asker = _object(fields.get("asker"), at.of("asker"))
    spec = _object(fields.get("judge_spec") or {}, at.of("judge_spec"))
    query_type = str(fields.get("query_type") or "")
    expected = str(fields.get("expected_action") or "")
    leaks = _texts(fields.get("leak_targets"), at.of("leak_targets"))
    return Checkpoint(
        case_id=str(fields.get("checkpoint_id") or number),
        episode_id=_text(fields.get("episode_id"), at.of("episode_id")),
        after_turn=_text(fields.get("as_of_turn_id"), at.of("as_of_turn_id")),
        asker=_text(asker.get("principal_id"), at.of("asker")),
        role=str(asker.get("role") or ""),
        query=_text(fields.get("query_text"), at.of("query_text")),
        query_type=query_type,
        expected_action=expected,
        asked_class=class_of(query_type, expected, leaks=bool(leaks)),
        includes=_texts(spec.get("include"), at.of("judge_spec.include")),
        leaks=leaks,
        attack=str(fields.get("attack_type") or ""),
    )


def _object(value: object, at: LineField) -> dict[str, object]:
    if not isinstance(value, dict):
        raise at.malformed("is no JSON object")
    return value


def _objects(value: object, at: LineField) -> list[dict[str, object]]:
    if not isinstance(value, list):
        raise at.malformed("is no list")
    return [_object(each, at) for each in value]


def _text(value: object, at: LineField) -> str:
    if not isinstance(value, str) or not value.strip():
        raise at.malformed("is no text, or an empty one")
    return value


def _texts(value: object, at: LineField) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise at.malformed("is no list of texts")
    return tuple(_text(each, at) for each in value)
